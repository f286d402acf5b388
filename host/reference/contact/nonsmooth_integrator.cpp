#include "host/reference/contact/nonsmooth_integrator.hpp"

#include <cmath>

#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/mathematics/decomposition.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// A share of 1 + |a|: the stages are smooth in the accelerations, whose scale is the squared step.
constexpr double difference_share = 1e-4;
constexpr int most_iterations = 50;
// A share of a step's velocities: below it a correction is round-off.
constexpr double correction_tolerance = 1e-13;

VectorXd stacked(const VectorXd& a, const VectorXd& b) {
    VectorXd both(a.size() + b.size());
    both << a, b;
    return both;
}

}  // namespace

std::vector<std::string> nonsmooth_methods() {
    return {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"};
}

NonsmoothIntegrator::NonsmoothIntegrator(NonsmoothSystem& system, const NonsmoothMethod& method)
    : system_(system),
      method_(method),
      rows_(system.contacts() * (1 + system.tangents())),
      q_(system.initial_coordinates()),
      v_(system.initial_rates()),
      force_(VectorXd::Zero(rows_)),
      impulse_(VectorXd::Zero(rows_)) {
    if (method.project_penetration) leave_penetration();
    if (penetrates()) throw StepFailure{"assembly_failed", "bodies overlap at the start"};
    const Closed at_start = closed(q_);
    for (int k = 0; k < system.contacts(); ++k)
        if (is_unilateral(k) && at_start[static_cast<std::size_t>(k)]) totals_.first_contact_s = 0.0;
    initial_energy_J_ = system.energy(q_, v_);
    if (!is_admissible(at_start)) impact(at_start);
    record_damping(q_, v_);
    const MatrixXd mass_inverse = inverse(system.mass(q_));
    acceleration_ = mass_inverse * system.force(q_, v_);
    if (rows_ > 0) {
        // u + moment (W^T a + W'^T v) by the laws: the moment decides only between a slip of now and one that begins.
        constexpr double moment = 1e-9;
        const MatrixXd w = system.directions(q_);
        VectorXd free = without_noise(w, v_);
        free += moment * (w * acceleration_ + system.turning(q_, v_));
        force_ = solve_contacts(moment * w * mass_inverse * w.transpose(), free, at_start, 1);
        acceleration_ += mass_inverse * w.transpose() * force_;
        power_ = friction(w, force_, v_);
    }
    algorithmic_ = acceleration_;
}

NonsmoothIntegrator::Closed NonsmoothIntegrator::closed(const VectorXd& q) const {
    Closed result;
    const VectorXd g = system_.gaps(q);
    for (int k = 0; k < system_.contacts(); ++k) {
        const NonsmoothLaw law = system_.law(k);
        result.push_back(!law.unused && (law.held || g[k] <= method_.gap_tolerance_m));
    }
    return result;
}

bool NonsmoothIntegrator::is_admissible(const Closed& at_contacts) const {
    const MatrixXd w = system_.directions(q_);
    for (int k = 0; k < system_.contacts(); ++k) {
        if (!at_contacts[static_cast<std::size_t>(k)]) continue;
        const auto normal = w.row(k * (1 + system_.tangents()));
        const double u = normal.dot(v_), noise = velocity_noise * normal.cwiseAbs().dot(v_.cwiseAbs());
        if (u < -noise || (system_.law(k).held && u > noise)) return false;
    }
    return true;
}

// `copies`: the contacts of so many stages, one after the other.
VectorXd NonsmoothIntegrator::solve_contacts(const MatrixXd& delassus, const VectorXd& free, const Closed& at_contacts,
                                             int copies) {
    LocalProblem problem;
    problem.tangents = system_.tangents();
    problem.delassus = delassus, problem.free_velocity = free;
    for (int copy = 0; copy < copies; ++copy) {
        for (int k = 0; k < system_.contacts(); ++k) {
            const NonsmoothLaw law = system_.law(k);
            problem.contacts.push_back({law.friction, at_contacts[static_cast<std::size_t>(k)], law.held});
        }
    }
    const auto solution = enumerate_contacts(problem, states_);
    if (!solution) throw StepFailure{"prox_stalled", "no combination of contact states meets the laws"};
    states_ = solution->states;
    return solution->impulse;
}

NonsmoothIntegrator::Solution NonsmoothIntegrator::solve(const Stages& stages, VectorXd a, const Closed& at_contacts) {
    const Index n = q_.size(), size = a.size(), count = size / n;
    const auto residual = [&](const std::vector<Stage>& at, const VectorXd& accelerations) {
        VectorXd r(size);
        for (Index s = 0; s < count; ++s) {
            const Stage& stage = at[static_cast<std::size_t>(s)];
            r.segment(s * n, n) =
                system_.mass(stage.q) * accelerations.segment(s * n, n) - system_.force(stage.q, stage.v);
        }
        return r;
    };
    VectorXd forces = VectorXd::Zero(count * rows_);
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
        const std::vector<Stage> at = stages(a);
        MatrixXd matrix(size, size), by_velocity(size, size);
        for (Index c = 0; c < size; ++c) {
            VectorXd before = a, after = a;
            const double difference = difference_share * (1.0 + std::abs(a[c]));
            before[c] -= difference, after[c] += difference;
            const std::vector<Stage> low = stages(before), high = stages(after);
            matrix.col(c) = (residual(high, after) - residual(low, before)) / (after[c] - before[c]);
            for (Index s = 0; s < count; ++s) {
                const auto i = static_cast<std::size_t>(s);
                by_velocity.col(c).segment(s * n, n) = (high[i].v - low[i].v) / (after[c] - before[c]);
            }
        }
        MatrixXd w = MatrixXd::Zero(count * rows_, size);
        VectorXd velocity(size);
        for (Index s = 0; s < count; ++s) {
            const Stage& stage = at[static_cast<std::size_t>(s)];
            if (rows_ > 0) w.block(s * rows_, s * n, rows_, n) = system_.directions(stage.q);
            velocity.segment(s * n, n) = stage.v;
        }
        const Decomposition<double> lu = row_pivoting(matrix);
        VectorXd correction = -lu.solve(residual(at, a));
        double scale = velocity.norm() + (by_velocity * a).norm();
        if (rows_ > 0) {
            const MatrixXd response = lu.solve(w.transpose());
            forces = solve_contacts(w * by_velocity * response, w * (velocity + by_velocity * correction), at_contacts,
                                    static_cast<int>(count));
            const VectorXd contact = response * forces;
            correction += contact;
            scale += (by_velocity * contact).norm();
        }
        a += correction;
        if (!a.allFinite()) throw StepFailure{"not_finite", "the accelerations are not finite"};
        const double change = (by_velocity * correction).norm();
        if (change <= correction_tolerance * scale) return {a, stages(a), forces};
    }
    throw StepFailure{"newton_stalled", "the equations of the step were not met"};
}

