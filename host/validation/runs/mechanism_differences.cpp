#include "host/validation/runs/mechanism_differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "host/mechanism/mechanism.hpp"
#include "host/study/study_mechanism.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/status.hpp"

namespace myriad::validation {

namespace {

constexpr int most_newton_iterations = 30;

enum Kind { position, velocity, acceleration, force, energy };
constexpr std::array<const char*, 5> kind_names{"position", "velocity", "acceleration", "force", "energy"};

// After a few steps, and after however many.
constexpr int few_steps = 4;
constexpr double of_positions = 20.0;
constexpr std::array<double, 5> allowed_after_few{of_positions, 8.0 * of_positions, 40.0 * of_positions,
                                                  40.0 * of_positions, 8.0 * of_positions};
constexpr std::array<double, 5> allowed_after_many{2.0 * of_positions, 32.0 * of_positions, 560.0 * of_positions,
                                                   560.0 * of_positions, 32.0 * of_positions};

// Its angular velocity goes on from its own last value: nothing takes an error of e/h out of it again. A random walk of
// them adds up to n sqrt(n/3) e in a position.
constexpr const char* convective = "energy_momentum_convective";
constexpr const char* midpoint_rule = "livens_midpoint";

bool tells_the_way(const std::string& channel) {
    return channel == "newton_iterations" || channel == "constraint_residual" || channel == "velocity_residual";
}

Kind kind_of(const study::DescribedChannel& channel) {
    if (channel.name.starts_with("multiplier.") || channel.unit == "N" || channel.unit == "N m") return force;
    if (channel.unit == "J") return energy;
    if (channel.unit.ends_with("/s^2")) return acceleration;
    return channel.unit.ends_with("/s") ? velocity : position;
}

// The scales of one mechanism.
struct Scales {
    double step_s, length_m, mass_kg, velocity_m_s = 0.0;

    double round_off(Kind kind, const std::string& unit) const {
        const double moved = unit.starts_with("m") ? length_m : std::max(length_m, 1.0);
        switch (kind) {
            case position:
                return moved;
            case velocity:
                return moved / step_s;
            case acceleration:
                return moved / (step_s * step_s);
            case force:
                return mass_kg * length_m * (unit == "N" ? 1.0 : std::max(length_m, 1.0)) / (step_s * step_s);
            default:
                return mass_kg * velocity_m_s * length_m / step_s;
        }
    }
};

Scales scales_of(const study::Study& study) {
    const std::vector<double> parameters = study.task().parameters;
    Scales scales{study.fixed.step_s, parameters[length_scale_parameter], 0.0};
    for (int b = 0; b < study.mechanism->table.bodies; ++b)
        scales.mass_kg += parameters[static_cast<std::size_t>(first_body_parameter + b * body_parameters + body_mass)];
    return scales;
}

// The sign of the nearer of two quaternions of one rotation.
double nearer_sign(const double* a, const double* b) {
    double along = 0.0;
    for (int i = 0; i < 4; ++i) along += a[i] * b[i];
    return along < 0.0 ? -1.0 : 1.0;
}

}  // namespace

const char* const why_so_many_round_offs =
    "20 round-offs of a position, as often as the method repeats them in what follows from it";

const std::vector<MechanismTwin>& mechanism_twins_of_the_catalog() {
    static const std::vector<MechanismTwin> twins{
        {"heavy_top", 1e-3}, {"slider_crank_iftomm", 1e-3}, {"double_pendulum", 2e-3},   {"puma560", 1e-3},
        {"pendulum", 2e-3},  {"four_link", 2e-3},           {"slider_crank_haug", 1e-3}, {"high_speed_rotor", 2e-4}};
    return twins;
}

namespace {

// Body coordinates take none on the chart rotation.
bool has_singular_inertia(const mechanism::Mechanism& mechanism) {
    const std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        const double* j =
            &parameters[static_cast<std::size_t>(first_body_parameter + b * body_parameters + body_inertia)];
        const double determinant = j[0] * (j[1] * j[2] - j[5] * j[5]) - j[3] * (j[3] * j[2] - j[5] * j[4]) +
                                   j[4] * (j[3] * j[5] - j[1] * j[4]);
        if (determinant <= 1e-12 * std::pow(j[0] + j[1] + j[2], 3)) return true;
    }
    return false;
}

}  // namespace

std::vector<TwinMethod> methods_of(const MechanismTwin& twin) {
    const auto mechanism = mechanism::parse_mechanism(mechanism_text(twin.mechanism), twin.mechanism);
    const study::SystemDescription system = study::description_of(*mechanism);
    std::vector<TwinMethod> methods;
    for (const study::IntegratorDescription& integrator : study::integrators_of(system)) {
        const bool is_explicit = !integrator.implicit && !integrator.kinematic;
        // Contact has a case of its own: contact_mechanism_twins.
        if (integrator.contact || integrator.adaptive || (is_explicit && mechanism->table.constraint_rows > 0) ||
            (integrator.kinematic && mechanism->freedoms > 0) ||
            (integrator.energy_momentum && has_singular_inertia(*mechanism)))
            continue;
        for (const study::ChartDescription& chart : study::charts_of(system))
            if (takes(system, integrator, chart)) methods.push_back({integrator.name, chart.name});
    }
    return methods;
}

