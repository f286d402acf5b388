// Good studies: what the reader makes of them.
#include "host/study/study.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/math/norm.hpp"
#include "tests/source_dir.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Study, FillsInTheDefaults) {
    const Study study = parsed(R"({"system": "heavy_top", "instances": 3,
                                   "integrator": {"name": "rk4", "step_s": 0.25, "end_s": 1}})");
    EXPECT_EQ(study.chart, "rotation");
    EXPECT_EQ(study.precision, backends::Precision::fp64);
    EXPECT_EQ(study.design, "monte_carlo");
    EXPECT_EQ(study.seed, 1u);
    EXPECT_EQ(study.on_failure, OnFailure::proceed);
    EXPECT_EQ(study.allowed_failed_share, 0.0);
    EXPECT_THAT(study.parameters, SizeIs(study.system->parameters.size()));
    EXPECT_EQ(study.parameters[*study.system->find_parameter("mass_kg")], 15.0);
    EXPECT_TRUE(study.varied.empty());
    EXPECT_TRUE(study.observation_times_s().empty());
    EXPECT_TRUE(study.warnings.empty());
    EXPECT_EQ(study.task().plan.varied_count, 0);
}

TEST(Study, CutsDexpInverseUnlessItAsksForAllOfIt) {
    const auto with = [](const std::string& name, const std::string& more) {
        return R"("integrator": {"name": ")" + name + R"(", "end_s": 1)" + more + "}";
    };
    const std::string fixed = R"(, "step_s": 0.1)",
                      adaptive = R"(, "relative_tolerance": 0, "absolute_tolerance": 1e-6)";
    for (const auto& [name, keys] : {std::pair{"rk4", fixed}, {"ode23", adaptive}}) {
        const Study cut = parsed(changed("{" + with(name, keys) + "}")),
                    full = parsed(changed("{" + with(name, keys + R"(, "dexp_inverse": "full")") + "}"));
        EXPECT_EQ(cut.task().schedule.full_dexp_inverse, 0.0) << name;
        EXPECT_EQ(full.task().schedule.full_dexp_inverse, 1.0) << name;
        EXPECT_EQ(nlohmann::json::parse(cut.canonical_json)["integrator"]["dexp_inverse"], "cut");
        EXPECT_EQ(parse_study(full.canonical_json, "again", "").canonical_json, full.canonical_json);
    }
    const Study quaternions = parsed(changed(R"({"chart": "euler_parameters", )" + with("rk4", fixed) + "}"));
    EXPECT_FALSE(nlohmann::json::parse(quaternions.canonical_json)["integrator"].contains("dexp_inverse"));
}

TEST(Study, PlansParametersQuantitiesAndObservations) {
    const Study study = parsed(changed(R"({
        "parameters": {"mass_kg": {"normal": {"mean": 15, "standard_deviation": 1}},
                       "initial_angular_velocity_rad_s": [1, {"uniform": {"low": 2, "high": 3}}, -4],
                       "centre_of_mass_m[1]": 2},
        "observe": {"every_steps": 25, "channels": ["orientation", "position.top.y"]},
        "quantities": {"b_J": {"final": "energy"},
                       "a_s": {"first_time_below": {"channel": "position.top.z", "threshold": -0.5}}}})"));
    const backends::Task task = study.task();
    EXPECT_EQ(task.system, "heavy_top");
    EXPECT_EQ(task.integrator, "rk4");
    ASSERT_EQ(task.plan.varied_count, 2);
    EXPECT_EQ(task.plan.varied[0], 0);
    EXPECT_EQ(task.plan.varied[15], 1);
    for (const int constant : {1, 2, 14, 16, 31}) EXPECT_EQ(task.plan.varied[constant], -1);
    EXPECT_EQ(task.parameters[2], 2.0);
    EXPECT_EQ(task.parameters[14], 1.0);
    EXPECT_EQ(task.parameters[16], -4.0);
    EXPECT_THAT(study.sampler().addresses(), ElementsAre("mass_kg", "initial_angular_velocity_rad_s[1]"));
    EXPECT_EQ(study.varied[1].unit, "rad/s");

    ASSERT_EQ(task.plan.quantity_count, 2);
    EXPECT_EQ(study.quantities[0].name, "a_s");
    EXPECT_EQ(study.quantities[0].unit, "s");
    EXPECT_EQ(study.quantities[1].unit, "J");
    EXPECT_EQ(task.plan.reductions[0], Reduction::first_time_below);
    EXPECT_EQ(task.plan.reductions[1], Reduction::final);
    EXPECT_EQ(task.plan.quantity_channels[0], 2);
    EXPECT_EQ(task.plan.quantity_channels[1], 13);
    EXPECT_THAT(task.thresholds, ElementsAre(-0.5, 0.0));

    ASSERT_EQ(task.plan.observed_count, 5);
    EXPECT_EQ(task.plan.observed_channels[0], 3);
    EXPECT_EQ(task.plan.observed_channels[4], 1);
    EXPECT_EQ(task.schedule.rows, 5.0);
    EXPECT_EQ(task.schedule.observe_steps, 25.0);
    EXPECT_THAT(study.observation_times_s(), ElementsAre(0.0, 0.25, 0.5, 0.75, 1.0));
}

