// Random bodies without any symmetry on one backend and on the reference path, which shares no code with the kernels:
// every system, chart and integrator of the catalog.
//
// The difference of two final states is the largest over the channels of bodies of |a - b| / s, a and b being the
// vectors of one channel and s the largest of them among all bodies and instances: an instance that happens to be
// nearly at rest has the round-off of its forces all the same. The nearer of the two quaternions of a rotation counts.
// The spans are short and the bodies slow enough that the Cardan angles stay away from their singularity.
#include <algorithm>

#include "host/backends/backends.hpp"
#include "host/catalog/system_description.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

namespace {

constexpr double twins_end_s = 0.1, twins_step_s = 2e-3;
constexpr const char* newton_to_round_off = R"(, "newton_tolerance": 1e-13, "most_newton_iterations": 40)";
// Implicit methods by a reference path that differentiates their equations take a hundred times as long.
constexpr int explicit_instances = 200, implicit_instances = 20;
int instances_of(const study::IntegratorDescription& integrator) {
    return integrator.implicit ? implicit_instances : explicit_instances;
}

struct Range {
    const char* address;
    double low, high;
};
// The ranges of random parameters, where a system has them. The products of inertia are a quarter of the smallest
// moment at most, so that every eigenvalue is positive.
constexpr Range ranges[] = {{"mass_kg", 1.0, 3.0},
                            {"inertia_kg_m2.xx", 0.8, 1.2},
                            {"inertia_kg_m2.yy", 0.9, 1.4},
                            {"inertia_kg_m2.zz", 0.6, 1.0},
                            {"inertia_kg_m2.xy", -0.15, 0.15},
                            {"inertia_kg_m2.xz", -0.15, 0.15},
                            {"inertia_kg_m2.yz", -0.15, 0.15},
                            {"centre_of_mass_m", -0.5, 0.5},
                            {"gravity_m_s2", -10.0, 10.0},
                            {"initial_position_m", -2.0, 2.0},
                            {"initial_rotation_vector_rad", -0.3, 0.3},
                            {"initial_velocity_m_s", -5.0, 5.0},
                            {"initial_angular_velocity_rad_s", -4.0, 4.0}};

std::string parameters(const study::SystemDescription& system) {
    std::string text;
    const auto vary = [&](std::size_t parameter, const Range& range) {
        text += (text.empty() ? "\"" : ", \"") + std::string(system.parameters[parameter].address) +
                R"(": {"uniform": {"low": )" + json_number(range.low) + R"(, "high": )" + json_number(range.high) +
                "}}";
    };
    for (const Range& range : ranges) {
        if (const auto parameter = system.find_parameter(range.address)) vary(*parameter, range);
        for (const std::size_t element : system.vector_parameter(range.address)) vary(element, range);
    }
    return text;
}

// Systems without random bodies, at their defaults but for one spread.
constexpr int instances_of_one_spread = 20;
// Newton's tolerance of 1e-11 and that of the contact laws, 1e-12, in each of the 100 steps.
constexpr double contact_tolerance = 1e-8;
std::string spread_study_text(const study::SystemDescription& system, const study::IntegratorDescription& integrator) {
    const bool is_fast = system.name == "slider_crank_clearance";  // 150 rad/s
    std::string spread;
    for (const study::DescribedParameter& parameter : system.parameters) {
        if (!spread.empty() || parameter.value == 0.0 || parameter.unit != "kg") continue;
        spread = "\"" + parameter.address + R"(": {"uniform": {"low": )" + json_number(0.8 * parameter.value) +
                 R"(, "high": )" + json_number(1.2 * parameter.value) + "}}";
    }
    return R"({"system": ")" + system.name + R"(", "instances": )" + std::to_string(instances_of_one_spread) +
           R"(, "design": {"kind": "monte_carlo", "seed": 20}, "integrator": {"name": ")" + integrator.name +
           R"(", "step_s": )" + (is_fast ? "1e-4" : "0.01") + R"(, "end_s": )" + (is_fast ? "0.01" : "1") +
           (integrator.contact ? "" : newton_to_round_off) + R"(}, "parameters": {)" + spread + "}}";
}

std::string study_text(const study::SystemDescription& system, const std::string& chart,
                       const study::IntegratorDescription& integrator) {
    return R"({"system": ")" + system.name + R"(", "chart": ")" + chart + R"(", "instances": )" +
           std::to_string(instances_of(integrator)) +
           R"(, "design": {"kind": "monte_carlo", "seed": 20}, "integrator": {"name": ")" + integrator.name +
           R"(", "end_s": )" + json_number(twins_end_s) +
           (integrator.adaptive ? R"(, "relative_tolerance": 1e-8, "absolute_tolerance": 1e-8, "initial_step_s": 0.01)"
                                : R"(, "step_s": )" + json_number(twins_step_s)) +
           (integrator.implicit ? newton_to_round_off : "") + R"(}, "parameters": {)" + parameters(system) + "}}";
}

