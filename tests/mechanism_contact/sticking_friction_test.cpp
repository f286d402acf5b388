// Dry friction of joints as methods with contact have it, which sticks: against closed forms, alone and beside
// contacts.
#include "host/text/number_text.hpp"
#include "kernels/system/status.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class StickingFriction : public testing::Test {};
TYPED_TEST_SUITE(StickingFriction, AllSchemes);

// A body of 2 kg on a slide along `axis`, rubbed with the force T. `more`: sections of the file.
constexpr double carriage_mass = 2.0;
ContactMechanism carriage(const char* axis, double coulomb_N, const std::string& more = "",
                          const std::string& start = "") {
    ContactMechanism made(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"carriage": {"mass_kg": 2.0,
        "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0]}}, "joints": {"guide": {"type": "prismatic",
        "bodies": ["ground", "carriage"], "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [)" +
                          (std::string(axis) + ", " + axis) + "]" + start +
                          R"(}}, "forces": {"shoe": {"type": "joint_friction", "joint": "guide", "coulomb_N": )" +
                          number_text(coulomb_N) + "}" + more + "}}");
    made.table().joint.friction_is_set = true;
    return made;
}
constexpr const char *level = "[1, 0, 0]", *upright = "[0, 0, 1]";
int record_of(ContactMechanism& given, ContactRecord entry) {
    return given.channel(ChannelKind::contact_record, static_cast<int>(entry));
}

// m v' = -T until it stops, after m v / T and m v^2 / (2 T). Constant forces are exact but for the step in which it
// stops.
TYPED_TEST(StickingFriction, StopsASlideWhereTheClosedFormDoesAndHoldsItThere) {
    constexpr double h = 1e-3, T = 3.0, speed = 1.3, stop_s = carriage_mass * speed / T;
    ContactMechanism slide = carriage(level, T, "", R"(, "displacement_rate_m_s": 1.3)");
    const int lost = record_of(slide, ContactRecord::friction_loss),
              error = record_of(slide, ContactRecord::energy_balance_error),
              first = record_of(slide, ContactRecord::first_contact_time),
              worn = record_of(slide, ContactRecord::wear_work);
    CoordinateRun run(In::joint, TypeParam::name, slide, contact_schedule(h, 2000));
    double at_stop = -1.0;
    run.run([&](const CoordinateRun& now) {
        const double left = std::max(0.0, speed - T / carriage_mass * now.time_s());
        EXPECT_NEAR(now.velocity()[0], left, 2.0 * T / carriage_mass * h);
        // Generalized-alpha forgets the acceleration before the stop by 0.8 a step.
        if (now.time_s() > stop_s + 150.0 * h && at_stop < 0.0) at_stop = now.position()[0];
    });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_NEAR(at_stop, 0.5 * carriage_mass * speed * speed / T, speed * h);
    EXPECT_NEAR(run.position()[0], at_stop, 1e-12) << "it creeps";
    EXPECT_NEAR(run.channel(lost), 0.5 * carriage_mass * speed * speed, 2.0 * T * speed * h);
    EXPECT_LT(run.channel(error), 2.0 * T * speed * h);
    EXPECT_TRUE(std::isnan(run.channel(first))) << "friction of a joint is no contact";
    EXPECT_EQ(run.channel(worn), 0.0);
}

TYPED_TEST(StickingFriction, HoldsAWeightThatItCanBearAndLetsAHeavierOneFall) {
    constexpr double h = 1e-3, weight = carriage_mass * gravity;
    constexpr int steps = 1000;
    for (const double T : {1.001 * weight, 0.6 * weight, 0.0}) {
        ContactMechanism slide = carriage(upright, T);
        CoordinateRun run(In::joint, TypeParam::name, slide, contact_schedule(h, steps));
        run.run();
        EXPECT_EQ(run.status(), Status::ok);
        const double a = std::min(0.0, (T - weight) / carriage_mass);
        EXPECT_NEAR(run.velocity()[2], a * h * steps, 1e-9) << T;
        EXPECT_NEAR(run.position()[2], 0.5 * a * (h * steps) * (h * steps), 1e-9) << T;
    }
}

// Each half swing of m x'' + k x = -+T ends nearer to zero by 2 T / k, until k |x| <= T.
TYPED_TEST(StickingFriction, StopsASpringAtTheTurningPointOfTheClosedForm) {
    constexpr double h = 2e-4, T = 1.0, k = 50.0, begin = 0.11, nearer = 2.0 * T / k;
    ContactMechanism slide =
        carriage(level, T, R"(, "spring": {"type": "spring_damper", "bodies": ["ground", "carriage"],
        "points_m": [[-5, 0, 0], [0, 0, 0]], "stiffness_N_m": 50, "rest_length_m": 5})",
                 R"(, "displacement_m": 0.11)");
    std::vector<double> turning;
    double before = -1.0;
    CoordinateRun run(In::joint, TypeParam::name, slide, contact_schedule(h, 12000));
    run.run([&](const CoordinateRun& now) {
        const double v = now.velocity()[0];
        if (now.time_s() > 2.0 * h && (v == 0.0 || v * before < 0.0) && before != 0.0)
            turning.push_back(now.position()[0]);
        before = std::abs(v) < 1e-12 ? 0.0 : v;
    });
    EXPECT_EQ(run.status(), Status::ok);
    // 0.11, -0.07, 0.03, and there it may already rest: k 0.03 = 1.5 > T, so once more to 0.01
    const double expected[] = {-(begin - nearer), begin - 2.0 * nearer, -(begin - 3.0 * nearer), begin - 4.0 * nearer};
    ASSERT_GE(turning.size(), 2u);
    const double w = std::sqrt(k / carriage_mass);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(turning[i], expected[i], 3.0 * begin * w * h) << i;
    EXPECT_LE(k * std::abs(run.position()[0]), T * (1.0 + 1e-6));
    EXPECT_NEAR(run.velocity()[0], 0.0, 1e-12);
}