VectorXd NonsmoothIntegrator::restitution(const MatrixXd& directions) const {
    VectorXd added = directions * v_;
    for (int k = 0; k < system_.contacts(); ++k) {
        const NonsmoothLaw law = system_.law(k);
        const Index first = k * (1 + system_.tangents());
        added[first] *= law.held ? 0.0 : law.normal_restitution;
        added.segment(first + 1, system_.tangents()) *= law.held ? 0.0 : law.tangential_restitution;
    }
    return added;
}

void NonsmoothIntegrator::impact(const Closed& at_contacts) {
    const MatrixXd m = system_.mass(q_), w = system_.directions(q_), response = inverse(m) * w.transpose();
    const VectorXd before = v_;
    impulse_ = solve_contacts(w * response, w * v_ + restitution(w), at_contacts, 1);
    v_ += response * impulse_;
    totals_.impact_loss_J += 0.5 * (before.dot(m * before) - v_.dot(m * v_));
    totals_.wear_work_J += friction(w, impulse_, 0.5 * (before + v_)).worn;
    double largest = 0.0;
    for (int k = 0; k < system_.contacts(); ++k)
        if (is_unilateral(k)) largest = std::max(largest, impulse_[k * (1 + system_.tangents())]);
    count_impact(largest);
}

void NonsmoothIntegrator::count_impact(double largest_impulse_N_s) {
    totals_.largest_impulse_N_s = std::max(totals_.largest_impulse_N_s, largest_impulse_N_s);
    if (largest_impulse_N_s > method_.impact_threshold_N_s) totals_.impacts += 1.0;
}

