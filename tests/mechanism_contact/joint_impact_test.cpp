// Impacts of bodies with joints and of two bodies, against closed forms and invariants of an impact.
#include <random>

#include "tests/mechanism_contact/contact_run.hpp"

namespace myriad::test {
namespace {

// A body on a revolute joint about y at the world's origin, its centre of mass at (0, 0, -l); moments of inertia j.
std::string pendulum_text(double mass, const Vector& j, double l) {
    std::ostringstream text;
    text.precision(17);
    text << R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"rod": {"mass_kg": )" << mass << R"(, "inertia_kg_m2": )"
         << text_of(j) << R"(, "position_m": [0, 0, )" << -l << R"(]}}, "joints": {"pivot": {"type": "revolute",
           "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0, 0, )"
         << l << R"(]], "axes": [[0, 1, 0], [0, 1, 0]]}}})";
    return text.str();
}

// It swings to the vertical and hits a wall there with a point at the depth p below the pivot. About the pivot:
// J (w+ - w-) = p P, w+ = -e w-, so P = -(1 + e) J w- / p, and the pivot gives m l (w+ - w-) - P, along x.
template <class Member>
class JointImpact : public testing::Test {};
TYPED_TEST_SUITE(JointImpact, AllSchemes);

// Moreau's rule has the velocities of the end admitted by the joints of the middle of the step.
template <class Member>
constexpr bool is_of_the_middle = std::is_same_v<Member, MoreauWithJoints>;

TYPED_TEST(JointImpact, OfAPendulumIsTheClosedForm) {
    constexpr double h = 1e-3, mass = 1.2, l = 0.7, depth = 0.9, e = 0.6, rate = 1.5;
    const Vector j(0.08, 0.09, 0.02);
    ContactMechanism pendulum(pendulum_text(mass, j, l));
    // The wall is the plane x = 0 and pushes towards -x: the pendulum comes from there, with a positive rate about -y.
    pendulum.add_sphere_plane(-1, 0, origin, {-1.0, 0.0, 0.0}, {0.0, 0.0, l - depth}, 0.0, {0.0, e, 0.0});
    // Turned about y by the angle q the bar points to (-sin q, 0, -cos q).
    const double angle = 0.2;
    pendulum.set_position(0, {-l * std::sin(angle), 0.0, -l * std::cos(angle)});
    pendulum.body(0, body_orientation) = std::cos(0.5 * angle);
    pendulum.body(0, body_orientation + 2) = std::sin(0.5 * angle);
    pendulum.set_velocity(0, {rate * l * std::cos(angle), 0.0, -rate * l * std::sin(angle)}, {0.0, -rate, 0.0});
    const double about_pivot = j[1] + mass * l * l;
    for (const In coordinates : {In::joint, In::body}) {
        ContactMechanism given = pendulum.in(coordinates);
        const mechanism::NamedElements& joint = given.mechanism.joints[0];
        const auto pivot_impulse = [&](int component) {
            return given.channel(ChannelKind::joint_impulse, joint.first_element, component,
                                 joint.first_element + joint.element_count);
        };
        const int along_x = pivot_impulse(0), along_y = pivot_impulse(1);
        double before = 0.0;
        int impacts = 0;
        ContactRun run(TypeParam::name, given, contact_schedule(h, 400));
        run.run([&](const ContactRun& now) {
            const double w = now.angular_velocity()[1], push = now.memory().impulse[0];
            if (push > 0.0 && ++impacts == 1) {
                // v^- is that of the end of the step. Within two steps of the vertical, an angle of 2 h w, gravity
                // changes a rate by less than h (m g l / J) 2 h w = 1e-3 * 12 * 2e-3 * 2 = 5e-5.
                const double incoming = before, outgoing = -e * incoming;
                constexpr double tolerance = 1e-4;
                EXPECT_NEAR(w, outgoing, tolerance);
                EXPECT_NEAR(push, -(1.0 + e) * about_pivot * incoming / depth, tolerance);
                // By the velocities after and before the impact itself, to round-off: w- = -w+ / e.
                const double exact = -w / e;
                EXPECT_NEAR(push, -(1.0 + e) * about_pivot * exact / depth, 2e-5);
                EXPECT_NEAR(now.velocity().dot(now.orientation() * Vector(1.0, 0.0, 0.0)), -l * w,
                            is_of_the_middle<TypeParam> ? h * h : 1e-12);
                EXPECT_NEAR(now.channel(along_x) - push, -mass * l * (w - exact), 2e-5);
                EXPECT_NEAR(now.channel(along_y), 0.0, 1e-12);
            }
            before = w;
        });
        EXPECT_EQ(run.status(), Status::ok);
        EXPECT_GE(impacts, 1);
    }
}

// A chain of three rods on spherical joints, which are rows. It bounces between floor and ceiling for ever: no impact
// takes energy.
TYPED_TEST(JointImpact, LeavesTheJointsTogetherAThousandTimes) {
    constexpr double h = 1e-3, l = 0.2, wanted = 1000.0;
    std::ostringstream text;
    text << R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {)";
    for (int b = 0; b < 3; ++b)
        text << (b ? ", " : "") << "\"rod_" << b << R"(": {"mass_kg": 0.5, "inertia_kg_m2": [0.001, 0.02, 0.021],
            "position_m": [)"
             << 2.0 * l * b << R"(, 0, 0]})";
    text << R"(}, "joints": {)";
    for (int b = 0; b < 2; ++b)
        text << (b ? ", " : "") << "\"joint_" << b << R"(": {"type": "spherical", "bodies": ["rod_)" << b
             << "\", \"rod_" << b + 1 << R"("], "points_m": [[0.2, 0, 0], [-0.2, 0, 0]]})";
    text << "}}";
    ContactMechanism chain(text.str());
    for (int b = 0; b < 3; ++b)
        for (const double x : {-0.9 * l, 0.9 * l})
            for (const double side : {1.0, -1.0})
                chain.add_sphere_plane(-1, b, side * (-0.06 * up), side * up, {x, 0.0, 0.0}, 0.03, {0.0, 1.0, 0.0});
    chain.set_velocity(0, {0.3, 0.1, 0.0}, {0.2, 1.0, 0.5}), chain.set_velocity(2, {0.3, 0.1, 0.0}, {0.2, -1.0, 1.0});
    ContactRun run(TypeParam::name, chain.in(In::body), contact_schedule(h, 45000));
    double worst_rate = 0.0;
    while (run.step()) {
        const ContactRun::Memory memory = run.memory();
        double impulse = 0.0;
        for (int c = 0; c < 12; ++c) impulse += memory.impulse[3 * c];
        for (int b = 0; impulse > 0.0 && b < 2; ++b) {
            const auto end = [&](int body, double x) -> Vector {
                const Vector s(x, 0.0, 0.0);
                return run.velocity(body) + run.orientation(body) * run.angular_velocity(body).cross(s);
            };
            worst_rate = std::max(worst_rate, (end(b, l) - end(b + 1, -l)).norm());
        }
        if (memory.impacts >= wanted) break;
    }
    ASSERT_LE(static_cast<int>(run.reason()), 0) << "at " << run.time_s();
    EXPECT_GE(run.memory().impacts, wanted);
    // Newton's tolerance is 1e-12 and its last correction is of a higher order; velocities of a few m/s.
    EXPECT_LT(run.certificate()[1], 1e-12);
    EXPECT_LT(worst_rate, is_of_the_middle<TypeParam> ? 40.0 * h : 1e-13);
}

struct Momenta {
    Vector linear = Vector::Zero(), angular = Vector::Zero();
    double kinetic = 0.0;
};
Momenta momenta(const ContactRun& run, const std::vector<double>& parameters, int bodies, std::size_t lane = 0) {
    Momenta sum;
    for (int b = 0; b < bodies; ++b) {
        const double* p = parameters.data() + parameters_of_body(b);
        const double m = p[body_mass];
        const Vector j(p[body_inertia], p[body_inertia + 1], p[body_inertia + 2]),
            v = run.velocity(b, lane), w = run.angular_velocity(b, lane), spin = j.cwiseProduct(w);
        sum.linear += m * v;
        sum.angular += m * run.position(b, lane).cross(v) + run.orientation(b, lane) * spin;
        sum.kinetic += 0.5 * (m * v.squaredNorm() + w.dot(spin));
    }
    return sum;
}

std::string pair_text(double mass_1, double radius_1, double mass_2, double radius_2, bool jointed) {
    std::string text = R"({"gravity_m_s2": [0, 0, 0], "bodies": {"first": )" + sphere_body(mass_1, radius_1) +
                       R"(, "second": )" + sphere_body(mass_2, radius_2);
    if (jointed)
        text += R"(, "third": )" + sphere_body(0.7, 0.2) +
                R"(}, "joints": {"ball": {"type": "spherical", "bodies": ["second", "third"],
                   "points_m": [[0.1, 0.2, 0.05], [0.3, 0, 0]]}}})";
    else
        text += "}}";
    return text;
}

