#include "host/reference/contact/contact_integrator.hpp"

#include <algorithm>
#include <cmath>

#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/mathematics/decomposition.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// Of the forces over half a moment against those over all of it: impulses would double.
constexpr double growth_of_impulses = 1.5;
// Of an acceleration, by a friction that all but gives way.
constexpr double largest_gain = 1024.0;

// Impacts of a start: a share of the approach before the first that no other one is for, and their number.
constexpr double least_approach = 1e-10;
constexpr int most_start_impacts = 12;

constexpr const char* moreau_midpoint = "moreau_midpoint";

bool any(const std::vector<bool>& closed) { return std::find(closed.begin(), closed.end(), true) != closed.end(); }

}  // namespace

std::vector<std::string> contact_methods() {
    std::vector<std::string> names{moreau_midpoint};
    for (const auto& [name, scheme] : ContactIntegrator::schemes()) names.push_back(name);
    return names;
}

bool is_contact_method(const std::string& name) {
    const std::vector<std::string> names = contact_methods();
    return std::find(names.begin(), names.end(), name) != names.end();
}

ContactIntegrator::ContactIntegrator(const ContactMethod& method, const Sizes& sizes)
    : method_(method), sizes_(sizes), scheme_(nullptr) {
    if (!is_contact_method(method.name))
        throw UserError(ExitCode::usage_or_input, "integrator " + method.name, "there is no such method with contact",
                        "nonsmooth_generalized_alpha is one");
    for (const auto& [name, scheme] : schemes())
        if (name == method.name) scheme_ = scheme;
    contacts_.force = contacts_.impulse = VectorXd::Zero(sizes.rows_per_contact * sizes.contacts + sizes.frictions);
    contacts_.joint_impulse = VectorXd::Zero(sizes.joint_rows);
}

void ContactIntegrator::begin(double step_s) {
    contacts_.gap = gaps();
    const Closed at_start = closed(contacts_.gap);
    for (int k = 0; k < sizes_.contacts; ++k)
        if (is_unilateral(k) && at_start[static_cast<std::size_t>(k)]) record_.first_contact_s = 0.0;
    if (any(at_start) && !is_admissible(at_start)) {
        const double least = least_approach * slowest(at_start);
        for (int i = 1; i == 1 || (i <= most_start_impacts && slowest(at_start) < least); ++i) {
            rebounds_ = i < most_start_impacts;
            impact(at_start);
        }
        rebounds_ = true;
        record_.impacts = std::min(record_.impacts, 1.0);
        record_.largest_impulse_N_s = largest_impulse(contacts_.impulse);
    }
    const double moment = first_moment * step_s;
    const auto find_forces = [&] {
        for (int pass = renew_dry_forces() ? 2 : 1; pass > 0 && (any(at_start) || sizes_.frictions > 0); --pass) {
            renew_dry_forces();
            first_acceleration(at_start, moment);
        }
    };
    const VectorXd without_contact = contact_acceleration();
    find_forces();
    const bool are_impulses = forces_are_impulses(at_start, moment);
    if (are_impulses || gives_way(at_start, without_contact, step_s)) {
        impact(at_start, are_impulses ? moment : step_s);
        record_.impacts = std::min(record_.impacts, 1.0);
        first_acceleration(Closed(at_start.size(), false), moment);
        find_forces();
        if (forces_are_impulses(at_start, moment))
            throw StepFailure{"prox_stalled", "no accelerations of the start meet the laws of contact"};
    }
    algorithmic_ = accelerations();
    contacts_.velocity = directions() * velocity();
    const FrictionWork power = friction_work(contacts_.force, contacts_.velocity);
    friction_power_w_ = power.lost, wear_power_w_ = power.worn;
    work_rate_w_ = work_rate();
}

bool ContactIntegrator::is_unilateral(int contact) const {
    const ContactLaw own = law(contact);
    return !own.held && !own.unused;
}

ContactIntegrator::Closed ContactIntegrator::closed(const VectorXd& gaps) const {
    Closed result;
    for (int k = 0; k < sizes_.contacts; ++k) {
        const ContactLaw own = law(k);
        result.push_back(!own.unused && (own.held || gaps[k] <= method_.gap_tolerance_m));
    }
    return result;
}

bool ContactIntegrator::is_admissible(const Closed& at_contacts) const {
    const VectorXd u = without_noise(directions(), velocity());
    for (int k = 0; k < sizes_.contacts; ++k) {
        const double normal = u[sizes_.rows_per_contact * k];
        if (at_contacts[static_cast<std::size_t>(k)] && (normal < 0.0 || (law(k).held && normal > 0.0))) return false;
    }
    return true;
}

double ContactIntegrator::slowest(const Closed& at_contacts) const {
    const VectorXd u = directions() * velocity();
    double least = 0.0;
    for (int k = 0; k < sizes_.contacts; ++k)
        if (at_contacts[static_cast<std::size_t>(k)]) {
            const double normal = u[sizes_.rows_per_contact * k];
            least = std::min(least, law(k).held ? -std::abs(normal) : normal);
        }
    return least;
}

