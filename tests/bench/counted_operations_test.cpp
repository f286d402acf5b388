// The counts of the bench follow from the structure of the methods.
#include <gtest/gtest.h>

#include "bench/operations/counting_real.hpp"
#include "bench/operations/operation_counts.hpp"

namespace myriad::bench {
namespace {

struct Arithmetic {
    long long add = 0, multiply = 0, fma = 0;
    friend Arithmetic operator+(Arithmetic a, Arithmetic b) {
        return {a.add + b.add, a.multiply + b.multiply, a.fma + b.fma};
    }
    friend Arithmetic operator*(long long n, Arithmetic a) { return {n * a.add, n * a.multiply, n * a.fma}; }
};

void expect_equal(const OperationCounts& counted, const Arithmetic& expected) {
    EXPECT_EQ(counted[Operation::add], expected.add);
    EXPECT_EQ(counted[Operation::multiply], expected.multiply);
    EXPECT_EQ(counted[Operation::fma], expected.fma);
    EXPECT_EQ(counted[Operation::divide], 0);
    EXPECT_EQ(counted[Operation::square_root], 0);
}

// The parts of one step on the rotation group, by their formulas: sums, products, fma.
constexpr Arithmetic cross{0, 3, 3}, dot{0, 1, 2}, symmetric_times_vector{0, 3, 6}, of_three{0, 3, 0},
    to_three{0, 0, 3};
constexpr Arithmetic half_up{1, 3, 3};              // half of the third row of a rotation matrix
constexpr Arithmetic quaternion_product{0, 4, 12};  // 16 products, 12 sums
constexpr Arithmetic square_of_quaternion{1, 2, 2};
const Arithmetic torque = half_up + cross + cross + Arithmetic{3, 0, 0};
const Arithmetic acceleration = torque + symmetric_times_vector;
// Stages two to four have one term each; the momentum goes with the velocity. Stages of equal weight are added first:
// twice a sum, of which the first is multiplied and, of velocities, added.
const Arithmetic velocity_and_momentum = to_three + to_three;
const Arithmetic end_of_velocity = Arithmetic{6, 0, 0} + 2 * to_three;
// h/4 and h/2 of stages, h/12, h/6 and h/3 of the end.
constexpr Arithmetic parts_of_the_step{0, 5, 0};
constexpr Arithmetic clock_of_steps{1, 2, 0};  // steps + 1, steps times h, rows times the steps between them

TEST(OperationCounts, OfOneRk4AttemptOfTheHeavyTopAreThoseOfItsFormulas) {
    const Arithmetic short_exponential{0, 3, 5};  // two polynomials of degrees 3 and 2, then S v
    const Arithmetic two_commutators = cross + to_three + Arithmetic{0, 0, 6};  // v x w, w + that / 3, v x that + w
    const Arithmetic stage = of_three + velocity_and_momentum + dot + short_exponential + quaternion_product +
                             acceleration + two_commutators;
    // The exponential's two polynomials of degree 6, both times what keeps the length, then S v.
    const Arithmetic exponential{0, 2 + 3, 12}, length = square_of_quaternion + Arithmetic{0, 0, 1};
    const Arithmetic end =
        Arithmetic{6, 0, 0} + of_three + to_three + end_of_velocity + dot + length + exponential + quaternion_product;
    expect_equal(operations_of("heavy_top", "rotation", "rk4").attempt_distinct,
                 symmetric_times_vector + acceleration + 3 * stage + end + parts_of_the_step + clock_of_steps);
}

TEST(OperationCounts, OfOneRk4AttemptOnUnitQuaternionsAreThoseOfItsFormulas) {
    const Arithmetic rate{0, 4, 8}, to_four{0, 0, 4};  // q w of which the scalar part is a dot product
    const Arithmetic stage = to_four + velocity_and_momentum + acceleration + rate;
    const Arithmetic root{1, 0, 3};  // a series of degree 3 in the square less 1
    const Arithmetic end =
        Arithmetic{8, 0, 0} + 2 * to_four + end_of_velocity + square_of_quaternion + root + Arithmetic{0, 4, 0};
    expect_equal(operations_of("heavy_top", "euler_parameters", "rk4").attempt_distinct,
                 symmetric_times_vector + acceleration + rate + 3 * stage + end + parts_of_the_step + clock_of_steps);
}

TEST(OperationCounts, OfTheCertificateShareTheFirstStagesProducts) {
    const StepOperations& rk4 = operations_of("heavy_top", "rotation", "rk4");
    const Arithmetic finite{0, 0, 7}, counters{2, 0, 0}, drifts{2, 0, 0};
    const Arithmetic energy = dot + dot + Arithmetic{0, 0, 1}, vertical_momentum = dot + Arithmetic{0, 1, 0};
    // Whether the energies are looked at in this one of 16 steps.
    const Arithmetic remainder{2, 2, 0};
    expect_equal(rk4.distinct - rk4.attempt_distinct,
                 finite + counters + drifts + energy + vertical_momentum + remainder);
}

// The sum of the two, so that an operation more in the hot loop is noticed. With dexp^-1 in full it was 769.
TEST(OperationCounts, OfTheHeavyTopsRk4StepAre615FlopsOnTheGroupAnd448OnQuaternions) {
    EXPECT_EQ(operations_of("heavy_top", "rotation", "rk4").distinct.flops(), 615);
    EXPECT_EQ(operations_of("heavy_top", "euler_parameters", "rk4").distinct.flops(), 448);
}

// Each stage costs the same: seven stages cost 7/4 of four within the linear combinations, of which rk67 has more, and
// its dexp^-1 and stages are whole.
TEST(OperationCounts, GrowWithTheNumberOfStages) {
    const auto flops = [](const char* integrator) {
        return static_cast<double>(operations_of("heavy_top", "rotation", integrator).attempt_distinct.flops());
    };
    EXPECT_GT(flops("rk67") / flops("rk4"), 7.0 / 4);
    EXPECT_LT(flops("rk67") / flops("rk4"), 2.8);
}

// livens fig. 9: the size reduction saves nearly half of the cost of a step, the null-space form more.
TEST(OperationCounts, OfLivensMethodFallWithItsUnknowns) {
    const auto flops = [](const char* integrator) {
        return static_cast<double>(operations_of("free_rigid_body", "rotation", integrator).attempt_distinct.flops());
    };
    const double full = flops("energy_momentum_full"), reduced = flops("energy_momentum"),
                 null_space = flops("energy_momentum_null_space");
    RecordProperty("full", std::to_string(full));
    RecordProperty("reduced", std::to_string(reduced));
    RecordProperty("null_space", std::to_string(null_space));
    EXPECT_LT(reduced, 0.6 * full);
    EXPECT_LT(null_space, 0.5 * reduced);
    EXPECT_LT(flops("energy_momentum_convective"), null_space);
}

TEST(OperationCounts, CountASharedOperationOnceAndAWrittenOneEachTime) {
    CountingReal a, b;
    Lanes<CountingReal>::set(a, 0, 2.0), Lanes<CountingReal>::set(b, 0, 2.0);
    ledger().clear();
    const CountingReal first = a * b + CountingReal(3.0), second = b * a + CountingReal(3.0), third = a * a;
    EXPECT_EQ(first.value, 7.0);
    EXPECT_EQ(second.number, first.number);
    EXPECT_NE(third.number, (a * b).number) << "equal values are not the same value";
    EXPECT_EQ((a - b).number == (b - a).number, false);
    EXPECT_EQ(ledger().written[Operation::multiply], 4);
    EXPECT_EQ(ledger().distinct[Operation::multiply], 2);
    EXPECT_EQ(ledger().distinct[Operation::add], 3);
}

}  // namespace
}  // namespace myriad::bench
