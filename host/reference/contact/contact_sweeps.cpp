#include "host/reference/contact/contact_sweeps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "host/reference/contact/contact_numbers.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

namespace {

using Three = Eigen::Matrix<ContactNumber, 3, 1>;
using Block = Eigen::Matrix<ContactNumber, 3, 3>;
using Plane = Eigen::Matrix<ContactNumber, 2, 1>;
using Eigen::Index;

// Violations of the laws, relative: as small as round-off of the problem's numbers allows, and what is taken where more
// sweeps do not help.
constexpr double round_off = 2e-15, good_enough = 1e-12;
constexpr double least_progress = 0.9;  // between two reviews of sweeps that converge
constexpr int most_sweeps = 40000, sweeps_per_attempt = 20, sweeps_per_review = 500, enough_sweeps = 60,
              most_corrections = 12, most_changes = 20, splittings = 60, steps_per_splitting = 300;
// A share of the largest entry: below it a velocity is round-off.
constexpr ContactNumber negligible = 1e-15L;
// Velocities of impulses beside those without them. Round-off of larger ones, which cancel, would move the bodies.
constexpr double most_cancelled = 1e8;
constexpr std::array<ContactNumber, 4> splitting_weights = {1, 10, 0.1L, 100};
constexpr int directions_tried = 48, most_bisections = 80;

// One contact: u = A l + c.
struct OneContact {
    Block a;
    Three c;
    ContactNumber friction;
    int tangents;

    Three sliding(const Plane& way) const {
        const ContactNumber pull = a(0, 0) - friction * a.row(0).tail<2>().dot(way);
        const ContactNumber normal = -c[0] / pull;
        return {normal, -friction * normal * way[0], -friction * normal * way[1]};
    }
    Plane slip(const Three& l) const { return a.bottomRows<2>() * l + c.tail<2>(); }
    static Plane way(ContactNumber angle) { return {std::cos(angle), std::sin(angle)}; }
    // Positive where the slip is to the left of the direction; zero where it is along it.
    ContactNumber leftward(ContactNumber angle) const {
        const Plane w = way(angle), s = slip(sliding(w));
        return w[0] * s[1] - w[1] * s[0];
    }

    Three solution(ContactState& state, const Three& before) const {
        state = ContactState::open;
        if (c[0] >= 0) return Three::Zero();
        const ContactNumber least = negligible * c.cwiseAbs().maxCoeff();
        state = ContactState::stick;
        Three stuck = least_norm(a, dependent_pivot).solve(-c);
        stuck.tail(2 - tangents).setZero();
        const bool may_stick = (a * stuck + c).norm() <= 1e3L * least;
        if (may_stick && stuck[0] >= 0 && stuck.tail<2>().norm() <= friction * stuck[0]) return stuck;
        state = ContactState::slide_forward;
        if (friction == 0 || tangents == 0) return sliding({0, 0});
        constexpr ContactNumber turn = 2 * std::numbers::pi_v<ContactNumber>;
        ContactNumber angle = 0, value = leftward(0);
        Three best = before;
        ContactNumber best_agreement = -std::numeric_limits<ContactNumber>::infinity();
        const auto consider = [&](const Plane& w) {
            const Three l = sliding(w);
            const Plane s = slip(l);
            if (!(l[0] >= 0)) return false;
            const ContactNumber agreement = s.norm() <= least ? ContactNumber(0) : w.dot(s);
            // Forces that leave no slip may be many: the least one is taken.
            const bool presses_less = agreement == best_agreement && l[0] < best[0],
                       is_better = agreement >= 0 && (agreement > best_agreement || presses_less);
            if (is_better) best = l, best_agreement = agreement;
            return is_better;
        };
        if (tangents == 1) {
            consider({1, 0});
            if (consider({-1, 0})) state = ContactState::slide_backward;
            return best;
        }
        // Along the steepest pull the impulse is the smallest; a dependent contact may take it without a slip.
        if (const Plane steepest = -a.row(0).tail<2>().transpose().normalized(); may_stick && steepest.allFinite())
            if (slip(sliding(steepest)).norm() <= 1e3L * least && sliding(steepest)[0] >= 0) return sliding(steepest);
        for (int k = 1; k <= directions_tried; ++k) {
            const ContactNumber next = turn * ContactNumber(k) / directions_tried, next_value = leftward(next);
            if (std::abs(value) <= least * least) consider(way(angle));
            if ((value > 0) != (next_value > 0)) {
                ContactNumber low = angle, high = next;
                const bool rises = next_value > 0;
                for (int i = 0; i < most_bisections; ++i) {
                    const ContactNumber middle = ContactNumber(0.5) * (low + high);
                    ((leftward(middle) > 0) == rises ? high : low) = middle;
                }
                consider(way(ContactNumber(0.5) * (low + high)));
            }
            angle = next, value = next_value;
        }
        return best;
    }
};

// One bounded row: u = a l + c. A bound of nothing slides, whichever way.
struct OneBounded {
    ContactNumber a, c, bound;

