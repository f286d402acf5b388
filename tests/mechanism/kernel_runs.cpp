#include "tests/mechanism/kernel_runs.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/tree/links.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::mechanism {

namespace {

const char* name_of(Method method) {
    switch (method) {
        case Method::implicit_euler:
            return "implicit_euler";
        case Method::generalized_alpha:
            return "generalized_alpha";
        case Method::kinematics:
            return "kinematics";
        case Method::energy_momentum_convective:
            return "energy_momentum_convective";
        case Method::livens_midpoint:
            return "livens_midpoint";
        case Method::energy_momentum:
            return "energy_momentum";
        case Method::rk4:
            return "rk4";
        case Method::rk67:
            return "rk67";
        case Method::dopri5:
            return "dopri5";
        case Method::ode23:
            return "ode23";
    }
    throw std::logic_error("there is no such method");
}
const char* name_of(OrientationChart chart) {
    switch (chart) {
        case OrientationChart::rotation:
            return "rotation";
        case OrientationChart::rotation_vector:
            return "rotation_vector";
        case OrientationChart::euler_parameters:
            return "euler_parameters";
        case OrientationChart::euler_zxz:
            return "euler_zxz";
        case OrientationChart::cardan_xyz:
            return "cardan_xyz";
    }
    throw std::logic_error("there is no such chart");
}

Schedule schedule_of(const RunSetup& setup) {
    Schedule schedule{};
    schedule.step_s = setup.step_s;
    schedule.end_s = setup.steps * setup.step_s;
    schedule.full_steps = schedule.total_steps = setup.steps;
    schedule.observe_steps = setup.observed.empty() ? 0.0 : 1.0;
    schedule.rows = setup.observed.empty() ? 0.0 : setup.steps + 1.0;
    schedule.most_attempts = 1e15;
    schedule.initial_step_s = schedule.largest_step_s = schedule.end_s,
    schedule.smallest_step_s = 1e-14 * schedule.end_s;
    schedule.relative_tolerance = setup.relative_tolerance, schedule.absolute_tolerance = setup.absolute_tolerance;
    if ((setup.method == Method::dopri5 || setup.method == Method::ode23) && !setup.observed.empty())
        schedule.observe_steps = 0.0, schedule.observe_s = setup.step_s;
    schedule.spectral_radius = setup.spectral_radius;
    schedule.newton_tolerance = setup.newton_tolerance;
    schedule.most_newton_iterations = setup.most_newton_iterations;
    schedule.tangent_operator = setup.tangent_operator ? 1.0 : 0.0;
    schedule.published_start = setup.published_start ? 1.0 : 0.0;
    schedule.exact_matrix = setup.exact_matrix ? 1.0 : 0.0;
    return schedule;
}

backends::Task task_of(const Mechanism& mechanism, const RunSetup& setup) {
    backends::Task task;
    task.system = setup.chart == OrientationChart::rotation ? backends::joint_mechanism_system
                                                            : backends::charted_mechanism_system;
    task.integrator = name_of(setup.method), task.chart = name_of(setup.chart);
    task.schedule = schedule_of(setup);
    PlanTable& plan = task.plan;
    plan.mechanism = &mechanism.table;
    plan.keeps_factors = setup.modified_newton ? 1 : 0;
    plan.varied_count = mechanism.table.parameters;
    for (int i = 0; i < plan.varied_count; ++i) plan.varied[i] = i;
    task.parameters.assign(static_cast<std::size_t>(plan.varied_count), 0.0);
    plan.observed_count = static_cast<int>(setup.observed.size());
    std::copy(setup.observed.begin(), setup.observed.end(), plan.observed_channels);
    plan.quantity_count = static_cast<int>(setup.maxima.size());
    std::fill_n(plan.reductions, plan.quantity_count, Reduction::maximum);
    std::copy(setup.maxima.begin(), setup.maxima.end(), plan.quantity_channels);
    return task;
}

// Part n of values that stand instance by instance.
std::vector<double> part(const std::vector<double>& values, std::size_t n, std::size_t count) {
    const auto size = static_cast<std::ptrdiff_t>(values.size() / count), first = static_cast<std::ptrdiff_t>(n) * size;
    return {values.begin() + first, values.begin() + first + size};
}

// Kernel parameters of the mechanism without joints, whose links are the bodies: those given, of a mechanism with
// joints all but the links'.
std::vector<double> with_bodies_of(const Mechanism& cut, const std::vector<double>& given, bool has_joints) {
    const JointTable& joint = cut.table.joint;
    std::vector<double> values = has_joints ? cut.nominal_kernel_parameters() : given;
    const auto links = static_cast<std::size_t>(joint.link_parameter);
    std::copy_n(given.begin(), std::min(links, given.size()), values.begin());
    for (int b = 0; b < cut.table.bodies; ++b) {
        const auto body = values.begin() + body_parameter(b, 0),
                   link = values.begin() + joint.link_parameter + joint.link_of_body[b] * link_parameter_count;
        link[link_mass] = body[body_mass];
        std::copy_n(body + body_inertia, 6, link + link_inertia);
    }
    return values;
}

}  // namespace

