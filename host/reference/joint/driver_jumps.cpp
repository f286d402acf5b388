#include "host/reference/joint/driver_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// Shares of the sizes of rates and values; as the kernels take them.
constexpr double least_jump_of_rate = 1e-9, least_jump_of_value = 1e-6;
// A rate changes in the moment until a corner is seen; a power of the time until then by some times its slope.
constexpr double moments_unseen = 16.0;
constexpr int most_corners = 8;
constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

std::vector<TimeFunction> functions_of_drivers(const MechanismModel& model) {
    std::vector<TimeFunction> functions;
    for (const ModelElement& element : model.elements) {
        if (element.has_law || element.is_sensor || element.function < 0) continue;
        functions.push_back(model.functions[static_cast<std::size_t>(element.function)]);
    }
    return functions;
}

std::vector<std::vector<int>> branches_of(const std::vector<TimeFunction>& functions, double time_s) {
    std::vector<std::vector<int>> branches;
    for (const TimeFunction& function : functions) branches.push_back(function.branches_at(moment_after(time_s)));
    return branches;
}

}  // namespace

std::optional<FoundJump> first_jump(const MechanismModel& model, double begin_s, double end_s) {
    if (model.branch_time_s == nullptr) return std::nullopt;
    const std::vector<TimeFunction> drivers = functions_of_drivers(model);
    const auto at_end = branches_of(drivers, end_s);
    const double length = std::min(1.0, model.length_scale_m);
    std::optional<FoundJump> first;
    double low = begin_s;
    for (int corner = 0; corner < most_corners && branches_of(drivers, low) != at_end; ++corner) {
        const auto before = branches_of(drivers, low);
        double high = end_s;
        for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
            (branches_of(drivers, middle) == before ? low : high) = middle;
        for (const TimeFunction& driver : drivers) {
            const auto f = with_derivatives(driver.with_branches_of(moment_after(low)), low),
                       g = with_derivatives(driver.with_branches_of(moment_after(high)), high);
            if (std::abs(g[0] - f[0]) > least_jump_of_value * (length + std::abs(f[0]) + std::abs(g[0])))
                throw StepFailure{"invalid_parameter", "the value of a driver jumps"};
            const double accelerations = std::abs(f[2]) + std::abs(g[2]);
            const double size = std::abs(f[1]) + std::abs(g[1]) + (end_s - begin_s) * accelerations;
            const double unseen = moments_unseen * (moment_after(end_s) - end_s) * accelerations;
            if (!first && std::abs(g[1] - f[1]) > least_jump_of_rate * size + unseen) first = {moment_after(low), high};
        }
        low = high;
    }
    return first;
}

std::optional<FoundJump> keep_branches(const MechanismModel& model, double begin_s, double end_s) {
    if (model.branch_time_s == nullptr) return std::nullopt;
    const std::optional<FoundJump> jump = first_jump(model, begin_s, end_s);
    *model.branch_time_s = jump ? jump->before_s : nowhere;
    return jump;
}

JointJump JointEquations::jump_at(const JointState& left) const {
    const VectorXd none = VectorXd::Zero(size()), no_multipliers = VectorXd::Zero(constraint_rows(model_));
    const auto energy_of = [&](const MechanismState& state) {
        const MechanismTerms terms = mechanism_terms(model_, state, no_multipliers);
        return terms.kinetic_energy + terms.potential_energy;
    };
    JointJump jump;
    const double energy_before = energy_of(bodies(left, none).state);
    const VectorXd rates_before = prescribed_motion(left.time_s, 1);
    const double branch_time = *model_.branch_time_s;
    *model_.branch_time_s = nowhere;
    jump.state = placed_on_rows(moved(left, none, left.v, left.time_s));
    const VectorXd rates_after = prescribed_motion(left.time_s, 1);
    jump.change = rates_after - rates_before, jump.mean = 0.5 * (rates_after + rates_before);

    const JointedBodies here = bodies(jump.state, none);
    std::vector<Index> driven;
    for (const Prescribed& one : prescribed_) driven.push_back(one.freedom);
    const std::vector<MatrixXd> jacobians = twin_.jacobians(jump.state.q);
    jump.jacobian_of_drivers = MatrixXd(here.jacobian.rows(), prescribed());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        jump.jacobian_of_drivers.middleRows<6>(6 * model_.tree.bodies[b].body) = jacobians[b](Eigen::all, driven);
    jump.bodies_before = velocity_vector(here.state) - jump.jacobian_of_drivers * jump.change;
    MechanismState before = here.state;
    set_velocity(before, jump.bodies_before);
    jump.work_of_moving_j = energy_of(before) - energy_before;

    const MechanismTerms after_terms = terms(here, VectorXd::Zero(rows_));
    jump.mass = after_terms.mass, jump.jacobian = here.jacobian;
    jump.constraint_jacobian = after_terms.constraint_jacobian;
    jump.load = -(here.jacobian.transpose() * (jump.mass * (jump.jacobian_of_drivers * jump.change)));
    jump.rates = joint_rows(jump.state, here, after_terms).rate;
    jump.mean_phi_t = 0.5 * after_terms.constraint_phi_t;
    *model_.branch_time_s = branch_time;
    jump.mean_phi_t += 0.5 * terms(here, VectorXd::Zero(rows_)).constraint_phi_t;
    *model_.branch_time_s = nowhere;
    return jump;
}

double JointEquations::work_of(const JointJump& jump, const VectorXd& z, const VectorXd& impulses,
                               const VectorXd& loads) const {
    const VectorXd beside = impulses.head(beside_rows_);
    const VectorXd on_bodies = jump.mass * (jump.jacobian * z + jump.jacobian_of_drivers * jump.change) +
                               jump.constraint_jacobian.transpose() * beside - loads;
    VectorXd of_drivers = jump.jacobian_of_drivers.transpose() * on_bodies;
    Index row = beside_rows_;
    for (const Coupled& coupling : couplings_) {
        if (!coupling.is_active) continue;
        const VectorXd gradient = gradient_of(coupling);
        for (Index p = 0; p < prescribed(); ++p)
            of_drivers[p] += gradient[prescribed_[static_cast<std::size_t>(p)].freedom] * impulses[row];
        ++row;
    }
    return jump.work_of_moving_j + of_drivers.dot(jump.mean) + beside.dot(jump.mean_phi_t);
}

std::pair<JointState, double> JointEquations::across_jump(const JointState& left) const {
    const JointJump jump = jump_at(left);
    JointState state = jump.state;
    AccelerationSolution impulse{VectorXd::Zero(size()), VectorXd::Zero(rows_)};
    if (size() > 0) {
        const MatrixXd& J = jump.jacobian;
        const JointedBodies here = bodies(state, VectorXd::Zero(size()));
        const MatrixXd gradient = joint_rows(state, here, terms(here, VectorXd::Zero(rows_))).gradient;
        impulse = solved_accelerations(J.transpose() * jump.mass * J, gradient, jump.load, jump.rates);
    }
    state.v += impulse.acceleration;
    const VectorXd no_loads = VectorXd::Zero(jump.mass.rows());
    return {state, work_of(jump, impulse.acceleration, impulse.multipliers, no_loads)};
}

}  // namespace myriad::reference
