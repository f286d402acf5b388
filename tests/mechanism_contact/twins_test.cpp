// Timestepping of mechanisms with contact against its twin on the reference path, which differentiates gaps
// automatically, has dense matrices and solves contact problems by sweeps and the equations of their states.
#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/nonsmooth_contact.hpp"
#include "tests/mechanism_contact/contact_mechanism.hpp"
#include "tests/mechanism_contact/twin_model.hpp"
#include "tests/source_dir.hpp"

namespace myriad::test {
namespace {

struct Scheme {
    const char* name;
    bool impacts_apart;
    template <class Member>
    static Scheme of() {
        return {Member::name, Member::impacts_apart};
    }
    friend void PrintTo(const Scheme& scheme, std::ostream* out) { *out << scheme.name; }
};
class MechanismContactTwin : public testing::TestWithParam<Scheme> {};
template <class... Member>
std::vector<Scheme> schemes_of(IntegratorList<Timestepping<Member>...>) {
    return {Scheme::of<Member>()...};
}
INSTANTIATE_TEST_SUITE_P(Schemes, MechanismContactTwin, testing::ValuesIn(schemes_of(MechanismContactIntegrators{})),
                         [](const auto& given) { return std::string(given.param.name); });

// For velocities, and so for positions too: joints on position level keep velocities to Newton's tolerance, 1e-12 of
// the length scale, by the step; the kernels' contact problems are solved no better. Errors of some steps add up.
double state_tolerance(double step_s) { return 4e-12 / step_s; }
// For forces, their losses and works: the last correction leaves 1e-2 of itself, 1e-14 of a length, by h^2.
constexpr double force_tolerance = 1e-7;

class Draw {
  public:
    explicit Draw(unsigned seed) : random_(seed) {}
    double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
    Vector vector(double size) {
        const double x = uniform(-size, size), y = uniform(-size, size);
        return {x, y, uniform(-size, size)};
    }

