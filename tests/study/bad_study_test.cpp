// Bad studies: each message names the place, what is wrong and what to do.
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

TEST(BadStudy, UnknownKeys) {
    EXPECT_THAT(refused(R"({"instance": 3})"), has("study.json:1:2: /instance: ", "did you mean \"instances\"?"));
    EXPECT_THAT(refused(R"({"integrator": {"name": "rk4", "step": 0.1, "end_s": 1}})"),
                has("/integrator/step: ", "unknown", "did you mean \"step_s\"?"));
    EXPECT_THAT(refused(R"({"mass_kg": 3})"), has("/mass_kg: ", "put it into \"parameters\""));
    EXPECT_THAT(refused(R"({"design": {"kind": "sobol", "sed": 3}})"), has("/design/sed: ", "\"seed\""));
    EXPECT_THAT(refused(R"({"observe": {"every_step": 3, "channels": ["tilt"]}})"), has("\"every_steps\""));
    EXPECT_THAT(refused(R"({"statistics": {"quantile": [0.5]}})"), has("\"quantiles\""));
}

TEST(BadStudy, MissingKeys) {
    EXPECT_THAT(refused(R"({"system": null})"), has("study.json:1:1: ", "\"system\" is missing", "heavy_top"));
    EXPECT_THAT(refused(R"({"integrator": null})"), has("\"integrator\" is missing"));
    EXPECT_THAT(refused(R"({"instances": null})"), has("\"instances\" is missing"));
    EXPECT_THAT(refused(R"({"integrator": {"step_s": 1, "end_s": 1}})"), has("\"name\" is missing", "rk4"));
    EXPECT_THAT(refused(R"({"integrator": {"name": "rk4", "end_s": 1}})"), has("\"step_s\" is missing"));
    EXPECT_THAT(refused(R"({"integrator": {"name": "dopri5", "end_s": 1}})"), has("\"relative_tolerance\" is missing"));
}

TEST(BadStudy, WrongTypes) {
    EXPECT_THAT(refusal([] { parsed("[]"); }), has("study.json:1:1: ", "expected an object", "an array of 0"));
    EXPECT_THAT(refused(R"({"system": 3})"), has("/system: ", "expected a text", "the number 3"));
    EXPECT_THAT(refused(R"({"instances": "many"})"), has("/instances: ", "expected a number", "\"many\""));
    EXPECT_THAT(refused(R"({"instances": 1.5})"), has("/instances: ", "whole number"));
    EXPECT_THAT(refused(R"({"integrator": "rk4"})"), has("/integrator: ", "expected an object"));
    EXPECT_THAT(refused(R"({"parameters": [1]})"), has("/parameters: ", "expected an object"));
    EXPECT_THAT(refused(R"({"parameters": {"mass_kg": "heavy"}})"), has("/parameters/mass_kg: ", "a distribution"));
    EXPECT_THAT(refused(R"({"parameters": {"mass_kg": [1, 2]}})"), has("/parameters/mass_kg: ", "an array of 2"));
    EXPECT_THAT(refused(R"({"design": "sobol"})"), has("/design: ", "expected an object"));
    EXPECT_THAT(refused(R"({"title": 3})"), has("/title: ", "expected a text"));
}

TEST(BadStudy, UnknownNames) {
    EXPECT_THAT(refused(R"({"system": "heavy_tap"})"), has("/system: ", "did you mean \"heavy_top\"?"));
    EXPECT_THAT(refused(R"({"chart": "cardan"})"), has("/chart: ", "\"cardan_xyz\""));
    EXPECT_THAT(refused(R"({"integrator": {"name": "rk5", "end_s": 1}})"), has("/integrator/name: ", "\"rk4\""));
    EXPECT_THAT(refused(R"({"design": {"kind": "sobel"}})"), has("/design/kind: ", "\"sobol\""));
    EXPECT_THAT(refused(R"({"precision": "fp16"})"), has("/precision: ", "fp64, fp32"));
    EXPECT_THAT(refused(R"({"on_failure": "retyr"})"), has("/on_failure: ", "\"retry\""));
    EXPECT_THAT(refused(R"({"parameters": {"mass": 3}})"), has("/parameters/mass: ", "no parameter", "\"mass_kg\""));
    EXPECT_THAT(refused(R"({"parameters": {"initial_angular_velocity_rad": [1, 2, 3]}})"),
                has("\"initial_angular_velocity_rad_s\""));
    EXPECT_THAT(refused(R"({"observe": {"every_steps": 1, "channels": ["tlit"]}})"),
                has("/observe/channels/0: ", "no channel", "\"tilt\""));
    EXPECT_THAT(refused(R"({"quantities": {"a": {"maximum": "tilt"}}})"), has("/quantities/a/maximum: ", "max"));
    EXPECT_THAT(refused(R"({"quantities": {"a": {"max": "enrgy"}}})"), has("/quantities/a/max: ", "\"energy\""));
}

