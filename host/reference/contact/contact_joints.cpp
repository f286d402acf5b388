#include "host/reference/contact/contact_joints.hpp"

#include <algorithm>

#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/contact/contact_sweeps.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/joint/driver_jumps.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// A bound on contact_law_violation(): above it a contact problem counts as unsolved. The direction of a slip as small
// as the root of round-off is known to that root only.
constexpr double largest_violation = 3e-8;
// A share of the largest: joints may leave a contact no motion in some direction, where round-off of a velocity would
// ask for any force.
constexpr double immobile_share = 1e-10;

}  // namespace

ContactJoints::ContactJoints(const MechanismModel& model, const ContactMethod& method, const MechanismMotion& start,
                             double step_s)
    : ContactIntegrator(method, {static_cast<int>(model.contacts.size()), rows_per_contact, set_valued_frictions(model),
                                 start.multipliers.size()}),
      model_(model),
      motion_(start),
      equations_(model, start.state),
      state_(equations_.start()) {
    AccelerationSolution first = equations_.accelerations(state_);
    acceleration_ = std::move(first.acceleration), multipliers_ = std::move(first.multipliers);
    renew_motion(contacts_.force);
    begin(step_s);
}

VectorXd ContactJoints::gaps() const { return contact_gaps(model_, motion_.state); }
MatrixXd ContactJoints::directions() const { return contact_directions(model_, motion_.state); }
VectorXd ContactJoints::velocity() const { return velocity_vector(motion_.state); }
VectorXd ContactJoints::contact_acceleration() const {
    return contact_directions(model_, motion_.state) * motion_.acceleration + contact_turning(model_, motion_.state);
}
ContactLaw ContactJoints::law(int contact) const {
    const ModelContact& own = model_.contacts[static_cast<std::size_t>(contact)];
    return {own.friction, own.normal_restitution, own.tangential_restitution};
}
Eigen::Matrix3Xd ContactJoints::ways_apart() const { return contact_ways(model_, motion_.state); }
std::optional<ContactPass> ContactJoints::pass_by(int contact, const Eigen::Vector3d& from,
                                                  const Eigen::Vector3d& to) const {
    return contact_pass(model_.contacts[static_cast<std::size_t>(contact)], from, to);
}
std::optional<double> ContactJoints::size_m(int contact) const {
    const ModelContact& own = model_.contacts[static_cast<std::size_t>(contact)];
    if (own.kind == ModelContactKind::lower_limit || own.kind == ModelContactKind::upper_limit) return std::nullopt;
    return own.size_m;
}
ContactJoints::WorkRate ContactJoints::work_rate() const {
    const MechanismTerms terms = mechanism_terms(model_, motion_.state, motion_.multipliers);
    return {terms.work_rate - terms.driver_work_rate, terms.driver_work_rate};
}
double ContactJoints::size_of(const VectorXd& change) const { return displacement_norm(model_, change); }
void ContactJoints::arrives() { count_angles(model_, motion_.state); }

ContactJoints::Place ContactJoints::place(const JointState& at, const VectorXd& acceleration,
                                          const VectorXd& multipliers) const {
    Place place{equations_.bodies(at, acceleration), {}, {}, {}, {}, {}, {}, set_valued_frictions(model_)};
    place.terms = equations_.terms(place.bodies, multipliers);
    place.rows = equations_.joint_rows(at, place.bodies, place.terms);
    const MatrixXd& J = place.bodies.jacobian;
    place.mass = J.transpose() * place.terms.mass * J;
    place.force = J.transpose() * (place.terms.force - place.terms.mass * place.bodies.acceleration);
    place.of_bodies = contact_directions(model_, place.bodies.state);
    place.of_coordinates = place.of_bodies * J;
    return place;
}
// A friction's coordinate that is prescribed to rest must not seem to move.
VectorXd ContactJoints::Place::contact_velocity() const {
    const VectorXd v = velocity_vector(bodies.state);
    VectorXd u = of_bodies * v;
    u.tail(frictions) = without_noise(of_bodies.bottomRows(frictions), v);
    return u;
}

ContactJoints::Place ContactJoints::place(const JointState& at) const {
    return place(at, VectorXd::Zero(equations_.size()), VectorXd::Zero(equations_.rows()));
}

