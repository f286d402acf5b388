// The numbers that timestepping with contact adds to the certificate of a system: entries of its record
// (ContactMemory), each the largest so far.
//
//   energy_balance_error   |energy + losses by friction, impact and damping - initial energy|, J
//   mean_prox_iterations   of a contact problem: the mean of all problems since the start, after each step; the
//                          largest of these running means is at least that of the whole run
//   jumped_contacts        passes of round surfaces that no step saw: passing.hpp
//   sunk_depth             the largest penetration of a contact beyond sunk_share of its size, m
//   *_bits                 which contacts c these were: sums of 2^c
//
// The descriptions below tell the other ones, prox.hpp the residual. Not handled: the time of the first contact, which
// has no largest value. It is a channel.
#pragma once
#include "kernels/math/small_matrix.hpp"
#include "kernels/system/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The last ones say more of others, and stand in the result alone.
constexpr int contact_certificate_count = 15, shown_contact_certificate_count = 11;

template <class Memory, class Real = typename Memory::Real>
MYRIAD_HD Vec<contact_certificate_count, Real> contact_certificate(const Memory& memory) {
    const Real problems = maximum(memory.problems, Real(1.0));
    return {memory.energy_error_J,
            memory.penetration_m,
            memory.prox_residual,
            memory.prox_iterations / problems,
            memory.most_prox_iterations,
            memory.most_newton_iterations,
            memory.impacts,
            memory.friction_loss_J,
            memory.impact_loss_J,
            memory.jumped,
            memory.sunk_m,
            memory.jumped_rate_1_s,
            memory.jumped_bits,
            memory.sunk_bits,
            memory.crowded};
}

#if !defined(__CUDACC_RTC__)
constexpr ChannelDescription contact_certificate_entries[contact_certificate_count] = {
    {"energy_balance_error", "J", "", "", false, "largest difference of energy and losses from the initial energy"},
    {"penetration", "m", "", "", false, "how deep a contact was at most; rad where it is a limit of an angle"},
    {"prox_residual", "1", "", "", false, "worst residual of the contact laws, relative to the terms in them"},
    {"mean_prox_iterations", "1", "", "", false,
     "iterations of a contact problem: the mean of all since the start, largest over the steps"},
    {"prox_iterations_in_a_problem", "1", "", "", false, "iterations of a contact problem: the most of any"},
    {"newton_iterations_in_a_step", "1", "", "", false, "Newton iterations of a step, largest"},
    {"impacts", "1", "", "", false, "steps with an impact whose largest normal impulse is above impact_threshold_N_s"},
    {"friction_loss", "J", "", "", false, "work of friction between impacts, as a loss"},
    {"impact_loss", "J", "", "", false, "energy that contacts lose in impacts"},
    {"jumped_contacts", "1", "", "", false,
     "passes of spheres through each other or through a capsule that no step saw while they closed"},
    {"sunk_depth", "m", "", "", false, "how deep a contact was at most that sank by more than a tenth of its size"},
    {"fastest_jumped_contact", "1/s", "", "", false,
     "1 over the shortest time from the touch to the closest approach of a jumped contact: shorter steps see all"},
    {"jumped_contact_bits", "1", "", "", false,
     "the contacts that were jumped over: the sum of 2^c over their numbers c, from 0 in the order of the file"},
    {"sunk_contact_bits", "1", "", "", false, "the contacts that sank so deep, in the same way"},
    {"crowded_steps", "1", "", "", false, "steps with more strikes than are placed within a step"},
};
#endif

}  // namespace myriad::inline MYRIAD_VARIANT