bool NonsmoothIntegrator::is_unilateral(int contact) const {
    const NonsmoothLaw law = system_.law(contact);
    return !law.held && !law.unused;
}

bool NonsmoothIntegrator::penetrates() const {
    const VectorXd g = system_.gaps(q_);
    for (int k = 0; k < system_.contacts(); ++k)
        if (is_unilateral(k) && !(g[k] >= -method_.gap_tolerance_m)) return true;
    return false;
}

// The nearest configuration, by the mass matrix, in which the linearized gaps are not negative; again until they are
// not.
void NonsmoothIntegrator::leave_penetration() {
    constexpr int most_steps = 20;
    for (int i = 0; i < most_steps && penetrates(); ++i) {
        const MatrixXd all = system_.directions(q_);
        LocalProblem problem;
        problem.tangents = 0;
        MatrixXd w(system_.contacts(), q_.size());
        problem.free_velocity = system_.gaps(q_);
        for (int k = 0; k < system_.contacts(); ++k) {
            const NonsmoothLaw law = system_.law(k);
            w.row(k) = all.row(k * (1 + system_.tangents()));
            if (law.held) problem.free_velocity[k] = 0.0;
            problem.contacts.push_back({0.0, !law.unused, law.held});
        }
        const MatrixXd response = inverse(system_.mass(q_)) * w.transpose();
        problem.delassus = w * response;
        const auto solution = enumerate_contacts(problem);
        if (!solution) return;
        q_ += response * solution->impulse;
    }
}

NonsmoothIntegrator::Friction NonsmoothIntegrator::friction(const MatrixXd& directions, const VectorXd& rows,
                                                            const VectorXd& v) const {
    Friction sum{0.0, 0.0};
    for (int k = 0; k < system_.contacts(); ++k) {
        const Index first = k * (1 + system_.tangents()) + 1, count = system_.tangents();
        const double work = -rows.segment(first, count).dot(directions.middleRows(first, count) * v);
        sum.lost += work, sum.worn += std::abs(work);
    }
    return sum;
}

// Records a step without its impact: the mean force of its ends.
void NonsmoothIntegrator::record_damping(const VectorXd& begin_q, const VectorXd& begin_v) {
    const std::optional<double> work = system_.damping_work(0.5 * (begin_v + v_), q_ - begin_q);
    if (work) totals_.damping_loss_J = totals_.damping_loss_J.value_or(0.0) + *work;
}

// Records a step without its impact. Powers before an impact at its beginning say nothing about it.
void NonsmoothIntegrator::record_forces(double h, bool follows_impact) {
    if (rows_ == 0) return;
    const Friction now = friction(system_.directions(q_), force_, v_), then = follows_impact ? now : power_;
    totals_.friction_loss_J += 0.5 * h * (then.lost + now.lost);
    totals_.wear_work_J += 0.5 * h * (then.worn + now.worn);
    power_ = now;
}

