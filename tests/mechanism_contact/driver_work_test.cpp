// Energy books of driven mechanisms by the methods for contact, on both paths and in both coordinates.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "host/ensemble/warnings/energy_size.hpp"
#include "tests/mechanism_contact/certified_runs.hpp"

namespace myriad::test {
namespace {

// J, of energies of some joules: what the solvers of contacts and joints leave.
constexpr double solved_J = 1e-7;

// The books of all methods, paths and coordinates.
template <class Check>
void in_all_books(const Check& check) {
    for (const char* scheme : scheme_names)
        for (const char* path : path_names)
            for (const char* coordinates : {"joint", "body"}) {
                SCOPED_TRACE(std::string(scheme) + ", " + path + ", " + coordinates);
                check(scheme, path, coordinates);
            }
}

CertifiedRuns books_of(const std::string& mechanism, const std::string& integrator, const char* path,
                       const char* coordinates) {
    return {R"({"instances": 1, "mechanism": {)" + mechanism + R"(, "coordinates": ")" + coordinates + "\"}, " +
                integrator + "}",
            path,
            {}};
}

// A table of 3 kg that a driver moves along `axis`, and another body.
std::string on_a_driven_table(const std::string& axis, const std::string& way, const std::string& body,
                              const std::string& contact, const char* gravity_m_s2) {
    return R"("gravity_m_s2": [0, 0, )" + std::string(gravity_m_s2) + R"(],
        "bodies": {"table": {"mass_kg": 3, "inertia_kg_m2": [0.1, 0.1, 0.1]}, "body": {)" +
           body + R"(}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "table"],
                             "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [)" +
           axis + ", " + axis + R"(]}},
        "drivers": {"motor": {"type": "displacement", "joint": "guide", "value_m": ")" +
           way + R"("}}, "contacts": {"rest": {"bodies": ["table", "body"], "plane_point_m": [0, 0, 0],
                               "plane_normal": [0, 0, 1], )" +
           contact + "}}";
}

// 0.5 kg with 1 m/s against 2 m/s: P = (1 + e) m w with w = 3 m/s.
TEST(WorkOfDrivers, OfAnImpactIsThatOfTheirImpulseAndContactsLoseTheRest) {
    constexpr double mass = 0.5, closing = 3.0, rate = 2.0;
    for (const double e : {0.0, 0.5, 1.0})
        in_all_books([&](const char* scheme, const char* path, const char* coordinates) {
            const CertifiedRuns bat = books_of(
                on_a_driven_table("[0, 0, 1]", "2 * t",
                                  R"("mass_kg": 0.5, "inertia_kg_m2": [0.002, 0.002, 0.002], "position_m": [0, 0, 0.2],
                                     "velocity_m_s": [0, 0, -1])",
                                  R"("type": "sphere_plane", "point_m": [0, 0, 0], "radius_m": 0.1,
                                     "normal_restitution": )" +
                                      std::to_string(e),
                                  "0"),
                integrator_keys(scheme, 1e-3, 50), path, coordinates);
            ASSERT_TRUE(bat.ok());
            EXPECT_NEAR(bat.kept("impact_loss"), 0.5 * (1.0 - e * e) * mass * closing * closing, solved_J) << e;
            EXPECT_NEAR(bat.kept("work"), (1.0 + e) * mass * closing * rate, solved_J) << e;
            EXPECT_NEAR(bat.kept("energy_balance_error"), 0.0, solved_J) << e;
        });
}

// A rod of 1 m and 1 kg leans on its tip at 1 rad, and the table moves away below it: Painleve's paradox at the start.
// The impulse holds the tip, G P = (0, u) with G of normal and slip, and contacts lose u P_t / 2 of u P_t.
TEST(WorkOfDrivers, OfAStartWithImpulsesIsThatOfTheirImpulse) {
    constexpr double length = 0.5, angle = 1.0, inertia = 1.0 / 12.0, rate = 2.0;
    const double x = -length * std::cos(angle), z = -length * std::sin(angle);
    Eigen::Matrix2d G;
    G << 1.0 + x * x / inertia, -x * z / inertia, -x * z / inertia, 1.0 + z * z / inertia;
    const double pulled = (G.inverse() * Eigen::Vector2d(0.0, rate))[1];
    std::ostringstream rod;
    rod.precision(17);
    rod << R"("mass_kg": 1, "inertia_kg_m2": [0.001, )" << inertia << ", " << inertia << R"(], "position_m": [)" << -x
        << ", 0, " << -z << R"(], "orientation": {"rotation_vector_rad": [0, -1, 0]}, "velocity_m_s": [0, 0, 0])";
    // One step of 0.1 ms, in which weight and forces do less than this.
    constexpr double of_the_step_J = 1e-3;
    for (const char* scheme : scheme_names)
        for (const char* path : path_names) {
            const CertifiedRuns start = books_of(
                on_a_driven_table("[1, 0, 0]", "2 * t", rod.str(),
                                  R"("type": "point_plane", "point_m": [-0.5, 0, 0], "friction": 2.5)", "-9.81"),
                integrator_keys(scheme, 1e-5, 1), path, "joint");
            ASSERT_TRUE(start.ok()) << scheme << ", " << path;
            EXPECT_NEAR(start.kept("impact_loss"), 0.5 * rate * pulled, of_the_step_J) << scheme << ", " << path;
            EXPECT_NEAR(start.kept("work"), rate * pulled, of_the_step_J) << scheme << ", " << path;
        }
}

// The motion is exact, and so is its energy: m f'^2 / 2 of 2 kg. A sum of midpoints or trapezoids errs by (w h)^2 / 6
// of the size. Three methods show a driver that is a row with an error of order 1: docs/limits.md.
TEST(WorkOfDrivers, OfASmoothMotionIsTheEnergyOfWhatTheyMove) {
    constexpr double w = 9.0, h = 1e-3;
    constexpr double next_order = 1.01;
    in_all_books([&](const char* scheme, const char* path, const char* coordinates) {
        const std::string method = scheme;
        const bool is_of_order_2 = method == "moreau_midpoint" || method == "nonsmooth_generalized_alpha";
        if (!is_of_order_2 && std::string(coordinates) == "body") return;
        const CertifiedRuns slide = books_of(
            R"json("gravity_m_s2": [0, 0, 0], "bodies": {"block": {"mass_kg": 2, "inertia_kg_m2": [0.01, 0.01, 0.01]}},
               "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "block"],
                                    "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]}},
               "drivers": {"motor": {"type": "displacement", "joint": "guide", "value_m": "0.2 * sin(9 * t)"}
})json",
            integrator_keys(scheme, h, 400), path, coordinates);
        ASSERT_TRUE(slide.ok());
        EXPECT_LT(slide.energy_drift_share(), next_order * w * h * w * h / 6.0);
    });
}

