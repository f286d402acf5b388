// What acts on coordinates of joints: how files give it, which of them are refused and with which message, in which
// coordinates it runs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "tests/mechanisms/example.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// A cart on a rail with a pendulum, a spinner on a cylindrical joint and a loop that the last joint closes.
json cart() { return example_mechanism("cart"); }
std::shared_ptr<const Mechanism> parsed_cart(const json& file) { return parse_mechanism(file.dump(), "cart.json"); }

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

TEST(OnCoordinates, FrictionKeepsItsJointInTheTree) {
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
}

TEST(OnCoordinates, AreJointCoordinatesAlone) {
    EXPECT_EQ(parsed_cart(cart())->joint_coordinates_because,
              "joints.hinge has joint friction, which acts in joint coordinates alone");
    json rotor = cart();
    rotor.erase("forces");
    EXPECT_EQ(parsed_cart(rotor)->joint_coordinates_because, "");
    rotor["joints"]["hinge"]["rotor_inertia_kg_m2"] = 1;
    EXPECT_EQ(parsed_cart(rotor)->joint_coordinates_because,
              "joints.hinge has a rotor, which acts in joint coordinates alone");
}

}  // namespace
}  // namespace myriad::mechanism
