// Contact laws with rounded corners, which Newton's method follows where the laws themselves have it go round in
// cycles.
//
//   l_N = (a_N + sqrt(a_N^2 + 4 s^2)) / 2        a = l - r u; as r_N l_N u_N = s^2;  bilateral: u_N = 0
//   l_T = radius / h a_T,  radius = mu |l_N|,  2 h = radius + |a_T| + sqrt((radius - |a_T|)^2 + 4 s^2)
//   l = (sqrt((a + T)^2 + 4 s^2) - sqrt((a - T)^2 + 4 s^2)) / 2                    of a bounded row
//   s = rounding min(r_N, r_T) max |b|           the impulse that a share of the velocities takes
//
// With rounding = 0 these are the laws of prox.hpp: h is then the larger of radius and |a_T|. From l = 0 and rounding 1
// damped Newton steps go along with a rounding that shrinks, and begin again with another weight of the tangents (r_T
// stretched) when it has become small: another path, where one had a fold. (Smoothing as in Chen, Harker 1993 and
// Kanzow 1996.) Not handled: the decision when to end. The caller checks with prox.hpp whether the laws are met.
#pragma once
#include "kernels/contact/problem.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Relative to the mobility: enough for a pivot where contacts depend on each other, little beside 1.
template <class Real>
MYRIAD_HD Real least_contact_softness() {
    return constant<Real>(1e-9, 1e-4);
}

template <int C, int T, class R, class Listed = AllContacts<C, T>>
class RoundedContact {
  public:
    using Real = R;
    using Mask = MaskOf<Real>;
    using Problem = ContactProblem<C, T, Real, Listed>;
    using Rows = Vec<Problem::rows, Real>;
    static constexpr int rows_at_once = Problem::rows_at_once;

    struct Track {
        Rows impulse;
        Real rounding, stretch;  // rounding: factor of s; stretch: factor of r in the tangents
    };

    // Keeps references: the problem, 1/r and r.
    MYRIAD_HD RoundedContact(const Problem& problem, const Rows& mobility, const Rows& r)
        : problem_(problem), mobility_(mobility), r_(r) {}

