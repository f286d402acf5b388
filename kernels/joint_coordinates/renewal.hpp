// kernels/mechanism/renewal.hpp in joint coordinates: bodies hang on the joints of the tree, whatever the parameters
// are.
//
//   rows of loops and couplings    where they are open, projection.hpp puts the state onto them, by the least change
//                                  in the norm of the masses
//   prescribed coordinates         take the values and rates of their functions at the time of the state
//
// Units: those of the freedoms. Not handled: redundant rows that the new parameters contradict (refused).
#pragma once
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/mechanism/renewal.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System, class Real = typename System::Real>
requires has_topology<System> MYRIAD_NOINLINE Assembled<Real> close_rows(const System& system, Real time_s,
                                                                         Real tolerance,
                                                                         typename System::Scratch& scratch,
                                                                         Motion<System>& motion) {
    const auto links = system.equations().links();
    const auto is_open = [&] {
        place_links(links, motion.q, scratch.places);
        pose_links(links, scratch.places, scratch.frames.of);
        return !(joint_residual(system, motion.q, motion.v, scratch, Level::position) <= tolerance);
    };
    system.prescribe_at(time_s, motion.q, motion.v);
    system.functions_at(time_s, scratch.functions);
    Assembled<Real> closed{Real(0.0), Real(0.0)};
    if (!any(is_open())) return closed;
    const RowsMet<Real> met = meet_rows(system, scratch, true_mask<Real>(), time_s, motion.q, motion.v);
    closed.correction = met.distance;
    closed.reason = reason_unless(met.outcome.converged, Reason::loop_does_not_close, closed.reason);
    // Redundant rows, which no equation holds.
    closed.reason = reason_unless(!is_open(), Reason::constraints_inconsistent, closed.reason);
    return closed;
}

}  // namespace myriad::inline MYRIAD_VARIANT
