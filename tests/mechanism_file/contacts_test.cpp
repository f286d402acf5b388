// Contacts of a mechanism file in the table of the kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/contact/channels.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

// Round-off of one unit vector and one difference of points near 1.
constexpr double round_off = 1e-15;

int index_of(const Mechanism& mechanism, const std::string& contact) {
    const auto& names = mechanism.contact_names;
    const auto found = std::find(names.begin(), names.end(), contact);
    if (found == names.end()) throw std::out_of_range("no contact " + contact);
    return static_cast<int>(found - names.begin());
}
const Contact& contact_of(const Mechanism& mechanism, const std::string& contact) {
    return mechanism.table.contact[index_of(mechanism, contact)];
}
std::vector<double> run_of(const Mechanism& mechanism, int first, int count) {
    const std::vector<double> p = mechanism.nominal_kernel_parameters();
    return {p.begin() + first, p.begin() + first + count};
}
std::vector<double> geometry_of(const Mechanism& mechanism, const std::string& contact) {
    const Contact& one = contact_of(mechanism, contact);
    return run_of(mechanism, one.parameter, one.kind == ContactKind::sphere_plane ? 12 : 6);
}
auto near(const std::vector<double>& expected) { return Pointwise(DoubleNear(round_off), expected); }

TEST(MechanismContacts, AreNumberedInTheOrderOfTheirNames) {
    const auto mechanism = parsed(every_entry());
    EXPECT_EQ(mechanism->table.contacts, 1 + 1 + 8 + 2 + 1);
    EXPECT_THAT(mechanism->contact_names, ElementsAre("ball", "balls", "box.corner_1", "box.corner_2", "box.corner_3",
                                                      "box.corner_4", "box.corner_5", "box.corner_6", "box.corner_7",
                                                      "box.corner_8", "pin.wall_1", "pin.wall_2", "touch"));
    ASSERT_EQ(mechanism->contacts.size(), 5u);
    EXPECT_EQ(mechanism->contacts[2].name, "box");
    EXPECT_EQ(mechanism->contacts[2].type, "box_plane");
    EXPECT_EQ(mechanism->contacts[2].first_contact, 2);
    EXPECT_EQ(mechanism->contacts[2].contact_count, 8);
}

TEST(MechanismContacts, OfASphereAndAPlaneHoldPointNormalTangentAndCentre) {
    const auto mechanism = parsed(every_entry());
    const Contact& ball = contact_of(*mechanism, "ball");
    EXPECT_EQ(ball.kind, ContactKind::sphere_plane);
    EXPECT_THAT(ball.body, ElementsAre(0, 1));
    // Points less the centres of mass (0.1, -0.2, 0.3) and (-0.3, 0.05, 0.15); the tangent from y, across the normal.
    EXPECT_THAT(geometry_of(*mechanism, "ball"), near({0.3, 0.7, 0.3, 0.6, 0, 0.8, 0, 1, 0, 0.4, 0.15, 0.15}));
    EXPECT_EQ(ball.radius[0], -1);
    EXPECT_THAT(run_of(*mechanism, ball.radius[1], 1), ElementsAre(0.05));
    EXPECT_EQ(ball.play, -1);
    EXPECT_THAT(run_of(*mechanism, ball.law, 3), ElementsAre(0.3, 0.0, 0.0));
}

TEST(MechanismContacts, OfAPointHaveNoRadiusAndTheGroundItsWorldCoordinates) {
    const auto mechanism = parsed(every_entry());
    const Contact& touch = contact_of(*mechanism, "touch");
    EXPECT_EQ(touch.kind, ContactKind::sphere_plane);
    EXPECT_THAT(touch.body, ElementsAre(-1, 1));
    EXPECT_THAT(touch.radius, testing::Each(-1));
    EXPECT_THAT(geometry_of(*mechanism, "touch"), near({0.2, -0.1, -3, 0, 0.6, 0.8, 1, 0, 0, 0.8, 0.55, 0.55}));
    EXPECT_THAT(run_of(*mechanism, touch.law, 3), near({0.2, 0.6, 0.2}));
}

