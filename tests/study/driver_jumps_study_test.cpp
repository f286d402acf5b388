// Studies with drivers whose values or rates jump.
#include "host/mechanism/mechanism.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

nlohmann::json driven_arm(const std::string& angle) {
    nlohmann::json study = nlohmann::json::parse(R"json({
        "mechanism": {
            "parameters": {"begin_s": 0.2},
            "bodies": {"arm": {"mass_kg": 2, "inertia_kg_m2": [0.02, 0.3, 0.3], "centre_of_mass_m": [0.4, 0, 0]}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                                 "axes": [[0, 0, 1], [0, 0, 1]]}},
            "drivers": {"turn": {"type": "angle", "joint": "hinge"}}},
        "integrator": {"name": "generalized_alpha", "step_s": 0.001, "end_s": 1}, "instances": 1})json");
    study["mechanism"]["drivers"]["turn"]["value_rad"] = angle;
    return study;
}
Study studied(const nlohmann::json& text) { return parse_study(text.dump(), "study.json", ""); }

TEST(StudyDriverJumps, OfARateRunInJointCoordinatesAlone) {
    nlohmann::json study = driven_arm("2 * max(0, t - begin_s)");
    EXPECT_EQ(studied(study).coordinates, mechanism::Coordinates::joint);
    study["coordinates"] = "body";
    EXPECT_THAT(
        refusal([&] { studied(study); }),
        has("/mechanism", "the rate of the driver turn jumps at 0.2 s, from 0 to 2", "\"coordinates\": \"joint\""));
    study.erase("coordinates");
    study["integrator"]["name"] = "energy_momentum";
    EXPECT_THAT(refusal([&] { studied(study); }), has("the driver turn jumps at 0.2 s", "joint coordinates"));
    EXPECT_NO_THROW(studied(driven_arm("if(t < 0.5, t^2, t - 0.25)"))) << "only its acceleration jumps";
}

TEST(StudyDriverJumps, OfAValueAreRefused) {
    nlohmann::json study = driven_arm("if(t < begin_s, 0, 0.5)");
    EXPECT_THAT(refusal([&] { studied(study); }),
                has("/mechanism", "the value of the driver turn jumps at 0.2 s, from 0 to 0.5", "begin where"));
    study["parameters"]["parameters.begin_s"] = {{"uniform", {{"low", 0.1}, {"high", 3.0}}}};
    study["instances"] = 10;
    EXPECT_THAT(studied(study).warnings, testing::Contains(testing::HasSubstr("invalid_parameter")));
    EXPECT_NO_THROW(studied(driven_arm("if(t < 0, 0, 0.5)"))) << "what happens at 0 belongs to the start";
}

TEST(StudyDriverJumps, AtCornersWithoutBranchesAreRefusedAndBoundedFormulasAreNot) {
    EXPECT_THAT(refusal([&] { studied(driven_arm("sqrt((t - begin_s)^2)")); }),
                has("/mechanism", "the formula of the driver turn comes at 0.2 s to a corner of sqrt", "abs(t - 1)"));
    EXPECT_THAT(refusal([&] { studied(driven_arm("asin(sin(5 * t))")); }), has("comes at 0.314159 s to a corner"));
    for (const char* smooth : {"sqrt(1 + t^2)", "asin(0.3 * sin(5 * t))", "atan2(1 + t, t - 0.5)"})
        EXPECT_NO_THROW(studied(driven_arm(smooth))) << smooth;
}

TEST(StudyDriverJumps, NameTheFormula) {
    EXPECT_THAT(refusal([&] { studied(driven_arm("if(t < begin_s, 0, 0.5)")); }), has(": \"if(t < begin_s, 0, 0.5)\""));
    EXPECT_THAT(refusal([&] { studied(driven_arm("sqrt((t - begin_s)^2)")); }), has(": \"sqrt((t - begin_s)^2)\""));
}

TEST(StudyDrivers, WithoutAFiniteValueRateOrAccelerationAreRefusedWithFormulaAndTime) {
    const auto refused = [](const char* formula) { return refusal([&] { studied(driven_arm(formula)); }); };
    EXPECT_THAT(refused("(t - 0.1)^0.5"),
                has("/mechanism/drivers/turn",
                    "the value of the driver turn is not a finite number at t = 0: \"(t - 0.1)^0.5\"",
                    "keep the argument of sqrt"));
    EXPECT_THAT(refused("sqrt(t)"), has("the rate of the driver turn is not a finite number at t = 0: \"sqrt(t)\""));
    EXPECT_THAT(refused("t^1.5"),
                has("the acceleration of the driver turn is not a finite number at t = 0", "exponent of 2"));
    EXPECT_THAT(
        refused("0.1 * max(0, t - 0.1)^1.5"),
        has("/mechanism", "the acceleration of the driver turn is not a finite number at t = 0.1 s, where a step ends",
            "max(0, t - 1)^2"));
    EXPECT_THAT(refused("log(0.7 - t)"),
                has("/mechanism", "the value of the driver turn is not a finite number from t = 0.7 s on"));
    for (const char* sound :
         {"max(0, t - 0.1)^2", "max(0, t - 0.1)^2.5", "if(t < 0.7, sqrt(1 - t), sqrt(0.3))", "(1.2 + sin(4 * t))^1.5"})
        EXPECT_NO_THROW(studied(driven_arm(sound))) << sound;
    nlohmann::json study = driven_arm("log(0.7 + begin_s - t)");
    study["parameters"]["parameters.begin_s"] = {{"uniform", {{"low", 0.1}, {"high", 3.0}}}};
    study["instances"] = 10, study["mechanism"]["parameters"]["begin_s"] = 0.2;
    EXPECT_NO_THROW(studied(study));
}

}  // namespace
}  // namespace myriad::study
