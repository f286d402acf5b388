// The one solver of contact problems: Coulomb's friction and unilateral or bilateral contact, on velocity level.
//
//   u = G l + b                                  local velocities; l: impulses or forces; G: Delassus matrix
//   l_N = proj_[0,inf)(l_N - r_N u_N)            nonsmooth eqs. 27, 39, 47; a bilateral contact: proj_R
//   l_T = proj_{|x| <= mu |l_N|}(l_T - r_T u_T)  nonsmooth eqs. 28, 40, 48
//   l   = proj_{|x| <= T}(l - r u)               a bounded row: dry friction of a joint
//
// The solver finds the zero of f(l) = l - proj(l - r u) by nonsmooth Newton steps with the derivative of the
// projections (nonsmooth eqs. 42 to 45 and, where a contact slides, that of the disc's projection), as long as they
// lower the residual. Else it takes turns: it starts from sweeps of the fixed point over the contacts, or from the laws
// with rounded corners (rounded_contact.hpp), and takes Newton steps for the proximal point of a softer problem. r of a
// direction is the reciprocal of the row sum of |G|: the fixed point of all contacts does not expand for a symmetric G
// (Gershgorin). Systems of planar contacts are swept over in pairs before (pair_sweeps.hpp). Newton's matrix gets a
// small multiple of the identity in its closed rows, for dependent contacts make G singular: u converges although l is
// not unique. Not handled: laws without a solution; one in 10,000 to 100,000 problems of dependent contacts without any
// order stalls at an almost solution.
#pragma once
#include "kernels/contact/pair_sweeps.hpp"
#include "kernels/contact/rounded_contact.hpp"
#include "kernels/math/control.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct ProxOutcome {
    MaskOf<Real> converged;
    Real iterations;  // sweeps over pairs; Newton steps, each with the sweeps that followed where it was not taken
    Real residual;    // the largest |l - proj(l - r u)| / r over the rows, relative to that of |b| + |G| |l|

    // `later`: what became of those `lanes`, which this did not solve.
    MYRIAD_HD void go_on(MaskOf<Real> lanes, const ProxOutcome& later) {
        iterations = iterations + later.iterations;
        converged = converged | later.converged;
        residual = select(lanes, later.residual, residual);
    }
};

template <int C, int T, class R, class Listed = AllContacts<C, T>>
class ContactSolver {
  public:
    using Real = R;
    using Mask = MaskOf<Real>;
    using Problem = ContactProblem<C, T, Real, Listed>;
    using Rows = Vec<Problem::rows, Real>;
    using Rounded = RoundedContact<C, T, Real, Listed>;
    static constexpr int rows_at_once = Problem::rows_at_once;

