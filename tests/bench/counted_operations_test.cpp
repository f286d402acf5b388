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
constexpr Arithmetic cross{0, 3, 3}, dot{0, 1, 2}, symmetric_times_vector{0, 3, 6};
constexpr Arithmetic up{0, 5, 4};                   // the third row of a rotation matrix
constexpr Arithmetic quaternion_product{0, 4, 12};  // 16 products, 12 sums
constexpr Arithmetic half_and_its_square{0, 4, 2};  // v = u/2, |v|^2: shared by both maps of a stage
constexpr Arithmetic exponential{0, 3, 12};         // two polynomials of degree 6, then S v
constexpr Arithmetic inverse_tangent{0, 3, 19};     // one of degree 7, v x w, w + G v x w, v x that + w
constexpr Arithmetic linear_combination{0, 0, 6};   // of three rates and three velocities, per term
const Arithmetic acceleration =
    up + cross + symmetric_times_vector + cross + Arithmetic{3, 0, 0} + symmetric_times_vector;

TEST(OperationCounts, OfOneRk4AttemptOfTheHeavyTopAreThoseOfItsFormulas) {
    // Stages two to four have one term each; the first has u = 0. The step h/2 is formed once, h is there. The reach of
    // a step is the square that its exponential needs.
    const Arithmetic stage =
        linear_combination + half_and_its_square + exponential + quaternion_product + acceleration + inverse_tangent;
    const Arithmetic renormalization{0, 5, 4};
    const Arithmetic end = Arithmetic{0, 2, 0} + 4 * linear_combination + half_and_its_square + exponential +
                           quaternion_product + renormalization;
    const Arithmetic clock{1, 2, 0};  // steps + 1, steps times h, rows times the steps between them
    expect_equal(operations_of("heavy_top", "rotation", "rk4").attempt_distinct,
                 acceleration + Arithmetic{0, 1, 0} + 3 * stage + end + clock);
}

TEST(OperationCounts, OfTheCertificateShareTheFirstStagesProducts) {
    const StepOperations& rk4 = operations_of("heavy_top", "rotation", "rk4");
    const Arithmetic finite{0, 0, 7}, counters{2, 0, 0}, drifts{2, 0, 0};
    const Arithmetic energy = dot + dot + Arithmetic{0, 0, 1}, vertical_momentum = dot;
    expect_equal(rk4.distinct - rk4.attempt_distinct, finite + counters + drifts + energy + vertical_momentum);
}

// The sum of the two, so that an operation more in the hot loop is noticed.
TEST(OperationCounts, OfTheHeavyTopsRk4StepAre769Flops) {
    EXPECT_EQ(operations_of("heavy_top", "rotation", "rk4").distinct.flops(), 769);
}

// Each stage costs the same: seven stages cost 7/4 of four within the linear combinations, of which rk67 has more.
TEST(OperationCounts, GrowWithTheNumberOfStages) {
    const auto flops = [](const char* integrator) {
        return static_cast<double>(operations_of("heavy_top", "rotation", integrator).attempt_distinct.flops());
    };
    EXPECT_GT(flops("rk67") / flops("rk4"), 7.0 / 4);
    EXPECT_LT(flops("rk67") / flops("rk4"), 2.2);
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
