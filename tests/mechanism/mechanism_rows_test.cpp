// The rows of a mechanism against definitions and differences, at generic states of two bodies.
#include "tests/mechanism/generic_elements.hpp"

namespace myriad::mechanism {

namespace {

TEST(MechanismRows, HaveTheValuesOfTheirDefinitions) {
    for_all_cases([](const ElementCase& one) {
        const std::vector<Number80> expected = one.rows_at_time(0);
        const Rows<double> rows = one.rows();
        for (std::size_t k = 0; k < expected.size(); ++k)
            EXPECT_NEAR(rows.value[static_cast<int>(k)], static_cast<double>(expected[k]), round_off);
    });
}

TEST(MechanismRows, HaveGradientsAlongMovesAndTurnsOfEitherBody) {
    for_all_cases([](const ElementCase& one) {
        const Rows<double> rows = one.rows();
        for (int side = 0; side < 2; ++side) {
            if (one.element.body[side] < 0) continue;
            for (int i = 0; i < 6; ++i)
                for (int k = 0; k < rows_of(one.element.kind); ++k) {
                    const auto along = [&](Number80 e) {
                        Vector3 x = Vector3::Zero(), theta = Vector3::Zero();
                        (i < 3 ? x[i] : theta[i - 3]) = e;
                        Pose pose[2] = {one.body[0].pose, one.body[1].pose};
                        pose[side] = moved(pose[side], x, theta);
                        return rows_by_definition(one.element.kind, pose[0], pose[1], one.parameters.data(),
                                                  one.function.value, one.turned)[static_cast<std::size_t>(k)];
                    };
                    const double expected = static_cast<double>(first_difference(along, step_80));
                    const double gradient =
                        i < 3 ? (side == 0 ? -1.0 : 1.0) * rows.direction[k][i] : rows.turn[side][k][i - 3];
                    EXPECT_NEAR(gradient, expected, difference_80)
                        << "side " << side << " unknown " << i << " row " << k;
                }
        }
    });
}

TEST(MechanismRows, HaveTheRatesOfTheirValuesAlongAMotion) {
    for_all_cases([](const ElementCase& one) {
        const Rows<double> rows = one.rows();
        for (int k = 0; k < rows_of(one.element.kind); ++k) {
            const auto value = [&](Number80 t) { return one.rows_at_time(t)[static_cast<std::size_t>(k)]; };
            EXPECT_NEAR(row_rate(one.element, rows, k, one.bodies) + rows.partial_rate[k],
                        static_cast<double>(first_difference(value, step_80)), difference_80);
        }
    });
}

TEST(MechanismRows, OfConstraintsHaveTheSecondRatesOfTheirValuesAlongAMotion) {
    for_all_cases([](const ElementCase& one) {
        if (one.element.kind == ElementKind::angle || one.element.kind == ElementKind::rotation_vector) return;
        const Rows<double> rows = one.rows();
        const Vec<3, double> bias = row_bias(one.element, one.bodies, one.parameters.data(), one.function);
        for (int k = 0; k < rows_of(one.element.kind); ++k) {
            const auto value = [&](Number80 t) { return one.rows_at_time(t)[static_cast<std::size_t>(k)]; };
            double second = bias[k];
            for (int side = 0; side < 2; ++side) {
                if (one.element.body[side] < 0) continue;
                second += (side == 0 ? -1.0 : 1.0) * dot(rows.direction[k], vec(one.body[side].acceleration)) +
                          dot(rows.turn[side][k], vec(one.body[side].angular_acceleration));
            }
            EXPECT_NEAR(second, static_cast<double>(second_difference(value, step_80)), difference_80);
        }
    });
}

}  // namespace

}  // namespace myriad::mechanism
