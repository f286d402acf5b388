#include "host/reference/contact/contact_integrator.hpp"

#include <algorithm>

#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/contact/contact_start.hpp"
#include "host/reference/contact/contact_sweeps.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/mathematics/decomposition.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

namespace {

// A share of the step: it only tells a slip of now from one that begins.
constexpr double first_moment = 0x1p-20;
// A bound on contact_law_violation(): above it a contact problem counts as unsolved. The direction of a slip as small
// as the root of round-off is known to that root only.
constexpr double largest_violation = 3e-8;
// A share of the largest: joints may leave a contact no motion in some direction, where round-off of a velocity would
// ask for any force.
constexpr double immobile_share = 1e-10;

bool any(const std::vector<bool>& closed) { return std::find(closed.begin(), closed.end(), true) != closed.end(); }

double largest_normal(const VectorXd& of_contacts) {
    double largest = 0.0;
    for (Index n = 0; n < of_contacts.size(); n += rows_per_contact) largest = std::max(largest, of_contacts[n]);
    return largest;
}

}  // namespace

MechanismState moved(const MechanismState& from, const VectorXd& x, const VectorXd& v, double time_s) {
    MechanismState state = from;
    displace(state, x);
    set_velocity(state, v);
    state.time_s = time_s;
    return state;
}

std::vector<std::string> contact_methods() {
    return {"nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha", "moreau_midpoint", "half_explicit"};
}

bool is_contact_method(const std::string& name) {
    const std::vector<std::string> names = contact_methods();
    return std::find(names.begin(), names.end(), name) != names.end();
}

ContactIntegrator::ContactIntegrator(const MechanismModel& model, const ContactMethod& method,
                                     const MechanismMotion& start, double step_s)
    : ContactIntegrator(model, method, start) {
    begin(step_s);
}

ContactIntegrator::ContactIntegrator(const MechanismModel& model, const ContactMethod& method,
                                     const MechanismMotion& start)
    : model_(model), method_(method), motion_(start) {
    if (!is_contact_method(method.name))
        throw UserError(ExitCode::usage_or_input, "integrator " + method.name, "there is no such method with contact",
                        "nonsmooth_generalized_alpha is one");
    const Index rows = rows_per_contact * static_cast<Index>(model.contacts.size()) + set_valued_frictions(model);
    contacts_.force = contacts_.impulse = VectorXd::Zero(rows);
    contacts_.joint_impulse = VectorXd::Zero(start.multipliers.size());
}

void ContactIntegrator::begin(double step_s) {
    contacts_.gap = contact_gaps(model_, motion_.state);
    const Closed at_start = closed(motion_.state);
    if (any(at_start)) {
        record_.first_contact_s = 0.0;
        if (!is_admissible(at_start)) impact(at_start);
    }
    if (any(at_start) || set_valued_frictions(model_) > 0) first_acceleration(at_start, first_moment * step_s);
    algorithmic_ = accelerations();
    const MatrixXd w = contact_directions(model_, motion_.state);
    contacts_.velocity = w * velocity_vector(motion_.state);
    const FrictionWork power = friction_work(contacts_.force, contacts_.velocity);
    friction_power_w_ = power.lost, wear_power_w_ = power.worn;
    work_rate_w_ = work_rate();
}

double ContactIntegrator::work_rate() const {
    return mechanism_terms(model_, motion_.state, motion_.multipliers).work_rate;
}

ContactIntegrator::Closed ContactIntegrator::closed(const MechanismState& state) const {
    Closed result;
    for (const double gap : contact_gaps(model_, state)) result.push_back(gap <= method_.gap_tolerance_m);
    return result;
}

bool ContactIntegrator::is_admissible(const Closed& at_contacts) const {
    const VectorXd u = without_noise(contact_directions(model_, motion_.state), velocity_vector(motion_.state));
    for (std::size_t k = 0; k < at_contacts.size(); ++k)
        if (at_contacts[k] && u[rows_per_contact * static_cast<Index>(k)] < 0.0) return false;
    return true;
}

VectorXd ContactIntegrator::of_contacts(const VectorXd& rows) const {
    return rows.head(rows_per_contact * static_cast<Index>(model_.contacts.size()));
}

ContactIntegrator::FrictionWork ContactIntegrator::friction_work(const VectorXd& rows, const VectorXd& u) const {
    FrictionWork work;
    const Index contacts = of_contacts(rows).size(), frictions = rows.size() - contacts;
    for (Index n = 0; n < contacts; n += rows_per_contact) {
        const double own = -rows.segment<2>(n + 1).dot(u.segment<2>(n + 1));
        work.lost += own, work.worn += std::abs(own);
    }
    work.lost -= rows.tail(frictions).dot(u.tail(frictions));
    return work;
}

VectorXd ContactIntegrator::restitution(const VectorXd& u) const {
    VectorXd added = VectorXd::Zero(u.size());
    Index n = 0;
    for (const ModelContact& contact : model_.contacts) {
        added[n] = contact.normal_restitution * u[n];
        added.segment<2>(n + 1) = contact.tangential_restitution * u.segment<2>(n + 1);
        n += rows_per_contact;
    }
    return added;
}

