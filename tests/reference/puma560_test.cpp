// The reference Puma 560 against the converged values of the facts (A.4).
#include <gtest/gtest.h>

#include "host/catalog/system_description.hpp"
#include "host/reference/run_reference.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

namespace {

Parameters published_parameters() {
    Parameters parameters;
    for (const auto& parameter : study::find_system("puma560", "test").parameters)
        parameters[parameter.address] = parameter.value;
    return parameters;
}
Settings steps_to(double end_s, const std::string& chart = "rotation") {
    Settings settings;
    settings.end_s = end_s, settings.step_s = 1e-4, settings.chart = chart;
    return settings;
}

}  // namespace

TEST(Puma560, MovesToTheConvergedAngles) {
    const double expected[2][6] = {{-1.046221986, 0.719196496, -0.960039701, 0.784892158, 0.980537101, 0.392889476},
                                   {-2.094968161, 1.046731832, -3.490984653, 1.571469498, 1.570708404, 0.785340332}};
    for (int k = 0; k < 2; ++k) {
        const Result result = run_reference("puma560", "rk4", published_parameters(), steps_to(0.5 * (k + 1)));
        ASSERT_EQ(result.status, "ok");
        const Eigen::VectorXd& angles = result.final_observables.at("joint_angle");
        for (int i = 0; i < 6; ++i) EXPECT_NEAR(angles[i], expected[k][i], 1e-9) << i;  // the digits given there
    }
}

TEST(Puma560, HasNoUseForAChartAndRefusesWhatIsNoRobot) {
    const Result group = run_reference("puma560", "rk4", published_parameters(), steps_to(0.01)),
                 chart = run_reference("puma560", "rk4", published_parameters(), steps_to(0.01, "cardan_xyz"));
    EXPECT_EQ(group.final_observables.at("joint_angle"), chart.final_observables.at("joint_angle"));
    EXPECT_THROW(run_reference("puma560", "rk4", published_parameters(), steps_to(0.01, "none")), UserError);
    Parameters parameters = published_parameters();
    parameters["link_3.mass_kg"] = -1.0;
    EXPECT_EQ(run_reference("puma560", "rk4", parameters, steps_to(0.01)).status, "invalid_parameter");
}

}  // namespace myriad::reference
