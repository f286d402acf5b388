// The rotation vector of a rotation matrix, over any scalar type.
#pragma once
#include <array>
#include <cmath>

#include "host/reference/mathematics/forward_derivative.hpp"

namespace myriad::reference {

// With x = (3 - trace) / 4 = sin^2(angle / 2) and s the skew part's vector, it is s angle / sin angle, and
// angle / sin angle = 1 + 2/3 x + 2/3 4/5 x^2 + ... has no root at angle 0. C: rows; not for half a turn.
template <class Scalar>
std::array<Scalar, 3> logarithm(const std::array<std::array<Scalar, 3>, 3>& C) {
    using std::sqrt, std::atan2;
    const std::array<Scalar, 3> s{(C[2][1] - C[1][2]) * 0.5, (C[0][2] - C[2][0]) * 0.5, (C[1][0] - C[0][1]) * 0.5};
    const Scalar trace = C[0][0] + C[1][1] + C[2][2], x = (Scalar(3.0) - trace) * 0.25;
    Scalar factor(1.0);
    if (plain_value(x) < 0.25) {
        // 0.25^30 is below round-off.
        for (int k = 30; k >= 1; --k) factor = Scalar(1.0) + factor * x * (2.0 * k / (2.0 * k + 1.0));
    } else {
        const Scalar sine = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        factor = atan2(sine, (trace - Scalar(1.0)) * 0.5) / sine;
    }
    return {s[0] * factor, s[1] * factor, s[2] * factor};
}

}  // namespace myriad::reference
