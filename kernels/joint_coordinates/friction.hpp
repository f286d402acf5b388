// Friction on coordinates of a tree: dry friction, regularised, and viscous friction.
//
//   force  -(T tanh(v / s) + d v),  v = q'            T: N or N m; s: m/s or rad/s; d: N s/m or N m s/rad
//   power  -(T tanh(v / s) + d v) v                   slope  c_v (T / s (1 - tanh^2) + d), on the diagonal of H
//
// Newton's method cycles or stalls at a reversal, because tanh is flat on both sides of it and steep between. So a
// correction z, whose prediction of the dry force is P at the rate V = v + c_v z, goes on to the rate u with
//
//   T tanh(u / s) + (H_ii / c_v) (u - V) = P          the law itself, and all else as the correction sees it
//
// where the law and P differ. H_ii, without the dry friction's slope, is at least the mass that the rest of the
// mechanism lets the coordinate feel, so u stops short of the solution rather than beyond it. The left side is
// increasing, and concave on u's side of zero: Newton's method from a lower bound rises to u. Bounds there are 0, the
// rate that slides by the whole of T, and V where the law asks for no more than P. A sliding rate that would turn round
// stops at zero. The correction after that has the slope at u, so the matrix is made anew each time. SI units. Not
// handled: sticking as such (a joint at rest creeps at s artanh(force / T)), which methods with contact have, and
// friction that grows with a reaction, likewise.
#pragma once
#include "kernels/joint_coordinates/topology.hpp"
#include "kernels/math/control.hpp"
#include "kernels/math/dual.hpp"
#include "kernels/mechanism/power.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/system.hpp"
#include "kernels/tree/elimination.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
MYRIAD_HD Dual<R> hyperbolic_tangent(const Dual<R>& x) {
    const R value = hyperbolic_tangent(x.value), one(1.0);
    return {value, ((one - value) * (one + value)) * x.slope};
}

template <class P>
struct FrictionNumbers {
    const P& p;
    int parameter;
    bool is_set;                  // true: contact problems have the dry force
    MYRIAD_HD auto dry() const {  // T
        const auto number = p[parameter];
        return is_set ? decltype(p[parameter] + number)(0.0) : number;
    }
    MYRIAD_HD auto viscous() const { return p[parameter + 1]; }  // d
    MYRIAD_HD auto rate() const { return p[parameter + 2]; }     // s
    template <class Real>
    MYRIAD_HD Real share(Real v) const {
        return hyperbolic_tangent(v / Real(rate()));
    }
    // Of the dry force by the rate, where its share is this
    template <class Real>
    MYRIAD_HD Real slope(Real share) const {
        const Real one(1.0);
        return (Real(dry()) / Real(rate())) * ((one - share) * (one + share));
    }
};

// What an evaluation has seen, by the number of the friction.
template <class Real, class T>
struct SeenFriction {
    Real share[T::most_freedoms];     // tanh(v / s)
    Real diagonal[T::most_freedoms];  // H_ii without the slope of the dry force
};

template <class Real, class T, class P>
MYRIAD_HD void add_friction(const T& topology, const P& p, const TreeRates<Real, T>& v, SeenFriction<Real, T>& seen,
                            TreeRates<Real, T>& forces) {
    MYRIAD_EACH(i, topology, frictions) {
        const CoordinateFriction& friction = topology.friction(i);
        const FrictionNumbers<P> numbers{p, friction.parameter, topology.friction_is_set()};
        const Real rate = v[friction.freedom];
        seen.share[i] = numbers.share(rate);
        forces[friction.freedom] =
            fma(Real(numbers.viscous()), rate, fma(Real(numbers.dry()), seen.share[i], forces[friction.freedom]));
    }
}

// The shares are those of the evaluation that the matrix belongs to.
template <class Real, class T, class P>
MYRIAD_HD void add_friction_to_diagonal(const T& topology, const P& p, Real c_v, SeenFriction<Real, T>& seen,
                                        TreeMatrix<Real, T>& matrix) {
    MYRIAD_EACH(i, topology, frictions) {
        const CoordinateFriction& friction = topology.friction(i);
        const FrictionNumbers<P> numbers{p, friction.parameter, topology.friction_is_set()};
        Real& entry = matrix.at(friction.freedom, friction.freedom);
        seen.diagonal[i] = fma(c_v, Real(numbers.viscous()), entry);
        entry = fma(c_v, numbers.slope(seen.share[i]), seen.diagonal[i]);
    }
}

