// Limits of all coordinates of joints, and what they are refused or repaired for at the start. Files of
// ensembles/expected/ that end with limit or limits hold bounces, rest and impulses.
#include <numbers>

#include "host/mechanism/file/builder.hpp"
#include "kernels/system/status.hpp"
#include "tests/mechanism_contact/certified_runs.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class LimitsOfJoints : public testing::Test {};
TYPED_TEST_SUITE(LimitsOfJoints, AllSchemes);

// The channel that the mechanism's file, or the program, names so.
int channel_called(const ContactMechanism& given, const std::string& name, int component = 0) {
    for (const mechanism::NamedChannels& one : given.mechanism.channels)
        if (one.name == name) return 13 * given.mechanism.table.bodies + one.first_channel + component;
    throw std::out_of_range("no channel " + name);
}

// A rod that lies along x from a hinge about y at the world's origin: its angle grows as it falls. Its centre of mass
// lies at the length l; `limits` and `start` are keys of the file.
constexpr double rod_mass = 1.2, rod_l = 0.5;
ContactMechanism hinged_rod(const std::string& limits, const std::string& start = "") {
    return ContactMechanism(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"rod": {"mass_kg": 1.2,
        "inertia_kg_m2": [0.01, 0.09, 0.09], "position_m": [0.5, 0, 0]}}, "joints": {"hinge": {"type": "revolute",
        "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [-0.5, 0, 0]], "axes": [[0, 1, 0], [0, 1, 0]],
        "references": [[1, 0, 0], [1, 0, 0]])" +
                            start + R"(}}, "sensors": {"angle": {"type": "angle", "joint": "hinge"},
        "rate": {"type": "rate", "joint": "hinge"}},
        "contacts": {"stop": {"type": "joint_limits", "joint": "hinge", )" +
                            limits + "}}}");
}

// As many rods as a mechanism has bodies lie on their upper stops, each below its own angle: both limits of a joint
// count as one contact, and none is left out.
TYPED_TEST(LimitsOfJoints, HoldSixteenHingesThatEachHaveBothEnds) {
    constexpr int rods = 16;
    std::string bodies, joints, contacts;
    for (int k = 0; k < rods; ++k) {
        const std::string number = std::to_string(k), y = std::to_string(k), comma = k > 0 ? ", " : "",
                          angle = std::to_string(0.05 * k);
        bodies += comma + "\"rod_" + number + R"(": {"mass_kg": 1.2, "inertia_kg_m2": [0.01, 0.09, 0.09]})";
        joints += comma + "\"hinge_" + number + R"(": {"type": "revolute", "bodies": ["ground", "rod_)" + number +
                  R"("], "points_m": [[0, )" + y + R"(, 0], [-0.5, 0, 0]], "axes": [[0, 1, 0], [0, 1, 0]],
                  "references": [[1, 0, 0], [1, 0, 0]], "angle_rad": )" +
                  angle + "}";
        contacts += comma + "\"stop_" + number + R"(": {"type": "joint_limits", "joint": "hinge_)" + number +
                    R"(", "lower_rad": -1, "upper_rad": )" + angle + "}";
    }
    const ContactMechanism rack(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {)" + bodies + R"(}, "joints": {)" +
                                joints + R"(}, "contacts": {)" + contacts + "}}");
    ContactRun run(TypeParam::name, rack, contact_schedule(1e-3, 50));
    run.run([&](const ContactRun& now) {
        for (int k = 0; k < rods; ++k) {
            const double angle = 0.05 * k;
            const std::string stop = "stop_" + std::to_string(k);
            EXPECT_NEAR(now.channel(channel_called(rack, "contact_force." + stop + ".upper")),
                        rod_mass * gravity * rod_l * std::cos(angle), 1e-6);
            EXPECT_NEAR(now.channel(channel_called(rack, "gap." + stop + ".lower")), 1.0 + angle, 1e-9);
        }
    });
    EXPECT_EQ(run.status(), Status::ok);
}

