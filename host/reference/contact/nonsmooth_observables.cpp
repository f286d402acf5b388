#include "host/reference/contact/nonsmooth_observables.hpp"

#include <algorithm>

namespace myriad::reference {

bool is_nonsmooth_method(const std::string& integrator) {
    const std::vector<std::string> methods = nonsmooth_methods();
    return std::find(methods.begin(), methods.end(), integrator) != methods.end();
}

void add_contact_observables(const NonsmoothSystem& system, const NonsmoothIntegrator& integrator,
                             Observables& observables) {
    const Eigen::VectorXd& q = integrator.coordinates();
    const Eigen::VectorXd gaps = system.gaps(q), velocities = system.directions(q) * integrator.rates();
    const std::vector<std::string> names = system.contact_names();
    const int directions = 1 + system.tangents();
    for (int k = 0; k < system.contacts(); ++k) {
        const std::string contact = names.empty() ? "" : "." + names[static_cast<std::size_t>(k)];
        observables["gap" + contact] = gaps.segment(k, 1);
        observables["contact_velocity" + contact] = velocities.segment(k * directions, directions);
        observables["contact_force" + contact] = integrator.force().segment(k * directions, directions);
        observables["contact_impulse" + contact] = integrator.impulse().segment(k * directions, directions);
    }
    const ContactTotals& totals = integrator.totals();
    const std::pair<const char*, double> scalars[] = {
        {"impacts", totals.impacts},
        {"first_contact_time", totals.first_contact_s},
        {"friction_loss", totals.friction_loss_J},
        {"impact_loss", totals.impact_loss_J},
        {"largest_impulse", totals.largest_impulse_N_s},
        {"largest_force", totals.largest_force_N},
        {"penetration", totals.penetration_m},
        {"energy_balance_error", totals.energy_error_J},
        {"wear_work", totals.wear_work_J},
        {"prox_residual", 0.0},
        {"mean_prox_iterations", 0.0},
        {"prox_iterations_in_a_problem", 0.0},
        {"newton_iterations_in_a_step", 0.0},
    };
    if (totals.damping_loss_J) observables["damping_loss"] = Eigen::VectorXd::Constant(1, *totals.damping_loss_J);
    for (const auto& [name, value] : scalars) observables[name] = Eigen::VectorXd::Constant(1, value);
}

}  // namespace myriad::reference
