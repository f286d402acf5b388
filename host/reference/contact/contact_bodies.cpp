#include "host/reference/contact/contact_bodies.hpp"

#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/contact/contact_start.hpp"
#include "host/reference/contact/contact_sweeps.hpp"
#include "host/reference/formulation/formulation.hpp"
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

MechanismState moved(const MechanismState& from, const VectorXd& x, const VectorXd& v, double time_s) {
    MechanismState state = from;
    displace(state, x);
    set_velocity(state, v);
    state.time_s = time_s;
    return state;
}

}  // namespace

ContactBodies::ContactBodies(const MechanismModel& model, const ContactMethod& method, const MechanismMotion& start,
                             double step_s)
    : ContactBodies(model, method, start) {
    begin(step_s);
}

ContactBodies::ContactBodies(const MechanismModel& model, const ContactMethod& method, const MechanismMotion& start)
    : ContactIntegrator(method, {static_cast<int>(model.contacts.size()), rows_per_contact, set_valued_frictions(model),
                                 start.multipliers.size()}),
      model_(model),
      motion_(start) {}

VectorXd ContactBodies::gaps() const { return contact_gaps(model_, motion_.state); }
MatrixXd ContactBodies::directions() const { return contact_directions(model_, motion_.state); }
VectorXd ContactBodies::velocity() const { return velocity_vector(motion_.state); }
VectorXd ContactBodies::contact_acceleration() const {
    return contact_directions(model_, motion_.state) * motion_.acceleration + contact_turning(model_, motion_.state);
}
ContactLaw ContactBodies::law(int contact) const {
    const ModelContact& own = model_.contacts[static_cast<std::size_t>(contact)];
    return {own.friction, own.normal_restitution, own.tangential_restitution};
}
Eigen::Matrix3Xd ContactBodies::ways_apart() const { return contact_ways(model_, motion_.state); }
std::optional<ContactPass> ContactBodies::pass_by(int contact, const Eigen::Vector3d& from,
                                                  const Eigen::Vector3d& to) const {
    return contact_pass(model_.contacts[static_cast<std::size_t>(contact)], from, to);
}
std::optional<double> ContactBodies::size_m(int contact) const {
    const ModelContact& own = model_.contacts[static_cast<std::size_t>(contact)];
    if (own.kind == ModelContactKind::lower_limit || own.kind == ModelContactKind::upper_limit) return std::nullopt;
    return own.size_m;
}
ContactBodies::WorkRate ContactBodies::work_rate() const {
    const MechanismTerms terms = mechanism_terms(model_, motion_.state, motion_.multipliers);
    return {terms.work_rate - terms.driver_work_rate, terms.driver_work_rate};
}
double ContactBodies::work_of_drivers(const MechanismState& at, const VectorXd& impulses, const VectorXd& mean) const {
    const VectorXd rates = mechanism_terms(model_, at, impulses).constraint_jacobian * mean;
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
double ContactBodies::size_of(const VectorXd& change) const { return displacement_norm(model_, change); }
void ContactBodies::arrives() { count_angles(model_, motion_.state); }

// The gradients of these coordinates are combinations of the joints'.
std::vector<bool> ContactBodies::held_frictions(const Directions& at) const {
    const Index frictions = set_valued_frictions(model_);
    MatrixXd gradients = at.contacts.bottomRows(frictions).transpose();
    if (frictions > 0 && at.joints.size() > 0)
        gradients -= at.joints.transpose() * least_norm(at.joints.transpose()).solve(gradients);
    std::vector<bool> held;
    // A coordinate's own gradient has the size 1.
    for (Index i = 0; i < frictions; ++i) held.push_back(gradients.col(i).norm() <= immobile_share);
    return held;
}

bool ContactBodies::renew_dry_forces() {
    largest_dry_forces_.clear();
    for (const ModelFriction& one : model_.frictions)
        if (one.is_set) largest_dry_forces_.push_back(one.dry);
    return false;
}

// Only the closed contacts and the frictions make up the problem.
VectorXd ContactBodies::contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& at_contacts,
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

ContactBodies::StageTerms ContactBodies::stage_terms(const Solved& stage, double time_s) const {
    const MechanismState state = moved(motion_.state, stage.increment, stage.velocity, time_s);
    const MechanismTerms terms = mechanism_terms(model_, state, stage.multipliers);
    const MatrixXd w = contact_directions(model_, state);
    const MatrixXd& joints = terms.constraint_jacobian;
    return {.mass = terms.mass,
            .damping = -terms.force_by_velocity,
            .stiffness = terms.reaction_by_displacement - terms.force_by_displacement,
            .at = {joints, w},
            .residual = terms.force - terms.mass * stage.acceleration - joints.transpose() * stage.multipliers,
            .constraint = terms.constraint,
            .constraint_rate = terms.constraint_rate,
            .contact_velocity = w * stage.velocity,
            .seen = MatrixXd::Identity(stage.velocity.size(), stage.velocity.size())};
}
void ContactBodies::end_at(const Solved& end, double time_s) {
    end_ = moved(motion_.state, end.increment, end.velocity, time_s);
}
void ContactBodies::put_back() { put_on_joints(model_, end_); }
void ContactBodies::take(const Solved& end) { motion_ = {end_, end.acceleration, end.multipliers}; }

ContactBodies::Struck ContactBodies::strike(const Closed& at_contacts, double over_s) {
    const VectorXd before = velocity_vector(motion_.state);
    const MechanismTerms terms = mechanism_terms(model_, motion_.state, motion_.multipliers);
    const MatrixXd w = contact_directions(model_, motion_.state);
    const VectorXd u = w * before;
    // The velocities before lose their rest B v + phi_t first.
    const auto rebound = [&](const VectorXd& change) -> VectorXd { return u + restitution(u + change); };
    const Directions at_pose{terms.constraint_jacobian, w};
    const Pushed pushed = push(terms.mass, at_pose, at_pose, over_s * terms.force, -terms.constraint_rate, rebound,
                               at_contacts, VectorXd::Zero(w.rows()), 0.0);
    const VectorXd after = before + pushed.x, mean = before + 0.5 * pushed.x;
    const double work = work_of_drivers(motion_.state, pushed.multipliers, mean);
    set_velocity(motion_.state, after);
    return {pushed.impulse, pushed.multipliers, u, w * after, work - pushed.x.dot(terms.mass * mean), work};
}

void ContactBodies::first_acceleration(const Closed& at_contacts, double moment) {
    const MechanismTerms terms = mechanism_terms(model_, motion_.state, motion_.multipliers);
    const MatrixXd w = contact_directions(model_, motion_.state);
    const VectorXd u = without_noise(w, velocity_vector(motion_.state));
    const VectorXd added = u / moment + contact_turning(model_, motion_.state);
    const Directions at_pose{terms.constraint_jacobian, w};
    const Pushed pushed = push(
        terms.mass, at_pose, at_pose, terms.force, -terms.acceleration_term, [&](const VectorXd&) { return added; },
        at_contacts, contacts_.force, 1.0);
    motion_.acceleration = pushed.x, motion_.multipliers = pushed.multipliers;
    contacts_.force = pushed.impulse;
}

void ContactBodies::require_small_turns(const VectorXd& increment) const {
    for (Index r = 3; r < increment.size(); r += 6)
        if (!(increment.segment<3>(r).norm() <= method_.largest_step_rotation_rad))
            throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
}

ContactBodies::Solved ContactBodies::half_explicit(double h, double end_s, const Closed& at_begin) {
    const auto at = [&](const MechanismTerms& terms, const MechanismState& state) -> Directions {
        return {terms.constraint_jacobian, contact_directions(model_, state)};
    };
    // Integrates v over a time, with the forces of one state and the velocities held at another.
    const auto pushed = [&](const VectorXd& v, double over_s, const MechanismState& acting, const MechanismState& held,
                            const VectorXd& guess) {
        const MechanismTerms terms = mechanism_terms(model_, acting, motion_.multipliers),
                             there = mechanism_terms(model_, held, motion_.multipliers);
        return push(
            terms.mass, at(terms, acting), at(there, held), terms.mass * v + over_s * terms.force,
            -there.constraint_phi_t, [&](const VectorXd& u) -> VectorXd { return VectorXd::Zero(u.size()); }, at_begin,
            over_s* guess, over_s);
    };
    const VectorXd v = velocity_vector(motion_.state);
    require_small_turns(h * v);
    const Pushed first = pushed(v, h, motion_.state, moved(motion_.state, h * v, v, end_s), contacts_.force);
    const VectorXd mean = 0.5 * (v + first.x);
    require_small_turns(h * mean);
    end_ = moved(motion_.state, h * mean, mean, end_s);
    put_on_joints(model_, end_);
    const Pushed second = pushed(mean, 0.5 * h, moved(motion_.state, h * v, first.x, end_s), end_, first.impulse / h);
    set_velocity(end_, second.x);
    Solved end;
    end.acceleration = (second.x - mean) / (0.5 * h), end.multipliers = second.multipliers / (0.5 * h);
    end.force = second.impulse / (0.5 * h);
    return end;
}

ContactBodies::Passed ContactBodies::pass(double end_s) {
    const double h = end_s - motion_.state.time_s;
    const VectorXd v = velocity_vector(motion_.state);
    const MechanismState middle = moved(motion_.state, 0.5 * h * v, v, end_s - 0.5 * h);
    const MechanismTerms terms = mechanism_terms(model_, middle, motion_.multipliers);
    const FreeTurning turning = free_turning(model_, middle, h);
    const MatrixXd w = contact_directions(model_, middle), mass = terms.mass + turning.by_change;
    const VectorXd gaps_there = contact_gaps(model_, middle);
    const Closed at_middle = closed(gaps_there);
    const VectorXd rebound = restitution(w * v);
    const Directions at_pose{terms.constraint_jacobian, w};
    const Pushed pushed = push(
        mass, at_pose, at_pose, mass * v + h * terms.force + turning.impulse, -terms.constraint_phi_t,
        [&](const VectorXd&) { return rebound; }, at_middle, h * contacts_.force, h);
    const VectorXd mean = 0.5 * (v + pushed.x), u = w * mean;
    const double work = work_of_drivers(middle, pushed.multipliers, mean);
    require_small_turns(h * mean);
    middle_[0] = motion_, middle_[0].state = middle;
    motion_.state = moved(motion_.state, h * mean, pushed.x, end_s);
    put_on_joints(model_, motion_.state);
    motion_.acceleration = (pushed.x - v) / h, motion_.multipliers = pushed.multipliers / h;
    middle_[1] = motion_, middle_[1].state = middle;
    set_velocity(middle_[1].state, pushed.x);
    return {at_middle, gaps_there, w * v, u, pushed.impulse, pushed.multipliers, contact_ways(model_, middle), work};
}

}  // namespace myriad::reference
