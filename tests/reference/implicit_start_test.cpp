// The start of implicit methods on the reference path: multipliers of the method's order from the first step on.
#include <gtest/gtest.h>

#include "tests/reference/mechanism_models.hpp"

namespace myriad::reference {

namespace {

// A bar hung on a point that moves, and a spinning one on it, with a torque in time.
MechanismModel driven_double_pendulum() {
    MechanismModel model = spatial_double_pendulum();
    const TimeFunction t = TimeFunction::time();
    model.elements.erase(model.elements.begin());
    const std::array<TimeFunction, 3> motion = {0.2 * sin(7.0 * t) + t, 0.1 * cos(9.0 * t), -3.0 * t * t * t};
    for (int k = 0; k < 3; ++k) {
        ModelElement row;
        row.kind = RowKind::coordinate_difference;
        row.body = {-1, 0};
        row.point = {origin, Eigen::Vector3d(0.2, -0.5, 0.3)};
        row.direction = Eigen::Vector3d::Unit(k);
        row.function = static_cast<int>(model.functions.size());
        model.functions.push_back(motion[static_cast<std::size_t>(k)]);
        model.elements.push_back(row);
    }
    model.functions.push_back(5.0 * sin(12.0 * t));
    const int torque = static_cast<int>(model.functions.size()) - 1;
    model.loads = {{ModelLoadKind::torque_body, 1, origin, {torque, -1, torque}}};
    return model;
}

// The largest distance over all steps of the multipliers from those that the positions and velocities of the step
// determine. These are known to the order of the method, so that the distance is of that order if the multipliers are.
double largest_distance(const MechanismModel& model, MechanismSettings settings) {
    double largest = 0.0;
    settings.after_step = [&](const MechanismSample& sample) {
        const Eigen::VectorXd exact = with_accelerations(model, sample.motion.state).multipliers;
        const double distance = (sample.motion.multipliers - exact).lpNorm<Eigen::Infinity>();
        if (!(distance <= largest)) largest = distance;
    };
    EXPECT_EQ(run_reference_mechanism(model, settings).status, "ok");
    return largest;
}

}  // namespace

TEST(Start, GivesMultipliersTheOrderOfTheMethodFromTheFirstStepOn) {
    struct Method {
        const char* name;
        double spectral_radius, order, order_of_published;
    };
    constexpr double margin = 0.15;  // what the next power of the step adds
    struct Subject {
        MechanismModel model;
        double span_s;  // of 20 steps, whose error is well above the round-off of multipliers, which grows as 1/h^2
        bool has_fast_angles;  // of which no step is small enough
    };
    for (const Subject& subject :
         {Subject{driven_double_pendulum(), 0.02, false}, Subject{spatial_slider_crank(), 0.02, false},
          Subject{fast_top_on_a_joint(), 0.004, true}})
        for (const std::string& chart : orientation_chart_names()) {
            if (subject.has_fast_angles && (chart == "euler_zxz" || chart == "cardan_xyz")) continue;
            for (const Method& method :
                 {Method{"generalized_alpha", 0.9, 2.0, 1.0}, Method{"generalized_alpha", 0.5, 2.0, 1.0},
                  Method{"generalized_alpha", 0.0, 2.0, 1.0}, Method{"implicit_euler", 0.9, 1.0, 0.0}}) {
                const auto order = [&](bool published) {
                    const auto distance = [&](int steps) {
                        MechanismSettings settings =
                            mechanism_settings(method.name, subject.span_s, subject.span_s / steps, chart);
                        settings.spectral_radius = method.spectral_radius, settings.published_start = published;
                        return largest_distance(subject.model, settings);
                    };
                    return std::log2(distance(20) / distance(40));
                };
                EXPECT_GE(order(false), method.order - margin) << chart << ' ' << method.name << method.spectral_radius;
                EXPECT_LE(order(true), method.order_of_published + margin)
                    << chart << ' ' << method.name << method.spectral_radius;
            }
        }
}

}  // namespace myriad::reference
