// Runs of a mechanism on the reference path in joint coordinates, seen through channels of the kernels.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/backends/reference/reference_channels.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// Rows of the channels at the steps of a run, the start first; expects that it ends well.
inline std::vector<std::vector<double>> reference_rows(const Mechanism& mechanism, const std::string& integrator,
                                                       double step_s, int steps, double spectral_radius,
                                                       const std::vector<int>& observed) {
    const std::vector<double> p = mechanism.nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(mechanism, p);
    reference::MechanismSettings settings;
    settings.integrator = integrator, settings.joint_coordinates = true;
    settings.end_s = steps * step_s, settings.step_s = step_s, settings.spectral_radius = spectral_radius;
    std::vector<std::vector<double>> rows;
    settings.after_step = [&](const reference::MechanismSample& sample) {
        rows.emplace_back();
        for (const int channel : observed)
            rows.back().push_back(backends::reference_channel(mechanism.table, p, model, sample, channel));
    };
    const reference::MechanismResult result = run_reference_mechanism(model, settings);
    EXPECT_EQ(result.status, "ok") << result.reason;
    return rows;
}

}  // namespace myriad::mechanism
