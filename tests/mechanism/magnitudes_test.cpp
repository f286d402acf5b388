// A direction is the same direction whatever its length: no square of a component overflows or vanishes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "host/mechanism/geometry.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

std::vector<double> parameters_of(const json& text) { return parsed(text)->nominal_kernel_parameters(); }

void scale(json& vector, double factor) {
    if (vector.is_number())
        vector = vector.get<double>() * factor;
    else
        for (json& element : vector) scale(element, factor);
}

// All directions that a file may have, `factor` times as long as they were.
json text_with(double factor) {
    json text = every_entry();
    for (const char* joint : {"universal", "revolute", "cylindrical", "prismatic", "dot_1"})
        scale(text["joints"][joint]["axes"], factor);
    const auto put = [&](const char* path, json value) {
        scale(value, factor);
        text[json::json_pointer(path)] = value;
    };
    put("/joints/cylindrical/references", {{0.2, 0.3, 1.0}, {1.0, 0.1, 0.4}});
    put("/joints/dot_2/axis", {1.0, 2.0, 0.5});
    put("/joints/coordinate/direction", {1.0, 2.0, 0.5});
    put("/contacts/touch/plane_normal", {0.1, 0.3, 0.4});
    put("/contacts/pin/slot_normal", {0.2, 2.0, -0.3});
    put("/bodies/rod/orientation", {{"quaternion", {0.7, 0.4, -0.3, 0.2}}});
    put("/bodies/crank/orientation", {{"x_axis", {1.0, 0.2, -0.4}}, {"y_axis", {0.3, 0.9, 0.5}}});
    return text;
}

TEST(Magnitudes, OfDirectionsLeaveNoBitOfTheGeometry) {
    const std::vector<double> expected = parameters_of(text_with(1.0));
    for (const int exponent : {-1000, -520, -60, 60, 520, 1000}) {
        const std::vector<double> found = parameters_of(text_with(std::ldexp(1.0, exponent)));
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k)
            EXPECT_EQ(std::bit_cast<std::uint64_t>(found[k]), std::bit_cast<std::uint64_t>(expected[k]))
                << "parameter " << k << ", 2^" << exponent;
    }
}

TEST(Magnitudes, OfDirectionsMayBePowersOfTen) {
    // A product with a power of ten is off by half an ulp in each component, and a few operations follow.
    constexpr double few_roundings = 4e-15;
    const std::vector<double> expected = parameters_of(text_with(1.0));
    for (const double factor : {1e-300, 1e-200, 1e-160, 1e-10, 1e10, 1e100, 1e160, 1e300}) {
        const std::vector<double> found = parameters_of(text_with(factor));
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t k = 0; k < expected.size(); ++k)
            EXPECT_NEAR(found[k], expected[k], few_roundings) << "parameter " << k << ", factor " << factor;
    }
}

// One long component beside two ordinary ones, as a slip of a key makes it.
TEST(Magnitudes, OfOneComponentTurnTheAxisThere) {
    for (const double huge : {1e100, 1e154, 1e160, 1e300}) {
        json text = every_entry();
        text["joints"]["dot_2"]["axis"] = {huge, 2.0, 0.5};
        const auto mechanism = parsed(text);
        const auto joint = std::find_if(mechanism->joints.begin(), mechanism->joints.end(),
                                        [](const NamedElements& one) { return one.name == "dot_2"; });
        const int at = mechanism->table.element[joint->first_element].parameter;
        const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
        EXPECT_EQ(parameters[static_cast<std::size_t>(at)], 1.0) << huge;
        EXPECT_EQ(parameters[static_cast<std::size_t>(at + 1)], 2.0 / huge) << huge;
    }
}

TEST(Magnitudes, OfOrdinaryDirectionsKeepTheBitsOfThePlainFormula) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> component(-3.0, 3.0), exponent(-150.0, 150.0);
    for (int n = 0; n < 1000; ++n) {
        const double size = std::pow(10.0, exponent(random));
        const Vector v{size * component(random), size * component(random), size * component(random)};
        const double plain = std::sqrt(dot(v, v));
        const Vector found = unit(v);
        EXPECT_EQ(length(v), plain);
        for (int k = 0; k < 3; ++k) EXPECT_EQ(found[k], v[k] / plain);
    }
}

TEST(Magnitudes, WithoutADirectionAreNaN) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const Vector& v : {Vector{0.0, 0.0, 0.0}, Vector{infinity, 1.0, 0.0}, Vector{0.0, std::nan(""), 1.0}})
        EXPECT_TRUE(std::isnan(unit(v)[0] + unit(v)[1] + unit(v)[2]));
}

}  // namespace
}  // namespace myriad::mechanism
