// What acts on coordinates of joints: how files give it, which of them are refused and with which message, in which
// coordinates it runs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;
using study::has;

// A cart on a rail with a pendulum, a spinner on a cylindrical joint and a loop that the last joint closes.
json cart() {
    return json::parse(R"({
        "gravity_m_s2": [0, -9.81, 0], "parameters": {"grip_N": 2.0},
        "bodies": {
            "cart": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1]},
            "arm": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.05, 0.05], "position_m": [0.5, 0, 0]},
            "rod": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.05, 0.05], "position_m": [0.5, -1, 0]},
            "spinner": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.2], "position_m": [0, 0, 1]},
            "ball": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.2], "position_m": [0, 0, -1]}},
        "joints": {
            "rail": {"type": "prismatic", "bodies": ["ground", "cart"], "points_m": [[0, 0, 0], [0, 0, 0]],
                     "axes": [[1, 0, 0], [1, 0, 0]]},
            "hinge": {"type": "revolute", "bodies": ["cart", "arm"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                      "axes": [[0, 0, 1], [0, 0, 1]]},
            "pin": {"type": "revolute", "bodies": ["ground", "rod"], "points_m": [[0, -1, 0], [-0.5, 0, 0]],
                    "axes": [[0, 0, 1], [0, 0, 1]]},
            "axle": {"type": "cylindrical", "bodies": ["ground", "spinner"], "points_m": [[0, 0, 1], [0, 0, 0]],
                     "axes": [[0, 0, 1], [0, 0, 1]]},
            "socket": {"type": "spherical", "bodies": ["ground", "ball"], "points_m": [[0, 0, -1], [0, 0, 0]]}},
        "forces": {"bearing": {"type": "joint_friction", "joint": "hinge", "coulomb_N_m": 0.5,
                               "viscous_N_m_s_rad": 0.1, "regularisation_rad_s": 1e-3},
                   "rail": {"type": "joint_friction", "joint": "rail", "coulomb_N": "2 * grip_N",
                            "regularisation_m_s": 1e-3}}})");
}
std::shared_ptr<const Mechanism> parsed_cart(const json& file) { return parse_mechanism(file.dump(), "cart.json"); }
std::string refused_cart(const std::string& path, const std::string& value) {
    json file = cart();
    file[json::json_pointer(path)] = json::parse(value);
    return study::refusal([&] { parsed_cart(file); });
}
std::string refused_cart_without(const std::string& path, const std::string& key) {
    json file = cart();
    file[json::json_pointer(path)].erase(key);
    return study::refusal([&] { parsed_cart(file); });
}

TEST(OnCoordinates, EveryNumberIsAnAddress) {
    json file = cart();
    file["joints"]["hinge"].update({{"rotor_inertia_kg_m2", 1e-3}, {"gear_ratio", 20}});
    const auto mechanism = parsed_cart(file);
    const JointTable& joint = mechanism->table.joint;
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    std::map<std::string, double> values;
    for (const Number& number : mechanism->numbers) values[number.address] = number.value;
    ASSERT_EQ(joint.frictions, 2);
    const auto number = [&](int parameter) { return p[static_cast<std::size_t>(parameter)]; };
    const std::vector<double> hinge{0.5, 0.1, 1e-3}, rail{4.0, 0.0, 1e-3};
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(number(joint.friction[0].parameter + k), hinge[static_cast<std::size_t>(k)]);
        EXPECT_EQ(number(joint.friction[1].parameter + k), rail[static_cast<std::size_t>(k)]);
    }
    EXPECT_NE(joint.friction[0].freedom, joint.friction[1].freedom);
    EXPECT_EQ(values.at("forces.bearing.coulomb_N_m"), 0.5);
    EXPECT_EQ(values.at("forces.bearing.viscous_N_m_s_rad"), 0.1);
    EXPECT_EQ(values.at("forces.bearing.regularisation_rad_s"), 1e-3);
    EXPECT_EQ(values.at("forces.rail.viscous_N_s_m"), 0.0);
    EXPECT_EQ(values.at("joints.hinge.rotor_inertia_kg_m2"), 1e-3);
    EXPECT_EQ(values.at("joints.hinge.gear_ratio"), 20);
    ASSERT_EQ(joint.rotors, 1);
    EXPECT_EQ(number(joint.rotor[0].parameter), 1e-3);
    EXPECT_EQ(number(joint.rotor[0].parameter + 1), 20);
    EXPECT_EQ(joint.rotor[0].freedom, joint.friction[0].freedom);
}

