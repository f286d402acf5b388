#include "bench/problems_by_hand.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "bench/by_hand/clearance_crank.hpp"
#include "bench/by_hand/double_pendulum.hpp"
#include "bench/by_hand/heavy_top.hpp"
#include "bench/by_hand/spatial_slider_crank.hpp"
#include "bench/embedded_by_hand.hpp"
#include "host/study/study.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

namespace {

constexpr double gravity_m_s2 = 9.81;

// lgim Table 3: a symmetric top, its centre of mass on the body's y axis, 1 m from the fixed point.
void prepare_top(double mass, double* p, double* s) {
    const double transverse = 0.234375 + mass, axial = 0.46875;
    const double inertia[] = {transverse, axial, transverse, 0.0, 0.0, 0.0};
    std::copy_n(inertia, 6, p);
    for (int k = 0; k < 6; ++k) p[6 + k] = k < 3 ? 1.0 / inertia[k] : 0.0;
    p[12] = p[14] = 0.0, p[13] = mass * gravity_m_s2;
    const double start[] = {1.0, 0.0, 0.0, 0.0, 0.0, 150.0, -4.61538};
    std::copy_n(start, 7, s);
}
void show_top(double, const double* s, double* shown) {
    shown[0] = 2.0 * (s[1] * s[2] - s[0] * s[3]);
    shown[1] = 1.0 - 2.0 * (s[1] * s[1] + s[3] * s[3]);
    shown[2] = 2.0 * (s[2] * s[3] + s[0] * s[1]);
}

// The mechanism of ensembles/mechanisms/double_pendulum.json, by the length of its lower rod.
constexpr double upper_length_m = 4.0;
void prepare_pendulum(double lower, double* p, double* s) {
    constexpr double width = 0.05, mass_per_length = 7800.0 * width * width;
    const double upper_mass = mass_per_length * upper_length_m, lower_mass = mass_per_length * lower;
    const auto inertia = [](double mass, double length) { return mass * (length * length + width * width) / 12.0; };
    p[0] = inertia(upper_mass, upper_length_m) + (0.25 * upper_mass + lower_mass) * upper_length_m * upper_length_m;
    p[1] = inertia(lower_mass, lower) + 0.25 * lower_mass * lower * lower;
    p[2] = 0.5 * lower_mass * upper_length_m * lower;
    p[3] = gravity_m_s2 * upper_length_m * (0.5 * upper_mass + lower_mass);
    p[4] = 0.5 * gravity_m_s2 * lower * lower_mass;
    s[0] = 0.0, s[1] = -0.5 * std::numbers::pi, s[2] = s[3] = 0.0;
}
void show_pendulum(double lower, const double* s, double* shown) {
    shown[0] = upper_length_m * std::cos(s[0]) + lower * std::cos(s[1]);
    shown[1] = upper_length_m * std::sin(s[0]) + lower * std::sin(s[1]);
}

// The mechanism of ensembles/mechanisms/slider_crank_iftomm.json, by the mass of its slider.
constexpr double crank_m = 0.08, rod_m = 0.3, pivot_y_m = 0.1, pivot_z_m = 0.12;
void prepare_slider_crank(double slider_mass, double* p, double* s) {
    constexpr double crank_mass = 0.12, rod_mass = 0.5, crank_inertia = 1e-4, axial = 4e-4, transverse = 4e-3;
    const double carried = 0.25 * rod_mass + transverse / (rod_m * rod_m);
    p[0] = crank_m, p[1] = rod_m, p[2] = pivot_y_m, p[3] = pivot_z_m;
    p[4] = crank_inertia + 0.25 * crank_mass * crank_m * crank_m + carried * crank_m * crank_m;
    p[5] = slider_mass + carried, p[6] = axial;
    p[7] = 0.5 * gravity_m_s2 * crank_m * (crank_mass + rod_mass);
    s[0] = 0.0, s[1] = 6.0;
}
void show_slider_crank(double, const double* s, double* shown) {
    const double p[] = {crank_m, rod_m, pivot_y_m, pivot_z_m, 0.0, 0.0, 0.0, 0.0};
    shown[0] = s[0], shown[1] = by_hand::SpatialSliderCrank(p).slider_position(s[0]);
}

// nonsmooth Table 1, by the coefficient of friction.
void prepare_clearance_crank(double friction, double* p, double* s) {
    constexpr double crank = 0.153, rod = 0.306, crank_mass = 0.038, rod_mass = 0.038, slider_mass = 0.076;
    const double carried = 0.5 * rod_mass + slider_mass;
    const double values[] = {crank,
                             rod,
                             0.05,
                             0.025,
                             0.001,
                             7.4e-5 + crank * crank * (0.25 * crank_mass + rod_mass + slider_mass),
                             5.9e-4 + rod * rod * (0.25 * rod_mass + slider_mass),
                             2.7e-6,
                             carried * crank * rod,
                             gravity_m_s2 * crank * (0.5 * crank_mass + rod_mass + slider_mass),
                             gravity_m_s2 * rod * carried,
                             friction,
                             0.4};
    std::copy_n(values, 13, p);
    const double start[] = {0.0, 0.0, 0.0, 150.0, -75.0, 0.0};
    std::copy_n(start, 6, s);
}
void show_clearance_crank(double, const double* s, double* shown) { std::copy_n(s, 3, shown); }

template <class Problem>
constexpr ProblemByHand with_kernel(ProblemByHand problem) {
    problem.parameters = Problem::parameters, problem.fields = Problem::fields;
    problem.advance = &by_hand::advance<Problem>;
    return problem;
}

const ProblemByHand all_problems[] = {
    with_kernel<by_hand::HeavyTop>(
        {"heavy_top", "HeavyTop", R"("system": "heavy_top", "chart": "euler_parameters")",
         R"("mass_kg": {"normal": {"mean": 15.0, "standard_deviation": 0.15}})", "rk4",
         R"("x": {"final": "position.top.x"}, "y": {"final": "position.top.y"}, "z": {"final": "position.top.z"})",
         1e-4, 1000, 0, 0, 3, prepare_top, show_top, nullptr}),
    with_kernel<by_hand::DoublePendulum>(
        {"double_pendulum", "DoublePendulum", "double_pendulum",
         R"("parameters.lower_length_m": {"normal": {"mean": 2.0, "standard_deviation": 0.02}})", "rk4",
         R"("y": {"final": "tip.y"}, "z": {"final": "tip.z"})", 1e-3, 1000, 0, 0, 2, prepare_pendulum, show_pendulum,
         nullptr}),
    with_kernel<by_hand::SpatialSliderCrank>(
        {"spatial_slider_crank", "SpatialSliderCrank", "slider_crank_iftomm",
         R"("bodies.slider.mass_kg": {"normal": {"mean": 2.0, "standard_deviation": 0.02}})", "rk4",
         R"("angle": {"final": "crank_angle"}, "slider": {"final": "slider"})", 1e-3, 500, 0, 0, 2,
         prepare_slider_crank, show_slider_crank, nullptr}),
    with_kernel<by_hand::ClearanceCrank>(
        {"clearance_crank", "ClearanceCrank", R"("system": "slider_crank_clearance")",
         R"("friction": {"uniform": {"low": 0.0, "high": 0.1}})", "moreau_midpoint",
         R"("crank": {"final": "angle.x"}, "rod": {"final": "angle.y"}, "slider": {"final": "angle.z"})", 1e-5, 2000, 0,
         0, 3, prepare_clearance_crank, show_clearance_crank, nullptr}),
};

// Without what only a file of its own needs.
std::string text_of(const std::string& file) {
    for (int i = 0; i < embedded_by_hand_file_count; ++i) {
        if (embedded_by_hand_files[i].name != "bench/by_hand/" + file) continue;
        std::istringstream lines(embedded_by_hand_files[i].text);
        std::string text, line;
        while (std::getline(lines, line))
            if (!line.starts_with("#pragma once") && !line.starts_with("#include \"bench/")) text += line + "\n";
        return text;
    }
    throw std::logic_error("the program lacks bench/by_hand/" + file);
}

}  // namespace

