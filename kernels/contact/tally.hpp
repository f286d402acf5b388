// The record of a run with contacts, for its certificate and its channels: certificate.hpp,
// channels.hpp. Energies are mechanical and losses count from the start. Powers are those at the end of the
// last step, so that the trapezoidal rule needs no second evaluation. Not handled: records of single contacts.
#pragma once
#include "kernels/contact/effort.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Of a contact's size.
constexpr double sunk_share = 0.1;

template <class R>
struct ContactTally {
    using Real = R;
    Real impacts;              // impacts so far with a largest normal impulse above the threshold
    Real largest_impulse_N_s;  // largest normal impulse, of any unilateral contact in any impact
    Real largest_force_N;      // largest normal force, impacts excluded
    Real first_contact_s;      // when a gap first closed; negative as long as none has
    Real penetration_m;        // largest
    Real friction_loss_J;      // the work of friction between impacts, as a loss
    Real friction_power_W;     // of friction, as a loss, at the end of the step
    Real impact_loss_J;        // what contacts lose in impacts
    Real wear_work_J;          // |l_T . u_T| of all contacts, between impacts and in them
    Real wear_power_W;         // |l_T . u_T| at the end of the step, between impacts
    Real initial_energy_J;     // at the start
    Real energy_error_J;       // largest |energy + losses - initial energy|
    Real problems, prox_iterations, most_prox_iterations, prox_residual;  // of contact problems, so far
    Real newton_iterations, most_newton_iterations;                       // so far; in the worst step
    // Passes that no step saw, so far, and the largest Passing::rate, by the second; the largest penetration beyond
    // sunk_share of a contact's size. Bits: sums of 2^c over the contacts c of each.
    Real jumped, jumped_rate_1_s, jumped_bits, sunk_m, sunk_bits;
    Real crowded;  // steps with more strikes than are placed within one, so far

    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit(self.impacts...), visit(self.largest_impulse_N_s...), visit(self.largest_force_N...);
        visit(self.first_contact_s...), visit(self.penetration_m...), visit(self.friction_loss_J...);
        visit(self.friction_power_W...), visit(self.impact_loss_J...), visit(self.wear_work_J...);
        visit(self.wear_power_W...), visit(self.initial_energy_J...), visit(self.energy_error_J...);
        visit(self.problems...), visit(self.prox_iterations...), visit(self.most_prox_iterations...);
        visit(self.prox_residual...), visit(self.newton_iterations...), visit(self.most_newton_iterations...);
        visit(self.jumped...), visit(self.jumped_rate_1_s...), visit(self.jumped_bits...), visit(self.sunk_m...);
        visit(self.sunk_bits...), visit(self.crowded...);
    }

    MYRIAD_HD void start() {
        visit_fields([](Real& x) { x = Real(0.0); }, *this);
        first_contact_s = Real(-1.0);
    }
    // Counts one impact in `lanes` by its largest normal impulse, however many contacts are struck.
    MYRIAD_HD void count_impact(MaskOf<Real> lanes, Real impulse_N_s, double threshold_N_s) {
        largest_impulse_N_s = select(lanes, maximum(impulse_N_s, largest_impulse_N_s), largest_impulse_N_s);
        impacts = select(lanes & (Real(threshold_N_s) < impulse_N_s), impacts + Real(1.0), impacts);
    }
    MYRIAD_HD void count_jumped(MaskOf<Real> lanes, Real rate_1_s) {
        jumped = select(lanes, jumped + Real(1.0), jumped);
        jumped_rate_1_s = select(lanes, maximum(rate_1_s, jumped_rate_1_s), jumped_rate_1_s);
    }
    // Adds the effort of one step.
    MYRIAD_HD void add(const ContactEffort<Real>& effort, Real newton_iterations_of_step) {
        problems = problems + effort.problems;
        prox_iterations = prox_iterations + effort.iterations;
        most_prox_iterations = maximum(effort.most_iterations, most_prox_iterations);
        prox_residual = maximum(effort.residual, prox_residual);
        newton_iterations = newton_iterations + newton_iterations_of_step;
        most_newton_iterations = maximum(newton_iterations_of_step, most_newton_iterations);
    }
    // From here on the error is zero with `energy_J`, which is as below.
    MYRIAD_HD void compare_from(Real energy_J) { initial_energy_J = energy_J + impact_loss_J + friction_loss_J; }
    // `energy_J`: mechanical energy less the work done since the start. Returns the error, which is finite only where
    // all of these are.
    MYRIAD_HD Real compare_energy(Real energy_J) {
        const Real error = absolute(((energy_J - initial_energy_J) + impact_loss_J) + friction_loss_J);
        energy_error_J = maximum(error, energy_error_J);
        return error;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