void NonsmoothIntegrator::step(double h) {
    const Closed at_begin = closed(q_);
    bool follows_impact = false;
    for (std::size_t k = 0; k < at_begin.size(); ++k)
        follows_impact |= at_begin[k] && impulse_[static_cast<Index>(k) * (1 + system_.tangents())] != 0.0;
    const VectorXd begin_q = q_, begin_v = v_;
    impulse_.setZero();
    bool forces_are_impulses = false;
    if (method_.name == "moreau_midpoint")
        forces_are_impulses = moreau(h);
    else if (method_.name == "half_explicit")
        half_explicit(h, at_begin);
    else if (method_.name == "nonsmooth_generalized_alpha")
        generalized_alpha(h, at_begin);
    else if (method_.name == "nonsmooth_bathe")
        bathe(h, at_begin);
    else if (method_.name == "nonsmooth_ed_alpha")
        ed_alpha(h, at_begin);
    else
        throw UserError(ExitCode::usage_or_input, "integrator", "no reference scheme is named '" + method_.name + "'",
                        "");
    time_s_ += h;
    const bool impacts_apart = method_.name != "moreau_midpoint";
    if (impacts_apart) record_forces(h, follows_impact);
    record_damping(begin_q, begin_v);
    for (int k = 0; k < system_.contacts() && !forces_are_impulses; ++k)
        totals_.largest_force_N = std::max(totals_.largest_force_N, std::abs(force_[k * (1 + system_.tangents())]));
    const Closed at_end = closed(q_);
    bool newly = false;
    for (std::size_t k = 0; k < at_end.size(); ++k) newly = newly || (at_end[k] && !at_begin[k]);
    if (newly && std::isnan(totals_.first_contact_s)) totals_.first_contact_s = time_s_;
    if (newly && impacts_apart) impact(at_end);
    const VectorXd g = system_.gaps(q_);
    for (int k = 0; k < system_.contacts(); ++k)
        if (is_unilateral(k)) totals_.penetration_m = std::max(totals_.penetration_m, -g[k]);
    const double balance = system_.energy(q_, v_) - initial_energy_J_ + totals_.impact_loss_J +
                           totals_.friction_loss_J + totals_.damping_loss_J.value_or(0.0);
    totals_.energy_error_J = std::max(totals_.energy_error_J, std::abs(balance));
}

// nonsmooth [30]
bool NonsmoothIntegrator::moreau(double h) {
    bool struck = false;
    const VectorXd middle = q_ + 0.5 * h * v_;
    const MatrixXd mass_inverse = inverse(system_.mass(middle)), w = system_.directions(middle);
    const VectorXd free = v_ + h * (mass_inverse * system_.force(middle, v_));
    VectorXd after = free;
    if (rows_ > 0) {
        const MatrixXd response = mass_inverse * w.transpose();
        const Closed at_middle = closed(middle);
        const VectorXd before = force_;
        impulse_ = solve_contacts(w * response, w * free + restitution(w), at_middle, 1);
        after += response * impulse_;
        force_ = impulse_ / h;
        const VectorXd mean = 0.5 * (v_ + after);
        const Friction work = friction(w, impulse_, mean);
        totals_.friction_loss_J += work.lost, totals_.wear_work_J += work.worn;
        // Struck: without a force in the step before, and open a step ago, or on a way of more than the tolerance.
        const VectorXd gaps = system_.gaps(middle), ways = -h * (w * v_);
        double most = 0.0;
        for (int k = 0; k < system_.contacts(); ++k) {
            const Index normal = k * (1 + system_.tangents());
            totals_.impact_loss_J -= impulse_[normal] * w.row(normal).dot(mean);
            if (!at_middle[static_cast<std::size_t>(k)] || !is_unilateral(k)) continue;
            if (std::isnan(totals_.first_contact_s)) totals_.first_contact_s = time_s_ + h;
            const bool was_open = (gaps[k] > 0.0 ? gaps[k] : 0.0) + ways[normal] > method_.gap_tolerance_m;
            const bool was_unloaded = h * before[normal] <= no_load * impulse_[normal];
            if (was_open && was_unloaded && impulse_[normal] > 0.0) struck = true;
            most = std::max(most, impulse_[normal] - h * before[normal]);
        }
        if (struck) count_impact(most);
    }
    q_ = middle + 0.5 * h * after;
    v_ = after;
    return struck;
}