TEST(Study, PlansNormsWindowsAndProbabilities) {
    const Study study = parsed(changed(R"({"quantities": {
        "a_m_s": {"max": "velocity.top.norm", "from_s": 0.25, "to_s": 0.5, "probability": {"above": 3}},
        "b": {"mean": "angular_momentum.norm", "to_s": 1},
        "c": {"final": "tilt", "probability": {"below": 0.5}}},
        "observe": {"every_steps": 25, "channels": ["position.top.norm", "velocity"]}})"));
    EXPECT_EQ(study.quantities[0].unit, "m/s");
    ASSERT_TRUE(study.quantities[0].window);
    EXPECT_EQ(study.quantities[0].window->from_s, 0.25);
    EXPECT_EQ(text_of(*study.quantities[0].event), "above 3");
    EXPECT_FALSE(study.quantities[1].window);  // the whole span
    EXPECT_FALSE(study.quantities[1].event);
    EXPECT_EQ(text_of(*study.quantities[2].event), "below 0.5");
    const backends::Task task = study.task();
    const int velocity = task.plan.quantity_channels[0];
    EXPECT_EQ(norm_components(velocity), 3);
    EXPECT_EQ(first_of_norm(velocity), study.system->scalar_channel("velocity.top.x", "here"));
    EXPECT_EQ(task.plan.windowed[0], 1);
    EXPECT_EQ(task.plan.windowed[1], 0);
    // The steps 25 and 50 count, whose times carry the rounding of a product.
    EXPECT_LE(task.windows[0], 25 * 0.01);
    EXPECT_GE(task.windows[1], 50 * 0.01);
    EXPECT_NEAR(task.windows[0], 0.25, 1e-15);
    EXPECT_NEAR(task.windows[1], 0.5, 1e-15);
    ASSERT_EQ(task.plan.observed_count, 4);
    EXPECT_TRUE(is_norm(task.plan.observed_channels[0]));
    EXPECT_EQ(study.observation.groups[0].unit, "m");

    // The reader's own text gives the same study; what is asked of a quantity afterwards does not change its values.
    const auto fingerprint = [](const std::string& quantity) {
        return parsed(changed(R"({"quantities": {"a": )" + quantity + "}}")).fingerprint();
    };
    EXPECT_EQ(parsed(study.canonical_json).canonical_json, study.canonical_json);
    EXPECT_EQ(fingerprint(R"({"max": "tilt", "probability": {"above": 3}})"), fingerprint(R"({"max": "tilt"})"));
    EXPECT_EQ(fingerprint(R"({"max": "tilt", "from_s": 0, "to_s": 1})"), fingerprint(R"({"max": "tilt"})"));
    EXPECT_NE(fingerprint(R"({"max": "tilt", "from_s": 0.5})"), fingerprint(R"({"max": "tilt"})"));
    EXPECT_EQ(fingerprint(R"({"max": "tilt", "between": "interpolated"})"), fingerprint(R"({"max": "tilt"})"));
    EXPECT_NE(fingerprint(R"({"max": "tilt", "between": "steps"})"), fingerprint(R"({"max": "tilt"})"));
}

