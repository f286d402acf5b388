// The one solver of contact problems: Coulomb's friction and unilateral or bilateral contact, on velocity level.
//
//   u = G l + b                                  local velocities; l: impulses or forces; G: Delassus matrix
//   l_N = proj_[0,inf)(l_N - r_N u_N)            nonsmooth eqs. 27, 39, 47; a bilateral contact: proj_R
//   l_T = proj_{|x| <= mu |l_N|}(l_T - r_T u_T)  nonsmooth eqs. 28, 40, 48
//
// Solved is f(l) = l - proj(l - r u) = 0 by nonsmooth Newton steps with the derivative of the projections (nonsmooth
// eqs. 42 to 45 and, where a contact slides, that of the disc's projection), taken where they lower the residual;
// elsewhere sweeps of the fixed point over the contacts, followed by Newton steps for the proximal point of a softer
// problem. r of a direction is the reciprocal of the row sum of |G|, with which the fixed point of all contacts at once
// does not expand for a symmetric G (Gershgorin). Dependent contacts make G singular: Newton's matrix then has a small
// multiple of the identity in its closed rows, which leaves u of a solution as it is, so that u converges although l is
// not unique. Not handled: laws without a solution, or where jamming contacts defeat the iteration: that lane stalls.
#pragma once
#include "kernels/elementary.hpp"
#include "kernels/small_factors.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// All contacts that there is room for.
template <int C>
struct AllContacts {
    static MYRIAD_HD constexpr int count() { return C; }
    static MYRIAD_HD constexpr int whole() { return C; }
    static MYRIAD_HD constexpr int number(int k) { return k; }
};
// Some of `whole` contacts, in rising order: without those that are open in every lane. A contact that is listed and
// open has no influence on the bits of the others, nor has one that is left out.
template <int C>
struct ListedContacts {
    int listed, of;
    short numbers[C];
    MYRIAD_HD int count() const { return listed; }
    MYRIAD_HD int whole() const { return of; }
    MYRIAD_HD int number(int k) const { return numbers[k]; }
};

// At most `C` contacts with `T` tangential directions each (0, 1 or 2). The rows are ordered by contacts: normal,
// tangents. Which of a system's contacts they are is for `Listed` to say.
template <int C, int T, class R, class Listed = AllContacts<C>>
struct ContactProblem {
    using Real = R;
    using List = Listed;
    static constexpr int contacts = C, tangents = T, directions = 1 + T, rows = C * directions;
    Listed listed;
    SquareMatrix<rows, Real> delassus;     // G, 1/kg where l are impulses
    Vec<rows, Real> free_velocity;         // b, m/s
    Vec<C, Real> friction;                 // mu
    MaskOf<Real> closed[C], bilateral[C];  // the impulses of a contact that is not closed are zero

    MYRIAD_HD constexpr int row_count() const { return listed.count() * directions; }
    MYRIAD_HD Real velocity(int row, const Vec<rows, Real>& impulse) const {
        Real u = free_velocity[row];
        MYRIAD_UNROLL_PLAN for (int j = 0; j < row_count(); ++j) u = fma(delassus.e[row][j], impulse[j], u);
        return u;
    }
};

template <class Real>
struct ProxOutcome {
    MaskOf<Real> converged;
    Real iterations;  // Newton steps, each with the sweeps that followed where it was not taken
    Real residual;    // the largest |l - proj(l - r u)| / r over the rows, relative to that of |b| + |G| |l|
};

template <int C, int T, class R, class Listed = AllContacts<C>>
class ContactSolver {
  public:
    using Real = R;
    using Mask = MaskOf<Real>;
    using Problem = ContactProblem<C, T, Real, Listed>;
    static constexpr int directions = Problem::directions;
    using Rows = Vec<Problem::rows, Real>;

