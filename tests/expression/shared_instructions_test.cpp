// What functions of time have in common is computed once, with the bits that they have one by one.
#include "host/mechanism/expression/shared_instructions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/expression/functions.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

const std::vector<std::pair<std::string, double>> named = {{"k", 1.7}, {"a", -0.4}};

// Value, rate and acceleration of each.
std::vector<std::uint64_t> bits(const Functions& functions, double time_s) {
    std::vector<std::uint64_t> all;
    for (int f = 0; f < functions.table->functions; ++f) {
        const Taylor<double> one = functions.run(f, time_s);
        for (const double number : {one.value, one.rate, one.acceleration})
            all.push_back(std::bit_cast<std::uint64_t>(number));
    }
    return all;
}

TEST(SharedInstructions, KeepTheBitsOfEveryFunction) {
    Functions functions;
    for (const char* text : {"k * sin(3 * t) + a", "k * sin(3 * t) - a", "t", "t", "sin(3 * t)", "a - k * sin(3 * t)",
                             "if(t < k, t^3, cos(t))", "if(t < a, t^3, cos(t))", "atan2(t, k)", "atan2(k, t)",
                             "min(t / k, 0.5)^2 + max(t / k - 0.5, 0)", "2 * min(t / k, 0.5)^2"})
        functions.add(text, named);
    std::vector<std::vector<std::uint64_t>> before;
    const std::vector<double> times{-0.8, 0.0, 0.3, 2.9};
    for (const double time_s : times) before.push_back(bits(functions, time_s));
    const int instructions = functions.table->instructions;
    share_instructions(*functions.table);
    // The parts named above: k * sin(3 * t) three times, t^3 and cos(t) twice, min(t / k, 0.5)^2 twice, and all reads.
    EXPECT_LT(functions.table->instructions, instructions / 2);
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(bits(functions, times[i]), before[i]) << times[i];
    const int shared = functions.table->instructions;
    share_instructions(*functions.table);
    EXPECT_EQ(functions.table->instructions, shared);
}

TEST(SharedInstructions, NeedNoMoreThanOneOfEqualFunctions) {
    Functions functions;
    for (int i = 0; i < 20; ++i) functions.add("k * t + a", named);
    share_instructions(*functions.table);
    EXPECT_EQ(functions.table->instructions, 5);  // k, t, their product, a, the sum
    EXPECT_EQ(functions.table->functions, 20);
}

// Three sines wait for their second function in registers of their own, beside the one of the first function.
TEST(SharedInstructions, LeaveATableAloneWhoseRegistersWouldNotSuffice) {
    Functions functions;
    constexpr int triples = most_registers / 4 + 1;
    for (const char* operation : {" + ", " * "})
        for (int i = 0; i < triples; ++i) {
            std::string text = "0";
            for (int k = 0; k < 3; ++k) text += operation + ("sin(" + std::to_string(3 * i + k + 2) + " * t)");
            functions.add(text, named);
        }
    const int instructions = functions.table->instructions;
    const std::vector<std::uint64_t> before = bits(functions, 0.7);
    share_instructions(*functions.table);
    EXPECT_EQ(functions.table->instructions, instructions);
    EXPECT_EQ(bits(functions, 0.7), before);
}

// 27 functions of 26 instructions would be more than a table holds.
TEST(SharedInstructions, CountOnceAgainstTheLimits) {
    nlohmann::json text = two_bodies();
    for (int i = 0; i < 9; ++i) {
        nlohmann::json& force = text["forces"]["pull_" + std::to_string(i)];
        force = {{"type", "force"}, {"body", "rod"}};
        for (int k = 0; k < 3; ++k)
            force["force_N"].push_back(std::to_string(3 * i + k) +
                                       " * (sin(t) * cos(2 * t) + exp(-t) * tanh(3 * t) + sqrt(1 + t * t) / (2 + t))");
    }
    const auto mechanism = parse_mechanism(text.dump(), "test");
    EXPECT_EQ(mechanism->table.functions, 27);
    EXPECT_LT(mechanism->table.instructions, 27 * 3);
}

TEST(SharedInstructions, SayHowManyCornersAFunctionHas) {
    MechanismTable table{};
    const auto add = [&](Operation operation, int to, int a, int b) {
        table.instruction[table.instructions++] = {operation, to, a, b, 0};
    };
    table.interpolant[4].corners = Corners::at_ends, table.interpolant[7].corners = Corners::none;
    add(Operation::time, 0, 0, 0);
    add(Operation::parameter, 3, 0, 0);
    add(Operation::interpolate, 1, 0, 4);
    add(Operation::interpolate, 2, 0, 7);
    add(Operation::maximum, 1, 1, 3);
    add(Operation::absolute, 3, 3, 0);
    table.functions = 4;
    table.function_register[0] = 1, table.function_register[1] = 2, table.function_register[2] = 0;
    table.function_register[3] = 3;
    EXPECT_EQ(corners_of(table, 0), 2) << "a table that is held, and max";
    EXPECT_EQ(corners_of(table, 1), 0) << "a smooth table";
    EXPECT_EQ(corners_of(table, 2), 0);
    EXPECT_EQ(corners_of(table, 3), 0) << "the size of a number that does not change with time";
}

}  // namespace
}  // namespace myriad::mechanism
