// The key "results": what a file keeps of a run.
#include <nlohmann/json.hpp>

#include "host/study/study.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

const std::string observed_and_reduced =
    R"("observe": {"every_steps": 25, "channels": ["energy"]}, "quantities": {"last_J": {"final": "energy"}})";

std::string with_results(const std::string& results) {
    return changed("{" + observed_and_reduced + R"(, "results": )" + results + "}");
}
Study kept(const std::string& results) { return parsed(with_results(results)); }

TEST(ResultSettings, KeepAllAsTheyAreByDefault) {
    const Study study = parsed(changed("{" + observed_and_reduced + "}"));
    EXPECT_TRUE(study.results.keeps_quantities && study.results.keeps_states && study.results.keeps_certificate &&
                study.results.keeps_trajectories);
    EXPECT_EQ(study.results.trajectory_precision, backends::Precision::fp64);
    EXPECT_EQ(study.results.compression, 0);
    EXPECT_EQ(kept("{}").canonical_json, study.canonical_json);
    EXPECT_EQ(kept(R"({"keep": ["trajectories", "states", "quantities", "certificate"], "compression": 0,
                       "trajectory_precision": "fp64"})")
                  .canonical_json,
              study.canonical_json);
}

TEST(ResultSettings, AreReadAndReadAgainFromTheWholeStudy) {
    const std::string all = R"({"keep": ["trajectories", "quantities"], "trajectory_precision": "fp32",
                               "compression": 9})";
    const Study first = kept(all), again = parsed(first.canonical_json);
    for (const Study* study : {&first, &again}) {
        EXPECT_TRUE(study->results.keeps_quantities && study->results.keeps_trajectories);
        EXPECT_FALSE(study->results.keeps_states || study->results.keeps_certificate);
        EXPECT_EQ(study->results.trajectory_precision, backends::Precision::fp32);
        EXPECT_EQ(study->results.compression, 9);
    }
    EXPECT_EQ(again.canonical_json, first.canonical_json);
    EXPECT_EQ(again.fingerprint(), first.fingerprint());
}

TEST(ResultSettings, OfAnotherCompressionAreTheSameRunAndOfOtherColumnsAreNot) {
    const std::string plain = kept("{}").fingerprint();
    EXPECT_EQ(kept(R"({"compression": 3})").fingerprint(), plain);
    EXPECT_NE(kept(R"({"trajectory_precision": "fp32"})").fingerprint(), plain);
    EXPECT_NE(kept(R"({"keep": ["quantities"]})").fingerprint(), plain);
}

TEST(ResultSettings, WithoutTrajectoriesObserveNothingUnlessTheStepsWouldChange) {
    EXPECT_EQ(kept(R"({"keep": ["quantities"]})").observation.rows, 0u);
    const std::string adaptive = R"({"integrator": {"name": "dopri5", "end_s": 1, "relative_tolerance": 1e-6,
        "absolute_tolerance": 1e-6}, "observe": {"every_s": 0.25, "channels": ["energy"]},
        "results": {"keep": ["quantities"]}})";
    EXPECT_EQ(parsed(changed(adaptive)).observation.rows, 5u);
}

}  // namespace
}  // namespace myriad::study