    // Keeps a reference to the problem.
    MYRIAD_HD explicit ContactSolver(const Problem& problem) : problem_(problem) {
        const Real zero(0.0);
        Real largest(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) {
            Real sum = zero;
            MYRIAD_UNROLL_PLAN for (int j = 0; j < rows(); ++j) sum =
                sum + select(problem.closed[j / directions], absolute(problem.delassus.e[i][j]), zero);
            mobility_[i] = sum;
            largest = maximum(sum, largest);
        }
        // No impulse moves along a row of zeros; any r will do there.
        largest = select(zero < largest, largest, Real(1.0));
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) mobility_[i] =
            select(zero < mobility_[i], mobility_[i], largest);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < contacts(); ++k) {
            const int n = k * directions;
            if constexpr (T == 2) mobility_[n + 1] = mobility_[n + 2] = maximum(mobility_[n + 1], mobility_[n + 2]);
            MYRIAD_UNROLL_PLAN for (int i = n; i < n + directions; ++i) r_[i] = Real(1.0) / mobility_[i];
        }
    }

    // From the guess in `impulse` to a solution whose residual, as in ProxOutcome, is within the tolerance; lanes that
    // are not `active` keep what they have. Where velocities carry a `noise` (m/s) for which dependent contacts have no
    // solution, what Newton's step does not better and lies within it is one.
    MYRIAD_HD ProxOutcome<Real> solve(Mask active, Real tolerance, int most_iterations, Rows& impulse,
                                      Real noise = Real(0.0)) const {
        const Real zero(0.0), one(1.0);
        Rows l;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) l[i] =
            select(problem_.closed[i / directions], impulse[i], zero);
        Evaluation at = evaluate(l, l, zero, one);
        Mask going = active & (!(at.error <= tolerance * at.scale));
        const Mask solved = active & (!going);
        ProxOutcome<Real> outcome{solved, zero, zero};
        for (int iteration = 0; iteration < most_iterations && any(going); ++iteration) {
            outcome.iterations = select(going, outcome.iterations + one, outcome.iterations);
            Rows trial = sum_of(l, newton_step(at, least_softness(), one));
            Evaluation there = evaluate(trial, trial, zero, one);
            const Mask better = going & (there.merit < Real(enough_decrease) * at.merit);
            Mask rejected = going & (!better);
            take(better, trial, there, l, at);
            const Mask settled = rejected & (at.error <= noise);
            outcome.converged = outcome.converged | settled;
            going = going & (!settled), rejected = rejected & (!settled);
            if (any(rejected)) {
                trial = recovered(l, iteration);
                there = evaluate(trial, trial, zero, one);
                take(rejected, trial, there, l, at);
            }
            const Mask done = going & (at.error <= tolerance * at.scale);
            outcome.converged = outcome.converged | done;
            going = going & (!done) & is_finite(at.merit);
        }
        outcome.converged = outcome.converged | (going & (at.error <= noise));
        outcome.residual = select(zero < at.scale, at.error / at.scale, zero);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) impulse[i] = select(active, l[i], impulse[i]);
        return outcome;
    }

  private:
    template <class Some>
    struct RowsOf {
        const Some& listed;
        MYRIAD_HD constexpr int operator()() const { return listed.count() * directions; }
    };
    // Relative to the mobility: enough for a pivot where contacts depend on each other, little beside 1.
    static MYRIAD_HD Real least_softness() { return constant<Real>(1e-9, 1e-4); }
    static constexpr double enough_decrease = 0.81;  // of the merit, which is a square
    static constexpr int sweeps = 10, proximal_steps = 6;

    struct Evaluation {
        Rows argument;    // l - r u
        Rows difference;  // f = l - proj(l - r u)
        Real merit;       // sum of f^2 / r
        Real error;       // largest |f| / r, m/s
        Real scale;       // largest |b| + |G| |l|
    };

    MYRIAD_HD constexpr int contacts() const { return problem_.listed.count(); }
    MYRIAD_HD constexpr int rows() const { return problem_.row_count(); }
    // Only what is listed has been written.
    MYRIAD_HD Rows sum_of(const Rows& a, const Rows& b) const {
        Rows sum;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) sum[i] = a[i] + b[i];
        return sum;
    }

    static MYRIAD_HD Real length_of(const Rows& x, int tangent) {
        if constexpr (T == 2) return sqrt(fma(x[tangent], x[tangent], x[tangent + 1] * x[tangent + 1]));
        return absolute(x[tangent]);
    }
    MYRIAD_HD Real projected_normal(int k, Real argument) const {
        return select(problem_.bilateral[k] | (Real(0.0) < argument), argument, Real(0.0));
    }
    // The factor by which the projection on a disc shortens a vector of this length.
    static MYRIAD_HD Real shortening(Real radius, Real length) {
        return select(radius < length, radius / length, Real(1.0));
    }

    // Of the problem with G + softness/r and b - softness/r centre, whose solution is a proximal point of the centre;
    // with r stretched.
    MYRIAD_ROOM Evaluation evaluate(const Rows& l, const Rows& centre, Real softness, Real stretch) const {
        const Real zero(0.0);
        Evaluation at;
        at.merit = at.error = at.scale = zero;
        MYRIAD_UNROLL_PLAN for (int k = 0; k < contacts(); ++k) {
            const int n = k * directions;
            MYRIAD_UNROLL_PLAN for (int i = n; i < n + directions; ++i) {
                Real u = problem_.free_velocity[i], size = absolute(u);
                MYRIAD_UNROLL_PLAN for (int j = 0; j < rows(); ++j) {
                    const Real part = problem_.delassus.e[i][j] * l[j];
                    u = u + part, size = size + absolute(part);
                }
                at.argument[i] = fma(-softness, l[i] - centre[i], fma(-stretch * r_[i], u, l[i]));
                at.scale = maximum(select(problem_.closed[k], size, zero), at.scale);
            }
            const Real normal = projected_normal(k, at.argument[n]);
            at.difference[n] = l[n] - normal;
            if constexpr (T > 0) {
                const Real keep = shortening(problem_.friction[k] * absolute(normal), length_of(at.argument, n + 1));
                MYRIAD_UNROLL_PLAN for (int i = n + 1; i < n + directions; ++i) at.difference[i] =
                    fma(-keep, at.argument[i], l[i]);
            }
            MYRIAD_UNROLL_PLAN for (int i = n; i < n + directions; ++i) {
                at.difference[i] = select(problem_.closed[k], at.difference[i], zero);
                const Real velocity = mobility_[i] * at.difference[i];
                at.merit = fma(velocity, at.difference[i], at.merit);
                at.error = maximum(absolute(velocity), at.error);
            }
        }
        // A NaN would be lost in `error`: the merit has it.
        at.error = select(is_finite(at.merit), at.error, at.merit);
        return at;
    }
    MYRIAD_HD void take(Mask mask, const Rows& trial, const Evaluation& there, Rows& l, Evaluation& at) const {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) {
            l[i] = select(mask, trial[i], l[i]);
            at.argument[i] = select(mask, there.argument[i], at.argument[i]);
            at.difference[i] = select(mask, there.difference[i], at.difference[i]);
        }
        at.merit = select(mask, there.merit, at.merit), at.error = select(mask, there.error, at.error);
        at.scale = select(mask, there.scale, at.scale);
    }

    // d(argument_i)/dl_j
    MYRIAD_HD Real slope(int i, int j, Real softness, Real stretch) const {
        const Real other = -(stretch * r_[i] * problem_.delassus.e[i][j]);
        return i == j ? (Real(1.0) - softness) + other : other;
    }

    // -(df/dl)^-1 f of the softer problem with r stretched.
    MYRIAD_ROOM Rows newton_step(const Evaluation& at, Real softness, Real stretch) const {
        const Real zero(0.0), one(1.0);
        SquareMatrix<Problem::rows, Real> m;
        MYRIAD_UNROLL_PLAN for (int k = 0; k < contacts(); ++k) {
            const int n = k * directions;
            const Mask closed = problem_.closed[k];
            const Mask pressed = closed & (problem_.bilateral[k] | (zero < at.argument[n]));
            MYRIAD_UNROLL_PLAN for (int j = 0; j < rows(); ++j) m.e[n][j] =
                select(pressed, -slope(n, j, softness, stretch), zero);
            if constexpr (T > 0) {
                const Real radius = problem_.friction[k] * absolute(projected_normal(k, at.argument[n]));
                const Real length = length_of(at.argument, n + 1);
                const Mask slides = radius < length, sticks = closed & (!slides);
                fill_sliding_rows(at, n, closed & slides, length, radius, select(pressed, problem_.friction[k], zero),
                                  softness, stretch, m);
                MYRIAD_UNROLL_PLAN for (int i = n + 1; i < n + directions; ++i) {
                    MYRIAD_UNROLL_PLAN for (int j = 0; j < rows(); ++j) m.e[i][j] =
                        select(sticks, -slope(i, j, softness, stretch), m.e[i][j]);
                }
            }
            MYRIAD_UNROLL_PLAN for (int i = n; i < n + directions; ++i) m.e[i][i] = m.e[i][i] + one;
        }
        Rows right;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) right[i] = -at.difference[i];
        return solve_large_with_exchange(m, right, RowsOf<Listed>{problem_.listed});
    }
    // Minus the derivative of mu |argument_N| t, t = argument_T / |argument_T|:
    // d = mu t d|argument_N| + radius/length (I - t t^T) d(argument_T)
    MYRIAD_HD void fill_sliding_rows(const Evaluation& at, int n, Mask slides, Real length, Real radius, Real friction,
                                     Real softness, Real stretch, SquareMatrix<Problem::rows, Real>& m) const {
        const Real zero(0.0), one(1.0);
        const Real reciprocal = one / select(slides, length, one), share = radius * reciprocal;
        const Real signed_friction = select(at.argument[n] < zero, -friction, friction);
        Real t[T];
        MYRIAD_UNROLL for (int a = 0; a < T; ++a) t[a] = at.argument[n + 1 + a] * reciprocal;
        MYRIAD_UNROLL_PLAN for (int j = 0; j < rows(); ++j) {
            const Real normal = signed_friction * slope(n, j, softness, stretch);
            Real along(0.0);
            if constexpr (T == 2)
                along = fma(t[0], slope(n + 1, j, softness, stretch), t[1] * slope(n + 2, j, softness, stretch));
            MYRIAD_UNROLL for (int a = 0; a < T; ++a) {
                Real row = t[a] * normal;
                if constexpr (T == 2) row = fma(share, fma(-t[a], along, slope(n + 1 + a, j, softness, stretch)), row);
                m.e[n + 1 + a][j] = select(slides, -row, zero);
            }
        }
    }

    // What an iteration does where Newton's step did not help: from the sweeps, or from the impulses of one contact
    // alone, Newton steps to the proximal point. Whether a contact sticks, slides or opens may go round in a cycle of
    // Newton's method, and in which depends on the softness, on r and on the start: so they vary by turns.
    MYRIAD_ROOM Rows recovered(Rows l, int iteration) const {
        const int turn = iteration % 5, round = iteration / 5 % 4;
        const Real softness = turn == 0 ? least_softness()
                                        : Real(turn == 1   ? 1e-1
                                               : turn == 2 ? 1e-2
                                               : turn == 3 ? 1e-3
                                                           : 1e-4);
        const Real stretch(round == 0 ? 1.0 : round == 1 ? 2.0 : round == 2 ? 8.0 : 32.0);
        if (iteration / 20 % 2 == 0) {
            const Real relaxation(round == 0 ? 1.0 : round == 1 ? 0.7 : round == 2 ? 0.4 : 0.2);
            for (int i = 0; i < sweeps; ++i) sweep(l, relaxation);
        } else {
            const int alone = iteration / 5 % problem_.listed.whole();
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rows(); ++i) l[i] =
                problem_.listed.number(i / directions) == alone ? l[i] : Real(0.0);
        }
        const Rows centre = l;
        for (int i = 0; i < proximal_steps; ++i)
            l = sum_of(l, newton_step(evaluate(l, centre, softness, stretch), softness, stretch));
        return l;
    }

    // The fixed point contact by contact, there and back, each with the newest impulses and the r of its own block.
    MYRIAD_HD void sweep(Rows& l, Real relaxation) const {
        const Real zero(0.0), one(1.0);
        for (int step = 0; step < 2 * contacts(); ++step) {
            const int k = step < contacts() ? step : 2 * contacts() - 1 - step, n = k * directions;
            const Mask closed = problem_.closed[k];
            const Real own = problem_.delassus.e[n][n], r_normal = select(zero < own, one / own, r_[n]);
            const Real normal = projected_normal(k, fma(-r_normal, problem_.velocity(n, l), l[n]));
            l[n] = fma(relaxation, select(closed, normal, zero) - l[n], l[n]);
            if constexpr (T > 0) {
                // The largest eigenvalue of the tangential block.
                Real largest = problem_.delassus.e[n + 1][n + 1];
                if constexpr (T == 2) {
                    const Real other = problem_.delassus.e[n + 2][n + 2], half = Real(0.5) * (largest - other),
                               coupling = problem_.delassus.e[n + 1][n + 2];
                    largest = fma(Real(0.5), largest + other, sqrt(fma(half, half, coupling * coupling)));
                }
                const Real r_tangent = select(zero < largest, one / largest, r_[n + 1]);
                Rows argument = l;
                MYRIAD_UNROLL for (int i = n + 1; i < n + directions; ++i) argument[i] =
                    fma(-r_tangent, problem_.velocity(i, l), l[i]);
                const Real keep = shortening(problem_.friction[k] * absolute(l[n]), length_of(argument, n + 1));
                MYRIAD_UNROLL for (int i = n + 1; i < n + directions; ++i) l[i] =
                    fma(relaxation, select(closed, keep * argument[i], zero) - l[i], l[i]);
            }
        }
    }

    const Problem& problem_;
    Rows mobility_, r_;  // 1/r and r
};

}  // namespace myriad::inline MYRIAD_VARIANT
