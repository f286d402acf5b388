// Impacts that count, the largest impulse and the first contact, by every scheme alike: on a tray with two balls, where
// all is known in closed form.
#include "kernels/math/elementary.hpp"
#include "kernels/systems/vector_coordinates.hpp"
#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

// A tray above the floor and two balls above the tray, all of them points on a line of their own: heights of tray and
// balls. Contacts: tray and floor (glued, where it is held), each ball and the tray. A force may push on the tray.
template <class R>
struct Tray : VectorCoordinates<3, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<3, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = 3, tangents = 0, parameter_count = 13, invariant_count = 0, channel_count = 0;
    static constexpr const char* name = "tray";
    static constexpr ParameterDescription parameters[parameter_count] = {
        {"tray_mass_kg", "", 1.0, ""},
        {"ball_1_mass_kg", "", 1.0, ""},
        {"ball_2_mass_kg", "", 1.0, ""},
        {"restitution", "", 0.0, ""},
        {"push_N", "", 0.0, ""},
        {"push_rate_rad_s", "", 0.0, ""},
        {"glued", "", 0.0, ""},
        {"tray_height_m", "", 0.0, ""},
        {"ball_1_height_m", "", 1.0, ""},
        {"ball_2_height_m", "", 1.0, ""},
        {"tray_velocity_m_s", "", 0.0, ""},
        {"ball_1_velocity_m_s", "", 0.0, ""},
        {"ball_2_velocity_m_s", "", 0.0, ""},
    };

    Vec<3, Real> masses;
    Real restitution, push_N, push_rate;
    MaskOf<Real> glued;

    static Prepared<Tray> prepare(const Vec<parameter_count, Real>& p) {
        return {{{}, {p[0], p[1], p[2]}, p[3], p[4], p[5], Real(0.0) < p[6]}, finite_reason(p), Real(0.0)};
    }
    static void start(const Vec<parameter_count, Real>& p, Configuration& q, Velocity& v) {
        for (int i = 0; i < 3; ++i) q[i] = p[7 + i], v[i] = p[10 + i];
    }
    SquareMatrix<3, Real> mass(const Configuration&) const {
        const Real o(0.0);
        return {{{masses[0], o, o}, {o, masses[1], o}, {o, o, masses[2]}}};
    }
    Velocity force(const Configuration&, const Velocity&, Real time_s) const {
        Velocity weight = Real(-gravity) * masses;
        weight[0] = weight[0] - push_N * sincos(push_rate * time_s).sine;
        return weight;
    }
    TangentMatrices<3, Real> tangents_of(const Configuration&, const Velocity&, const Velocity&, Real) const {
        return {zero_matrix<3, Real>(), zero_matrix<3, Real>()};
    }
    ContactState<3, contacts, 0, Real> contact_state(const Configuration& q) const {
        const Real o(0.0), one(1.0);
        return {{q[0], q[1] - q[0], q[2] - q[0]}, {{one, o, o}, {-one, one, o}, {-one, o, one}}};
    }
    ContactLaw<Real> law(int k) const { return {Real(0.0), k == 0 ? Real(0.0) : restitution, Real(0.0)}; }
    MaskOf<Real> held(int k) const { return k == 0 ? glued : !true_mask<Real>(); }
    MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    // Without the work of the push: no test asks for the balance of energy.
    Real energy(const Configuration& q, const Velocity& v) const {
        Real sum(0.0);
        for (int i = 0; i < 3; ++i) sum = fma(masses[i], fma(Real(0.5) * v[i], v[i], Real(gravity) * q[i]), sum);
        return sum;
    }
};

using Trays = Tray<double>;

template <class Member>
class ImpactCount : public testing::Test {};
TYPED_TEST_SUITE(ImpactCount, AllSchemes);

Schedule schedule_with(double step_s, double end_s, double threshold_N_s, double gap_tolerance_m = 1e-9) {
    Schedule schedule = contact_schedule(step_s, end_s);
    schedule.impact_threshold_N_s = threshold_N_s, schedule.gap_tolerance_m = gap_tolerance_m;
    return schedule;
}

