// Sensors and channels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

const NamedChannels& channels_of(const Mechanism& mechanism, const std::string& name) {
    for (const NamedChannels& group : mechanism.channels)
        if (group.name == name) return group;
    throw std::out_of_range("no channel " + name);
}
const Channel& first_of(const Mechanism& mechanism, const std::string& name) {
    return mechanism.table.channel[channels_of(mechanism, name).first_channel];
}

TEST(MechanismChannels, CoverTheTableOnceUnderDifferentNames) {
    const auto mechanism = parsed(every_entry());
    std::set<std::string> names;
    int next = 0;
    for (const NamedChannels& group : mechanism->channels) {
        EXPECT_EQ(group.first_channel, next) << group.name;
        next += group.count;
        EXPECT_TRUE(names.insert(group.name + "." + group.body).second) << group.name;
        EXPECT_FALSE(group.meaning.empty()) << group.name;
    }
    EXPECT_EQ(next, mechanism->table.channels);
    for (const char* name : {"acceleration", "angular_acceleration"})
        EXPECT_EQ(std::count_if(mechanism->channels.begin(), mechanism->channels.end(),
                                [&](const NamedChannels& group) { return group.name == name; }),
                  mechanism->table.bodies);
    for (const char* name : {"energy", "kinetic_energy", "potential_energy", "work", "constraint_residual",
                             "velocity_residual", "newton_iterations", "assembly_correction"})
        EXPECT_EQ(channels_of(*mechanism, name).count, 1);
}

TEST(MechanismChannels, HaveAMultiplierForEachRowOfAJointOrDriver) {
    const auto mechanism = parsed(every_entry());
    const auto joint = std::find_if(mechanism->joints.begin(), mechanism->joints.end(),
                                    [](const NamedElements& one) { return one.name == "revolute"; });
    const NamedChannels& group = channels_of(*mechanism, "multiplier.revolute");
    ASSERT_GE(group.count, 1);
    int rows = 0;
    for (int e = joint->first_element; e < joint->first_element + joint->element_count; ++e)
        for (int row : mechanism->table.element[e].row) rows += row >= 0 ? 1 : 0;
    EXPECT_EQ(group.count, rows);
    for (int k = 0; k < group.count; ++k) {
        const Channel& channel = mechanism->table.channel[group.first_channel + k];
        EXPECT_EQ(channel.kind, ChannelKind::multiplier);
        EXPECT_LT(channel.a, mechanism->table.rows);
    }
    EXPECT_NO_THROW(channels_of(*mechanism, "multiplier.turn"));
    EXPECT_THROW(channels_of(*mechanism, "multiplier.spring"), std::out_of_range);
}

TEST(MechanismSensors, WatchElementsThatExertNothingAndHaveNoRows) {
    const auto mechanism = parsed(every_entry());
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const Channel& span = first_of(*mechanism, "span");
    EXPECT_EQ(span.kind, ChannelKind::element_value);
    const Element& element = mechanism->table.element[span.a];
    EXPECT_EQ(element.kind, ElementKind::distance);
    EXPECT_TRUE(element.is_sensor && element.has_law) << "without a law it would be a constraint";
    EXPECT_THAT(element.row, testing::Each(-1));
    EXPECT_EQ(p[static_cast<std::size_t>(element.parameter + 6)], 0.0);
    EXPECT_EQ(p[static_cast<std::size_t>(element.parameter + 7)], 0.0);
}

TEST(MechanismSensors, UseTheElementOfALawOrDriverWhereThereIsOne) {
    const auto mechanism = parsed(every_entry());
    const auto owner = [&](const std::string& sensor) -> std::string {
        const int element = first_of(*mechanism, sensor).a;
        for (const auto* list : {&mechanism->joints, &mechanism->drivers, &mechanism->forces})
            for (const NamedElements& one : *list)
                if (one.first_element <= element && element < one.first_element + one.element_count) return one.name;
        return "";
    };
    EXPECT_EQ(owner("bend"), "control");
    EXPECT_EQ(owner("turn_rate"), "torsion");
    EXPECT_EQ(owner("stroke"), "");
    EXPECT_EQ(owner("stroke_rate"), "shift");
    EXPECT_EQ(first_of(*mechanism, "turn_rate").kind, ChannelKind::element_rate);
}

TEST(MechanismSensors, NameTheElementsOfAReactionAndThePointOfABody) {
    const auto mechanism = parsed(every_entry());
    const auto joint = std::find_if(mechanism->joints.begin(), mechanism->joints.end(),
                                    [](const NamedElements& one) { return one.name == "revolute"; });
    const NamedChannels& load = channels_of(*mechanism, "load");
    EXPECT_EQ(load.components, "x y z");
    EXPECT_EQ(load.unit, "N");
    for (int k = 0; k < 3; ++k) {
        const Channel& channel = mechanism->table.channel[load.first_channel + k];
        EXPECT_EQ(channel.kind, ChannelKind::joint_force);
        EXPECT_EQ(channel.a, joint->first_element);
        EXPECT_EQ(channel.b, k);
        EXPECT_EQ(channel.c, joint->first_element + joint->element_count);
    }
    EXPECT_EQ(first_of(*mechanism, "drive_torque").kind, ChannelKind::joint_torque);
    const Channel& tip = first_of(*mechanism, "tip");
    EXPECT_EQ(tip.kind, ChannelKind::point_position);
    EXPECT_EQ(tip.a, 1);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    EXPECT_DOUBLE_EQ(p[static_cast<std::size_t>(tip.c)], 0.5 + 0.3) << "relative to the centre of mass";
}

