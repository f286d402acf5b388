// Systems that were code once: whoever names one is told the mechanism's file and the new addresses, and these exist.
#include "host/catalog/retired_systems.hpp"

#include "host/study/study.hpp"
#include "host/study/study_mechanism.hpp"
#include "tests/source_dir.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::study {
namespace {

std::string with_number(std::string address, char number) {
    const auto at = address.find("<i>");
    return at == std::string::npos ? address : address.replace(at, 3, 1, number);
}
SystemDescription mechanism_of(const RetiredSystem& retired) {
    return description_of(
        *mechanism::read_mechanism(source_dir() / "ensembles/mechanisms" / (std::string(retired.mechanism) + ".json")));
}

TEST(RetiredSystems, HaveTheirNewAddressesInTheMechanism) {
    for (const RetiredSystem& retired : retired_systems()) {
        const SystemDescription mechanism = mechanism_of(retired);
        for (const RenamedAddress& address : retired.addresses)
            for (const char number : {'1', '2'}) {
                const std::string now = with_number(address.now, number);
                if (address.is_channel)
                    EXPECT_NO_THROW(mechanism.channel_group(now, retired.name));
                else
                    EXPECT_TRUE(mechanism.find_parameter(now) || !mechanism.vector_parameter(now).empty())
                        << retired.name << ": " << now;
            }
    }
}

TEST(RetiredSystems, AreNoneOfTheCatalog) {
    for (const RetiredSystem& retired : retired_systems())
        for (const SystemDescription& system : systems()) EXPECT_NE(system.name, retired.name);
}

TEST(RetiredSystems, AreRefusedWithTheFileAndTheNewAddresses) {
    for (const RetiredSystem& retired : retired_systems()) {
        const std::string message = refusal([&] {
            parse_study(std::string(R"({"system": ")") + retired.name + R"(", "instances": 1, "integrator": {}})",
                        "s.json", "");
        });
        EXPECT_THAT(message, has("s.json:1:2: /system: ", std::string("the system ") + retired.name,
                                 std::string("ensembles/mechanisms/") + retired.mechanism + ".json", "\"mechanism\""));
        for (const RenamedAddress& address : retired.addresses)
            EXPECT_THAT(message, has(std::string(address.before) + " is " + address.now));
    }
}

}  // namespace
}  // namespace myriad::study
