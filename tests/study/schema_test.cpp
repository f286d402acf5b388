// The schema against what it describes.
#include "host/study/schema.hpp"

#include "host/text/json_text.hpp"
#include "tests/schema_fits.hpp"
#include "tests/source_dir.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

using nlohmann::json;

const json& schema() {
    static const json parsed_schema = json::parse(study_schema());
    return parsed_schema;
}

bool fits(const json& rules, const json& value) { return fits_schema(schema(), rules, value); }

TEST(Schema, TakesTheBundledStudiesAndTheirCanonicalTexts) {
    int studies = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles/studies")) {
        EXPECT_TRUE(fits(schema(), JsonText::read(entry.path()).root().json())) << entry.path();
        EXPECT_TRUE(fits(schema(), json::parse(read_study(entry.path()).canonical_json))) << entry.path();
        ++studies;
    }
    EXPECT_GE(studies, 3);
}

TEST(Schema, TakesEveryKeyThatTheReaderTakes) {
    for (const char* keys :
         {R"({"design": {"kind": "table", "file": "a.csv", "columns": ["mass_kg"]}})", R"({"design": {"seed": 3}})",
          R"({"parameters": {"centre_of_mass_m": [0, {"values": [1, 2]}, 2]}})",
          R"({"parameters": {"mass_kg": {"truncated_normal": {"mean": 1, "standard_deviation": 1, "low": 0}}}})",
          R"({"parameters": {"mass_kg": {"constant": 1}}})",
          R"({"quantities": {"a": {"first_time_above": {"channel": "tilt", "threshold": 1}}}})",
          R"({"quantities": {"a": {"from_s": 0.1, "max": "position.top.norm", "to_s": 0.5}}})",
          R"({"quantities": {"a": {"max": "tilt", "probability": {"below": 3}}}})",
          R"({"quantities": {"a": {"max": "tilt", "between": "steps"}}})",
          R"({"observe": {"every_steps": 1, "channels": ["angular_momentum.norm"]}})",
          R"({"design": {"kind": "table", "file": "a.csv", "independent": true}})",
          R"({"integrator": {"name": "rk4", "step_s": 0.1, "end_s": 1, "dexp_inverse": "full"}})",
          R"({"chart": "euler_parameters"})",
          R"({"statistics": {"quantiles": [0.5], "confidence": 0.9}, "allowed_failed_share": 0.5})"})
        EXPECT_TRUE(fits(schema(), json::parse(changed(keys)))) << keys;
}

TEST(Schema, KnowsStudiesOfMechanisms) {
    const auto with = [](const std::string& keys, const std::string& integrator) {
        return json::parse(changed(R"({"system": null, "integrator": )" + integrator + ", " + keys + "}"));
    };
    const std::string implicit = R"({"name": "generalized_alpha", "step_s": 0.1, "end_s": 1, "spectral_radius": 0.5,
        "newton": "modified", "tangent_operator": true, "start": "published", "newton_tolerance": 1e-8,
        "most_newton_iterations": 9})";
    EXPECT_TRUE(fits(schema(), with(R"("mechanism": "m.json", "parameters": {"bodies.rod.mass_kg": 3})", implicit)));
    EXPECT_TRUE(fits(schema(), with(R"("mechanism": {"bodies": {}}, "chart": "euler_zxz")", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("mechanism": 3)", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("system": "heavy_top", "mechanism": "m.json")", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("title": "neither")", implicit)));
    EXPECT_FALSE(fits(schema(), with(R"("mechanism": "m.json")", R"({"name": "implicit_euler", "step_s": 0.1,
        "end_s": 1, "spectral_radius": 0.5})")));
    EXPECT_FALSE(fits(schema(), with(R"("system": "heavy_top")", R"({"name": "kinematics", "step_s": 0.1,
        "end_s": 1})")));
}

TEST(Schema, KnowsTheKindsOfQuantitiesAndDistributionsOfMechanisms) {
    const auto with = [](const std::string& keys) {
        return json::parse(changed(R"({"system": null, "mechanism": "m.json", )" + keys + "}"));
    };
    EXPECT_TRUE(fits(schema(), with(R"("quantities": {"a": {"max": "tip[0]", "from_s": 1}})")));
    EXPECT_TRUE(fits(schema(), with(R"("quantities": {"a": {"first_time_below": {"channel": "x", "threshold": 1}}})")));
    EXPECT_TRUE(fits(schema(), with(R"("quantities": {"a": {"eigenfrequency_Hz": 1}})")));
    EXPECT_TRUE(fits(schema(), with(R"("parameters": {"bodies.rod.position_m": [0, {"values": [1, 2]}, 2]})")));
    EXPECT_FALSE(fits(schema(), with(R"("quantities": {"a": {"maximum": "tip[0]"}})")));
    EXPECT_FALSE(fits(schema(), with(R"("quantities": {"a": {"max": "x", "min": "x"}})")));
    EXPECT_FALSE(fits(schema(), with(R"("quantities": {"a": {"eigenfrequency_Hz": 1, "from_s": 1}})")));
    EXPECT_FALSE(fits(schema(), with(R"("quantities": {"a": {"max": 3}})")));
    EXPECT_FALSE(fits(schema(), with(R"("parameters": {"bodies.rod.mass_kg": {"normally": {"mean": 1}}})")));
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
    for (const char* keys : {R"({"instance": 3})",
                             R"({"system": "heavy_tap"})",
                             R"({"instances": 0})",
                             R"({"instances": 1.5})",
                             R"({"integrator": {"name": "dopri5", "step_s": 0.1, "end_s": 1}})",
                             R"({"integrator": {"name": "rk4", "step_s": -0.1, "end_s": 1}})",
                             R"({"integrator": {"name": "rk67", "step_s": 0.1, "end_s": 1, "dexp_inverse": "full"}})",
                             R"({"integrator": {"name": "rk4", "step_s": 0.1, "end_s": 1, "dexp_inverse": "whole"}})",
                             R"({"design": {"kind": "grid", "seed": 3}})",
                             R"({"parameters": {"mass": 3}})",
                             R"({"parameters": {"mass_kg": "heavy"}})",
                             R"({"parameters": {"mass_kg": {"normal": {"mean": 1}}}})",
                             R"({"parameters": {"centre_of_mass_m": [0, 1]}})",
                             R"({"observe": {"every_steps": 1, "channels": ["tlit"]}})",
                             R"({"quantities": {"a": {"max": "position"}}})",
                             R"({"quantities": {"a": {"max": "tilt", "min": "tilt"}}})",
                             R"({"quantities": {"a": {"from_s": 0.1}}})",
                             R"({"quantities": {"a": {"max": "tilt", "between": "ends"}}})",
                             R"({"quantities": {"a": {"max": "tilt", "probability": {"above": 3, "below": 2}}}})",
                             R"({"quantities": {"a": {"max": "orientation.top.norm"}}})",
                             R"({"statistics": {"quantiles": [2]}})"}) {
        EXPECT_FALSE(fits(schema(), json::parse(changed(keys)))) << keys;
        refused(keys);
    }
}

}  // namespace
}  // namespace myriad::study
