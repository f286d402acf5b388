// A run on the reference path, with the settings of a run by the kernels.
#pragma once
#include <gtest/gtest.h>

#include "host/backends/reference/reference_channels.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

// The observed channels of all steps, the start first.
inline std::vector<std::vector<double>> reference_rows(const Mechanism& mechanism, const RunSetup& setup) {
    constexpr const char* names[] = {
        "implicit_euler", "generalized_alpha", "kinematics", "", "", "", "rk4", "rk67", "dopri5", "ode23"};
    const std::vector<double> p = mechanism.nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(mechanism, p);
    reference::MechanismSettings settings;
    settings.integrator = names[static_cast<std::size_t>(setup.method)];
    settings.joint_coordinates = setup.coordinates == Coordinates::joint;
    settings.end_s = setup.steps * setup.step_s, settings.spectral_radius = setup.spectral_radius;
    const bool is_adaptive = setup.method == Method::dopri5 || setup.method == Method::ode23;
    if (is_adaptive) {
        settings.control.relative_tolerance = setup.relative_tolerance;
        settings.control.absolute_tolerance = setup.absolute_tolerance;
        settings.control.initial_step_s = settings.control.largest_step_s = settings.end_s;
        settings.control.smallest_step_s = 1e-14 * settings.end_s;
        for (int k = 1; k < setup.steps; ++k) settings.stops_s.push_back(k * setup.step_s);
    } else {
        settings.step_s = setup.step_s;
    }
    std::vector<std::vector<double>> rows;
    double next_s = 0.0;
    settings.after_step = [&](const reference::MechanismSample& sample) {
        if (is_adaptive && sample.motion.state.time_s < next_s - 1e-12 * settings.end_s) return;
        next_s += setup.step_s;
        rows.emplace_back();
        for (const int channel : setup.observed)
            rows.back().push_back(backends::reference_channel(mechanism.table, p, model, sample, channel));
    };
    const reference::MechanismResult result = run_reference_mechanism(model, settings);
    EXPECT_EQ(result.status, "ok") << result.reason;
    return rows;
}

// The largest difference of two such runs, of each channel relative to its largest value or 1.
inline double largest_difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
    double largest = a.size() == b.size() ? 0.0 : 1e300;
    for (std::size_t c = 0; c < (a.empty() ? 0 : a.front().size()); ++c) {
        double scale = 1.0;
        for (const auto& row : a) scale = std::max(scale, std::abs(row[c]));
        for (std::size_t r = 0; r < std::min(a.size(), b.size()); ++r) {
            const double difference = std::abs(a[r][c] - b[r][c]) / scale;
            if (!(difference <= largest)) largest = difference;
        }
    }
    return largest;
}

}  // namespace myriad::mechanism
