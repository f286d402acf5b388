// The schemes of ContactIntegrator: those that keep impacts apart from the motion between them, and Moreau's rule.
#include <algorithm>

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/contact/contact_numbers.hpp"

namespace myriad::reference {

using Eigen::VectorXd;

// nonsmooth eqs. 20 to 26
ContactIntegrator::Solved ContactIntegrator::generalized_alpha(double h, double end_s, const Closed& at_begin) {
    const double rho = method_.spectral_radius;
    const double am = method_.has_free_alphas ? method_.alpha_m : (2.0 * rho - 1.0) / (rho + 1.0),
                 af = method_.has_free_alphas ? method_.alpha_f : rho / (rho + 1.0);
    const double gamma = 0.5 - am + af, beta = 0.25 * (1.0 - am + af) * (1.0 - am + af);
    // (1 - am) A+ + am A = (1 - af) a+ + af a
    const VectorXd known = (af * accelerations() - am * algorithmic_) / (1.0 - am);
    const double slope = (1.0 - af) / (1.0 - am);
    const VectorXd v = rates();
    const Stage stage{end_s, v + h * ((1.0 - gamma) * algorithmic_ + gamma * known),
                      h * v + h * h * ((0.5 - beta) * algorithmic_ + beta * known), h * gamma * slope,
                      h * h * beta * slope};
    const Solved end = solve(stage, {accelerations(), multipliers(), contacts_.force, {}, {}}, at_begin);
    algorithmic_ = known + slope * end.acceleration;
    return end;
}

// nonsmooth eqs. 56 to 61
ContactIntegrator::Solved ContactIntegrator::bathe(double h, double end_s, const Closed& at_begin) {
    const VectorXd v = rates();
    // v_half = v + h/4 (a + a_half), x_half = h/4 (v + v_half)
    const VectorXd fixed = v + 0.25 * h * accelerations();
    const Solved half = solve({end_s - 0.5 * h, fixed, 0.25 * h * (v + fixed), 0.25 * h, 0.0625 * h * h},
                              {accelerations(), multipliers(), contacts_.force, {}, {}}, at_begin);
    // h a+ = v - 4 v_half + 3 v+, h v+ = -4 x_half + 3 x+
    const VectorXd fixed_end = (4.0 * half.velocity - v) / 3.0;
    return solve({end_s, fixed_end, (h * fixed_end + 4.0 * half.increment) / 3.0, h / 3.0, h * h / 9.0}, half,
                 at_begin);
}

// nonsmooth eqs. 77 to 84: the end of the step first, then its jump at the beginning
ContactIntegrator::Solved ContactIntegrator::ed_alpha(double h, double end_s, const Closed& at_begin) {
    const double alpha = (1.0 - method_.spectral_radius) / (1.0 + method_.spectral_radius), r = method_.ed_alpha_ratio;
    StagePair stages;
    stages.h = h;
    stages.coefficient << 0.5, 0.5, -r, alpha * r;
    stages.time_s = {end_s, time_s()};
    stages.weight = {1.0, 0.5 / r};  // so that the contacts' problem is monotone
    const VectorXd v = rates();
    const VectorXd v_jump = v + h * r * (1.0 - alpha) * accelerations();
    stages.fixed_velocity = {v, v_jump};
    stages.fixed_increment = {0.5 * h * (v + v_jump), h * r * alpha * (v_jump - v)};
    const Solved end = solve(stages, {accelerations(), multipliers(), contacts_.force, {}, {}}, at_begin);
    put_back();
    return end;
}

// Velocities are those of the begin up to the middle, and those of the end from there on, as its positions are.
void ContactIntegrator::show_middle(ContactSample contacts, ContactRecord record, double driver_work_j) {
    for (const bool is_behind : {false, true}) {
        exchange_for_middle(is_behind);
        if (!is_behind) std::swap(contacts_, contacts), std::swap(record_, record);
        const Eigen::VectorXd gap = contacts_.gap, velocity = contacts_.velocity;
        contacts_.gap = gaps(), contacts_.velocity = directions() * this->velocity();
        if (is_behind) {
            work_j_ += driver_work_j;
            behind_jump();
            work_j_ -= driver_work_j;
        } else {
            before_jump(false);
        }
        contacts_.gap = gap, contacts_.velocity = velocity;
        if (!is_behind) std::swap(contacts_, contacts), std::swap(record_, record);
        exchange_for_middle(is_behind);
    }
}

bool ContactIntegrator::moreau(double end_s, double& driver_work_j) {
    const double h = end_s - time_s();
    const ContactSample contacts_before = contacts_;
    const ContactRecord record_before = record_;
    const bool is_first = time_s() == 0.0;
    const Eigen::Matrix3Xd at_begin = ways_apart();
    rebounds_ = !method_.strikes_within_step;
    const Passed passed = pass(end_s);
    rebounds_ = true;
    // The middle of the step before, whose velocity the contact has not changed, lies as far behind the beginning.
    Closed seen_before;
    for (int k = 0; k < sizes_.contacts; ++k)
        seen_before.push_back(contacts_.force[sizes_.rows_per_contact * k] != 0.0);
    if (!method_.strikes_within_step)
        look_for_jumps(is_first ? at_begin : Eigen::Matrix3Xd(2.0 * at_begin - passed.apart), passed.apart, seen_before,
                       is_first ? 0.5 * h : h);
    // An impact: something takes an impulse, had no force in the step before, and was open a step ago or moves through
    // more than the tolerance.
    bool struck = false;
    const VectorXd taken = passed.impulse - h * contacts_.force, ways = h * passed.before;
    for (int k = 0; k < sizes_.contacts; ++k) {
        const Index normal = sizes_.rows_per_contact * k;
        record_.impact_loss_j -= passed.impulse[normal] * passed.mean[normal];
        if (!passed.closed[static_cast<std::size_t>(k)] || !is_unilateral(k)) continue;
        const double gap_before = std::max(0.0, passed.gaps[k]) - ways[normal];
        const bool was_unloaded = h * contacts_.force[normal] <= no_load * passed.impulse[normal];
        struck |= was_unloaded && taken[normal] > 0.0 && gap_before > method_.gap_tolerance_m;
        if (record_.first_contact_s < 0.0) record_.first_contact_s = end_s;
    }
    const FrictionWork work = friction_work(passed.impulse, passed.mean);
    record_.friction_loss_j += work.lost, record_.wear_work_j += work.worn;
    contacts_.force = passed.impulse / h;
    driver_work_j = passed.driver_work_j;
    if (method_.strikes_within_step) return false;
    contacts_.impulse = passed.impulse;
    if (std::find(passed.closed.begin(), passed.closed.end(), true) != passed.closed.end())
        contacts_.joint_impulse = passed.joint_impulse;
    if (struck) count_impact(largest_impulse(taken));
    if (struck && before_jump) show_middle(contacts_before, record_before, driver_work_j);
    return struck;
}

const std::vector<std::pair<std::string, ContactIntegrator::Scheme>>& ContactIntegrator::schemes() {
    static const std::vector<std::pair<std::string, Scheme>> all{
        {"nonsmooth_generalized_alpha", &ContactIntegrator::generalized_alpha},
        {"nonsmooth_bathe", &ContactIntegrator::bathe},
        {"nonsmooth_ed_alpha", &ContactIntegrator::ed_alpha},
        {"half_explicit", &ContactIntegrator::half_explicit},
    };
    return all;
}

}  // namespace myriad::reference