TEST(MechanismSensors, OfASphericalJointNameItsFirstElementAndTheirFrames) {
    const auto mechanism = parsed(every_entry());
    const auto joint = std::find_if(mechanism->joints.begin(), mechanism->joints.end(),
                                    [](const NamedElements& one) { return one.name == "spherical"; });
    const NamedChannels &turn = channels_of(*mechanism, "attitude"), &rate = channels_of(*mechanism, "spin");
    EXPECT_EQ(turn.components, "w x y z");
    EXPECT_EQ(turn.unit, "1");
    EXPECT_EQ(turn.frame, "rod to crank");
    EXPECT_EQ(rate.components, "x y z") << "a vector, which has a norm";
    EXPECT_EQ(rate.unit, "rad/s");
    EXPECT_EQ(rate.frame, "rod");
    ASSERT_EQ(turn.count, 4);
    ASSERT_EQ(rate.count, 3);
    for (int k = 0; k < 4; ++k) {
        const Channel& channel = mechanism->table.channel[turn.first_channel + k];
        EXPECT_EQ(channel.kind, ChannelKind::joint_orientation);
        EXPECT_EQ(channel.a, joint->first_element);
        EXPECT_EQ(channel.b, k);
    }
    EXPECT_EQ(mechanism->table.channel[rate.first_channel + 2].kind, ChannelKind::joint_angular_velocity);
    EXPECT_EQ(mechanism->table.channel[rate.first_channel + 2].b, 2);
}

// The second angle of a universal joint is counted from B to A; the reaction is on B all the same.
TEST(MechanismSensors, AskForTheOppositeReactionOfADriverThatCountsFromBToA) {
    const auto mechanism = parsed(every_entry());
    EXPECT_EQ(first_of(*mechanism, "nod_torque").b, 3);
    EXPECT_EQ(first_of(*mechanism, "drive_torque").b, 0);
}

TEST(MechanismSensors, OfContactsNameThoseOfAnEntryOrOneOfThem) {
    json text = every_entry();
    text["sensors"]["floor_force"] = {{"type", "contact_force"}, {"contact", "box"}};
    text["sensors"]["corner"] = {{"type", "contact_impulse"}, {"contact", "box.corner_3"}};
    const auto mechanism = parsed(text);
    const auto expect = [&](const std::string& name, ChannelKind kind, const std::string& unit, int first, int last) {
        const NamedChannels& group = channels_of(*mechanism, name);
        EXPECT_EQ(group.components, "x y z") << name;
        EXPECT_EQ(group.unit, unit) << name;
        EXPECT_EQ(group.frame, "world") << name;
        for (int k = 0; k < 3; ++k) {
            const Channel& channel = mechanism->table.channel[group.first_channel + k];
            EXPECT_EQ(channel.kind, kind) << name;
            EXPECT_EQ(channel.a, first) << name;
            EXPECT_EQ(channel.b, k) << name;
            EXPECT_EQ(channel.c, last) << name;
        }
    };
    expect("floor_force", ChannelKind::contact_force_vector, "N", 2, 10);
    expect("corner", ChannelKind::contact_impulse_vector, "N s", 4, 5);
}

TEST(MechanismSensors, OfForceElementsNameTheirElementsOrTheRowOfTheirLaw) {
    json text = every_entry();
    for (const char* type : {"exerted_force", "exerted_torque"})
        text["sensors"][type + std::string("_of_mount")] = {{"type", type}, {"force", "mount"}};
    for (const char* force : {"spring", "torsion", "control"})
        text["sensors"][force + std::string("_tension")] = {{"type", "tension"}, {"force", force}};
    const auto mechanism = parsed(text);
    const auto force = [&](const std::string& name) {
        return *std::find_if(mechanism->forces.begin(), mechanism->forces.end(),
                             [&](const NamedElements& one) { return one.name == name; });
    };
    EXPECT_EQ(first_of(*mechanism, "exerted_force_of_mount").kind, ChannelKind::joint_force);
    EXPECT_EQ(first_of(*mechanism, "exerted_torque_of_mount").kind, ChannelKind::joint_torque);
    EXPECT_EQ(first_of(*mechanism, "exerted_force_of_mount").a, force("mount").first_element);
    EXPECT_EQ(first_of(*mechanism, "exerted_force_of_mount").c, force("mount").first_element + 4);
    for (const std::string name : {"spring", "torsion", "control"}) {
        const Channel& channel = first_of(*mechanism, name + "_tension");
        EXPECT_EQ(channel.kind, ChannelKind::multiplier);
        EXPECT_EQ(channel.a, mechanism->table.element[force(name).first_element].row[0]);
    }
    EXPECT_EQ(channels_of(*mechanism, "spring_tension").unit, "N");
    EXPECT_EQ(channels_of(*mechanism, "torsion_tension").unit, "N m");
}

}  // namespace
}  // namespace myriad::mechanism