    MYRIAD_HD Track start() const {
        Track track{{}, Real(1.0), Real(1.0)};
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) track.impulse[i] = Real(0.0);
        return track;
    }

    // One damped Newton step of the `lanes`, and the next rounding.
    MYRIAD_OF_SOLVER void advance(Mask lanes, Track& track) const {
        const Real zero(0.0), one(1.0), speed = track.rounding * free_speed();
        const Evaluation at = evaluate(track.impulse, speed, track.stretch);
        const Rows step = newton_step(at, speed, track.stretch);
        Real share = one;
        Mask searching = lanes;
        for (int i = 0; i < most_halvings && any(searching); ++i) {
            const Evaluation there = evaluate(moved(track.impulse, share, step), speed, track.stretch);
            searching = searching & (!(there.merit < fma(Real(-expected_decrease), share, one) * at.merit));
            share = select(searching, Real(0.5) * share, share);
        }
        const Rows next = moved(track.impulse, share, step);
        track.rounding = select(lanes, select(share < one, Real(0.8), Real(0.5)) * track.rounding, track.rounding);
        const Mask ended = track.rounding < constant<Real>(1e-7, 1e-4);
        // 1, 16, 1/16, 256, ...
        const Real other = select(one < track.stretch, one, Real(16.0)) / track.stretch;
        track.rounding = select(ended, one, track.rounding), track.stretch = select(ended, other, track.stretch);
        // A singular matrix gives no step.
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) track.impulse[i] =
            select(ended, zero, select(lanes & is_finite(next[i]), next[i], track.impulse[i]));
    }

  private:
    static constexpr int most_halvings = 8;
    static constexpr double expected_decrease = 0.2;  // of the merit, by a whole step

    struct Evaluation {
        Rows argument;    // l - r u
        Rows difference;  // l less what the laws make of the argument
        Real merit;       // sum of difference^2 / r
    };
    struct Normal {
        Real value, slope;
    };
    struct Friction {
        Real keep, by_radius, by_length;  // radius / h and its derivatives
    };

    MYRIAD_HD constexpr int contacts() const { return problem_.listed.count(); }
    MYRIAD_HD constexpr int rows() const { return problem_.row_count(); }
    MYRIAD_HD Rows moved(const Rows& from, Real share, const Rows& step) const {
        Rows to;
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) to[i] = fma(share, step[i], from[i]);
        return to;
    }
    MYRIAD_HD Real free_speed() const {
        Real largest(0.0);
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) largest =
            maximum(select(problem_.is_closed(i), absolute(problem_.free_velocity[i]), Real(0.0)), largest);
        return largest;
    }
    // The r of a contact's most mobile direction: with that of one that hardly moves s would be out of proportion.
    MYRIAD_HD Real least_r(int k) const {
        const int n = problem_.begin(k);
        if (problem_.end(k) == n + 1) return r_[n];
        return select(r_[n] < r_[n + 1], r_[n], r_[n + 1]);
    }
    MYRIAD_HD Normal rounded_normal(int k, Real argument, Real speed) const {
        const Real one(1.0), half(0.5), twice = Real(2.0) * speed * least_r(k);
        if constexpr (Listed::has_bounds)
            if (problem_.listed.is_bounded(k)) {
                const Real above = argument + problem_.friction[k], below = argument - problem_.friction[k],
                           root_above = sqrt(fma(above, above, twice * twice)),
                           root_below = sqrt(fma(below, below, twice * twice));
                return {half * (root_above - root_below), half * (above / root_above - below / root_below)};
            }
        const Real root = sqrt(fma(argument, argument, twice * twice));
        return {select(problem_.bilateral[k], argument, half * (argument + root)),
                select(problem_.bilateral[k], one, half * (one + argument / root))};
    }
    MYRIAD_HD Friction rounded_friction(int k, Real normal, Real length, Real speed) const {
        const Real one(1.0), half(0.5), radius = problem_.friction[k] * absolute(normal), within = radius - length,
                                        twice = Real(2.0) * speed * least_r(k),
                                        root = sqrt(fma(within, within, twice * twice));
        const Real reciprocal = one / (half * (radius + length + root)), keep = radius * reciprocal,
                   share = half * (one + within / root);
        return {keep, reciprocal * fma(-keep, share, one), -(keep * reciprocal) * (one - share)};
    }
    // Of the tangential part of contact k, which has one.
    MYRIAD_HD Real length_of(const Rows& x, int k) const {
        const int tangent = problem_.begin(k) + 1;
        if constexpr (T == 2)
            if (problem_.end(k) - tangent == 2)
                return sqrt(fma(x[tangent], x[tangent], x[tangent + 1] * x[tangent + 1]));
        return absolute(x[tangent]);
    }

    MYRIAD_OF_SOLVER Evaluation evaluate(const Rows& l, Real speed, Real stretch) const {
        Evaluation at;
        at.merit = Real(0.0);
        MYRIAD_UNROLL_ROWS for (int k = 0; k < contacts(); ++k) {
            const int n = problem_.begin(k), end = problem_.end(k);
            MYRIAD_UNROLL_ROWS for (int i = n; i < end; ++i) at.argument[i] =
                fma(-(i == n ? r_[i] : stretch * r_[i]), problem_.velocity(i, l), l[i]);
            const Real normal = rounded_normal(k, at.argument[n], speed).value;
            at.difference[n] = l[n] - normal;
            if (n + 1 < end) {
                const Real keep = rounded_friction(k, normal, length_of(at.argument, k), speed).keep;
                MYRIAD_UNROLL_ROWS for (int i = n + 1; i < end; ++i) at.difference[i] =
                    fma(-keep, at.argument[i], l[i]);
            }
            MYRIAD_UNROLL_ROWS for (int i = n; i < end; ++i) {
                at.difference[i] = select(problem_.closed[k], at.difference[i], Real(0.0));
                at.merit = fma(mobility_[i] * at.difference[i], at.difference[i], at.merit);
            }
        }
        return at;
    }

    // d(argument_i)/dl_j
    MYRIAD_HD Real slope(int i, int j, Real stretch) const {
        const bool is_first = i == problem_.begin(problem_.listed.contact_of(i));
        const Real r = is_first ? r_[i] : stretch * r_[i], other = -(r * problem_.delassus.e[i][j]);
        return i == j ? (Real(1.0) - least_contact_softness<Real>()) + other : other;
    }
    // d l_T = keep d a_T + a_T (by_radius mu d|l_N| + by_length t . d a_T),  t = a_T / |a_T|
    MYRIAD_OF_SOLVER Rows newton_step(const Evaluation& at, Real speed, Real stretch) const {
        const Real zero(0.0), one(1.0);
        SquareMatrix<Problem::rows, Real> m;
        MYRIAD_UNROLL_ROWS for (int k = 0; k < contacts(); ++k) {
            const int n = problem_.begin(k), end = problem_.end(k);
            const Mask closed = problem_.closed[k];
            const Normal normal = rounded_normal(k, at.argument[n], speed);
            MYRIAD_UNROLL_ROWS for (int j = 0; j < rows(); ++j) m.e[n][j] =
                select(closed, -(normal.slope * slope(n, j, stretch)), zero);
            if (n + 1 < end) {
                const Real length = length_of(at.argument, k);
                const Friction friction = rounded_friction(k, normal.value, length, speed);
                const Real mu = select(normal.value < zero, -problem_.friction[k], problem_.friction[k]),
                           by_normal = friction.by_radius * mu * normal.slope,
                           by_length = friction.by_length / select(zero < length, length, one);
                MYRIAD_UNROLL_ROWS for (int j = 0; j < rows(); ++j) {
                    Real change = by_normal * slope(n, j, stretch);
                    MYRIAD_UNROLL_ROWS for (int i = n + 1; i < end; ++i) change =
                        fma(by_length * at.argument[i], slope(i, j, stretch), change);
                    MYRIAD_UNROLL_ROWS for (int i = n + 1; i < end; ++i) m.e[i][j] =
                        select(closed, -fma(friction.keep, slope(i, j, stretch), at.argument[i] * change), zero);
                }
            }
            MYRIAD_UNROLL_ROWS for (int i = n; i < end; ++i) m.e[i][i] = m.e[i][i] + one;
        }
        Rows right;
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows(); ++i) right[i] = -at.difference[i];
        return solve_large_with_exchange(m, right, ListedRows<Listed>{problem_.listed});
    }

    const Problem& problem_;
    const Rows &mobility_, &r_;  // 1/r and r
};

}  // namespace myriad::inline MYRIAD_VARIANT