// Two rough spheres that meet at an angle while they spin: the laws along the line of centres in closed form, and what
// no inner impulse changes.
TEST(TwoSpheres, KeepTheirMomentaInAnObliqueCollision) {
    constexpr double m_1 = 1.0, m_2 = 2.5, r_1 = 0.1, r_2 = 0.15, e = 0.7;
    for (const double friction : {0.0, 0.005, 0.6}) {
        ContactMechanism pair(pair_text(m_1, r_1, m_2, r_2, false));
        pair.add_sphere_sphere(0, 1, origin, origin, r_1, r_2, {friction, e, 0.0});
        pair.set_position(0, {-0.5, 0.02, 0.0}), pair.set_position(1, {0.3, 0.1, 0.07});
        pair.set_velocity(0, {2.0, 0.3, 0.1}, {3.0, -5.0, 8.0}),
            pair.set_velocity(1, {-1.0, 0.1, -0.1}, {1.0, 4.0, -2.0});
        ContactRun run(NonsmoothGeneralizedAlpha::name, pair, contact_schedule(1e-3, 400));
        const Momenta start = momenta(run, pair.parameters, 2);
        Vector v_1 = run.velocity(0), v_2 = run.velocity(1);
        int impacts = 0;
        run.run([&](const ContactRun& now) {
            const Vector given = load_of(now.memory().impulse, 0);
            if (given[0] > 0.0) {
                ++impacts;
                const Vector n = (now.position(1) - now.position(0)).normalized();
                const double incoming = n.dot(v_2 - v_1), reduced = 1.0 / (1.0 / m_1 + 1.0 / m_2);
                EXPECT_NEAR(n.dot(now.velocity(1) - now.velocity(0)), -e * incoming, 1e-12);
                EXPECT_NEAR(given[0], -(1.0 + e) * reduced * incoming, 1e-12);
                // The slip of the points that touch: it goes on under mu L_N, or ends.
                const auto surface = [&](int b, const Vector& lever) -> Vector {
                    return now.velocity(b) + (now.orientation(b) * now.angular_velocity(b)).cross(lever);
                };
                // One point of both: the spheres overlap by what they came nearer in the step.
                const Vector touching = now.position(0) + r_1 * n,
                             apart = surface(1, touching - now.position(1)) - surface(0, r_1 * n),
                             slip = apart - n.dot(apart) * n;
                const double tangential = std::hypot(given[1], given[2]);
                EXPECT_LE(tangential, friction * given[0] + 1e-12);
                if (friction > 0.1)
                    EXPECT_NEAR(slip.norm(), 0.0, 1e-12);
                else
                    EXPECT_NEAR(tangential, friction * given[0], 1e-12);
            }
            v_1 = now.velocity(0), v_2 = now.velocity(1);
        });
        ASSERT_EQ(run.status(), Status::ok);
        EXPECT_EQ(impacts, 1);
        EXPECT_EQ(run.memory().impacts, 1.0);
        const Momenta end = momenta(run, pair.parameters, 2);
        EXPECT_NEAR((end.linear - start.linear).norm(), 0.0, 1e-13);
        EXPECT_NEAR((end.angular - start.angular).norm(), 0.0, 1e-13);
        EXPECT_NEAR(end.kinetic + run.memory().impact_loss_J, start.kinetic, 1e-12);
    }
}

