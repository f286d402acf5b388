// Puts bodies back where joints and contacts allow them to be, by the least change.
//
//   [M B^T; B 0] (dz, mu) = (-M Z + W_N l, -phi),   0 <= l,  0 <= g + W_N^T dz,  l (g + W_N^T dz) = 0        Newton
//
// Z: the change so far, least in the norm of the masses, in body coordinates; in joint coordinates it is 0, and each
// correction is the least one. Contacts that are not `closed` are not asked. Rotations change by exp, on the rotation
// group only. Source: assembly.hpp, with contacts beside the joints. Not handled: a second solution.
#pragma once
#include "kernels/contact/loads.hpp"
#include "kernels/math/newton.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct Projected {
    NewtonOutcome<Real> outcome;
    Real distance;  // distance of the change: m over length_scale, rad
};

// Moves the lanes in `lanes`. `pinned`: bodies that the file pins stay. Scratch holds the functions of time.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Projected<Real> project_positions(ContactEquations<System>& equations,
                                                  typename ContactEquations<System>::Places& places,
                                                  const ClosedContacts<Real, ContactTopologyOf<System>>& closed,
                                                  const ContactSettings& settings, ContactEffort<Real>& effort,
                                                  MaskOf<Real> lanes, bool pinned, Real tolerance,
                                                  typename System::Configuration& q) {
    const System& system = equations.system;
    const auto& topology = contact_topology(system);
    const Real one(1.0), zero(0.0);
    ContactLoads<Real, ContactTopologyOf<System>> given, load;
    given.fit(topology), load.fit(topology), given.clear(), load.clear();
    equations.stay();
    const auto correct = [&](MaskOf<Real> going, bool) {
        Correction<Real> correction;
        correction.perturbed = equations.of_positions(q, pinned, going);
        equations.find_here(q, places);
        MYRIAD_EACH(c, topology, contacts)
            given[c * topology.directions] = equations.unless_held(c, places.gap(c), zero);
        ContactLoadProblem<System> problem{system, places, closed, settings, effort, tolerance};
        problem.rough = false;
        const MaskOf<Real> solved = problem.solve(equations, going, one, given, nullptr, load);
        const Real unsolved = one / zero;
        correction.square = select(solved, equations.square(one), unsolved);
        equations.move(going, q);
        return correction;
    };
    Projected<Real> projected;
    projected.outcome = newton<Real>(lanes, settings.most_newton_iterations, tolerance, correct, false);
    projected.distance = equations.distance();
    return projected;
}

}  // namespace myriad::inline MYRIAD_VARIANT
