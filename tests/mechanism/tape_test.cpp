// Instructions on registers: the same bits in any lane of any Real, and nothing from the branch that is not taken.
#include "kernels/mechanism/tape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/mechanism/table_topology.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

// Two pieces that do not fit together, between outer ones.
constexpr PolynomialPiece pieces[] = {{-9.0, -9.0, {0.0, 0.0, 0.0, 0.0}},
                                      {-2.0, -2.0, {0.3, -0.7, 1.1, 0.4}},
                                      {0.5, 0.25, {-0.2, 0.9, -0.6, 1.3}},
                                      {30.0, 30.0, {2.0, 0.0, 0.0, 0.0}}};

// Every operation on the parameters 0 1 2 and the time; each function reads the register of one operation.
std::unique_ptr<MechanismTable> every_operation() {
    auto table = std::make_unique<MechanismTable>();
    table->interpolants = 1, table->pieces = 4, table->piece = pieces;
    table->interpolant[0] = {0, 4, true};
    const auto add = [&](Operation operation, int to, int a, int b, int c) {
        table->instruction[table->instructions++] = {operation, to, a, b, c};
    };
    add(Operation::parameter, 0, 0, 0, 0);
    add(Operation::parameter, 1, 1, 0, 0);
    add(Operation::parameter, 2, 2, 0, 0);
    add(Operation::time, 3, 0, 0, 0);
    add(Operation::multiply, 4, 0, 3, 0);  // moving operands
    add(Operation::add, 5, 1, 3, 0);
    for (int i = static_cast<int>(Operation::add); i < operation_count; ++i) {
        const auto operation = static_cast<Operation>(i);
        const bool needs_positive = operation == Operation::logarithm || operation == Operation::square_root;
        const int to = 6 + table->functions;
        const bool reads_table = operation == Operation::interpolate || operation == Operation::interpolate_slope;
        add(operation, to, needs_positive ? 5 : 4, reads_table ? 0 : 5, 2);
        table->function_register[table->functions++] = to;
    }
    // A register that is written twice, from itself.
    add(Operation::multiply, 6, 6, 6, 0);
    return table;
}

template <class Number>
struct Instance {
    Number parameters[3], time_s;
};

template <class Number>
std::vector<Instance<Number>> instances(int count) {
    Arguments arguments(5);
    std::vector<Instance<Number>> all;
    for (int i = 0; i < count; ++i) {
        Instance<Number> one{};
        for (Number& parameter : one.parameters) parameter = static_cast<Number>(arguments.uniform(-1.5, 1.5));
        one.parameters[1] = std::abs(one.parameters[1]);
        one.time_s = static_cast<Number>(arguments.uniform(0.0, 20.0));
        if (i % 7 == 6) one.parameters[i % 3] = std::numeric_limits<Number>::quiet_NaN();
        if (i % 11 == 10) one.parameters[i % 3] = Number(0.0), one.time_s = Number(0.0);
        all.push_back(one);
    }
    return all;
}

// For each instance its functions' values and derivatives.
template <class Real>
std::vector<std::vector<NumberOf<Real>>> results(const MechanismTable& table,
                                                 const std::vector<Instance<NumberOf<Real>>>& all) {
    constexpr int width = Lanes<Real>::width;
    const TableTopology topology(&table);
    std::vector<std::vector<NumberOf<Real>>> per_instance(all.size());
    for (std::size_t first = 0; first < all.size(); first += width) {
        Real parameters[3], time_s;
        for (int lane = 0; lane < width; ++lane) {
            const auto& one = all[std::min(first + static_cast<std::size_t>(lane), all.size() - 1)];
            for (int j = 0; j < 3; ++j) Lanes<Real>::set(parameters[j], lane, one.parameters[j]);
            Lanes<Real>::set(time_s, lane, one.time_s);
        }
        Taylor<Real> registers[TableTopology::most_registers];
        run_tape(topology, parameters, time_s, registers);
        for (int i = 0; i < topology.functions(); ++i) {
            const Taylor<Real> function = function_at(topology, registers, i);
            for (int lane = 0; lane < width && first + static_cast<std::size_t>(lane) < all.size(); ++lane)
                for (const Real& part : {function.value, function.rate, function.acceleration})
                    per_instance[first + static_cast<std::size_t>(lane)].push_back(Lanes<Real>::get(part, lane));
        }
    }
    return per_instance;
}

template <class Number>
bool same_bits(Number a, Number b) {
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

template <class Number, int width>
void expect_same_bits_in_lanes(int count) {
    const auto table = every_operation();
    const auto all = instances<Number>(count);
    const auto plain = results<Number>(*table, all), packed = results<Pack<Number, width>>(*table, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(plain[i].size(), packed[i].size());
        for (std::size_t k = 0; k < plain[i].size(); ++k)
            ASSERT_TRUE(same_bits(plain[i][k], packed[i][k]))
                << "instance " << i << " function " << k / 3 << ": " << plain[i][k] << " " << packed[i][k];
    }
}

TEST(Tape, GivesTheSameBitsInAnyLane) {
    for (const int count : {1, 31, 33, 1000}) {
        expect_same_bits_in_lanes<double, 4>(count);
        expect_same_bits_in_lanes<double, 8>(count);
        expect_same_bits_in_lanes<float, 8>(count);
        expect_same_bits_in_lanes<float, 16>(count);
    }
}

TEST(Tape, TakesNothingFromTheOtherBranch) {
    MechanismTable table{};
    const Instruction instructions[] = {
        {Operation::parameter, 0, 0, 0, 0},                                      // -1
        {Operation::time, 1, 0, 0, 0},      {Operation::logarithm, 2, 0, 0, 0},  // NaN
        {Operation::less, 3, 0, 1, 0},                                           // 1
        {Operation::choose, 4, 3, 1, 2},
    };
    for (const Instruction& instruction : instructions) table.instruction[table.instructions++] = instruction;
    table.function_register[table.functions++] = 4;
    const TableTopology topology(&table);
    const double parameters[1] = {-1.0};
    Taylor<double> registers[TableTopology::most_registers];
    run_tape(topology, parameters, 2.5, registers);
    const Taylor<double> function = function_at(topology, registers, 0);
    EXPECT_EQ(function.value, 2.5);
    EXPECT_EQ(function.rate, 1.0);
    EXPECT_EQ(function.acceleration, 0.0);
    EXPECT_TRUE(std::isnan(registers[2].value));
}

TEST(Tape, HasAZeroFunctionForThoseWithoutOne) {
    const MechanismTable table{};
    Taylor<double> registers[TableTopology::most_registers] = {};
    EXPECT_EQ(function_at(TableTopology(&table), registers, -1).value, 0.0);
}

}  // namespace
}  // namespace myriad::test
