// Members that hold the joints on velocity level, half-explicit and ED-alpha: their order, how well they keep the
// joints, and the damping of a stiff spring.
#include <array>
#include <fstream>
#include <iterator>

#include "tests/mechanism_contact/contact_run.hpp"
#include "tests/source_dir.hpp"

namespace myriad::test {
namespace {

ContactMechanism double_pendulum() {
    std::ifstream file(source_dir() / "ensembles/mechanisms/double_pendulum.json");
    return ContactMechanism(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
}

template <class Member>
class VelocityLevel : public testing::Test {};
using Members = testing::Types<HalfExplicitWithJoints, NonsmoothEdAlpha>;
TYPED_TEST_SUITE(VelocityLevel, Members);

// Over half a second, by differences between three steps: 2 in position and velocity.
TYPED_TEST(VelocityLevel, IsOfOrderTwoWithJoints) {
    using State = std::array<Vector, 4>;
    const ContactMechanism pendulum = double_pendulum().in(In::body);
    const auto end = [&](double h) -> State {
        Schedule schedule = contact_schedule(h, static_cast<int>(std::lround(0.5 / h)));
        schedule.spectral_radius = 0.0;
        ContactRun run(TypeParam::name, pendulum, schedule);
        run.run();
        EXPECT_EQ(run.status(), Status::ok);
        return {run.position(0), run.position(1), run.velocity(1), run.angular_velocity(1)};
    };
    const State coarse = end(2.5e-3), middle = end(1.25e-3), fine = end(6.25e-4);
    for (std::size_t first : {0u, 2u}) {
        const auto distance = [&](const State& a, const State& b) {
            return std::hypot((a[first] - b[first]).norm(), (a[first + 1] - b[first + 1]).norm());
        };
        const double order = std::log2(distance(coarse, middle) / distance(middle, fine));
        std::printf("| %-20s | double pendulum, %s: order %.2f |\n", TypeParam::name,
                    first == 0 ? "positions" : "velocities", order);
        // The next power still counts for steps this large.
        EXPECT_NEAR(order, 2.0, 0.15);
    }
}

TYPED_TEST(VelocityLevel, KeepsTheJointsOverTenThousandSteps) {
    constexpr double h = 1e-3, tolerance = 1e-12;
    Schedule schedule = contact_schedule(h, 10'000);
    schedule.newton_tolerance = tolerance, schedule.spectral_radius = 0.0;
    ContactRun run(TypeParam::name, double_pendulum().in(In::body), schedule);
    run.run();
    ASSERT_EQ(run.status(), Status::ok);
    std::printf("| %-20s | double pendulum, 10,000 steps: |phi| %.1e m, |phi'| %.1e m/s |\n", TypeParam::name,
                run.certificate()[1], run.certificate()[2]);
    // Newton's method stops where a correction is within the tolerance and leaves less than that; rows are of order 1.
    EXPECT_LT(run.certificate()[1], 10.0 * tolerance);
    // The half-explicit scheme asks for the rates at the end itself; of ED-alpha's the pose is put back afterwards, by
    // h^3 of rates of up to some 10 /s, which their rows turn by.
    constexpr bool asks = std::is_same_v<TypeParam, HalfExplicitWithJoints>;
    EXPECT_LT(run.certificate()[2], asks ? 1e-12 : 1e3 * h * h * h);
}

// s of m s'' + k s = 0 by eqs. 77 to 82 of the paper, written out: two equations in a_j and a+.
struct Oscillator {
    double square, s, v, a;  // square: k/m

    void step(double h, double radius, double r) {
        const double alpha = (1.0 - radius) / (1.0 + radius);
        // v_j = p0 + pj a_j + pe a+, v+ = v + h/2 (a_j + a+), and so for s.
        const Eigen::Vector3d vj(v + h * r * (1.0 - alpha) * a, h * r * alpha, -h * r), ve(v, 0.5 * h, 0.5 * h);
        const Eigen::Vector3d sj = h * r * (alpha * vj - ve + Eigen::Vector3d((1.0 - alpha) * v, 0.0, 0.0)) +
                                   Eigen::Vector3d(s, 0.0, 0.0),
                              se = 0.5 * h * (vj + ve) + Eigen::Vector3d(s, 0.0, 0.0);
        Eigen::Matrix2d matrix;
        matrix << 1.0 + square * sj[1], square * sj[2], square * se[1], 1.0 + square * se[2];
        const Eigen::Vector2d solved = matrix.inverse() * Eigen::Vector2d(-square * sj[0], -square * se[0]);
        const Eigen::Vector3d at(1.0, solved[0], solved[1]);
        s = se.dot(at), v = ve.dot(at), a = solved[1];
    }
};

// Two bodies on a stiff spring in line: a linear oscillator, with W = omega h far beyond what its motion resolves.
TEST(EdAlphaOfMechanisms, DampsAStiffSpringAsThePaper) {
    constexpr double h = 1e-2, stiffness = 4e6, first = 2.0, second = 3.0, stretch = 1e-3, length = 1.0;
    ContactMechanism pair(R"({"gravity_m_s2": [0, 0, 0], "bodies": {
        "a": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1]},
        "b": {"mass_kg": 3, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [1.001, 0, 0]}},
        "forces": {"spring": {"type": "spring_damper", "bodies": ["a", "b"], "points_m": [[0, 0, 0], [0, 0, 0]],
                   "stiffness_N_m": 4e6, "damping_N_s_m": 0, "rest_length_m": 1}}})");
    const double square = stiffness * (1.0 / first + 1.0 / second);
    for (const double radius : {0.0, 0.5, 0.8}) {
        Schedule schedule = contact_schedule(h, 12);
        schedule.spectral_radius = radius;
        Oscillator expected{square, stretch, 0.0, -square * stretch};
        ContactRun run(NonsmoothEdAlpha::name, pair, schedule);
        int steps = 0;
        double last = 0.0;
        run.run([&](const auto& now) {
            const double s = (now.position(1) - now.position(0))[0] - length;
            if (steps++ > 0) expected.step(h, radius, schedule.ed_alpha_ratio);
            // Round-off of a length of 1 m by the spring's stiffness against its inertia: none grows.
            EXPECT_NEAR(s, expected.s, 1e-13) << "radius " << radius << ", step " << steps - 1;
            last = s;
        });
        EXPECT_EQ(run.status(), Status::ok);
        EXPECT_EQ(steps, 13);
        // 2/W a step with W = 18, twelve times.
        if (radius == 0.0) EXPECT_LT(std::abs(last), 1e-13);
    }
}

}  // namespace
}  // namespace myriad::test
