#include "host/reference/contact/nonsmooth_contact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index;

// Relative to the sizes in the problem: round-off of long double through a badly conditioned combination.
constexpr ContactNumber slack = 1e-11L;
// Steps that find the direction of sliding in space: first with the direction of the step before, then Newton's.
constexpr int directions_held = 250, most_direction_steps = 300;
constexpr int scanned_directions = 360, halvings = 70;
constexpr ContactNumber held_share = 0.1L;  // of a correction: the whole one may turn back and forth

class Enumeration {
  public:
    explicit Enumeration(const LocalProblem& problem)
        : problem_(problem),
          g_(problem.delassus.cast<ContactNumber>()),
          b_(problem.free_velocity.cast<ContactNumber>()),
          directions_(1 + problem.tangents),
          velocity_scale_(b_.size() > 0 ? b_.cwiseAbs().maxCoeff() : ContactNumber(0)) {}

    std::optional<LocalSolution> solution_of(const std::vector<ContactState>& states) const {
        ContactVector l = ContactVector::Zero(b_.size());
        const int most_steps = problem_.tangents == 2 ? most_direction_steps : 1;
        for (int step = 0; step < most_steps; ++step) {
            const bool turns = step >= directions_held;
            ContactMatrix matrix = ContactMatrix::Identity(l.size(), l.size());
            ContactVector residual = l;
            for (std::size_t k = 0; k < states.size(); ++k)
                fill(static_cast<Index>(k), states[k], turns, l, matrix, residual);
            const Decomposition<ContactNumber> decomposition = full_pivoting(matrix, dependent_pivot);
            const ContactVector correction = decomposition.solve(residual);
            if (!correction.allFinite()) return std::nullopt;
            l -= step > 0 && !turns && problem_.tangents == 2 ? ContactVector(held_share * correction) : correction;
            if (turns && correction.norm() <= 1e-17L * l.norm()) break;
        }
        if (!obeys(states, l)) return scanned(states);
        return LocalSolution{l.cast<double>(), states};
    }

  private:
    // Where one contact alone slides in space and Newton's method lost its direction: all directions, then bisection.
    std::optional<LocalSolution> scanned(const std::vector<ContactState>& states) const {
        const auto sliding = std::count(states.begin(), states.end(), ContactState::slide_forward);
        if (problem_.tangents != 2 || sliding != 1) return std::nullopt;
        const Index k = std::find(states.begin(), states.end(), ContactState::slide_forward) - states.begin();
        ContactVector l;
        // The slip across the direction of sliding, zero where both agree.
        const auto across = [&](ContactNumber angle) {
            l = with_direction(states, k, angle);
            const ContactVector slip = (g_ * l + b_).segment(k * directions_ + 1, 2);
            return slip[1] * std::cos(angle) - slip[0] * std::sin(angle);
        };
        ContactNumber low = 0, at_low = across(low);
        for (int i = 1; i <= scanned_directions; ++i) {
            ContactNumber high = 2 * std::numbers::pi_v<ContactNumber> * i / scanned_directions;
            const ContactNumber next = high, at_next = across(high);
            if ((at_low < 0) != (at_next < 0)) {
                for (int halving = 0; halving < halvings; ++halving) {
                    const ContactNumber middle = (low + high) / 2;
                    ((across(middle) < 0) == (at_low < 0) ? low : high) = middle;
                }
                if (obeys(states, l)) return LocalSolution{l.cast<double>(), states};
            }
            low = next, at_low = at_next;
        }
        return std::nullopt;
    }
    // The impulses of these states where contact k slides in a given direction.
    ContactVector with_direction(const std::vector<ContactState>& states, Index k, ContactNumber angle) const {
        const ContactVector none = ContactVector::Zero(b_.size());
        ContactMatrix matrix = ContactMatrix::Identity(b_.size(), b_.size());
        ContactVector residual = none;
        for (std::size_t i = 0; i < states.size(); ++i)
            if (static_cast<Index>(i) != k) fill(static_cast<Index>(i), states[i], false, none, matrix, residual);
        const Index n = k * directions_;
        matrix.row(n) = g_.row(n), residual[n] = b_[n];
        matrix(n + 1, n) = contact(k).friction * std::cos(angle);
        matrix(n + 2, n) = contact(k).friction * std::sin(angle);
        const Decomposition<ContactNumber> decomposition = full_pivoting(matrix, dependent_pivot);
        return -decomposition.solve(residual);
    }

