// Spheres on capsules against closed forms (ensembles/expected/log_on_a_slope.json: capsules on planes), and the
// vectors of contacts and force elements that sensors show, in both coordinates.
#include "tests/mechanism_contact/contact_run.hpp"

namespace myriad::test {
namespace {

template <class Member>
class Capsules : public testing::Test {};
TYPED_TEST_SUITE(Capsules, AllSchemes);

int sensor_of(const ContactMechanism& given, const std::string& name) {
    for (const mechanism::NamedChannels& one : given.mechanism.channels)
        if (one.name == name) return 13 * given.mechanism.table.bodies + one.first_channel;
    throw std::out_of_range("no sensor " + name);
}

// A ball touches a capsule that is fixed, beside its segment or beyond an end, and moves into it: it leaves with
// v - (1 + e) (n . v) n, n from the nearest point of the segment. The impact is that of the start.
TYPED_TEST(Capsules, ThrowABallBackAlongTheNormalOfTheirNearestPoint) {
    constexpr double mass = 0.7, e = 0.6, both_radii = 0.08 + 0.05;
    const Vector begin(0.1, -0.2, 0.3), end(0.5, 0.1, 0.1), v(-0.3, 0.4, -0.7);
    const Vector along = (end - begin).normalized(), across = along.unitOrthogonal();
    const struct {
        Vector nearest, normal;
    } touches[] = {{begin + 0.3 * (end - begin), across},
                   {begin, (across - 0.7 * along).normalized()},
                   {end, (2.0 * across + 0.4 * along).normalized()}};
    for (const auto& [nearest, side] : touches) {
        const Vector normal = v.dot(side) < 0.0 ? side : Vector(side - 2.0 * side.dot(across) * across);
        ContactMechanism ball(R"({"bodies": {"ball": {"mass_kg": 0.7, "inertia_kg_m2": [0.001, 0.001, 0.001]}},
            "contacts": {"rail": {"type": "sphere_capsule", "bodies": ["ground", "ball"],
                "ends_m": [[0.1, -0.2, 0.3], [0.5, 0.1, 0.1]], "point_m": [0, 0, 0], "radii_m": [0.08, 0.05],
                "normal_restitution": 0.6}},
            "sensors": {"push": {"type": "contact_impulse", "contact": "rail"}}})");
        ball.set_position(0, nearest + both_radii * normal);
        ball.set_velocity(0, v);
        ContactRun run(TypeParam::name, ball, contact_schedule(1e-3, 5));
        ASSERT_LT(v.dot(normal), 0.0);
        const Vector change = -(1.0 + e) * v.dot(normal) * normal;
        EXPECT_NEAR((run.velocity() - (v + change)).norm(), 0.0, 1e-12);
        EXPECT_NEAR((run.three(sensor_of(ball, "push")) - mass * change).norm(), 0.0, 1e-12);
        EXPECT_EQ(run.run().status(), Status::ok);
    }
}

// A weight hangs on a spring and a bushing that share it by their stiffness, both beside its centre of mass. The start
// is where they hold it: tension and vectors are those of the equilibrium, and the torques about the points are none
// but what the bushing's turning gives, which is none.
TYPED_TEST(Capsules, LeaveSpringsAndBushingsTheForcesOfTheirLaws) {
    const ContactMechanism made(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"weight": {"mass_kg": 2,
        "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 0, -0.5]}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "weight"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "axes": [[0, 0, 1], [0, 0, 1]]}},
        "forces": {
            "spring": {"type": "spring_damper", "bodies": ["ground", "weight"], "points_m": [[0.3, 0, 0], [0.3, 0, 0]],
                       "stiffness_N_m": 30, "rest_length_m": 0.2},
            "mount": {"type": "bushing", "bodies": ["ground", "weight"], "points_m": [[0, 0.2, 0], [0, 0.2, 0.25]],
                      "stiffness_N_m": [10, 10, 40], "frame": {"rotation_vector_rad": [0, 0, 0.3]}},
            "lift": {"type": "linear_spring_damper", "joint": "guide", "stiffness_N_m": 5,
                     "rest_displacement_m": "0.5 - 0.1 * t"}},
        "sensors": {"tension": {"type": "tension", "force": "spring"}, "lift": {"type": "tension", "force": "lift"},
                    "pull": {"type": "exerted_force", "force": "spring"},
                    "turn": {"type": "exerted_torque", "force": "spring"},
                    "mount_pull": {"type": "exerted_force", "force": "mount"},
                    "mount_turn": {"type": "exerted_torque", "force": "mount"},
                    "lift_pull": {"type": "exerted_force", "force": "lift"}},
        "contacts": {"floor": {"type": "point_plane", "bodies": ["ground", "weight"], "plane_point_m": [0, 0, -9],
                               "plane_normal": [0, 0, 1], "point_m": [0, 0, 0]}}})");
    for (const In coordinates : {In::joint, In::body}) {
        const ContactMechanism weight = made.in(coordinates);
        ContactRun run(TypeParam::name, weight, contact_schedule(1e-3, 100));
        const double at_start = run.position()[2];
        // At the start the spring is 0.3 m longer than at rest, the bushing stretched by 0.25 m, the slide 1 m low.
        EXPECT_EQ(at_start, -0.5);
        EXPECT_NEAR((run.three(sensor_of(weight, "mount_pull")) - 40.0 * 0.25 * up).norm(), 0.0, 1e-9);
        EXPECT_NEAR(run.three(sensor_of(weight, "mount_turn")).norm(), 0.0, 1e-12);
        EXPECT_NEAR((run.three(sensor_of(weight, "pull")) - 30.0 * 0.3 * up).norm(), 0.0, 1e-9);
        EXPECT_NEAR(run.channel(sensor_of(weight, "tension")), 30.0 * 0.3, 1e-9);
        EXPECT_NEAR(run.three(sensor_of(weight, "turn")).norm(), 0.0, 1e-12);
        EXPECT_NEAR(run.channel(sensor_of(weight, "lift")), 5.0 * (-0.5 - 0.5), 1e-9);
        EXPECT_NEAR((run.three(sensor_of(weight, "lift_pull")) - 5.0 * up).norm(), 0.0, 1e-9);
        run.run();
        ASSERT_EQ(run.status(), Status::ok);
        const double z = run.position()[2];
        // Moreau's rule has the forces of the middle of a step, half of 0.1 m/s times 70 N/m away; the half-explicit
        // scheme those of the predicted end, off by h^2 of an acceleration.
        constexpr bool meets_equations =
            std::is_same_v<TypeParam, NonsmoothGeneralizedAlpha> || std::is_same_v<TypeParam, BatheWithJoints>;
        const double of_a_step = meets_equations ? 1e-9 : TypeParam::impacts_apart ? 1e-4 : 0.1;
        EXPECT_NEAR(run.channel(sensor_of(weight, "tension")), 30.0 * (-z - 0.2), of_a_step);
        EXPECT_NEAR(run.three(sensor_of(weight, "mount_pull"))[2], 40.0 * (-z - 0.25), of_a_step);
        EXPECT_NEAR(run.channel(sensor_of(weight, "lift")), 5.0 * (z - 0.5 + 0.1 * run.time_s()), of_a_step);
    }
}

}  // namespace
}  // namespace myriad::test