struct Vector {
    std::size_t first, size;  // scalars of a body's state
    bool either_sign;
};
// Position, orientation, velocity, angular velocity.
constexpr std::size_t scalars_of_a_body = 13;
constexpr Vector vectors[] = {{0, 3, false}, {3, 4, true}, {7, 3, false}, {10, 3, false}};

double relative_difference(const backends::Chunk& a, const backends::Chunk& b, const Vector& vector) {
    double largest_squared = 0.0, size_squared = 0.0;
    for (std::size_t body = 0; body < a.final_state.size(); body += scalars_of_a_body) {
        double minus = 0.0, plus = 0.0, square = 0.0;
        for (std::size_t i = 0; i < vector.size; ++i) {
            const std::size_t place = body + vector.first + i;
            const double u = a.final_state[place], v = b.final_state[place];
            minus += (u - v) * (u - v), plus += (u + v) * (u + v), square += u * u;
        }
        const double difference = vector.either_sign ? std::min(minus, plus) : minus;
        if (!(difference <= largest_squared)) largest_squared = difference;
        size_squared = std::max(size_squared, square);
    }
    // A body that cannot turn has no angular velocity.
    return std::sqrt(size_squared > 0.0 ? largest_squared / size_squared : largest_squared);
}

// Rates that are differences of coordinates, 2 (q+ - q)/h - v, carry two round-offs over h in each step, the sign
// alternating, which add up as a random walk does.
bool has_rates_by_difference(const study::SystemDescription& system, const study::IntegratorDescription& integrator) {
    return integrator.name == "energy_momentum" || (!system.has_orientation && integrator.name == "livens_midpoint");
}

// Not a random walk: where the acceleration is constant, every step rounds the velocity the same way, and the two codes
// may round to either side.
Tolerance tolerance_of(const study::SystemDescription& system, const study::IntegratorDescription& integrator,
                       double steps) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    if (integrator.contact)
        return {contact_tolerance, "the tolerances of Newton's method and of the contact laws in 100 steps"};
    if (has_rates_by_difference(system, integrator))
        return {100.0 * 2.0 * epsilon / twins_step_s,
                "two round-offs over the step, a hundred times by steps and motion"};
    if (integrator.implicit)
        return {10.0 * 2.0 * (steps + 10.0) * epsilon,
                "two ulp for each step, ten times by the last corrections of angles"};
    return {2.0 * (steps + 10.0) * epsilon, "two ulp for each step and ten steps more for the start"};
}

// NaN where an instance did not end well, or took another number of steps.
double largest_difference_of_final_states(const FinishedRun& a, const FinishedRun& b) {
    for (std::uint64_t instance = 0; instance < a.chunk.count; ++instance)
        if (!a.ok(instance) || !b.ok(instance) || a.chunk.steps[instance] != b.chunk.steps[instance])
            return std::numeric_limits<double>::quiet_NaN();
    double largest = 0.0;
    for (const Vector& vector : vectors) {
        const double difference = relative_difference(a.chunk, b.chunk, vector);
        if (!(difference <= largest)) largest = difference;
    }
    return largest;
}

}  // namespace

std::vector<Row> twins(const Subject& subject) {
    const std::string other = backends::twin_of(subject.backend);
    const auto twin = backends::make_backend(other, {});
    Rows rows("twins");
    const auto compare = [&](const study::SystemDescription& system, const std::string& on_chart,
                             const study::IntegratorDescription& integrator, const std::string& text) {
        const FinishedRun ours = run_text(text, subject.device), theirs = run_text(text, *twin);
        const auto most_steps = static_cast<double>(*std::ranges::max_element(ours.chunk.steps));
        rows.add(system.name + on_chart + ", " + integrator.name + ": largest relative difference of " +
                     std::to_string(ours.chunk.count),
                 largest_difference_of_final_states(ours, theirs), 0.0, tolerance_of(system, integrator, most_steps),
                 other + " backend");
    };
    for (const study::SystemDescription& system : study::systems()) {
        // A flexible rod takes the reference path minutes: its tests follow it over fewer steps.
        if (system.name.starts_with("slider_crank_flexible")) continue;
        for (const study::IntegratorDescription& integrator : study::integrators_of(system)) {
            if (!system.has_orientation) {
                compare(system, "", integrator, spread_study_text(system, integrator));
                continue;
            }
            for (const study::ChartDescription& chart : study::charts_of(system))
                if (takes(system, integrator, chart))
                    compare(system, " on " + chart.name, integrator, study_text(system, chart.name, integrator));
        }
    }
    return rows.take();
}

}  // namespace myriad::validation
