// The discrete gradients of the energy-momentum methods and their matrix, at generic poses a finite step apart.
#include "tests/energy_momentum/bench.hpp"

namespace myriad::mechanism {

namespace {

constexpr int states = 20;
// Sums of some hundred products of numbers of order one.
constexpr double sum_round_off = 1e-14;

template <class Member>
class DiscreteGradient : public testing::Test {};
using Members = testing::Types<ConvectiveMember, LivensMidpointRule, LivensEnergyMomentum>;
TYPED_TEST_SUITE(DiscreteGradient, Members);

constexpr bool is_only_force(ElementKind kind) {
    return kind == ElementKind::angle || kind == ElementKind::rotation_vector;
}
constexpr int pairs[][2] = {{-1, 1}, {1, -1}, {0, 1}, {1, 0}};

// The part of the residual that one row adds for a multiplier of 1.
template <class Member>
Eigen::VectorXd gradient_of_row(EnergyMomentumBench<Member>& bench, std::size_t row) {
    bench.multipliers[row] += 0.5;
    const Eigen::VectorXd with = bench.residual();
    bench.multipliers[row] -= 1.0;
    const Eigen::VectorXd difference = with - bench.residual();
    bench.multipliers[row] += 0.5;
    return difference;
}

TYPED_TEST(DiscreteGradient, TimesTheIncrementsIsTheIncrementOfTheRow) {
    for (const ElementKind kind : all_kinds) {
        // A row that is quartic in the quaternions: the midpoint's gradient is no discrete one.
        const bool exact = !is_turning(kind) || !std::is_same_v<TypeParam, LivensMidpointRule>;
        double largest = 0.0;
        for (const auto& pair : pairs)
            for (int state = 0; state < states; ++state) {
                Generic generic(7000 + static_cast<std::uint64_t>(100 * static_cast<int>(kind) + state));
                const auto bench = std::make_unique<EnergyMomentumBench<TypeParam>>(generic);
                bench->add_element(kind, pair[0], pair[1], false, generic);
                bench->matrix();
                for (int k = 0; k < rows_of(kind); ++k) {
                    const Eigen::VectorXd g = gradient_of_row(*bench, static_cast<std::size_t>(k));
                    double work = 0.0;
                    for (int b = 0; b < 2; ++b) {
                        const Vec<3, double> moved = bench->end.position[b] - bench->begin.q.position[b],
                                             turned = bench->rotation_of_step(b);
                        for (int i = 0; i < 3; ++i) work += g[6 * b + i] * moved[i] + g[6 * b + 3 + i] * turned[i];
                    }
                    // f differs at both ends; it is no part of the bodies' motion.
                    largest = std::max(largest, std::abs(work - (bench->phi(0, k, true) - bench->phi(0, k, false))));
                }
            }
        if (exact) {
            EXPECT_LT(largest, sum_round_off) << "kind " << static_cast<int>(kind);
        } else {
            EXPECT_GT(largest, 1e-4);
        }
    }
}

// Rows between two bodies: forces cancel; so do the moments about the origin, of forces at the middle of the centres'
// ways, where the points coincide at both ends (angles and, for the mean rotation, DP2 and distance need no such
// thing).
TYPED_TEST(DiscreteGradient, BetweenBodiesHasNoNetForceAndOfAnglesNoNetTorque) {
    for (const ElementKind kind : all_kinds)
        for (int state = 0; state < states; ++state) {
            Generic generic(8000 + static_cast<std::uint64_t>(100 * static_cast<int>(kind) + state));
            const auto bench = std::make_unique<EnergyMomentumBench<TypeParam>>(generic);
            bench->add_element(kind, 0, 1, false, generic);
            bench->matrix();
            for (int k = 0; k < rows_of(kind); ++k) {
                const Eigen::VectorXd g = gradient_of_row(*bench, static_cast<std::size_t>(k));
                Vec<3, double> force{}, moment{};
                for (int b = 0; b < 2; ++b) {
                    const Vec<3, double> f{g[6 * b], g[6 * b + 1], g[6 * b + 2]},
                        torque{g[6 * b + 3], g[6 * b + 4], g[6 * b + 5]};
                    force = force + f;
                    const Vec<3, double> middle = 0.5 * (bench->end.position[b] + bench->begin.q.position[b]);
                    moment = moment + bench->frame(b) * torque + cross(middle, f);
                }
                EXPECT_LT(std::sqrt(dot(force, force)), sum_round_off);
                const bool along = kind == ElementKind::distance || kind == ElementKind::dot_2;
                const bool no_moment =
                    is_turning(kind) || kind == ElementKind::rotation_vector || (along && bench->is_convective);
                if (no_moment) {
                    EXPECT_LT(std::sqrt(dot(moment, moment)), sum_round_off);
                }
            }
        }
}

TYPED_TEST(DiscreteGradient, AndItsDerivativeAreTheNewtonMatrix) {
    for (const ElementKind kind : all_kinds)
        for (const bool has_law : {false, true})
            for (const auto& pair : pairs) {
                if (has_law ? kind == ElementKind::point || kind == ElementKind::driven_angle : is_only_force(kind))
                    continue;
                SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << (has_law ? " with a law" : "")
                                                << " from " << pair[0] << " to " << pair[1]);
                Generic generic(9000 + static_cast<std::uint64_t>(10 * static_cast<int>(kind) + has_law));
                for (int state = 0; state < 3; ++state) {
                    const auto bench = std::make_unique<EnergyMomentumBench<TypeParam>>(generic);
                    bench->add_element(kind, pair[0], pair[1], has_law, generic);
                    // How these gradients turn with their own increments is left out; it is times the multiplier.
                    if (is_only_force(kind)) std::fill(bench->multipliers.begin(), bench->multipliers.end(), 0.0);
                    const Eigen::MatrixXd matrix = bench->matrix();
                    Eigen::MatrixXd expected = bench->differences() - bench->turning_of_the_frame();
                    // Rows of constraints are phi(q+)/c_q and those of laws -(residual).
                    expect_equal(matrix, expected, pair[0] < 0 || pair[1] < 0);
                }
            }
}

TYPED_TEST(DiscreteGradient, OfALoadHasTheNewtonMatrixOfItsDerivative) {
    for (const LoadKind kind :
         {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body}) {
        SCOPED_TRACE(static_cast<int>(kind));
        Generic generic(9500 + static_cast<std::uint64_t>(kind));
        for (int state = 0; state < 3; ++state) {
            const auto bench = std::make_unique<EnergyMomentumBench<TypeParam>>(generic);
            bench->add_load(kind, state % 2, generic);
            const Eigen::MatrixXd matrix = bench->matrix();
            expect_equal(matrix, bench->differences() - bench->turning_of_the_frame(), true);
        }
    }
}

// The work that is written down is the residual's own, times the increments.
TYPED_TEST(DiscreteGradient, OfALoadDoesTheWorkThatIsWrittenDown) {
    for (const LoadKind kind :
         {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body})
        for (int state = 0; state < states; ++state) {
            Generic generic(9700 + static_cast<std::uint64_t>(100 * static_cast<int>(kind) + state));
            const auto bench = std::make_unique<EnergyMomentumBench<TypeParam>>(generic);
            const auto unloaded = [&] {
                bench->table.loads = 0;
                bench->matrix();
                return bench->residual();
            }();
            bench->add_load(kind, 1, generic);
            const Eigen::VectorXd force = unloaded - bench->residual();
            const Vec<3, double> moved = bench->end.position[1] - bench->begin.q.position[1],
                                 turned = bench->rotation_of_step(1);
            double work = 0.0;
            for (int i = 0; i < 3; ++i) work += force[6 + i] * moved[i] + force[9 + i] * turned[i];
            EXPECT_NEAR(bench->equations().work_of_step(bench->end, nullptr), work, sum_round_off);
        }
}

}  // namespace

}  // namespace myriad::mechanism