// Two bodies that meet with spheres on arms, so that the impact turns them: once, or in two places at a time; alone, or
// with a third one on a ball joint, which is rows.
struct RandomPair {
    ContactMechanism pair;

    RandomPair(bool jointed, int contacts)
        : pair(ContactMechanism(pair_text(1.0, 0.1, 1.5, 0.1, jointed)).in(In::body)), jointed_(jointed) {
        for (int c = 0; c < contacts; ++c) pair.add_sphere_sphere(0, 1, origin, origin, 0.1, 0.1, {});
    }
    template <class Draw>
    void draw(Draw&& uniform, const Law& law) {
        const auto direction = [&](double size) {
            const double x = uniform(-size, size), y = uniform(-size, size);
            return Vector(x, y, uniform(-size, size));
        };
        const auto number = [&](int at) -> double& { return pair.parameters[static_cast<std::size_t>(at)]; };
        const Vector n = direction(1.0).normalized();
        Vector first, second;
        for (int c = 0; c < pair.table().contacts; ++c) {
            const Contact& contact = pair.table().contact[c];
            const double r_1 = uniform(0.05, 0.2), r_2 = uniform(0.05, 0.2);
            const Vector s_1 = direction(0.3), across = (n + direction(0.5)).normalized();
            Vector s_2 = direction(0.3);
            if (c == 0)
                first = -s_1, second = (r_1 + r_2 + gap) * across - s_2;
            else
                s_2 = first + s_1 + (r_1 + r_2 + gap) * across - second;
            for (int i = 0; i < 3; ++i)
                number(contact.parameter + i) = s_1[i], number(contact.parameter + 3 + i) = s_2[i];
            number(contact.radius[0]) = r_1, number(contact.radius[1]) = r_2;
            number(contact.law) = law.friction, number(contact.law + 1) = law.normal_restitution;
            number(contact.law + 2) = law.tangential_restitution;
        }
        for (int b = 0; b < 2; ++b) pair.set_mass(b, uniform(0.5, 2.0));
        pair.set_position(0, first), pair.set_position(1, second);
        const Vector v_1 = direction(2.0), w_1 = direction(4.0), v_2 = direction(2.0), w_2 = direction(4.0);
        pair.set_velocity(0, v_1 + 2.0 * n, w_1), pair.set_velocity(1, v_2 - 2.0 * n, w_2);
        if (!jointed_) return;
        const Vector rate = direction(4.0);
        pair.set_position(2, second + Vector(0.1, 0.2, 0.05) - Vector(0.3, 0.0, 0.0));
        // The joint's point moves as that of the second body.
        pair.set_velocity(2, v_2 - 2.0 * n + w_2.cross(Vector(0.1, 0.2, 0.05)) - rate.cross(Vector(0.3, 0.0, 0.0)),
                          rate);
    }