std::vector<InstanceEnd> run_instances(const Mechanism& given, const std::vector<std::vector<double>>& of_given,
                                       const RunSetup& setup) {
    std::shared_ptr<const Mechanism> ran(std::shared_ptr<const void>(), &given);
    std::vector<std::vector<double>> parameters = of_given;
    const JointTable& joint = given.table.joint;
    const bool has_joints = joint.joints > 0 || joint.tree.links == 0;
    if (setup.coordinates == Coordinates::body) {
        if (has_joints) ran = with_joints_cut(ran);
        for (std::vector<double>& values : parameters) values = with_bodies_of(*ran, values, has_joints);
    }
    const Mechanism& mechanism = *ran;
    const std::size_t count = parameters.size();
    backends::StepByStep run(task_of(mechanism, setup), count, backends::columns(parameters, 0, count).data(),
                             setup.width == Width::alone ? 1 : 0);
    while (run.advance(setup.attempts_per_launch)) continue;
    const backends::Chunk chunk = run.chunk();

    std::vector<InstanceEnd> ends;
    for (std::size_t n = 0; n < count; ++n) {
        InstanceEnd end{};
        end.status = static_cast<Status>(chunk.status[n]), end.reason = static_cast<Reason>(chunk.reason[n]);
        end.time_s = chunk.time_s[n], end.steps = static_cast<double>(chunk.steps[n]);
        end.record = run.record(n);
        end.initial_state = part(chunk.initial_state, n, count), end.final_state = part(chunk.final_state, n, count);
        const std::vector<double> drift = part(chunk.invariants_drift, n, count);
        end.energy_drift = drift[0], end.constraint_residual = drift[1], end.velocity_residual = drift[2];
        end.newton_iterations = drift[3], end.most_newton_iterations = drift[4], end.assembly_correction = drift[5];
        end.velocity_correction = drift[6];
        const std::vector<double> initial = part(chunk.invariants_initial, n, count);
        const int told = static_cast<int>(initial[MechanismCertificate::constraint_residual]);
        end.worst_row = std::max(told, 0) - 1, end.weak_place = std::max(-told, 0) - 1;
        const std::vector<double> trajectory = part(chunk.trajectory, n, count);
        const std::size_t rows = setup.observed.empty() ? 0 : trajectory.size() / setup.observed.size();
        for (std::size_t row = 0; row < rows; ++row) end.rows.push_back(part(trajectory, row, rows));
        end.maxima = part(chunk.quantities, n, count);
        ends.push_back(std::move(end));
    }
    return ends;
}

InstanceEnd run_nominal(const Mechanism& mechanism, const RunSetup& setup) {
    return run_instances(mechanism, {mechanism.nominal_kernel_parameters()}, setup).front();
}

std::size_t lanes_of_a_pack() {
    constexpr int fewest = 4;
    return static_cast<std::size_t>(std::max(fewest, backends::cpu_widths().back()));
}

int channel_index(const Mechanism& mechanism, const std::string& name, int component) {
    for (const NamedChannels& channels : mechanism.channels)
        if (channels.name == name && channels.body.empty())
            return 13 * mechanism.table.bodies + channels.first_channel + component;
    throw std::logic_error("there is no channel " + name);
}

std::shared_ptr<const Mechanism> catalog_mechanism(const std::string& name) {
    return read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/mechanisms/" + name + ".json");
}

std::vector<double> with_numbers(const Mechanism& mechanism, const std::map<std::string, double>& numbers) {
    std::vector<double> values;
    std::vector<unsigned char> overridden;
    std::size_t found = 0;
    for (const Number& number : mechanism.numbers) {
        const auto given = numbers.find(number.address);
        values.push_back(given == numbers.end() ? number.value : given->second);
        overridden.push_back(given == numbers.end() ? 0 : 1);
        found += given == numbers.end() ? 0 : 1;
    }
    if (found != numbers.size()) throw std::logic_error("a number of the test is none of the mechanism");
    return mechanism.kernel_parameters(values, overridden);
}

int body_parameter(int body, int offset) { return first_body_parameter + body * body_parameters + offset; }

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
    return true;
}

}  // namespace myriad::mechanism