    // Keeps a reference to the problem.
    MYRIAD_HD explicit ContactSolver(const Problem& problem) : problem_(problem) {
        const Real zero(0.0);
        Real largest(0.0);
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) {
            Real sum = zero;
            MYRIAD_UNROLL_ROWS for (int j = 0; j < rows(); ++j) sum =
                sum + select(problem.is_closed(j), absolute(problem.delassus.e[i][j]), zero);
            mobility_[i] = sum;
            largest = maximum(sum, largest);
        }
        // An impulse in a row of zeros moves nothing; any r will do there.
        largest = select(zero < largest, largest, Real(1.0));
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) mobility_[i] =
            select(zero < mobility_[i], mobility_[i], largest);
        MYRIAD_UNROLL_ROWS for (int k = 0; k < contacts(); ++k) {
            const int n = problem.begin(k), end = problem.end(k);
            if constexpr (T == 2)
                if (end - n == 3) mobility_[n + 1] = mobility_[n + 2] = maximum(mobility_[n + 1], mobility_[n + 2]);
            MYRIAD_UNROLL_ROWS for (int i = n; i < end; ++i) r_[i] = Real(1.0) / mobility_[i];
        }
    }

    // Solves from the guess in `impulse` until the residual, as in ProxOutcome, is within the tolerance. Lanes that are
    // not `active` keep what they have. Velocities that carry a `noise` (m/s) may leave dependent contacts without a
    // solution; there a residual within the noise that Newton's step does not lower counts as solved.
    // `in_pairs`: sweeps over pairs come first; only where `may_sweep`. `is_apart`: the caller is apart from the hot
    // path already, or has more rows than a call should copy.
    template <bool may_sweep = false, bool is_apart = false>
    MYRIAD_HD ProxOutcome<Real> solve(Mask active, Real tolerance, int most_iterations, Rows& impulse,
                                      Real noise = Real(0.0), [[maybe_unused]] bool in_pairs = may_sweep) const {
        const Real zero(0.0);
        Rows l = of_closed(impulse);
        ProxOutcome<Real> outcome{!true_mask<Real>(), zero, zero};
        Mask going = active;
        int left = most_iterations;
        if constexpr (may_sweep)
            if (in_pairs) {
                outcome = by_sweeps(active, tolerance, most_iterations, l);
                going = active & !outcome.converged, left = after_sweeps(most_iterations);
            }
        MYRIAD_WHEN(going) {
            if constexpr (!may_sweep || is_apart || is_traced<Real>) {
                outcome.go_on(going, by_newton(going, tolerance, left, noise, l));
            } else {
                const Ended ended = by_newton_apart(problem_, going, tolerance, left, noise, l);
                l = ended.l, outcome.go_on(going, ended.outcome);
            }
        }
        take(active, l, impulse);
        return outcome;
    }
    // The same by sweeps over pairs alone. Lanes that these do not solve keep what they have, too.
    MYRIAD_HD ProxOutcome<Real> solve_by_sweeps(Mask active, Real tolerance, int most_iterations, Rows& impulse) const {
        Rows l = of_closed(impulse);
        const ProxOutcome<Real> outcome = by_sweeps(active, tolerance, most_iterations, l);
        take(outcome.converged, l, impulse);
        return outcome;
    }

  private:
    static constexpr double enough_decrease = 0.81;  // of the merit, which is a square
    static constexpr double coarsest_residual = 0.1;
    static constexpr int sweeps = 10, rounded_steps = 5, proximal_steps = 6, most_pair_sweeps = 20;
    static constexpr double least_contraction = 0.7;  // of a sweep over pairs

    struct Evaluation {
        Rows argument;    // l - r u
        Rows difference;  // f = l - proj(l - r u)
        Real merit;       // sum of f^2 / r
        Real error;       // largest |f| / r, m/s
        Real scale;       // largest |b| + |G| |l|, and no more than largest_scale allows
    };

    // In single precision and with a short step the noise can be as large as the velocities; it would then accept
    // anything as a solution.
    static MYRIAD_HD Mask lies_within(Real noise, const Evaluation& at) {
        return (at.error <= noise) & (at.error <= Real(coarsest_residual) * at.scale);
    }
    MYRIAD_HD constexpr int contacts() const { return problem_.listed.count(); }
    MYRIAD_HD constexpr int rows() const { return problem_.row_count(); }
    // Only the listed rows have been written.
    MYRIAD_HD Rows sum_of(const Rows& a, const Rows& b) const {
        Rows sum;
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) sum[i] = a[i] + b[i];
        return sum;
    }

    MYRIAD_HD Rows of_closed(const Rows& impulse) const {
        Rows l;
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) l[i] = select(problem_.is_closed(i), impulse[i], Real(0.0));
        return l;
    }
    MYRIAD_HD void take(Mask lanes, const Rows& from, Rows& to) const {
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) to[i] = select(lanes, from[i], to[i]);
    }
    // Iterations that sweeps over pairs leave to Newton's method.
    static MYRIAD_HD constexpr int after_sweeps(int most_iterations) {
        return most_iterations < most_pair_sweeps ? 0 : most_iterations - most_pair_sweeps;
    }

    // Of the tangential part of contact k, which has one.
    MYRIAD_HD Real length_of(const Rows& x, int k) const {
        const int tangent = problem_.begin(k) + 1;
        if constexpr (T == 2)
            if (problem_.end(k) - tangent == 2)
                return sqrt(fma(x[tangent], x[tangent], x[tangent + 1] * x[tangent + 1]));
        return absolute(x[tangent]);
    }
    MYRIAD_HD bool is_bounded(int k) const {
        if constexpr (Listed::has_bounds) return problem_.listed.is_bounded(k);
        return false;
    }
    // Where the projection of a normal, or of a bounded row, keeps its argument.
    MYRIAD_HD Mask is_kept(int k, Real argument) const {
        if (is_bounded(k)) return absolute(argument) < problem_.friction[k];
        return problem_.bilateral[k] | (Real(0.0) < argument);
    }
    MYRIAD_HD Real projected_normal(int k, Real argument) const {
        if (is_bounded(k)) return minimum(maximum(argument, -problem_.friction[k]), problem_.friction[k]);
        return select(problem_.bilateral[k] | (Real(0.0) < argument), argument, Real(0.0));
    }
    // The factor by which the projection on a disc shortens a vector of this length.
    static MYRIAD_HD Real shortening(Real radius, Real length) {
        return select(radius < length, radius / length, Real(1.0));
    }

    MYRIAD_HD Evaluation nowhere() const {
        Evaluation at;
        at.merit = at.error = at.scale = Real(0.0);
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) at.argument[i] = at.difference[i] = Real(0.0);
        return at;
    }
    // The problem with G + softness/r and b - softness/r centre: its solution is a proximal point of the centre.
    MYRIAD_OF_SOLVER Evaluation evaluate(const Rows& l, const Rows& centre, Real softness) const {
        const Real zero(0.0);
        Evaluation at;
        at.merit = at.error = at.scale = zero;
        MYRIAD_UNROLL_ROWS for (int k = 0; k < contacts(); ++k) {
            const int n = problem_.begin(k), end = problem_.end(k);
            MYRIAD_UNROLL_ROWS for (int i = n; i < end; ++i) {
                Real u = problem_.free_velocity[i], size = absolute(u);
                MYRIAD_UNROLL_ROWS for (int j = 0; j < rows(); ++j) {
                    const Real part = problem_.delassus.e[i][j] * l[j];
                    u = u + part, size = size + absolute(part);
                }
                at.argument[i] = fma(-softness, l[i] - centre[i], fma(-r_[i], u, l[i]));
                at.scale = maximum(select(problem_.closed[k], size, zero), at.scale);
            }
            const Real normal = projected_normal(k, at.argument[n]);
            at.difference[n] = l[n] - normal;
            if (n + 1 < end) {
                const Real keep = shortening(problem_.friction[k] * absolute(normal), length_of(at.argument, k));
                MYRIAD_UNROLL_ROWS for (int i = n + 1; i < end; ++i) at.difference[i] =
                    fma(-keep, at.argument[i], l[i]);
            }
            MYRIAD_UNROLL_ROWS for (int i = n; i < end; ++i) {
                at.difference[i] = select(problem_.closed[k], at.difference[i], zero);
                const Real velocity = mobility_[i] * at.difference[i];
                at.merit = fma(velocity, at.difference[i], at.merit);
                at.error = maximum(absolute(velocity), at.error);
            }
        }
        Real free(0.0);
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) free =
            maximum(select(problem_.is_closed(i), absolute(problem_.free_velocity[i]), zero), free);
        at.scale = minimum(at.scale, largest_contact_scale<Real>() * free);
        // `error` would lose a NaN; the merit keeps it.
        at.error = select(is_finite(at.merit), at.error, at.merit);
        return at;
    }
    MYRIAD_HD void take(Mask mask, const Rows& trial, const Evaluation& there, Rows& l, Evaluation& at) const {
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) {
            l[i] = select(mask, trial[i], l[i]);
            at.argument[i] = select(mask, there.argument[i], at.argument[i]);
            at.difference[i] = select(mask, there.difference[i], at.difference[i]);
        }
        at.merit = select(mask, there.merit, at.merit), at.error = select(mask, there.error, at.error);
        at.scale = select(mask, there.scale, at.scale);
    }

    // d(argument_i)/dl_j
    MYRIAD_HD Real slope(int i, int j, Real softness) const {
        const Real other = -(r_[i] * problem_.delassus.e[i][j]);
        return i == j ? (Real(1.0) - softness) + other : other;
    }

    // -(df/dl)^-1 f of the softer problem.
    MYRIAD_OF_SOLVER Rows newton_step(const Evaluation& at, Real softness) const {
        const Real zero(0.0), one(1.0);
        SquareMatrix<Problem::rows, Real> m;
        MYRIAD_UNROLL_ROWS for (int k = 0; k < contacts(); ++k) {
            const int n = problem_.begin(k), end = problem_.end(k);
            const Mask closed = problem_.closed[k];
            const Mask pressed = closed & is_kept(k, at.argument[n]);
            MYRIAD_UNROLL_ROWS for (int j = 0; j < rows(); ++j) m.e[n][j] =
                select(pressed, -slope(n, j, softness), zero);
            if (n + 1 < end) {
                const Real radius = problem_.friction[k] * absolute(projected_normal(k, at.argument[n]));
                const Real length = length_of(at.argument, k);
                const Mask slides = radius < length, sticks = closed & (!slides);
                fill_sliding_rows(at, k, closed & slides, length, radius, select(pressed, problem_.friction[k], zero),
                                  softness, m);
                MYRIAD_UNROLL_ROWS for (int i = n + 1; i < end; ++i) {
                    MYRIAD_UNROLL_ROWS for (int j = 0; j < rows(); ++j) m.e[i][j] =
                        select(sticks, -slope(i, j, softness), m.e[i][j]);
                }
            }
            MYRIAD_UNROLL_ROWS for (int i = n; i < end; ++i) m.e[i][i] = m.e[i][i] + one;
        }
        Rows right;
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) right[i] = -at.difference[i];
        return solve_large_with_exchange(m, right, ListedRows<Listed>{problem_.listed});
    }
    // Each turn looks at a trial, at the guess first, and takes Newton's step to the next: one text for all turns.
    MYRIAD_HD ProxOutcome<Real> by_newton(Mask active, Real tolerance, int most_iterations, Real noise, Rows& l) const {
        const Real zero(0.0), one(1.0), most(static_cast<double>(most_iterations));
        Evaluation at = nowhere();
        Rows trial = l;
        Mask first = true_mask<Real>(), going = active, stepping = active;
        ProxOutcome<Real> outcome{!true_mask<Real>(), zero, zero};
        const Rounded rounded(problem_, mobility_, r_);
        auto track = rounded.start();
        const auto turn = [&](int steps) MYRIAD_INLINE {
            Evaluation there = evaluate(trial, trial, zero);
            const Mask better = going & (first | (there.merit < Real(enough_decrease) * at.merit));
            Mask rejected = going & (!better);
            take(better, trial, there, l, at);
            const Mask settled = rejected & lies_within(noise, at);
            outcome.converged = outcome.converged | settled;
            going = going & (!settled), rejected = rejected & (!settled);
            if constexpr (is_traced<Real>) going = going & !rejected;
            MYRIAD_RARELY(rejected) {
                trial = recovered(l, steps - 1, rejected, rounded, track);
                there = evaluate(trial, trial, zero);
                take(rejected, trial, there, l, at);
            }
            const Mask done = going & (at.error <= tolerance * at.scale);
            outcome.converged = outcome.converged | done;
            going = going & (!done) & (first | is_finite(at.merit));
            first = !true_mask<Real>();
            stepping = going & (outcome.iterations < most);
            MYRIAD_WHEN(stepping) trial = sum_of(l, newton_step(at, least_contact_softness<Real>()));
            outcome.iterations = select(stepping, outcome.iterations + one, outcome.iterations);
        };
        if constexpr (is_traced<Real>) {
            MYRIAD_REPEAT(stepping) turn(0);
        } else {
            for (int steps = 0; any(stepping); ++steps) turn(steps);
        }
        outcome.converged = outcome.converged | (going & lies_within(noise, at));
        outcome.residual = select(zero < at.scale, at.error / at.scale, zero);
        return outcome;
    }

    // Takes the lanes as far as sweeps over pairs go, until these gain too little.
    MYRIAD_HD ProxOutcome<Real> by_sweeps(Mask active, Real tolerance, int most_iterations, Rows& l) const {
        using Sweeps = PairSweeps<Problem>;
        const Real zero(0.0), one(1.0);
        const Sweeps pairs(problem_, mobility_);
        ProxOutcome<Real> outcome{!true_mask<Real>(), zero, zero};
        Mask sweeping = active;
        Real scale(0.0), moved = one / zero;
        const Real most_sweeps(static_cast<double>(most_iterations - after_sweeps(most_iterations)));
        const auto look = [&](Mask ending, Mask slow) MYRIAD_INLINE {
            const typename Sweeps::Residual found = pairs.residual(l);
            scale = select(ending, found.scale, scale);
            const Mask done = ending & (found.error <= tolerance * scale);
            outcome.residual = select(done & (zero < scale), found.error / scale, outcome.residual);
            outcome.converged = outcome.converged | done;
            sweeping = sweeping & !(done | slow);
        };
        // The guess or the first sweep often is the solution.
        look(sweeping, !true_mask<Real>());
        MYRIAD_REPEAT(sweeping & (outcome.iterations < most_sweeps)) {
            const Real before = moved;
            moved = pairs.sweep(sweeping, l);
            outcome.iterations = select(sweeping, outcome.iterations + one, outcome.iterations);
            const Mask is_looked_at = (outcome.iterations <= one) | (outcome.iterations == most_sweeps);
            const Mask small = moved <= tolerance * scale, gains = moved <= Real(least_contraction) * before,
                       slow = sweeping & !gains, ending = sweeping & (is_looked_at | small | slow);
            MYRIAD_WHEN(ending) look(ending, slow);
        }
        return outcome;
    }
    struct Ended {
        Rows l;
        ProxOutcome<Real> outcome;
    };
    static MYRIAD_APART Ended by_newton_apart(Problem problem, Mask active, Real tolerance, int most_iterations,
                                              Real noise, Rows l) {
        Ended ended{l, {}};
        ended.outcome = ContactSolver(problem).by_newton(active, tolerance, most_iterations, noise, ended.l);
        return ended;
    }

    // Minus the derivative of mu |argument_N| t, t = argument_T / |argument_T|:
    // d = mu t d|argument_N| + radius/length (I - t t^T) d(argument_T)
    MYRIAD_HD void fill_sliding_rows(const Evaluation& at, int k, Mask slides, Real length, Real radius, Real friction,
                                     Real softness, SquareMatrix<Problem::rows, Real>& m) const {
        const Real zero(0.0), one(1.0);
        const int n = problem_.begin(k), tangents = problem_.end(k) - n - 1;
        const Real reciprocal = one / select(slides, length, one), share = radius * reciprocal;
        const Real signed_friction = select(at.argument[n] < zero, -friction, friction);
        Real t[T > 0 ? T : 1];
        MYRIAD_UNROLL_ROWS for (int a = 0; a < tangents; ++a) t[a] = at.argument[n + 1 + a] * reciprocal;
        MYRIAD_UNROLL_ROWS for (int j = 0; j < rows(); ++j) {
            const Real normal = signed_friction * slope(n, j, softness);
            Real along(0.0);
            if constexpr (T == 2)
                if (tangents == 2) along = fma(t[0], slope(n + 1, j, softness), t[1] * slope(n + 2, j, softness));
            MYRIAD_UNROLL_ROWS for (int a = 0; a < tangents; ++a) {
                Real row = t[a] * normal;
                if constexpr (T == 2)
                    if (tangents == 2) row = fma(share, fma(-t[a], along, slope(n + 1 + a, j, softness)), row);
                m.e[n + 1 + a][j] = select(slides, -row, zero);
            }
        }
    }

    // An iteration does this where Newton's step did not help. It takes Newton steps to the proximal point of a centre.
    // The centre is what the sweeps find from l or, in two rounds of three, the impulses on the track of the rounded
    // laws, which no trial spoils. Newton's method may cycle between stick, slip and open; the softness and the start
    // decide in which cycle, so both vary.
    MYRIAD_OF_SOLVER Rows recovered(Rows l, int iteration, Mask lanes, const Rounded& rounded,
                                    typename Rounded::Track& track) const {
        const int turn = iteration % 6;
        const Real softness = turn == 0   ? least_contact_softness<Real>()
                              : turn == 5 ? constant<Real>(1e-13, 1e-6)
                                          : Real(turn == 1   ? 1e-1
                                                 : turn == 2 ? 1e-2
                                                 : turn == 3 ? 1e-3
                                                             : 1e-4);
        if (iteration / 6 % 3 == 0) {
            for (int i = 0; i < sweeps; ++i) sweep(l);
        } else {
            for (int i = 0; i < rounded_steps; ++i) rounded.advance(lanes, track);
            l = track.impulse;
        }
        const Rows centre = l;
        for (int i = 0; i < proximal_steps; ++i) l = sum_of(l, newton_step(evaluate(l, centre, softness), softness));
        return l;
    }

    // Sweeps the fixed point over the contacts, there and back, with the newest impulses and the r of each block.
    MYRIAD_HD void sweep(Rows& l) const {
        const Real zero(0.0), one(1.0);
        for (int step = 0; step < 2 * contacts(); ++step) {
            const int k = step < contacts() ? step : 2 * contacts() - 1 - step, n = problem_.begin(k),
                      end = problem_.end(k);
            const Mask closed = problem_.closed[k];
            const Real own = problem_.delassus.e[n][n], r_normal = select(zero < own, one / own, r_[n]);
            const Real normal = projected_normal(k, fma(-r_normal, problem_.velocity(n, l), l[n]));
            l[n] = select(closed, normal, zero);
            if (n + 1 < end) {
                // The largest eigenvalue of the tangential block
                Real largest = problem_.delassus.e[n + 1][n + 1];
                if (end - n == 3) {
                    const Real other = problem_.delassus.e[n + 2][n + 2], half = Real(0.5) * (largest - other),
                               coupling = problem_.delassus.e[n + 1][n + 2];
                    largest = fma(Real(0.5), largest + other, sqrt(fma(half, half, coupling * coupling)));
                }
                const Real r_tangent = select(zero < largest, one / largest, r_[n + 1]);
                Rows argument = l;
                MYRIAD_UNROLL_ROWS for (int i = n + 1; i < end; ++i) argument[i] =
                    fma(-r_tangent, problem_.velocity(i, l), l[i]);
                const Real keep = shortening(problem_.friction[k] * absolute(l[n]), length_of(argument, k));
                MYRIAD_UNROLL_ROWS for (int i = n + 1; i < end; ++i) l[i] = select(closed, keep * argument[i], zero);
            }
        }
    }

    const Problem& problem_;
    Rows mobility_, r_;  // 1/r and r
};

}  // namespace myriad::inline MYRIAD_VARIANT
