#include "host/reference/contact/contact_formula.hpp"

#include <limits>

#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// Shares of 1 + |q| and of 1 + |v|: forces are quadratic in the rates, so that these may be far apart.
constexpr double coordinate_difference = 1e-5, rate_difference = 1e-3;

// The derivative of f at x.
template <class Function>
MatrixXd derivative(const Function& f, VectorXd x, double share) {
    MatrixXd by_x(x.size(), x.size());
    for (Index i = 0; i < x.size(); ++i) {
        const double middle = x[i], low = middle - share * (1.0 + std::abs(middle)),
                     high = middle + share * (1.0 + std::abs(middle));
        x[i] = high;
        const VectorXd above = f(x);
        x[i] = low;
        by_x.col(i) = (above - f(x)) / (high - low);
        x[i] = middle;
    }
    return by_x;
}

}  // namespace

ContactFormula::ContactFormula(const NonsmoothSystem& system, const ContactMethod& method, double step_s)
    : ContactIntegrator(method, {system.contacts(), 1 + system.tangents(), 0, 0}),
      system_(system),
      q_(system.initial_coordinates()),
      v_(system.initial_rates()) {
    if (method.project_penetration) leave_penetration();
    if (penetrates()) throw StepFailure{"assembly_failed", "bodies overlap at the start"};
    initial_energy_j_ = system.energy(q_, v_);
    acceleration_ = inverse(system.mass(q_)) * system.force(q_, v_);
    begin(step_s);
    departs(step_s);
    count_damping();
}

void ContactFormula::ends() {
    const double error = system_.energy(q_, v_) - initial_energy_j_ + record_.impact_loss_j + record_.friction_loss_j +
                         damping_loss_j_.value_or(0.0);
    energy_error_j_ = std::max(energy_error_j_, std::abs(error));
}

void ContactFormula::add_contact_observables(Observables& observables) const {
    const std::vector<std::string> names = system_.contact_names();
    const int directions = sizes_.rows_per_contact;
    for (int k = 0; k < sizes_.contacts; ++k) {
        const std::string contact = names.empty() ? "" : "." + names[static_cast<std::size_t>(k)];
        observables["gap" + contact] = contacts_.gap.segment(k, 1);
        observables["contact_velocity" + contact] = contacts_.velocity.segment(k * directions, directions);
        observables["contact_force" + contact] = contacts_.force.segment(k * directions, directions);
        observables["contact_impulse" + contact] = contacts_.impulse.segment(k * directions, directions);
    }
    const bool has_touched = record_.first_contact_s >= 0.0;
    const std::pair<const char*, double> scalars[] = {
        {"impacts", record_.impacts},
        {"first_contact_time", has_touched ? record_.first_contact_s : std::numeric_limits<double>::quiet_NaN()},
        {"friction_loss", record_.friction_loss_j},
        {"impact_loss", record_.impact_loss_j},
        {"largest_impulse", record_.largest_impulse_N_s},
        {"largest_force", record_.largest_force_N},
        {"penetration", record_.penetration_m},
        {"energy_balance_error", energy_error_j_},
        {"wear_work", record_.wear_work_j},
        {"struck", contacts_.struck ? 1.0 : 0.0},
        {"prox_residual", 0.0},
        {"mean_prox_iterations", 0.0},
        {"prox_iterations_in_a_problem", 0.0},
        {"newton_iterations_in_a_step", 0.0},
        {"jumped_contacts", 0.0},
        {"sunk_depth", 0.0},
        {"fastest_jumped_contact", 0.0},
        {"jumped_contact_bits", 0.0},
        {"sunk_contact_bits", 0.0},
        {"crowded_steps", 0.0},
    };
    if (damping_loss_j_) observables["damping_loss"] = Eigen::VectorXd::Constant(1, *damping_loss_j_);
    for (const auto& [name, value] : scalars) observables[name] = Eigen::VectorXd::Constant(1, value);
}

bool ContactFormula::penetrates() const {
    const VectorXd g = gaps();
    for (int k = 0; k < sizes_.contacts; ++k)
        if (is_unilateral(k) && !(g[k] >= -method_.gap_tolerance_m)) return true;
    return false;
}

// The nearest configuration, by the mass matrix, in which the linearized gaps are not negative; again until they are
// not.
void ContactFormula::leave_penetration() {
    constexpr int most_steps = 20;
    for (int i = 0; i < most_steps && penetrates(); ++i) {
        const MatrixXd all = directions();
        LocalProblem problem;
        problem.tangents = 0;
        MatrixXd w(sizes_.contacts, q_.size());
        problem.free_velocity = gaps();
        for (int k = 0; k < sizes_.contacts; ++k) {
            const ContactLaw own = law(k);
            w.row(k) = all.row(k * sizes_.rows_per_contact);
            if (own.held) problem.free_velocity[k] = 0.0;
            problem.contacts.push_back({0.0, !own.unused, own.held});
        }
        const MatrixXd response = inverse(system_.mass(q_)) * w.transpose();
        problem.delassus = w * response;
        const auto solution = enumerate_contacts(problem);
        if (!solution) return;
        q_ += response * solution->impulse;
    }
}

void ContactFormula::departs(double h) {
    begin_q_ = q_, begin_v_ = v_;
    way_ = h * (v_.norm() + h * acceleration_.norm());
}
void ContactFormula::count_damping() {
    const std::optional<double> work = system_.damping_work(0.5 * (begin_v_ + v_), q_ - begin_q_);
    if (work) damping_loss_j_ = damping_loss_j_.value_or(0.0) + *work;
}

double ContactFormula::size_of(const VectorXd& change) const { return way_ > 0.0 ? change.norm() / way_ : 0.0; }

