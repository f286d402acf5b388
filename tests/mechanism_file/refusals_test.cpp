// Mechanism files beyond what is read of them. The other refusals stand in tests/refusals.
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

std::string refused(const std::string& path, const std::string& value) {
    return study::refusal([&] { parsed(changed(every_entry(), path, value)); });
}

// The reason first, and of a formula of 5 kB what stands at the fault.
TEST(MechanismRefusals, OfLongFormulasShowAPart) {
    std::string sum = "1";
    for (int i = 0; i < 500; ++i) sum += " + length_m";
    const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
    const std::string constant = refused("/bodies/rod/mass_kg", quoted(sum + " - log(-1)")),
                      driver = refused("/drivers/turn/value_rad", quoted("t * (" + sum + " + 2 rad)")),
                      force = refused("/forces/pull/force_N", "[0, 0, " + quoted("sin(t) * (" + sum + ") +") + "]");
    EXPECT_THAT(constant, has(": this expression is not finite: ", "1 + length_m", " ...\""));
    EXPECT_THAT(driver, has(": an operator is missing before \"r\", at character 5512 of \"... ", "2 rad)\""));
    EXPECT_THAT(force, has(": the formula ends where a number or name should follow, at character "));
    for (const std::string& message : {constant, driver, force}) EXPECT_LT(message.size(), 400u) << message;
}

TEST(MechanismRefusals, MoreThanTheCompiledLimits) {
    const auto too_many = [](const std::string& section, int count, const auto& entry) {
        json text = two_bodies();
        for (int k = 0; k < count; ++k) text[section]["number_" + std::to_string(k)] = entry(text);
        return study::refusal([&] { parsed(text); });
    };
    const auto limit = [](int most, const std::string& what) {
        return has("more than " + std::to_string(most) + " " + what, std::string("kernels/mechanism/topology.hpp"));
    };
    EXPECT_THAT(too_many("bodies", most_bodies, [](const json& text) { return text["bodies"]["rod"]; }),
                limit(most_bodies, "bodies"));
    const auto weld = [](const json&) { return every_entry()["joints"]["fixed"]; };
    EXPECT_THAT(too_many("joints", most_rows / 6 + 1, weld), limit(most_rows, "rows"));
    EXPECT_THAT(too_many("joints", most_elements + 1, [](const json&) { return every_entry()["joints"]["dot_2"]; }),
                has("more than "));
    EXPECT_THAT(too_many("sensors", most_elements + 1, [](const json&) { return every_entry()["sensors"]["span"]; }),
                limit(most_elements, "elements"));
    EXPECT_THAT(too_many("sensors", 200, [](const json&) { return every_entry()["sensors"]["tip"]; }),
                limit(most_mechanism_channels, "channels"));
    EXPECT_THAT(too_many("forces", most_functions / 3 + 1, [](const json&) { return every_entry()["forces"]["pull"]; }),
                has("/forces/number_", std::to_string(most_functions)));
}

TEST(MechanismRefusals, CountsBeforeItBuilds) {
    const json tip = every_entry()["sensors"]["tip"], rod = two_bodies()["bodies"]["rod"];
    const auto refusal_of_many = [&](const char* section, const json& entry) {
        json text = two_bodies();
        for (int k = 0; k < 20000; ++k) text[section]["number_" + std::to_string(k)] = entry;
        return study::refusal([&] { parse_mechanism(text.dump(), "test.json"); });
    };
    EXPECT_THAT(refusal_of_many("sensors", tip), has("/sensors: ", "more than 512 channels"));
    EXPECT_THAT(refusal_of_many("bodies", rod), has("/bodies: ", "more than " + std::to_string(most_bodies)));
    EXPECT_THAT(refusal_of_many("parameters", 1.0), has("/parameters: ", "named parameters", "10000"));
}

TEST(MechanismRefusals, FilesThatCannotBeRead) {
    EXPECT_THAT(study::refusal([] { read_mechanism("no_such_mechanism.json"); }), has("no_such_mechanism.json: "));
}

}  // namespace
}  // namespace myriad::mechanism
