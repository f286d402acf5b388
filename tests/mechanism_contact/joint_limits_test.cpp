// Limits of coordinates of joints against closed forms, and what they are refused or repaired for at the start.
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
constexpr double rod_mass = 1.2, rod_l = 0.5, rod_inertia = 0.09, about_hinge = rod_inertia + rod_mass * rod_l * rod_l;
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

// It falls by the angle a from rest to the stop at the lowest point: J w^2 / 2 = m g l (1 - cos a). It leaves with e w
// and the impulse (1 + e) J w, and rises to 1 - cos b = e^2 (1 - cos a).
TYPED_TEST(LimitsOfJoints, BounceAPendulumToTheHeightOfTheClosedForm) {
    constexpr double h = 1e-3, e = 0.7, quarter = std::numbers::pi / 2.0, a = 1.1;
    const ContactMechanism rod =
        hinged_rod(R"("upper_rad": )" + std::to_string(quarter) + R"(, "normal_restitution": 0.7)",
                   R"(, "angle_rad": )" + std::to_string(quarter - a));
    const int angle = channel_called(rod, "angle"), impulse = channel_called(rod, "contact_impulse.stop.upper"),
              impacts = channel_called(rod, "impacts");
    const double height = 1.0 - std::cos(a), w = std::sqrt(2.0 * rod_mass * gravity * rod_l * height / about_hinge);
    double struck_s = -1.0, push = 0.0, highest = 0.0;
    CoordinateRun run(In::joint, TypeParam::name, rod, contact_schedule(h, 900));
    run.run([&](const CoordinateRun& now) {
        if (struck_s < 0.0 && now.channel(impacts) > 0.0) struck_s = now.time_s(), push = now.channel(impulse);
        if (struck_s >= 0.0) highest = std::max(highest, 1.0 - std::cos(quarter - now.channel(angle)));
        EXPECT_LT(now.channel(angle), quarter + w * h);
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_EQ(run.channel(impacts), 1.0);
    // The impact is up to a step late, where gravity has no moment; the schemes of order one err by some steps' worth.
    EXPECT_NEAR(push, (1.0 + e) * about_hinge * w, 4.0 * h);
    EXPECT_NEAR(highest, e * e * height, 4.0 * h);
}

// It lies on its stop, after a whole turn too: the stop's moment is that of the weight.
TYPED_TEST(LimitsOfJoints, CarryTheMomentOfTheWeightOfARodThatRestsOnOne) {
    for (const double turns : {0.0, 3.0}) {
        const std::string at = std::to_string(2.0 * std::numbers::pi * turns + 0.3);
        const ContactMechanism rod = hinged_rod(R"("lower_rad": -1e3, "upper_rad": )" + at, R"(, "angle_rad": )" + at);
        const int angle = channel_called(rod, "angle"), force = channel_called(rod, "contact_force.stop.upper"),
                  gap = channel_called(rod, "gap.stop.lower");
        CoordinateRun run(In::joint, TypeParam::name, rod, contact_schedule(1e-3, 200));
        run.run([&](const CoordinateRun& now) {
            EXPECT_NEAR(now.channel(angle), std::stod(at), 1e-12);
            EXPECT_NEAR(now.channel(force), rod_mass * gravity * rod_l * std::cos(0.3), 1e-6);
        });
        EXPECT_EQ(run.status(), Status::ok);
        EXPECT_NEAR(run.channel(gap), std::stod(at) + 1e3, 1e-9);
    }
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
    CoordinateRun run(In::joint, TypeParam::name, rack, contact_schedule(1e-3, 50));
    run.run([&](const CoordinateRun& now) {
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

// A slider runs to and fro between two stops that take nothing: a triangle of the period 2 L / v. Each stop is passed
// by at most a step's way, which it takes back, so that n of them shift the triangle by at most 2 n v h.
TYPED_TEST(LimitsOfJoints, SendASliderToAndFroWithThePeriodOfTheClosedForm) {
    constexpr double h = 1e-3, v = 1.7, lower = -0.3, upper = 0.5, way = upper - lower;
    constexpr int steps = 4000;
    const ContactMechanism slider(R"({"bodies": {"block": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1]}},
        "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "block"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[0.6, 0.8, 0], [0.6, 0.8, 0]], "displacement_rate_m_s": 1.7}},
        "sensors": {"s": {"type": "displacement", "joint": "rail"},
                    "rate": {"type": "displacement_rate", "joint": "rail"}},
        "contacts": {"stops": {"type": "joint_limits", "joint": "rail", "lower_m": -0.3, "upper_m": 0.5,
                               "normal_restitution": 1}}})");
    const int s = channel_called(slider, "s"), rate = channel_called(slider, "rate"),
              impacts = channel_called(slider, "impacts");
    CoordinateRun run(In::joint, TypeParam::name, slider, contact_schedule(h, steps));
    run.run([&](const CoordinateRun& now) {
        EXPECT_NEAR(std::abs(now.channel(rate)), v, 1e-12);
        const double through = std::fmod(v * now.time_s() - lower, 2.0 * way);
        const double exact = lower + (through < way ? through : 2.0 * way - through);
        EXPECT_NEAR(now.channel(s), exact, 2.0 * v * h * (now.channel(impacts) + 1.0));
    });
    EXPECT_EQ(run.status(), Status::ok);
    // 6.8 m of way, the first stop after 0.5 m.
    EXPECT_EQ(run.channel(impacts), std::floor((v * h * steps - upper) / way) + 1.0);
}

// Two rods in a row, the second at an angle q to the first, without gravity. By hand, about y:
//   M_11 = J_1 + m_1 c^2 + J_2 + m_2 (l^2 + c^2 + 2 l c cos q),  M_12 = J_2 + m_2 (c^2 + l c cos q),
//   M_22 = J_2 + m_2 c^2
// One of the joints stands at its limit and moves on: P = (1 + e) v_k / (M^-1)_kk, v+ = v - M^-1 e_k P.
TYPED_TEST(LimitsOfJoints, StopOneJointOfAChainByTheImpulseOfTheInverseMass) {
    constexpr double m[] = {0.8, 0.5}, J[] = {0.02, 0.01}, l = 0.6, c = 0.3, q = 0.7, e = 0.4, rates[] = {1.3, 0.9};
    Eigen::Matrix2d M;
    M(0, 0) = J[0] + m[0] * c * c + J[1] + m[1] * (l * l + c * c + 2.0 * l * c * std::cos(q));
    M(0, 1) = M(1, 0) = J[1] + m[1] * (c * c + l * c * std::cos(q));
    M(1, 1) = J[1] + m[1] * c * c;
    const Eigen::Matrix2d inverse = M.inverse();
    for (int k = 0; k < 2; ++k) {
        const std::string joint = k == 0 ? "first" : "second", bound = k == 0 ? "0.2" : "0.7";
        const ContactMechanism chain(R"({"bodies": {
            "a": {"mass_kg": 0.8, "inertia_kg_m2": [0.001, 0.02, 0.02], "position_m": [0.3, 0, 0]},
            "b": {"mass_kg": 0.5, "inertia_kg_m2": [0.001, 0.01, 0.01], "position_m": [0.9, 0, 0]}},
            "joints": {
                "first": {"type": "revolute", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [-0.3, 0, 0]],
                          "axes": [[0, 1, 0], [0, 1, 0]], "angle_rad": 0.2, "rate_rad_s": 1.3},
                "second": {"type": "revolute", "bodies": ["a", "b"], "points_m": [[0.3, 0, 0], [-0.3, 0, 0]],
                           "axes": [[0, 1, 0], [0, 1, 0]], "angle_rad": 0.7, "rate_rad_s": 0.9}},
            "sensors": {"rate_1": {"type": "rate", "joint": "first"}, "rate_2": {"type": "rate", "joint": "second"}},
            "contacts": {"stop": {"type": "joint_limits", "joint": ")" +
                                     joint + R"(", "upper_rad": )" + bound + R"(, "normal_restitution": 0.4}}})");
        const int impulse = channel_called(chain, "contact_impulse.stop.upper"),
                  seen[] = {channel_called(chain, "rate_1"), channel_called(chain, "rate_2")};
        CoordinateRun run(In::joint, TypeParam::name, chain, contact_schedule(1e-4, 5));
        const double push = (1.0 + e) * rates[k] / inverse(k, k);
        // The impact is that of the start.
        EXPECT_NEAR(run.channel(impulse), push, 1e-12);
        for (int i = 0; i < 2; ++i) EXPECT_NEAR(run.channel(seen[i]), rates[i] - inverse(i, k) * push, 1e-12);
        EXPECT_EQ(run.run().status(), Status::ok);
    }
}

// Four bars, a parallelogram whose crank stands at its limit: the coupler only slides, so that
// J = J_a + m_a c^2 + J_c + m_c c^2 + m_b l^2 about the pivots, and the limit gives (1 + e) J w.
TYPED_TEST(LimitsOfJoints, StopALoopByTheImpulseOfItsOneFreedom) {
    constexpr double c = 0.2, l = 0.4, e = 0.5, w = -1.4;
    const ContactMechanism loop(R"({"bodies": {
        "a": {"mass_kg": 1.0, "inertia_kg_m2": [0.01, 0.01, 0.001], "position_m": [0, 0, 0.2]},
        "b": {"mass_kg": 2.0, "inertia_kg_m2": [0.001, 0.05, 0.05], "position_m": [0.3, 0, 0.4]},
        "c": {"mass_kg": 1.5, "inertia_kg_m2": [0.01, 0.02, 0.001], "position_m": [0.6, 0, 0.2]}},
        "joints": {
            "a_pivot": {"type": "revolute", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [0, 0, -0.2]],
                        "axes": [[0, 1, 0], [0, 1, 0]], "rate_rad_s": -1.4},
            "ab": {"type": "revolute", "bodies": ["a", "b"], "points_m": [[0, 0, 0.2], [-0.3, 0, 0]],
                   "axes": [[0, 1, 0], [0, 1, 0]], "rate_rad_s": 1.4},
            "bc": {"type": "spherical", "bodies": ["b", "c"], "points_m": [[0.3, 0, 0], [0, 0, 0.2]], "cut": true},
            "c_pivot": {"type": "cylindrical", "bodies": ["ground", "c"], "points_m": [[0.6, 0, 0], [0, 0, -0.2]],
                        "axes": [[0, 1, 0], [0, 1, 0]], "rate_rad_s": -1.4}},
        "sensors": {"rate": {"type": "rate", "joint": "a_pivot"}, "other": {"type": "rate", "joint": "c_pivot"}},
        "contacts": {"stop": {"type": "joint_limits", "joint": "a_pivot", "lower_rad": 0, "normal_restitution": 0.5}}})");
    const int impulse = channel_called(loop, "contact_impulse.stop.lower"), rate = channel_called(loop, "rate"),
              other = channel_called(loop, "other");
    const double J = 0.01 + 1.0 * c * c + 0.02 + 1.5 * c * c + 2.0 * l * l;
    CoordinateRun run(In::joint, TypeParam::name, loop, contact_schedule(1e-3, 100));
    EXPECT_NEAR(run.channel(impulse), -(1.0 + e) * J * w, 1e-11);
    EXPECT_NEAR(run.channel(rate), -e * w, 1e-11);
    EXPECT_NEAR(run.channel(other), -e * w, 1e-11);
    EXPECT_EQ(run.run().status(), Status::ok);
    EXPECT_GT(run.channel(channel_called(loop, "gap.stop.lower")), 0.06);
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
                CoordinateRun run(In::joint, TypeParam::name, body, contact_schedule(1e-3, 20));
                EXPECT_NEAR(run.channel(seen_rate), -e * std::stod(rate), 1e-12);
                EXPECT_NEAR(run.channel(speed), e * 0.8, 1e-12);
                run.run([&](const CoordinateRun& now) {
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
    CoordinateRun refused(In::joint, MoreauWithJoints::name, rod, schedule);
    EXPECT_EQ(refused.run().status(), Status::assembly_failed);
    EXPECT_EQ(refused.progress().reason, static_cast<double>(Reason::start_penetrates));
    schedule.project_penetration = 1.0;
    CoordinateRun moved(In::joint, MoreauWithJoints::name, rod, schedule);
    EXPECT_NEAR(moved.channel(channel_called(rod, "angle")), 0.2, 1e-12);
    EXPECT_EQ(moved.run().status(), Status::ok);
}

TEST(LimitsAtTheStart, RefuseAnInstanceWhoseEndsAreExchanged) {
    ContactMechanism rod = hinged_rod(R"("lower_rad": -0.5, "upper_rad": 0.2)");
    rod.parameters[static_cast<std::size_t>(rod.mechanism.table.contact[1].parameter)] = -0.6;
    CoordinateRun run(In::joint, MoreauWithJoints::name, rod, contact_schedule(1e-3, 10));
    EXPECT_EQ(run.run().status(), Status::invalid_parameter);
    EXPECT_EQ(run.progress().reason, static_cast<double>(Reason::contact_law_invalid));
}

}  // namespace
}  // namespace myriad::test