TEST(Study, TakesTheRowsOfATableForIndependentOnlyWhereItsDesignSaysSo) {
    const auto basis = [](const std::string& design) {
        const std::string text = table_study("mass_kg\n2\n4\n", design);
        return parse_study(text, "study.json", table_folder()).sampler().intervals().basis;
    };
    EXPECT_EQ(basis(R"({"kind": "table", "file": "table.csv"})"), IntervalBasis::undeclared);
    EXPECT_EQ(basis(R"({"kind": "table", "file": "table.csv", "independent": false})"), IntervalBasis::undeclared);
    EXPECT_EQ(basis(R"({"kind": "table", "file": "table.csv", "independent": true})"), IntervalBasis::independent);
}

TEST(Study, EndsASpanThatIsNoMultipleWithAShorterStep) {
    const auto schedule = [](const std::string& step, const std::string& end) {
        return parsed(changed(R"({"integrator": {"name": "rk4", "step_s": )" + step + R"(, "end_s": )" + end + "}}"))
            .task()
            .schedule;
    };
    const Schedule rest = schedule("0.3", "1");
    EXPECT_EQ(rest.full_steps, 3.0);
    EXPECT_EQ(rest.total_steps, 4.0);
    EXPECT_EQ(rest.last_step_s, 1.0 - 3.0 * 0.3);
    // 0.1 and 1e-7 are no binary fractions: the quotients miss the whole numbers by round-off.
    for (const auto& [step, end, steps] : {std::tuple{"0.1", "0.3", 3.0},
                                           {"1e-7", "1", 1e7},
                                           {"1e-4", "1", 1e4},
                                           {"0.7", "0.7", 1.0},
                                           {"1e-9", "1000", 1e12}}) {
        const Schedule whole = schedule(step, end);
        EXPECT_EQ(whole.full_steps, steps) << step;
        EXPECT_EQ(whole.total_steps, steps) << step;
        EXPECT_EQ(whole.last_step_s, 0.0) << step;
    }
}

TEST(Study, ObservesAFixedStepMethodBySecondsToo) {
    const Study study = parsed(changed(R"({"observe": {"every_s": 0.3, "channels": ["energy"]}})"));
    EXPECT_EQ(study.task().schedule.observe_steps, 30.0);
    EXPECT_EQ(study.observation.rows, 4u);
    EXPECT_EQ(study.task().schedule.observe_s, 0.0);
}

TEST(Study, RowsOfAnAdaptiveMethodEndWhereTheKernelMeetsThem) {
    for (const char* precision : {"fp64", "fp32"}) {
        for (const auto& [end, every, rows] : {std::tuple{"0.3", "0.1", 4.0},
                                               {"1", "0.1", 11.0},
                                               {"0.7", "0.7", 2.0},
                                               {"1", "0.3", 4.0},
                                               {"2", "0.001", 2001.0}}) {
            const Schedule schedule = parsed(changed(std::string(R"({"precision": ")") + precision +
                                                     R"(", "integrator": {"name": "dopri5", "end_s": )" + end +
                                                     R"(, "relative_tolerance": 1e-5, "absolute_tolerance": 1e-5},
                                  "observe": {"every_s": )" +
                                                     every + R"(, "channels": ["energy"]}})"))
                                          .task()
                                          .schedule;
            EXPECT_EQ(schedule.rows, rows) << precision << every;
            const double last = rows - 1.0;
            const bool reached = std::string(precision) == "fp64"
                                     ? last * schedule.observe_s <= schedule.end_s
                                     : static_cast<float>(last) * static_cast<float>(schedule.observe_s) <=
                                           static_cast<float>(schedule.end_s);
            EXPECT_TRUE(reached) << precision << every;
        }
    }
}