// The gradients of these coordinates are combinations of the joints'.
std::vector<bool> ContactIntegrator::held_frictions(const Directions& at) const {
    const Index frictions = set_valued_frictions(model_);
    MatrixXd gradients = at.contacts.bottomRows(frictions).transpose();
    if (frictions > 0 && at.joints.size() > 0)
        gradients -= at.joints.transpose() * least_norm(at.joints.transpose()).solve(gradients);
    std::vector<bool> held;
    // A coordinate's own gradient has the size 1.
    for (Index i = 0; i < frictions; ++i) held.push_back(gradients.col(i).norm() <= immobile_share);
    return held;
}

// Only the closed contacts and the frictions make up the problem.
VectorXd ContactIntegrator::contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& at_contacts,
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
        for (const ModelFriction& one : model_.frictions)
            if (one.is_set) rows.push_back(row++), problem.bounds.push_back(friction.over_s * one.dry);
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

ContactIntegrator::Pushed ContactIntegrator::push(const MatrixXd& mass, const Directions& acting,
                                                  const Directions& held, const VectorXd& top, const VectorXd& bottom,
                                                  const Added& added, const Closed& at_contacts, const VectorXd& guess,
                                                  double friction_over_s) {
    const Index n = mass.rows(), m = acting.joints.rows(), rows = acting.contacts.rows();
    MatrixXd matrix = MatrixXd::Zero(n + m, n + m), right = MatrixXd::Zero(n + m, 1 + rows);
    matrix.topLeftCorner(n, n) = mass;
    matrix.topRightCorner(n, m) = acting.joints.transpose();
    matrix.bottomLeftCorner(m, n) = held.joints;
    right.col(0) << top, bottom;
    right.topRightCorner(n, rows) = acting.contacts.transpose();
    MatrixXd solution = right;
    if (matrix.size() > 0) {
        const Decomposition<double> decomposition = least_norm(matrix);
        solution = decomposition.solve(right);
        solution += decomposition.solve(right - matrix * solution);
    }
    if (!solution.allFinite()) throw StepFailure{"not_finite", "the velocities after a contact are not finite"};
    const MatrixXd response = solution.topRightCorner(n, rows);
    Pushed pushed;
    const VectorXd u = held.contacts * solution.col(0).head(n);
    pushed.impulse = contact_impulses(held.contacts * response, u + added(u), at_contacts, guess,
                                      {friction_over_s, held_frictions(held)});
    const VectorXd whole = solution.col(0) + solution.rightCols(rows) * pushed.impulse;
    pushed.x = whole.head(n), pushed.multipliers = whole.tail(m);
    return pushed;
}

void ContactIntegrator::impact(const Closed& at_contacts) {
    const Struck struck = strike(at_contacts);
    contacts_.impulse = struck.impulse, contacts_.joint_impulse = struck.joint_impulse;
    record_.impact_loss_j += struck.loss_j;
    record_.wear_work_j += friction_work(struck.impulse, 0.5 * (struck.before + struck.after)).worn;
    count_impact(largest_normal(of_contacts(struck.impulse)));
}

ContactIntegrator::Struck ContactIntegrator::strike(const Closed& at_contacts) {
    const VectorXd before = velocity_vector(motion_.state);
    const MechanismTerms terms = mechanism_terms(model_, motion_.state, motion_.multipliers);
    const MatrixXd w = contact_directions(model_, motion_.state);
    const VectorXd u = w * before;
    // The velocities before lose their rest B v + phi_t first.
    const auto rebound = [&](const VectorXd& change) -> VectorXd { return u + restitution(u + change); };
    const Directions at_pose{terms.constraint_jacobian, w};
    const Pushed pushed = push(terms.mass, at_pose, at_pose, VectorXd::Zero(before.size()), -terms.constraint_rate,
                               rebound, at_contacts, VectorXd::Zero(w.rows()), 0.0);
    const VectorXd after = before + pushed.x;
    set_velocity(motion_.state, after);
    return {pushed.impulse, pushed.multipliers, u, w * after, -pushed.x.dot(terms.mass * (before + 0.5 * pushed.x))};
}

void ContactIntegrator::take(const Solved& end) { motion_ = {end.state, end.acceleration, end.multipliers}; }

void ContactIntegrator::count_impact(double impulse_N_s) {
    record_.largest_impulse_N_s = std::max(record_.largest_impulse_N_s, impulse_N_s);
    if (impulse_N_s > method_.impact_threshold_N_s) record_.impacts += 1.0;
}

