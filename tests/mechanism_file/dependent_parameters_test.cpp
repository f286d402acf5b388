// The kernel parameters that follow from each number, found by changing every number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

std::vector<int> changed_parameters(const Mechanism& mechanism, std::size_t number, double factor) {
    std::vector<double> values = nominal_values(mechanism);
    values[number] = values[number] * factor + 0.013;
    // An expression that is varied itself is overridden, as a study does it.
    std::vector<unsigned char> overridden(values.size(), 0);
    overridden[number] = 1;
    const std::vector<double> before = mechanism.nominal_kernel_parameters(),
                              after = mechanism.kernel_parameters(values, overridden);
    std::vector<int> changed;
    for (std::size_t k = 0; k < before.size(); ++k)
        if (!(before[k] == after[k])) changed.push_back(static_cast<int>(k));
    return changed;
}

TEST(DependentParameters, HoldEveryParameterThatChangesWithANumber) {
    for (const auto& mechanism : {parsed(every_entry()), parsed(without_contacts())})
        for (std::size_t number = 0; number < mechanism->numbers.size(); ++number) {
            const std::size_t varied[] = {number};
            const std::vector<int> dependent = mechanism->dependent_parameters(varied);
            EXPECT_TRUE(std::is_sorted(dependent.begin(), dependent.end()));
            EXPECT_EQ(std::adjacent_find(dependent.begin(), dependent.end()), dependent.end());
            for (double factor : {1.07, -3.0})
                EXPECT_THAT(dependent, testing::IsSupersetOf(changed_parameters(*mechanism, number, factor)))
                    << mechanism->numbers[number].address;
        }
}

TEST(DependentParameters, OfEachNumberAreSomeUnlessNothingUsesIt) {
    const auto mechanism = parsed(every_entry());
    for (std::size_t number = 0; number < mechanism->numbers.size(); ++number) {
        const std::size_t varied[] = {number};
        EXPECT_EQ(mechanism->dependent_parameters(varied).empty(),
                  mechanism->numbers[number].address == "parameters.unused")
            << mechanism->numbers[number].address;
    }
}

// Without those of links and of the rows between them, which stand behind all others.
std::vector<int> dependent_in_body_coordinates(const Mechanism& mechanism, std::span<const std::size_t> numbers) {
    std::vector<int> dependent = mechanism.dependent_parameters(numbers);
    std::erase_if(dependent, [&](int parameter) { return parameter >= mechanism.table.joint.link_parameter; });
    return dependent;
}

TEST(DependentParameters, AreNoMoreThanTheFieldsOfABodyOrAnElementNeed) {
    const auto mechanism = parsed(every_entry());
    const auto dependent = [&](const std::string& address) {
        const std::size_t varied[] = {number_of(*mechanism, address)};
        return dependent_in_body_coordinates(*mechanism, varied);
    };
    const int rod = first_body_parameter + body_parameters;
    EXPECT_EQ(dependent("gravity_m_s2[1]"), std::vector<int>{gravity_parameter + 1});
    EXPECT_EQ(dependent("bodies.rod.mass_kg"), std::vector<int>{rod + body_mass});
    EXPECT_EQ(dependent("bodies.rod.inertia_kg_m2[1]").size(), 6u);
    EXPECT_EQ(dependent("bodies.rod.velocity_m_s[0]"),
              (std::vector<int>{rod + body_velocity, rod + body_velocity + 1, rod + body_velocity + 2}));
    EXPECT_EQ(dependent("forces.spring.stiffness_N_m").size(), 1u);
    EXPECT_EQ(dependent("forces.spring.points_m[1][2]").size(), 5u) << "the point, the length scale and the extent";
    EXPECT_EQ(dependent("sensors.tip.point_m[0]").size(), 3u);
}

TEST(DependentParameters, OfSeveralNumbersAreAllOfTheirs) {
    const auto mechanism = parsed(every_entry());
    const std::size_t gravity = number_of(*mechanism, "gravity_m_s2[0]"),
                      mass = number_of(*mechanism, "bodies.crank.mass_kg");
    const std::size_t both[] = {mass, gravity};
    EXPECT_EQ(dependent_in_body_coordinates(*mechanism, both), (std::vector<int>{0, first_body_parameter + body_mass}));
    EXPECT_TRUE(mechanism->dependent_parameters({}).empty());
}

}  // namespace
}  // namespace myriad::mechanism