ContactFormula::StageTerms ContactFormula::stage_terms(const Solved& stage, double) const {
    const VectorXd q = q_ + stage.increment;
    const auto unbalanced = [&](const VectorXd& at) -> VectorXd {
        return system_.mass(at) * stage.acceleration - system_.force(at, stage.velocity);
    };
    const auto force_of = [&](const VectorXd& rates) { return system_.force(q, rates); };
    const Directions here = at(q);
    return {.mass = system_.mass(q),
            .damping = -derivative(force_of, stage.velocity, rate_difference),
            .stiffness = derivative(unbalanced, q, coordinate_difference),
            .at = here,
            .residual = -unbalanced(q),
            .constraint = VectorXd(0),
            .constraint_rate = VectorXd(0),
            .contact_velocity = here.contacts * stage.velocity,
            .seen = MatrixXd::Identity(q.size(), q.size())};
}

void ContactFormula::take(const Solved& end) {
    q_ += end.increment, v_ = end.velocity, acceleration_ = end.acceleration;
    time_s_ = end_s_;
}

// `at_contacts`: those of so many stages, one after the other.
VectorXd ContactFormula::contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& at_contacts,
                                          const VectorXd&, const DryFriction&) {
    if (free.size() == 0) return free;
    LocalProblem problem;
    problem.tangents = sizes_.rows_per_contact - 1;
    problem.delassus = delassus, problem.free_velocity = free;
    for (std::size_t k = 0; k < at_contacts.size(); ++k) {
        const ContactLaw own = law(static_cast<int>(k) % sizes_.contacts);
        problem.contacts.push_back({own.friction, at_contacts[k], own.held});
    }
    const auto solution = enumerate_contacts(problem, states_);
    if (!solution) throw StepFailure{"prox_stalled", "no combination of contact states meets the laws"};
    states_ = solution->states;
    return solution->impulse;
}

ContactFormula::Struck ContactFormula::strike(const Closed& at_contacts, double over_s) {
    const MatrixXd mass = system_.mass(q_);
    const Directions here = at(q_);
    const VectorXd u = here.contacts * v_;
    const auto rebound = [&](const VectorXd& change) -> VectorXd { return u + restitution(u + change); };
    const Pushed pushed = push(mass, here, here, over_s * system_.force(q_, v_), VectorXd(0), rebound, at_contacts,
                               VectorXd::Zero(u.size()), 0.0);
    const double loss = -pushed.x.dot(mass * (v_ + 0.5 * pushed.x));
    v_ += pushed.x;
    return {pushed.impulse, VectorXd(0), u, here.contacts * v_, loss, 0.0};
}

void ContactFormula::first_acceleration(const Closed& at_contacts, double moment) {
    const Directions here = at(q_);
    const VectorXd added = without_noise(here.contacts, v_) / moment + system_.turning(q_, v_);
    const Pushed pushed = push(
        system_.mass(q_), here, here, system_.force(q_, v_), VectorXd(0), [&](const VectorXd&) { return added; },
        at_contacts, contacts_.force, 1.0);
    acceleration_ = pushed.x, contacts_.force = pushed.impulse;
}

ContactFormula::Solved ContactFormula::half_explicit(double h, double end_s, const Closed& at_begin) {
    // The change of the rates over a time by the forces at a state, so that they are admissible at the pose `held`.
    const auto pushed = [&](const VectorXd& from, double over_s, const VectorXd& q, const VectorXd& v,
                            const VectorXd& held) {
        const Directions there = at(held);
        const VectorXd u = there.contacts * from;
        return push(
            system_.mass(q), at(q), there, over_s * system_.force(q, v), VectorXd(0),
            [&](const VectorXd&) { return u; }, at_begin, VectorXd::Zero(u.size()), over_s);
    };
    const VectorXd q_star = q_ + h * v_, v_star = v_ + pushed(v_, h, q_, v_, q_star).x, mean = 0.5 * (v_ + v_star);
    Solved end;
    end.increment = h * mean;
    const Pushed second = pushed(mean, 0.5 * h, q_star, v_star, q_ + end.increment);
    end.velocity = mean + second.x;
    end.acceleration = second.x / (0.5 * h), end.force = second.impulse / (0.5 * h);
    end_at(end, end_s);
    return end;
}

ContactFormula::Passed ContactFormula::pass(double end_s) {
    const double h = end_s - time_s_;
    const VectorXd middle = q_ + 0.5 * h * v_, gaps_there = system_.gaps(middle);
    const Closed at_middle = closed(gaps_there);
    const Directions there = at(middle);
    const VectorXd u = there.contacts * v_, rebound = restitution(u);
    const Pushed pushed = push(
        system_.mass(middle), there, there, h * system_.force(middle, v_), VectorXd(0),
        [&](const VectorXd&) -> VectorXd { return u + rebound; }, at_middle, VectorXd::Zero(u.size()), h);
    const VectorXd mean = v_ + 0.5 * pushed.x;
    middle_q_ = middle, middle_v_ = v_, middle_s_ = end_s - 0.5 * h;
    q_ = middle + 0.5 * h * (v_ + pushed.x), v_ += pushed.x, acceleration_ = pushed.x / h;
    time_s_ = end_s;
    return {at_middle, gaps_there, u, there.contacts * mean, pushed.impulse, VectorXd(0), ways_apart(), 0.0};
}

void ContactFormula::exchange_for_middle(bool is_behind) {
    std::swap(q_, middle_q_), std::swap(time_s_, middle_s_);
    if (!is_behind) std::swap(v_, middle_v_);
}

}  // namespace myriad::reference