void ContactJoints::renew_motion(const VectorXd& contact_force, std::optional<double> of_drivers_s) {
    of_drivers_s_ = of_drivers_s.value_or(state_.time_s);
    const JointedBodies bodies = equations_.bodies(state_, acceleration_, of_drivers_s_);
    motion_ =
        equations_.motion(bodies, multipliers_, contact_directions(model_, bodies.state).transpose() * contact_force);
    state_.counted_angles = motion_.state.counted_angles;
}

void ContactJoints::put_bodies(MechanismState there) {
    there.counted_angles = std::move(motion_.state.counted_angles);
    motion_.state = std::move(there);
}

void ContactJoints::require_small_turns(const VectorXd& increment) const {
    if (!(equations_.largest_turn(increment) <= method_.largest_step_rotation_rad))
        throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
}

// Frictions whose gradients are combinations of the rows' gradients are held.
std::vector<bool> ContactJoints::held_frictions(const Directions& at) const {
    const Index frictions = set_valued_frictions(model_);
    MatrixXd gradients = at.contacts.bottomRows(frictions).transpose();
    if (frictions > 0 && at.joints.size() > 0)
        gradients -= at.joints.transpose() * least_norm(at.joints.transpose()).solve(gradients);
    std::vector<bool> held;
    // A coordinate's own gradient has the size 1.
    for (Index i = 0; i < frictions; ++i) held.push_back(gradients.col(i).norm() <= immobile_share);
    return held;
}

bool ContactJoints::renew_dry_forces() {
    largest_dry_forces_.clear();
    for (const ModelFriction& one : model_.frictions)
        if (one.is_set) largest_dry_forces_.push_back(one.dry);
    const auto follows = [](const ModelFriction& one) { return one.is_set && one.by_force > 0.0; };
    if (std::none_of(model_.frictions.begin(), model_.frictions.end(), follows)) return false;
    JointState at = state_;
    if (before_impact_) at.v = rates_of_forces_;
    const JointedBodies bodies = equations_.bodies(at, acceleration_, of_drivers_s_);
    const std::vector<Eigen::Vector3d> forces = equations_.forces_in_joints(
        bodies, multipliers_, contact_directions(model_, bodies.state).transpose() * contacts_.force);
    std::size_t next = 0;
    for (const ModelFriction& one : model_.frictions)
        if (one.is_set)
            largest_dry_forces_[next++] += one.by_force * forces[static_cast<std::size_t>(one.hanging)].norm();
    return true;
}

// Only the closed contacts and the frictions make up the problem.
VectorXd ContactJoints::contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& at_contacts,
                                         const VectorXd& guess, const DryFriction& friction) {
    VectorXd all = VectorXd::Zero(free.size());
    std::vector<Index> rows;
    LocalProblem problem;
    problem.tangents = rows_per_contact - 1;
    const Index rows_of_stage = contacts_.force.size(), rows_of_contacts = of_contacts(free).size();
    const auto contacts = static_cast<Index>(model_.contacts.size());
    for (std::size_t k = 0; k < at_contacts.size(); ++k) {
        if (!at_contacts[k]) continue;
        const auto place = static_cast<Index>(k);
        const Index first = place / contacts * rows_of_stage + place % contacts * rows_per_contact;
        for (Index i = 0; i < rows_per_contact; ++i) rows.push_back(first + i);
        const ModelContact& contact = model_.contacts[k % model_.contacts.size()];
        problem.contacts.push_back({.friction = contact.friction, .tangents = contact.tangents});
    }
    const Index closed_rows = problem.contact_rows();
    for (Index first = 0; friction.over_s > 0.0 && first < free.size(); first += rows_of_stage) {
        Index row = first + rows_of_contacts;
        for (const double largest : largest_dry_forces_)
            rows.push_back(row++), problem.bounds.push_back(friction.over_s * largest);
    }
    if (rows.empty()) return all;
    problem.delassus = delassus(rows, rows), problem.free_velocity = free(rows);
    for (std::size_t i = 0; i < problem.bounds.size(); ++i) {
        if (!friction.held[i]) continue;
        const Index row = closed_rows + static_cast<Index>(i);
        problem.delassus.row(row).setZero(), problem.delassus.col(row).setZero();
    }
    const VectorXd mobility = problem.delassus.diagonal().head(closed_rows).cwiseAbs();
    const double least_velocity =
        closed_rows > 0 ? immobile_share * problem.free_velocity.head(closed_rows).cwiseAbs().maxCoeff() : 0.0;
    for (Index i = 0; i < closed_rows; ++i)
        if (mobility[i] <= immobile_share * mobility.maxCoeff() && std::abs(problem.free_velocity[i]) <= least_velocity)
            problem.free_velocity[i] = 0.0;
    const SweptSolution solution = sweep_contacts(problem, guess(rows));
    record_.problems += 1.0, record_.sweeps += solution.sweeps;
    record_.most_sweeps = std::max(record_.most_sweeps, static_cast<double>(solution.sweeps));
    record_.violation = std::max(record_.violation, solution.violation);
    if (!(solution.violation <= largest_violation))
        throw StepFailure{"prox_stalled", "the laws of contact were not met"};
    all(rows) = solution.impulse;
    return all;
}

