// Limits of files are checked before anything is built from them, and files just below the limits are read.
#include <sstream>

#include "host/text/json_text.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/table.hpp"
#include "tests/study/mechanism_texts.hpp"

namespace myriad::study {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (std::size_t k = 0; k < times; ++k) all += text;
    return all;
}

std::string refused_table(const std::string& text) {
    return refusal([&] {
        std::istringstream lines(text);
        CsvTable::read(lines, "cases.csv");
    });
}

TEST(ReaderLimits, AreNamedWhereAJsonFileExceedsThem) {
    const std::string most = std::to_string(most_json_places);
    EXPECT_THAT(refused_json("[\n" + repeated("[],", most_json_places) + "]"), has("a.json:2:", most));
    EXPECT_THAT(refused_json("{\"a\": 1,\n\"" + std::string(1'000'000, 'x') + "\": 0}"),
                has("a.json:2:1: ", "1000000 letters", std::to_string(longest_json_key)));
    EXPECT_THAT(refused_json("{\"" + repeated("\\\"", 100'000) + "\": 0}"), has("a.json:1:2: ", "100000 letters"));
    const std::string long_key = "{\"" + std::string(longest_json_key, 'k') + "\": ";
    EXPECT_THAT(refused_json(repeated(long_key, 6) + "0" + std::string(6, '}')),
                has("a.json:1:", std::to_string(longest_json_path)));
    JsonText(repeated(long_key, 4) + "0" + std::string(4, '}'), "a.json");
}

TEST(ReaderLimits, LetLargeFilesBeRead) {
    std::string one_line = "{", lines;
    for (int k = 0; k < 100'000; ++k) one_line += (k ? ", " : "") + ("\"key_" + std::to_string(k)) + "\": [1]";
    const JsonText text(one_line + "}", "a.json");
    EXPECT_EQ(text.root().members().size(), 100'000u);
    EXPECT_THAT(text.where("/key_99999"), has("a.json:1:1788874: "));
    EXPECT_THAT(refused_json("[" + repeated("1,\n", 1'000'000) + "tru]"), has("a.json:1000001:4: "));
    EXPECT_THAT(refused_json(repeated("// a comment\n", 200'000)), has("the text is empty"));
}

TEST(ReaderLimits, LongWordsGetNoSuggestion) {
    std::vector<std::string> known;
    for (int k = 0; k < 2000; ++k) known.push_back("parameters.length_" + std::to_string(k) + "_m");
    EXPECT_EQ(nearest(std::string(1'000'000, 'x'), known), "");
    EXPECT_THAT(suggestion(std::string(1'000'000, 'x'), known, "parameters"), has("there are 2000 parameters"));
    EXPECT_EQ(nearest("parameters.lenght_77_m", known), "parameters.length_77_m");
}

TEST(ReaderLimits, AreNamedWhereATableExceedsThem) {
    std::string header = "c0";
    for (int k = 1; k < 100'000; ++k) header += ",c" + std::to_string(k);
    EXPECT_THAT(refused_table(header + "\n1\n"), has("cases.csv, line 1: ", "100000 columns", "10000"));
    EXPECT_THAT(refused_table("a," + std::string(100'000, 'x') + "\n1,2\n"), has("column 2", "100000 bytes", "200"));
    EXPECT_THAT(refused_table("a\n1\n" + std::string(2'000'000, '1') + "\n"), has("line 3: ", "1048576 bytes"));
    EXPECT_THAT(refused_table("a\n" + repeated("1\n", 300'000) + "x\n"), has("line 300002: "));
}

TEST(ReaderLimits, AreNamedWhereAStudyExceedsThem) {
    EXPECT_THAT(refused(R"({"instances": 1e15})"), has("/instances: ", "1000000000000000 instances", "10000000000"));
    EXPECT_THAT(refused(R"({"instances": 1e12, "design": {"kind": "sobol"}})"), has("/instances: ", "10000000000"));
    nlohmann::json quantiles = {{"quantiles", nlohmann::json::array()}}, quantities, correlations;
    for (int k = 0; k < 1001; ++k) quantiles["quantiles"].push_back(0.5);
    EXPECT_THAT(refused(nlohmann::json{{"statistics", quantiles}}.dump()), has("1001 quantiles", "1000"));
    for (int k = 0; k < 2000; ++k) quantities["q" + std::to_string(k)] = {{"final", "energy"}};
    EXPECT_THAT(refused(nlohmann::json{{"quantities", quantities}}.dump()), has("2000 quantities", "16"));
    for (int k = 0; k < 5; ++k) correlations.push_back({{"between", {"mass_kg", "mass_kg"}}, {"correlation", 0.5}});
    EXPECT_THAT(
        refused(nlohmann::json{{"parameters", {{"mass_kg", {{"values", {14, 15}}}}}}, {"correlations", correlations}}
                    .dump()),
        has("/correlations: ", "5 correlations of 1 varied"));
}

TEST(ReaderLimits, AllParametersOfALongListCanBeGiven) {
    nlohmann::json mechanism = pendulum_json(), parameters;
    for (int k = 0; k < 5000; ++k) {
        const std::string name = "spare_" + std::to_string(k);
        mechanism["parameters"][name] = "length_m + " + std::to_string(k);
        parameters["parameters." + name] = k;
    }
    const Study study = parsed(pendulum_study(nlohmann::json{{"parameters", parameters}}.dump(), mechanism));
    EXPECT_EQ(std::count(study.given.begin(), study.given.end(), 1), 5000);
}

}  // namespace
}  // namespace myriad::study