TEST(OnCoordinates, TheCoefficientAndTheRadiusOfABearingAreAddresses) {
    json file = cart();
    file["forces"]["bearing"].update({{"friction", 0.2}, {"radius_m", 0.03}});
    file["forces"]["rail"] = {{"type", "joint_friction"}, {"joint", "rail"}, {"friction", 0.4}};
    const auto mechanism = parsed_cart(file);
    const JointTable& joint = mechanism->table.joint;
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    std::map<std::string, double> values;
    for (const Number& number : mechanism->numbers) values[number.address] = number.value;
    EXPECT_TRUE(joint.friction_follows_reactions);
    EXPECT_FALSE(parsed_cart(cart())->table.joint.friction_follows_reactions);
    const double expected[][2] = {{0.2, 0.03}, {0.4, 1.0}};
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k)
            EXPECT_EQ(p[static_cast<std::size_t>(joint.friction[i].bearing + k)], expected[i][k]) << i << k;
    EXPECT_EQ(values.at("forces.bearing.friction"), 0.2);
    EXPECT_EQ(values.at("forces.bearing.radius_m"), 0.03);
    EXPECT_EQ(values.at("forces.rail.friction"), 0.4);
}

TEST(OnCoordinates, FrictionThatIsRefused) {
    const std::string bearing = "/forces/bearing";
    EXPECT_THAT(refused_cart(bearing + "/coulomb_N_m", "-1"),
                has(bearing + "/coulomb_N_m: ", "is negative", "0 or more"));
    EXPECT_THAT(refused_cart(bearing + "/viscous_N_m_s_rad", "-1"),
                has(bearing + "/viscous_N_m_s_rad: ", "is negative"));
    EXPECT_THAT(refused_cart(bearing + "/regularisation_rad_s", "0"),
                has(bearing + "/regularisation_rad_s: ", "not above 0"));
    EXPECT_THAT(refused_cart_without(bearing, "coulomb_N_m"),
                has(bearing + "/regularisation_rad_s: ", "no dry friction"));
    EXPECT_THAT(refused_cart(bearing, R"({"type": "joint_friction", "joint": "hinge"})"),
                has(bearing + ": ", "nothing"));
    EXPECT_THAT(refused_cart(bearing + "/friction", "0.1"), has(bearing + "/friction: ", "is missing", "radius_m"));
    EXPECT_THAT(refused_cart(bearing + "/radius_m", "0.1"),
                has(bearing + "/radius_m: ", "no friction", "give \"friction\""));
    const std::string rough = R"({"type": "joint_friction", "joint": "hinge", "friction": )";
    EXPECT_THAT(refused_cart(bearing, rough + R"(-0.1, "radius_m": 0.01})"),
                has(bearing + "/friction: ", "is negative", "0 or more"));
    EXPECT_THAT(refused_cart(bearing, rough + R"(0.1, "radius_m": -0.01})"),
                has(bearing + "/radius_m: ", "is negative", "0 or more"));
    EXPECT_THAT(refused_cart("/forces/rail", R"({"type": "joint_friction", "joint": "rail", "friction": 0.1,
                             "radius_m": 0.1})"),
                has("/forces/rail/radius_m: ", "is a displacement", "leave out"));
    EXPECT_THAT(refused_cart(bearing + "/coulomb_N", "1"),
                has(bearing + "/coulomb_N: ", "is an angle", "give \"coulomb_N_m\""));
    EXPECT_THAT(refused_cart(bearing + "/coulomb", "1"), has(bearing + "/coulomb: ", "unknown", "coulomb_N"));
    EXPECT_THAT(refused_cart(bearing + "/joint", R"("hing")"), has(bearing + "/joint: ", "did you mean \"hinge\"?"));
    EXPECT_THAT(refused_cart(bearing + "/joint", R"("socket")"),
                has(bearing + "/joint: ", "is spherical and has neither an angle nor a displacement"));
    EXPECT_THAT(refused_cart(bearing + "/joint", R"("axle")"),
                has(bearing + "/joint: ", "several coordinates: displacement, angle", "\"coordinate\""));
    EXPECT_THAT(refused_cart(bearing + "/coordinate", R"("angel")"), has(bearing + "/coordinate: ", "\"angle\""));
    EXPECT_THAT(
        refused_cart("/forces/again", R"({"type": "joint_friction", "joint": "hinge", "viscous_N_m_s_rad": 1})"),
        has("/forces/bearing: ", "another joint_friction"));
}

