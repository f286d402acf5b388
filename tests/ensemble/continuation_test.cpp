// The earlier runs that a study can go on from, and the messages about the others.
#include "host/ensemble/continuation.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/text/version.hpp"

namespace myriad::ensemble {
namespace {

study::Study top(const std::string& design, std::uint64_t instances, const std::string& more = "") {
    const std::string distribution =
        design.find("grid") != std::string::npos
            ? "{\"uniform\": {\"low\": 14, \"high\": 16}, \"levels\": " + std::to_string(instances) + "}"
            : "{\"uniform\": {\"low\": 14, \"high\": 16}}";
    return study::parse_study(
        "{\"system\": \"heavy_top\", \"integrator\": {\"name\": \"rk4\", \"step_s\": 1e-3, \"end_s\": 0.1},"
        "\"instances\": " +
            std::to_string(instances) + ", \"design\": {\"kind\": \"" + design + "\"" + more +
            "}, \"parameters\": {\"mass_kg\": " + distribution + "}}",
        "top.json", ".");
}

results::RunIdentity run_of(const study::Study& study) {
    return {fingerprint_of_run(study), {0, study.instances}, study.instances};
}

std::string objection(const study::Study& theirs, const study::Study& ours) {
    return objection_to_continuing(ours, run_of(theirs), run_of(ours));
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Continuation, OfTheSameRunIsFree) {
    for (const char* design : {"monte_carlo", "sobol", "latin_hypercube", "grid"})
        EXPECT_EQ(objection(top(design, 33), top(design, 33)), "") << design;
}

TEST(Continuation, ExtendsDesignsWhosePointsDoNotDependOnTheirNumber) {
    for (const char* design : {"monte_carlo", "sobol"}) {
        EXPECT_EQ(objection(top(design, 33), top(design, 1000)), "") << design;
        EXPECT_TRUE(says(objection(top(design, 1000), top(design, 33)), "a run only grows")) << design;
        EXPECT_TRUE(says(objection(top(design, 33, ", \"seed\": 2"), top(design, 1000)), "another run")) << design;
    }
    EXPECT_TRUE(says(objection(top("latin_hypercube", 33), top("latin_hypercube", 1000)),
                     "a Latin hypercube has a fixed size and cannot be extended to 1000"));
    EXPECT_TRUE(says(objection(top("grid", 33), top("grid", 34)), "a grid has a fixed size"));
}

TEST(Continuation, NeedsTheSameBuild) {
    const study::Study study = top("monte_carlo", 33);
    results::RunIdentity theirs = run_of(study);
    EXPECT_TRUE(theirs.fingerprint.hash.ends_with(program_commit()));
    theirs.fingerprint.hash.replace(33, std::string::npos, std::string(program_version()) + "-0123456789ab");
    const std::string why = objection_to_continuing(study, theirs, run_of(study));
    EXPECT_TRUE(says(why, std::string("another build, myriad ") + program_version() + "-0123456789ab")) << why;
    EXPECT_TRUE(says(why, program_commit())) << why;
}

TEST(Continuation, OfRangesNeedsTheSameRange) {
    const study::Study study = top("sobol", 1000), larger = top("sobol", 2000);
    results::RunIdentity part = run_of(study), same = run_of(study), other = run_of(study);
    part.instances = same.instances = {500, 250}, other.instances = {500, 251};
    EXPECT_EQ(objection_to_continuing(study, part, same), "");
    EXPECT_TRUE(says(objection_to_continuing(study, part, other), "instances 500 to 749, this run has 500 to 750"));
    EXPECT_TRUE(says(objection_to_continuing(study, part, run_of(study)), "this run has 0 to 999"));
    EXPECT_TRUE(says(objection_to_continuing(larger, part, run_of(larger)), "only whole studies grow"));
}

TEST(Continuation, OfATableNeedsItsFirstRows) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "myriad_continuation_test";
    std::filesystem::create_directories(folder);
    const auto table = [&](int rows, int changed) {
        std::ofstream file(folder / "table.csv");
        file.precision(17);
        file << "mass_kg\n";
        for (int row = 0; row < rows; ++row) file << 14.0 + 0.01 * row + (row == changed ? 1e-9 : 0.0) << '\n';
        file.close();
        return study::parse_study(
            "{\"system\": \"heavy_top\", \"integrator\": {\"name\": \"rk4\", \"step_s\": "
            "1e-3, \"end_s\": 0.1}, \"design\": {\"kind\": \"table\", \"file\": "
            "\"table.csv\"}}",
            "top.json", folder);
    };
    const study::Study short_one = table(33, -1);
    EXPECT_EQ(objection(short_one, table(33, -1)), "");
    EXPECT_EQ(objection(short_one, table(100, -1)), "");
    EXPECT_EQ(objection(short_one, table(100, 33)), "");
    EXPECT_TRUE(says(objection(short_one, table(100, 5)), "where its first rows are those of the earlier run"));
    const std::string why = objection(table(100, -1), short_one);
    EXPECT_TRUE(says(why, "more than the 33 asked for: that one is top.json (100 instances of heavy_top")) << why;
    EXPECT_TRUE(says(why, "this one top.json (33 instances of heavy_top")) << why;
    EXPECT_FALSE(says(why, "\n")) << "a message shows it as a backslash and an n";
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace myriad::ensemble