TEST(Study, AdaptiveMethodsHaveDefaults) {
    const auto schedule = [](const std::string& precision) {
        return parsed(changed(R"({"precision": ")" + precision +
                              R"(", "integrator": {"name": "ode23", "end_s": 2, "relative_tolerance": 1e-4,
                                                   "absolute_tolerance": 1e-5}})"))
            .task()
            .schedule;
    };
    const Schedule fp64 = schedule("fp64"), fp32 = schedule("fp32");
    EXPECT_EQ(fp64.initial_step_s, fp64.largest_step_s);
    EXPECT_EQ(fp64.smallest_step_s, 2e-14);
    EXPECT_EQ(fp64.most_attempts, 1e9);
    EXPECT_EQ(fp64.relative_tolerance, 1e-4);
    EXPECT_EQ(fp64.absolute_tolerance, 1e-5);
    EXPECT_EQ(fp64.rows, 0.0);
    EXPECT_EQ(fp32.smallest_step_s, 2e-6);
    EXPECT_EQ(fp32.most_attempts, 16777216.0);
}

TEST(Study, DrawsTheSamplesOfItsDesign) {
    const Study sobol = parsed(changed(R"({"instances": 64, "design": {"kind": "sobol", "seed": 7, "replicates": 4},
        "parameters": {"mass_kg": {"lognormal": {"median": 15, "geometric_standard_deviation": 1.1}},
                       "gravity_m_s2": {"constant": 9.8}}})"));
    EXPECT_EQ(sobol.replicates, 4u);
    EXPECT_THAT(sobol.sampler().addresses(), ElementsAre("mass_kg", "gravity_m_s2"));
    EXPECT_EQ(sobol.sampler().value(5, 1), 9.8);
    EXPECT_EQ(sobol.sampler().intervals().replicates, 4u);

    const Study grid = parsed(R"({"system": "heavy_top", "design": {"kind": "grid"},
        "integrator": {"name": "rk4", "step_s": 0.01, "end_s": 1},
        "parameters": {"mass_kg": {"values": [10, 20]}, "gravity_m_s2": {"uniform": {"low": 0, "high": 6}, "levels": 3}}})");
    EXPECT_EQ(grid.instances, 6u);
    EXPECT_EQ(grid.sampler().value(4, 0), 20.0);
    EXPECT_EQ(grid.sampler().value(4, 1), 3.0);
    EXPECT_FALSE(grid.seed.has_value());

    const Study none = parsed(changed(R"({"parameters": {"mass_kg": 3}, "instances": 1000})"));
    EXPECT_EQ(none.instances, 1000u);
    EXPECT_TRUE(none.sampler().addresses().empty());
}

TEST(Study, ReadsTheParametersOfATable) {
    const std::string text =
        table_study("gravity_m_s2,mass_kg\n1,2\n3,4\n5,6\n", R"({"kind": "table", "file": "table.csv"})");
    const Study study = parse_study(text, "study.json", table_folder());
    EXPECT_EQ(study.instances, 3u);
    EXPECT_THAT(study.sampler().addresses(), ElementsAre("mass_kg", "gravity_m_s2"));
    EXPECT_EQ(study.sampler().value(1, 0), 4.0);
    EXPECT_EQ(study.sampler().value(2, 1), 5.0);

    const std::string chosen =
        table_study("mass_kg,comment\n2,0\n4,1\n", R"({"kind": "table", "file": "table.csv", "columns": ["mass_kg"]})");
    EXPECT_THAT(parse_study(chosen, "study.json", table_folder()).sampler().addresses(), ElementsAre("mass_kg"));
}