    const LocalContact& contact(Index k) const { return problem_.contacts[static_cast<std::size_t>(k)]; }

    // The equations of contact k and their derivative at the impulses l; with the direction of sliding held unless
    // `turns`.
    void fill(Index k, ContactState state, bool turns, const ContactVector& l, ContactMatrix& matrix,
              ContactVector& residual) const {
        if (state == ContactState::open) return;
        const Index n = k * directions_;
        const ContactVector u = g_ * l + b_;
        matrix.row(n) = g_.row(n), residual[n] = u[n];
        if (problem_.tangents == 0) return;
        const auto tangents = Eigen::seqN(n + 1, problem_.tangents);
        if (state == ContactState::stick) {
            matrix(tangents, Eigen::all) = g_(tangents, Eigen::all), residual(tangents) = u(tangents);
            return;
        }
        const ContactNumber mu = contact(k).friction, sign = l[n] < 0 ? ContactNumber(-1) : ContactNumber(1);
        if (problem_.tangents == 1) {
            const ContactNumber way = state == ContactState::slide_forward ? ContactNumber(1) : ContactNumber(-1);
            // l_N may have either sign where the contact is bilateral: `obeys` has the last word.
            matrix.row(n + 1).setZero();
            matrix(n + 1, n + 1) = 1, matrix(n + 1, n) = way * mu;
            residual[n + 1] = l[n + 1] + way * mu * l[n];
            return;
        }
        const ContactVector slip = u(tangents);
        const ContactNumber speed = slip.norm();
        if (!(speed > 0)) return;  // then l_T = 0 and the next step knows more
        const ContactVector way = slip / speed;
        const ContactMatrix turning =
            (ContactMatrix::Identity(2, 2) - way * way.transpose()) / speed * ContactMatrix(g_(tangents, Eigen::all));
        if (turns) matrix(tangents, Eigen::all) += sign * mu * l[n] * turning;
        matrix(tangents, n) += sign * mu * way;
        residual(tangents) = l(tangents) + sign * mu * l[n] * way;
    }

    bool obeys(const std::vector<ContactState>& states, const ContactVector& l) const {
        const ContactVector u = g_ * l + b_;
        const ContactNumber impulses = l.cwiseAbs().maxCoeff();
        const ContactNumber velocities = velocity_scale_ + (g_.cwiseAbs() * l.cwiseAbs()).maxCoeff();
        const ContactNumber impulse_slack = slack * impulses, velocity_slack = slack * velocities;
        for (std::size_t i = 0; i < states.size(); ++i) {
            const Index k = static_cast<Index>(i), n = k * directions_;
            if (!contact(k).closed) continue;
            if (states[i] == ContactState::open) {
                if (contact(k).bilateral || u[n] < -velocity_slack) return false;
                continue;
            }
            if (std::abs(u[n]) > velocity_slack) return false;
            if (!contact(k).bilateral && l[n] < -impulse_slack) return false;
            if (problem_.tangents == 0) continue;
            const ContactVector slip = u.segment(n + 1, problem_.tangents),
                                friction = l.segment(n + 1, problem_.tangents);
            const ContactNumber radius = contact(k).friction * std::abs(l[n]);
            if (states[i] == ContactState::stick) {
                if (slip.norm() > velocity_slack || friction.norm() > radius + impulse_slack) return false;
                continue;
            }
            if (std::abs(friction.norm() - radius) > impulse_slack) return false;
            if (friction.dot(slip) > -radius * slip.norm() + slack * impulses * velocities) return false;
        }
        return true;
    }

    const LocalProblem& problem_;
    ContactMatrix g_;
    ContactVector b_;
    Index directions_;
    ContactNumber velocity_scale_;
};