TEST(BadStudy, SinglePrecisionWithoutKernels) {
    EXPECT_THAT(refused(R"({"precision": "fp32", "chart": "cardan_xyz"})"),
                has("/precision: ", "on the chart \"cardan_xyz\"", "the chart \"rotation\""));
    EXPECT_THAT(refused(R"({"precision": "fp32", "integrator": {"name": "livens_midpoint", "step_s": 0.01,
                            "end_s": 1}})"),
                has("/precision: ", "\"livens_midpoint\" for the system heavy_top", "\"fp64\"", "rk4, rk67"));
    EXPECT_THAT(
        refused(R"({"precision": "fp32", "system": "slider_crank_clearance", "parameters": null, "observe": null,
                            "quantities": null,
                            "integrator": {"name": "moreau_midpoint", "step_s": 0.01, "end_s": 1}})"),
        has("/precision: ", "the system slider_crank_clearance", "without contact"));
}

TEST(BadStudy, Instances) {
    EXPECT_THAT(refused(R"({"instances": 0})"), has("/instances: ", "no instances", "at least 1"));
    EXPECT_THAT(refused(R"({"instances": -5})"), has("/instances: ", "0 or more", "-5"));
}

TEST(BadStudy, Steps) {
    const auto with = [](const std::string& step, const std::string& end) {
        return refused(R"({"integrator": {"name": "rk4", "step_s": )" + step + R"(, "end_s": )" + end + "}}");
    };
    EXPECT_THAT(with("0", "1"), has("/integrator/step_s: ", "above 0"));
    EXPECT_THAT(with("-0.1", "1"), has("/integrator/step_s: ", "above 0", "-0.1"));
    EXPECT_THAT(with("0.1", "0"), has("/integrator/end_s: ", "above 0"));
    EXPECT_THAT(with("2", "1"), has("/integrator/step_s: ", "2 s is larger than the span 1 s"));
    EXPECT_THAT(with("1e-300", "1e300"), has("/integrator/step_s: ", "steps"));
    EXPECT_THAT(refused(R"({"precision": "fp32", "integrator": {"name": "rk4", "step_s": 1e-8, "end_s": 1}})"),
                has("/integrator/step_s: ", "1e+08 steps", "16777216", "fp64"));
}

TEST(BadStudy, KeysOfTheOtherKindOfIntegrator) {
    EXPECT_THAT(refused(R"({"integrator": {"name": "dopri5", "step_s": 0.1, "end_s": 1}})"),
                has("/integrator/step_s: ", "does not fit the integrator \"dopri5\"", "own steps", "rk4, rk67"));
    EXPECT_THAT(refused(R"({"integrator": {"name": "rk4", "step_s": 0.1, "end_s": 1, "relative_tolerance": 1e-3}})"),
                has("/integrator/relative_tolerance: ", "fixed steps", "ode23, dopri5"));
}

TEST(BadStudy, Tolerances) {
    const auto with = [](const std::string& keys, const std::string& precision = "fp64") {
        auto all = nlohmann::json::parse(
            R"({"name": "dopri5", "end_s": 1, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-6})");
        all.update(nlohmann::json::parse(keys));
        return refused(R"({"precision": ")" + precision + R"(", "integrator": )" + all.dump() + "}");
    };
    EXPECT_THAT(with(R"({"relative_tolerance": -1})"), has("/integrator/relative_tolerance: ", "negative"));
    EXPECT_THAT(with(R"({"absolute_tolerance": 0})"), has("/integrator/absolute_tolerance: ", "above 0"));
    EXPECT_THAT(with(R"({"initial_step_s": 2})"), has("/integrator/initial_step_s: ", "larger than the span"));
    EXPECT_THAT(with(R"({"initial_step_s": 0.1, "smallest_step_s": 0.2})"),
                has("/integrator/smallest_step_s: ", "larger than the first"));
    EXPECT_THAT(with(R"({"initial_step_s": 1e-20})"), has("/integrator/initial_step_s: ", "smallest step"));
    EXPECT_THAT(with(R"({"most_attempts": 0})"), has("/integrator/most_attempts: ", "from 1 to"));
    EXPECT_THAT(with(R"({"most_attempts": 2e7})", "fp32"), has("/integrator/most_attempts: ", "16777216"));
}

