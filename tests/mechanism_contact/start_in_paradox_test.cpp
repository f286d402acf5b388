// Starts whose accelerations have no solution with Coulomb's friction: Painleve's rod, its tip on a floor. Against
// closed forms of the impulse that ends the slip (Genot, Brogliato 1999: an impact without collision), of the force
// where there is one, and the pendulum that the rod then is about its tip.
#include <cstring>

#include "tests/mechanism_contact/certified_runs.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class StartInParadox : public testing::Test {};
TYPED_TEST_SUITE(StartInParadox, AllSchemes);

constexpr double steps_s[] = {1e-3, 1e-4, 1e-5};

// A rod of 1 kg and 1 m in the plane of x and z, at an angle to the floor, its tip sliding along -x. W of the tip in x
// and z, M^-1 between: G.
struct Rod {
    double angle, slip, rate = 0.0, mass = 1.0, inertia = 1.0 / 12.0;

    double cosine() const { return std::cos(angle); }
    double sine() const { return std::sin(angle); }
    double g_xx() const { return 1.0 / mass + 0.25 * sine() * sine() / inertia; }
    double g_zz() const { return 1.0 / mass + 0.25 * cosine() * cosine() / inertia; }
    double g_xz() const { return -0.25 * sine() * cosine() / inertia; }
    // Of the tip without a force: gravity and the turning.
    double free_z() const { return -gravity + 0.5 * sine() * rate * rate; }
    // Acceleration of the tip along z by a normal force of 1 N and its friction.
    double pull(double friction) const { return g_zz() + friction * g_xz(); }

    // The impulse that takes the slip to -e times itself, and nothing along z.
    Vector impulse(double e = 0.0) const {
        const double by_slip = (1.0 + e) * slip / (g_xx() * g_zz() - g_xz() * g_xz());
        return {g_zz() * by_slip, 0.0, -g_xz() * by_slip};
    }
    Vector velocity() const { return {-slip + 0.5 * sine() * rate, 0.0, -0.5 * cosine() * rate}; }  // turning about y
    double rate_after(const Vector& p) const { return rate + 0.5 * (cosine() * p[2] - sine() * p[0]) / inertia; }

    ContactMechanism mechanism(double friction, double tangential_restitution = 0.0) const {
        std::ostringstream text;
        text.precision(17);
        text << R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"rod": {"mass_kg": 1, "inertia_kg_m2": [0.001, )"
             << inertia << ", " << inertia << R"(], "position_m": [)" << 0.5 * cosine() << ", 0, " << 0.5 * sine()
             << R"(], "orientation": {"rotation_vector_rad": [0, )" << -angle << R"(, 0]}}}, "joints": {"plane": {
            "type": "planar", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0, 0, 0]],
            "axes": [[0, 1, 0], [0, 1, 0]]}}})";
        ContactMechanism rod(text.str());
        rod.add_sphere_plane(-1, 0, origin, up, {-0.5, 0.0, 0.0}, 0.0, {friction, 0.0, tangential_restitution});
        rod.set_velocity(0, velocity(), {0.0, rate, 0.0});
        return rod;
    }
    // The force along z on the tip that stands still.
    double held_force(double now) const {
        const double about_tip = inertia + 0.25 * mass, weight = mass * gravity;
        return weight - mass * 0.25 * weight * cosine() * cosine() / about_tip - mass * 0.5 * sine() * now * now;
    }
    // The rate after a time, of a rod whose tip stands still (Runge and Kutta).
    double pendulum_rate(double begin_rate, double time_s) const {
        constexpr int steps = 1000;
        const double h = time_s / steps, about_tip = inertia + 0.25 * mass;
        using State = Eigen::Vector2d;  // angle, rate about y
        const auto slope = [&](const State& y) -> State {
            return {-y[1], 0.5 * mass * gravity * std::cos(y[0]) / about_tip};
        };
        State y(angle, begin_rate);
        for (int i = 0; i < steps; ++i) {
            const State a = slope(y), b = slope(y + 0.5 * h * a), c = slope(y + 0.5 * h * b), d = slope(y + h * c);
            y += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
        }
        return y[1];
    }
};

struct ContactChannels {
    explicit ContactChannels(ContactMechanism& given, int contact = 0)
        : force{}, impulse{}, slip{}, record{}, energy(given.channel(ChannelKind::total_energy, 0)) {
        for (int k = 0; k < 3; ++k) {
            force[k] = given.channel(ChannelKind::contact_force, contact, k);
            impulse[k] = given.channel(ChannelKind::contact_impulse, contact, k);
            slip[k] = given.channel(ChannelKind::contact_velocity, contact, k);
        }
        for (int i = 0; i < contact_record_count; ++i) record[i] = given.channel(ChannelKind::contact_record, i);
    }
    int of(ContactRecord entry) const { return record[static_cast<int>(entry)]; }
    int force[3], impulse[3], slip[3], record[contact_record_count], energy;
};
double tangential(const ContactRun& run, const int (&rows)[3]) {
    return std::hypot(run.channel(rows[1]), run.channel(rows[2]));
}

