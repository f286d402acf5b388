#include "host/reference/contact/contact_observables.hpp"

#include <limits>

namespace myriad::reference {

void add_contact_observables(const NonsmoothSystem& system, const ContactFormula& integrator,
                             Observables& observables) {
    const ContactSample& now = integrator.contacts();
    const std::vector<std::string> names = system.contact_names();
    const int directions = 1 + system.tangents();
    for (int k = 0; k < system.contacts(); ++k) {
        const std::string contact = names.empty() ? "" : "." + names[static_cast<std::size_t>(k)];
        observables["gap" + contact] = now.gap.segment(k, 1);
        observables["contact_velocity" + contact] = now.velocity.segment(k * directions, directions);
        observables["contact_force" + contact] = now.force.segment(k * directions, directions);
        observables["contact_impulse" + contact] = now.impulse.segment(k * directions, directions);
    }
    const ContactRecord& record = integrator.record();
    const bool has_touched = record.first_contact_s >= 0.0;
    const std::pair<const char*, double> scalars[] = {
        {"impacts", record.impacts},
        {"first_contact_time", has_touched ? record.first_contact_s : std::numeric_limits<double>::quiet_NaN()},
        {"friction_loss", record.friction_loss_j},
        {"impact_loss", record.impact_loss_j},
        {"largest_impulse", record.largest_impulse_N_s},
        {"largest_force", record.largest_force_N},
        {"penetration", record.penetration_m},
        {"energy_balance_error", integrator.energy_error_j()},
        {"wear_work", record.wear_work_j},
        {"prox_residual", 0.0},
        {"mean_prox_iterations", 0.0},
        {"prox_iterations_in_a_problem", 0.0},
        {"newton_iterations_in_a_step", 0.0},
    };
    if (const auto& lost = integrator.damping_loss_j())
        observables["damping_loss"] = Eigen::VectorXd::Constant(1, *lost);
    for (const auto& [name, value] : scalars) observables[name] = Eigen::VectorXd::Constant(1, value);
}

}  // namespace myriad::reference