  private:
    std::mt19937 random_;
};

struct Differences {
    double state = 0.0, forces = 0.0, record = 0.0;
    int impacts = 0;
};

// `unique`: whether the forces of the contacts are, and not only their sum.
Differences differences(const Scheme& scheme, const ContactMechanism& given, const Schedule& schedule, bool unique) {
    const MechanismTable& table = given.mechanism.table;
    const reference::MechanismModel model = twin_model(given);
    reference::MechanismSettings settings;
    settings.integrator = scheme.name;
    settings.step_s = schedule.step_s, settings.end_s = schedule.end_s;
    settings.spectral_radius = schedule.spectral_radius;
    settings.contact = backends::contact_method_of(schedule);
    std::vector<reference::MechanismSample> samples;
    settings.after_step = [&](const reference::MechanismSample& sample) { samples.push_back(sample); };
    const reference::MechanismResult twin = reference::run_reference_mechanism(model, settings);
    EXPECT_EQ(twin.status, "ok") << twin.reason;
    Differences result;
    std::size_t step = 0;
    SchemeRun run(scheme.name, given, {given.parameters}, schedule);
    run.run([&](const auto& now) {
        if (step >= samples.size()) return;
        const reference::MechanismSample& sample = samples[step++];
        for (int b = 0; b < table.bodies; ++b) {
            const reference::BodyState& body = sample.motion.state.bodies[static_cast<std::size_t>(b)];
            const double speed = std::max(1.0, std::max(body.velocity.norm(), body.angular_velocity.norm()));
            result.state = std::max({result.state, (now.position(b) - body.position).norm(),
                                     (now.orientation(b).toRotationMatrix() - body.orientation).norm(),
                                     (now.velocity(b) - body.velocity).norm() / speed,
                                     (now.angular_velocity(b) - body.angular_velocity).norm() / speed});
        }
        const Eigen::VectorXd &force = sample.contacts.force, &impulse = sample.contacts.impulse;
        const double most_force = std::max(1.0, force.cwiseAbs().maxCoeff()),
                     most_impulse = std::max(1.0, impulse.cwiseAbs().maxCoeff());
        for (int c = 0; unique && c < table.contacts; ++c)
            result.forces = std::max({result.forces, (now.force(c) - force.segment<3>(3 * c)).norm() / most_force,
                                      (now.impulse(c) - impulse.segment<3>(3 * c)).norm() / most_impulse});
    });
    EXPECT_EQ(run.status(), Status::ok) << sentence_of(run.reason());
    EXPECT_EQ(step, samples.size());
    const auto& memory = run.memory();
    const reference::ContactRecord& record = twin.last.contact_record;
    // Moreau's rule tells an impact by the contacts that take a share of the load: dependent ones share it, and the
    // impulse of an impact, in many ways.
    if (unique || scheme.impacts_apart) EXPECT_EQ(memory.impacts, record.impacts);
    EXPECT_EQ(memory.first_contact_s, record.first_contact_s);
    const double energy = std::max(1.0, std::abs(twin.last.kinetic_energy_j));
    result.record = std::max({std::abs(memory.friction_loss_J - record.friction_loss_j) / energy,
                              std::abs(memory.impact_loss_J - record.impact_loss_j) / energy,
                              std::abs(memory.energy_error_J - twin.last.contact_energy_error_j) / energy,
                              std::abs(memory.penetration_m - record.penetration_m)});
    if (unique) result.record = std::max(result.record, std::abs(memory.wear_work_J - record.wear_work_j) / energy);
    if (unique)
        result.record = std::max(
            {result.record, std::abs(memory.largest_impulse_N_s - record.largest_impulse_N_s),
             std::abs(memory.largest_force_N - record.largest_force_N) / std::max(1.0, record.largest_force_N)});
    result.impacts = static_cast<int>(record.impacts);
    return result;
}

// `instance(draw)`: a mechanism and parameters at random.
void expect_the_twin(const Scheme& scheme, const char* name, int instances, double step_s, int steps, bool unique,
                     const std::function<ContactMechanism(Draw&)>& make) {
    Differences worst;
    const Schedule schedule = contact_schedule(step_s, steps);
    for (int i = 0; i < instances; ++i) {
        Draw draw(1000u + static_cast<unsigned>(i));
        const Differences one = differences(scheme, make(draw), schedule, unique);
        worst.state = std::max(worst.state, one.state), worst.forces = std::max(worst.forces, one.forces);
        worst.record = std::max(worst.record, one.record), worst.impacts += one.impacts;
    }
    std::printf("| %-20s | %-27s | %2d instances, %4d impacts | states %.1e | forces %.1e | record %.1e |\n", name,
                scheme.name, instances, worst.impacts, worst.state, worst.forces, worst.record);
    EXPECT_GT(worst.impacts, 0) << name;
    EXPECT_LE(worst.state, state_tolerance(step_s)) << name;
    EXPECT_LE(worst.forces, force_tolerance) << name;
    EXPECT_LE(worst.record, force_tolerance) << name;
}

TEST_P(MechanismContactTwin, AgreesOnASphereThrownOntoAFloor) {
    expect_the_twin(GetParam(), "sphere on a floor", 33, 2e-3, 150, true, [](Draw& draw) {
        const double radius = draw.uniform(0.05, 0.2);
        ContactMechanism sphere(sphere_text(draw.uniform(0.5, 3.0), radius));
        sphere.add_sphere_plane(-1, 0, origin, up + draw.vector(0.2), draw.vector(0.3 * radius), radius,
                                {draw.uniform(0.0, 0.5), draw.uniform(0.0, 0.8), draw.uniform(0.0, 0.8)});
        sphere.set_position(0, {0.0, 0.0, 1.5 * radius + draw.uniform(0.05, 0.1)});
        sphere.set_velocity(0, draw.vector(1.0), draw.vector(10.0));
        return sphere;
    });
}

TEST_P(MechanismContactTwin, AgreesOnTwoSpheresThatCollideOverAFloor) {
    expect_the_twin(GetParam(), "two spheres", 31, 1e-3, 200, true, [](Draw& draw) {
        const double a = draw.uniform(0.05, 0.2), b = draw.uniform(0.05, 0.2);
        ContactMechanism spheres(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"a": )" +
                                 sphere_body(draw.uniform(0.5, 3.0), a) + R"(, "b": )" +
                                 sphere_body(draw.uniform(0.5, 3.0), b) + "}}");
        const Law law{draw.uniform(0.0, 0.5), draw.uniform(0.0, 0.8), draw.uniform(0.0, 0.8)};
        spheres.add_sphere_plane(-1, 0, origin, up, origin, a, law);
        spheres.add_sphere_plane(-1, 1, origin, up, origin, b, law);
        spheres.add_sphere_sphere(0, 1, origin, origin, a, b, law);
        spheres.set_position(0, {0.0, 0.0, a + 0.05}), spheres.set_position(1, {a + b + 0.05, 0.0, b + 0.05});
        spheres.set_velocity(0, Vector(1.0, 0.0, 0.0) + draw.vector(0.3), draw.vector(5.0));
        spheres.set_velocity(1, Vector(-1.0, 0.0, 0.0) + draw.vector(0.3), draw.vector(5.0));
        return spheres;
    });
}

// Two hinged bodies without symmetry, a spring on the outer one, whose sphere meets a wall and the ground's sphere.
TEST_P(MechanismContactTwin, AgreesOnAHingedChainBetweenWalls) {
    expect_the_twin(GetParam(), "hinged chain", 9, 1e-3, 300, true, [](Draw& draw) {
        ContactMechanism chain(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
            "a": {"mass_kg": 1.3, "inertia_kg_m2": {"xx": 0.05, "yy": 0.06, "zz": 0.03, "xy": 0.004},
                  "position_m": [0, 0, -0.3]},
            "b": {"mass_kg": 0.8, "inertia_kg_m2": {"xx": 0.02, "yy": 0.03, "zz": 0.02, "yz": 0.003},
                  "position_m": [0, 0, -0.8]}},
          "joints": {
            "top": {"type": "revolute", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [0, 0, 0.3]],
                    "axes": [[0, 1, 0], [0, 1, 0]]},
            "elbow": {"type": "spherical", "bodies": ["a", "b"], "points_m": [[0, 0, -0.3], [0, 0, 0.2]]}},
          "forces": {"line": {"type": "spring_damper", "bodies": ["ground", "b"],
                     "points_m": [[1, 0, -0.5], [0, 0.1, -0.1]],
                     "stiffness_N_m": 20, "damping_N_s_m": 0.3, "rest_length_m": 0.5}}})");
        const Law law{draw.uniform(0.0, 0.4), draw.uniform(0.0, 0.7), draw.uniform(0.0, 0.7)};
        chain.add_sphere_plane(-1, 1, {draw.uniform(0.2, 0.25), 0.0, -0.9}, Vector(-1.0, 0.0, 0.0) + draw.vector(0.1),
                               {0.0, 0.0, -0.15}, 0.1, law);
        chain.add_sphere_plane(-1, 0, {-0.15, 0.0, 0.0}, Vector(1.0, 0.0, 0.0), {0.02, 0.0, -0.25}, 0.02, law);
        chain.add_sphere_sphere(-1, 1, {0.0, draw.uniform(0.3, 0.4), -0.9}, {0.0, 0.0, -0.1}, 0.1, 0.1, law);
        chain.set_velocity(0, origin, draw.vector(3.0));
        chain.set_velocity(1, origin, draw.vector(4.0));
        return chain;
    });
}