void NonsmoothIntegrator::half_explicit(double h, const Closed& at_begin) {
    // from + time a with admissible velocities at `end`
    const auto accelerated = [&](const VectorXd& q, const VectorXd& v, double time, const VectorXd& from,
                                 const VectorXd& end) {
        const MatrixXd mass_inverse = inverse(system_.mass(q));
        VectorXd a = mass_inverse * system_.force(q, v);
        if (rows_ > 0) {
            const MatrixXd acting = mass_inverse * system_.directions(q).transpose(), w = system_.directions(end);
            force_ = solve_contacts(time * w * acting, w * (from + time * a), at_begin, 1);
            a += acting * force_;
        }
        return a;
    };
    const VectorXd q_star = q_ + h * v_, first = accelerated(q_, v_, h, v_, q_star), v_star = v_ + h * first;
    const VectorXd q_end = q_ + 0.5 * h * (v_ + v_star);
    const VectorXd second = accelerated(q_star, v_star, 0.5 * h, v_ + 0.5 * h * first, q_end);
    v_ += 0.5 * h * (first + second), q_ = q_end;
}

// nonsmooth eqs. 20 to 26
void NonsmoothIntegrator::generalized_alpha(double h, const Closed& at_begin) {
    const double rho = method_.spectral_radius;
    const auto alphas = method_.alphas.value_or(std::pair((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)));
    const double am = alphas.first, af = alphas.second;
    const double gamma = 0.5 - am + af, beta = 0.25 * (1.0 - am + af) * (1.0 - am + af);
    const auto next_algorithmic = [&](const VectorXd& a) -> VectorXd {
        return ((1.0 - af) * a + af * acceleration_ - am * algorithmic_) / (1.0 - am);
    };
    const Solution solution = solve(
        [&](const VectorXd& a) -> std::vector<Stage> {
            const VectorXd next = next_algorithmic(a);
            return {{q_ + h * v_ + h * h * ((0.5 - beta) * algorithmic_ + beta * next),
                     v_ + h * ((1.0 - gamma) * algorithmic_ + gamma * next)}};
        },
        acceleration_, at_begin);
    algorithmic_ = next_algorithmic(solution.accelerations);
    acceleration_ = solution.accelerations, force_ = solution.forces;
    q_ = solution.stages[0].q, v_ = solution.stages[0].v;
}

// nonsmooth eqs. 56 to 61
void NonsmoothIntegrator::bathe(double h, const Closed& at_begin) {
    const Solution half = solve(
        [&](const VectorXd& a) -> std::vector<Stage> {
            const VectorXd v = v_ + 0.25 * h * (acceleration_ + a);
            return {{q_ + 0.25 * h * (v_ + v), v}};
        },
        acceleration_, at_begin);
    const Stage& middle = half.stages[0];
    const Solution whole = solve(
        [&](const VectorXd& a) -> std::vector<Stage> {
            const VectorXd v = (h * a - v_ + 4.0 * middle.v) / 3.0;
            return {{(h * v - q_ + 4.0 * middle.q) / 3.0, v}};
        },
        half.accelerations, at_begin);
    acceleration_ = whole.accelerations, force_ = whole.forces;
    q_ = whole.stages[0].q, v_ = whole.stages[0].v;
}

// nonsmooth eqs. 77 to 84, the end of the step first
void NonsmoothIntegrator::ed_alpha(double h, const Closed& at_begin) {
    const double alpha = (1.0 - method_.spectral_radius) / (1.0 + method_.spectral_radius), r = method_.ed_alpha_ratio;
    const Index n = q_.size();
    const Solution solution = solve(
        [&](const VectorXd& both) -> std::vector<Stage> {
            const VectorXd a = both.head(n), jump = both.tail(n);
            const VectorXd v_jump = v_ + h * r * (alpha * (jump - acceleration_) - a + acceleration_);
            const VectorXd v_end = v_ + 0.5 * h * (jump + a);
            return {{q_ + 0.5 * h * (v_jump + v_end), v_end},
                    {q_ + h * r * (alpha * (v_jump - v_) - v_end + v_), v_jump}};
        },
        stacked(acceleration_, acceleration_), at_begin);
    acceleration_ = solution.accelerations.head(n), force_ = solution.forces.head(rows_);
    q_ = solution.stages[0].q, v_ = solution.stages[0].v;
}

}  // namespace myriad::reference
