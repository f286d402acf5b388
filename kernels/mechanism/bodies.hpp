// The poses and motions of one mechanism's bodies, as the rows between them need them; body -1 is the ground.
//
//   R   orientation, body to world      w, w'   angular velocity and acceleration, body frame
//   a body-fixed vector u in the world: R u, (R u)' = R (w x u), (R u)'' = R (w' x u) + R (w x (w x u))
#pragma once
#include "kernels/math/rotation.hpp"
#include "kernels/mechanism/topology.hpp"
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
MYRIAD_HD Mat3<Real> zero_matrix() {
    return diagonal(Real(0.0));
}
template <class Real>
MYRIAD_HD Vec<3, Real> unit_vector(int axis) {
    Vec<3, Real> e{Real(0.0), Real(0.0), Real(0.0)};
    e[axis] = Real(1.0);
    return e;
}
// m + s a~ b~ = m + s (b a^T - (a . b) I): the stiffness of a lever a whose body-frame force b turns with the body
template <class Real>
MYRIAD_HD void add_lever_stiffness(Mat3<Real>& m, Real s, Vec<3, Real> a, Vec<3, Real> b) {
    const Vec<3, Real> sb = s * b;
    const Real along = dot(a, sb);
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
        MYRIAD_UNROLL for (int j = 0; j < 3; ++j) m.e[i][j] = fma(sb[i], a[j], m.e[i][j]);
        m.e[i][i] = m.e[i][i] - along;
    }
}
// m + s a~
template <class Real>
MYRIAD_HD void add_skew(Mat3<Real>& m, Real s, Vec<3, Real> a) {
    const Vec<3, Real> b = s * a;
    m.e[0][1] = m.e[0][1] - b[2], m.e[0][2] = m.e[0][2] + b[1], m.e[1][0] = m.e[1][0] + b[2];
    m.e[1][2] = m.e[1][2] - b[0], m.e[2][0] = m.e[2][0] - b[1], m.e[2][1] = m.e[2][1] + b[0];
}

template <class Real, int capacity>
struct Bodies {
    Place<Real> of[capacity];

    MYRIAD_HD Vec<3, Real> to_world(int b, Vec<3, Real> u) const { return b < 0 ? u : of[b].matrix * u; }
    MYRIAD_HD Vec<3, Real> to_body(int b, Vec<3, Real> u) const {
        return b < 0 ? u : transposed_times(of[b].matrix, u);
    }
    MYRIAD_HD Vec<3, Real> point(int b, Vec<3, Real> s) const { return b < 0 ? s : of[b].position + of[b].matrix * s; }
    MYRIAD_HD Vec<3, Real> angular_velocity(int b) const { return b < 0 ? Vec<3, Real>{} : of[b].angular_velocity; }
    // R (w x u): the rate of a body-fixed direction
    MYRIAD_HD Vec<3, Real> turning(int b, Vec<3, Real> u) const {
        return b < 0 ? Vec<3, Real>{} : of[b].matrix * cross(of[b].angular_velocity, u);
    }
    MYRIAD_HD Vec<3, Real> point_velocity(int b, Vec<3, Real> s) const {
        return b < 0 ? Vec<3, Real>{} : of[b].velocity + turning(b, s);
    }
    // R (w x (w x u)): the part of the second derivative of a body-fixed direction without angular acceleration
    MYRIAD_HD Vec<3, Real> centripetal(int b, Vec<3, Real> u) const {
        if (b < 0) return Vec<3, Real>{};
        const Vec<3, Real> w = of[b].angular_velocity;
        return of[b].matrix * cross(w, cross(w, u));
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
