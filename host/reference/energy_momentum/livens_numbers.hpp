// The numbers in which the schemes of Livens' principle are written: numbers that carry derivatives, quaternions of
// them, Newton's method on a residual of them.
//
//   a o b   product of quaternions (w, x, y, z), a* the conjugate             livens eq. 28
//   G(a) b = Vec(a* o b),   E(a) b = Vec(b o a*)                              livens eq. 35
//   R(q) s = Vec(q o (0, s) o q*), which is |q|^2 times a rotation            livens eqs. 49, 50
//
// A residual is written once over `Number` and differentiated automatically, 8 directions in a pass. Newton's matrix is
// dense, factored with full pivoting, and iterated down to round-off. Not handled: sparsity.
#pragma once
#include <Eigen/Dense>
#include <functional>

#include "host/reference/mathematics/forward_derivative.hpp"

namespace myriad::reference {

constexpr int number_directions = 8;
using Number = Differentiated<double, number_directions>;
using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
template <class Scalar>
using VectorOf = Eigen::Matrix<Scalar, 3, 1>;
template <class Scalar>
using QuaternionOf = Eigen::Matrix<Scalar, 4, 1>;

inline Numbers constants(const Eigen::VectorXd& values) { return values.cast<Number>(); }
Eigen::VectorXd plain(const Numbers& numbers);

template <class Scalar>
QuaternionOf<Scalar> product(const QuaternionOf<Scalar>& a, const QuaternionOf<Scalar>& b) {
    QuaternionOf<Scalar> c;
    c << a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + b[0] * a[1] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + b[0] * a[2] + a[3] * b[1] - a[1] * b[3], a[0] * b[3] + b[0] * a[3] + a[1] * b[2] - a[2] * b[1];
    return c;
}

template <class Scalar>
QuaternionOf<Scalar> conjugate(const QuaternionOf<Scalar>& a) {
    return {a[0], -a[1], -a[2], -a[3]};
}

template <class Scalar>
QuaternionOf<Scalar> pure(const VectorOf<Scalar>& u) {
    return {Scalar(0.0), u[0], u[1], u[2]};
}

template <class Scalar>
VectorOf<Scalar> vector_part(const QuaternionOf<Scalar>& a) {
    return {a[1], a[2], a[3]};
}

// G(a) b and E(a) b.
template <class Scalar>
VectorOf<Scalar> G_times(const QuaternionOf<Scalar>& a, const QuaternionOf<Scalar>& b) {
    return vector_part<Scalar>(product<Scalar>(conjugate<Scalar>(a), b));
}
template <class Scalar>
VectorOf<Scalar> E_times(const QuaternionOf<Scalar>& a, const QuaternionOf<Scalar>& b) {
    return vector_part<Scalar>(product<Scalar>(b, conjugate<Scalar>(a)));
}
// G(a)^T u and E(a)^T u.
template <class Scalar>
QuaternionOf<Scalar> G_transposed_times(const QuaternionOf<Scalar>& a, const VectorOf<Scalar>& u) {
    return product<Scalar>(a, pure<Scalar>(u));
}
template <class Scalar>
QuaternionOf<Scalar> E_transposed_times(const QuaternionOf<Scalar>& a, const VectorOf<Scalar>& u) {
    return product<Scalar>(pure<Scalar>(u), a);
}

// R(q) s, and the gradient of f . R(q) s by q.
template <class Scalar>
VectorOf<Scalar> turned(const QuaternionOf<Scalar>& q, const VectorOf<Scalar>& s) {
    return vector_part<Scalar>(product<Scalar>(product<Scalar>(q, pure<Scalar>(s)), conjugate<Scalar>(q)));
}
template <class Scalar>
QuaternionOf<Scalar> gradient_of_turned(const VectorOf<Scalar>& f, const QuaternionOf<Scalar>& q,
                                        const VectorOf<Scalar>& s) {
    return product<Scalar>(product<Scalar>(pure<Scalar>(f), q), pure<Scalar>(s)) * Scalar(-2.0);
}

struct NewtonSolution {
    Eigen::VectorXd unknowns;
    int iterations = 0;  // linear solves
};

using NumberResidual = std::function<Numbers(const Numbers& unknowns)>;

// Iterates until `size` of a correction is round-off (newton_iteration.hpp). Throws StepFailure:
// newton_stalled, singular_matrix, not_finite.
NewtonSolution solved_by_newton(const NumberResidual& residual, Eigen::VectorXd start,
                                const std::function<double(const Eigen::VectorXd& correction)>& size,
                                int most_iterations);

// The derivative of f(x) by each component of x; f takes and gives any scalar type.
template <class Function>
Numbers gradient_of(const Function& f, const Numbers& x) {
    using Twice = Differentiated<Number, 1>;
    Numbers gradient(x.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
        Eigen::Matrix<Twice, Eigen::Dynamic, 1> displaced(x.size());
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            displaced[i] = Twice(0.0);
            displaced[i].value = x[i];
        }
        displaced[k].derivative[0] = Number(1.0);
        gradient[k] = f(displaced).derivative[0];
    }
    return gradient;
}

// Below this |y - x|^2 the second term of Gonzalez' gradient, of the order of |y - x|^2, is round-off itself.
constexpr double least_squared_difference = 1e-16;

// Livens eq. 71.
template <class Function>
Numbers gonzalez_gradient(const Function& f, const Numbers& x, const Numbers& y) {
    const Numbers difference = y - x, middle = (x + y) * Number(0.5);
    Numbers gradient = gradient_of(f, middle);
    const Number squared = difference.dot(difference);
    if (plain_value(squared) > least_squared_difference)
        gradient += difference * ((f(y) - f(x) - gradient.dot(difference)) / squared);
    return gradient;
}

}  // namespace myriad::reference