std::string box_text() {
    return R"({"gravity_m_s2": [0, 0, -9.81],
        "bodies": {"box": {"mass_kg": 2, "inertia_kg_m2": {"xx": 0.02, "yy": 0.03, "zz": 0.04}}}})";
}
const Vector half_box(0.2, 0.15, 0.1);

ContactMechanism falling_box(Draw& draw, double friction) {
    ContactMechanism box(box_text());
    const Law law{friction, draw.uniform(0.0, 0.3), draw.uniform(0.0, 0.3)};
    for (int k = 0; k < 8; ++k) {
        const Vector corner(k & 1 ? half_box[0] : -half_box[0], k & 2 ? half_box[1] : -half_box[1],
                            k & 4 ? half_box[2] : -half_box[2]);
        box.add_sphere_plane(-1, 0, origin, up, corner, 0.0, law);
    }
    box.set_position(0, {0.0, 0.0, half_box[2] + draw.uniform(0.03, 0.06)});
    box.set_velocity(0, draw.vector(0.5), draw.vector(1.0));
    return box;
}

// Eight corners, of which up to four touch: forces that share a load in many ways, one motion without friction.
TEST_P(MechanismContactTwin, AgreesOnTheMotionOfASmoothBoxThatFallsOnItsCorners) {
    expect_the_twin(GetParam(), "smooth box", 31, 2e-3, 200, false, [](Draw& draw) { return falling_box(draw, 0.0); });
}