TEST(Study, CanBeReadWithoutItsTable) {
    const std::string text = table_study("mass_kg\n2\n4\n", R"({"kind": "table", "file": "table.csv"})");
    const Study study = parse_study(text, "study.json", table_folder());
    std::filesystem::remove(table_folder() / "table.csv");
    const Study again = parse_study(study.canonical_json, "result.h5", "", {}, Purpose::repeat);
    EXPECT_FALSE(again.has_sampler());
    EXPECT_EQ(again.instances, 2u);
    ASSERT_THAT(again.varied, SizeIs(1));
    EXPECT_EQ(again.varied[0].address, "mass_kg");
    EXPECT_EQ(again.task().plan.varied[0], 0);
    EXPECT_THROW(again.sampler(), std::logic_error);
}

TEST(Study, ReadsItsOwnCanonicalText) {
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles/studies")) {
        const Study study = read_study(entry.path());
        const Study again = parse_study(study.canonical_json, "result.h5", "");
        EXPECT_EQ(again.canonical_json, study.canonical_json) << entry.path();
        EXPECT_EQ(again.fingerprint(), study.fingerprint()) << entry.path();
        EXPECT_EQ(study.fingerprint_with(study.instances), study.fingerprint()) << entry.path();
        // Their published contact law is one by which an impact may gain energy, and the reader says so.
        const std::set<std::string> gaining{"slider_crank_clearance", "slider_crank_flexible",
                                            "slider_crank_flexible_driven", "slider_crank_slot", "scotch_yoke"};
        if (gaining.contains(entry.path().stem().string())) {
            ASSERT_THAT(study.warnings, ElementsAre(HasSubstr("may then gain energy")));
        } else if (entry.path().stem() == "sphere_cradle" || entry.path().stem() == "high_speed_rotor") {
            // One ball, and one direction of a support, differ from what a formula of the mechanism makes all of them.
            EXPECT_FALSE(study.warnings.empty());
            EXPECT_THAT(study.warnings, Each(HasSubstr("replaces the mechanism's formula")));
        } else {
            EXPECT_TRUE(study.warnings.empty()) << entry.path() << study.warnings.front();
        }
        const std::size_t count = study.varied.size();
        std::vector<double> ours(count), theirs(count);
        study.sampler().sample(study.instances - 1, 1, ours.data());
        again.sampler().sample(study.instances - 1, 1, theirs.data());
        EXPECT_EQ(ours, theirs) << entry.path();
    }
}

TEST(Study, PlansHowQuantitiesSeeTheirChannelsBetweenSteps) {
    const backends::Task task = parsed(changed(R"({"quantities": {
        "height": {"max": "position.top.z"}, "speed": {"max": "velocity.top.norm"}, "mean_tilt": {"mean": "tilt"},
        "attitude": {"min": "orientation.top.x"}, "far": {"max": "position.top.norm"},
        "at_steps": {"max": "position.top.z", "between": "steps"}, "last": {"final": "position.top.z"}}})"))
                                    .task();
    const PlanTable& plan = task.plan;
    // In the order of their names. A system given by a formula has no accelerations; a mean of lines is that of the
    // states.
    enum { at_steps, attitude, far, height, last, mean_tilt, speed };
    const Between expected[] = {Between::steps, Between::cubic, Between::norm, Between::cubic,
                                Between::steps, Between::steps, Between::line};
    for (int i = 0; i < plan.quantity_count; ++i) EXPECT_EQ(plan.between[i], expected[i]) << i;
    const int velocity = plan.quantity_channels[speed];
    EXPECT_EQ(plan.quantity_rates[height], first_of_norm(velocity) + 2);
    EXPECT_EQ(plan.quantity_rates[attitude], rate_of_orientation);
    EXPECT_EQ(plan.quantity_rates[far], first_of_norm(velocity));
    // Steps may end beside the ends of a window by the rounding of a product; courses have the ends themselves.
    const auto begin_of_window = [](const std::string& between) {
        return parsed(changed(R"({"quantities": {"a": {"max": "position.top.z", "from_s": 0.25, "between": ")" +
                              between + "\"}}}"))
            .task()
            .windows[0];
    };
    EXPECT_EQ(begin_of_window("interpolated"), 0.25);
    EXPECT_LT(begin_of_window("steps"), 0.25);
}

