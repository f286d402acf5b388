// What a file of claims says is what is compared, and a file that says too little or something else is refused.
#include "host/validation/expected_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/text/user_error.hpp"
#include "host/validation/expected_case.hpp"

namespace myriad::validation {

namespace {

// Falls from rest; the third instance with half the gravity.
constexpr const char* falling = R"("study": {
    "mechanism": {"gravity_m_s2": [0, 0, -10], "parameters": {"height_m": 3},
                  "bodies": {"ball": {"mass_kg": 2, "inertia_kg_m2": [1, 1, 1], "position_m": [0, 0, "height_m"]}}},
    "integrator": {"name": "rk4", "step_s": 0.01, "end_s": 1}, "design": {"kind": "grid"},
    "parameters": {"gravity_m_s2[2]": {"values": [-10, -8, -5]}}})";

class ExpectedFiles : public testing::Test {
  protected:
    ~ExpectedFiles() override { std::filesystem::remove(file_); }

    const ExpectedFile& read(const std::string& members) {
        std::ofstream(file_) << "{\"title\": \"ball\", \"source\": \"closed form\", " << members << "}";
        return read_ = read_expected(file_);
    }
    // Those of a file with these claims about the falling ball.
    std::vector<Row> rows(const std::string& claims, const std::string& members = "") {
        read(falling + (", " + members) + "\"claims\": [" + claims + "]");
        const auto device = backends::make_backend(backends::names::cpu, {});
        return expected_rows(read_, forms[1], *device);
    }
    std::string refusal_of(const std::string& claims, const std::string& members = "") {
        try {
            rows(claims, members);
        } catch (const UserError& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::usage_or_input);
            return error.what();
        }
        return "accepted";
    }

    ExpectedFile read_;

  private:
    std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                  ("myriad_expected_" + std::to_string(::getpid()) + "_" +
                                   testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
};

// Round-off of a hundred steps.
constexpr const char* tolerated = R"("tolerance": 1e-12, "reason": "round-off")";

}  // namespace

TEST_F(ExpectedFiles, CompareChannelsAtTimesWithFormulasOfTheInstanceAndTheTime) {
    const auto found = rows(std::string(R"({"channel": ["position.ball.z", "velocity.ball.z"], "at_s": [0, 0.3, 1],
            "equals": [["height_m + fallen", "gravity_m_s2.z * t"]], )") +
                                tolerated + "}",
                            R"("let": {"fallen": "gravity_m_s2.z * t^2 / 2"}, )");
    ASSERT_EQ(found.size(), 6u);
    for (const Row& row : found) {
        EXPECT_TRUE(row.passed()) << row.quantity << ": " << row.ours;
        EXPECT_EQ(row.source, "closed form");
        EXPECT_EQ(row.tolerance_reason, "round-off");
        EXPECT_EQ(row.tolerance, 1e-12);
    }
    EXPECT_EQ(found[3].quantity, "velocity.ball.z (m/s) at 0.3 s");
}

TEST_F(ExpectedFiles, ShowTheInstanceThatIsFarthestOff) {
    const std::string of_the_first = R"({"channel": "velocity.ball.z", "equals": -10, )";
    const auto all = rows(of_the_first + tolerated + "}"),
               one = rows(of_the_first + R"("instance": 0, )" + tolerated + "}");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_FALSE(all[0].passed());
    EXPECT_NEAR(all[0].ours, -5.0, 1e-12);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_TRUE(one[0].passed());
}

TEST_F(ExpectedFiles, ShowTheLargestDistanceOfAllRows) {
    const auto found = rows(std::string(R"({"channel": "position.ball", "every_s": 0.1, "instance": 2,
        "equals": [3, 4, "height_m + gravity_m_s2.z * t^2 / 2"], )") +
                            tolerated + "}");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].ours, 5.0, 1e-12);
    EXPECT_EQ(found[0].expected, 0.0);
    EXPECT_FALSE(found[0].passed());
}

TEST_F(ExpectedFiles, TakeLimitsAndOrdersOfErrorsThatArePowersOfTheStep) {
    const auto found = rows(R"(
        {"name": "limit", "formula": "2 + step_s^2 - 3 * step_s^4", "equals": 2, "steps_s": [0.1, 0.05, 0.025],
         "error_power": 2, "tolerance": 1e-14, "reason": "round-off"},
        {"name": "third", "order": 3, "of": {"formula": "1 - step_s^3", "equals": 1}, "steps_s": [0.1, 0.02],
         "tolerance": 1e-9, "reason": "round-off"},
        {"name": "first", "order": 1, "of": {"formula": "1 + step_s", "equals": 1}, "tolerance": 1e-9, "reason": "round-off"},
        {"name": "not second", "order": 2, "of": {"formula": "1 + step_s", "equals": 1}, "tolerance": 0.1, "reason": "x"})");
    ASSERT_EQ(found.size(), 4u);
    for (const Row& row : found) EXPECT_EQ(row.passed(), row.quantity.find("not") == std::string::npos) << row.quantity;
    EXPECT_NEAR(found[3].ours, 1.0, 1e-9);
}

