#include "host/reference/energy_momentum/convective_mechanism.hpp"

#include "host/reference/energy_momentum/convective_step.hpp"
#include "host/reference/energy_momentum/discrete_rows.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::Vector3d, Eigen::VectorXd;

namespace {

struct Body {
    BodyEnd start, end;
    NumberVector turn = NumberVector::Zero();  // 2 R b, rad, world: (R+ - R) s is its cross product with mean(s)
    NumberVector force = NumberVector::Zero(), torque = NumberVector::Zero();  // world, N; about the centre, N m

    // The mean of both ends of a vector s in body axes, in the world.
    NumberVector mean(const NumberVector& s) const { return (start.turned(s) + end.turned(s)) * Number(0.5); }
    NumberVector mean(const Vector3d& s) const { return mean(NumberVector(s.cast<Number>())); }
};

// The equations of one step at given unknowns.
class Equations {
  public:
    Equations(const MechanismModel& model, const MechanismState& state, double end_s)
        : model_(model), state_(state), start_s_(state.time_s), end_s_(end_s), h_(end_s - state.time_s) {}

    Numbers residual(const Numbers& unknowns) {
        const std::size_t count = model_.bodies.size();
        place(unknowns);
        Index next = 6 * static_cast<Index>(count);
        Numbers result(unknowns.size());
        work_ = 0.0;
        for (const ModelElement& element : model_.elements) {
            if (element.is_sensor) continue;
            Body &i = body(element.body[0]), &j = body(element.body[1]);
            const EndPair start{i.start, j.start}, end{i.end, j.end};
            const DiscreteRows rows(model_, element, start, end, start_s_, end_s_, counted(element));
            std::vector<Number> lambda(rows.phi().size());
            if (element.has_law) lambda = rows.law();
            for (std::size_t r = 0; r < lambda.size(); ++r)
                if (!element.has_law && element.active[r]) {
                    lambda[r] = unknowns[next];
                    result[next++] = rows.phi_end()[r] * Number(1.0 / (h_ * h_));
                }
            work_ += rows.work(lambda);
            react(element, rows, i, j, lambda);
        }
        for (const ModelLoad& load : model_.loads) act(load);
        for (std::size_t b = 0; b < count; ++b) {
            const Index x = 6 * static_cast<Index>(b);
            const BodyState& before = state_.bodies[b];
            const ModelBody& given = model_.bodies[b];
            const NumberVector v_end = unknowns_velocity(b, unknowns);
            const ConvectiveTurn turn = convective_turn(before.orientation, before.angular_velocity,
                                                        given.inertia_kg_m2, h_, unknowns.segment<3>(x + 3));
            result.segment<3>(x) = (v_end - before.velocity.cast<Number>()) * Number(given.mass_kg / h_) -
                                   Vector3d(given.mass_kg * model_.gravity_m_s2).cast<Number>() - bodies_[b].force;
            result.segment<3>(x + 3) = turn.torque - bodies_[b].torque;
        }
        return result;
    }
    double work() const { return work_; }

  private:
    Body& body(int index) {
        if (index >= 0) return bodies_[static_cast<std::size_t>(index)];
        ground_ = {};
        return ground_;
    }
    NumberVector unknowns_velocity(std::size_t b, const Numbers& unknowns) const {
        const BodyState& before = state_.bodies[b];
        const NumberVector x_end = unknowns.segment<3>(6 * static_cast<Index>(b));
        return (x_end - before.position.cast<Number>()) * Number(2.0 / h_) - before.velocity.cast<Number>();
    }

    // Sets both ends and the turns of all bodies for these unknowns.
    void place(const Numbers& unknowns) {
        bodies_.assign(model_.bodies.size(), {});
        Index x = 0;
        for (std::size_t n = 0; n < bodies_.size(); ++n) {
            const BodyState& before = state_.bodies[n];
            const NumberVector b = unknowns.segment<3>(x + 3);
            const NumberMatrix R = before.orientation.cast<Number>();
            bodies_[n].start = {before.position.cast<Number>(), R};
            bodies_[n].end = {unknowns.segment<3>(x), R * cayley<Number>(b)};
            bodies_[n].turn = R * b * Number(2.0);
            x += 6;
        }
    }

    // The angle of an element over full turns at the start of the step, rad; 0 for one without.
    double counted(const ModelElement& element) const {
        const auto e = static_cast<std::size_t>(&element - model_.elements.data());
        return e < state_.counted_angles.size() ? state_.counted_angles[e] : 0.0;
    }