  private:
    static constexpr double gap = 1e-3;  // less than the way of a step or two
    bool jointed_;
};

struct ManyImpacts {
    int samples = 0, struck = 0, at_two_places = 0, gained = 0, warned = 0;
    double gain = 0.0, momentum = 0.0, loss_error = 0.0;  // the largest; gain and error of the loss: of the energy

    // NaN counts as the worst.
    static double larger(double a, double b) { return a >= b ? a : b; }
    void print(const char* member, const char* laws) const {
        std::printf("| %-27s | %s: %d of %d impacts gain, %.1e of the energy at most | momentum %.1e | loss %.1e |\n",
                    member, laws, gained, struck, gain, momentum, loss_error);
    }
};

// Round-off of sums of some ten products, and of the contact problem, 1e-12 of velocities.
constexpr double gain_round_off = 1e-11;

// `law(uniform, sample)`: the laws of a sample.
template <class Member, class LawOf>
ManyImpacts many_impacts(int samples, LawOf&& law) {
    std::mt19937_64 random(7);
    const auto uniform = [&](double least, double most) {
        return std::uniform_real_distribution<double>(least, most)(random);
    };
    ManyImpacts many;
    for (const bool jointed : {false, true}) {
        for (const int contacts : {1, 2}) {
            RandomPair random_pair(jointed, contacts);
            const ContactMechanism& pair = random_pair.pair;
            const auto lanes = static_cast<std::size_t>(samples / 4);
            std::vector<std::vector<double>> parameters;
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                random_pair.draw(uniform, law(uniform, static_cast<int>(lane)));
                parameters.push_back(pair.parameters);
            }
            const auto momenta_of = [&](const ContactRun& now, std::size_t lane) {
                return momenta(now, parameters[lane], pair.mechanism.table.bodies, lane);
            };
            ContactRun run(Member::name, pair, contact_schedule(1e-3, 3), parameters);
            std::vector<Momenta> begins(lanes);
            std::vector<double> losses(lanes, 0.0);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                many.warned += run.progress(lane).warnings == static_cast<double>(Warning::impacts_may_gain_energy);
                begins[lane] = momenta_of(run, lane);
            }
            run.run([&](const ContactRun& now) {
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    const Momenta before = begins[lane], after = momenta_of(now, lane);
                    const ContactRun::Memory memory = now.memory(lane);
                    // Moreau's rule has the work of friction in an impact beside that of the normal impulses.
                    const double all_lost = memory.impact_loss_J + memory.friction_loss_J,
                                 loss = all_lost - losses[lane];
                    begins[lane] = after, losses[lane] = all_lost;
                    double force = 0.0;
                    int places = 0;
                    for (int c = 0; c < contacts; ++c)
                        force += memory.force[3 * c], places += memory.impulse[3 * c] > 0.0;
                    const bool only_impact = Member::impacts_apart ? force == 0.0 : places > 0;
                    if (places == 0 || !only_impact) continue;
                    ++many.struck, many.at_two_places += places > 1;
                    // Moreau's rule moves a joint's velocities on in the same step, which turns with the bodies.
                    if (Member::impacts_apart || !jointed) {
                        const double gain = -loss / before.kinetic;
                        many.gain = ManyImpacts::larger(gain, many.gain), many.gained += gain > gain_round_off;
                    }
                    if (jointed) continue;
                    const double size = before.linear.norm() + before.angular.norm() + 1.0;
                    double change = (after.linear - before.linear).norm();
                    // Moreau's impulses act in the middle of the step, by the directions of there.
                    if (Member::impacts_apart) change += (after.angular - before.angular).norm();
                    many.momentum = ManyImpacts::larger(change / size, many.momentum);
                    many.loss_error = ManyImpacts::larger(
                        std::abs(before.kinetic - after.kinetic - loss) / before.kinetic, many.loss_error);
                }
            });
            for (std::size_t lane = 0; lane < lanes; ++lane) EXPECT_EQ(run.status(lane), Status::ok) << lane;
            many.samples += samples / 4;
        }
    }
    return many;
}