TEST(MechanismContacts, OfTwoSpheresHoldBothCentresAndRadii) {
    const auto mechanism = parsed(every_entry());
    const Contact& balls = contact_of(*mechanism, "balls");
    EXPECT_EQ(balls.kind, ContactKind::sphere_sphere);
    EXPECT_THAT(geometry_of(*mechanism, "balls"), near({0, 0.2, -0.3, 0.3, 0.15, 0.15}));
    EXPECT_THAT(run_of(*mechanism, balls.radius[0], 1), near({0.1}));
    EXPECT_THAT(run_of(*mechanism, balls.radius[1], 1), ElementsAre(0.2));
    EXPECT_THAT(run_of(*mechanism, balls.law, 3), ElementsAre(0.0, 1.0, 0.0));
}

TEST(MechanismContacts, OfABoxAreItsCornersOnOnePlaneWithOneLaw) {
    const auto mechanism = parsed(every_entry());
    std::vector<std::vector<double>> corners;
    for (int k = 1; k <= 8; ++k) {
        const std::string name = "box.corner_" + std::to_string(k);
        const std::vector<double> all = geometry_of(*mechanism, name);
        EXPECT_THAT(std::vector<double>(all.begin(), all.begin() + 9), near({0, 0, -2, 0, 0, 1, 1, 0, 0})) << name;
        EXPECT_EQ(contact_of(*mechanism, name).law, contact_of(*mechanism, "box.corner_1").law);
        corners.emplace_back(all.begin() + 9, all.end());
    }
    // The middle lies (0.1, 0.3, -0.4) from the centre of mass.
    EXPECT_THAT(corners[0], near({-0.1, -0.1, -0.5}));
    EXPECT_THAT(corners[1], near({0.3, -0.1, -0.5}));
    EXPECT_THAT(corners[2], near({-0.1, 0.7, -0.5}));
    EXPECT_THAT(corners[4], near({-0.1, -0.1, -0.3}));
    EXPECT_THAT(corners[7], near({0.3, 0.7, -0.3}));
}

TEST(MechanismContacts, OfASlotAreTwoWallsThatLeaveThePinItsPlay) {
    const auto mechanism = parsed(every_entry());
    const std::vector<double> first = geometry_of(*mechanism, "pin.wall_1"),
                              second = geometry_of(*mechanism, "pin.wall_2");
    EXPECT_THAT(first, near({0.6, 0.15, -0.05, 0, 1, 0, 1, 0, 0, -0.2, 0.5, -0.1}));
    EXPECT_THAT(second, near({0.6, 0.15, -0.05, 0, -1, 0, 1, 0, 0, -0.2, 0.5, -0.1}));
    const Contact& wall = contact_of(*mechanism, "pin.wall_1");
    EXPECT_EQ(wall.play, contact_of(*mechanism, "pin.wall_2").play);
    EXPECT_EQ(wall.radius[1], contact_of(*mechanism, "pin.wall_2").radius[1]);
    // With the pin in the middle both gaps are c/2 - radius: they must add up to the clearance.
    const double play = run_of(*mechanism, wall.play, 1)[0], radius = run_of(*mechanism, wall.radius[1], 1)[0];
    EXPECT_NEAR(2.0 * (0.5 * play - radius), 0.004, round_off);
}

TEST(MechanismContacts, HaveTheirNumbersAsAddresses) {
    const auto mechanism = parsed(every_entry());
    for (const char* address :
         {"contacts.touch.friction", "contacts.touch.plane_point_m[2]", "contacts.touch.plane_normal[0]",
          "contacts.ball.normal_restitution", "contacts.ball.radius_m", "contacts.ball.point_m[1]",
          "contacts.balls.radii_m[1]", "contacts.balls.points_m[1][2]", "contacts.balls.tangential_restitution",
          "contacts.box.size_m[0]", "contacts.box.centre_m[2]", "contacts.pin.clearance_m", "contacts.pin.radius_m"})
        EXPECT_NO_THROW(number_of(*mechanism, address)) << address;
    EXPECT_EQ(mechanism->numbers[number_of(*mechanism, "contacts.touch.friction")].expression, "length_m / 4");
}