void ContactIntegrator::first_acceleration(const Closed& at_contacts, double moment) {
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

void ContactIntegrator::require_small_turns(const VectorXd& increment) const {
    for (Index r = 3; r < increment.size(); r += 6)
        if (!(increment.segment<3>(r).norm() <= method_.largest_step_rotation_rad))
            throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
}

bool ContactIntegrator::moreau(double end_s) {
    const double h = end_s - motion_.state.time_s;
    const Passed passed = pass(end_s);
    // An impact: something takes an impulse, had no force in the step before, and was open a step ago or moves through
    // more than the tolerance.
    bool struck = false;
    const VectorXd taken = passed.impulse - h * contacts_.force, ways = h * passed.before;
    for (std::size_t k = 0; k < passed.closed.size(); ++k) {
        const auto normal = rows_per_contact * static_cast<Index>(k);
        record_.impact_loss_j -= passed.impulse[normal] * passed.mean[normal];
        if (!passed.closed[k]) continue;
        const double gap_before = std::max(0.0, passed.gaps[static_cast<Index>(k)]) - ways[normal];
        const bool was_unloaded = h * contacts_.force[normal] <= no_load * passed.impulse[normal];
        struck |= was_unloaded && taken[normal] > 0.0 && gap_before > method_.gap_tolerance_m;
        if (record_.first_contact_s < 0.0) record_.first_contact_s = end_s;
    }
    if (struck) count_impact(largest_normal(of_contacts(taken)));
    const FrictionWork work = friction_work(passed.impulse, passed.mean);
    record_.friction_loss_j += work.lost, record_.wear_work_j += work.worn;
    contacts_.impulse = passed.impulse, contacts_.force = passed.impulse / h;
    if (any(passed.closed)) contacts_.joint_impulse = passed.joint_impulse;
    return struck;
}

ContactIntegrator::Passed ContactIntegrator::pass(double end_s) {
    const double h = end_s - motion_.state.time_s;
    const VectorXd v = velocity_vector(motion_.state);
    const MechanismState middle = moved(motion_.state, 0.5 * h * v, v, end_s - 0.5 * h);
    const MechanismTerms terms = mechanism_terms(model_, middle, motion_.multipliers);
    const MatrixXd w = contact_directions(model_, middle);
    const Closed at_middle = closed(middle);
    const VectorXd rebound = restitution(w * v);
    const Directions at_pose{terms.constraint_jacobian, w};
    const Pushed pushed = push(
        terms.mass, at_pose, at_pose, terms.mass * v + h * terms.force, -terms.constraint_phi_t,
        [&](const VectorXd&) { return rebound; }, at_middle, h * contacts_.force, h);
    const VectorXd mean = 0.5 * (v + pushed.x), u = w * mean;
    require_small_turns(h * mean);
    const VectorXd gaps = contact_gaps(model_, middle);
    motion_.state = moved(motion_.state, h * mean, pushed.x, end_s);
    put_on_joints(model_, motion_.state);
    motion_.acceleration = (pushed.x - v) / h, motion_.multipliers = pushed.multipliers / h;
    return {at_middle, gaps, w * v, u, pushed.impulse, pushed.multipliers};
}

void ContactIntegrator::step(double end_s) {
    const double h = end_s - motion_.state.time_s;
    const Closed at_begin = closed(motion_.state);
    iterations_ = 0;
    // The power of friction before an impact at the beginning says nothing about this step.
    bool follows_impact = false;
    for (std::size_t k = 0; k < at_begin.size(); ++k)
        follows_impact |= at_begin[k] && contacts_.impulse[rows_per_contact * static_cast<Index>(k)] != 0.0;
    contacts_.impulse.setZero(), contacts_.joint_impulse.setZero(), contacts_.before_impact.reset();
    const bool impacts_apart = method_.name != "moreau_midpoint";
    bool forces_are_impulses = false;
    if (impacts_apart) {
        const Solved end = stepped(h, end_s, at_begin);
        contacts_.force = end.force;
        take(end);
    } else {
        forces_are_impulses = moreau(end_s);
    }
    count_angles(model_, motion_.state);
    const double rate_w = work_rate();
    work_j_ += 0.5 * h * (work_rate_w_ + rate_w);
    work_rate_w_ = rate_w;
    if (!forces_are_impulses)
        record_.largest_force_N = std::max(record_.largest_force_N, largest_normal(of_contacts(contacts_.force)));
    const MatrixXd w = contact_directions(model_, motion_.state);
    if (impacts_apart) {
        const FrictionWork power = friction_work(contacts_.force, w * velocity_vector(motion_.state));
        record_.friction_loss_j += 0.5 * h * ((follows_impact ? power.lost : friction_power_w_) + power.lost);
        record_.wear_work_j += 0.5 * h * ((follows_impact ? power.worn : wear_power_w_) + power.worn);
        friction_power_w_ = power.lost, wear_power_w_ = power.worn;
    }
    const Closed at_end = closed(motion_.state);
    bool newly = false;
    for (std::size_t k = 0; k < at_end.size(); ++k) newly = newly || (at_end[k] && !at_begin[k]);
    if (newly && record_.first_contact_s < 0.0) record_.first_contact_s = end_s;
    if (newly && impacts_apart) {
        contacts_.before_impact = motion_.state;
        impact(at_end);
        work_rate_w_ = work_rate();
    }
    contacts_.gap = contact_gaps(model_, motion_.state);
    contacts_.velocity = w * velocity_vector(motion_.state);
    for (const double gap : contacts_.gap) record_.penetration_m = std::max(record_.penetration_m, -gap);
}

}  // namespace myriad::reference