// Velocities follow from the impulse but for the forces of 2^-20 of a step, some times g.
double moment_error(double h) { return 0x1p-20 * h * 10.0 * gravity; }

// Differences of velocities over 2^-6 of a step, and what 2^-20 of it leaves: less than this.
constexpr double force_error = 1e-6;

// Slips and frictions: of a rod with tan(angle) = 2, and of one that is flatter and faster.
const std::pair<Rod, double> paradoxes[] = {{{std::atan(2.0), 1.0}, 2.0}, {{1.0, 2.0}, 1.8}};

TYPED_TEST(StartInParadox, StopsTheSlipByTheImpulseOfTheClosedForm) {
    for (const auto& [rod, friction] : paradoxes) {
        ASSERT_LT(rod.pull(friction), 0.0);
        ASSERT_LT(rod.free_z(), 0.0);
        const Vector p = rod.impulse(), v = rod.velocity() + p / rod.mass;
        const double before_J = 0.5 * rod.slip * rod.slip + gravity * 0.5 * rod.sine(), loss_J = 0.5 * p[0] * rod.slip;
        for (const In coordinates : {In::joint, In::body}) {
            ContactMechanism given = rod.mechanism(friction).in(coordinates);
            const ContactChannels channels(given);
            for (const double h : steps_s) {
                SCOPED_TRACE(h);
                const double error = moment_error(h);
                ContactRun run(TypeParam::name, given, contact_schedule(h, 10));
                EXPECT_EQ(run.status(), Status::running);
                EXPECT_NEAR((run.velocity() - v).norm(), 0.0, error);
                EXPECT_NEAR(run.angular_velocity()[1], rod.rate_after(p), error);
                EXPECT_NEAR(tangential(run, channels.slip), 0.0, error);
                EXPECT_NEAR(run.channel(channels.force[0]), rod.held_force(rod.rate_after(p)), force_error);
                EXPECT_NEAR(run.channel(channels.impulse[0]), p[2], error);
                EXPECT_NEAR(tangential(run, channels.impulse), p[0], error);
                EXPECT_NEAR(run.channel(channels.of(ContactRecord::impact_loss)), loss_J, error);
                EXPECT_NEAR(run.channel(channels.energy) + loss_J, before_J, error);
                EXPECT_EQ(run.channel(channels.of(ContactRecord::impacts)), 1.0);
                EXPECT_NEAR(run.channel(channels.of(ContactRecord::largest_impulse)), p[2], error);
            }
        }
    }
}

// At the tip the rod turns as a pendulum does. The bound is twice its weight and what keeps it on the circle: a tip
// that rises by the error of a step comes down with an impact, after which generalized-alpha's forces swing about the
// true ones.
TYPED_TEST(StartInParadox, GoesOnAsAPendulumWithForcesOfItsWeight) {
    constexpr double end_s = 0.02;
    for (const auto& [rod, friction] : paradoxes) {
        const double rate = rod.rate_after(rod.impulse()), bound = 2.0 * (gravity + rate * rate),
                     before_J = 0.5 * rod.slip * rod.slip + gravity * 0.5 * rod.sine();
        for (const In coordinates : {In::joint, In::body}) {
            ContactMechanism given = rod.mechanism(friction).in(coordinates);
            const ContactChannels channels(given);
            for (const double h : steps_s) {
                SCOPED_TRACE(h);
                ContactRun run(TypeParam::name, given, contact_schedule(h, static_cast<int>(std::lround(end_s / h))));
                double last_J = before_J;
                run.run([&](const ContactRun& now) {
                    EXPECT_LT(std::abs(now.channel(channels.force[0])), bound);
                    const double energy_J = now.channel(channels.energy);
                    // Schemes of the first order gain what their error of a step is.
                    EXPECT_LT(energy_J, last_J + 20.0 * gravity * h * h);
                    last_J = energy_J;
                });
                EXPECT_EQ(run.status(), Status::ok);
                EXPECT_LT(run.channel(channels.of(ContactRecord::largest_force)), bound);
                EXPECT_LT(run.channel(channels.of(ContactRecord::energy_balance_error)), gravity * h);
                EXPECT_NEAR(run.channel(channels.of(ContactRecord::friction_loss)), 0.0, gravity * h);
                EXPECT_NEAR(run.angular_velocity()[1], rod.pendulum_rate(rate, end_s), gravity * h);
            }
        }
    }
}

