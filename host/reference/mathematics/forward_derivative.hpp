// A number that carries its partial derivatives in n directions (forward differentiation). Nested in itself it carries
// second derivatives: Differentiated<Differentiated<double, n>, n> x has x.derivative[l].derivative[k] = d2x/(dl dk).
//
// The rules are those of calculus, function by function, so whatever is written once over a scalar type comes with
// derivatives that nobody typed. Not handled: where a function has no derivative (|x| and min at a tie, sqrt at 0) one
// side's value or an infinity comes out.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

namespace myriad::reference {

template <class Scalar, int n>
struct Differentiated {
    Scalar value{};
    std::array<Scalar, static_cast<std::size_t>(n)> derivative{};

    Differentiated() = default;
    Differentiated(double constant) : value(constant) {}

    Differentiated& operator+=(const Differentiated& b) { return *this = *this + b; }
    Differentiated& operator-=(const Differentiated& b) { return *this = *this - b; }
    Differentiated& operator*=(const Differentiated& b) { return *this = *this * b; }

    friend Differentiated operator+(const Differentiated& a, const Differentiated& b) {
        Differentiated sum;
        sum.value = a.value + b.value;
        for (std::size_t i = 0; i < sum.derivative.size(); ++i) sum.derivative[i] = a.derivative[i] + b.derivative[i];
        return sum;
    }
    friend Differentiated operator-(const Differentiated& a) {
        Differentiated negative;
        negative.value = -a.value;
        for (std::size_t i = 0; i < a.derivative.size(); ++i) negative.derivative[i] = -a.derivative[i];
        return negative;
    }
    friend Differentiated operator-(const Differentiated& a, const Differentiated& b) { return a + (-b); }
    friend Differentiated operator*(const Differentiated& a, const Differentiated& b) {
        Differentiated product;
        product.value = a.value * b.value;
        for (std::size_t i = 0; i < product.derivative.size(); ++i)
            product.derivative[i] = a.derivative[i] * b.value + a.value * b.derivative[i];
        return product;
    }
    friend Differentiated operator*(const Differentiated& a, double b) {
        Differentiated product;
        product.value = a.value * b;
        for (std::size_t i = 0; i < product.derivative.size(); ++i) product.derivative[i] = a.derivative[i] * b;
        return product;
    }
    friend Differentiated operator*(double a, const Differentiated& b) { return b * a; }
    friend Differentiated operator/(const Differentiated& a, const Differentiated& b) {
        return a * chain(b, Scalar(1.0) / b.value, Scalar(-1.0) / (b.value * b.value));
    }

    // f(x) from f and f' at x.value.
    friend Differentiated chain(const Differentiated& x, const Scalar& f, const Scalar& slope) {
        Differentiated result;
        result.value = f;
        for (std::size_t i = 0; i < x.derivative.size(); ++i) result.derivative[i] = slope * x.derivative[i];
        return result;
    }
};

inline double plain_value(double x) { return x; }
template <class Scalar, int n>
double plain_value(const Differentiated<Scalar, n>& x) {
    return plain_value(x.value);
}

template <class Scalar, int n>
Differentiated<Scalar, n> sqrt(const Differentiated<Scalar, n>& x) {
    using std::sqrt;
    const Scalar root = sqrt(x.value);
    return chain(x, root, Scalar(0.5) / root);
}

template <class Scalar, int n>
Differentiated<Scalar, n> sin(const Differentiated<Scalar, n>& x) {
    using std::sin, std::cos;
    return chain(x, sin(x.value), cos(x.value));
}

template <class Scalar, int n>
Differentiated<Scalar, n> cos(const Differentiated<Scalar, n>& x) {
    using std::sin, std::cos;
    return chain(x, cos(x.value), -sin(x.value));
}

template <class Scalar, int n>
Differentiated<Scalar, n> tan(const Differentiated<Scalar, n>& x) {
    using std::tan;
    const Scalar tangent = tan(x.value);
    return chain(x, tangent, Scalar(1.0) + tangent * tangent);
}

template <class Scalar, int n>
Differentiated<Scalar, n> exp(const Differentiated<Scalar, n>& x) {
    using std::exp;
    const Scalar exponential = exp(x.value);
    return chain(x, exponential, exponential);
}

template <class Scalar, int n>
Differentiated<Scalar, n> log(const Differentiated<Scalar, n>& x) {
    using std::log;
    return chain(x, log(x.value), Scalar(1.0) / x.value);
}

template <class Scalar, int n>
Differentiated<Scalar, n> tanh(const Differentiated<Scalar, n>& x) {
    using std::tanh;
    const Scalar tangent = tanh(x.value);
    return chain(x, tangent, Scalar(1.0) - tangent * tangent);
}

// d atan2(y, x) = (x dy - y dx) / (x^2 + y^2).
template <class Scalar, int n>
Differentiated<Scalar, n> atan2(const Differentiated<Scalar, n>& y, const Differentiated<Scalar, n>& x) {
    using std::atan2;
    const Scalar squared = x.value * x.value + y.value * y.value;
    Differentiated<Scalar, n> angle;
    angle.value = atan2(y.value, x.value);
    for (std::size_t i = 0; i < angle.derivative.size(); ++i)
        angle.derivative[i] = (x.value * y.derivative[i] - y.value * x.derivative[i]) / squared;
    return angle;
}

inline bool is_constant_zero(double x) { return x == 0.0; }
template <class Scalar, int n>
bool is_constant_zero(const Differentiated<Scalar, n>& x) {
    return is_constant_zero(x.value) && std::all_of(x.derivative.begin(), x.derivative.end(),
                                                    [](const auto& part) { return is_constant_zero(part); });
}

// For a >= 0: d a^b = b a^(b - 1) da + a^b log a db, without terms in which nothing changes, however steep they are.
template <class Scalar, int n>
Differentiated<Scalar, n> pow(const Differentiated<Scalar, n>& a, const Differentiated<Scalar, n>& b) {
    using std::pow, std::log;
    Differentiated<Scalar, n> power;
    power.value = pow(a.value, b.value);
    for (std::size_t i = 0; i < power.derivative.size(); ++i) {
        power.derivative[i] = Scalar(0.0);
        if (!is_constant_zero(a.derivative[i]))
            power.derivative[i] += b.value * pow(a.value, b.value - Scalar(1.0)) * a.derivative[i];
        if (!is_constant_zero(b.derivative[i])) power.derivative[i] += power.value * log(a.value) * b.derivative[i];
    }
    return power;
}

}  // namespace myriad::reference

template <class Scalar, int n>
struct Eigen::NumTraits<myriad::reference::Differentiated<Scalar, n>>
    : Eigen::GenericNumTraits<myriad::reference::Differentiated<Scalar, n>> {
    using Real = myriad::reference::Differentiated<Scalar, n>;
    using NonInteger = Real;
    using Nested = Real;
    enum {
        IsComplex = 0,
        IsInteger = 0,
        IsSigned = 1,
        RequireInitialization = 1,
        ReadCost = n,
        AddCost = n,
        MulCost = n
    };
};