TEST(BadStudy, Observation) {
    const auto with = [](const std::string& keys) { return refused(R"({"observe": )" + keys + "}"); };
    EXPECT_THAT(with(R"({"channels": ["tilt"]})"), has("/observe: ", "every_steps"));
    EXPECT_THAT(with(R"({"every_steps": 1, "every_s": 0.01, "channels": ["tilt"]})"), has("given twice"));
    EXPECT_THAT(with(R"({"every_steps": 0, "channels": ["tilt"]})"), has("/observe/every_steps: ", "at least 1"));
    EXPECT_THAT(with(R"({"every_steps": 101, "channels": ["tilt"]})"),
                has("/observe/every_steps: ", "longer than the span"));
    EXPECT_THAT(with(R"({"every_s": 2, "channels": ["tilt"]})"), has("/observe/every_s: ", "longer than the span"));
    EXPECT_THAT(with(R"({"every_s": 0.025, "channels": ["tilt"]})"),
                has("/observe/every_s: ", "no multiple of the step 0.01 s", "0.03"));
    EXPECT_THAT(with(R"({"every_steps": 1, "channels": []})"), has("/observe/channels: ", "no channel is named"));
    EXPECT_THAT(with(R"({"every_steps": 1})"), has("\"channels\" is missing"));
    EXPECT_THAT(with(R"({"every_steps": 1, "channels": ["position", "position.top.x"]})"),
                has("/observe/channels/1: ", "position.top.x is observed twice"));
    EXPECT_THAT(refused(R"({"integrator": {"name": "dopri5", "end_s": 1, "relative_tolerance": 1e-6,
                                           "absolute_tolerance": 1e-6},
                            "observe": {"every_steps": 1, "channels": ["tilt"]}})"),
                has("/observe/every_steps: ", "does not fit", "every_s"));
}

TEST(BadStudy, Quantities) {
    const auto with = [](const std::string& quantity) { return refused(R"({"quantities": )" + quantity + "}"); };
    EXPECT_THAT(with(R"({"a": {"max": "position"}})"), has("/quantities/a/max: ", "stands for 3 scalars"));
    EXPECT_THAT(with(R"({"a": {}})"), has("/quantities/a: ", "one reduction, found 0"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "min": "tilt"}})"), has("/quantities/a: ", "one reduction, found 2"));
    EXPECT_THAT(with(R"({"a": "tilt"})"), has("/quantities/a: ", "expected an object"));
    EXPECT_THAT(with(R"({"a": {"first_time_above": "tilt"}})"), has("needs a channel and a threshold"));
    EXPECT_THAT(with(R"({"a": {"first_time_above": {"channel": "tilt"}}})"), has("\"threshold\" is missing"));
    EXPECT_THAT(with(R"({"a": {"max": {"channel": "tilt", "threshold": 1}}})"), has("without a threshold"));
    EXPECT_THAT(with(R"({"a/b": {"max": "tilt"}})"), has("\"a/b\" cannot name a quantity"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "from": 1}})"), has("/quantities/a/from: ", "did you mean \"from_s\"?"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "between": "step"}})"), has("/quantities/a/between: ", "\"steps\""));
    EXPECT_THAT(with(R"({"a": {"from_s": 0.1}})"), has("/quantities/a: ", "one reduction, found 0"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "from_s": -1}})"), has("/quantities/a/from_s: ", "begins at 0"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "to_s": 1.5}})"),
                has("/quantities/a/to_s: ", "behind the end at 1 s", "at most 1"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "from_s": 0.5, "to_s": 0.5}})"),
                has("/quantities/a/from_s: ", "from 0.5 s to 0.5 s is empty"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "from_s": 1}})"), has("/quantities/a/from_s: ", "is empty"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "probability": 3}})"),
                has("/quantities/a/probability: ", "needs a threshold", "{\"above\": 650}"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "probability": {}}})"), has("one threshold, found 0"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "probability": {"above": 1, "below": 2}}})"),
                has("one threshold, found 2"));
    EXPECT_THAT(with(R"({"a": {"max": "tilt", "probability": {"over": 1}}})"), has("\"over\" is unknown"));
    EXPECT_THAT(with(R"({"a": {"max": "position.top.nrom"}})"), has("did you mean \"position.top.norm\"?"));
    EXPECT_THAT(with(R"({"a": {"max": "orientation.top.norm"}})"), has("no channel"));
    std::string many = "{";
    for (int k = 0; k < 17; ++k) many += "\"q" + std::to_string(k) + R"(": {"max": "tilt"},)";
    many.back() = '}';
    EXPECT_THAT(with(many), has("/quantities: ", "17 quantities", "at most 16"));
}