// The tray carries itself and ball 2; ball 1 leaves it from the start, over many steps that find it within the
// tolerance, and comes back once.
TYPED_TEST(ImpactCount, LeavesOutAContactThatSeparatesBesideALoad) {
    constexpr double h = 1e-5, up = 0.3, tolerance_m = 1e-4;
    ContactRun<TypeParam, Trays> run(
        parameters_with<Trays>({{"ball_1_height_m", 0.0}, {"ball_2_height_m", 0.0}, {"ball_1_velocity_m_s", up}}),
        schedule_with(h, 0.1, 0.0, tolerance_m));
    int leaving = 0;
    run.run([&](const auto& now) {
        const double gap = now.motion.q[1] - now.motion.q[0];
        if (now.progress.time_s > up / gravity || gap > tolerance_m) return;
        ++leaving;
        EXPECT_EQ(now.memory.impacts, 0.0);
        EXPECT_EQ(now.memory.largest_impulse_N_s, 0.0);
    });
    ASSERT_EQ(run.reason, 0.0);
    EXPECT_GT(leaving, 30);
    EXPECT_EQ(run.memory.impacts, 1.0);
    EXPECT_EQ(run.memory.first_contact_s, 0.0);
    // It closes on the way down, where the gap falls below the tolerance, and a step later.
    EXPECT_NEAR(run.memory.largest_impulse_N_s, std::sqrt(up * up - 2.0 * gravity * tolerance_m), 2.0 * gravity * h);
    // Generalized-alpha keeps the acceleration that it had before the impact, and swings by the weight that landed.
    EXPECT_NEAR(run.memory.largest_force_N, 3.0 * gravity, gravity);
}

// Both balls strike the tray, which stays on the floor: the floor takes the impulses of both.
TYPED_TEST(ImpactCount, OfTwoContactsInOneStepIsOne) {
    constexpr double h = 1e-4, drop = 0.2, e = 0.6;
    const double speed = std::sqrt(2.0 * gravity * drop), ball = (1.0 + e) * speed;
    const auto impacts = [&](const std::map<std::string, double>& changed, double threshold, double impulse) {
        std::map<std::string, double> values{{"restitution", e}, {"ball_1_height_m", drop}, {"ball_2_height_m", drop}};
        for (const auto& [name, value] : changed) values[name] = value;
        ContactRun<TypeParam, Trays> run(parameters_with<Trays>(values), schedule_with(h, 0.3, threshold));
        run.run();
        EXPECT_EQ(run.reason, 0.0);
        // A step late, each ball is faster by g h; what a floor carries in a step is no impulse of an impact.
        EXPECT_NEAR(run.memory.largest_impulse_N_s, impulse, 5.0 * gravity * h);
        return run.memory.impacts;
    };
    EXPECT_EQ(impacts({}, 0.0, 2.0 * ball), 1.0);
    EXPECT_EQ(impacts({}, 1.5 * ball, 2.0 * ball), 1.0);
    EXPECT_EQ(impacts({}, 2.5 * ball, 2.0 * ball), 0.0);
    EXPECT_EQ(impacts({{"tray_mass_kg", 3000.0}}, 0.0, 2.0 * ball), 1.0);
    // Glue takes impulses of either sign, as a joint: they are none of a contact that is struck.
    EXPECT_EQ(impacts({{"glued", 1.0}}, 0.0, ball), 1.0);
    EXPECT_EQ(impacts({{"glued", 1.0}}, 1.5 * ball, ball), 0.0);
    // Apart by more than a step.
    EXPECT_EQ(impacts({{"ball_2_height_m", 0.25}}, 0.0, (1.0 + e) * std::sqrt(2.0 * gravity * 0.25)), 2.0);
}

// The load of a resting contact in a step may be above the threshold, below it, or hover about it.
TYPED_TEST(ImpactCount, TakesNoLoadForAnImpact) {
    constexpr double h = 1e-3, drop = 0.2, push = 8.0;
    const double speed = std::sqrt(2.0 * gravity * drop), steady = 3.0 * gravity * h;
    // The balls ride on the tray, which is dropped onto the floor; then it is pushed twenty times.
    for (const double threshold : {0.0, 0.5 * steady, steady, 2.0 * steady, 2.9 * speed, 3.2 * speed}) {
        ContactRun<TypeParam, Trays> run(parameters_with<Trays>({{"tray_height_m", drop},
                                                                 {"ball_1_height_m", drop},
                                                                 {"ball_2_height_m", drop},
                                                                 {"push_rate_rad_s", 40.0 * std::acos(-1.0)}}),
                                         schedule_with(h, 1.2, threshold));
        double least = 1e9, most = 0.0;
        run.run([&](auto& now) {
            if (now.progress.time_s < 0.3) return;
            now.system.push_N = push;
            least = std::min(least, now.memory.force[0]), most = std::max(most, now.memory.force[0]);
        });
        ASSERT_EQ(run.reason, 0.0);
        EXPECT_NEAR(least, 3.0 * gravity - push, 0.5) << "not pulled";
        EXPECT_NEAR(most, 3.0 * gravity + push, 0.5) << "not pushed";
        EXPECT_EQ(run.memory.impacts, threshold < 3.0 * speed ? 1.0 : 0.0) << threshold;
        EXPECT_NEAR(run.memory.largest_impulse_N_s, 3.0 * speed, 2.0 * steady);
        // By h the impulse is 200 times the load, by which generalized-alpha swings after an impact.
        EXPECT_NEAR(run.memory.largest_force_N, 3.0 * gravity + push, 3.0 * gravity) << "an impulse taken for a force";
    }
}

}  // namespace
}  // namespace myriad::test
