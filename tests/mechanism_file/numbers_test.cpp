// Addresses, units, expressions of parameters, and functions of time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/mechanism/table_topology.hpp"
#include "kernels/mechanism/tape.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/study/refusal.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

json rod_of_a_length() {
    json text = two_bodies();
    // Named so that each one needs one that stands behind it in the alphabet.
    text["parameters"] =
        json::parse(R"({"a_kg": "b_kg_m * z_m", "b_kg_m": "7800 * c_m2", "c_m2": "0.05^2", "z_m": 4.0})");
    text["bodies"]["rod"]["mass_kg"] = "a_kg";
    text["bodies"]["rod"]["inertia_kg_m2"] = {"a_kg * z_m^2 / 12", "a_kg * z_m^2 / 12", "a_kg / 1000"};
    return text;
}

double mass_of_rod(const Mechanism& mechanism, const std::vector<double>& parameters) {
    EXPECT_EQ(mechanism.body_names[1], "rod");
    return parameters[first_body_parameter + body_parameters + body_mass];
}

TEST(MechanismNumbers, FollowFromEachOtherInAChainAsLongAsThereMayBeParameters) {
    constexpr int links = 9999;
    json text = two_bodies();
    text["parameters"] = json::object();
    for (int k = 0; k < links; ++k) text["parameters"]["p" + std::to_string(k)] = "p" + std::to_string(k + 1) + " + 1";
    text["parameters"]["p" + std::to_string(links)] = 0.5;
    text["bodies"]["rod"]["mass_kg"] = "p0", text["bodies"]["rod"]["inertia_kg_m2"] = {1, 1, 1};
    const auto mechanism = parsed(text);
    EXPECT_EQ(mass_of_rod(*mechanism, mechanism->nominal_kernel_parameters()), links + 0.5);
    text["parameters"]["p" + std::to_string(links)] = "p0";
    EXPECT_THAT(study::refusal([&] { parsed(text); }), study::has("need each other: ", "more bytes"));
}

TEST(MechanismNumbers, HaveAddressesUnitsAndMeanings) {
    const auto mechanism = parsed(every_entry());
    for (const auto& [address, unit] : std::initializer_list<std::pair<const char*, const char*>>{
             {"gravity_m_s2[2]", "m/s^2"},
             {"parameters.length_m", ""},
             {"bodies.rod.mass_kg", "kg"},
             {"bodies.rod.inertia_kg_m2[0]", "kg m^2"},
             {"bodies.crank.inertia_kg_m2.xy", "kg m^2"},
             {"bodies.rod.inertia_frame.cardan_xyz_rad[2]", "rad"},
             {"bodies.rod.angular_velocity_world_rad_s[1]", "rad/s"},
             {"joints.revolute.points_m[1][0]", "m"},
             {"joints.cylindrical.references[0][1]", ""},
             {"joints.distance.value_m", "m"},
             {"drivers.drive_coordinate.value_m", "m"},
             {"forces.push.force_N[2]", "N"},
             {"forces.mount.stiffness_N_m_rad[1]", "N m/rad"},
             {"forces.torsion.damping_N_m_s_rad", "N m s/rad"},
             {"sensors.tip.point_m[2]", "m"},
         }) {
        const Number& number = mechanism->numbers[number_of(*mechanism, address)];
        EXPECT_EQ(number.unit, unit) << address;
        EXPECT_FALSE(number.meaning.empty()) << address;
    }
    std::vector<std::string> addresses;
    for (const Number& number : mechanism->numbers) addresses.push_back(number.address);
    std::sort(addresses.begin(), addresses.end());
    EXPECT_EQ(std::adjacent_find(addresses.begin(), addresses.end()), addresses.end()) << "each stands once";
    // A function of time is no number.
    EXPECT_THAT(addresses, testing::Not(testing::Contains("drivers.turn.value_rad")));
    EXPECT_THAT(addresses, testing::Not(testing::Contains("forces.pull.force_N[0]")));
}

