#include "host/reference/energy_momentum/livens_integrator.hpp"

#include <algorithm>

#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::VectorXd;

namespace {

struct NamedMethod {
    const char* name;
    LivensRule rule;
    bool is_hamiltonian;
};

constexpr NamedMethod methods[] = {{"energy_momentum", LivensRule::energy_momentum, false},
                                   {"energy_momentum_full", LivensRule::energy_momentum, false},
                                   {"energy_momentum_null_space", LivensRule::energy_momentum, false},
                                   {"livens_midpoint", LivensRule::midpoint, false},
                                   {"energy_momentum_hamiltonian", LivensRule::energy_momentum, true},
                                   {"hamiltonian_midpoint", LivensRule::midpoint, true}};

const NamedMethod& find(const std::string& name) {
    for (const NamedMethod& method : methods)
        if (name == method.name) return method;
    throw UserError(ExitCode::usage_or_input, "integrator " + name, "is no integrator of Livens' principle",
                    "see livens_methods()");
}

}  // namespace

std::vector<std::string> livens_methods() {
    std::vector<std::string> names;
    for (const NamedMethod& method : methods) names.emplace_back(method.name);
    return names;
}

bool is_livens_method(const std::string& name) {
    return std::any_of(std::begin(methods), std::end(methods),
                       [&](const NamedMethod& method) { return name == method.name; });
}

LivensDerivatives LivensSystem::cokinetic(LivensRule, const LivensStep&) const {
    throw UserError(ExitCode::usage_or_input, "integrator", "needs a regularised mass, which this system has not",
                    "choose energy_momentum or livens_midpoint");
}

LivensIntegrator::LivensIntegrator(const LivensSystem& system, const std::string& method, const VectorXd& q,
                                   const VectorXd& v, const VectorXd& multipliers, int most_newton_iterations)
    : system_(system),
      rule_(find(method).rule),
      is_hamiltonian_(find(method).is_hamiltonian),
      most_newton_iterations_(most_newton_iterations),
      state_{0.0, q, v, system.momentum(q, v), multipliers} {}

void LivensIntegrator::step(double end_s) {
    const double h = end_s - state_.time_s;
    const Index n = state_.q.size(), m = state_.multipliers.size(), size = (is_hamiltonian_ ? 2 : 3) * n + m;
    LivensStep step{h,
                    0.5 * (state_.time_s + end_s),
                    end_s,
                    constants(state_.q),
                    constants(state_.v),
                    constants(state_.p),
                    {},
                    {},
                    {},
                    {}};
    const auto place = [&](const Numbers& unknowns) {
        step.q_end = unknowns.head(n);
        step.p_end = unknowns.segment(n, n);
        step.v_end = is_hamiltonian_ ? step.v : Numbers(unknowns.segment(2 * n, n));
        step.multipliers = unknowns.tail(m);
    };
    const Number rate(1.0 / h);
    const auto residual = [&](const Numbers& unknowns) {
        place(unknowns);
        Numbers result(size);
        const LivensDerivatives energy =
            is_hamiltonian_ ? system_.cokinetic(rule_, step) : system_.kinetic(rule_, step);
        const Numbers velocity = is_hamiltonian_ ? energy.by_rate : step.v_half();
        const Numbers inertial = is_hamiltonian_ ? Numbers(-energy.by_coordinates) : energy.by_coordinates;
        result.head(n) = (step.q_end - step.q) * rate - velocity;
        result.segment(n, n) = (step.p_end - step.p) * rate - inertial - system_.force(rule_, step);
        if (!is_hamiltonian_) result.segment(2 * n, n) = step.p_half() - energy.by_rate;
        result.tail(m) = system_.constraint(step) * (rate * rate);
        return result;
    };
    VectorXd start(size);
    if (is_hamiltonian_)
        start << state_.q + h * state_.v, state_.p, state_.multipliers;
    else
        start << state_.q + h * state_.v, state_.p, state_.v, state_.multipliers;
    const NewtonSolution solution = solved_by_newton(
        residual, start, [&](const VectorXd& correction) { return system_.size(correction.head(n)); },
        most_newton_iterations_);

    place(constants(solution.unknowns));
    work_ += system_.work(rule_, step);
    iterations_ = solution.iterations;
    state_ = {end_s, plain(step.q_end), plain(step.v_end), plain(step.p_end), plain(step.multipliers)};
    if (!keeps_rate()) state_.v = system_.rate(state_.q, state_.p, state_.v);
}

}  // namespace myriad::reference
