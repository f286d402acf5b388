#include "host/reference/contact_integrator.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <limits>

#include "host/reference/contact_mechanism.hpp"
#include "host/reference/contact_sweeps.hpp"
#include "host/reference/formulation.hpp"
#include "host/reference/rotation.hpp"
#include "host/user_error.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

namespace {

// Of a step: it only tells a slip of now from one that begins.
constexpr double first_moment = 0x1p-20;
// A velocity of a contact below this share of its terms is zero.
constexpr double velocity_noise = 1e-14;
// Of contact_law_violation(): above it a contact problem counts as unsolved.
constexpr double largest_violation = 1e-10;

VectorXd without_noise(const MatrixXd& w, const VectorXd& v) {
    VectorXd u = w * v;
    const VectorXd noise = velocity_noise * (w.cwiseAbs() * v.cwiseAbs());
    for (Index i = 0; i < u.size(); ++i)
        if (std::abs(u[i]) <= noise[i]) u[i] = 0.0;
    return u;
}

bool any(const std::vector<bool>& closed) { return std::find(closed.begin(), closed.end(), true) != closed.end(); }

// What friction takes, W, or J of impulses: as a loss, and the sizes of the contacts' own works.
struct FrictionWork {
    double lost = 0.0, worn = 0.0;
};
FrictionWork friction_work(const VectorXd& rows, const VectorXd& u) {
    FrictionWork work;
    for (Index n = 0; n < rows.size(); n += rows_per_contact) {
        const double own = -rows.segment<2>(n + 1).dot(u.segment<2>(n + 1));
        work.lost += own, work.worn += std::abs(own);
    }
    return work;
}

double largest_normal(const VectorXd& rows) {
    double largest = 0.0;
    for (Index n = 0; n < rows.size(); n += rows_per_contact) largest = std::max(largest, rows[n]);
    return largest;
}

// The bodies' displacements at q o exp(x), by x.
MatrixXd displacement_slope(const VectorXd& x) {
    MatrixXd slope = MatrixXd::Identity(x.size(), x.size());
    for (Index b = 0; b < x.size(); b += 6) slope.block<3, 3>(b + 3, b + 3) = tangent_operator(x.segment<3>(b + 3));
    return slope;
}

MechanismState moved(const MechanismState& from, const VectorXd& x, const VectorXd& v, double time_s) {
    MechanismState state = from;
    displace(state, x);
    set_velocity(state, v);
    state.time_s = time_s;
    return state;
}

}  // namespace

std::vector<std::string> contact_methods() {
    return {"nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha", "moreau_midpoint"};
}

bool is_contact_method(const std::string& name) {
    const std::vector<std::string> names = contact_methods();
    return std::find(names.begin(), names.end(), name) != names.end();
}

ContactIntegrator::ContactIntegrator(const MechanismModel& model, const ContactMethod& method,
                                     const MechanismMotion& start, double step_s)
    : model_(model), method_(method), motion_(start) {
    if (!is_contact_method(method.name))
        throw UserError(ExitCode::usage_or_input, "integrator " + method.name, "there is no such method with contact",
                        "nonsmooth_generalized_alpha is one");
    const Index rows = rows_per_contact * static_cast<Index>(model.contacts.size());
    contacts_.force = contacts_.impulse = VectorXd::Zero(rows);
    contacts_.joint_impulse = VectorXd::Zero(start.multipliers.size());
    contacts_.gap = contact_gaps(model, start.state);
    const Closed at_start = closed(motion_.state);
    if (any(at_start)) {
        record_.first_contact_s = 0.0;
        if (!is_admissible(at_start)) impact(at_start);
        first_acceleration(at_start, first_moment * step_s);
    }
    algorithmic_ = motion_.acceleration;
    const MatrixXd w = contact_directions(model, motion_.state);
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

VectorXd ContactIntegrator::restitution(const VectorXd& u) const {
    VectorXd added = u;
    Index n = 0;
    for (const ModelContact& contact : model_.contacts) {
        added[n] *= contact.normal_restitution;
        added.segment<2>(n + 1) *= contact.tangential_restitution;
        n += rows_per_contact;
    }
    return added;
}

// `copies`: the contacts of so many stages, one after the other. Only the closed ones make up the problem.
VectorXd ContactIntegrator::contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& at_contacts,
                                             int copies, const VectorXd& guess) {
    VectorXd all = VectorXd::Zero(free.size());
    std::vector<Index> rows;
    LocalProblem problem;
    problem.tangents = rows_per_contact - 1;
    for (int copy = 0; copy < copies; ++copy)
        for (std::size_t k = 0; k < at_contacts.size(); ++k) {
            if (!at_contacts[k]) continue;
            const auto first =
                rows_per_contact * static_cast<Index>(static_cast<std::size_t>(copy) * at_contacts.size() + k);
            for (Index i = 0; i < rows_per_contact; ++i) rows.push_back(first + i);
            problem.contacts.push_back({model_.contacts[k].friction});
        }
    if (rows.empty()) return all;
    problem.delassus = delassus(rows, rows), problem.free_velocity = free(rows);
    const SweptSolution solution = sweep_contacts(problem, guess(rows));
    record_.problems += 1.0, record_.sweeps += solution.sweeps;
    record_.most_sweeps = std::max(record_.most_sweeps, static_cast<double>(solution.sweeps));
    record_.violation = std::max(record_.violation, solution.violation);
    if (!(solution.violation <= largest_violation))
        throw StepFailure{"prox_stalled", "the laws of contact were not met"};
    all(rows) = solution.impulse;
    return all;
}

