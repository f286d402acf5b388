// Reports what assembly changes although the file or a study gives it: poses that contradict the joints, and velocities
// that contradict them or each other.
//
//   given    the position of a body's origin, or its orientation; what is not given the joints decide, silently
//   size     the largest distance between two points of joints, drivers and force elements or centres of mass,
//            as assembled
//   told     given positions and orientations that are changed by more than 1e-3 of the size or 1e-3 rad, by assembly
//            or by start values of joints, and the joints and drivers that they miss; given velocities and start rates
//            of joints that change by more than 1e-3 of the largest one; turns count at the mechanism's size; what
//            contradicts a coupling (coupled_start.hpp)
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

inline constexpr double silent_share = 1e-3;

struct AssemblyReport {
    std::string
        what;  // what poses and velocities contradict, how far, and what was changed; empty where nothing is to be told
    std::string remedy;
    std::string entry;   // of the file, which `what` begins with: "joints.elbow"; empty: the whole
    bool fails = false;  // the mechanism cannot be assembled from these numbers
};

// For given values of all numbers of the file and whether each is `given` by a study, as in
// Mechanism::kernel_parameters.
AssemblyReport assembly_report(const Mechanism& mechanism, std::span<const double> values,
                               std::span<const unsigned char> given);
// The poses of the file. Throws UserError (usage_or_input) where the file says "assembly": "refuse".
std::optional<std::string> warning_of_assembly(const Mechanism& mechanism);

// A bushing counts its rotation, and a joint without references its angle, from the orientations of the bodies in the
// file. If the file leaves one of these out, assembly may turn the body away from the default, and nothing says where
// the zero is. Start values of joints do not count: they move a joint away from its zero.
struct UnknownZero {
    std::string entry, what, remedy;  // "forces.mount", "joints.hinge"
};
// For given values of all numbers of the file and whether each is `given` by a study, the first one.
std::optional<UnknownZero> unknown_zero(const Mechanism& mechanism, std::span<const double> values,
                                        std::span<const unsigned char> given);

// The reason why a mechanism with these parameters cannot be assembled: "joints.elbow stays open by 1.1 m at best".
std::string why_not_assembled(const Mechanism& mechanism, const std::vector<double>& kernel_parameters);

}  // namespace myriad::mechanism