    ContactState state() const {
        using enum ContactState;
        if (c > a * bound || (c >= 0 && bound == 0)) return slide_forward;
        return c < -a * bound || bound == 0 ? slide_backward : stick;
    }
    // 0 where nothing can move the row, and it does not move.
    ContactNumber solution(ContactState state) const {
        if (state == ContactState::stick) return a > 0 ? -c / a : ContactNumber(0);
        return state == ContactState::slide_forward ? 0 - bound : bound;
    }
};

class Sweeps {
  public:
    Sweeps(const LocalProblem& problem, const Eigen::VectorXd& guess)
        : problem_(problem),
          g_(problem.delassus.cast<ContactNumber>()),
          b_(problem.free_velocity.cast<ContactNumber>()),
          l_(guess.cast<ContactNumber>()),
          contacts_(problem.contacts.size()),
          bounded_(problem.contact_rows()),
          states_(contacts_ + problem.bounds.size(), ContactState::open) {
        for (std::size_t k = 0; k < contacts_; ++k) {
            const Index n = 3 * static_cast<Index>(k);
            if (!problem.contacts[k].closed) l_.segment<3>(n).setZero();
            for (Index row = n + 1 + problem.tangents_of(problem.contacts[k]); row < n + 3; ++row)
                g_.row(row).setZero(), g_.col(row).setZero(), b_[row] = l_[row] = 0, unused_.push_back(row);
        }
    }

    SweptSolution solution() {
        SweptSolution best;
        best.violation = std::numeric_limits<double>::infinity();
        best.impulse = Eigen::VectorXd::Zero(b_.size());
        const auto keep = [&](const ContactVector& l) {
            if (!l.allFinite()) return;
            const Eigen::VectorXd impulse = l.cast<double>();
            const double pushed = (problem_.delassus.cwiseAbs() * impulse.cwiseAbs()).maxCoeff();
            if (pushed > most_cancelled * problem_.free_velocity.cwiseAbs().maxCoeff()) return;
            const double violation = contact_law_violation(problem_, impulse);
            // Takes the later of two equally good ones: its small rows are better where others are large.
            if (violation <= std::max(best.violation, round_off)) best.violation = violation, best.impulse = impulse;
        };
        const auto attempt = [&](ContactVector l) {
            for (int i = 0; i < most_changes; ++i) {
                const std::vector<ContactState> states = states_at(l);
                l = newton(l, states);
                keep(l);
                if (!l.allFinite() || states_at(l) == states) return;
            }
        };
        keep(ContactVector::Zero(b_.size()));
        attempt(l_);
        double reviewed = std::numeric_limits<double>::infinity();
        for (int sweep = 1; sweep <= most_sweeps && best.violation > round_off; ++sweep) {
            if (sweep >= enough_sweeps && best.violation <= good_enough) break;
            once();
            best.sweeps = sweep;
            const bool is_exact = states_.size() == 1;
            if (sweep % sweeps_per_review == 0) {
                const double now = contact_law_violation(problem_, l_.cast<double>());
                if (!(now <= least_progress * reviewed)) break;
                reviewed = now;
            }
            if (sweep > 2 && sweep % sweeps_per_attempt != 0) continue;
            keep(l_);
            keep(newton(l_, states_));
            if (best.violation > round_off) attempt(l_);
            if (is_exact) break;
        }
        const SweptSolution swept = best;
        ContactVector driver = best.impulse.cast<ContactNumber>();
        for (int k = 0; k < splittings && best.violation > good_enough; ++k) {
            split(driver, splitting_weights[static_cast<std::size_t>(k) % splitting_weights.size()]);
            keep(l_);
            attempt(l_);
        }
        // Without a solution its impulses grow on and on, and beside them any violation is small.
        return best.violation <= good_enough ? best : swept;
    }