TEST(Study, KeepsTheOrderOfItsQuantities) {
    const std::string text = R"({"$schema": "study.schema.json", "system": "heavy_top", "instances": 10,
        "integrator": {"name": "rk4", "step_s": 0.01, "end_s": 1},
        "quantities": {"zenith_m": {"max": "position.top.z"}, "energy_J": {"final": "energy"},
                       "again_s": {"first_time_above": {"threshold": 1, "channel": "tilt"}}}})";
    const auto names = [](const Study& study) {
        std::string all;
        for (const Quantity& quantity : study.quantities) all += quantity.name + " ";
        return all;
    };
    const Study study = parsed(text);
    EXPECT_EQ(names(study), "zenith_m energy_J again_s ");
    const Study again = parsed(study.canonical_json);
    EXPECT_EQ(names(again), names(study));
    EXPECT_EQ(again.fingerprint(), study.fingerprint());
    // In another order the columns of a result are others; the order of other keys decides nothing.
    EXPECT_NE(parsed(nlohmann::json::parse(text).dump()).fingerprint(), study.fingerprint());
    auto turned = nlohmann::ordered_json::parse(text);
    turned["integrator"] = nlohmann::ordered_json::parse(R"({"end_s": 1, "step_s": 0.01, "name": "rk4"})");
    EXPECT_EQ(parsed(turned.dump()).fingerprint(), study.fingerprint());
}

TEST(Study, HasAFingerprintOfWhatDecidesTheResults) {
    const std::string base = parsed(changed("{}")).fingerprint();
    EXPECT_EQ(base.size(), 32u);
    for (const char* same :
         {R"({"title": "new"})", R"({"description": "new"})", R"({"statistics": {"confidence": 0.5}})",
          R"({"allowed_failed_share": 0.5})", R"({"instances": 1e2})", R"({"chart": "rotation"})",
          R"({"design": {"seed": 1}})", R"({"parameters": {"gravity_m_s2": 9.81}})"})
        EXPECT_EQ(parsed(changed(same)).fingerprint(), base) << same;
    std::vector<std::string> all = {base};
    for (const char* other :
         {R"({"instances": 101})", R"({"chart": "cardan_xyz"})", R"({"design": {"seed": 2}})",
          R"({"integrator": {"name": "rk4", "step_s": 0.02, "end_s": 1}})",
          R"({"integrator": {"name": "rk67", "step_s": 0.01, "end_s": 1}})", R"({"precision": "fp32"})",
          R"({"parameters": {"mass_kg": 16}})", R"({"quantities": {"a": {"max": "tilt"}}})",
          R"({"quantities": {"a": {"min": "tilt"}}})", R"({"on_failure": "retry"})",
          R"({"observe": {"every_steps": 10, "channels": ["tilt"]}})"}) {
        all.push_back(parsed(changed(other)).fingerprint());
        EXPECT_EQ(std::count(all.begin(), all.end(), all.back()), 1) << other;
    }
}

TEST(Study, HasAFingerprintOfTheTablesNumbers) {
    const auto fingerprint = [](const std::string& rows) {
        const std::string text = table_study(rows, R"({"kind": "table", "file": "table.csv"})");
        return parse_study(text, "study.json", table_folder()).fingerprint();
    };
    const std::string base = fingerprint("mass_kg\n2\n4\n");
    EXPECT_EQ(fingerprint("# the same numbers\nmass_kg\n2.0\n 4e0\n"), base);
    EXPECT_NE(fingerprint("mass_kg\n2\n4.0000000000000009\n"), base);
}