TEST(OnCoordinates, RotorsThatAreRefused) {
    const std::string hinge = "/joints/hinge";
    EXPECT_THAT(refused_cart(hinge + "/rotor_inertia_kg_m2", "-1e-3"),
                has(hinge + "/rotor_inertia_kg_m2: ", "this inertia is negative"));
    EXPECT_THAT(refused_cart(hinge + "/gear_ratio", "20"),
                has(hinge + "/gear_ratio: ", "no rotor", "rotor_inertia_kg_m2"));
    EXPECT_THAT(refused_cart(hinge + "/rotor_inertia_kg", "1"),
                has(hinge + "/rotor_inertia_kg: ", "rotor_inertia_kg_m2"));
    EXPECT_THAT(refused_cart("/joints/socket/rotor_inertia_kg_m2", "1"), has("/joints/socket/rotor_inertia_kg_m2: "));
}

// The message about a force on the hinge, or about one of another joint.
std::string refused_force(const std::string& torque, const json& keys = json::object()) {
    json file = cart();
    file["forces"] = {{"own", {{"type", "joint_force"}, {"joint", "hinge"}, {"torque_N_m", torque}}}};
    file["forces"]["own"].update(keys);
    return study::refusal([&] { parsed_cart(file); });
}

TEST(OnCoordinates, FormulasThatAreRefused) {
    const std::string at = "/forces/own/torque_N_m: ";
    EXPECT_THAT(refused_force("-k * angel"),
                has(at, "the expression names \"k\", which is neither a parameter nor the joint's own coordinate"));
    EXPECT_THAT(refused_force("-angel"), has(at, "\"angel\"", "did you mean \"angle\"?"));
    EXPECT_THAT(refused_force("displacement"), has(at, "joints.hinge is revolute and has no displacement",
                                                   "it has angle, rate", "crank.displacement"));
    EXPECT_THAT(refused_force("rai.displacement"),
                has(at, "names rai.displacement, and the joint \"rai\" is unknown", "did you mean \"rail\"?"));
    EXPECT_THAT(refused_force("rail.angle"),
                has(at, "names rail.angle, and the joint rail is prismatic and has no angle", "displacement"));
    EXPECT_THAT(refused_force("socket.angle"), has(at, "socket is spherical and has neither an angle"));
    EXPECT_THAT(refused_force("rail.displacement.x"), has(at, "rail is prismatic and has no displacement.x"));
    EXPECT_THAT(refused_force("angle +"), has(at, "the formula ends where a number or name should follow"));
    EXPECT_THAT(refused_force("1", {{"force_N", 2}}),
                has("/forces/own/force_N: ", "is an angle", "give \"torque_N_m\""));
    json ambiguous = cart();
    ambiguous["parameters"]["angle"] = 1.0;
    ambiguous["forces"]["own"] = {{"type", "joint_force"}, {"joint", "hinge"}, {"torque_N_m", "-angle"}};
    EXPECT_THAT(study::refusal([&] { parsed_cart(ambiguous); }), has(at, "is a named parameter", "another name"));
    json nothing = cart();
    nothing["forces"]["own"] = {{"type", "joint_force"}, {"joint", "hinge"}};
    EXPECT_THAT(study::refusal([&] { parsed_cart(nothing); }), has("/forces/own: ", "exerts nothing", "torque_N_m"));
    json elsewhere = cart();
    elsewhere["bodies"]["cart"]["mass_kg"] = "2 + rail.displacement";
    EXPECT_THAT(study::refusal([&] { parsed_cart(elsewhere); }),
                has("/bodies/cart/mass_kg: ", "names rail.displacement", "have no value here", "joint_force"));
    json cut = cart();
    cut["forces"] = {{"own", {{"type", "joint_force"}, {"joint", "rail"}, {"force_N", "-hinge.angle"}}}};
    cut["joints"]["hinge"]["cut"] = true;
    EXPECT_THAT(study::refusal([&] { parsed_cart(cut); }),
                has("/forces/own: ", "joints.hinge is cut out of the tree", "this formula needs a coordinate"));
}