  private:
    void once() {
        for (std::size_t i = 0; i < contacts_; ++i) {
            if (!problem_.contacts[i].closed) continue;
            const Index n = 3 * static_cast<Index>(i);
            OneContact one;
            one.a = g_.block<3, 3>(n, n);
            const Three before = l_.segment<3>(n);
            one.c = (g_.middleRows<3>(n) * l_ + b_.segment<3>(n)) - one.a * before;
            one.friction = problem_.contacts[i].friction, one.tangents = problem_.contacts[i].tangents;
            l_.segment<3>(n) = one.solution(states_[i], before);
        }
        for (std::size_t i = 0; i < problem_.bounds.size(); ++i) {
            const Index n = bounded_ + static_cast<Index>(i);
            const OneBounded one = bounded(i, l_, g_.row(n).dot(l_) + b_[n]);
            ContactState& state = states_[contacts_ + i];
            state = one.state();
            l_[n] = one.solution(state);
        }
    }
    // Row i of the bounded ones, the others' impulses held, where its velocity is u.
    OneBounded bounded(std::size_t i, const ContactVector& l, ContactNumber u) const {
        const Index n = bounded_ + static_cast<Index>(i);
        return {g_(n, n), u - g_(n, n) * l[n], problem_.bounds[i]};
    }

    // Douglas and Rachford's splitting into the laws and the equations u = G l + b: its steps do not expand where the
    // symmetric part of G is positive, however large the skew part is. Sweeps want contacts that answer to themselves.
    void split(ContactVector& driver, ContactNumber weight) {
        ContactMatrix g = g_;
        ContactVector b = b_;
        for (std::size_t k = 0; k < contacts_; ++k) {
            if (problem_.contacts[k].closed) continue;
            const auto rows = Eigen::seqN(3 * static_cast<Index>(k), 3);
            g(rows, Eigen::all).setZero(), g(Eigen::all, rows).setZero(), b(rows).setZero();
        }
        weight /= g.cwiseAbs().rowwise().sum().maxCoeff();
        const Decomposition<ContactNumber> decomposition =
            full_pivoting(ContactMatrix::Identity(g.rows(), g.cols()) + weight * g, dependent_pivot);
        for (int step = 0; step < steps_per_splitting; ++step) {
            l_ = admitted(driver);
            driver += decomposition.solve(2 * l_ - driver - weight * b) - l_;
        }
    }
    ContactVector admitted(ContactVector l) const {
        for (std::size_t k = 0; k < contacts_; ++k) {
            const Index n = 3 * static_cast<Index>(k);
            l[n] = problem_.contacts[k].closed ? std::max<ContactNumber>(0, l[n]) : 0;
            const ContactNumber radius = problem_.contacts[k].friction * l[n], size = l.segment<2>(n + 1).norm();
            if (size > radius) l.segment<2>(n + 1) *= radius / size;
        }
        for (std::size_t i = 0; i < problem_.bounds.size(); ++i) {
            ContactNumber& force = l[bounded_ + static_cast<Index>(i)];
            force = std::clamp<ContactNumber>(force, -problem_.bounds[i], problem_.bounds[i]);
        }
        return l;
    }

