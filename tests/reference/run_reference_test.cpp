#include "host/reference/run_reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "host/catalog/system_description.hpp"
#include "host/reference/contact/nonsmooth_system.hpp"
#include "host/reference/energy_momentum/livens_integrator.hpp"
#include "host/reference/formulation/orientation_chart.hpp"
#include "host/text/user_error.hpp"
#include "tests/reference/livens_models.hpp"

namespace myriad::reference {

namespace {

Settings controlled(double end_s, double absolute_tolerance) {
    Settings settings;
    settings.end_s = end_s;
    settings.control.absolute_tolerance = absolute_tolerance;
    return settings;
}

std::string message(const std::function<void()>& call) {
    try {
        call();
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST(Registry, ListsWhatCanBeRun) {
    // Systems with contact and their methods: tests/contact.
    const auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const std::string& system : reference_systems()) {
        if (is_among(nonsmooth_systems(), system)) continue;
        const bool is_body = system == "heavy_top" || system == "free_rigid_body";
        const Parameters parameters = system == "heavy_top"         ? general_top()
                                      : system == "free_rigid_body" ? general_free_body()
                                      : system == "mass_spring"     ? two_masses_on_springs(factor_of_the_code)
                                                                    : swinging_spring();
        for (const std::string& integrator : reference_integrators()) {
            if (is_among(contact_methods(), integrator)) continue;
            const bool implicit = integrator == "generalized_alpha" || integrator == "implicit_euler";
            const bool keeps_energy = is_livens_method(integrator) || integrator == "energy_momentum_convective";
            const bool of_bodies =
                integrator == "energy_momentum_convective" || integrator.find("hamiltonian") != std::string::npos;
            if (of_bodies && !is_body) continue;
            const std::vector<std::string> charts = implicit       ? orientation_chart_names()
                                                    : keeps_energy ? std::vector<std::string>{"rotation"}
                                                                   : formulation_names();
            for (const std::string& chart : charts) {
                const Result result = run_reference(system, integrator, parameters, fixed_steps(0.1, 0.01, chart));
                EXPECT_EQ(result.status, "ok") << system << ' ' << integrator << ' ' << chart;
                EXPECT_EQ(result.steps_taken, 10);
            }
        }
    }
}

TEST(FixedSteps, EndASpanWithOneShorterStep) {
    const auto steps = [](double end_s) {
        const Result result = run_reference("heavy_top", "rk4", general_top(), fixed_steps(end_s, 0.01));
        EXPECT_EQ(result.final_time_s, end_s);
        return result.steps_taken;
    };
    EXPECT_EQ(steps(0.1), 10);
    EXPECT_EQ(steps(0.105), 11);
    EXPECT_EQ(steps(0.004), 1);
    EXPECT_EQ(steps(0.1 + 1e-12), 10);  // a remainder of 1e-10 steps is none
    EXPECT_EQ(steps(0.1 - 1e-12), 10);
    EXPECT_EQ(steps(0.1 + 1e-10), 11);
}

TEST(FixedSteps, AreObservedEveryNthTimeAndAtTimes) {
    Settings settings = fixed_steps(0.1, 0.01);
    settings.observe_every_steps = 4;
    settings.observation_times_s = {0.025, 0.08};
    const Result result = run_reference("heavy_top", "rk4", general_top(), settings);
    // 0.025 ends a span after 3 steps; step 4 is at 0.035, 8 at 0.075, 9 at 0.08 and the eleventh and last at 0.1.
    std::vector<double> times;
    for (const Sample& sample : result.trajectory) times.push_back(sample.time_s);
    const std::vector<double> expected{0.0, 0.025, 0.035, 0.075, 0.08};
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 1e-15);
    EXPECT_EQ(result.steps_taken, 11);
    EXPECT_EQ(result.trajectory.front().observables.at("angular_velocity")[2], 5.0);
}

TEST(StepControl, HitsTheObservationTimesAndTheEnd) {
    Settings settings = controlled(0.5, 1e-8);
    settings.observation_times_s = {0.0, 0.1, 0.3};
    const Result result = run_reference("heavy_top", "dopri5", general_top(), settings);
    ASSERT_EQ(result.status, "ok") << result.reason;
    ASSERT_EQ(result.trajectory.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(result.trajectory[i].time_s, settings.observation_times_s[i]);
    EXPECT_EQ(result.final_time_s, 0.5);
}

TEST(StepControl, GoesOnAfterAnObservationWithTheStepItHadBefore) {
    // Ten observations clip one step each; a step that had to grow again from a clipped one would cost many more.
    Settings settings = controlled(1.0, 1e-10);
    const Result plain = run_reference("heavy_top", "dopri5", general_top(), settings);
    for (int i = 1; i <= 10; ++i) settings.observation_times_s.push_back(0.0999 * i);
    const Result observed = run_reference("heavy_top", "dopri5", general_top(), settings);
    EXPECT_LE(observed.steps_taken, plain.steps_taken + 11);
}

TEST(StepControl, KeepsTheErrorOfEveryStepBelowTheTolerance) {
    // One step from the initial state, of the length that the control chose, against the converged solution.
    for (const std::string integrator : {"ode23", "dopri5"}) {
        const double tolerance = 1e-8;
        Settings settings = controlled(1.0, tolerance);
        settings.observe_every_steps = 1;
        settings.most_steps = 1;
        const Result result = run_reference("heavy_top", integrator, general_top(), settings);
        ASSERT_EQ(result.status, "step_limit");
        const Result truth = run_reference("heavy_top", "rk67", general_top(),
                                           fixed_steps(result.final_time_s, result.final_time_s / 50));
        const double error = (result.final_velocity - truth.final_velocity).norm() / std::sqrt(6.0);
        EXPECT_LE(error, tolerance) << integrator;
        EXPECT_GE(error, 1e-3 * tolerance) << integrator;  // and the step is not needlessly short
    }
}

TEST(StepControl, MakesTheErrorProportionalToTheTolerance) {
    const Result truth = run_reference("heavy_top", "rk67", general_top(), fixed_steps(1.0, 1e-3));
    for (const std::string integrator : {"ode23", "dopri5"}) {
        const auto error = [&](double tolerance) {
            const Result result = run_reference("heavy_top", integrator, general_top(), controlled(1.0, tolerance));
            return (result.final_velocity - truth.final_velocity).norm();
        };
        const double ratio = error(1e-7) / error(1e-9);
        EXPECT_GE(ratio, 50.0) << integrator;  // 100, but for the steps that do not follow the problem at once
        EXPECT_LE(ratio, 200.0) << integrator;
    }
}

TEST(StepControl, UsesTheRelativeTolerance) {
    Settings loose = controlled(1.0, 1e-10), tight = loose;
    loose.control.relative_tolerance = 1e-6;
    const auto steps = [](const Settings& settings) {
        return run_reference("heavy_top", "dopri5", general_top(), settings).steps_taken;
    };
    // A tolerance larger by about 1e4 makes steps longer by the fifth root of it, 6.3.
    EXPECT_GE(steps(tight), 4 * steps(loose));
}

TEST(Status, NamesTheStepThatTurnsTooFar) {
    const Result result = run_reference("heavy_top", "rk4", fast_top(), fixed_steps(1.0, 0.05));
    EXPECT_EQ(result.status, "step_rotation_too_large");
    EXPECT_EQ(result.steps_taken, 0);
    EXPECT_EQ(result.final_time_s, 0.0);
    EXPECT_EQ(result.final_velocity, Eigen::Vector3d(0.0, 150.0, -4.61538));
}

TEST(Status, NamesTheChartsSingularity) {
    Parameters parameters = general_top();
    set_vector(parameters, "initial_rotation_vector_rad", {0.0, std::numbers::pi / 2, 0.0});
    EXPECT_EQ(run_reference("heavy_top", "rk4", parameters, fixed_steps(1.0, 0.01, "cardan_xyz")).status,
              "chart_singular");
    EXPECT_EQ(run_reference("heavy_top", "rk4", parameters, fixed_steps(1.0, 0.01, "cardan_xyz_body_rate")).status,
              "chart_singular");
    EXPECT_EQ(run_reference("heavy_top", "rk4", parameters, fixed_steps(1.0, 0.01)).status, "ok");
}

TEST(Status, NamesAResultThatIsNotFiniteAndKeepsTheLastGoodState) {
    // Products of such rates overflow in the first stage.
    Parameters parameters = general_free_body();
    set_vector(parameters, "initial_angular_velocity_rad_s", {1e200, -2e200, 1e200});
    Settings settings = fixed_steps(1.0, 0.01, "cardan_xyz_body_rate");
    const Result result = run_reference("free_rigid_body", "rk4", parameters, settings);
    EXPECT_EQ(result.status, "not_finite");
    EXPECT_EQ(result.final_time_s, 0.0);
    EXPECT_EQ(result.final_velocity[3], 1e200);
}

TEST(Status, NamesTheStepThatFellTooLow) {
    Settings settings = controlled(1.0, 1e-12);
    settings.control.smallest_step_s = 1e-2;
    const Result result = run_reference("heavy_top", "dopri5", fast_top(), settings);
    EXPECT_EQ(result.status, "step_too_small");
    EXPECT_GT(result.steps_rejected, 0);
}

TEST(Status, NamesTheStepLimit) {
    Settings settings = fixed_steps(1.0, 0.01);
    settings.most_steps = 40;
    const Result result = run_reference("heavy_top", "rk4", general_top(), settings);
    EXPECT_EQ(result.status, "step_limit");
    EXPECT_EQ(result.steps_taken, 40);
    settings.most_steps = 100;
    EXPECT_EQ(run_reference("heavy_top", "rk4", general_top(), settings).status, "ok");
}

TEST(Status, NamesAParameterThatDescribesNoBody) {
    const auto status = [](const std::string& name, double value) {
        Parameters parameters = general_top();
        parameters[name] = value;
        const Result result = run_reference("heavy_top", "rk4", parameters, fixed_steps(1.0, 0.01));
        EXPECT_NE(result.reason.find(name.substr(0, name.find('.'))), std::string::npos) << result.reason;
        return result.status;
    };
    EXPECT_EQ(status("mass_kg", -1.0), "invalid_parameter");
    EXPECT_EQ(status("mass_kg", 0.0), "invalid_parameter");
    EXPECT_EQ(status("mass_kg", std::nan("")), "invalid_parameter");
    EXPECT_EQ(status("gravity_m_s2", std::numeric_limits<double>::infinity()), "invalid_parameter");
    EXPECT_EQ(status("inertia_kg_m2.zz", -0.1), "invalid_parameter");
    EXPECT_EQ(status("inertia_kg_m2.xy", 2.0), "invalid_parameter");

    Parameters rod = free_rotation();
    rod["inertia_kg_m2.zz"] = 0.0;
    EXPECT_EQ(run_reference("free_rigid_body", "rk4", rod, fixed_steps(1.0, 0.01)).status, "invalid_parameter");
}

TEST(Error, SaysWhatIsWrongWhereAndWhatToDo) {
    const Settings settings = fixed_steps(1.0, 0.01);
    const auto run = [&](const std::string& system, const std::string& integrator, const Parameters& parameters,
                         const Settings& with) {
        return message([&] { run_reference(system, integrator, parameters, with); });
    };
    Parameters missing = general_top(), unknown = general_top();
    missing.erase("mass_kg");
    unknown["mass"] = 1.0;
    EXPECT_NE(run("heavy_top", "rk4", missing, settings).find("mass_kg is missing"), std::string::npos);
    EXPECT_NE(run("heavy_top", "rk4", unknown, settings).find("the parameters are: mass_kg"), std::string::npos);
    EXPECT_NE(run("heavytop", "rk4", general_top(), settings).find("the systems are: heavy_top"), std::string::npos);
    EXPECT_NE(run("heavy_top", "rk5", general_top(), settings).find("the methods are: rk4"), std::string::npos);
    EXPECT_NE(run("heavy_top", "rk4", general_top(), fixed_steps(1.0, 0.01, "euler")).find("the charts are"),
              std::string::npos);
    EXPECT_NE(run("heavy_top", "rk4", general_top(), controlled(1.0, 1e-8)).find("has no step control"),
              std::string::npos);
    EXPECT_NE(run("heavy_top", "dopri5", general_top(), controlled(1.0, 0.0)).find("tolerances"), std::string::npos);
    EXPECT_NE(run("heavy_top", "rk4", general_top(), fixed_steps(1.0, -0.01)).find("step_s"), std::string::npos);
    EXPECT_NE(run("heavy_top", "rk4", general_top(), fixed_steps(std::nan(""), 0.01)).find("end_s"), std::string::npos);
    Settings outside = settings;
    outside.observation_times_s = {0.5, 1.5};
    EXPECT_NE(run("heavy_top", "rk4", general_top(), outside).find("observation_times_s"), std::string::npos);
}

}  // namespace myriad::reference