ContactIntegrator::Pushed ContactIntegrator::push(const MechanismTerms& terms, const MatrixXd& w, const VectorXd& top,
                                                  const VectorXd& bottom, const VectorXd& added,
                                                  const Closed& at_contacts, const VectorXd& guess) {
    const Index n = terms.mass.rows(), m = terms.constraint_jacobian.rows();
    MatrixXd matrix = MatrixXd::Zero(n + m, n + m), right = MatrixXd::Zero(n + m, 1 + w.rows());
    matrix.topLeftCorner(n, n) = terms.mass;
    matrix.topRightCorner(n, m) = terms.constraint_jacobian.transpose();
    matrix.bottomLeftCorner(m, n) = terms.constraint_jacobian;
    right.col(0) << top, bottom;
    right.topRightCorner(n, w.rows()) = w.transpose();
    const Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition(matrix);
    MatrixXd solution = decomposition.solve(right);
    solution += decomposition.solve(right - matrix * solution);
    if (!solution.allFinite()) throw StepFailure{"not_finite", "the velocities after a contact are not finite"};
    const MatrixXd response = solution.topRightCorner(n, w.rows());
    Pushed pushed;
    pushed.impulse = contact_impulses(w * response, w * solution.col(0).head(n) + added, at_contacts, 1, guess);
    const VectorXd whole = solution.col(0) + solution.rightCols(w.rows()) * pushed.impulse;
    pushed.x = whole.head(n), pushed.multipliers = whole.tail(m);
    return pushed;
}

double ContactIntegrator::impact(const Closed& at_contacts) {
    const VectorXd before = velocity_vector(motion_.state);
    const MechanismTerms terms = mechanism_terms(model_, motion_.state, motion_.multipliers);
    const MatrixXd w = contact_directions(model_, motion_.state);
    const VectorXd u = w * before;
    const Pushed pushed = push(terms, w, VectorXd::Zero(before.size()), -terms.constraint_rate, u + restitution(u),
                               at_contacts, VectorXd::Zero(w.rows()));
    const VectorXd after = before + pushed.x;
    set_velocity(motion_.state, after);
    contacts_.impulse = pushed.impulse, contacts_.joint_impulse = pushed.multipliers;
    record_.impact_loss_j -= pushed.x.dot(terms.mass * (before + 0.5 * pushed.x));
    record_.wear_work_j += friction_work(pushed.impulse, 0.5 * (u + w * after)).worn;
    return largest_normal(pushed.impulse);
}

void ContactIntegrator::count_impact(double impulse_N_s) {
    record_.largest_impulse_N_s = std::max(record_.largest_impulse_N_s, impulse_N_s);
    if (impulse_N_s > method_.impact_threshold_N_s) record_.impacts += 1.0;
}

void ContactIntegrator::first_acceleration(const Closed& at_contacts, double moment) {
    const MechanismTerms terms = mechanism_terms(model_, motion_.state, motion_.multipliers);
    const MatrixXd w = contact_directions(model_, motion_.state);
    const VectorXd u = without_noise(w, velocity_vector(motion_.state));
    const Pushed pushed = push(terms, w, terms.force, -terms.acceleration_term,
                               u / moment + contact_turning(model_, motion_.state), at_contacts, contacts_.force);
    motion_.acceleration = pushed.x, motion_.multipliers = pushed.multipliers;
    contacts_.force = pushed.impulse;
}

