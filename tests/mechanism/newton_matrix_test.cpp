// The matrix of a Newton correction against differences of the residual, on every chart.
#include "tests/mechanism/two_body_bench.hpp"

namespace myriad::mechanism {

namespace {

template <template <class> class ChartOf, bool with_tangent_operator>
struct ChartCase {
    using Tested = Bench<ChartOf>;
    static void prepare(Tested& bench) {
        bench.by.tangent_operator = with_tangent_operator;
        if (is_rotation_group<typename Tested::Chart> && !with_tangent_operator) bench.stay_at_start();
    }
};

template <class Case>
class NewtonMatrix : public testing::Test {
  protected:
    using Tested = typename Case::Tested;
    static std::unique_ptr<Tested> bench(Generic& generic) {
        auto made = std::make_unique<Tested>(generic);
        Case::prepare(*made);
        return made;
    }
    // At no relative rotation, where the stiffness of the rotation vector is kept.
    static std::vector<double> geometry_at_rest(Tested& bench, ElementKind kind, int i, int j, Generic& generic) {
        if (kind != ElementKind::rotation_vector) return generic_geometry(kind, bench.pose(i), bench.pose(j), generic);
        std::vector<double> p;
        append_frames(p, bench.pose(i), bench.pose(j), Matrix3::Identity(), generic);
        return p;
    }
};
using ChartCases = testing::Types<ChartCase<RotationGroup, false>, ChartCase<RotationGroup, true>,
                                  ChartCase<EulerParameterChart, false>, ChartCase<EulerZxzChart, false>,
                                  ChartCase<CardanChart, false>>;
TYPED_TEST_SUITE(NewtonMatrix, ChartCases);

bool may_be_a_constraint(ElementKind kind) {
    return kind != ElementKind::angle && kind != ElementKind::rotation_vector;
}

// One body and the ground: nothing is coupled that is left out.
TYPED_TEST(NewtonMatrix, OfAnElementToTheGroundIsTheDerivativeOfTheResidual) {
    for (const ElementKind kind : all_kinds)
        for (const bool has_law : {false, true})
            for (const bool ground_first : {false, true}) {
                if (!has_law && !may_be_a_constraint(kind)) continue;
                SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << (has_law ? " with a law" : "")
                                                << (ground_first ? " from the ground" : " to the ground"));
                Generic generic(1000 +
                                static_cast<std::uint64_t>(4 * static_cast<int>(kind) + 2 * has_law + ground_first));
                for (int state = 0; state < 3; ++state) {
                    const auto bench = this->bench(generic);
                    const int i = ground_first ? -1 : 1, j = ground_first ? 1 : -1;
                    bench->add_element(kind, i, j, has_law, generic, true,
                                       this->geometry_at_rest(*bench, kind, i, j, generic));
                    // phi_t of a driven angle depends on the pose; no law of a file stands on one.
                    if (kind == ElementKind::driven_angle && has_law)
                        bench->scratch.functions[bench->table.element[0].function].rate = 0.0;
                    const Eigen::MatrixXd matrix = bench->matrix();
                    expect_equal(matrix, bench->differences() - damping_left_out(*bench), true);
                }
            }
}

// Two bodies: all rows and columns of the multipliers, and the bodies' own blocks.
TYPED_TEST(NewtonMatrix, OfAnElementBetweenBodiesLeavesOutNothingButTheirCoupling) {
    for (const ElementKind kind : all_kinds)
        for (const bool has_law : {false, true}) {
            if (!has_law && !may_be_a_constraint(kind)) continue;
            SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << (has_law ? " with a law" : ""));
            Generic generic(2000 + static_cast<std::uint64_t>(2 * static_cast<int>(kind) + has_law));
            for (int state = 0; state < 3; ++state) {
                const auto bench = this->bench(generic);
                const int i = state % 2, j = 1 - i;
                bench->add_element(kind, i, j, has_law, generic, true,
                                   this->geometry_at_rest(*bench, kind, i, j, generic));
                if (kind == ElementKind::driven_angle && has_law)
                    bench->scratch.functions[bench->table.element[0].function].rate = 0.0;
                const Eigen::MatrixXd matrix = bench->matrix();
                expect_equal(matrix, bench->differences() - damping_left_out(*bench), false);
            }
        }
}

TYPED_TEST(NewtonMatrix, OfALoadIsTheDerivativeOfTheResidual) {
    for (const LoadKind kind :
         {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body}) {
        SCOPED_TRACE(static_cast<int>(kind));
        Generic generic(3000 + static_cast<std::uint64_t>(kind));
        for (int state = 0; state < 3; ++state) {
            const auto bench = this->bench(generic);
            bench->add_load(kind, state % 2, generic);
            const Eigen::MatrixXd matrix = bench->matrix();
            expect_equal(matrix, bench->differences(), true);
        }
    }
}

TYPED_TEST(NewtonMatrix, OfManyElementsAndLoadsIsTheirSum) {
    Generic generic(4000);
    const auto bench = this->bench(generic);
    for (const ElementKind kind : all_kinds)
        for (const int other : {-1, 1}) {
            const int i = other < 0 ? -1 : 0, j = other < 0 ? 0 : 1;
            bench->add_element(kind, i, j, !may_be_a_constraint(kind) || other > 0, generic, true,
                               this->geometry_at_rest(*bench, kind, i, j, generic));
            if (kind == ElementKind::driven_angle)
                bench->scratch.functions[bench->table.element[bench->table.elements - 1].function].rate = 0.0;
        }
    for (const LoadKind kind :
         {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body})
        bench->add_load(kind, 0, generic);
    const Eigen::MatrixXd matrix = bench->matrix();
    expect_equal(matrix, bench->differences() - damping_left_out(*bench), false);
}

}  // namespace

}  // namespace myriad::mechanism