TEST_F(ExpectedFiles, CountEndingsAndCompareWithTheTwinAndReadTheCertificate) {
    const auto found = rows(R"({"status": "ok"}, {"status": "newton_stalled"},
        {"twin": 1e-13, "of": ["position.ball", "orientation.ball"], "every_s": 0.5, "reason": "round-off"},
        {"certificate": "energy_balance", "over": "2 * 10 * height_m", "at_most": 1e-13, "reason": "round-off"})");
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].ours, 3.0);
    EXPECT_TRUE(found[0].passed());
    EXPECT_FALSE(found[1].passed());
    EXPECT_TRUE(found[2].passed()) << found[2].ours;
    EXPECT_EQ(found[2].source, "reference backend");
    EXPECT_TRUE(found[3].passed()) << found[3].ours;
}

TEST_F(ExpectedFiles, MakeTheRunsThatAClaimNames) {
    const std::string members = R"("coordinates": ["joint", "body"], "runs": {"rk4 long": {"integrator.end_s": 2},
        "rk4 short": {"integrator.end_s": 0.5}, "euler": {"integrator.name": "implicit_euler", "forms": "reference"}}, )";
    const auto found = rows(std::string(R"({"runs": "rk4 *", "coordinates": "body", "channel": "velocity.ball.z",
        "equals": "gravity_m_s2.z * end_s", )") +
                                tolerated + "}, {\"status\": \"ok\"}",
                            members);
    ASSERT_EQ(found.size(), 6u);  // the third run is for another form
    EXPECT_EQ(found[0].quantity, "rk4 long: velocity.ball.z (m/s), body coordinates");
    for (const Row& row : found) EXPECT_TRUE(row.passed()) << row.quantity;
}

TEST_F(ExpectedFiles, TakePublishedValuesWithTheirSourceAndRounding) {
    const auto found = rows(R"({"name": "energy", "formula": "5435.69679 + 0.000000866", "at_s": 0,
        "equals": "published.heavy_top.energy", "tolerance": "rounding", "reason": "rounding"})");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].passed());
    EXPECT_DOUBLE_EQ(found[0].tolerance, 0.5e-9);
    EXPECT_EQ(found[0].source, "initial state");
}