std::vector<ContactIntegrator::Solved> ContactIntegrator::solve(const std::vector<Stage>& stages, const Solved& guess,
                                                                const Closed& at_contacts) {
    const Index n = motion_.acceleration.size(), m = motion_.multipliers.size(), rows = contacts_.force.size();
    const auto count = static_cast<Index>(stages.size()), unknowns = count * (n + m);
    std::vector<Solved> all(stages.size(), guess);
    const auto follow = [&] {
        for (std::size_t s = 0; s < stages.size(); ++s) {
            Solved& stage = all[s];
            stage.velocity = stages[s].fixed_velocity, stage.increment = stages[s].fixed_increment;
            for (std::size_t t = 0; t < stages.size(); ++t) {
                stage.velocity += stages[s].by_velocity[t] * all[t].acceleration;
                stage.increment += stages[s].by_increment[t] * all[t].acceleration;
            }
            stage.state = moved(motion_.state, stage.increment, stage.velocity, stages[s].time_s);
        }
    };
    VectorXd forces(count * rows);
    for (Index s = 0; s < count; ++s) forces.segment(s * rows, rows) = guess.force;
    double correction_before = std::numeric_limits<double>::infinity();
    for (int iteration = 1;; ++iteration) {
        follow();
        // Unknowns: the accelerations of all stages, then their multipliers.
        MatrixXd matrix = MatrixXd::Zero(unknowns, unknowns), w = MatrixXd::Zero(count * rows, count * n),
                 by_velocity(count * n, count * n), load = MatrixXd::Zero(unknowns, 1 + count * rows);
        VectorXd velocity(count * n);
        std::vector<MatrixXd> slopes;
        for (Index s = 0; s < count; ++s) {
            const Solved& stage = all[static_cast<std::size_t>(s)];
            const Stage& given = stages[static_cast<std::size_t>(s)];
            const MechanismTerms terms = mechanism_terms(model_, stage.state, stage.multipliers);
            slopes.push_back(displacement_slope(stage.increment));
            const MatrixXd softening = (terms.reaction_by_displacement - terms.force_by_displacement) * slopes.back();
            // Constraints in units of an acceleration, or their rows would be as small as h^2 beside those of the
            // masses.
            const bool on_velocities = given.has_joints_on_velocities;
            const auto own = static_cast<std::size_t>(s);
            const double scale = 1.0 / std::abs(on_velocities ? given.by_velocity[own] : given.by_increment[own]);
            const Index a = s * n, lambda = count * n + s * m;
            for (Index t = 0; t < count; ++t) {
                const double v = given.by_velocity[static_cast<std::size_t>(t)],
                             x = given.by_increment[static_cast<std::size_t>(t)];
                matrix.block(a, t * n, n, n) = x * softening - v * terms.force_by_velocity;
                matrix.block(lambda, t * n, m, n) =
                    on_velocities ? MatrixXd(scale * v * terms.constraint_jacobian)
                                  : MatrixXd(scale * x * terms.constraint_jacobian * slopes.back());
                by_velocity.block(a, t * n, n, n) = v * MatrixXd::Identity(n, n);
            }
            matrix.block(a, a, n, n) += terms.mass;
            matrix.block(a, lambda, n, m) = terms.constraint_jacobian.transpose();
            load.col(0).segment(a, n) = terms.force - terms.mass * stage.acceleration -
                                        terms.constraint_jacobian.transpose() * stage.multipliers;
            load.col(0).segment(lambda, m) = -scale * (on_velocities ? terms.constraint_rate : terms.constraint);
            w.block(s * rows, a, rows, n) = contact_directions(model_, stage.state);
            velocity.segment(a, n) = stage.velocity;
        }
        load.topRightCorner(count * n, count * rows) = w.transpose();
        if (!matrix.allFinite() || !load.allFinite())
            throw StepFailure{"not_finite", "the equations of the step are not finite"};
        const Eigen::FullPivLU<MatrixXd> decomposition(matrix);
        if (!decomposition.isInvertible()) throw StepFailure{"singular_matrix", "Newton's matrix is singular"};
        const MatrixXd solution = decomposition.solve(load);
        const MatrixXd reach = w * by_velocity;
        const auto of_accelerations = [&](const auto& columns) { return columns.topRows(count * n); };
        forces = contact_impulses(reach * of_accelerations(solution.rightCols(count * rows)),
                                  w * velocity + reach * of_accelerations(solution.leftCols(1)), at_contacts,
                                  static_cast<int>(count), forces);
        const VectorXd correction = solution.col(0) + solution.rightCols(count * rows) * forces;
        if (!correction.allFinite()) throw StepFailure{"not_finite", "a correction of the step is not finite"};
        double size = 0.0;
        for (Index s = 0; s < count; ++s) {
            Solved& stage = all[static_cast<std::size_t>(s)];
            stage.acceleration += correction.segment(s * n, n);
            stage.multipliers += correction.segment(count * n + s * m, m);
            stage.force = forces.segment(s * rows, rows);
            VectorXd change = VectorXd::Zero(n);
            for (Index t = 0; t < count; ++t)
                change += stages[static_cast<std::size_t>(s)].by_increment[static_cast<std::size_t>(t)] *
                          correction.segment(t * n, n);
            size = std::max(size, displacement_norm(model_, slopes[static_cast<std::size_t>(s)] * change));
        }
        ++iterations_;
        if (is_converged(size, correction_before)) break;
        correction_before = size;
        if (iteration >= method_.most_newton_iterations)
            throw StepFailure{"newton_stalled", "the equations of the step were not met"};
    }
    follow();
    for (const Solved& stage : all)
        for (Index r = 3; r < n; r += 6)
            if (!(stage.increment.segment<3>(r).norm() <= method_.largest_step_rotation_rad))
                throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
    return all;
}

