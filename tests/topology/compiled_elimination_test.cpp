// An elimination that is written out as text and compiled has the bits of the program that is read at run time, in
// every Real and with any values, also those that leave weak pivots.
#include "generated/compiled_elimination.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/mechanism/elimination.hpp"

namespace myriad::tests {
namespace {

template <class Real>
std::vector<Real> random_values(int count, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<Real> values(static_cast<std::size_t>(count));
    for (Real& value : values)
        for (int lane = 0; lane < Lanes<Real>::width; ++lane)
            Lanes<Real>::set(value, lane, static_cast<NumberOf<Real>>(uniform(random)));
    return values;
}

template <class Real>
void expect_same_values(const std::vector<Real>& ours, const std::vector<Real>& theirs) {
    for (std::size_t i = 0; i < ours.size(); ++i)
        for (int lane = 0; lane < Lanes<Real>::width; ++lane)
            EXPECT_EQ(Lanes<Real>::get(ours[i], lane), Lanes<Real>::get(theirs[i], lane)) << "slot " << i;
}

template <class Real>
void expect_same_bits() {
    const auto mechanism =
        mechanism::read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/mechanisms/double_pendulum.json");
    const Elimination& program = mechanism->table.elimination;
    const unsigned short* first_pivot = program.factor_program;
    while (*first_pivot == clear_step) first_pivot += 2;
    std::mt19937_64 random(19);
    for (int repeat = 0; repeat < 100; ++repeat) {
        std::vector<Real> matrix = random_values<Real>(program.slots, random),
                          b = random_values<Real>(program.unknowns, random);
        // The first pivot of every other matrix cancels.
        if (repeat % 2) matrix[first_pivot[1]] = Real(0.0);
        std::vector<Real> x = b, matrix_of_text = matrix, b_of_text = b, x_of_text = b;
        const bool weak = any(factor(program, matrix.data()));
        solve(program, matrix.data(), b.data(), x.data());
        EXPECT_EQ(any(compiled_elimination::factor(matrix_of_text.data())), weak);
        compiled_elimination::solve(matrix_of_text.data(), b_of_text.data(), x_of_text.data());
        expect_same_values(matrix_of_text, matrix);
        expect_same_values(x_of_text, x);
    }
}

TEST(CompiledElimination, GivesTheBitsOfTheProgram) {
    expect_same_bits<double>();
    expect_same_bits<float>();
    expect_same_bits<Pack<double, 8>>();
    expect_same_bits<Pack<float, 16>>();
}

}  // namespace
}  // namespace myriad::tests
