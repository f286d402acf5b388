// Bodies without mass or inertia: what they carry moves as if they were not there, in joint coordinates where the tree
// has inertia on every freedom, else in body coordinates; an instance whose inertia goes to zero names the joint.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/tree/freedom_without_inertia.hpp"
#include "host/text/user_error.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

constexpr double gravity_m_s2 = 9.81;

json massless() { return {{"mass_kg", 0}, {"inertia_kg_m2", {0, 0, 0}}}; }
json body(double mass_kg, const json& inertia, const json& position) {
    return {{"mass_kg", mass_kg}, {"inertia_kg_m2", inertia}, {"position_m", position}};
}
json joint(const char* type, const char* a, const char* b, const json& points, const json& axis) {
    json one{{"type", type}, {"bodies", {a, b}}, {"points_m", points}};
    if (!axis.is_null()) one["axes"] = {axis, axis};
    return one;
}
const json along_x = {1, 0, 0}, along_y = {0, 1, 0}, along_z = {0, 0, 1}, origin = {0, 0, 0};

std::shared_ptr<const Mechanism> mechanism_of_parts(const json& bodies, const json& joints) {
    const json file{{"gravity_m_s2", {0, 0, -gravity_m_s2}}, {"bodies", bodies}, {"joints", joints}};
    return parse_mechanism(file.dump(), "massless");
}

// The position of a body at the end.
std::array<double, 3> position_of(const InstanceEnd& end, const Mechanism& mechanism, const std::string& body) {
    const std::vector<std::string>& names = mechanism.body_names;
    const auto number = static_cast<std::size_t>(std::find(names.begin(), names.end(), body) - names.begin());
    const double* const x = &end.final_state[13 * number];
    return {x[0], x[1], x[2]};
}
void expect_near(const std::array<double, 3>& a, const std::array<double, 3>& b, double tolerance) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "component " << k;
}

RunSetup setup_of(Method method, double step_s, int steps) {
    RunSetup setup;
    setup.method = method, setup.coordinates = Coordinates::joint, setup.step_s = step_s, setup.steps = steps;
    setup.newton_tolerance = 1e-13;
    return setup;
}

// A point of mass on a rod without mass, let go from the height of the hinge: it comes back after the period
// 4 K(sin(theta_0 / 2)) sqrt(l / g) of the mathematical pendulum.
TEST(MasslessBodies, CarryAPointOfMassAsTheMathematicalPendulum) {
    constexpr double length_m = 0.8;
    constexpr int steps = 4000;
    const auto mechanism =
        mechanism_of_parts({{"rod", massless()}, {"bob", body(2.5, {0, 0, 0}, {length_m, 0, 0})}},
                           {{"hinge", joint("revolute", "ground", "rod", {origin, origin}, along_y)},
                            {"weld", joint("fixed", "rod", "bob", {{length_m, 0, 0}, origin}, nullptr)}});
    const double period_s = 4.0 * std::comp_ellint_1(std::sqrt(0.5)) * std::sqrt(length_m / gravity_m_s2);
    const InstanceEnd end = run_nominal(*mechanism, setup_of(Method::rk4, period_s / steps, steps));
    ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
    // The error of rk4 is some (omega h)^4 over the period, and quadratic at the turning point.
    expect_near(position_of(end, *mechanism, "bob"), {length_m, 0.0, 0.0}, 1e-9);
}

// A cross between two revolute joints is a universal joint.
TEST(MasslessBodies, MakeAUniversalJointOfTwoRevoluteOnes) {
    const json arm = body(1.5, {0.01, 0.02, 0.03}, {0.3, 0.1, -0.5}), tip = {-0.3, -0.1, 0.5};
    const auto of_two = mechanism_of_parts({{"arm", arm}, {"cross", massless()}},
                                           {{"first", joint("revolute", "ground", "cross", {origin, origin}, along_x)},
                                            {"second", joint("revolute", "cross", "arm", {origin, tip}, along_y)}});
    json universal = joint("universal", "ground", "arm", {origin, tip}, nullptr);
    universal["axes"] = {along_x, along_y};
    const auto of_one = mechanism_of_parts({{"arm", arm}}, {{"universal", universal}});
    for (const Method method : {Method::rk4, Method::generalized_alpha, Method::implicit_euler}) {
        const RunSetup setup = setup_of(method, 1e-3, 1000);
        const InstanceEnd two = run_nominal(*of_two, setup), one = run_nominal(*of_one, setup);
        ASSERT_EQ(two.status, Status::ok);
        ASSERT_EQ(one.status, Status::ok);
        // A thousand steps of the same equations in the same coordinates, each to Newton's tolerance.
        expect_near(position_of(two, *of_two, "arm"), position_of(one, *of_one, "arm"), 1e-10);
    }
}