// Newton's law along the tangent holds for this impulse, too.
TYPED_TEST(StartInParadox, TurnsTheSlipBackByTheTangentialRestitution) {
    constexpr double h = 1e-4, e = 0.5;
    const auto& [rod, friction] = paradoxes[0];
    const Vector p = rod.impulse(e);
    for (const In coordinates : {In::joint, In::body}) {
        ContactMechanism given = rod.mechanism(friction, e).in(coordinates);
        const ContactChannels channels(given);
        ContactRun run(TypeParam::name, given, contact_schedule(h, 10));
        EXPECT_EQ(run.status(), Status::running);
        EXPECT_NEAR((run.velocity() - rod.velocity() - p / rod.mass).norm(), 0.0, moment_error(h));
        EXPECT_NEAR(tangential(run, channels.slip), e * rod.slip, moment_error(h));
        EXPECT_NEAR(run.channel(channels.impulse[0]), p[2], moment_error(h));
        // Then it slides the other way, on which the friction has its hold.
        EXPECT_NEAR(run.channel(channels.force[0]),
                    -(-gravity + 0.5 * rod.sine() * std::pow(rod.rate_after(p), 2)) / rod.pull(-friction), 1e-5);
    }
}

// Where there is a force, it is the one of the closed form, and the velocities stay.
TYPED_TEST(StartInParadox, LeavesVelocitiesWhereAForceHoldsTheTip) {
    const Rod rod{1.0, 3.0};
    // The last one is near the paradox, which begins at 1.375.
    for (const double friction : {0.0, 0.5, 1.0, 1.3}) {
        ASSERT_GT(rod.pull(friction), 0.0);
        for (const In coordinates : {In::joint, In::body}) {
            ContactMechanism given = rod.mechanism(friction).in(coordinates);
            const ContactChannels channels(given);
            for (const double h : steps_s) {
                ContactRun run(TypeParam::name, given, contact_schedule(h, 10));
                EXPECT_EQ(run.status(), Status::running);
                EXPECT_NEAR((run.velocity() - rod.velocity()).norm(), 0.0, 1e-14);
                EXPECT_NEAR(run.angular_velocity()[1], 0.0, 1e-14);
                EXPECT_EQ(run.channel(channels.impulse[0]), 0.0);
                EXPECT_EQ(run.channel(channels.of(ContactRecord::impacts)), 0.0);
                // Contact problems are solved to 1e-12 of the slip over 2^-20 of a step.
                const double force = -rod.free_z() / rod.pull(friction);
                EXPECT_NEAR(run.channel(channels.force[0]), force, 10.0 * force * (1e-12 * rod.slip / (0x1p-20 * h)));
            }
        }
    }
}

// A rod that turns so fast that its tip would leave the floor has two solutions where the friction has no hold, and a
// third one with an impulse. It leaves.
TYPED_TEST(StartInParadox, TakesTheSolutionWithoutAForceWhereThereAreSeveral) {
    const Rod rod{1.0, 2.0, 8.0};
    constexpr double friction = 1.8;
    ASSERT_LT(rod.pull(friction), 0.0);
    ASSERT_GT(rod.free_z(), 0.0);
    for (const In coordinates : {In::joint, In::body}) {
        ContactMechanism given = rod.mechanism(friction).in(coordinates);
        const ContactChannels channels(given);
        ContactRun run(TypeParam::name, given, contact_schedule(1e-4, 10));
        EXPECT_EQ(run.channel(channels.force[0]), 0.0);
        EXPECT_EQ(run.channel(channels.impulse[0]), 0.0);
        EXPECT_EQ(run.channel(channels.of(ContactRecord::impacts)), 0.0);
    }
}

// Where the friction all but gives way, the force would end the slip within a step, so the first step's problem does.
// Its impulse is that of the paradox but for gravity over a step.
TYPED_TEST(StartInParadox, SolvesTheFirstStepWhereTheFrictionAllButGivesWay) {
    const Rod rod{1.0, 2.0};
    const double limit = -rod.g_zz() / rod.g_xz();
    const Vector p = rod.impulse(), v = rod.velocity() + p / rod.mass;
    for (const double share : {1e-8, 1e-6, 1e-4})
        for (const In coordinates : {In::joint, In::body}) {
            ContactMechanism given = rod.mechanism(limit * (1.0 - share)).in(coordinates);
            const ContactChannels channels(given);
            // The last share's force of 5e4 N needs more than a hundred thousandth of a second.
            for (const double h : {1e-3, 1e-4}) {
                ContactRun run(TypeParam::name, given, contact_schedule(h, 20));
                EXPECT_NEAR((run.velocity() - v).norm(), 0.0, 2.0 * gravity * h);
                EXPECT_NEAR(run.channel(channels.force[0]), rod.held_force(rod.rate_after(p)), 10.0 * gravity * h);
                run.run();
                EXPECT_EQ(run.status(), Status::ok);
                EXPECT_LT(run.channel(channels.of(ContactRecord::largest_force)), 2.0 * gravity);
                EXPECT_LT(run.channel(channels.of(ContactRecord::energy_balance_error)), gravity * h);
            }
        }
}