// It falls by a = g - T / m, meets the floor at 2 s / t, keeps e of its speed through an impact in which friction has
// no impulse, and rises against g + T / m.
TYPED_TEST(StickingFriction, HasNoImpulseInAnImpact) {
    constexpr double h = 1e-4, T = 5.0, fall = 0.3, e = 0.8, radius = 0.1;
    ContactMechanism slide = carriage(upright, T, "", R"(, "displacement_m": 0.4)");
    slide.add_sphere_plane(-1, 0, origin, up, origin, radius, {0.0, e, 0.0});
    const double down = gravity - T / carriage_mass, up_again = gravity + T / carriage_mass,
                 speed = std::sqrt(2.0 * down * fall), down_s = speed / down, top_s = down_s + e * speed / up_again;
    const int impulse = slide.channel(ChannelKind::contact_impulse, 0);
    double pushed = 0.0;
    CoordinateRun run(In::joint, TypeParam::name, slide, contact_schedule(h, static_cast<int>(top_s / h)));
    run.run([&](const CoordinateRun& now) { pushed = std::max(pushed, now.channel(impulse)); });
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_NEAR(run.position()[2] - radius, 0.5 * e * e * speed * speed / up_again, 3.0 * speed * h);
    EXPECT_NEAR(pushed, (1.0 + e) * carriage_mass * speed, 3.0 * carriage_mass * gravity * h);
}

// A driver that moves the carriage evenly pays T, and friction takes what it pays.
TYPED_TEST(StickingFriction, IsPaidByTheDriverOfAPrescribedCoordinate) {
    constexpr double h = 1e-3, T = 4.0, rate = 0.7;
    ContactMechanism driven(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"carriage": {"mass_kg": 2.0,
        "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0], "velocity_m_s": [0.7, 0, 0]}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "carriage"],
        "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]}},
        "drivers": {"motor": {"type": "displacement", "joint": "guide", "value_m": "0.7 * t"}},
        "forces": {"shoe": {"type": "joint_friction", "joint": "guide", "coulomb_N": 4}}})");
    driven.table().joint.friction_is_set = true;
    const int lost = record_of(driven, ContactRecord::friction_loss), work = driven.channel(ChannelKind::work, 0),
              error = record_of(driven, ContactRecord::energy_balance_error);
    CoordinateRun run(In::joint, TypeParam::name, driven, contact_schedule(h, 800));
    run.run();
    EXPECT_EQ(run.status(), Status::ok);
    const double way = rate * 0.8;
    EXPECT_NEAR(run.position()[0], way, 1e-12);
    EXPECT_NEAR(run.channel(lost), T * way, 2.0 * T * rate * h);
    EXPECT_NEAR(run.channel(work), T * way, 2.0 * T * rate * h);
    EXPECT_NEAR(run.channel(error), 0.0, 2.0 * T * rate * h);
}

TYPED_TEST(StickingFriction, WithAForceBelowZeroEndsThatInstanceAlone) {
    const ContactMechanism chain = rubbing_chain();
    std::vector<std::vector<double>> instances(4, chain.parameters);
    instances[2][static_cast<std::size_t>(chain.mechanism.table.joint.friction[0].parameter)] = -1.0;
    CoordinateRun run(In::joint, TypeParam::name, chain, contact_schedule(1e-3, 20), instances);
    run.run();
    EXPECT_EQ(run.status(2), Status::invalid_parameter);
    EXPECT_EQ(static_cast<Reason>(static_cast<int>(run.progress(2).reason)), Reason::friction_invalid);
    for (const std::size_t n : {0u, 1u, 3u}) EXPECT_EQ(run.status(n), Status::ok);
}

}  // namespace
}  // namespace myriad::test
