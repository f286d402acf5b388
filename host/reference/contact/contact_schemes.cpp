// The schemes of ContactIntegrator that keep impacts apart from the motion between them.
#include "host/reference/contact/contact_integrator.hpp"

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