void ContactJoints::is_struck() { before_impact_ = motion_.state, rates_of_forces_ = state_.v; }

ContactJoints::Struck ContactJoints::strike(const Closed& at_contacts, double over_s) {
    const Place here = place(state_);
    const VectorXd u = here.contact_velocity();
    const auto rebound = [&](const VectorXd& change) -> VectorXd { return u + restitution(u + change); };
    const Pushed pushed = push(here.mass, here.directions(), here.directions(), over_s * here.force, -here.rows.rate,
                               rebound, at_contacts, VectorXd::Zero(u.size()), 0.0);
    const VectorXd jump = here.bodies.jacobian * pushed.x;
    const double work = work_of_drivers(here, over_s, pushed);
    rates_have_changed_ = rates_have_changed_ || (pushed.x.array() != 0.0).any();
    state_.v += pushed.x;
    const VectorXd joint_impulse =
        equations_.impulses(here.bodies, jump, pushed.multipliers, here.of_bodies.transpose() * pushed.impulse);
    const double loss = work - jump.dot(here.terms.mass * (velocity_vector(here.bodies.state) + 0.5 * jump));
    // The reactions stay those before the impact.
    put_bodies(equations_.bodies(state_, acceleration_).state);
    return {pushed.impulse, joint_impulse, u, u + here.of_coordinates * pushed.x, loss, work};
}

double ContactJoints::work_of_drivers(const Place& here, double over_s, const Pushed& pushed) const {
    const VectorXd jump = here.bodies.jacobian * pushed.x;
    const VectorXd given = here.of_bodies.transpose() * pushed.impulse +
                           over_s * (here.terms.force - here.terms.mass * here.bodies.acceleration);
    const VectorXd impulses = equations_.impulses(here.bodies, jump, pushed.multipliers, given),
                   mean = velocity_vector(here.bodies.state) + 0.5 * jump,
                   rates = mechanism_terms(model_, here.bodies.state, impulses).constraint_jacobian * mean;
    double work = 0.0;
    Index row = 0;
    for (const ModelElement& element : model_.elements) {
        if (element.has_law || element.is_sensor) continue;
        for (std::size_t r = 0; r < static_cast<std::size_t>(element.rows()); ++r) {
            if (!element.active[r]) continue;
            if (element.function >= 0) work -= impulses[row] * rates[row];
            ++row;
        }
    }
    return work;
}

void ContactJoints::departs(double h) {
    before_impact_.reset();
    rates_have_changed_ = false;
    const double end_s = state_.time_s + h;
    const std::optional<FoundJump> jump = keep_branches(model_, state_.time_s, end_s, Bends::none);
    jumps_ = jump.has_value(), jumps_inside_ = jumps_ && jump->lies_before(end_s);
}