TEST(BadStudy, Distributions) {
    const auto with = [](const std::string& mass) { return refused(R"({"parameters": {"mass_kg": )" + mass + "}}"); };
    EXPECT_THAT(with(R"({"normal": {"mean": 1, "standard_deviation": -1}})"),
                has("/parameters/mass_kg/normal: ", "negative"));
    EXPECT_THAT(with(R"({"uniform": {"low": 2, "high": 1}})"), has("/parameters/mass_kg/uniform: ", "empty"));
    EXPECT_THAT(with(R"({"normal": {"mean": 1}})"), has("\"standard_deviation\" is missing"));
    EXPECT_THAT(with(R"({"normal": {"mean": 1, "sigma": 1}})"), has("/parameters/mass_kg/normal/sigma: ", "unknown"));
    EXPECT_THAT(with(R"({"normal": {"mean": "NaN", "standard_deviation": 1}})"),
                has("/parameters/mass_kg/normal/mean: ", "finite"));
    EXPECT_THAT(with(R"({"gauss": {"mean": 1}})"), has("/parameters/mass_kg/gauss: ", "normal"));
    EXPECT_THAT(with("{}"), has("/parameters/mass_kg: ", "no distribution"));
    EXPECT_THAT(with(R"({"constant": 1, "uniform": {"low": 1, "high": 2}})"), has("a second distribution"));
    EXPECT_THAT(with(R"({"lognormal": {"mean": 1, "median": 1}})"), has("by its mean and by its median"));
    EXPECT_THAT(with(R"({"uniform": {"low": 1, "high": 2}, "levels": 3})"), has("/levels: ", "grid"));
    EXPECT_THAT(with(R"({"values": []})"), has("/parameters/mass_kg/values: ", "at least one"));
}

TEST(BadStudy, Vectors) {
    const auto with = [](const std::string& keys) { return refused(R"({"parameters": )" + keys + "}"); };
    EXPECT_THAT(with(R"({"centre_of_mass_m": [0, 1]})"),
                has("/parameters/centre_of_mass_m: ", "has 3 elements", "an array of 2", "centre_of_mass_m[0]"));
    EXPECT_THAT(with(R"({"centre_of_mass_m": 1})"), has("has 3 elements"));
    EXPECT_THAT(with(R"({"centre_of_mass_m": [0, "1", 2]})"), has("/parameters/centre_of_mass_m/1: "));
    EXPECT_THAT(with(R"({"centre_of_mass_m": [0, 1, 2], "centre_of_mass_m[1]": 3})"),
                has("centre_of_mass_m[1] is given twice"));
    EXPECT_THAT(with(R"({"centre_of_mass_m[3]": 3})"), has("no parameter"));
}

TEST(BadStudy, Designs) {
    EXPECT_THAT(refused(R"({"design": {"kind": "grid", "seed": 3}})"),
                has("/design/seed: ", "does not fit the design \"grid\"", "monte_carlo"));
    EXPECT_THAT(refused(R"({"design": {"kind": "monte_carlo", "replicates": 3}})"),
                has("/design/replicates: ", "sobol"));
    EXPECT_THAT(refused(R"({"design": {"kind": "sobol", "replicates": 1}})"), has("/design: ", "replicates"));
    EXPECT_THAT(
        refused(R"({"design": {"kind": "grid"}, "parameters": {"mass_kg": {"uniform": {"low": 1, "high": 2}}}})"),
        has("/design: ", "no levels for mass_kg"));
    EXPECT_THAT(refused(R"({"design": {"kind": "grid"}, "parameters": {"mass_kg": {"values": [1, 2]}}})"),
                has("/instances: ", "instances is 100", "exactly 2"));
    EXPECT_THAT(refusal([] {
                    Overrides overrides;
                    overrides.seed = 3;
                    parse_study(changed(R"({"instances": null, "design": {"kind": "grid"}})"), "study.json", "",
                                overrides);
                }),
                has("study.json, --seed 3: /design/seed: ", "does not fit"));
}

