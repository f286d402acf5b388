// A function of time by its value and first two time derivatives, and arithmetic on such triples (forward mode):
//
//   (g o u)'  = g'(u) u'      (u v)'' = u'' v + 2 u' v' + u v''      w = u / v:  w'  = (u' - w v') / v
//   (g o u)'' = g'(u) u'' + g''(u) u'^2                                          w'' = (u'' - 2 w' v' - w v'') / v
//
// Frames: none; time in s. No branch on data, so the bits are the same in any lane of any Real. Where g' or g'' is
// infinite and what it multiplies is zero the product counts as zero, so that sqrt of a constant 0 has derivatives 0.
// A NaN is kept by minimum, maximum, less and choose too; only the branch that choose does not take is left out. Not
// handled: kinks and jumps (absolute, minimum, maximum, less, choose, atan2 at its cut) have the derivatives of
// the side they are on.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/math/real.hpp"
#include "kernels/mechanism/power.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct Taylor {
    Real value, rate, acceleration;

    static MYRIAD_HD Taylor constant(Real value) { return {value, Real(0.0), Real(0.0)}; }
    static MYRIAD_HD Taylor time(Real time_s) { return {time_s, Real(1.0), Real(0.0)}; }

    friend MYRIAD_HD Taylor operator+(const Taylor& u, const Taylor& v) {
        return {u.value + v.value, u.rate + v.rate, u.acceleration + v.acceleration};
    }
    friend MYRIAD_HD Taylor operator-(const Taylor& u, const Taylor& v) {
        return {u.value - v.value, u.rate - v.rate, u.acceleration - v.acceleration};
    }
    friend MYRIAD_HD Taylor operator-(const Taylor& u) { return {-u.value, -u.rate, -u.acceleration}; }
    friend MYRIAD_HD Taylor operator*(const Taylor& u, const Taylor& v) {
        return {u.value * v.value, u.rate * v.value + u.value * v.rate,
                u.acceleration * v.value + Real(2.0) * (u.rate * v.rate) + u.value * v.acceleration};
    }
    friend MYRIAD_HD Taylor operator/(const Taylor& u, const Taylor& v) {
        const Real w = u.value / v.value, w_rate = (u.rate - w * v.rate) / v.value;
        return {w, w_rate, (u.acceleration - Real(2.0) * (w_rate * v.rate) - w * v.acceleration) / v.value};
    }
};

// slope * change; 0 where nothing changes, however steep the slope
template <class Real>
MYRIAD_HD Real along(Real slope, Real change) {
    return select(change == Real(0.0), Real(0.0), slope * change);
}
// g o u from g, g', g'' at u.
template <class Real>
MYRIAD_HD Taylor<Real> composed(const Taylor<Real>& u, Real value, Real slope, Real curvature) {
    return {value, along(slope, u.rate), along(slope, u.acceleration) + along(curvature, u.rate * u.rate)};
}
// |angle| at most largest_angle, as for all functions of an angle.
template <class Real>
MYRIAD_HD Taylor<Real> sin(const Taylor<Real>& u) {
    const SineCosine<Real> at = sincos(u.value);
    return composed(u, at.sine, at.cosine, -at.sine);
}
template <class Real>
MYRIAD_HD Taylor<Real> cos(const Taylor<Real>& u) {
    const SineCosine<Real> at = sincos(u.value);
    return composed(u, at.cosine, -at.sine, -at.cosine);
}
template <class Real>
MYRIAD_HD Taylor<Real> tan(const Taylor<Real>& u) {
    const SineCosine<Real> at = sincos(u.value);
    const Real value = at.sine / at.cosine, slope = Real(1.0) + value * value;
    return composed(u, value, slope, Real(2.0) * (value * slope));
}
template <class Real>
MYRIAD_HD Taylor<Real> exp(const Taylor<Real>& u) {
    const Real value = exp(u.value);
    return composed(u, value, value, value);
}
template <class Real>
MYRIAD_HD Taylor<Real> log(const Taylor<Real>& u) {
    const Real slope = Real(1.0) / u.value;
    return composed(u, log(u.value), slope, -slope * slope);
}
template <class Real>
MYRIAD_HD Taylor<Real> sqrt(const Taylor<Real>& u) {
    const Real value = sqrt(u.value), slope = Real(0.5) / value;
    return composed(u, value, slope, Real(-0.5) * (slope / u.value));
}
template <class Real>
MYRIAD_HD Taylor<Real> tanh(const Taylor<Real>& u) {
    const Real value = hyperbolic_tangent(u.value), slope = (Real(1.0) - value) * (Real(1.0) + value);
    return composed(u, value, slope, Real(-2.0) * (value * slope));
}