TEST(MechanismContacts, ChangeWithTheirNumbersAndNothingElseDoes) {
    const auto mechanism = parsed(every_entry());
    const auto changes = [&](const std::string& address) {
        const std::size_t numbers[] = {number_of(*mechanism, address)};
        return mechanism->dependent_parameters(numbers);
    };
    EXPECT_THAT(changes("contacts.box.friction"), ElementsAre(contact_of(*mechanism, "box.corner_1").law));
    const Contact& balls = contact_of(*mechanism, "balls");
    EXPECT_THAT(changes("contacts.balls.radii_m[0]"), ElementsAre(balls.radius[0], balls.size));
    EXPECT_THAT(changes("contacts.pin.clearance_m"), ElementsAre(contact_of(*mechanism, "pin.wall_1").play));
    EXPECT_EQ(changes("contacts.box.size_m[1]").size(), 8u * 3u + 1u);  // corners, and the size
    EXPECT_EQ(changes("contacts.pin.slot_normal[0]").size(), 2u * 6u);
}

TEST(MechanismContacts, CanBeObserved) {
    const auto mechanism = parsed(every_entry());
    const auto group = [&](const std::string& name) -> const NamedChannels& {
        for (const NamedChannels& one : mechanism->channels)
            if (one.name == name) return one;
        throw std::out_of_range("no channel " + name);
    };
    const auto channel = [&](const std::string& name, int component) {
        return mechanism->table.channel[group(name).first_channel + component];
    };
    const int corner = index_of(*mechanism, "box.corner_3");
    EXPECT_EQ(channel("gap.box.corner_3", 0).kind, ChannelKind::contact_gap);
    EXPECT_EQ(channel("gap.box.corner_3", 0).a, corner);
    for (const auto& [name, kind, unit] : {std::tuple{"contact_velocity", ChannelKind::contact_velocity, "m/s"},
                                           {"contact_force", ChannelKind::contact_force, "N"},
                                           {"contact_impulse", ChannelKind::contact_impulse, "N s"}}) {
        const std::string address = std::string(name) + ".box.corner_3";
        EXPECT_EQ(group(address).components, "normal tangent_1 tangent_2");
        EXPECT_EQ(group(address).unit, unit);
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(channel(address, k).kind, kind);
            EXPECT_EQ(channel(address, k).a, corner);
            EXPECT_EQ(channel(address, k).b, k);
        }
    }
    EXPECT_EQ(channel("wear_work", 0).kind, ChannelKind::contact_record);
    EXPECT_EQ(channel("wear_work", 0).a, static_cast<int>(ContactRecord::wear_work));
    EXPECT_EQ(group("first_contact_time").unit, "s");
    json without = every_entry();
    without.erase("contacts");
    without["sensors"].erase("kick"), without["sensors"].erase("twisting_kick");
    const auto apart = parsed(without);
    for (const NamedChannels& one : apart->channels)
        EXPECT_FALSE(one.name.starts_with("contact_") || one.name == "impacts") << one.name;
}

TEST(MechanismContacts, GiveJointsImpulsesToObserve) {
    const auto mechanism = parsed(every_entry());
    const auto first = [&](const std::string& name) {
        for (const NamedChannels& one : mechanism->channels)
            if (one.name == name) return mechanism->table.channel[one.first_channel];
        throw std::out_of_range("no channel " + name);
    };
    EXPECT_EQ(first("kick").kind, ChannelKind::joint_impulse);
    EXPECT_EQ(first("twisting_kick").kind, ChannelKind::joint_angular_impulse);
    for (const char* sensor : {"kick", "twisting_kick"}) {
        EXPECT_EQ(first(sensor).a, first("load").a);
        EXPECT_EQ(first(sensor).c, first("load").c);
    }
}

