#include "host/text/json_text.hpp"

#include <filesystem>
#include <fstream>

#include "host/text/suggestion.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::study {
namespace {

using nlohmann::json;

json parsed_json(const std::string& text) { return JsonText(text, "a.json").root().json(); }

TEST(JsonText, ReadsCommentsAndTrailingCommas) {
    const std::string text = R"(// first
{ /* one, "two" */ "list": [1, 2, /* three */ ], // rest "of" the line
  "object": {"a": {},},
  "last": [[],],
})";
    EXPECT_EQ(parsed_json(text), json::parse(R"({"list": [1, 2], "object": {"a": {}}, "last": [[]]})"));
}

TEST(JsonText, LeavesStringsAlone) {
    EXPECT_EQ(parsed_json(R"({"a": "// no /* comment */ here,]", "b\"//": "\\", "c": "é,}"})"),
              json::parse(R"({"a": "// no /* comment */ here,]", "b\"//": "\\", "c": "é,}"})"));
}

TEST(JsonText, KeepsTheOrderOfKeys) {
    const JsonText text(R"({"zeta": 1, "alpha": {"b": [{"z": 1, "y": 2}], "a": 2}, "mu": 3})", "a.json");
    EXPECT_EQ(text.root().json().dump(), R"({"zeta":1,"alpha":{"b":[{"z":1,"y":2}],"a":2},"mu":3})");
    std::string keys;
    for (const auto& [key, value] : text.root().members()) keys += key + " ";
    EXPECT_EQ(keys, "zeta alpha mu ");
    EXPECT_EQ(with_sorted_keys(text.root().json()).dump(), R"({"alpha":{"a":2,"b":[{"y":2,"z":1}]},"mu":3,"zeta":1})");
}

TEST(JsonText, RefusesBytesThatAreNoText) {
    EXPECT_THAT(refused_json("{\"a\": \"\xff\"}"), has("a.json:1:8", "UTF-8"));
}

TEST(JsonText, RefusesNumbersThatAreNotFinite) {
    const JsonText quoted(R"({"a": "nan"})", "a.json");
    EXPECT_THAT(refusal([&] { quoted.root().find("a")->number(); }), has("a.json:1:2: /a: ", "finite"));
}

TEST(JsonText, RefusesDeepNesting) {
    EXPECT_THAT(refused_json(std::string(100000, '[')), has("a.json:1:65", "nesting"));
    JsonText(std::string(64, '[') + std::string(64, ']'), "a.json");
}

TEST(JsonText, RefusesAMissingFileAndAFolder) {
    EXPECT_THAT(refusal([] { JsonText::read("no_such_study.json"); }), has("no_such_study.json", "cannot be read"));
    EXPECT_THAT(refusal([] { JsonText::read(std::filesystem::temp_directory_path()); }), has("folder"));
}

TEST(JsonValue, SaysWhatItExpectedAndWhatItFound) {
    const JsonText text(R"({
 "number": "1.5", "object": [1, 2], "text": 3, "whole": 1.5, "negative": -1, "boolean": "true", "array": {},
 "positive": 0, "null": null})",
                        "a.json");
    const auto at = [&](const char* key) { return *text.root().find(key); };
    EXPECT_THAT(refusal([&] { at("number").number(); }),
                has("a.json:2:2: /number: ", "expected a number", "\"1.5\"", "without quotes"));
    EXPECT_THAT(refusal([&] { at("null").number(); }), has("expected a number", "null"));
    EXPECT_THAT(refusal([&] { at("object").members(); }), has("expected an object", "an array of 2"));
    EXPECT_THAT(refusal([&] { at("text").string(); }), has("expected a text", "the number 3"));
    EXPECT_THAT(refusal([&] { at("whole").whole_number(); }), has("expected a whole number", "1.5"));
    EXPECT_THAT(refusal([&] { at("negative").whole_number(); }), has("expected a whole number", "-1"));
    EXPECT_THAT(refusal([&] { at("boolean").boolean(); }), has("expected true or false"));
    EXPECT_THAT(refusal([&] { at("array").elements(); }), has("expected an array", "an object"));
    EXPECT_THAT(refusal([&] { at("positive").positive_number(); }), has("above 0"));
    EXPECT_THAT(refusal([&] { text.root().member("absent", "a number"); }), has("\"absent\" is missing", "a number"));
}

TEST(JsonValue, TakesAWholeNumberInAnyNotation) {
    const JsonText text(R"([100000, 1e5, 100000.0, 18446744073709551615])", "a.json");
    const std::vector<JsonValue> elements = text.root().elements();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(elements[k].whole_number(), 100000u);
    EXPECT_EQ(elements[3].whole_number(), 18446744073709551615u);
}

TEST(JsonValue, SuggestsTheNearestKey) {
    const JsonText text("{\n  \"instnaces\": 3}", "a.json");
    const std::vector<std::string> known = {"integrator", "instances", "design"};
    EXPECT_THAT(
        refusal([&] { text.root().require_keys(known); }),
        has("a.json:2:3: /instnaces: ", "unknown", "did you mean \"instances\"?", "integrator, instances, design"));
}

TEST(Suggestion, CountsTypingErrors) {
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("step_s", "setp_s"), 1u);
    EXPECT_EQ(edit_distance("RK4", "rk4"), 0u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    const std::vector<std::string> known = {"gravity_m_s2", "mass_kg"};
    EXPECT_EQ(nearest("mass", known), "mass_kg");
    EXPECT_EQ(nearest("viscosity", known), "");
}

TEST(Assignment, ReplacesAndAddsValues) {
    JsonText text(R"({"a": {"b": 1, "c.d": {"e": 2}}, "rate": [0, {"f": 1}, 3]})", "a.json");
    const std::vector<std::string> dotted = {"m.n"};
    text.assign("a.b=2.5", dotted);
    text.assign("a.c.d.e={\"g\": [1]}", dotted);
    text.assign("a.m.n.o=text", dotted);
    text.assign("/new/key=\"1=2\"", dotted);
    text.assign("rate[1].f=7", dotted);
    text.assign("rate.2=8", dotted);
    EXPECT_EQ(json(text.root().json()), json::parse(R"({"a": {"b": 2.5, "c.d": {"e": {"g": [1]}}, "m.n": {"o": "text"}},
                                                  "new": {"key": "1=2"}, "rate": [0, {"f": 7}, 8]})"));
}

TEST(Assignment, TakesAKeyAwayByNull) {
    JsonText text(R"({"a": {"b": 1, "c": {"d": 2}}, "e": 3})", "a.json");
    text.assign("a.c=null", {});
    text.assign("e=null", {});
    EXPECT_EQ(json(text.root().json()), json::parse(R"({"a": {"b": 1}})"));
    EXPECT_THAT(refusal([&] { text.assign("a.bb=null", {}); }), has("-o a.bb=null", "no /a/bb to take away"));
}

TEST(Assignment, StandsInTheMessages) {
    JsonText text("{\"a\": {\"b\": 1}}", "a.json");
    text.assign("a.b=NaN", {});
    EXPECT_THAT(refusal([&] { text.root().find("a")->find("b")->number(); }),
                has("a.json, -o a.b=NaN: /a/b: ", "finite"));
    EXPECT_THAT(refusal([&] { text.assign("a.b", {}); }), has("-o a.b", "no assignment"));
    EXPECT_THAT(refusal([&] { text.assign("a.b=\xff", {}); }), has("-o a.b=\\xff", "no UTF-8"));
    EXPECT_THAT(refusal([&] { text.assign("a.b=" + std::string(100, '[') + std::string(100, ']'), {}); }),
                has("-o a.b=", "nesting"));
    EXPECT_THAT(refusal([&] { text.assign("a.b.c=1", {}); }), has("-o a.b.c=1", "/a/b is no object"));
    text.assign("a=[1, 2]", {});
    EXPECT_THAT(refusal([&] { text.assign("a.2=1", {}); }), has("elements 0 to 1"));
}

}  // namespace
}  // namespace myriad::study