// nonsmooth eqs. 20 to 26
ContactIntegrator::Solved ContactIntegrator::generalized_alpha(double h, double end_s, const Closed& at_begin) {
    const double rho = method_.spectral_radius;
    const double am = method_.has_free_alphas ? method_.alpha_m : (2.0 * rho - 1.0) / (rho + 1.0),
                 af = method_.has_free_alphas ? method_.alpha_f : rho / (rho + 1.0);
    const double gamma = 0.5 - am + af, beta = 0.25 * (1.0 - am + af) * (1.0 - am + af);
    // (1 - am) A+ + am A = (1 - af) a+ + af a
    const VectorXd known = (af * motion_.acceleration - am * algorithmic_) / (1.0 - am);
    const double slope = (1.0 - af) / (1.0 - am);
    const VectorXd v = velocity_vector(motion_.state);
    const Stage stage{end_s,
                      v + h * ((1.0 - gamma) * algorithmic_ + gamma * known),
                      h * v + h * h * ((0.5 - beta) * algorithmic_ + beta * known),
                      {h * gamma * slope},
                      {h * h * beta * slope}};
    const Solved end = solve({stage}, guess(), at_begin)[0];
    algorithmic_ = known + slope * end.acceleration;
    return end;
}

// nonsmooth eqs. 56 to 61
ContactIntegrator::Solved ContactIntegrator::bathe(double h, double end_s, const Closed& at_begin) {
    const VectorXd v = velocity_vector(motion_.state), q = VectorXd::Zero(v.size());
    // v_half = v + h/4 (a + a_half), x_half = h/4 (v + v_half)
    const VectorXd fixed = v + 0.25 * h * motion_.acceleration;
    const Stage first{end_s - 0.5 * h, fixed, 0.25 * h * (v + fixed), {0.25 * h}, {0.0625 * h * h}};
    const Solved half = solve({first}, guess(), at_begin)[0];
    // h a+ = v - 4 v_half + 3 v+, h v+ = x - 4 x_half + 3 x+
    const VectorXd fixed_end = (4.0 * half.velocity - v) / 3.0;
    const Stage last{end_s, fixed_end, (h * fixed_end + 4.0 * half.increment - q) / 3.0, {h / 3.0}, {h * h / 9.0}};
    return solve({last}, half, at_begin)[0];
}

// nonsmooth eqs. 77 to 84, the end of the step first
ContactIntegrator::Solved ContactIntegrator::ed_alpha(double h, double end_s, const Closed& at_begin) {
    const double alpha = (1.0 - method_.spectral_radius) / (1.0 + method_.spectral_radius), r = method_.ed_alpha_ratio;
    const VectorXd v = velocity_vector(motion_.state);
    const VectorXd& a = motion_.acceleration;
    // v_jump = v + h r (alpha (a_jump - a) - a_end + a),   v_end = v + h/2 (a_jump + a_end)
    // x_end = h/2 (v_jump + v_end),                        x_jump = h r (alpha (v_jump - v) - v_end + v)
    const VectorXd jump_fixed = v + h * r * (1.0 - alpha) * a;
    const std::vector<double> end_by{0.5 * h, 0.5 * h}, jump_by{-h * r, h * r * alpha};
    Stage end{end_s, v, 0.5 * h * (jump_fixed + v), end_by, {}, false},
        jump{end_s - h, jump_fixed, h * r * (alpha * (jump_fixed - v)), jump_by, {}, true};
    for (std::size_t t = 0; t < 2; ++t) {
        end.by_increment.push_back(0.5 * h * (jump_by[t] + end_by[t]));
        jump.by_increment.push_back(h * r * (alpha * jump_by[t] - end_by[t]));
    }
    return solve({end, jump}, guess(), at_begin)[0];
}

