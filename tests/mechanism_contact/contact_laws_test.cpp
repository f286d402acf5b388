// Laws of contact where many motions obey them, by gaps and directions of the twin on the reference path, which
// differentiates gaps automatically; and walls between which a pin jams.
#include <algorithm>
#include <random>

#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/nonsmooth_contact.hpp"
#include "tests/mechanism_contact/contact_run.hpp"
#include "tests/mechanism_contact/twin_model.hpp"

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
class MechanismContactLaws : public testing::TestWithParam<Scheme> {};
template <class... Member>
std::vector<Scheme> schemes_of(IntegratorList<Timestepping<Member>...>) {
    return {Scheme::of<Member>()...};
}
INSTANTIATE_TEST_SUITE_P(Schemes, MechanismContactLaws, testing::ValuesIn(schemes_of(MechanismContactIntegrators{})),
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
TEST_P(MechanismContactLaws, AreMetByABoxWithFriction) {
    const Scheme& scheme = GetParam();
    constexpr double step_s = 2e-3;
    double worst = 0.0, worst_force = 0.0;
    int impacts = 0, rests = 0;
    constexpr std::size_t boxes = 31;
    std::vector<std::vector<double>> parameters;
    std::vector<reference::MechanismModel> models;
    for (std::size_t i = 0; i < boxes; ++i) {
        Draw draw(1000u + static_cast<unsigned>(i));
        const ContactMechanism box = falling_box(draw, draw.uniform(0.1, 0.5));
        parameters.push_back(box.parameters), models.push_back(twin_model(box));
    }
    Draw any(0);
    std::vector<reference::BodyState> begins(boxes);
    ContactRun run(scheme.name, falling_box(any, 0.0), contact_schedule(step_s, 200), parameters);
    run.run([&](const ContactRun& now) {
        for (std::size_t i = 0; i < boxes; ++i) {
            if (now.status(i) == Status::prox_stalled) continue;
            const reference::MechanismModel& model = models[i];
            reference::BodyState& begin = begins[i];
            const bool has_stepped = now.progress(i).steps > 0.0;
            const ContactRun::Memory memory = now.memory(i);
            const reference::BodyState end{now.position(0, i), now.velocity(0, i), now.angular_velocity(0, i),
                                           now.orientation(0, i).toRotationMatrix()};
            reference::MechanismState state;
            state.bodies = {end};
            const Eigen::VectorXd v = reference::velocity_vector(state);
            state.bodies = {begin};
            const Eigen::VectorXd v_begin = reference::velocity_vector(state);
            state.bodies = {end};
            // Moreau's rule has the laws at the middle that the step begins for.
            if (!scheme.impacts_apart && has_stepped) {
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
                impulse.segment<3>(3 * c) = load_of(memory.impulse, c);
                force.segment<3>(3 * c) = load_of(memory.force, c);
                const auto k = static_cast<std::size_t>(c);
                problem.contacts.push_back({model.contacts[k].friction, gaps[c] <= 1e-9});
            }
            const Eigen::VectorXd u = w * v;
            if (impulse.norm() > 0.0) {
                // u+ + e u-, u- = u+ - G L, which Moreau's rule has at the beginning of the step, before its forces.
                const Eigen::VectorXd free = u - problem.delassus * impulse,
                                      before = scheme.impacts_apart || !has_stepped ? free : w * v_begin;
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
        }
    });
    for (std::size_t i = 0; i < boxes; ++i) EXPECT_EQ(run.status(i), Status::ok) << sentence_of(run.reason(i));
    std::printf(
        "| box with friction    | %-27s | %d impacts, %d steps with forces | laws to %.1e m/s, of forces %.1e |\n",
        scheme.name, impacts, rests, worst, worst_force);
    EXPECT_GT(impacts, 31);
    if (scheme.impacts_apart) EXPECT_GT(rests, 31);
    EXPECT_LE(worst, state_tolerance(step_s));
    EXPECT_LE(worst_force, force_tolerance);
}

// Walls that a pin touches both: to leave the one with restitution 1 it would have to enter the other.
TEST_P(MechanismContactLaws, JamAPinBetweenTwoRestitutionsOnBothPaths) {
    ContactMechanism pin(sphere_text(1.0, 0.1));
    pin.add_sphere_plane(-1, 0, origin, up, origin, 0.0, {0.0, 1.0, 0.0});
    pin.add_sphere_plane(-1, 0, origin, -up, origin, 0.0, {0.0, 0.0, 0.0});
    pin.set_velocity(0, {0.3, 0.0, -1.0});
    const Schedule schedule = contact_schedule(1e-3, 5);
    ContactRun run(GetParam().name, pin, schedule);
    run.run();
    EXPECT_EQ(run.status(), Status::prox_stalled) << sentence_of(run.reason());
    EXPECT_TRUE(run.position().allFinite());
    reference::MechanismSettings settings;
    settings.integrator = GetParam().name, settings.joint_coordinates = true;
    settings.step_s = schedule.step_s, settings.end_s = schedule.end_s;
    settings.contact = backends::contact_method_of(schedule);
    const reference::MechanismModel model = twin_model(pin);
    EXPECT_EQ(reference::run_reference_mechanism(model, settings).status, "prox_stalled");
}

}  // namespace
}  // namespace myriad::test