struct Limited {
    const char *joint, *coordinate, *sensor, *start, *rate, *unit;
    bool can_be_reversed;
};
constexpr Limited limited[] = {
    {"revolute", "angle", "angle", "angle_rad", "rate_rad_s", "rad", true},
    {"prismatic", "displacement", "displacement", "displacement_m", "displacement_rate_m_s", "m", true},
    {"cylindrical", "angle", "angle", "angle_rad", "rate_rad_s", "rad", true},
    {"cylindrical", "displacement", "displacement", "displacement_m", "displacement_rate_m_s", "m", true},
    {"universal", "angle_1", "angle_1", "angle_1_rad", "rate_1_rad_s", "rad", true},
    {"universal", "angle_2", "angle_2", "angle_2_rad", "rate_2_rad_s", "rad", true},
    {"planar", "displacement_1", "displacement_1", "displacement_1_m", "displacement_rate_1_m_s", "m", false},
    {"planar", "displacement_2", "displacement_2", "displacement_2_m", "displacement_rate_2_m_s", "m", false},
    {"planar", "angle", "angle", "angle_rad", "rate_rad_s", "rad", true},
    {"translational", "displacement_3", "displacement_3", "displacement_3_m", "displacement_rate_3_m_s", "m", false},
};

// A body off its joint's axes stands at a limit and moves on: its rate is -e times what it was, for every coordinate
// of a joint, whichever body the tree passes first; the gap is the way to the limit that the sensor shows.
TYPED_TEST(LimitsOfJoints, TurnTheRateOfEveryCoordinateThatAJointHas) {
    constexpr double e = 0.6;
    for (const Limited& one : limited)
        for (const bool is_reversed : {false, true})
            for (const bool is_upper : {false, true}) {
                if (is_reversed && !one.can_be_reversed) continue;
                const std::string unit = one.unit,
                                  second = one.joint == std::string("universal") ? "[1, 0, 0]" : "[0, 0, 1]",
                                  axes = is_reversed ? second + ", [0, 0, 1]" : "[0, 0, 1], " + second,
                                  rate = is_upper ? "0.8" : "-0.8", bound = is_upper ? "\"upper_" : "\"lower_",
                                  far = is_upper ? "\"lower_" : "\"upper_", far_value = is_upper ? "-2" : "3";
                SCOPED_TRACE(one.joint + (" " + std::string(one.coordinate)) + (is_reversed ? " from B to A" : "") +
                             (is_upper ? " upper" : " lower"));
                const ContactMechanism body(
                    R"({"bodies": {"body": {"mass_kg": 1.5, "inertia_kg_m2": [0.03, 0.04, 0.05],
                        "centre_of_mass_m": [0.1, -0.2, 0.15]}}, "joints": {"joint": {"type": ")" +
                    std::string(one.joint) + R"(", "bodies": )" +
                    (is_reversed ? R"(["body", "ground"])" : R"(["ground", "body"])") +
                    R"(, "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [)" + axes + R"(], ")" + one.start +
                    R"(": 0.4, ")" + one.rate + "\": " + rate + R"(}}, "sensors": {"value": {"type": ")" + one.sensor +
                    R"(", "joint": "joint"}, "rate": {"type": ")" + mechanism::rate_of(one.coordinate) +
                    R"(", "joint": "joint"}}, "contacts": {"stop": {"type": "joint_limits", "joint": "joint",
                        "coordinate": ")" +
                    one.coordinate + "\", " + bound + unit + "\": 0.4, " + far + unit + "\": " + far_value +
                    R"(, "normal_restitution": 0.6}}})");
                const int value = channel_called(body, "value"),
                          distance = channel_called(body, is_upper ? "gap.stop.lower" : "gap.stop.upper"),
                          seen_rate = channel_called(body, "rate"),
                          speed = channel_called(
                              body, is_upper ? "contact_velocity.stop.upper" : "contact_velocity.stop.lower");
                ContactRun run(TypeParam::name, body, contact_schedule(1e-3, 20));
                EXPECT_NEAR(run.channel(seen_rate), -e * std::stod(rate), 1e-12);
                EXPECT_NEAR(run.channel(speed), e * 0.8, 1e-12);
                run.run([&](const ContactRun& now) {
                    EXPECT_NEAR(now.channel(distance), std::abs(now.channel(value) - std::stod(far_value)), 1e-14);
                });
                EXPECT_EQ(run.status(), Status::ok);
            }
}