// A block rests on a table that moves off at 1 m/s after 0.1 s, and slides: friction takes mu m g of the slip.
std::string block_on_a_table_that_jumps() {
    return on_a_driven_table("[1, 0, 0]", "max(0, t - 0.1)",
                             R"("mass_kg": 1, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [0, 0, 0.1])",
                             R"("type": "box_plane", "size_m": [0.2, 0.2, 0.2], "friction": 0.3)", "-10");
}
TEST(WorkOfDrivers, AndOfFrictionBeginAnewBehindAJumpOfARate) {
    constexpr double h = 1e-3, friction = 3.0, slid_s = 0.3, slip = slid_s - 0.5 * friction * slid_s * slid_s;
    for (const char* scheme : scheme_names)
        for (const char* path : path_names) {
            const CertifiedRuns run =
                books_of(block_on_a_table_that_jumps(), integrator_keys(scheme, h, 400), path, "joint");
            ASSERT_TRUE(run.ok()) << scheme << ", " << path;
            // Over one step the force has the power of its end: a step turns the slip by mu g h.
            EXPECT_LT(run.kept("energy_balance_error"), friction * friction * h * h) << scheme << ", " << path;
            // Bathe's method and generalized-alpha take the force from before the jump along, by less than a step.
            const bool is_late = std::string(scheme).find("bathe") != std::string::npos ||
                                 std::string(scheme).find("generalized") != std::string::npos;
            EXPECT_NEAR(run.kept("friction_loss"), friction * slip,
                        is_late ? friction * h : friction * friction * h * h)
                << scheme << ", " << path;
        }
}

// A trolley that a driver shakes, with a pendulum, a spring and a damper.
std::string shaken_pendulum() {
    return R"json("gravity_m_s2": [0, 0, -9.81], "bodies": {
            "trolley": {"mass_kg": 2, "inertia_kg_m2": [0.01, 0.01, 0.01]},
            "bob": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [0, 0, -0.5]}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "trolley"],
                             "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]},
                   "hinge": {"type": "revolute", "bodies": ["trolley", "bob"],
                             "points_m": [[0, 0, 0], [0, 0, 0.5]], "axes": [[0, 1, 0], [0, 1, 0]]}},
        "drivers": {"motor": {"type": "displacement", "joint": "guide", "value_m": "0.2 * sin(9 * t)"
}
},
        "forces": {"coil": {"type": "torsional_spring_damper", "joint": "hinge", "stiffness_N_m_rad": 3,
                            "damping_N_m_s_rad": 0.4}})json";
}
TEST(WorkOfDrivers, ByMoreausRuleDriftsWithTheOrderOfTheRule) {
    for (const char* path : path_names)
        for (const char* coordinates : {"joint", "body"}) {
            const auto share = [&](double h, int steps) {
                return books_of(shaken_pendulum(), integrator_keys("moreau_midpoint", h, steps), path, coordinates)
                    .energy_drift_share();
            };
            // The damper makes the rule one of order 1.
            const double coarse = share(2e-3, 250), fine = share(1e-3, 500);
            EXPECT_LT(fine, ensemble::silent_energy_drift) << path << ", " << coordinates;
            EXPECT_LT(fine, 0.6 * coarse) << path << ", " << coordinates;
        }
}

// Both paths look at the same states.
TEST(DriftOfTheEnergy, IsTheSameShareOnBothPaths) {
    constexpr double of_two_paths = 1e-5;
    for (const char* scheme : scheme_names) {
        const auto share = [&](const char* path) {
            return books_of(shaken_pendulum(), integrator_keys(scheme, 1e-3, 405), path, "joint").energy_drift_share();
        };
        const double here = share(path_names[0]);
        EXPECT_GT(here, 0.0) << scheme;
        EXPECT_NEAR(share(path_names[1]), here, of_two_paths * here) << scheme;
    }
}

}  // namespace
}  // namespace myriad::test
