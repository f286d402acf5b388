// Dry friction of joints that grows with the force in the joint, against closed forms. The force is that at the
// beginning of a step, so where it changes the motion has an error of first order.
#include "host/text/number_text.hpp"
#include "kernels/system/status.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class BearingFriction : public testing::Test {};
TYPED_TEST_SUITE(BearingFriction, AllSchemes);

// A body of 2 kg on a slide that climbs by `slope` along x. `start`: of the joint.
ContactMechanism carriage(double slope, double friction, const std::string& start = "") {
    const double length = std::hypot(1.0, slope);
    const std::string axis = "[" + number_text(1.0 / length) + ", 0, " + number_text(slope / length) + "]";
    ContactMechanism made(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"carriage": {"mass_kg": 2.0,
        "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0]}}, "joints": {"guide": {"type": "prismatic",
        "bodies": ["ground", "carriage"], "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [)" +
                          axis + ", " + axis + "]" + start +
                          R"(}}, "forces": {"shoe": {"type": "joint_friction", "joint": "guide", "friction": )" +
                          number_text(friction) + "}}}");
    made.table().joint.friction_is_set = true;
    return made;
}

// m v' = -mu m g until it stops, after v / (mu g).
TYPED_TEST(BearingFriction, StopsASlideUnderItsWeight) {
    constexpr double h = 1e-3, mu = 0.3, speed = 1.5, stop_s = speed / (mu * gravity);
    const ContactMechanism slide = carriage(0.0, mu, R"(, "displacement_rate_m_s": 1.5)");
    CoordinateRun run(In::joint, TypeParam::name, slide, contact_schedule(h, 1000));
    double at_stop = -1.0;
    run.run([&](const CoordinateRun& now) {
        const double left = std::max(0.0, speed - mu * gravity * now.time_s());
        EXPECT_NEAR(now.velocity()[0], left, 2.0 * mu * gravity * h);
        // Generalized-alpha forgets the acceleration before the stop by 0.8 a step.
        if (now.time_s() > stop_s + 150.0 * h && at_stop < 0.0) at_stop = now.position()[0];
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_NEAR(at_stop, 0.5 * speed * speed / (mu * gravity), speed * h);
    EXPECT_NEAR(run.position()[0], at_stop, 1e-12) << "it creeps";
}

// On a slope of 0.4 a carriage stays where mu is larger, and else slides by g (sin - mu cos).
TYPED_TEST(BearingFriction, HoldsACarriageOnASlopeThatIsFlatEnough) {
    constexpr double h = 1e-3, slope = 0.4;
    constexpr int steps = 500;
    const double cosine = 1.0 / std::hypot(1.0, slope), sine = slope * cosine;
    for (const double mu : {0.41, 0.39, 0.1, 0.0}) {
        CoordinateRun run(In::joint, TypeParam::name, carriage(slope, mu), contact_schedule(h, steps));
        run.run();
        EXPECT_EQ(run.status(), Status::ok);
        const double along = std::min(0.0, gravity * (mu * cosine - sine));
        EXPECT_NEAR(run.velocity()[0], cosine * along * h * steps, 1e-9) << mu;
        EXPECT_NEAR(run.velocity()[2], sine * along * h * steps, 1e-9) << mu;
    }
}

// A body turns about an axis at the distance d of its centre: the bearing holds F = m d (w^4 + w'^2)^(1/2), and with
// k = mu r m d / J, J about the axis,  w' = -k (w^4 + w'^2)^(1/2) = -K w^2,  K = k / (1 - k^2)^(1/2),
// w = w_0 / (1 + K w_0 t).
constexpr double rotor_mass = 3.0, rotor_distance = 0.2,
                 rotor_inertia = 0.05 + rotor_mass * rotor_distance * rotor_distance, rotor_speed = 20.0,
                 rotor_end_s = 0.5;
double rotor_decay() {
    constexpr double mu = 0.25, radius = 0.3, k = mu * radius * rotor_mass * rotor_distance / rotor_inertia;
    return k / std::sqrt(1.0 - k * k);
}
double error_of_rotor(const char* scheme, double h) {
    ContactMechanism rotor(R"({"gravity_m_s2": [0, 0, 0], "bodies": {"rotor": {"mass_kg": 3.0,
        "inertia_kg_m2": [0.02, 0.03, 0.05], "position_m": [0.2, 0, 0]}}, "joints": {"bearing": {"type": "revolute",
        "bodies": ["ground", "rotor"], "points_m": [[0, 0, 0], [-0.2, 0, 0]], "axes": [[0, 0, 1], [0, 0, 1]],
        "rate_rad_s": 20}}, "forces": {"rubbing": {"type": "joint_friction", "joint": "bearing",
        "friction": 0.25, "radius_m": 0.3}}})");
    rotor.table().joint.friction_is_set = true;
    CoordinateRun run(In::joint, scheme, rotor, contact_schedule(h, static_cast<int>(rotor_end_s / h + 0.5)));
    run.run();
    EXPECT_EQ(run.status(), Status::ok);
    const double expected = rotor_speed / (1.0 + rotor_decay() * rotor_speed * rotor_end_s);
    const auto v = run.velocity();
    return std::abs(std::hypot(v[0], v[1]) / rotor_distance - expected);
}
// The force is a step late, which moves the motion by less than a step of its first deceleration.
TYPED_TEST(BearingFriction, SlowsARotorAsTheClosedFormDoesToFirstOrder) {
    constexpr double h = 1e-3, finer = 4.0, part_of_second_order = 0.2;
    const double coarse = error_of_rotor(TypeParam::name, h), fine = error_of_rotor(TypeParam::name, h / finer);
    EXPECT_LT(coarse, rotor_decay() * rotor_speed * rotor_speed * h);
    EXPECT_NEAR(coarse / fine, finer, part_of_second_order);
    std::printf("| %-27s | error %.2e, %.2e rad/s |\n", TypeParam::name, coarse, fine);
}

TYPED_TEST(BearingFriction, WithACoefficientOrARadiusBelowZeroEndsThatInstanceAlone) {
    const ContactMechanism chain = chain_on_bearings();
    const auto bearing = static_cast<std::size_t>(chain.mechanism.table.joint.friction[0].bearing);
    std::vector<std::vector<double>> instances(4, chain.parameters);
    instances[1][bearing] = -0.1, instances[2][bearing + 1] = -0.01;
    CoordinateRun run(In::joint, TypeParam::name, chain, contact_schedule(1e-3, 20), instances);
    run.run();
    for (const std::size_t n : {1u, 2u}) {
        EXPECT_EQ(run.status(n), Status::invalid_parameter);
        EXPECT_EQ(static_cast<Reason>(static_cast<int>(run.progress(n).reason)), Reason::friction_invalid);
    }
    for (const std::size_t n : {0u, 3u}) EXPECT_EQ(run.status(n), Status::ok);
}

}  // namespace
}  // namespace myriad::test