std::span<const ProblemByHand> problems_by_hand() { return all_problems; }

study::Study study_of(const ProblemByHand& problem, std::uint64_t instances, int steps) {
    std::ostringstream text;
    const bool is_system = problem.subject[0] == '"';
    text << "{" << (is_system ? problem.subject : validation::mechanism_subject(problem.subject, "joint"))
         << R"(, "integrator": {"name": ")" << problem.integrator << R"(", "step_s": )" << problem.step_s
         << R"(, "end_s": )" << problem.step_s * steps << R"(}, "instances": )" << instances
         << R"(, "design": {"kind": "monte_carlo", "seed": 1}, "parameters": {)" << problem.varied
         << R"(}, "quantities": {)" << problem.quantities << "}}";
    return study::parse_study(text.str(), "bench", std::filesystem::path());
}

backends::KernelByHand kernel_of(const ProblemByHand& problem) {
    const std::string bounds = std::to_string(backends::threads_by_hand) + ", 4";
    return {"by_hand", text_of("launch.hpp") + text_of(std::string(problem.name) + ".hpp") +
                           R"(extern "C" __global__ void __launch_bounds__()" + bounds + R"()
by_hand(const double* parameters, double* state, unsigned long long instances, double step_s, long long steps) {
    const unsigned long long i = 1ull * blockDim.x * blockIdx.x + threadIdx.x;
    if (i < instances) myriad::by_hand::advance<myriad::by_hand::)" +
                           problem.type + R"(>(parameters, state, instances, i, step_s, steps);
}
)"};
}

