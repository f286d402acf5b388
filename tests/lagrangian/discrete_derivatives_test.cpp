// Discrete derivatives of every kind of energy: directional, consistent, with derivatives as differences give them.
#include "kernels/lagrangian/discrete_derivatives.hpp"

#include "tests/generic_tasks.hpp"
#include "tests/lagrangian/runs.hpp"

namespace myriad::test {
namespace {

constexpr std::uint64_t case_count = 20;

template <class System>
struct SystemCase {
    using View = typename System::Lagrangian;
    static constexpr int n = View::coordinates;
    View view;
    Vec<n, double> q, v, q_end, v_end;
};

// States of no symmetry, the end of a step some tenths from its start; off the constraints, which nothing here needs.
template <class System>
SystemCase<System> generic_states(std::uint64_t instance) {
    auto parameters = defaults<System>();
    for (int i = 0; i < System::parameter_count; ++i)
        parameters[i] += 0.05 * (backends::uniform(instance, static_cast<std::uint64_t>(i)) - 0.5);
    SystemCase<System> made{System::prepare(parameters).system.lagrangian(), {}, {}, {}, {}};
    Motion<System> motion;
    System::start(parameters, motion.q, motion.v);
    made.q = coordinates_of(motion), made.v = rates_of(motion);
    for (int i = 0; i < made.n; ++i) {
        const auto draw = [&](int k) {
            return backends::uniform(instance, static_cast<std::uint64_t>(30 + 4 * i + k));
        };
        made.q[i] += 0.2 * draw(0), made.v[i] += 2.0 * draw(1) - 1.0;
        made.q_end[i] = made.q[i] + 0.4 * draw(2) - 0.2, made.v_end[i] = made.v[i] + 2.0 * draw(3) - 1.0;
    }
    return made;
}

template <class System>
class DiscreteDerivatives : public testing::Test {};
using AllSystems = testing::Types<FreeBody, Top, Springs, Pendulum>;
TYPED_TEST_SUITE(DiscreteDerivatives, AllSystems);

// Sums of some tens of terms of that size.
constexpr double round_off = 1e-13;

TYPED_TEST(DiscreteDerivatives, GiveTheDifferencesOfTheEnergiesExactly) {
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto c = generic_states<TypeParam>(instance);
        const auto dq = c.q_end - c.q, dv = c.v_end - c.v;
        const auto t = kinetic_derivatives(c.view, c.q, c.v, c.q_end, c.v_end, false);
        const double before = c.view.kinetic_energy(c.q, c.v), after = c.view.kinetic_energy(c.q_end, c.v_end);
        // The bilinear ones take dq as h v_half, whatever h is: here v_half itself, so dq = v_half.
        if constexpr (has_bilinear_invariants<typename TypeParam::Lagrangian>) {
            const auto middle = 0.5 * (c.v + c.v_end);
            const auto end = c.q + middle;
            const auto of_step = kinetic_derivatives(c.view, c.q, c.v, end, c.v_end, false);
            const double there = c.view.kinetic_energy(end, c.v_end);
            EXPECT_NEAR(dot_product(of_step.by_coordinate, middle) + dot_product(of_step.by_rate, dv), there - before,
                        round_off * (before + there));
        } else {
            EXPECT_NEAR(dot_product(t.by_coordinate, dq) + dot_product(t.by_rate, dv), after - before,
                        round_off * (before + after));
        }
        const double v_before = c.view.potential(c.q), v_after = c.view.potential(c.q_end);
        EXPECT_NEAR(dot_product(potential_gradient(c.view, c.q, c.q_end, false).value, dq), v_after - v_before,
                    round_off * (1.0 + std::abs(v_before) + std::abs(v_after)));
        const auto middle = 0.5 * (c.q + c.q_end);
        const auto by_jacobian = c.view.constraint_jacobian(middle) * dq,
                   difference = c.view.constraint(c.q_end) - c.view.constraint(c.q);
        for (int i = 0; i < TypeParam::Lagrangian::constraints; ++i)
            EXPECT_NEAR(by_jacobian[i], difference[i], round_off);
    }
}

TYPED_TEST(DiscreteDerivatives, AreTheDerivativesWhereBothEndsAreOne) {
    for (std::uint64_t instance = 0; instance < case_count; ++instance) {
        const auto c = generic_states<TypeParam>(instance);
        const auto t = kinetic_derivatives(c.view, c.q, c.v, c.q, c.v, false);
        const auto gradient = potential_gradient(c.view, c.q, c.q, false).value;
        const auto momentum = c.view.momentum(c.q, c.v), slope = c.view.potential_gradient(c.q);
        constexpr double step = 1e-6, tolerance = 1e-7;  // central differences of energies of order 10
        for (int i = 0; i < c.n; ++i) {
            EXPECT_NEAR(t.by_rate[i], momentum[i], round_off * (1.0 + std::abs(momentum[i])));
            EXPECT_NEAR(gradient[i], slope[i], round_off * (1.0 + std::abs(slope[i])));
            auto later = c.q, sooner = c.q, faster = c.v, slower = c.v;
            later[i] += step, sooner[i] -= step, faster[i] += step, slower[i] -= step;
            const double scale = 1.0 + c.view.kinetic_energy(c.q, c.v);
            EXPECT_NEAR(t.by_coordinate[i],
                        (c.view.kinetic_energy(later, c.v) - c.view.kinetic_energy(sooner, c.v)) / (2.0 * step),
                        tolerance * scale);
            EXPECT_NEAR(t.by_rate[i],
                        (c.view.kinetic_energy(c.q, faster) - c.view.kinetic_energy(c.q, slower)) / (2.0 * step),
                        tolerance * scale);
            EXPECT_NEAR(slope[i], (c.view.potential(later) - c.view.potential(sooner)) / (2.0 * step),
                        tolerance * (1.0 + std::abs(slope[i])));
        }
    }
}

TYPED_TEST(DiscreteDerivatives, AreDerivedAsDifferencesDo) {
    constexpr double step = 1e-6, tolerance = 3e-8;  // of second derivatives, over their size
    for (std::uint64_t instance = 0; instance < case_count; ++instance)
        for (const bool midpoint : {false, true}) {
            const auto c = generic_states<TypeParam>(instance);
            const auto t = kinetic_derivatives(c.view, c.q, c.v, c.q_end, c.v_end, midpoint);
            const auto potential = potential_gradient(c.view, c.q, c.q_end, midpoint);
            double size = 1.0;
            for (int i = 0; i < c.n; ++i)
                size = std::max(
                    {size, std::abs(t.by_rate[i]), std::abs(t.by_coordinate[i]), std::abs(potential.by_end.e[i][i])});
            for (int j = 0; j < c.n; ++j) {
                auto later = c.q_end, sooner = c.q_end, faster = c.v_end, slower = c.v_end;
                later[j] += step, sooner[j] -= step, faster[j] += step, slower[j] -= step;
                const auto by_q_after = kinetic_derivatives(c.view, c.q, c.v, later, c.v_end, midpoint),
                           by_q_before = kinetic_derivatives(c.view, c.q, c.v, sooner, c.v_end, midpoint),
                           by_v_after = kinetic_derivatives(c.view, c.q, c.v, c.q_end, faster, midpoint),
                           by_v_before = kinetic_derivatives(c.view, c.q, c.v, c.q_end, slower, midpoint);
                const auto v_after = potential_gradient(c.view, c.q, later, midpoint).value,
                           v_before = potential_gradient(c.view, c.q, sooner, midpoint).value;
                for (int i = 0; i < c.n; ++i) {
                    const auto slope = [&](double after, double before) { return (after - before) / (2.0 * step); };
                    const double bound = tolerance * size;
                    EXPECT_NEAR(t.rate_by_q.e[i][j], slope(by_q_after.by_rate[i], by_q_before.by_rate[i]), bound);
                    EXPECT_NEAR(t.coordinate_by_q.e[i][j],
                                slope(by_q_after.by_coordinate[i], by_q_before.by_coordinate[i]), bound);
                    EXPECT_NEAR(t.rate_by_v.e[i][j], slope(by_v_after.by_rate[i], by_v_before.by_rate[i]), bound);
                    EXPECT_NEAR(t.coordinate_by_v.e[i][j],
                                slope(by_v_after.by_coordinate[i], by_v_before.by_coordinate[i]), bound);
                    EXPECT_NEAR(potential.by_end.e[i][j], slope(v_after[i], v_before[i]), bound);
                }
            }
        }
}

TEST(GonzalezGradient, LeavesOutACorrectionThatIsRoundOff) {
    const Springs springs = Springs::prepare(defaults<Springs>()).system;
    const Vec<3, double> q{0.7, 1.8, -0.4};
    for (const double size : {0.0, 1e-15, 1e-12, 1e-9}) {
        const Vec<3, double> end{0.7 + size, 1.8, -0.4 - 0.5 * size};
        const auto gradient = potential_gradient(springs, q, end, false).value, exact = springs.potential_gradient(q);
        // A kept correction leaves the round-off of V, 2e-16, over the step.
        const double bound = 1e-14 + 10.0 * size + (size > 1e-10 ? 1e-15 / size : 0.0);
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(gradient[i], exact[i], bound) << size;
    }
}

TEST(QuaternionBody, TurnsItsKineticEnergyWithoutChange) {
    const auto body = FreeBody::prepare(defaults<FreeBody>()).system.lagrangian();
    const Rotation<double> turn = exp_any(Vec<3, double>{0.4, -0.7, 1.1}), q = exp_any(Vec<3, double>{-0.3, 0.2, 0.5});
    const Vec<4, double> v{0.3, -1.2, 0.8, 2.0};
    const auto turned = components(turn * q), turned_rate = components(turn * quaternion(v));
    EXPECT_NEAR(body.kinetic_energy(turned, turned_rate), body.kinetic_energy(components(q), v), 1e-13);
    // q o y of no effect on T: the mass is singular along q.
    EXPECT_NEAR(body.kinetic_energy(components(q), 3.0 * components(q)), 0.0, 1e-13);
}

}  // namespace
}  // namespace myriad::test