// W
template <class Real, class T, class P>
MYRIAD_HD void add_friction_power(const T& topology, const P& p, const TreeRates<Real, T>& v, Real& power) {
    MYRIAD_EACH(i, topology, frictions) {
        const CoordinateFriction& friction = topology.friction(i);
        const FrictionNumbers<P> numbers{p, friction.parameter, topology.friction_is_set()};
        const Real rate = v[friction.freedom];
        power = fma(-fma(Real(numbers.viscous()), rate, Real(numbers.dry()) * numbers.share(rate)), rate, power);
    }
}

// A law and its prediction differ where more than this share of T is between them.
template <class Real>
MYRIAD_HD Real predicted_closely() {
    return constant<Real>(1e-8, 1e-4);
}

// The rate u above, on the side of zero where V and P have it: Newton's method four times from the best lower bound.
template <class Real, class P>
MYRIAD_NOINLINE Real rate_by_friction(const FrictionNumbers<P>& numbers, Real diagonal_per_rate, Real rate,
                                      Real predicted, Real met) {
    constexpr int corrections = 4;
    const Real zero(0.0), dry(numbers.dry());
    const MaskOf<Real> is_backwards = fma(diagonal_per_rate, rate, predicted) < zero;
    const Real forward = select(is_backwards, -rate, rate), wanted = select(is_backwards, -predicted, predicted);
    const Real of_law = select(is_backwards, -met, met);
    const Real sliding = forward + (wanted - dry) / diagonal_per_rate;
    Real u = maximum(maximum(sliding, zero), select(of_law <= wanted, forward, zero));
    MYRIAD_ROLL for (int k = 0; k < corrections; ++k) {
        const Real share = numbers.share(u);
        const Real excess = fma(dry, share, fma(diagonal_per_rate, u - forward, -wanted));
        u = u - excess / (diagonal_per_rate + numbers.slope(share));
    }
    return select(is_backwards, -u, u);
}

// Lets the solution z of a correction at the rates v follow the law. Returns the lanes in which it did.
template <class Real, class T, class P>
MYRIAD_NOINLINE MaskOf<Real> bend_at_friction(const T& topology, const P& p, const TreeRates<Real, T>& v, Real c_v,
                                              MaskOf<Real> going, const SeenFriction<Real, T>& seen,
                                              TreeRates<Real, T>& z) {
    const Real zero(0.0);
    MaskOf<Real> any_bends = !true_mask<Real>();
    MYRIAD_EACH(i, topology, frictions) {
        const CoordinateFriction& friction = topology.friction(i);
        const FrictionNumbers<P> numbers{p, friction.parameter, topology.friction_is_set()};
        const Real before = v[friction.freedom], dry(numbers.dry());
        const Real change = c_v * z[friction.freedom], rate = before + change;
        const Real predicted = fma(numbers.slope(seen.share[i]), change, dry * seen.share[i]),
                   met = dry * numbers.share(rate);
        const MaskOf<Real> bends = going & (predicted_closely<Real>() * dry < absolute(met - predicted));
        any_bends = any_bends | bends;
        MYRIAD_WHEN(bends) {
            Real u = rate_by_friction(numbers, absolute(seen.diagonal[i]) / c_v, rate, predicted, met);
            // Below the first share of s tanh is nearly straight; below the second a rate counts as zero, where it may
            // turn.
            const Real slow = Real(0.5) * Real(numbers.rate()), still = Real(1e-6) * Real(numbers.rate());
            const MaskOf<Real> turns = before * u < zero, slides = slow < maximum(absolute(before), absolute(u)),
                               moves = still < absolute(before);
            u = select(turns & slides & moves, zero, u);
            z[friction.freedom] = select(bends, (u - before) / c_v, z[friction.freedom]);
        }
    }
    return any_bends;
}

template <class Real, class T, class P>
MYRIAD_HD void check_friction(const T& topology, const P& p, Real& reason) {
    const Real zero(0.0);
    MYRIAD_EACH(i, topology, frictions) {
        const FrictionNumbers<P> numbers{p, topology.friction(i).parameter, false};
        const MaskOf<Real> is_dry = zero <= Real(numbers.dry()), is_viscous = zero <= Real(numbers.viscous()),
                           has_rate = zero < Real(numbers.rate());
        reason = reason_unless(is_dry & is_viscous & has_rate, Reason::friction_invalid, reason);
        const int bearing = topology.friction(i).bearing;
        if (bearing < 0) continue;
        const MaskOf<Real> is_rough = zero <= Real(p[bearing]), has_radius = zero <= Real(p[bearing + 1]);
        reason = reason_unless(is_rough & has_radius, Reason::friction_invalid, reason);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