TEST_F(ExpectedFiles, RefuseWhatSaysTooLittleOrSomethingElse) {
    const std::string height = R"("channel": "position.ball.z", "equals": 0)";
    struct Refused {
        std::string claim;
        std::vector<std::string> words;
    };
    for (const Refused& refused : std::vector<Refused>{
             {"{" + height + R"(, "tolerence": 1})", {"/claims/0/tolerence", "did you mean \"tolerance\"?"}},
             {"{" + height + R"(, "tolerance": 1})", {"/claims/0", "has no reason"}},
             {"{" + height + R"(, "reason": "x"})", {"has no tolerance"}},
             {R"({"channel": "position.ball.z"})", {"nothing is claimed"}},
             {R"({"equals": 0, "tolerance": 1, "reason": "x"})", {"measures nothing", "quantity"}},
             {"{" + height + R"(, "quantity": "x", "tolerance": 1, "reason": "x"})", {"measures two things"}},
             {R"({"channel": "position.bal.z", "equals": 0, "tolerance": 1, "reason": "x"})",
              {"/claims/0/channel", "position.ball.z"}},
             {R"({"quantity": "x", "equals": 0, "tolerance": 1, "reason": "x"})", {"/claims/0/quantity", "\"x\""}},
             {R"({"certificate": "energy_balnce", "at_most": 1, "reason": "x"})", {"did you mean \"energy_balance\"?"}},
             {R"({"certificate": "energy_balance", "at_s": 1, "at_most": 1, "reason": "x"})", {"whole run"}},
             {R"({"channel": "position.ball", "equals": [1, 2], "tolerance": 1, "reason": "x"})",
              {"claims 2 values, and 3 are measured"}},
             {R"({"channel": "position.ball.z", "at_s": [0, 1], "equals": [1, 2, 3], "tolerance": 1, "reason": "x"})",
              {"/claims/0/equals", "3 values for 2 times"}},
             {R"({"channel": "position.ball.z", "equals": "heigth_m", "tolerance": 1, "reason": "x"})",
              {"/claims/0/equals: ", "\"heigth_m\""}},
             {"{" + height + R"(, "tolerance": "heigth_m", "reason": "x"})", {"/claims/0/tolerance: ", "\"heigth_m\""}},
             {"{" + height + R"(, "over": "heigth_m", "tolerance": 1, "reason": "x"})",
              {"/claims/0/over: ", "\"heigth_m\""}},
             {R"({"status": "newton_staled"})", {"/claims/0/status", "did you mean \"newton_stalled\"?"}},
             {R"({"statsu": "ok"})", {"/claims/0/statsu", "did you mean \"status\"?"}},
             {R"({"status": "running"})", {"/claims/0/status"}},
             {R"({"status": "ok", "runs": "fast"})", {"/claims/0/runs", "the file has no \"runs\""}},
             {R"({"status": "ok", "coordinates": "body"})", {"/claims/0/coordinates", "has no \"coordinates\""}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "at_s": 2})",
              {"/claims/0/at_s: 2 s is after the end of the run, 1 s"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "at_s": [0.1, 0.013]})",
              {"/claims/0/at_s: ", "0.013 s is no multiple of the step 0.01 s"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "every_s": 0.013})",
              {"/claims/0/every_s: ", "0.013 s is no multiple of the step 0.01 s"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "every_s": 1e-9})", {"/claims/0/every_s: 1e-09 s"}},
             {R"({"channel": "position.ball.z", "equals": "published.top", "tolerance": 1, "reason": "x"})",
              {"/claims/0/equals: ", "no published value"}},
             {R"({"formula": "1", "equals": 1, "tolerance": 1, "reason": "x"})", {"no name"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "forms": "cpus"})", {"did you mean \"cpu\"?"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "steps_s": [0.1, 0.2], "error_power": 1})",
              {"no falling steps"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "steps_s": [0.2, 0.1]})", {"error_power"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "instance": 3})", {"no instance 3"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "at_s": -1})", {"/claims/0/at_s", "the time is -1 s"}},
             {"{" + height + R"(, "tolerance": -1, "reason": "x"})", {"/claims/0", "the tolerance is -1"}},
             {"{" + height + R"(, "tolerance": "1 / 0", "reason": "x"})", {"/claims/0", "the tolerance is inf"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "steps_s": [0.1, -0.1], "error_power": 1})",
              {"no falling steps"}},
             {R"({"channel": "position.ball.z", "equals": [], "tolerance": 1, "reason": "x"})",
              {"/claims/0/equals", "the list is empty"}},
             {R"({"twin": 1, "of": [], "reason": "x"})", {"/claims/0/of", "the list is empty"}},
             {"{" + height + R"(, "tolerance": 1, "reason": "x", "every_s": 0.1, "from_s": 2})",
              {"/claims/0", "no row is at or after 2 s"}},
             {"", {"/claims", "nothing is claimed"}}}) {
        const std::string message = refusal_of(refused.claim);
        for (const std::string& words : refused.words)
            EXPECT_NE(message.find(words), std::string::npos) << refused.claim << "\n" << message;
    }
    const std::string claim = "{" + height + R"(, "tolerance": 1, "reason": "x"})";
    const std::string no_such_run =
        refusal_of(R"({"status": "ok", "runs": "fast *"})", R"("runs": {"slow": {}, "slower": {}}, )");
    EXPECT_NE(no_such_run.find("/claims/0/runs: no run begins so\n  the runs are: slow, slower"), std::string::npos)
        << no_such_run;
    EXPECT_NE(refusal_of(claim, R"("runs": {}, )").find("/runs: it names no run"), std::string::npos);
    for (const char* let : {R"("let": {"a": "a"}, )", R"("let": {"a": "b + 1", "b": "a"}, )"})
        EXPECT_NE(refusal_of(claim, let).find("/let/a: it reads \""), std::string::npos) << let;
    EXPECT_NE(refusal_of("{" + height + R"(, "tolerance": "a", "reason": "x"})", R"("let": {"a": "heigth_m"}, )")
                  .find("/let/a: "),
              std::string::npos);
    EXPECT_THROW(read(R"("study": "nowhere.json", "claims": [)" + claim + "]"), UserError);
}

TEST_F(ExpectedFiles, AreRefusedInAFormOfWhichTheyClaimNothing) {
    read(falling + std::string(R"(, "forms": ["cuda"], "claims": [{"status": "ok"}])"));
    try {
        run_validations({read_.where}, backends::names::cpu, 1);
        FAIL() << "accepted";
    } catch (const UserError& error) {
        EXPECT_EQ(error.where(), read_.where);
        EXPECT_NE(error.what_is_wrong().find("nothing is claimed of the form cpu"), std::string::npos) << error.what();
    }
}

TEST(BundledClaims, HaveNamesOfTheirOwnAndHoldOnACpu) {
    std::set<std::string> names;
    for (const std::string& name : validation_cases()) EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_GT(bundled_expected_files().size(), 20u);
    for (const auto& file : bundled_expected_files()) EXPECT_TRUE(holds_for(read_expected(file), forms[1])) << file;
}

}  // namespace myriad::validation