TEST_P(MechanismContactTwin, AgreesOnAStoolThatFallsOnItsThreeFeet) {
    expect_the_twin(GetParam(), "stool", 9, 2e-3, 200, false, [](Draw& draw) {
        ContactMechanism stool(box_text());
        const Law law{draw.uniform(0.05, 0.3), draw.uniform(0.0, 0.3), draw.uniform(0.0, 0.3)};
        for (const Vector& foot : {Vector(0.2, 0.0, -0.1), Vector(-0.1, 0.17, -0.1), Vector(-0.1, -0.17, -0.1)})
            stool.add_sphere_plane(-1, 0, origin, up, foot, 0.0, law);
        stool.set_position(0, {0.0, 0.0, 0.1 + draw.uniform(0.03, 0.06)});
        stool.set_velocity(0, draw.vector(0.5), draw.vector(1.0));
        return stool;
    });
}

// How far impulses are from a fixed point of the projections, l = proj(l - u), both by their largest: in velocities of
// that size. Nearer than that no solver comes to the direction of a friction whose slip is all but zero.
struct Residual {
    double relative, absolute;
};
Residual projection_residual(const reference::LocalProblem& problem, const Eigen::VectorXd& impulse) {
    const double velocities =
        (problem.free_velocity.cwiseAbs() + problem.delassus.cwiseAbs() * impulse.cwiseAbs()).maxCoeff();
    const Eigen::VectorXd l = impulse / impulse.cwiseAbs().maxCoeff(),
                          moved = l - (problem.delassus * impulse + problem.free_velocity) / velocities;
    double worst = 0.0;
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        const auto n = 3 * static_cast<Eigen::Index>(k);
        Vector projected = Vector::Zero();
        if (problem.contacts[k].closed) {
            projected[0] = std::max(0.0, moved[n]);
            const double radius = problem.contacts[k].friction * l[n], size = moved.segment<2>(n + 1).norm();
            projected.tail<2>() = (size > radius ? radius / size : 1.0) * moved.segment<2>(n + 1);
        }
        worst = std::max(worst, (l.segment<3>(n) - projected).norm());
    }
    return {worst, worst * velocities};
}