std::optional<ContactIntegrator::CrossedJump> ContactJoints::cross_jump() {
    if (!jumps_) return std::nullopt;
    const bool is_first = !contacts_.struck;
    if (!before_impact_) is_struck();
    const JointJump jump = equations_.jump_at(state_);
    state_ = jump.state;
    const Place here = place(state_);
    if (is_first) {
        put_bodies(here.bodies.state);
        set_velocity(motion_.state, jump.bodies_before);
        stand_before_jump(jump.work_of_moving_j, jumps_inside_);
    }
    const Closed at_contacts = closed(contact_gaps(model_, here.bodies.state));
    const VectorXd by_drivers = jump.jacobian_of_drivers * jump.change, u = here.of_bodies * jump.bodies_before;
    const VectorXd added = here.of_bodies * by_drivers + u + restitution(u);
    const Pushed pushed = push(
        here.mass, here.directions(), here.directions(), jump.load, -jump.rates, [&](const VectorXd&) { return added; },
        at_contacts, VectorXd::Zero(u.size()), 0.0);
    state_.v += pushed.x;
    const VectorXd change = jump.jacobian * pushed.x + by_drivers, loads = here.of_bodies.transpose() * pushed.impulse;
    const double work = equations_.work_of(jump, pushed.x, pushed.multipliers, loads),
                 gained = change.dot(jump.mass * (jump.bodies_before + 0.5 * change));
    const bool touches = std::find(at_contacts.begin(), at_contacts.end(), true) != at_contacts.end();
    CrossedJump crossed{{pushed.impulse, equations_.impulses(here.bodies, change, pushed.multipliers, loads), u,
                         u + here.of_bodies * change, touches ? work - jump.work_of_moving_j - gained : 0.0, work},
                        !touches && here.frictions == 0};
    rates_have_changed_ = !crossed.begins_anew;
    if (crossed.begins_anew) {
        AccelerationSolution behind = equations_.accelerations(state_);
        acceleration_ = std::move(behind.acceleration), multipliers_ = std::move(behind.multipliers);
        renew_motion(contacts_.force);
        before_impact_.reset();
    } else {
        put_bodies(equations_.bodies(state_, acceleration_).state);
    }
    return crossed;
}

void ContactJoints::first_acceleration(const Closed& at_contacts, double moment) {
    const Place here = place(state_);
    const VectorXd u = without_noise(here.of_bodies, velocity_vector(here.bodies.state));
    const VectorXd added =
        u / moment + contact_turning(model_, here.bodies.state) + here.of_bodies * here.bodies.acceleration;
    const Pushed pushed = push(
        here.mass, here.directions(), here.directions(), here.force, -here.rows.acceleration_term,
        [&](const VectorXd&) { return added; }, at_contacts, contacts_.force, 1.0);
    acceleration_ = pushed.x, multipliers_ = pushed.multipliers, contacts_.force = pushed.impulse;
    rates_have_changed_ = false;
    renew_motion(contacts_.force);
}

ContactJoints::StageTerms ContactJoints::stage_terms(const Solved& stage, double time_s) const {
    const Place here =
        place(equations_.moved(state_, stage.increment, stage.velocity, time_s), stage.acceleration, stage.multipliers);
    const MatrixXd& J = here.bodies.jacobian;
    const auto in_coordinates = [&](const MatrixXd& of_bodies) -> MatrixXd { return J.transpose() * of_bodies * J; };
    return {.mass = here.mass,
            .damping = -in_coordinates(here.terms.force_by_velocity),
            .stiffness = in_coordinates(here.terms.reaction_by_displacement - here.terms.force_by_displacement),
            .at = here.directions(),
            .residual = here.force - here.rows.gradient.transpose() * stage.multipliers,
            .constraint = here.rows.value,
            .constraint_rate = here.rows.rate,
            .contact_velocity = here.contact_velocity(),
            .seen = J};
}
void ContactJoints::end_at(const Solved& end, double time_s) {
    end_ = equations_.moved(state_, end.increment, end.velocity, time_s);
}
void ContactJoints::put_back() { end_ = equations_.placed_on_rows(end_); }

void ContactJoints::take(const Solved& end) {
    state_ = end_;
    acceleration_ = end.acceleration, multipliers_ = end.multipliers;
    renew_motion(end.force);
}

ContactJoints::Pushed ContactJoints::pushed(const VectorXd& from, double over_s, const JointState& acting,
                                            JointState held, const Closed& at_contacts, const VectorXd& guess) {
    held.v = from;
    const Place here = place(acting), there = place(held);
    const VectorXd u = there.contact_velocity();
    return push(
        here.mass, here.directions(), there.directions(), over_s * here.force, -there.rows.rate,
        [&](const VectorXd&) { return u; }, at_contacts, over_s * guess, over_s);
}