study::Study twin_study(const MechanismTwin& twin, const TwinMethod& method, int steps) {
    Method keys{
        .integrator = method.integrator, .step_s = twin.step_s, .end_s = steps * twin.step_s, .chart = method.chart};
    const study::IntegratorDescription& integrator = study::find_integrator(method.integrator, "validation");
    keys.tangent_operator = integrator.has_matrix_options() && method.chart == "rotation_vector";
    if (integrator.has_matrix_options() && method.chart == "rotation") keys.iteration_matrix = "exact";
    // The shifted start divides a difference of accelerations by a 64th of the step, and with it their round-off, which
    // the Puma's controllers and the angles of a fast top make many times that of others.
    const bool has_angles = method.chart == "cardan_xyz" || method.chart == "euler_zxz";
    if (integrator.has_matrix_options() &&
        (twin.mechanism == "puma560" || (twin.mechanism == "heavy_top" && has_angles)))
        keys.start = "published";
    if (integrator.implicit || integrator.kinematic)
        keys.newton_tolerance = newton_tolerance_at_round_off, keys.most_newton_iterations = most_newton_iterations;
    Observed observed{twin.step_s, {}};
    const auto mechanism = mechanism::parse_mechanism(mechanism_text(twin.mechanism), twin.mechanism);
    if (method.chart == "rotation" && has_singular_inertia(*mechanism)) keys.coordinates = "joint";
    for (const study::DescribedChannel& channel : study::description_of(*mechanism).channels)
        if (!tells_the_way(channel.name)) observed.channels.push_back(channel.name);
    return study::parse_study(mechanism_study_text(twin.mechanism, keys, observed), "validation", ".");
}

bool ended_at_a_singularity(const TwinMethod& method, const backends::Chunk& ours, const backends::Chunk& theirs) {
    const auto singular = [](const backends::Chunk& chunk) {
        const auto status = static_cast<Status>(chunk.status.front());
        return status == Status::chart_singular || status == Status::newton_stalled;
    };
    if (!method.chart.starts_with("cardan_xyz") && method.chart != "euler_zxz") return false;
    if (method.integrator == "kinematics") return singular(ours) || singular(theirs);
    return singular(ours) && singular(theirs);
}

std::array<Difference, 5> differences_of(const study::Study& study, const backends::Chunk& ours,
                                         const backends::Chunk& theirs) {
    std::array<Difference, 5> differences;
    const auto& allowed =
        study.fixed.step_s * few_steps < study.end_s * (1.0 - 1e-9) ? allowed_after_many : allowed_after_few;
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind)
        differences[kind].channels = kind_names[kind], differences[kind].allowed_round_offs = allowed[kind];
    if (study.integrator.name == convective) {
        const double steps = std::round(study.end_s / study.fixed.step_s);
        double& of_position = differences[position].allowed_round_offs;
        of_position = std::max(of_position, steps * std::sqrt(steps / 3.0));
    }
    // v+ = 2 dq/h - v: what drivers and joints prescribe enters a rate twice in each step.
    if (study.integrator.name == midpoint_rule) differences[velocity].allowed_round_offs *= 2.0;
    if (ours.status != theirs.status || ours.status.front() != static_cast<std::int32_t>(Status::ok)) {
        for (Difference& difference : differences) difference.round_offs = std::numeric_limits<double>::quiet_NaN();
        return differences;
    }
    const std::vector<int> channels = observed_channels(study);
    const std::size_t rows = ours.trajectory.size() / channels.size();
    const auto description = [&](std::size_t column) -> const study::DescribedChannel& {
        return study.system->channel_of(channels[column]);
    };
    std::map<std::string, double> size, distance;
    std::map<std::string, std::string> where, unit;
    Scales scales = scales_of(study);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < channels.size(); ++column) {
            const study::DescribedChannel& channel = description(column);
            const std::string& name = channel.name;
            const double *a = &ours.trajectory[row * channels.size()], *b = &theirs.trajectory[row * channels.size()];
            const auto first =
                column - static_cast<std::size_t>(channels[column] - orientation_channel) % body_channels;
            const double sign = name == "orientation" ? nearer_sign(a + first, b + first) : 1.0;
            const double difference = std::abs(a[column] - sign * b[column]);
            size[name] = std::max(size[name], std::abs(a[column]));
            if (!(difference <= distance[name])) {
                distance[name] = difference;
                where[name] = study.system->scalars[static_cast<std::size_t>(channels[column])].address;
            }
            unit[name] = channel.unit;
            if (channel.unit == "m/s") scales.velocity_m_s = std::max(scales.velocity_m_s, size[name]);
        }
    for (std::size_t column = 0; column < channels.size(); ++column) {
        const std::string& name = description(column).name;
        const Kind kind = kind_of(description(column));
        const double e = std::numeric_limits<double>::epsilon() * (size[name] + scales.round_off(kind, unit[name]));
        Difference& difference = differences[kind];
        const double round_offs = distance[name] / e;
        if (!(round_offs <= difference.round_offs)) difference.round_offs = round_offs, difference.where = where[name];
    }
    return differences;
}

}  // namespace myriad::validation