// Two welded bodies on hinges of the same axis, of which one closes a loop: that with the limit stands in the tree, and
// stops the turn of 3 rad/s at 8 rad, which is more than one turn. By then the limit is at most a step and a half late.
TEST(LimitsOfLoops, StopATurnAtTheJointThatAFileNamesLast) {
    constexpr double step = 2e-3, rate = 3.0, stop = 8.0, end = 4.0;
    const std::string at_origin = R"("points_m": [[0, 0, 0], [0, 0, 0]])",
                      about_z = R"("axes": [[0, 0, 1], [0, 0, 1]])",
                      body = R"({"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0]})";
    for (const char* path : path_names)
        for (const char* scheme : scheme_names) {
            SCOPED_TRACE(std::string(path) + " " + scheme);
            const CertifiedRuns run(R"({"instances": 1, "mechanism": {"bodies": {"inner": )" + body + R"(, "outer": )" +
                                        body + R"(}, "joints": {
                "weld": {"type": "fixed", "bodies": ["inner", "outer"], )" +
                                        at_origin + R"(},
                "carrier": {"type": "revolute", "bodies": ["ground", "inner"], "rate_rad_s": 3, )" +
                                        at_origin + ", " + about_z + R"(},
                "closing": {"type": "revolute", "bodies": ["ground", "outer"], )" +
                                        at_origin + ", " + about_z + R"(}},
                "sensors": {"angle": {"type": "angle", "joint": "closing"}},
                "contacts": {"stop": {"type": "joint_limits", "joint": "closing", "upper_rad": 8,
                                      "normal_restitution": 1}}},
                "quantities": {"angle": {"final": "angle"}}, )" +
                                        integrator_keys(scheme, step, static_cast<int>(end / step)) + "}",
                                    path, {});
            ASSERT_TRUE(run.ok());
            EXPECT_NEAR(run.quantity(), 2.0 * stop - rate * end, 2.0 * 1.5 * rate * step);
        }
}

TEST(LimitsAtTheStart, EndAnInstanceThatStandsBeyondOneUnlessItIsToBeMoved) {
    const ContactMechanism rod = hinged_rod(R"("lower_rad": -0.5, "upper_rad": 0.2)", R"(, "angle_rad": 0.5)");
    Schedule schedule = contact_schedule(1e-3, 10);
    ContactRun refused(MoreauWithJoints::name, rod, schedule);
    EXPECT_EQ(refused.run().status(), Status::assembly_failed);
    EXPECT_EQ(refused.progress().reason, static_cast<double>(Reason::start_penetrates));
    schedule.project_penetration = 1.0;
    ContactRun moved(MoreauWithJoints::name, rod, schedule);
    EXPECT_NEAR(moved.channel(channel_called(rod, "angle")), 0.2, 1e-12);
    EXPECT_EQ(moved.run().status(), Status::ok);
}

TEST(LimitsAtTheStart, RefuseAnInstanceWhoseEndsAreExchanged) {
    ContactMechanism rod = hinged_rod(R"("lower_rad": -0.5, "upper_rad": 0.2)");
    rod.parameters[static_cast<std::size_t>(rod.mechanism.table.contact[1].parameter)] = -0.6;
    ContactRun run(MoreauWithJoints::name, rod, contact_schedule(1e-3, 10));
    EXPECT_EQ(run.run().status(), Status::invalid_parameter);
    EXPECT_EQ(run.progress().reason, static_cast<double>(Reason::contact_law_invalid));
}

}  // namespace
}  // namespace myriad::test
