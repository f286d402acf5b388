// Mechanism files on the reference path: joint coordinates on the tree that the host chooses against body coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "host/backends/reference/reference_mechanism.hpp"
#include "host/mechanism/mechanism.hpp"
#include "kernels/system/description.hpp"
#include "tests/source_dir.hpp"

namespace myriad::mechanism {

namespace {

struct FileRun {
    std::string name, method;
    double end_s, step_s;
};

// Every channel at the end, extrapolated from two steps.
Eigen::VectorXd converged_channels(const Mechanism& mechanism, const FileRun& run, bool joint) {
    const MechanismTable& table = mechanism.table;
    const std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(mechanism, parameters);
    const auto channels = [&](double step_s) {
        reference::MechanismSettings settings;
        settings.integrator = run.method, settings.joint_coordinates = joint;
        settings.end_s = run.end_s, settings.step_s = step_s;
        const reference::MechanismResult result = run_reference_mechanism(model, settings);
        EXPECT_EQ(result.status, "ok") << run.name << ' ' << result.reason;
        Eigen::VectorXd values(table.bodies * body_channels + table.channels);
        for (int i = 0; i < static_cast<int>(values.size()); ++i) {
            const int of_mechanism = i - table.bodies * body_channels;
            const bool counts_iterations =
                of_mechanism >= 0 && table.channel[of_mechanism].kind == ChannelKind::newton_iterations;
            values[i] = counts_iterations ? 0.0 : backends::reference_channel(table, parameters, model, result.last, i);
        }
        return values;
    };
    return (4.0 * channels(0.5 * run.step_s) - channels(run.step_s)) / 3.0;
}

}  // namespace

TEST(ReferenceTree, GivesEveryChannelOfMechanismFilesAsBodyCoordinatesDo) {
    for (const FileRun& run :
         {FileRun{"double_pendulum", "generalized_alpha", 0.2, 1e-3},
          FileRun{"slider_crank_iftomm", "generalized_alpha", 0.05, 4e-4},
          FileRun{"slider_crank_haug", "kinematics", 0.2, 0.01}, FileRun{"four_link", "kinematics", 0.2, 0.01},
          FileRun{"four_link", "generalized_alpha", 0.1, 1e-3}, FileRun{"puma560", "generalized_alpha", 0.05, 1e-3},
          FileRun{"heavy_top", "generalized_alpha", 0.02, 1e-4},
          FileRun{"four_bar_loop", "generalized_alpha", 0.1, 1e-3},
          FileRun{"high_speed_rotor", "generalized_alpha", 0.01, 1e-4}}) {
        const auto mechanism = read_mechanism(source_dir() / ("ensembles/mechanisms/" + run.name + ".json"));
        const MechanismTable& table = mechanism->table;
        ASSERT_GT(table.joint.tree.links, 0) << run.name;
        const Eigen::VectorXd joint = converged_channels(*mechanism, run, true),
                              body = converged_channels(*mechanism, run, false);
        // The largest value of each kind of channel; the vectors of the bodies are one kind.
        std::map<int, double> largest;
        const auto kind = [&](Eigen::Index i) {
            const auto of_mechanism = i - table.bodies * body_channels;
            return of_mechanism < 0 ? -1 : static_cast<int>(table.channel[of_mechanism].kind);
        };
        for (Eigen::Index i = 0; i < body.size(); ++i)
            largest[kind(i)] = std::max({1.0, largest[kind(i)], std::abs(body[i])});
        for (Eigen::Index i = 0; i < body.size(); ++i)
            // The third order is left.
            EXPECT_NEAR(joint[i], body[i], 1e-5 * largest[kind(i)]) << run.name << ' ' << run.method << ' ' << i;
    }
}

}  // namespace myriad::mechanism