// u^v for u >= 0; NaN for u < 0. By powers of u, not by exp(v log u), so that t^2 and t^1.5 have derivatives at 0.
template <class Real>
MYRIAD_HD Taylor<Real> pow(const Taylor<Real>& u, const Taylor<Real>& v) {
    const Real less_one = v.value - Real(1.0), logarithm = log(u.value);
    const Real value = power(u.value, v.value), lower = power(u.value, less_one);
    const Real lowest = power(u.value, less_one - Real(1.0));
    const Taylor<Real> in_base = composed(u, value, along(lower, v.value), along(lowest, v.value * less_one));
    const Real with_exponent = along(value * logarithm, v.rate);
    return {value, in_base.rate + with_exponent,
            in_base.acceleration + along(value * logarithm, v.acceleration) + along(with_exponent * logarithm, v.rate) +
                along(lower * (Real(1.0) + v.value * logarithm), Real(2.0) * (u.rate * v.rate))};
}
template <class Real>
MYRIAD_HD Taylor<Real> pow(const Taylor<Real>& u, double exponent) {
    return pow(u, Taylor<Real>::constant(Real(exponent)));
}

// The angle of the point (x, y), from -pi to pi.
template <class Real>
MYRIAD_HD Taylor<Real> atan2(const Taylor<Real>& y, const Taylor<Real>& x) {
    const Real inverse = Real(1.0) / (x.value * x.value + y.value * y.value);
    const Real rate = along(inverse, x.value * y.rate - y.value * x.rate);
    const Real stretch = along(inverse, x.value * x.rate + y.value * y.rate);
    return {atan2(y.value, x.value), rate,
            along(inverse, x.value * y.acceleration - y.value * x.acceleration) - Real(2.0) * (rate * stretch)};
}

template <class Real>
MYRIAD_HD Taylor<Real> select(MaskOf<Real> mask, const Taylor<Real>& u, const Taylor<Real>& v) {
    return {select(mask, u.value, v.value), select(mask, u.rate, v.rate), select(mask, u.acceleration, v.acceleration)};
}
template <class Real>
MYRIAD_HD Taylor<Real> absolute(const Taylor<Real>& u) {
    return select<Real>(u.value < Real(0.0), -u, u);
}
template <class Real>
MYRIAD_HD Taylor<Real> minimum(const Taylor<Real>& u, const Taylor<Real>& v) {
    return select<Real>((u.value < v.value) | !(u.value == u.value), u, v);
}
template <class Real>
MYRIAD_HD Taylor<Real> maximum(const Taylor<Real>& u, const Taylor<Real>& v) {
    return select<Real>((v.value < u.value) | !(u.value == u.value), u, v);
}
// 1 where u < v, 0 where not, NaN where either is.
template <class Real>
MYRIAD_HD Taylor<Real> less(const Taylor<Real>& u, const Taylor<Real>& v) {
    const Real otherwise = select(v.value <= u.value, Real(0.0), quiet_nan<Real>());
    return Taylor<Real>::constant(select(u.value < v.value, Real(1.0), otherwise));
}
// v where the condition is 0, u where it is another number, NaN where it is none.
template <class Real>
MYRIAD_HD Taylor<Real> choose(const Taylor<Real>& condition, const Taylor<Real>& u, const Taylor<Real>& v) {
    const Taylor<Real> none = Taylor<Real>::constant(quiet_nan<Real>());
    return select<Real>(condition.value == Real(0.0), v, select<Real>(condition.value == condition.value, u, none));
}

}  // namespace myriad::inline MYRIAD_VARIANT