// Lanes with an impulse, without one, with one that is almost none, and above the floor.
TYPED_TEST(StartInParadox, KeepsTheBitsOfALaneBesideOthers) {
    const auto& [rod, friction] = paradoxes[1];
    const Schedule schedule = contact_schedule(1e-3, 20);
    for (const In coordinates : {In::joint, In::body}) {
        const ContactMechanism given = rod.mechanism(friction).in(coordinates);
        std::vector<std::vector<double>> parameters(4, given.parameters);
        const auto law = static_cast<std::size_t>(given.mechanism.table.contact[0].law);
        parameters[1][law] = 0.5, parameters[2][law] = -rod.g_zz() / rod.g_xz() * (1.0 - 1e-8);
        parameters[3][static_cast<std::size_t>(parameters_of_body(0) + body_position + 2)] += 1.0;
        ContactRun together(TypeParam::name, given, schedule, parameters);
        together.run();
        for (std::size_t lane = 0; lane < parameters.size(); ++lane) {
            ContactRun alone(TypeParam::name, given, schedule, {parameters[lane]});
            alone.run();
            EXPECT_EQ(alone.status(), Status::ok);
            EXPECT_EQ(together.status(lane), alone.status());
            const std::vector<double> expected = alone.record(), kept = together.record(lane);
            ASSERT_EQ(kept.size(), expected.size());
            EXPECT_EQ(std::memcmp(kept.data(), expected.data(), kept.size() * sizeof(double)), 0) << lane;
        }
    }
}

// A rod of 2 m and J = m / 20 stands on both ends and turns: one end approaches, the other one leaves. What throws the
// first one back presses the other one down, which is the next impact of the start, and so on:
//   m u' = [21 -19; -19 21] l,   0 <= l,   0 <= u + u' + e u,   l (u + u' + e u) = 0
TEST(ImpactsAtTheStart, FollowEachOtherUntilNothingApproaches) {
    // Of the last impact that counts, as a share of the first.
    constexpr double speed = 0.8, e = 0.5, rounded = 1e-9;
    constexpr int most_impacts = 12;
    double u[2] = {-speed, speed}, l[2] = {0.0, 0.0}, loss = 0.0;
    const auto energy = [&] { return (21.0 * (u[0] * u[0] + u[1] * u[1]) + 38.0 * u[0] * u[1]) / 160.0; };
    for (int i = 1; i <= most_impacts && std::min(u[0], u[1]) < 0.0; ++i) {
        // Only the end that approaches is struck: the other one goes down by less than the laws allow.
        const int struck = u[0] < u[1] ? 0 : 1, other = 1 - struck;
        const double restitution = i < most_impacts ? e : 0.0, before = energy(),
                     push = -(1.0 + restitution) * u[struck] / 21.0;
        ASSERT_GE((1.0 + restitution) * u[other] - 19.0 * push, 0.0);
        u[struck] += 21.0 * push, u[other] -= 19.0 * push, l[struck] += push, loss += before - energy();
    }
    const std::string end_of = R"("type": "sphere_plane", "bodies": ["ground", "rod"], "plane_point_m": [0, 0, 0],
        "plane_normal": [0, 0, 1], "radius_m": 0.1, "normal_restitution": 0.5, "point_m": )";
    for (const char* path : path_names)
        for (const char* scheme : scheme_names) {
            SCOPED_TRACE(std::string(path) + " " + scheme);
            const auto run_of = [&](const std::string& quantity) {
                return CertifiedRuns(R"({"instances": 1, "mechanism": {"bodies": {"rod": {"mass_kg": 1,
                        "inertia_kg_m2": [0.05, 0.05, 0.05], "position_m": [0, 0, 0.1],
                        "angular_velocity_rad_s": [0, 0.8, 0]}}, "contacts": {"first": {)" +
                                         end_of + R"([1, 0, 0]}, "second": {)" + end_of +
                                         R"([-1, 0, 0]}}}, "quantities": {"seen": )" + quantity + "}, " +
                                         integrator_keys(scheme, 1e-3, 1) + "}",
                                     path, {});
            };
            const CertifiedRuns pushed = run_of(R"({"max": "contact_impulse.first.normal"})");
            ASSERT_TRUE(pushed.ok());
            EXPECT_NEAR(pushed.quantity(), l[0], rounded);
            EXPECT_NEAR(run_of(R"({"max": "contact_impulse.second.normal"})").quantity(), l[1], rounded);
            EXPECT_NEAR(pushed.kept("impact_loss"), loss, rounded);
        }
}

}  // namespace
}  // namespace myriad::test