TEST(MechanismNumbers, FollowFromParametersInAnyOrder) {
    const auto mechanism = parsed(rod_of_a_length());
    EXPECT_NEAR(mass_of_rod(*mechanism, mechanism->nominal_kernel_parameters()), 78.0, 78 * few_roundings);
    const Number& mass = mechanism->numbers[number_of(*mechanism, "parameters.a_kg")];
    EXPECT_NEAR(mass.value, 78.0, 78 * few_roundings);
    EXPECT_EQ(mass.expression, "b_kg_m * z_m");
}

TEST(MechanismNumbers, FollowThroughExpressionsUnlessTheyAreOverridden) {
    const auto mechanism = parsed(rod_of_a_length());
    std::vector<double> values = nominal_values(*mechanism);
    std::vector<unsigned char> overridden(values.size(), 0);
    values[number_of(*mechanism, "parameters.z_m")] = 2.0;
    EXPECT_NEAR(mass_of_rod(*mechanism, mechanism->kernel_parameters(values, overridden)), 39.0, 39 * few_roundings);
    // The value of an expression stands, whatever the list of values says, until it is overridden.
    const std::size_t mass = number_of(*mechanism, "parameters.a_kg");
    values[mass] = 5.0;
    EXPECT_NEAR(mass_of_rod(*mechanism, mechanism->kernel_parameters(values, overridden)), 39.0, 39 * few_roundings);
    overridden[mass] = 1;
    EXPECT_EQ(mass_of_rod(*mechanism, mechanism->kernel_parameters(values, overridden)), 5.0);
}

TEST(MechanismNumbers, OfAnInstanceThatMakeNoSenseGiveNanOrTheNumberItself) {
    const auto mechanism = parsed(every_entry());
    const std::vector<double> nominal = nominal_values(*mechanism);
    const auto with = [&](const std::string& address, double value) {
        std::vector<double> values = nominal;
        values[number_of(*mechanism, address)] = value;
        return mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
    };
    EXPECT_EQ(mass_of_rod(*mechanism, with("bodies.rod.mass_kg", -1.0)), -1.0);
    std::vector<double> values = nominal;
    for (int k = 0; k < 3; ++k) values[number_of(*mechanism, "joints.dot_2.axis[" + std::to_string(k) + "]")] = 0.0;
    const auto parameters = mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
    // Those of the element, and of the row between links that it is in joint coordinates.
    EXPECT_EQ(std::count_if(parameters.begin(), parameters.end(), [](double x) { return std::isnan(x); }), 2 * 3);
}

Taylor<double> function(const Mechanism& mechanism, int index, double time_s) {
    Taylor<double> registers[most_registers];
    const std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    const TableTopology topology(&mechanism.table);
    run_tape(topology, parameters, time_s, registers);
    return function_at(topology, registers, index);
}

TEST(MechanismFunctions, ReadTheirParametersAndLiteralsFromTheInstance) {
    const auto mechanism = parsed(every_entry());
    const auto driver = [&](const std::string& name) {
        for (const NamedElements& one : mechanism->drivers)
            if (one.name == name) return mechanism->table.element[one.first_element].function;
        throw std::out_of_range(name);
    };
    const double t = 0.7, rate = 2.5;
    const Taylor<double> turn = function(*mechanism, driver("turn"), t);
    EXPECT_NEAR(turn.value, M_PI / 4 * std::cos(rate * t), few_roundings);
    EXPECT_NEAR(turn.rate, -M_PI / 4 * rate * std::sin(rate * t), few_roundings);
    EXPECT_NEAR(turn.acceleration, -M_PI / 4 * rate * rate * std::cos(rate * t), few_roundings);
    EXPECT_NEAR(function(*mechanism, driver("shift"), t).rate, 0.8, few_roundings);
    EXPECT_EQ(function(*mechanism, driver("drive_coordinate"), t).value, 0.3);
    EXPECT_EQ(function(*mechanism, driver("drive_coordinate"), t).rate, 0.0);
    const Load& pull = mechanism->table.load[0];
    EXPECT_EQ(function(*mechanism, pull.function[0], t).value, 2 * t);
    EXPECT_EQ(function(*mechanism, pull.function[1], t).value, 0.0);
    EXPECT_EQ(function(*mechanism, pull.function[2], t).value, -1.5);
}

}  // namespace
}  // namespace myriad::mechanism