bool ContactIntegrator::slides(const Closed& at_contacts) const {
    const VectorXd u = without_noise(directions(), velocity());
    for (int k = 0; k < sizes_.contacts; ++k) {
        const auto slip = u.segment(sizes_.rows_per_contact * k + 1, sizes_.rows_per_contact - 1);
        if (at_contacts[static_cast<std::size_t>(k)] && (slip.array() != 0.0).any()) return true;
    }
    return false;
}

bool ContactIntegrator::forces_are_impulses(const Closed& at_contacts, double moment) {
    if (!slides(at_contacts)) return false;
    const double size = contacts_.force.norm();
    first_acceleration(at_contacts, 0.5 * moment);
    const bool grow = contacts_.force.norm() > growth_of_impulses * size;
    first_acceleration(at_contacts, moment);
    return grow;
}

bool ContactIntegrator::gives_way(const Closed& at_contacts, const VectorXd& without_contact, double step_s) const {
    const VectorXd u = without_noise(directions(), velocity()), change = contact_acceleration();
    const Index tangents = sizes_.rows_per_contact - 1;
    double free = 0.0;
    for (int k = 0; k < sizes_.contacts; ++k)
        if (at_contacts[static_cast<std::size_t>(k)])
            free = std::max(free,
                            without_contact.segment(sizes_.rows_per_contact * k, 1 + tangents).cwiseAbs().maxCoeff());
    for (int k = 0; k < sizes_.contacts; ++k) {
        if (!at_contacts[static_cast<std::size_t>(k)]) continue;
        const Index first = sizes_.rows_per_contact * k + 1;
        const VectorXd slip = u.segment(first, tangents), by = change.segment(first, tangents);
        if (by.norm() > largest_gain * free && step_s * by.dot(slip) < -slip.squaredNorm()) return true;
    }
    return false;
}

VectorXd ContactIntegrator::of_contacts(const VectorXd& rows) const {
    return rows.head(sizes_.rows_per_contact * sizes_.contacts);
}

double ContactIntegrator::largest_impulse(const VectorXd& rows) const {
    double largest = 0.0;
    for (int k = 0; k < sizes_.contacts; ++k)
        if (is_unilateral(k)) largest = std::max(largest, rows[sizes_.rows_per_contact * k]);
    return largest;
}

ContactIntegrator::FrictionWork ContactIntegrator::friction_work(const VectorXd& rows, const VectorXd& u) const {
    FrictionWork work;
    const Index contacts = of_contacts(rows).size(), frictions = rows.size() - contacts,
                tangents = sizes_.rows_per_contact - 1;
    for (Index n = 0; n < contacts; n += sizes_.rows_per_contact) {
        const double own = -rows.segment(n + 1, tangents).dot(u.segment(n + 1, tangents));
        work.lost += own, work.worn += std::abs(own);
    }
    work.lost -= rows.tail(frictions).dot(u.tail(frictions));
    return work;
}