TEST(OnCoordinates, ForcesAreInstructionsWithTheirDerivatives) {
    json file = cart();
    file["parameters"]["k"] = 3.0;
    file["forces"] = {{"own",
                       {{"type", "joint_force"},
                        {"joint", "hinge"},
                        {"torque_N_m", "-k * angle + 3 * sin(2 * t) * rail.displacement_rate"}}}};
    const auto mechanism = parsed_cart(file);
    const JointTable& joint = mechanism->table.joint;
    ASSERT_EQ(joint.coordinate_forces, 1);
    ASSERT_EQ(joint.partial_derivatives, 2);
    const PartialDerivative &by_angle = joint.partial_derivative[0], &by_rate = joint.partial_derivative[1];
    EXPECT_EQ(by_angle.freedom, joint.coordinate_force[0].freedom);
    EXPECT_FALSE(by_angle.by_rate);
    EXPECT_TRUE(by_rate.by_rate);
    EXPECT_EQ(by_angle.place, PartialPlace::below);
    EXPECT_EQ(by_rate.place, PartialPlace::below) << "the hinge hangs on the cart";
    EXPECT_FALSE(joint.is_symmetric);
    EXPECT_EQ(mechanism->table.functions, 2) << "-k and 3 sin(2 t), which no coordinate changes";
}

TEST(OnCoordinates, JointsOutsideTheTreeAreRefused) {
    EXPECT_THAT(refused_cart("/joints/hinge/cut", "true"),
                has("/forces/bearing: ", "joints.hinge is cut out of the tree of joint coordinates",
                    "joint friction needs a coordinate of that tree", "leave out \"cut\""));
    json loop = cart();
    loop["joints"]["tie"] = {
        {"type", "spherical"}, {"bodies", {"arm", "rod"}}, {"points_m", {{0.5, 0, 0}, {0.5, 1, 0}}}};
    loop["joints"]["closing"] = {{"type", "universal"},
                                 {"bodies", {"ground", "arm"}},
                                 {"points_m", {{1, 0, 0}, {0.5, 0, 0}}},
                                 {"axes", {{1, 0, 0}, {0, 1, 0}}}};
    loop["forces"]["bearing"] = {
        {"type", "joint_friction"}, {"joint", "closing"}, {"coordinate", "angle_1"}, {"viscous_N_m_s_rad", 1}};
    const SpanningTree tree = spanning_tree_of(*parsed_cart(loop));
    EXPECT_TRUE(tree.has(1)) << "closing: friction acts on it";
    EXPECT_FALSE(tree.has(2)) << "hinge: nothing acts on it";
    loop["forces"]["rubbing"] = {{"type", "joint_friction"}, {"joint", "hinge"}, {"viscous_N_m_s_rad", 1}};
    EXPECT_THAT(study::refusal([&] { parsed_cart(loop); }),
                has("/forces/bearing: ", "joints.closing closes a loop in which all joints have to be",
                    "what acts on one of rail, hinge, closing, or reads it"));
}

TEST(OnCoordinates, BodyCoordinatesAreRefused) {
    EXPECT_EQ(parsed_cart(cart())->joint_coordinates_because,
              "joints.hinge has joint friction, which acts in joint coordinates alone");
    EXPECT_THAT(refused_cart("/coordinates", R"("body")"),
                has("/coordinates: ", "body coordinates do not take this mechanism: joints.hinge has joint friction"));
    json rotor = cart();
    rotor.erase("forces");
    EXPECT_EQ(parsed_cart(rotor)->joint_coordinates_because, "");
    rotor["joints"]["hinge"]["rotor_inertia_kg_m2"] = 1;
    EXPECT_EQ(parsed_cart(rotor)->joint_coordinates_because,
              "joints.hinge has a rotor, which acts in joint coordinates alone");
}

}  // namespace
}  // namespace myriad::mechanism