    // The position of l and u relative to the laws: the side of the bounds on which l less a share of u lies.
    std::vector<ContactState> states_at(const ContactVector& l) const {
        const ContactVector u = g_ * l + b_;
        std::vector<ContactState> states;
        for (std::size_t i = 0; i < contacts_; ++i) {
            const Index n = 3 * static_cast<Index>(i);
            const ContactNumber share = 1 / g_.block<3, 3>(n, n).diagonal().cwiseAbs().maxCoeff();
            const ContactNumber normal = l[n] - share * u[n];
            const Plane tangential = l.segment<2>(n + 1) - share * u.segment<2>(n + 1);
            using enum ContactState;
            if (!problem_.contacts[i].closed || !(normal > 0))
                states.push_back(open);
            else if (tangential.norm() <= problem_.contacts[i].friction * normal)
                states.push_back(stick);
            else
                states.push_back(problem_.contacts[i].tangents == 1 && tangential[0] > 0 ? slide_backward
                                                                                         : slide_forward);
        }
        for (std::size_t i = 0; i < problem_.bounds.size(); ++i)
            states.push_back(bounded(i, l, u[bounded_ + static_cast<Index>(i)]).state());
        return states;
    }

    // Newton's method on the equations of these states.
    ContactVector newton(ContactVector l, const std::vector<ContactState>& states) const {
        for (int iteration = 0; iteration < most_corrections; ++iteration) {
            ContactMatrix matrix = ContactMatrix::Identity(l.size(), l.size());
            ContactVector residual = l;
            const ContactVector u = g_ * l + b_;
            for (std::size_t k = 0; k < contacts_; ++k) {
                if (states[k] == ContactState::open || !problem_.contacts[k].closed) continue;
                const Index n = 3 * static_cast<Index>(k);
                matrix.row(n) = g_.row(n), residual[n] = u[n];
                const auto tangents = Eigen::seqN(n + 1, 2);
                const Plane slip = u(tangents);
                const ContactNumber speed = slip.norm(), mu = problem_.contacts[k].friction;
                if (states[k] != ContactState::stick && problem_.contacts[k].tangents == 1) {
                    const ContactNumber pull = states[k] == ContactState::slide_forward ? mu : -mu;
                    matrix(n + 1, n) += pull, residual[n + 1] = l[n + 1] + pull * l[n];
                    continue;
                }
                if (states[k] == ContactState::stick || !(speed > 0)) {
                    const auto used = Eigen::seqN(n + 1, problem_.tangents_of(problem_.contacts[k]));
                    matrix(used, Eigen::all) = g_(used, Eigen::all), residual(used) = u(used);
                    continue;
                }
                const Plane way = slip / speed;
                const Eigen::Matrix<ContactNumber, 2, 2> across =
                    (Eigen::Matrix<ContactNumber, 2, 2>::Identity() - way * way.transpose()) / speed;
                matrix(tangents, Eigen::all) += mu * l[n] * (across * ContactMatrix(g_(tangents, Eigen::all)));
                matrix(tangents, n) += mu * way;
                residual(tangents) = Plane(l(tangents)) + mu * l[n] * way;
            }
            for (std::size_t i = 0; i < problem_.bounds.size(); ++i) {
                const Index n = bounded_ + static_cast<Index>(i);
                const ContactState state = states[contacts_ + i];
                if (state == ContactState::stick && g_(n, n) > 0)
                    matrix.row(n) = g_.row(n), residual[n] = u[n];
                else
                    residual[n] = l[n] - bounded(i, l, u[n]).solution(state);
            }
            const ContactVector correction = least_norm(matrix, dependent_pivot).solve(residual);
            l -= correction;
            for (const Index row : unused_) l[row] = 0;  // but for round-off they are
            if (!(correction.norm() > 1e-18L * l.norm())) break;
        }
        return l;
    }

    const LocalProblem& problem_;
    ContactMatrix g_;
    ContactVector b_, l_;
    std::size_t contacts_;
    Index bounded_;                     // the first bounded row
    std::vector<Index> unused_;         // rows of tangents that a contact does not have
    std::vector<ContactState> states_;  // of the contacts, then of the bounded rows
};

}  // namespace

SweptSolution sweep_contacts(const LocalProblem& problem, const Eigen::VectorXd& guess) {
    if (problem.tangents != 2) throw std::logic_error("sweeps are for contacts in space");
    return Sweeps(problem, guess).solution();
}

}  // namespace myriad::reference
