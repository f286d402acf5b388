// What timestepping with contact asks of a system: where its contacts are, equations for the unknowns at hand, their
// solution, and the loads of contacts in them.
//
//   S (z, x) = f + W l,   u = W^T z       z: of rates, x: of multipliers, l: of contacts
//
// ContactEquations, StageEquations (of two coupled stages) and JointImpulses exist for each kind of system with the
// same names: integrators/contact/formula_equations.hpp and joint_coordinates/. They are all that the schemes know of a
// system. Not handled: systems without coordinates.
#pragma once
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

enum class SystemKind { formula, joint_coordinates };
template <class System>
constexpr SystemKind kind_of = has_topology<System> ? SystemKind::joint_coordinates : SystemKind::formula;

template <class System, SystemKind = kind_of<System>>
struct ContactEquations;
template <class System, SystemKind = kind_of<System>>
struct StageEquations;
template <class System, SystemKind = kind_of<System>>
struct JointImpulses;

template <class System>
using ContactTopologyOf = typename ContactEquations<System>::Topology;
template <class System>
using MultipliersOf = typename ContactEquations<System>::MultiplierVector;

// The contacts and rows of a system: its topology, or what the type of a formula says.
template <class System>
MYRIAD_HD decltype(auto) contact_topology(const System& system) {
    if constexpr (has_topology<System>)
        return (system.topology);
    else
        return ContactTopologyOf<System>{};
}

template <class Real>
struct Assembled {
    Real reason;      // Reason::none, loop_does_not_close or constraints_inconsistent
    Real correction;  // how far the positions were moved: the length of Z (m over length_scale, rad)
    Real velocity_correction = Real(0.0);  // how far given velocities were changed, 1/s (m/s over length_scale, rad/s)
};

}  // namespace myriad::inline MYRIAD_VARIANT