TEST(MechanismContacts, OfTwoBoxesAreAsManyAsAMechanismHas) {
    json text = every_entry();
    text["contacts"]["second_box"] = text["contacts"]["box"];
    for (const char* other : {"ball", "balls", "pin", "touch"}) text["contacts"].erase(other);
    EXPECT_EQ(parsed(text)->table.contacts, most_counted_contacts);
}

TEST(MechanismContacts, OfCapsulesAreTheirEndsOnAPlaneAndTheirSegmentBesideASphere) {
    json text = without_contacts();
    text["contacts"] = {{"log",
                         {{"type", "capsule_plane"},
                          {"bodies", {"crank", "rod"}},
                          {"plane_point_m", {0.4, 0.5, 0.6}},
                          {"plane_normal", {3, 0, 4}},
                          {"ends_m", {{0.1, 0.2, 0.3}, {0.4, 0.2, 0.3}}},
                          {"radius_m", 0.05}}},
                        {"rail",
                         {{"type", "sphere_capsule"},
                          {"bodies", {"crank", "rod"}},
                          {"ends_m", {{0.1, 0, 0}, {0.6, 0, 0}}},
                          {"point_m", {0, 0.2, 0.3}},
                          {"radii_m", {0.1, 0.2}}}}};
    const auto mechanism = parsed(text);
    EXPECT_THAT(mechanism->contact_names, ElementsAre("log.end_1", "log.end_2", "rail"));
    // As the ball above: points less the centres of mass (0.1, -0.2, 0.3) and (-0.3, 0.05, 0.15).
    EXPECT_THAT(geometry_of(*mechanism, "log.end_1"), near({0.3, 0.7, 0.3, 0.6, 0, 0.8, 0, 1, 0, 0.4, 0.15, 0.15}));
    EXPECT_THAT(geometry_of(*mechanism, "log.end_2"), near({0.3, 0.7, 0.3, 0.6, 0, 0.8, 0, 1, 0, 0.7, 0.15, 0.15}));
    const Contact &log = contact_of(*mechanism, "log.end_2"), &rail = contact_of(*mechanism, "rail");
    EXPECT_THAT(run_of(*mechanism, log.radius[1], 1), ElementsAre(0.05));
    EXPECT_EQ(rail.kind, ContactKind::sphere_capsule);
    EXPECT_THAT(run_of(*mechanism, rail.parameter, 9), near({0, 0.2, -0.3, 0.3, 0.15, 0.15, 0.5, 0.2, -0.3}));
    EXPECT_THAT(run_of(*mechanism, rail.radius[0], 1), ElementsAre(0.1));
    EXPECT_THAT(run_of(*mechanism, rail.radius[1], 1), ElementsAre(0.2));
}

TEST(MechanismContacts, HaveTwoTangentsUnlessTheFileAsksForOneAlongADirection) {
    json text = every_entry();
    EXPECT_EQ(contact_of(*parsed(text), "ball").tangents, 2);
    text["contacts"]["ball"]["tangents"] = 1;
    text["contacts"]["ball"]["tangent"] = {4, 0.5, 0};
    text["contacts"]["pin"]["tangents"] = 2;
    const auto mechanism = parsed(text);
    EXPECT_EQ(contact_of(*mechanism, "ball").tangents, 1);
    EXPECT_EQ(contact_of(*mechanism, "pin.wall_2").tangents, 2);
    EXPECT_EQ(contact_of(*mechanism, "balls").tangents, 2);
    // (4, 1/2, 0) less its part along the normal (0.6, 0, 0.8): (2.56, 0.5, -1.92), of the length sqrt(10.49)
    const double length = std::sqrt(10.49);
    EXPECT_THAT(geometry_of(*mechanism, "ball"),
                near({0.3, 0.7, 0.3, 0.6, 0, 0.8, 2.56 / length, 0.5 / length, -1.92 / length, 0.4, 0.15, 0.15}));
}

}  // namespace
}  // namespace myriad::mechanism
