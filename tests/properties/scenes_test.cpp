// The scenes hold what the catalog and the keys of mechanisms name: whoever adds a kind of joint, driver, force or
// contact adds it to the random mechanisms, or the properties say nothing of it.
#include "tests/properties/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host/mechanism/keys/contacts.hpp"
#include "host/mechanism/keys/forces.hpp"
#include "host/mechanism/keys/joints.hpp"

namespace myriad::properties {
namespace {

std::set<std::string> named_by(std::span<const mechanism::Kind> kinds) {
    std::set<std::string> names;
    for (const mechanism::Kind& kind : kinds) names.insert(kind.name);
    return names;
}
std::set<std::string> types_in(const std::string& section) {
    std::set<std::string> types;
    for (const RandomScenes& family : random_families())
        for (const Scene& scene : scenes_of(family))
            if (scene.subject["mechanism"].contains(section))
                for (const auto& entry : scene.subject["mechanism"][section]) types.insert(entry["type"]);
    return types;
}

TEST(Scenes, HaveEveryKindOfJointDriverForceAndContact) {
    EXPECT_EQ(types_in("joints"), named_by(mechanism::joint_kinds));
    EXPECT_EQ(types_in("drivers"), named_by(mechanism::driver_kinds));
    EXPECT_EQ(types_in("forces"), named_by(mechanism::force_kinds));
    EXPECT_EQ(types_in("contacts"), named_by(mechanism::contact_kinds));
}

TEST(Scenes, HaveEverySystemAndMechanism) {
    const std::vector<Scene>& scenes = bundled_scenes();
    for (const study::SystemDescription& system : study::systems())
        EXPECT_TRUE(std::ranges::any_of(scenes, [&](const Scene& scene) {
            return scene.subject.contains("system") && scene.subject["system"] == system.name;
        })) << system.name;
}

}  // namespace
}  // namespace myriad::properties
