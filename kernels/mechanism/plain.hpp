// A plain number as the registers of a tape hold it where no derivatives in time are asked for: the values of
// taylor.hpp, bit for bit.
#pragma once
#include "kernels/mechanism/taylor.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct Plain {
    Real value;

    static MYRIAD_HD Plain constant(Real value) { return {value}; }
    static MYRIAD_HD Plain time(Real time_s) { return {time_s}; }
    friend MYRIAD_HD Plain operator+(const Plain& u, const Plain& v) { return {u.value + v.value}; }
    friend MYRIAD_HD Plain operator-(const Plain& u, const Plain& v) { return {u.value - v.value}; }
    friend MYRIAD_HD Plain operator-(const Plain& u) { return {-u.value}; }
    friend MYRIAD_HD Plain operator*(const Plain& u, const Plain& v) { return {u.value * v.value}; }
    friend MYRIAD_HD Plain operator/(const Plain& u, const Plain& v) { return {u.value / v.value}; }
};

// As for a value with its derivatives.
template <class Real>
MYRIAD_HD Plain<Real> composed(const Plain<Real>&, Real value, Real, Real) {
    return {value};
}
template <class Real>
MYRIAD_HD Plain<Real> sin(const Plain<Real>& u) {
    return {sincos(u.value).sine};
}
template <class Real>
MYRIAD_HD Plain<Real> cos(const Plain<Real>& u) {
    return {sincos(u.value).cosine};
}
template <class Real>
MYRIAD_HD Plain<Real> tan(const Plain<Real>& u) {
    const SineCosine<Real> at = sincos(u.value);
    return {at.sine / at.cosine};
}
template <class Real>
MYRIAD_HD Plain<Real> exp(const Plain<Real>& u) {
    return {exp(u.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> log(const Plain<Real>& u) {
    return {log(u.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> sqrt(const Plain<Real>& u) {
    return {sqrt(u.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> tanh(const Plain<Real>& u) {
    return {hyperbolic_tangent(u.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> pow(const Plain<Real>& u, const Plain<Real>& v) {
    return {power(u.value, v.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> atan2(const Plain<Real>& y, const Plain<Real>& x) {
    return {atan2(y.value, x.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> absolute(const Plain<Real>& u) {
    return {select(u.value < Real(0.0), -u.value, u.value)};
}
// Of two numbers of which one may be NaN, as taylor.hpp chooses.
template <class Real>
MYRIAD_HD Plain<Real> minimum(const Plain<Real>& u, const Plain<Real>& v) {
    return {select((u.value < v.value) | !(u.value == u.value), u.value, v.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> maximum(const Plain<Real>& u, const Plain<Real>& v) {
    return {select((v.value < u.value) | !(u.value == u.value), u.value, v.value)};
}
template <class Real>
MYRIAD_HD Plain<Real> less(const Plain<Real>& u, const Plain<Real>& v) {
    const Real otherwise = select(v.value <= u.value, Real(0.0), quiet_nan<Real>());
    return {select(u.value < v.value, Real(1.0), otherwise)};
}
template <class Real>
MYRIAD_HD Plain<Real> choose(const Plain<Real>& condition, const Plain<Real>& u, const Plain<Real>& v) {
    const Real otherwise = select(condition.value == condition.value, u.value, quiet_nan<Real>());
    return {select(condition.value == Real(0.0), v.value, otherwise)};
}

}  // namespace myriad::inline MYRIAD_VARIANT