// Where no law may gain energy none does, joints or not, in one place or two: no friction, or the same restitution in
// all directions. The unjointed pair keeps its momenta, and what is recorded as lost is what its velocities say.
TYPED_TEST(JointImpact, GainsNoEnergyWithoutFrictionOrWithEqualRestitutions) {
    const ManyImpacts many = many_impacts<TypeParam>(10000, [](auto& uniform, int sample) -> Law {
        const bool rough = sample % 2 == 1;
        const double friction = uniform(0.0, 1.0), e = uniform(0.0, 1.0), other = uniform(0.0, 1.0);
        return {rough ? friction : 0.0, e, rough ? e : other};
    });
    many.print(TypeParam::name, "lawful");
    EXPECT_EQ(many.samples, 10000);
    EXPECT_GT(many.struck, 5000);
    EXPECT_GT(many.at_two_places, 500);
    EXPECT_EQ(many.warned, 0);
    EXPECT_LE(many.gain, gain_round_off);
    EXPECT_LE(many.momentum, gain_round_off);
    EXPECT_LE(many.loss_error, gain_round_off);
}

// Different restitutions and friction may gain some (facts F: 89 of 2,989 in a plane): every run is warned of, and what
// is gained is recorded.
TYPED_TEST(JointImpact, MayGainEnergyByOtherLawsAndWarns) {
    const ManyImpacts many = many_impacts<TypeParam>(10000, [](auto& uniform, int) -> Law {
        const double friction = uniform(0.01, 1.0), e = uniform(0.0, 1.0);
        return {friction, e, uniform(0.0, 1.0)};
    });
    many.print(TypeParam::name, "other laws");
    EXPECT_EQ(many.warned, 10000);
    EXPECT_GT(many.struck, 5000);
    EXPECT_GT(many.gained, 0);
    EXPECT_LT(many.gained, many.struck / 4);
    EXPECT_LE(many.momentum, gain_round_off);
    EXPECT_LE(many.loss_error, gain_round_off);
}

}  // namespace
}  // namespace myriad::test