void ContactIntegrator::moreau(double end_s) {
    const double h = end_s - motion_.state.time_s;
    const VectorXd v = velocity_vector(motion_.state);
    const MechanismState middle = moved(motion_.state, 0.5 * h * v, v, end_s - 0.5 * h);
    const MechanismTerms terms = mechanism_terms(model_, middle, motion_.multipliers);
    const MatrixXd w = contact_directions(model_, middle);
    const Pushed pushed = push(terms, w, terms.mass * v + h * terms.force, -terms.constraint_phi_t, restitution(w * v),
                               closed(middle), h * contacts_.force);
    const VectorXd mean = 0.5 * (v + pushed.x), u = w * mean;
    const VectorXd increment = h * mean;
    for (Index r = 3; r < increment.size(); r += 6)
        if (!(increment.segment<3>(r).norm() <= method_.largest_step_rotation_rad))
            throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
    bool struck = false;
    for (Index n = 0; n < w.rows(); n += rows_per_contact) {
        struck = struck || (contacts_.force[n] == 0.0 && pushed.impulse[n] > 0.0);
        record_.impact_loss_j -= pushed.impulse[n] * u[n];
    }
    const FrictionWork work = friction_work(pushed.impulse, u);
    record_.friction_loss_j += work.lost, record_.wear_work_j += work.worn;
    motion_.state = moved(motion_.state, increment, pushed.x, end_s);
    motion_.acceleration = (pushed.x - v) / h, motion_.multipliers = pushed.multipliers / h;
    contacts_.impulse = pushed.impulse, contacts_.force = pushed.impulse / h;
    if (struck) count_impact(largest_normal(pushed.impulse));
}

void ContactIntegrator::step(double end_s) {
    const double h = end_s - motion_.state.time_s;
    const Closed at_begin = closed(motion_.state);
    iterations_ = 0;
    contacts_.impulse.setZero(), contacts_.joint_impulse.setZero();
    const bool impacts_apart = method_.name != "moreau_midpoint";
    if (impacts_apart) {
        const Solved end = method_.name == "nonsmooth_bathe"      ? bathe(h, end_s, at_begin)
                           : method_.name == "nonsmooth_ed_alpha" ? ed_alpha(h, end_s, at_begin)
                                                                  : generalized_alpha(h, end_s, at_begin);
        motion_ = {end.state, end.acceleration, end.multipliers};
        contacts_.force = end.force;
    } else {
        moreau(end_s);
    }
    count_angles(model_, motion_.state);
    const double rate_w = work_rate();
    work_j_ += 0.5 * h * (work_rate_w_ + rate_w);
    work_rate_w_ = rate_w;
    for (Index n = 0; n < contacts_.force.size(); n += rows_per_contact)
        record_.largest_force_N = std::max(record_.largest_force_N, contacts_.force[n]);
    const MatrixXd w = contact_directions(model_, motion_.state);
    if (impacts_apart) {
        const FrictionWork power = friction_work(contacts_.force, w * velocity_vector(motion_.state));
        record_.friction_loss_j += 0.5 * h * (friction_power_w_ + power.lost);
        record_.wear_work_j += 0.5 * h * (wear_power_w_ + power.worn);
        friction_power_w_ = power.lost, wear_power_w_ = power.worn;
    }
    const Closed at_end = closed(motion_.state);
    bool newly = false;
    for (std::size_t k = 0; k < at_end.size(); ++k) newly = newly || (at_end[k] && !at_begin[k]);
    if (newly && record_.first_contact_s < 0.0) record_.first_contact_s = end_s;
    if (newly && impacts_apart) {
        count_impact(impact(at_end));
        work_rate_w_ = work_rate();
    }
    contacts_.gap = contact_gaps(model_, motion_.state);
    contacts_.velocity = w * velocity_vector(motion_.state);
    for (const double gap : contacts_.gap) record_.penetration_m = std::max(record_.penetration_m, -gap);
}

}  // namespace myriad::reference