// The states a contact may be in. A bilateral contact in a plane may slide either way with either sign of its normal
// impulse; both are among the two combinations l_T = -+ mu l_N.
std::vector<ContactState> states_of(const LocalContact& contact, int tangents) {
    using enum ContactState;
    if (!contact.closed) return {open};
    std::vector<ContactState> states;
    if (!contact.bilateral) states.push_back(open);
    states.push_back(stick);
    if (tangents > 0) states.push_back(slide_forward);
    if (tangents == 1) states.push_back(slide_backward);
    return states;
}

}  // namespace

std::optional<LocalSolution> enumerate_contacts(const LocalProblem& problem, const std::vector<ContactState>& first) {
    if (!problem.bounds.empty()) throw std::logic_error("the enumeration does not know bounded rows");
    for (const LocalContact& contact : problem.contacts)
        if (problem.tangents_of(contact) < problem.tangents)
            throw std::logic_error("the enumeration wants as many tangents of every contact");
    const Enumeration enumeration(problem);
    if (first.size() == problem.contacts.size()) {
        std::vector<ContactState> states = first;
        for (std::size_t k = 0; k < states.size(); ++k)
            if (!problem.contacts[k].closed) states[k] = ContactState::open;
        if (auto solution = enumeration.solution_of(states)) return solution;
    }
    std::vector<std::vector<ContactState>> possible;
    for (const LocalContact& contact : problem.contacts) possible.push_back(states_of(contact, problem.tangents));
    std::vector<std::size_t> choice(possible.size(), 0);
    for (;;) {
        std::vector<ContactState> states;
        for (std::size_t k = 0; k < possible.size(); ++k) states.push_back(possible[k][choice[k]]);
        if (auto solution = enumeration.solution_of(states)) return solution;
        std::size_t k = 0;
        while (k < choice.size() && ++choice[k] == possible[k].size()) choice[k++] = 0;
        if (k == choice.size()) return std::nullopt;
    }
}

double contact_law_violation(const LocalProblem& problem, const Eigen::VectorXd& impulse) {
    const Eigen::VectorXd u = problem.delassus * impulse + problem.free_velocity;
    const double velocities =
        (problem.free_velocity.cwiseAbs() + problem.delassus.cwiseAbs() * impulse.cwiseAbs()).maxCoeff();
    const double impulses = impulse.cwiseAbs().maxCoeff();
    if (velocities == 0.0) return impulses;
    const double any_impulse = impulses > 0.0 ? impulses : 1.0;
    double worst = 0.0;
    const auto note = [&](double violation) { worst = std::isnan(violation) ? violation : std::max(worst, violation); };
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
        const LocalContact& contact = problem.contacts[i];
        const Index n = static_cast<Index>(i) * (1 + problem.tangents);
        const double normal = impulse[n] / any_impulse, opening = u[n] / velocities;
        const Index tangents = problem.tangents_of(contact);
        const Eigen::VectorXd friction = impulse.segment(n + 1, tangents) / any_impulse,
                              slip = u.segment(n + 1, tangents) / velocities;
        for (Index unused = n + 1 + tangents; unused <= n + problem.tangents; ++unused) note(std::abs(impulse[unused]));
        if (!contact.closed) {
            note(std::max(std::abs(normal), friction.norm()));
            continue;
        }
        // min(l, u) = 0 is l >= 0, u >= 0, l u = 0 in one number.
        note(contact.bilateral ? std::abs(opening) : std::abs(std::min(normal, opening)));
        if (tangents == 0) continue;
        const double radius = contact.friction * std::abs(normal);
        note(friction.norm() - radius);
        // Either the slip is zero, or the friction is the one opposed to it.
        const double speed = slip.norm();
        if (speed > 0.0) note(std::min(speed, (friction + radius / speed * slip).norm()));
    }
    for (std::size_t i = 0; i < problem.bounds.size(); ++i) {
        const Index n = problem.contact_rows() + static_cast<Index>(i);
        const double force = impulse[n] / any_impulse, bound = problem.bounds[i] / any_impulse,
                     speed = std::abs(u[n]) / velocities;
        note(std::abs(force) - bound);
        if (speed > 0.0) note(std::min(speed, std::abs(force + std::copysign(bound, u[n]))));
    }
    return worst;
}

}  // namespace myriad::reference
