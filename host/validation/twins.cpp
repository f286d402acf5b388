// Random bodies without any symmetry on one backend and on the reference path, which shares no code with the kernels:
// every system, chart and integrator of the catalog.
//
// The difference of two final states is the largest over the channels of a body of |a - b| / s, a and b being the
// vectors of one channel and s the largest of them among all instances: an instance that happens to be nearly at rest
// has the round-off of its forces all the same. Of the two quaternions of a rotation the nearer one counts. The spans
// are short and the bodies slow enough that the Cardan angles stay away from their singularity.
#include <algorithm>

#include "host/backends/backend.hpp"
#include "host/study/system_description.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/finished_run.hpp"

namespace myriad::validation {

namespace {

constexpr double end_s = 0.1;

std::string uniform(const char* address, double low, double high) {
    return std::string("\"") + address + R"(": {"uniform": {"low": )" + json_number(low) + R"(, "high": )" +
           json_number(high) + "}}";
}

std::string parameters(const std::string& system) {
    std::string text = uniform("mass_kg", 1.0, 3.0);
    const auto also = [&](const std::string& address, double low, double high) {
        text += ", " + uniform(address.c_str(), low, high);
    };
    // The least eigenvalue is positive: the products are a quarter of the smallest moment.
    also("inertia_kg_m2.xx", 0.8, 1.2), also("inertia_kg_m2.yy", 0.9, 1.4), also("inertia_kg_m2.zz", 0.6, 1.0);
    for (const char* product : {"xy", "xz", "yz"}) also(std::string("inertia_kg_m2.") + product, -0.15, 0.15);
    for (const char* axis : {"[0]", "[1]", "[2]"}) {
        also(std::string("initial_rotation_vector_rad") + axis, -0.3, 0.3);
        also(std::string("initial_angular_velocity_rad_s") + axis, -4.0, 4.0);
        if (system == "heavy_top") also(std::string("centre_of_mass_m") + axis, -0.5, 0.5);
        if (system != "free_rigid_body") continue;
        also(std::string("gravity_m_s2") + axis, -10.0, 10.0);
        also(std::string("initial_position_m") + axis, -2.0, 2.0);
        also(std::string("initial_velocity_m_s") + axis, -5.0, 5.0);
    }
    return text;
}

std::string study_text(const std::string& system, const std::string& chart,
                       const study::IntegratorDescription& integrator) {
    return R"({"system": ")" + system + R"(", "chart": ")" + chart +
           R"(", "instances": 200, "design": {"kind": "monte_carlo", "seed": 20}, "integrator": {"name": ")" +
           integrator.name + R"(", "end_s": )" + json_number(end_s) +
           (integrator.adaptive ? R"(, "relative_tolerance": 1e-8, "absolute_tolerance": 1e-8, "initial_step_s": 0.01)"
                                : R"(, "step_s": 2e-3)") +
           R"(}, "parameters": {)" + parameters(system) + "}}";
}

struct Vector {
    std::size_t first, size;  // scalars of the state
    bool either_sign;
};
// Position, orientation, velocity, angular velocity.
constexpr Vector vectors[] = {{0, 3, false}, {3, 4, true}, {7, 3, false}, {10, 3, false}};

double relative_difference(const backends::Chunk& a, const backends::Chunk& b, const Vector& vector) {
    double largest_squared = 0.0, size_squared = 0.0;
    const std::size_t channels = a.final_state.size() / a.count;
    for (std::uint64_t instance = 0; instance < a.count; ++instance) {
        double minus = 0.0, plus = 0.0, square = 0.0;
        for (std::size_t i = 0; i < vector.size; ++i) {
            const std::size_t place = instance * channels + vector.first + i;
            const double u = a.final_state[place], v = b.final_state[place];
            minus += (u - v) * (u - v), plus += (u + v) * (u + v), square += u * u;
        }
        const double difference = vector.either_sign ? std::min(minus, plus) : minus;
        if (!(difference <= largest_squared)) largest_squared = difference;
        size_squared = std::max(size_squared, square);
    }
    return std::sqrt(largest_squared / size_squared);
}

// Not a random walk: where the acceleration is constant, every step rounds the velocity the same way, and the two codes
// may round to either side.
double round_off_of(double steps) { return 2.0 * (steps + 10.0) * std::numeric_limits<double>::epsilon(); }

// NaN where an instance did not end well, or took another number of steps.
double largest_difference(const FinishedRun& a, const FinishedRun& b) {
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
    const std::string other = subject.backend == "reference" ? "cpu" : "reference";
    const auto twin = backends::make_backend(other, {});
    Rows rows("twins");
    for (const study::SystemDescription& system : study::systems())
        for (const study::ChartDescription& chart : study::charts())
            for (const study::IntegratorDescription& integrator : study::integrators()) {
                const std::string text = study_text(system.name, chart.name, integrator);
                const FinishedRun ours = run_text(text, subject.device), theirs = run_text(text, *twin);
                const auto most_steps =
                    static_cast<double>(*std::max_element(ours.chunk.steps.begin(), ours.chunk.steps.end()));
                rows.add(
                    system.name + " on " + chart.name + ", " + integrator.name + ": largest relative difference of 200",
                    largest_difference(ours, theirs), 0.0,
                    {round_off_of(most_steps), "two ulp for each step and ten steps more for the start"},
                    other + " backend");
            }
    return rows.take();
}

}  // namespace myriad::validation