TEST(BadStudy, Correlations) {
    const auto with = [](const std::string& pairs) {
        return refused(R"({"parameters": {"mass_kg": {"uniform": {"low": 1, "high": 2}},
                                          "gravity_m_s2": {"uniform": {"low": 1, "high": 2}}},
                           "correlations": )" +
                       pairs + "}");
    };
    EXPECT_THAT(with(R"([{"between": ["mass_kg", "gravity_m_s2"], "correlation": 1.5}])"),
                has("/correlations: ", "1.5"));
    EXPECT_THAT(with(R"([{"between": ["mass_kg"], "correlation": 0.5}])"), has("/correlations/0: ", "exactly two"));
    EXPECT_THAT(with(R"([{"between": ["mass_kg", "gravity"], "correlation": 0.5}])"),
                has("/correlations/0/between/1: ", "\"gravity_m_s2\""));
    EXPECT_THAT(with(R"([{"between": ["mass_kg", "gravity_m_s2"]}])"), has("\"correlation\" is missing"));
    EXPECT_THAT(with(R"({"between": ["mass_kg", "gravity_m_s2"]})"), has("/correlations: ", "expected an array"));
}

TEST(BadStudy, Tables) {
    const auto with = [](const std::string& csv, const std::string& more = "", const std::string& parameters = "{}") {
        const std::string text = table_study(csv, R"({"kind": "table", "file": "table.csv")" + more + "}", parameters);
        return refusal([&] { parse_study(text, "study.json", table_folder()); });
    };
    EXPECT_THAT(with("mass\n1\n"), has("table.csv: ", "the column \"mass\"", "did you mean \"mass_kg\"?"));
    EXPECT_THAT(with("mass_kg\nNaN\n"), has("table.csv, line 2", "mass_kg"));
    EXPECT_THAT(with("mass_kg\n1\n", R"(, "columns": ["gravity_m_s2"])"), has("no column gravity_m_s2"));
    EXPECT_THAT(with("mass_kg\n1\n", R"(, "columns": ["gravity"])"), has("/design/columns/0: ", "gravity_m_s2"));
    EXPECT_THAT(with("mass_kg\n1\n", "", R"({"mass_kg": 2})"), has("/parameters/mass_kg: ", "also a column"));
    EXPECT_THAT(with("mass_kg\n1\n", "", R"({"gravity_m_s2": {"values": [1, 2]}})"),
                has("/parameters/gravity_m_s2: ", "a number or a column"));
    EXPECT_THAT(refused(R"({"design": {"kind": "table"}})"), has("\"file\" is missing"));
    EXPECT_THAT(refused(R"({"design": {"kind": "table", "file": "no_such.csv"}})"),
                has("no_such.csv", "cannot be read: No such file"));
    const std::string text = table_study("mass_kg\n1\n2\n", R"({"kind": "table", "file": "table.csv"})");
    EXPECT_THAT(refusal([&] {
                    Overrides overrides;
                    overrides.instances = 3;
                    parse_study(text, "study.json", table_folder(), overrides);
                }),
                has("study.json, --instances 3: /instances", "at most 2"));
}

TEST(BadStudy, StatisticsAndPolicy) {
    EXPECT_THAT(refused(R"({"statistics": {"quantiles": [0.5, 1.5]}})"), has("/statistics: ", "1.5"));
    EXPECT_THAT(refused(R"({"statistics": {"confidence": 95}})"), has("/statistics: ", "95"));
    EXPECT_THAT(refused(R"({"allowed_failed_share": 5})"), has("/allowed_failed_share: ", "between 0 and 1"));
}

TEST(BadStudy, Overrides) {
    const auto with = [](const std::string& assignment) {
        return refusal([&] {
            study::Overrides overrides;
            overrides.assignments = {assignment};
            parse_study(changed("{}"), "study.json", "", overrides);
        });
    };
    EXPECT_THAT(with("integrator.stepp_s=1"),
                has("study.json, -o integrator.stepp_s=1: /integrator/stepp_s: ", "unknown", "\"step_s\""));
    EXPECT_THAT(with("integrator.step_s=fast"), has("-o integrator.step_s=fast", "expected a number"));
    EXPECT_THAT(with("integrator.step_s"), has("no assignment"));
    EXPECT_THAT(with("system.name=heavy_top"), has("/system is no object"));
    EXPECT_THAT(with("parameters.mass=3"), has("/parameters/mass: ", "\"mass_kg\""));
}

}  // namespace
}  // namespace myriad::study
