#include "host/reference/energy_momentum/livens_formula.hpp"

#include "host/text/user_error.hpp"

namespace myriad::reference {

std::unique_ptr<LivensFormula> livens_formula(const std::string& system, const Parameters& parameters,
                                              InverseMass inverse_mass) {
    if (system == "mass_spring") return livens_mass_spring(parameters);
    if (system == "spring_pendulum") return livens_spring_pendulum(parameters);
    if (system == "heavy_top") return livens_heavy_top(parameters, inverse_mass);
    if (system == "free_rigid_body") return livens_free_rigid_body(parameters, inverse_mass);
    throw UserError(ExitCode::usage_or_input, "system " + system, "has no form with rates and momenta",
                    "energy-momentum integrators run mass_spring, spring_pendulum, heavy_top and free_rigid_body");
}

void add_livens_observables(const LivensFormula& system, const LivensState& state, double work,
                            Observables& observables) {
    const auto scalar = [](double value) { return Eigen::VectorXd::Constant(1, value); };
    observables["generalized_energy"] = scalar(state.p.dot(state.v) - system.kinetic_energy(state.q, state.v) +
                                               system.potential_energy(state.q) - work);
    observables["constraint_residual"] = scalar(system.constraint_residual(state.q));
    observables["momentum_defect"] = scalar((state.p - system.momentum(state.q, state.v)).norm());
    observables["velocity_constraint_residual"] = scalar(system.constraint_rate(state.q, state.v));
    const Eigen::VectorXd momentum_map = system.momentum_map(state.q, state.p);
    if (momentum_map.size() > 0) observables["momentum_map"] = momentum_map;
}

}  // namespace myriad::reference