// Between the two arms of a double pendulum: its mass counts in the first order.
TEST(MasslessBodies, AreTheLimitOfLightOnes) {
    const auto with_link = [](double mass_kg) {
        return mechanism_of_parts(
            {{"upper", body(1, {0.01, 0.1, 0.1}, {0.5, 0, 0})},
             {"link", body(mass_kg, {0.02 * mass_kg, 0.1 * mass_kg, 0.1 * mass_kg}, {1.25, 0, 0})},
             {"lower", body(2, {0.01, 0.2, 0.2}, {2, 0, 0})}},
            {{"shoulder", joint("revolute", "ground", "upper", {origin, {-0.5, 0, 0}}, along_y)},
             {"elbow", joint("revolute", "upper", "link", {{0.5, 0, 0}, {-0.25, 0, 0}}, along_z)},
             {"wrist", joint("revolute", "link", "lower", {{0.25, 0, 0}, {-0.5, 0.1, 0}}, along_y)}});
    };
    const RunSetup setup = setup_of(Method::rk4, 1e-3, 500);
    const auto end_of = [&](double mass_kg) {
        const auto mechanism = with_link(mass_kg);
        const InstanceEnd end = run_nominal(*mechanism, setup);
        EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        return position_of(end, *mechanism, "lower");
    };
    const auto none = end_of(0.0);
    double before = 0.0;
    for (const double mass_kg : {1e-3, 1e-4}) {
        const auto light = end_of(mass_kg);
        const double distance = std::hypot(light[0] - none[0], light[1] - none[1], light[2] - none[2]);
        if (before > 0.0) EXPECT_NEAR(before / distance, 10.0, 0.2);
        before = distance;
    }
}

// A coupler without mass between crank and rocker; the joints `in_order`.
std::shared_ptr<const Mechanism> four_bar(const std::string& in_order, const std::string& cut = "") {
    json crank = body(1, {0.1, 0.1, 0.01}, origin), rocker = body(1.5, {0.1, 0.2, 0.02}, {1.9, 0, 0});
    crank["angular_velocity_rad_s"] = {0, 2, 0};
    crank["centre_of_mass_m"] = {0, 0, 0.5}, rocker["centre_of_mass_m"] = {0.1, 0, 0.6};
    json coupler = massless();
    coupler["position_m"] = {0, 0, 1};
    const json all{{"a", joint("revolute", "ground", "crank", {origin, origin}, along_y)},
                   {"b", joint("revolute", "crank", "coupler", {{0, 0, 1}, origin}, along_y)},
                   {"c", joint("revolute", "coupler", "rocker", {{2, 0, 0}, {0, 0, 1.2}}, along_y)},
                   {"d", joint("revolute", "ground", "rocker", {{1.9, 0, 0}, origin}, along_y)}};
    nlohmann::ordered_json joints;
    for (const char name : in_order) joints[std::string(1, name)] = all[std::string(1, name)];
    if (!cut.empty()) joints[cut]["cut"] = true;
    const nlohmann::ordered_json file{{"gravity_m_s2", {0, 0, -gravity_m_s2}},
                                      {"bodies", {{"crank", crank}, {"coupler", coupler}, {"rocker", rocker}}},
                                      {"joints", joints}};
    return parse_mechanism(file.dump(), "four_bar");
}

TEST(MasslessBodies, StandInsideTheTreeOfALoopWhereverTheyStandInTheFile) {
    const RunSetup setup = setup_of(Method::generalized_alpha, 1e-3, 300);
    const auto first = four_bar("abcd");
    const InstanceEnd expected = run_nominal(*first, setup);
    for (const char* in_order : {"abdc", "adbc", "dabc"}) {
        const auto mechanism = four_bar(in_order);
        EXPECT_GT(mechanism->table.joint.tree.links, 0) << mechanism->body_coordinates_because;
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        // Another joint may be cut: the same motion to the error of the method, some h^2 over 0.3 s.
        for (const std::string& body : first->body_names)
            expect_near(position_of(end, *mechanism, body), position_of(expected, *first, body), 1e-5);
    }
}

// With this cut the coupler is a leaf, which no inertia holds.
TEST(MasslessBodies, AreRefusedWhereNoInertiaResistsTheirJoint) {
    const auto cut = four_bar("abcd", "c");
    EXPECT_EQ(cut->table.joint.tree.links, 0);
    EXPECT_EQ(cut->body_coordinates_because, "no inertia resists freedom 0 of joints.b, on which coupler hangs");
}