VectorXd ContactIntegrator::restitution(const VectorXd& u) const {
    VectorXd added = VectorXd::Zero(u.size());
    const Index tangents = sizes_.rows_per_contact - 1;
    for (int k = 0; k < sizes_.contacts; ++k) {
        const ContactLaw own = law(k);
        if (own.held || !rebounds_) continue;
        const Index n = sizes_.rows_per_contact * k;
        added[n] = own.normal_restitution * u[n];
        added.segment(n + 1, tangents) = own.tangential_restitution * u.segment(n + 1, tangents);
    }
    return added;
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

void ContactIntegrator::impact(const Closed& at_contacts, double over_s) {
    const Struck struck = [&] {
        try {
            return strike(at_contacts, over_s);
        } catch (StepFailure& failure) {
            failure.in_impact = true;
            throw;
        }
    }();
    contacts_.impulse += struck.impulse, contacts_.joint_impulse += struck.joint_impulse;
    record_.impact_loss_j += struck.loss_j, work_j_ += struck.work_j;
    record_.wear_work_j += friction_work(struck.impulse, 0.5 * (struck.before + struck.after)).worn;
    count_impact(largest_impulse(struck.impulse));
}

void ContactIntegrator::count_impact(double impulse_N_s) {
    record_.largest_impulse_N_s = std::max(record_.largest_impulse_N_s, impulse_N_s);
    if (impulse_N_s > method_.impact_threshold_N_s) record_.impacts += 1.0;
}

void ContactIntegrator::look_for_jumps(const Eigen::Matrix3Xd& from, const Eigen::Matrix3Xd& to, const Closed& seen,
                                       double over_s) {
    for (int k = 0; k < sizes_.contacts; ++k) {
        if (seen[static_cast<std::size_t>(k)]) continue;
        const std::optional<ContactPass> pass = pass_by(k, from.col(k), to.col(k));
        if (!pass) continue;
        record_.jumped += 1.0;
        record_.jumped_rate_1_s = std::max(record_.jumped_rate_1_s, 1.0 / ((pass->closest - pass->touch) * over_s));
        record_.jumped_contacts.insert(k);
    }
}

void ContactIntegrator::look_for_depth() {
    constexpr double most = 0.1;
    for (int k = 0; k < sizes_.contacts; ++k) {
        const std::optional<double> size = size_m(k);
        const double depth = -contacts_.gap[k];
        if (!size || !(depth > most * *size)) continue;
        record_.sunk_m = std::max(record_.sunk_m, depth);
        record_.sunk_contacts.insert(k);
    }
}

void ContactIntegrator::stand_before_jump(double work_of_moving_j, bool is_straight) {
    if (!before_jump) return;
    contacts_.gap = gaps(), contacts_.velocity = directions() * velocity();
    work_j_ += work_of_moving_j;
    before_jump(is_straight);
    work_j_ -= work_of_moving_j;
}

void ContactIntegrator::step(double end_s) {
    const double h = end_s - time_s();
    at_begin_ = closed(gaps());
    iterations_ = 0;
    // The power of friction before an impact at the beginning says nothing about this step.
    const bool within = method_.strikes_within_step, were_old = forces_are_old();
    bool follows_impact = were_old && drivers_may_jump();
    for (int k = 0; k < sizes_.contacts; ++k)
        follows_impact |=
            !within && at_begin_[static_cast<std::size_t>(k)] && contacts_.impulse[sizes_.rows_per_contact * k] != 0.0;
    contacts_.impulse.setZero(), contacts_.joint_impulse.setZero();
    renew_dry_forces();
    departs(h);
    const WayBegin begin = depart();
    const ContactRecord record_before = record_;
    const bool impacts_apart = scheme_ != nullptr;
    bool forces_are_impulses = false;
    double driver_work_j = 0.0;
    if (impacts_apart) {
        const Solved end = (this->*scheme_)(h, end_s, at_begin_);
        contacts_.force = end.force;
        take(end);
        if (!within) look_for_jumps(begin.apart, ways_apart(), at_begin_, h);
    } else {
        forces_are_impulses = moreau(end_s, driver_work_j);
    }
    arrives();
    contacts_.gap = gaps();
    const std::optional<Touch> touch = within ? first_touch(begin, at_begin_, h) : std::nullopt;
    const double share = touch ? touch->share : 1.0, part_s = share * h;
    const WorkRate rate = work_rate();
    if (impacts_apart) {
        const double drivers = std::lerp(work_rate_w_.drivers, rate.drivers, share);
        driver_work_j = part_s * (were_old ? rate.drivers : 0.5 * (work_rate_w_.drivers + drivers));
    } else if (touch) {
        keep_share(record_before, share), driver_work_j *= share;
    }
    work_j_ +=
        0.5 * part_s * (work_rate_w_.others + std::lerp(work_rate_w_.others, rate.others, share)) + driver_work_j;
    work_rate_w_ = rate;
    for (int k = 0; k < sizes_.contacts && !forces_are_impulses; ++k)
        record_.largest_force_N =
            std::max(record_.largest_force_N, std::abs(contacts_.force[sizes_.rows_per_contact * k]));
    if (impacts_apart) {
        const FrictionWork power = friction_power();
        const auto over_part = [&](double before, double after) {
            return follows_impact ? part_s * after : 0.5 * part_s * (before + std::lerp(before, after, share));
        };
        record_.friction_loss_j += over_part(friction_power_w_, power.lost);
        record_.wear_work_j += over_part(wear_power_w_, power.worn);
        friction_power_w_ = power.lost, wear_power_w_ = power.worn;
    }
    const Closed at_end = closed(contacts_.gap);
    bool newly = false;
    for (std::size_t k = 0; k < at_end.size(); ++k) newly = newly || (at_end[k] && !at_begin_[k]);
    if (touch) {
        meet_strikes(*touch, h, end_s);
    } else {
        if (newly && record_.first_contact_s < 0.0) record_.first_contact_s = end_s;
        contacts_.struck = impacts_apart ? newly : forces_are_impulses;
        if (newly && impacts_apart) {
            stand_before_jump(0.0, false);
            is_struck();
            impact(at_end);
            work_rate_w_ = work_rate();
        }
    }
    contacts_.velocity = directions() * velocity();
    if (const std::optional<CrossedJump> crossed = cross_jump()) {
        const Struck& struck = crossed->struck;
        contacts_.struck = true;
        contacts_.impulse += struck.impulse, contacts_.joint_impulse += struck.joint_impulse;
        record_.impact_loss_j += struck.loss_j;
        record_.wear_work_j += friction_work(struck.impulse, 0.5 * (struck.before + struck.after)).worn;
        if (const double largest = largest_impulse(struck.impulse); largest > 0.0) count_impact(largest);
        if (crossed->begins_anew) algorithmic_ = accelerations();
        work_j_ += struck.work_j, work_rate_w_ = work_rate();
        contacts_.gap = gaps(), contacts_.velocity = directions() * velocity();
    }
    for (int k = 0; k < sizes_.contacts; ++k)
        if (is_unilateral(k)) record_.penetration_m = std::max(record_.penetration_m, -contacts_.gap[k]);
    look_for_depth();
    ends();
}

}  // namespace myriad::reference
