// Rotors on coordinates of a tree: an inertia J that a gear turns n times as fast as the coordinate.
//
//   force  n^2 J q''      kinetic energy  (n q')^2 J / 2      n^2 J on the diagonal of the mass matrix
//
// J in kg m^2, or kg on a slide; n without unit. Not handled: the angular momentum that the rotor has by turning with
// the body that carries it, and by its own spin (the gyroscopic effect).
#pragma once
#include "kernels/joint_coordinates/topology.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/system.hpp"
#include "kernels/tree/elimination.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, class P>
MYRIAD_HD Real reflected_inertia(const P& p, const CoordinateRotor& rotor) {
    const Real ratio(p[rotor.parameter + 1]);
    return (ratio * ratio) * Real(p[rotor.parameter]);
}

template <class Real, class T, class P>
MYRIAD_HD void add_rotors(const T& topology, const P& p, const TreeRates<Real, T>& a, TreeRates<Real, T>& forces) {
    MYRIAD_EACH(i, topology, rotors) {
        const CoordinateRotor& rotor = topology.rotor(i);
        forces[rotor.freedom] = fma(reflected_inertia<Real>(p, rotor), a[rotor.freedom], forces[rotor.freedom]);
    }
}

template <class Real, class T, class P>
MYRIAD_HD void add_rotors_to_diagonal(const T& topology, const P& p, SymmetricTreeMatrix<Real, T>& matrix) {
    MYRIAD_EACH(i, topology, rotors) {
        const CoordinateRotor& rotor = topology.rotor(i);
        Real& entry = matrix.at(rotor.freedom, rotor.freedom);
        entry = entry + reflected_inertia<Real>(p, rotor);
    }
}

// J
template <class Real, class T, class P>
MYRIAD_HD void add_energy_of_rotors(const T& topology, const P& p, const TreeRates<Real, T>& v, Real& kinetic) {
    MYRIAD_EACH(i, topology, rotors) {
        const CoordinateRotor& rotor = topology.rotor(i);
        const Real rate = v[rotor.freedom];
        kinetic = fma((Real(0.5) * reflected_inertia<Real>(p, rotor)) * rate, rate, kinetic);
    }
}

template <class Real, class T, class P>
MYRIAD_HD void check_rotors(const T& topology, const P& p, Real& reason) {
    MYRIAD_EACH(i, topology, rotors)
        reason =
            reason_unless(Real(0.0) <= Real(p[topology.rotor(i).parameter]), Reason::rotor_inertia_negative, reason);
}

}  // namespace myriad::inline MYRIAD_VARIANT
