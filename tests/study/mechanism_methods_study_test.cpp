// Which settings of a mechanism methods read, and which methods can run it.
#include "host/mechanism/mechanism.hpp"
#include "tests/study/mechanism_texts.hpp"

namespace myriad::study {
namespace {

using nlohmann::json;

TEST(MechanismStudy, PutsItsSettingsIntoTheSchedule) {
    const Schedule plain = parsed(pendulum_study("{}")).task().schedule;
    EXPECT_EQ(plain.spectral_radius, 0.9);
    EXPECT_EQ(plain.newton_tolerance, 1e-10);
    EXPECT_EQ(plain.most_newton_iterations, 12.0);
    EXPECT_EQ(plain.tangent_operator, 0.0);
    EXPECT_EQ(plain.published_start, 0.0);
    const Study told = parsed(pendulum_study(R"({"chart": "euler_parameters", "integrator": {
        "name": "generalized_alpha", "step_s": 0.01, "end_s": 1, "spectral_radius": 0.5, "newton": "modified",
        "tangent_operator": true, "newton_tolerance": 1e-6, "most_newton_iterations": 7, "start": "published"}})"));
    const backends::Task task = told.task();
    EXPECT_EQ(task.system, backends::charted_mechanism_system);
    EXPECT_EQ(task.chart, "euler_parameters");
    EXPECT_EQ(task.plan.mechanism, &task.mechanism->table);
    EXPECT_EQ(task.plan.keeps_factors, 1);
    EXPECT_EQ(task.schedule.spectral_radius, 0.5);
    EXPECT_EQ(task.schedule.newton_tolerance, 1e-6);
    EXPECT_EQ(task.schedule.most_newton_iterations, 7.0);
    EXPECT_EQ(task.schedule.tangent_operator, 1.0);
    EXPECT_EQ(task.schedule.published_start, 1.0);
    EXPECT_EQ(parse_study(told.canonical_json, "again", "").canonical_json, told.canonical_json);
    const Study euler = parsed(pendulum_study(
        R"({"precision": "fp32", "integrator": {"name": "implicit_euler", "step_s": 0.01, "end_s": 1}})"));
    EXPECT_EQ(euler.task().schedule.newton_tolerance, 1e-6);
    const Study driven = parsed(pendulum_study(R"({"integrator": {"name": "kinematics", "step_s": 0.01, "end_s": 1}})",
                                               driven_pendulum_json()));
    EXPECT_EQ(driven.task().schedule.most_newton_iterations, 50.0);
}

// With the step, the span and what is observed.
std::string stepped(const std::string& integrator, const std::string& step, const std::string& end,
                    const std::string& observe = "") {
    return R"({"integrator": {"name": ")" + integrator + R"(", "step_s": )" + step + R"(, "end_s": )" + end + "}" +
           (observe.empty() ? "" : R"(, "observe": {)" + observe + R"(, "channels": ["energy"]})") + "}";
}

TEST(MechanismStudy, DividesASpanThatIsNoMultipleOfTheStepIntoEqualStepsAndSaysSo) {
    for (const char* integrator :
         {"generalized_alpha", "implicit_euler", "energy_momentum_convective", "moreau_midpoint", "nonsmooth_bathe"}) {
        SCOPED_TRACE(integrator);
        const Study study = parsed(pendulum_study(stepped(integrator, "0.01", "1.00001")));
        const Schedule schedule = study.task().schedule;
        EXPECT_EQ(schedule.step_s, 1.00001 / 101.0);
        EXPECT_EQ(schedule.full_steps, 101.0);
        EXPECT_EQ(schedule.total_steps, 101.0);
        EXPECT_EQ(schedule.last_step_s, 0.0);
        EXPECT_EQ(json::parse(study.canonical_json)["integrator"]["step_s"], 1.00001 / 101.0);
        ASSERT_EQ(study.warnings.size(), 1u);
        EXPECT_THAT(study.warnings.front(), has("/integrator/step_s: ", "1.00001 s", "the step 0.01 s",
                                                "101 equal steps of 0.00990108910891 s"));
        // A result file holds the step that was taken, which divides the span.
        const Study again = parse_study(study.canonical_json, "again", "");
        EXPECT_EQ(again.canonical_json, study.canonical_json);
        EXPECT_EQ(again.task().schedule.total_steps, 101.0);
        EXPECT_TRUE(again.warnings.empty());
    }
    const Study whole = parsed(pendulum_study(stepped("generalized_alpha", "0.01", "1")));
    EXPECT_EQ(whole.task().schedule.step_s, 0.01);
    EXPECT_TRUE(whole.warnings.empty());
}

TEST(MechanismStudy, EndsWithAShorterStepWhereNoMultipliersAreSpoilt) {
    json free = pendulum_json();
    free.erase("joints");
    const json driven = driven_pendulum_json();
    for (const auto& [integrator, mechanism] :
         {std::pair{"rk4", free}, {"generalized_alpha", free}, {"kinematics", driven}}) {
        const Study study = parsed(pendulum_study(stepped(integrator, "0.01", "1.001"), mechanism));
        EXPECT_EQ(study.task().schedule.step_s, 0.01) << integrator;
        EXPECT_EQ(study.task().schedule.total_steps, 101.0) << integrator;
        EXPECT_NEAR(study.task().schedule.last_step_s, 0.001, 1e-15) << integrator;
        EXPECT_TRUE(study.warnings.empty()) << integrator;
    }
}

TEST(MechanismStudy, KeepsRowsInSecondsAtTheirTimesBetweenEqualSteps) {
    const Study study = parsed(pendulum_study(stepped("generalized_alpha", "0.03", "1", R"("every_s": 0.1)")));
    const Schedule schedule = study.task().schedule;
    EXPECT_EQ(schedule.step_s, 0.1 / 4.0);
    EXPECT_EQ(schedule.observe_steps, 4.0);
    EXPECT_EQ(schedule.rows, 11.0);
    EXPECT_EQ(schedule.total_steps, 40.0);
    EXPECT_EQ(schedule.last_step_s, 0.0);
    for (std::size_t row = 0; row <= 10; ++row)
        EXPECT_NEAR(study.observation_times_s()[row], 0.1 * static_cast<double>(row), 1e-15) << row;
    EXPECT_EQ(parse_study(study.canonical_json, "again", "").canonical_json, study.canonical_json);
    const Study by_steps = parsed(pendulum_study(stepped("generalized_alpha", "0.03", "1", R"("every_steps": 10)")));
    EXPECT_EQ(by_steps.task().schedule.step_s, 1.0 / 34.0);
    EXPECT_EQ(by_steps.observation.rows, 4u);
}

TEST(MechanismStudy, LeavesAFreeBodyAMethodThatDampsNothing) {
    json free = pendulum_json();
    free.erase("joints");
    const auto of_free_rod = [&](const char* radius) {
        return pendulum_study(R"({"integrator": {"name": "generalized_alpha", "step_s": 0.01, "end_s": 1,
                                  "spectral_radius": )" +
                                  std::string(radius) + "}}",
                              free);
    };
    EXPECT_EQ(parsed(of_free_rod("1")).newton.spectral_radius, 1.0);
    EXPECT_EQ(parsed(pendulum_study(R"({"integrator": {"name": "rk4", "step_s": 0.01, "end_s": 1}})", free)).chart,
              "rotation");
}

}  // namespace
}  // namespace myriad::study