// With friction the four corners of a sliding box share their load in many ways, and each way gives a torque of its
// own: many motions obey the laws. So the laws themselves, with gaps and directions of the twin.
void expect_the_laws_met(const Scheme& scheme) {
    constexpr double step_s = 2e-3;
    double worst = 0.0, worst_force = 0.0;
    int impacts = 0, rests = 0;
    for (int i = 0; i < 31; ++i) {
        SCOPED_TRACE(i);
        Draw draw(1000u + static_cast<unsigned>(i));
        const ContactMechanism box = falling_box(draw, draw.uniform(0.1, 0.5));
        const reference::MechanismModel model = twin_model(box);
        SchemeRun run(scheme.name, box, {box.parameters}, contact_schedule(step_s, 200));
        reference::BodyState begin;
        run.run([&](const auto& now) {
            if (now.status() == Status::prox_stalled) return;
            const reference::BodyState end{now.position(), now.velocity(), now.angular_velocity(),
                                           now.orientation().toRotationMatrix()};
            reference::MechanismState state;
            state.bodies = {end};
            const Eigen::VectorXd v = reference::velocity_vector(state);
            state.bodies = {begin};
            const Eigen::VectorXd v_begin = reference::velocity_vector(state);
            state.bodies = {end};
            // Moreau's rule has the laws at the middle that the step begins for.
            if (!scheme.impacts_apart && now.steps() > 0.0) {
                const Vector turn = 0.5 * step_s * begin.angular_velocity;
                state.bodies[0].position = begin.position + 0.5 * step_s * begin.velocity;
                state.bodies[0].orientation =
                    begin.orientation * Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
            }
            begin = end;
            const Eigen::VectorXd gaps = reference::contact_gaps(model, state);
            const Eigen::MatrixXd w = reference::contact_directions(model, state);
            const auto terms = reference::mechanism_terms(model, state, Eigen::VectorXd(0));
            reference::LocalProblem problem;
            problem.tangents = 2, problem.delassus = w * terms.mass.inverse() * w.transpose();
            Eigen::VectorXd impulse(w.rows()), force(w.rows());
            for (int c = 0; c < 8; ++c) {
                impulse.segment<3>(3 * c) = now.impulse(c), force.segment<3>(3 * c) = now.force(c);
                const auto k = static_cast<std::size_t>(c);
                problem.contacts.push_back({model.contacts[k].friction, gaps[c] <= 1e-9});
            }
            const Eigen::VectorXd u = w * v;
            if (impulse.norm() > 0.0) {
                // u+ + e u-, u- = u+ - G L, which Moreau's rule has at the beginning of the step, before its forces.
                const Eigen::VectorXd free = u - problem.delassus * impulse,
                                      before = scheme.impacts_apart || now.steps() == 0.0 ? free : w * v_begin;
                problem.free_velocity = free;
                for (int c = 0; c < 8; ++c) {
                    const reference::ModelContact& contact = model.contacts[static_cast<std::size_t>(c)];
                    problem.free_velocity[3 * c] += contact.normal_restitution * before[3 * c];
                    problem.free_velocity.segment<2>(3 * c + 1) +=
                        contact.tangential_restitution * before.segment<2>(3 * c + 1);
                }
                worst = std::max(worst, projection_residual(problem, impulse).absolute), ++impacts;
            } else if (force.norm() > 0.0) {
                // Closed are those that were closed when the step began: of the others only those with a force are
                // known.
                for (int c = 0; c < 8; ++c) problem.contacts[static_cast<std::size_t>(c)].closed = force[3 * c] > 0.0;
                problem.free_velocity = u - problem.delassus * force;
                worst_force = std::max(worst_force, projection_residual(problem, force).relative), ++rests;
            }
        });
        EXPECT_EQ(run.status(), Status::ok) << sentence_of(run.reason());
    }
    std::printf(
        "| box with friction    | %-27s | %d impacts, %d steps with forces | laws to %.1e m/s, of forces %.1e |\n",
        scheme.name, impacts, rests, worst, worst_force);
    EXPECT_GT(impacts, 31);
    if (scheme.impacts_apart) EXPECT_GT(rests, 31);
    EXPECT_LE(worst, state_tolerance(step_s));
    EXPECT_LE(worst_force, force_tolerance);
}

