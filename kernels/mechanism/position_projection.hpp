// Puts bodies back where joints and contacts allow them to be, by the least change.
//
//   [M B^T; B 0] (dz, mu) = (-M Z + W_N l, -phi),   0 <= l,  0 <= g + W_N^T dz,  l (g + W_N^T dz) = 0        Newton
//
// Z: the change so far, least in the norm of the masses; contacts that are not `closed` are not asked. Rotations change
// by exp, on the rotation group only. Source: assembly.hpp, with contacts beside the joints. Not handled: a second
// solution.
#pragma once
#include "kernels/mechanism/contact_loads.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct Projected {
    NewtonOutcome<Real> outcome;
    Real distance;  // distance of the change: m over length_scale, rad
};

// Moves the lanes in `lanes`. `pinned`: bodies that the file pins stay. `scratch` holds the functions of time.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE Projected<Real> project_positions(const System& system, typename System::Scratch& scratch,
                                                  ContactPlaces<Real, typename System::Topology>& places,
                                                  const ClosedContacts<Real, typename System::Topology>& closed,
                                                  const ContactSettings& settings, ContactEffort<Real>& effort,
                                                  MaskOf<Real> lanes, bool pinned, Real tolerance,
                                                  typename System::Configuration& q) {
    const auto& topology = system.topology;
    auto& work = scratch.work;
    const Real one(1.0), zero(0.0);
    ContactLoads<Real, typename System::Topology> given, load;
    given.fit(topology), load.fit(topology), given.clear(), load.clear();
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) work.moved[b] = work.turned[b] = Vec<3, Real>{};
    const auto correct = [&](MaskOf<Real> going, bool) {
        system.place(q, work.bodies);
        places.find(topology, work.bodies, *system.parameters);
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c) given[c * contact_directions] =
            places.of[c].gap;
        const Linearization<Real> by{one, zero, one, one, Level::position, false, pinned, false, true};
        system.equations(scratch.functions).evaluate(work, by, nullptr, q.turned, scratch.matrix);
        Correction<Real> correction;
        correction.perturbed = topology.template factor<Real>(scratch.matrix);
        ContactLoadProblem<System> problem{system, places, closed, settings, effort, tolerance};
        problem.rough = false;
        const MaskOf<Real> solved = problem.solve(scratch, going, one, given, nullptr, load);
        const Real unsolved = one / zero;
        correction.square = select(solved, system.square_of(work, one), unsolved);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            // A correction beyond the series of the exponential is no good direction anyway; it is cut.
            const Vec<3, Real> x = system.solved_translation(work, b), z = system.solved_rotation(work, b);
            const Real length = sqrt(dot(z, z));
            const Vec<3, Real> cut = select(length <= one, one, one / length) * z;
            work.moved[b] = select(going, work.moved[b] + x, work.moved[b]);
            work.turned[b] = select(going, work.turned[b] + cut, work.turned[b]);
            q.position[b] = select(going, q.position[b] + x, q.position[b]);
            q.orientation[b] = select(going, renormalized(q.orientation[b] * exp(cut)), q.orientation[b]);
        }
        return correction;
    };
    Projected<Real> projected;
    projected.outcome = newton<Real>(lanes, settings.most_newton_iterations, tolerance, correct);
    const Real inverse_length = one / system.parameter(length_scale_parameter);
    projected.distance = zero;
    MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
        const Vec<3, Real> moved = inverse_length * work.moved[b];
        projected.distance = projected.distance + (dot(moved, moved) + dot(work.turned[b], work.turned[b]));
    }
    projected.distance = sqrt(projected.distance);
    return projected;
}

}  // namespace myriad::inline MYRIAD_VARIANT