PreparedByHand prepare(const ProblemByHand& problem, const study::Study& study) {
    const std::uint64_t n = study.instances;
    PreparedByHand prepared;
    prepared.varied.resize(n);
    study.sampler().sample(0, n, prepared.varied.data());
    prepared.parameters.resize(static_cast<std::size_t>(problem.parameters) * n);
    prepared.state.resize(static_cast<std::size_t>(problem.fields) * n);
    std::vector<double> p(static_cast<std::size_t>(problem.parameters)), s(static_cast<std::size_t>(problem.fields));
    for (std::uint64_t i = 0; i < n; ++i) {
        problem.prepare(prepared.varied[i], p.data(), s.data());
        for (std::size_t k = 0; k < p.size(); ++k) prepared.parameters[k * n + i] = p[k];
        for (std::size_t k = 0; k < s.size(); ++k) prepared.state[k * n + i] = s[k];
    }
    return prepared;
}

void advance(const ProblemByHand& problem, PreparedByHand& prepared, int steps) {
    const std::uint64_t n = prepared.varied.size();
    for (std::uint64_t i = 0; i < n; ++i)
        problem.advance(prepared.parameters.data(), prepared.state.data(), n, i, problem.step_s, steps);
}

double largest_difference(const ProblemByHand& problem, const PreparedByHand& prepared, std::span<const double> state,
                          const Finished& finished) {
    const std::uint64_t n = prepared.varied.size();
    const auto shown = static_cast<std::size_t>(problem.shown);
    std::vector<double> own(static_cast<std::size_t>(problem.fields)), seen(shown);
    double largest = 0.0;
    std::uint64_t i = 0;
    for (const backends::Chunk& chunk : finished.chunks)
        for (std::uint64_t k = 0; k < chunk.count; ++k, ++i) {
            for (std::size_t field = 0; field < own.size(); ++field) own[field] = state[field * n + i];
            problem.show(prepared.varied[i], own.data(), seen.data());
            for (std::size_t q = 0; q < shown; ++q) {
                const double difference = std::fabs(seen[q] - chunk.quantities[k * shown + q]);
                if (std::isnan(difference)) return difference;
                largest = std::max(largest, difference);
            }
        }
    if (i != n) throw std::logic_error("the program has other instances than the kernel by hand");
    return largest;
}

}  // namespace myriad::bench