TEST(MechanismContactLaws, AreMetByABoxWithFriction) {
    expect_the_laws_met(Scheme::of<NonsmoothGeneralizedAlpha>());
    expect_the_laws_met(Scheme::of<BatheWithJoints>());
    expect_the_laws_met(Scheme::of<MoreauWithJoints>());
    expect_the_laws_met(Scheme::of<HalfExplicitWithJoints>());
    expect_the_laws_met(Scheme::of<NonsmoothEdAlpha>());
}

// Walls that a pin touches both: to leave the one with restitution 1 it would have to enter the other.
TEST_P(MechanismContactTwin, AgreesThatAPinBetweenTwoRestitutionsJams) {
    ContactMechanism pin(sphere_text(1.0, 0.1));
    pin.add_sphere_plane(-1, 0, origin, up, origin, 0.0, {0.0, 1.0, 0.0});
    pin.add_sphere_plane(-1, 0, origin, -up, origin, 0.0, {0.0, 0.0, 0.0});
    pin.set_velocity(0, {0.3, 0.0, -1.0});
    const Schedule schedule = contact_schedule(1e-3, 5);
    SchemeRun run(GetParam().name, pin, {pin.parameters}, schedule);
    run.run();
    EXPECT_EQ(run.status(), Status::prox_stalled) << sentence_of(run.reason());
    EXPECT_TRUE(run.position().allFinite());
    reference::MechanismSettings settings;
    settings.integrator = GetParam().name;
    settings.step_s = schedule.step_s, settings.end_s = schedule.end_s;
    settings.contact = backends::contact_method_of(schedule);
    const reference::MechanismModel model = twin_model(pin);
    EXPECT_EQ(reference::run_reference_mechanism(model, settings).status, "prox_stalled");
}

// A pin in a slot, both walls by one clearance.
TEST_P(MechanismContactTwin, AgreesOnAPinInASlot) {
    expect_the_twin(GetParam(), "pin in a slot", 9, 5e-4, 300, false, [](Draw& draw) {
        ContactMechanism pin(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
            "arm": {"mass_kg": 1.1, "inertia_kg_m2": {"xx": 0.02, "yy": 0.03, "zz": 0.02}, "position_m": [0.2, 0, 0]}},
          "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [-0.2, 0, 0]],
            "axes": [[0, 1, 0], [0, 1, 0]]}}})");
        const Law law{draw.uniform(0.0, 0.2), draw.uniform(0.0, 0.8), draw.uniform(0.0, 0.8)};
        const double play = draw.uniform(0.002, 0.01);
        const Vector across = Vector(0.0, 0.0, 1.0) + draw.vector(0.1), end(0.2, 0.0, 0.0);
        pin.add_sphere_plane(-1, 0, {0.4, 0.0, 0.0}, across, end, 0.0, law, play);
        pin.add_sphere_plane(-1, 0, {0.4, 0.0, 0.0}, -across, end, 0.0, law, play);
        pin.set_velocity(0, origin, {0.0, draw.uniform(-3.0, 3.0), 0.0});
        return pin;
    });
}

// The slider-crank of the paper from its file, with laws and clearance at random.
TEST_P(MechanismContactTwin, AgreesOnTheSliderCrankWithClearance) {
    std::ifstream file(source_dir() / "ensembles/mechanisms/slider_crank_slot.json");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    expect_the_twin(GetParam(), "slider-crank", 3, 2e-5, 300, true, [&](Draw& draw) {
        ContactMechanism crank(text);
        const Law law{draw.uniform(0.0, 0.1), draw.uniform(0.0, 0.8), draw.uniform(0.0, 0.8)};
        for (int c = 0; c < crank.table().contacts; ++c) {
            double* at = &crank.parameters[static_cast<std::size_t>(crank.table().contact[c].law)];
            at[0] = law.friction, at[1] = law.normal_restitution, at[2] = law.tangential_restitution;
        }
        crank.body(2, body_angular_velocity + 2) = draw.uniform(-20.0, 20.0);
        return crank;
    });
}

}  // namespace
}  // namespace myriad::test