TEST(Overrides, ChangeTheStudyBeforeItIsChecked) {
    const std::string text = changed(R"({"parameters": {"inertia_kg_m2.xx": 0.3,
        "mass_kg": {"normal": {"mean": 15, "standard_deviation": 1}},
        "initial_angular_velocity_rad_s": [0, 150, 1]}})");
    Overrides overrides;
    overrides.assignments = {"integrator.step_s=1e-3",
                             "parameters.inertia_kg_m2.xx=0.25",
                             "parameters.inertia_kg_m2.zz=0.26",
                             "parameters.mass_kg.normal.mean=16",
                             "parameters.initial_angular_velocity_rad_s[1]=140",
                             "precision=fp32",
                             "title=a = b"};
    overrides.instances = 7, overrides.seed = 8;
    const Study study = parse_study(text, "study.json", "", overrides);
    EXPECT_EQ(study.fixed.step_s, 1e-3);
    EXPECT_EQ(study.parameters[4], 0.25);
    EXPECT_EQ(study.parameters[6], 0.26);
    EXPECT_EQ(study.parameters[15], 140.0);
    EXPECT_EQ(study.varied[0].distribution, "normal(mean 16, standard deviation 1)");
    EXPECT_EQ(study.precision, backends::Precision::fp32);
    EXPECT_EQ(study.title, "a = b");
    EXPECT_EQ(study.instances, 7u);
    EXPECT_EQ(study.seed, 8u);
}

TEST(Study, WarnsOfHugeTrajectories) {
    const Study study = parsed(changed(R"({"instances": 1e6, "observe": {"every_steps": 1, "channels": ["position"]},
                                           "integrator": {"name": "rk4", "step_s": 0.001, "end_s": 1}})"));
    ASSERT_THAT(study.warnings, SizeIs(1));
    EXPECT_THAT(study.warnings[0], has("/observe", "24 GB", "1000000 instances x 1001 rows x 3 channels x 8 bytes"));
}

TEST(Study, ReadsTheHeavyTopsOfTheDemo) {
    const Study study = read_study(source_dir() / "ensembles/studies/heavy_top.json");
    EXPECT_EQ(study.instances, 100000u);
    EXPECT_THAT(study.varied, SizeIs(4));
    EXPECT_EQ(study.task().schedule.total_steps, 10000.0);
    EXPECT_EQ(study.task().schedule.rows, 11.0);
}

// Kinon, Betsch 2024, eq. 118: the spin of steady precession; and mass and inertia of the cone, eqs. before and 113.
TEST(Study, HoldsTheSteadyPrecessionOfItsSource) {
    const Study study = read_study(source_dir() / "ensembles/studies/steady_precession.json");
    const auto value = [&](const char* address) { return study.parameters[*study.system->find_parameter(address)]; };
    const double pi = 3.14159265358979324, density = 2700.0, height = 0.1, radius = 0.05, precession = 10.0;
    const double mass = density * pi * radius * radius * height / 3.0, length = 0.75 * height;
    const double transverse = 3.0 / 80.0 * mass * (4.0 * radius * radius + height * height);
    const double axial = 0.3 * mass * radius * radius;
    // Rounding of the products and of the printed digits.
    constexpr double round_off = 1e-14;
    EXPECT_NEAR(value("mass_kg"), mass, round_off);
    EXPECT_NEAR(value("inertia_kg_m2.xx"), transverse, round_off);
    EXPECT_NEAR(value("inertia_kg_m2.zz"), axial, round_off);
    EXPECT_NEAR(value("centre_of_mass_m[2]"), length, round_off);
    const double about_tip = transverse + mass * length * length;
    const double spin = mass * 9.81 * length / (axial * precession) + (about_tip - axial) / axial * precession * 0.5;
    // The source rounds the spin to 135.6.
    EXPECT_NEAR(study.sampler().value(2, 0), spin + precession * 0.5, 5e-4);
    EXPECT_NEAR(value("initial_angular_velocity_rad_s[1]"), precession * std::sin(pi / 3.0), round_off);
    EXPECT_EQ(study.instances, 5u);
}

}  // namespace
}  // namespace myriad::study