    // Adds the forces of an element's rows, for multipliers `lambda` (N or N m), to its bodies i and j.
    static void react(const ModelElement& element, const DiscreteRows& rows, Body& i, Body& j,
                      const std::vector<Number>& lambda) {
        if (rows.turns() || element.kind == RowKind::rotation_vector) {
            const NumberVector torque =
                rows.turns() ? NumberVector(j.mean(element.other).cross(i.mean(rows.first())) * lambda[0])
                             : rows.rotation_vector_torque(lambda, j.turn - i.turn);
            j.torque -= torque;
            i.torque += torque;
            return;
        }
        NumberVector f;
        if (element.kind == RowKind::point)
            f << lambda[0], lambda[1], lambda[2];
        else
            f = rows.direction() * lambda[0];
        j.force -= f;
        i.force += f;
        j.torque -= j.mean(element.point[1]).cross(f);
        i.torque += i.mean(element.point[0]).cross(f);
        if (element.kind == RowKind::dot_2) i.torque -= i.mean(element.first).cross(rows.mean_gap()) * lambda[0];
    }

    // Adds a load at mid-time to its body, and its work in the step, J, to work_.
    void act(const ModelLoad& load) {
        Body& on = body(load.body);
        Vector3d given = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            const int function = load.function[static_cast<std::size_t>(k)];
            if (function >= 0)
                given[k] = model_.functions[static_cast<std::size_t>(function)](0.5 * (start_s_ + end_s_));
        }
        NumberVector value = given.cast<Number>();
        if (load.kind == ModelLoadKind::force_body || load.kind == ModelLoadKind::torque_body) value = on.mean(given);
        if (load.kind == ModelLoadKind::force_world || load.kind == ModelLoadKind::force_body) {
            on.force += value;
            on.torque += on.mean(load.point).cross(value);
            work_ += plain_value(value.dot(on.end.point(load.point) - on.start.point(load.point)));
        } else {
            on.torque += value;
            work_ += plain_value(value.dot(on.turn));
        }
    }

    const MechanismModel& model_;
    const MechanismState& state_;
    double start_s_, end_s_, h_, work_ = 0.0;
    std::vector<Body> bodies_;
    Body ground_;
};

}  // namespace

ConvectiveMechanism::ConvectiveMechanism(const MechanismModel& model, const MechanismMotion& start,
                                         int most_newton_iterations)
    : model_(model), motion_(start), most_newton_iterations_(most_newton_iterations) {}

void ConvectiveMechanism::step(double end_s) {
    const MechanismState& before = motion_.state;
    const double h = end_s - before.time_s;
    const Index bodies = static_cast<Index>(before.bodies.size()), rows = motion_.multipliers.size();
    VectorXd start(6 * bodies + rows);
    for (Index b = 0; b < bodies; ++b) {
        const BodyState& body = before.bodies[static_cast<std::size_t>(b)];
        start.segment<6>(6 * b) << body.position + h * body.velocity, 0.5 * h * body.angular_velocity;
    }
    start.tail(rows) = motion_.multipliers;

    Equations equations(model_, before, end_s);
    const NewtonSolution solution =
        solved_by_newton([&](const Numbers& unknowns) { return equations.residual(unknowns); }, start,
                         [&](const VectorXd& correction) {
                             VectorXd displacement = correction.head(6 * bodies);
                             for (Index r = 3; r < displacement.size(); r += 6) displacement.segment<3>(r) *= 2.0;
                             return displacement_norm(model_, displacement);
                         },
                         most_newton_iterations_);

    equations.residual(constants(solution.unknowns));
    work_ += equations.work();
    iterations_ = solution.iterations;
    MechanismMotion after = motion_;
    after.state.time_s = end_s;
    for (Index b = 0; b < bodies; ++b) {
        BodyState& body = after.state.bodies[static_cast<std::size_t>(b)];
        const BodyState& old = before.bodies[static_cast<std::size_t>(b)];
        const Vector3d axis = solution.unknowns.segment<3>(6 * b + 3);
        body.position = solution.unknowns.segment<3>(6 * b);
        body.velocity = 2.0 / h * (body.position - old.position) - old.velocity;
        body.orientation = orthonormalized(old.orientation * cayley<double>(axis));
        body.angular_velocity = 4.0 / h * axis - old.angular_velocity;
    }
    after.acceleration = (velocity_vector(after.state) - velocity_vector(before)) / h;
    after.multipliers = solution.unknowns.tail(rows);
    count_angles(model_, after.state);
    motion_ = std::move(after);
}

}  // namespace myriad::reference