// A body without mass that floats may turn about the hinge of what it carries: a row alone holds it back. Masses in
// joint coordinates are singular then, which round-off hides for some directions of the hinge.
TEST(MasslessBodies, ThatTurnAboutTheHingeOfWhatTheyCarryRunInBodyCoordinates) {
    std::mt19937_64 random(7);
    const auto vector = [&] {
        Eigen::Vector3d three;
        for (int k = 0; k < 3; ++k) three[k] = std::uniform_real_distribution(-2.0, 2.0)(random);
        return three;
    };
    const auto digits = [](const Eigen::Vector3d& v) { return json{v[0], v[1], v[2]}; };
    int taken = 0;
    for (int n = 0; n < 150; ++n) {
        SCOPED_TRACE(n);
        const Eigen::Vector3d on_carrier = vector(), on_rod = vector(), of_slider = vector(), on_tool = vector(),
                              along = vector(), place = vector(), rod = on_carrier - on_rod,
                              tool = rod + of_slider - on_tool;
        const json held{{"type", "DP2"},
                        {"bodies", {"ground", "carrier"}},
                        {"points_m", {origin, digits(place)}},
                        {"axis", digits(along)},
                        {"value_m", along.dot(place)}};
        const json hinge = joint("revolute", "carrier", "rod", {digits(on_carrier), digits(on_rod)}, digits(vector())),
                   slider = joint("cylindrical", "rod", "tool", {digits(of_slider), digits(on_tool)}, digits(vector()));
        try {
            const auto mechanism = mechanism_of_parts({{"carrier", massless()},
                                                       {"rod", body(0.7, {0.12, 0.11, 0.13}, digits(rod))},
                                                       {"tool", body(2.4, {0.6, 0.5, 0.6}, digits(tool))}},
                                                      {{"hinge", hinge}, {"slider", slider}, {"held", held}});
            ++taken;
            EXPECT_EQ(mechanism->table.joint.tree.links, 0);
            EXPECT_EQ(mechanism->body_coordinates_because.rfind("no inertia resists freedom", 0), 0u)
                << mechanism->body_coordinates_because;
        } catch (const UserError& error) {
            // Assembly, which moves bodies least by their masses, does not take all of them.
            EXPECT_NE(std::string(error.what()).find("cannot be assembled"), std::string::npos) << error.what();
        }
    }
    EXPECT_GT(taken, 40);
}

// A wrist whose hand may lose all that it weighs.
std::shared_ptr<const Mechanism> arm_with_hand() {
    json wrist = joint("universal", "arm", "hand", {{0.5, 0, 0}, origin}, nullptr);
    wrist["axes"] = {along_y, along_z};
    return mechanism_of_parts(
        {{"arm", body(1, {0.01, 0.1, 0.1}, {0.5, 0, 0})}, {"hand", body(0.2, {1e-3, 1e-3, 1e-3}, {1, 0, 0})}},
        {{"shoulder", joint("revolute", "ground", "arm", {origin, {-0.5, 0, 0}}, along_y)}, {"wrist", wrist}});
}
const std::map<std::string, double> without_hand = {{"bodies.hand.mass_kg", 0.0},
                                                    {"bodies.hand.inertia_kg_m2[0]", 0.0},
                                                    {"bodies.hand.inertia_kg_m2[1]", 0.0},
                                                    {"bodies.hand.inertia_kg_m2[2]", 0.0}};

TEST(MasslessBodies, EndAnInstanceWithTheNameOfTheJointAndHarmNoNeighbour) {
    const auto mechanism = arm_with_hand();
    const std::size_t lanes = lanes_of_a_pack();
    const std::vector<std::vector<double>> sound(lanes, mechanism->nominal_kernel_parameters());
    for (const Method method : {Method::generalized_alpha, Method::rk4, Method::dopri5}) {
        RunSetup setup = setup_of(method, 1e-3, 20);
        setup.width = Width::packs;
        const std::vector<InstanceEnd> expected = run_instances(*mechanism, sound, setup);
        for (std::size_t spoilt = 0; spoilt < lanes; ++spoilt) {
            auto instances = sound;
            instances[spoilt] = with_numbers(*mechanism, without_hand);
            const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
            EXPECT_EQ(ends[spoilt].status, Status::singular_matrix) << sentence_of(ends[spoilt].reason);
            ASSERT_GE(ends[spoilt].weak_place, 0);
            const TreeFreedom named = freedoms_of_tree(*mechanism)[static_cast<std::size_t>(ends[spoilt].weak_place)];
            EXPECT_EQ(named.place, "joints.wrist");
            EXPECT_EQ(named.number, 1) << "the one further out";
            for (std::size_t n = 0; n < lanes; ++n)
                if (n != spoilt) {
                    EXPECT_EQ(ends[n].status, Status::ok);
                    EXPECT_EQ(ends[n].weak_place, -1);
                    EXPECT_TRUE(same_bits(ends[n].record, expected[n].record));
                }
        }
    }
}

// The hand further out has inertia: the arm may weigh nothing in one instance and something in the next.
TEST(MasslessBodies, MayWeighNothingInOneInstanceAlone) {
    const auto mechanism = arm_with_hand();
    std::map<std::string, double> without_arm = {{"bodies.arm.mass_kg", 0.0}};
    for (const char* k : {"[0]", "[1]", "[2]"}) without_arm[std::string("bodies.arm.inertia_kg_m2") + k] = 0.0;
    const InstanceEnd end =
        run_instances(*mechanism, {with_numbers(*mechanism, without_arm)}, setup_of(Method::rk4, 1e-3, 100)).front();
    EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
}

}  // namespace
}  // namespace myriad::mechanism
