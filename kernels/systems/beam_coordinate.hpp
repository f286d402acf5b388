// The meaning of a coordinate of a beam's deformation, for people: beam_elements.hpp and beam_modes.hpp name their own.
// Displacements are parts of the beam's length, slopes are angles, amplitudes belong to modes of mean square 1. Host
// only.
#pragma once

namespace myriad {

enum class BeamCoordinateKind { axial_displacement, transverse_displacement, slope, axial_mode, bending_mode };

struct BeamCoordinate {
    BeamCoordinateKind kind;
    int number;  // of the node, from 0 at s = 0, or of the mode, from 1
};

constexpr const char* name_of(BeamCoordinateKind kind) {
    constexpr const char* names[] = {"axial displacement of node ", "transverse displacement of node ",
                                     "slope of node ", "amplitude of axial mode ", "amplitude of bending mode "};
    return names[static_cast<int>(kind)];
}

}  // namespace myriad