ContactJoints::Solved ContactJoints::half_explicit(double h, double end_s, const Closed& at_begin) {
    const VectorXd v = state_.v;
    require_small_turns(h * v);
    const JointState predicted = equations_.moved(state_, h * v, v, end_s);
    const Pushed first = pushed(v, h, state_, predicted, at_begin, contacts_.force);
    const VectorXd star = v + first.x, mean = 0.5 * (v + star);
    require_small_turns(h * mean);
    end_ = equations_.placed_on_rows(equations_.moved(state_, h * mean, mean, end_s));
    const Pushed second =
        pushed(mean, 0.5 * h, equations_.moved(state_, h * v, star, end_s), end_, at_begin, first.impulse / h);
    end_.v = mean + second.x;
    Solved end;
    end.acceleration = second.x / (0.5 * h), end.multipliers = second.multipliers / (0.5 * h);
    end.force = second.impulse / (0.5 * h);
    return end;
}

void ContactJoints::arrives_on_way() { way_end_ = state_, way_ = equations_.increments(way_begin_, way_end_); }
JointState ContactJoints::on_way(double share) const {
    const double length_s = way_end_.time_s - way_begin_.time_s;
    const VectorXd straight = length_s * way_begin_.v;
    return equations_.moved(way_begin_, share * straight + share * share * (way_ - straight),
                            way_begin_.v + share * (way_end_.v - way_begin_.v), way_begin_.time_s + share * length_s);
}
VectorXd ContactJoints::gaps_on_way(double share) const {
    return contact_gaps(model_, equations_.bodies(on_way(share), acceleration_).state);
}
VectorXd ContactJoints::velocity_of_way_end() const {
    JointState at = way_begin_;
    at.v = way_end_.v;
    return velocity_vector(equations_.bodies(at, acceleration_).state);
}
void ContactJoints::stop_on_way(double share) {
    state_ = on_way(share);
    renew_motion(contacts_.force);
}
void ContactJoints::go_on(double end_s) {
    const double h = end_s - state_.time_s;
    const VectorXd &v = state_.v, &a = acceleration_, way = h * v + 0.5 * h * h * a;
    require_small_turns(way);
    state_ = equations_.on_rows(equations_.moved(state_, way, v + h * a, end_s));
    renew_motion(contacts_.force);
}

ContactJoints::Passed ContactJoints::pass(double end_s) {
    const double h = end_s - state_.time_s;
    const VectorXd v = state_.v;
    const Place middle = place(equations_.moved(state_, 0.5 * h * v, v, end_s - 0.5 * h));
    const VectorXd gaps_there = contact_gaps(model_, middle.bodies.state);
    const Closed at_middle = closed_in_middle(gaps_there);
    const VectorXd u = middle.contact_velocity(), rebound = restitution(u);
    const FreeTurning turning = free_turning(model_, middle.bodies.state, h);
    const MatrixXd& J = middle.bodies.jacobian;
    const Pushed pushed = push(
        middle.mass + J.transpose() * turning.by_change * J, middle.directions(), middle.directions(),
        h * middle.force + J.transpose() * turning.impulse, -middle.rows.rate,
        [&](const VectorXd&) -> VectorXd { return u + rebound; }, at_middle, h* contacts_.force, h);
    const VectorXd mean = v + 0.5 * pushed.x;
    const double work = work_of_drivers(middle, h, pushed);
    require_small_turns(h * mean);
    const JointState behind = equations_.moved(state_, 0.5 * h * v, v + pushed.x, end_s - 0.5 * h);
    middle_[0] = motion_, middle_[0].state = middle.bodies.state;
    state_ = equations_.placed_on_rows(equations_.moved(state_, h * mean, v + pushed.x, end_s));
    acceleration_ = pushed.x / h, multipliers_ = pushed.multipliers / h;
    renew_motion(pushed.impulse / h, end_s - 0.5 * h);
    middle_[1] = motion_, middle_[1].state = equations_.bodies(behind, acceleration_).state;
    return {at_middle,
            gaps_there,
            u,
            u + 0.5 * middle.of_coordinates * pushed.x,
            pushed.impulse,
            h * motion_.multipliers,
            contact_ways(model_, middle.bodies.state),
            work};
}

}  // namespace myriad::reference
