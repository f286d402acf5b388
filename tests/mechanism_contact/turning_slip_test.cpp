// The orders of the schemes where the direction of a slip turns: a block that slides on a turntable, against the
// equations of its sliding, integrated here by rk4 in steps so short that only round-off is left.
#include <array>
#include <cmath>

#include "tests/mechanism_contact/coordinate_run.hpp"

namespace myriad::test {
namespace {

constexpr double table_friction = 0.2, table_rate_rad_s = 2.0, slide_end_s = 0.4, block_place_m = 0.5,
                 block_speed_m_s = -0.8;

using SlideState = std::array<double, 4>;  // x, y and their rates, not turning with the table

SlideState slide_rate(const SlideState& s) {
    const double u = s[2] + table_rate_rad_s * s[1], v = s[3] - table_rate_rad_s * s[0], slip = std::hypot(u, v);
    return {s[2], s[3], -table_friction * gravity * u / slip, -table_friction * gravity * v / slip};
}
SlideState moved_by(const SlideState& s, double h, const SlideState& rate) {
    SlideState moved;
    for (std::size_t i = 0; i < s.size(); ++i) moved[i] = s[i] + h * rate[i];
    return moved;
}
SlideState end_of_slide(int steps) {
    const double h = slide_end_s / steps;
    SlideState s{block_place_m, 0.0, 0.0, block_speed_m_s};
    for (int step = 0; step < steps; ++step) {
        const SlideState a = slide_rate(s), b = slide_rate(moved_by(s, 0.5 * h, a)),
                         c = slide_rate(moved_by(s, 0.5 * h, b)), d = slide_rate(moved_by(s, h, c));
        for (std::size_t i = 0; i < s.size(); ++i) s[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
    }
    return s;
}

// Of position, m, and velocity, m/s.
std::array<double, 2> errors_of_slide(const char* scheme, double step_s, const SlideState& right) {
    const ContactMechanism table(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "table": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "angular_velocity_rad_s": [0, 0, 2]},
        "block": {"mass_kg": 1.5, "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0.5, 0, 0],
                  "velocity_m_s": [0, -0.8, 0]}},
        "joints": {
            "axle": {"type": "revolute", "bodies": ["ground", "table"], "points_m": [[0, 0, 0], [0, 0, 0]],
                     "axes": [[0, 0, 1], [0, 0, 1]]},
            "guide": {"type": "translational", "bodies": ["ground", "block"], "points_m": [[0, 0, 0], [0, 0, 0]]}},
        "drivers": {"motor": {"type": "angle", "joint": "axle", "value_rad": "2 * t"}},
        "contacts": {"rub": {"type": "point_plane", "bodies": ["table", "block"], "plane_point_m": [0, 0, 0],
                             "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "friction": 0.2}}})");
    CoordinateRun run(In::joint, scheme, table,
                      contact_schedule(step_s, static_cast<int>(std::lround(slide_end_s / step_s))));
    EXPECT_EQ(run.run().status(), Status::ok);
    return {std::hypot(run.position(1)[0] - right[0], run.position(1)[1] - right[1]),
            std::hypot(run.velocity(1)[0] - right[2], run.velocity(1)[1] - right[3])};
}

// The part of the next power of the step at these steps.
constexpr double next_term_of_slide = 0.05;

TEST(TurningSlip, CostsTheHalfExplicitSchemeAnOrderAndNoOther) {
    const SlideState right = end_of_slide(4000), coarser = end_of_slide(2000);
    for (std::size_t i = 0; i < right.size(); ++i) ASSERT_NEAR(right[i], coarser[i], 1e-13);
    for (const char* scheme :
         {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"}) {
        SCOPED_TRACE(scheme);
        const auto coarse = errors_of_slide(scheme, 2e-3, right), fine = errors_of_slide(scheme, 1e-3, right);
        const bool loses = scheme == std::string("half_explicit");
        for (std::size_t i = 0; i < coarse.size(); ++i)
            EXPECT_NEAR(std::log2(coarse[i] / fine[i]), loses ? 1.0 : 2.0, next_term_of_slide);
        // What `myriad list` and the docs say of steps of 1 ms.
        if (loses) EXPECT_NEAR(fine[0], 1.7e-4, 0.1e-4);
        if (!loses) EXPECT_LT(fine[0], 1e-7);
    }
}

}  // namespace
}  // namespace myriad::test
