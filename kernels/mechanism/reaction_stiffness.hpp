// How the moment of an element's reactions on a body changes as the body turns: a part of its matrix.
//
//   m = sum lambda_k g_k,   dm = K z_theta      z_theta: a rotation in the body's axes; lambda stays
//
// g of rows.hpp is u x R^T c for a vector u of the body and one c of the world, hence K = u~ (R^T c)~; of a distance
// the direction turns, too. Body axes; N m. Not handled: the change of a force with a rotation, and of either with
// positions or with the other body.
#pragma once
#include "kernels/mechanism/rows.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A force `size` d/|d| between two points turns with the points: across = size (I - e e^T) / |d|.
template <class Real>
MYRIAD_HD Mat3<Real> across_distance(const Rows<Real>& rows, Real multiplier) {
    const Real size = multiplier / rows.length;
    const Vec<3, Real> along = rows.direction[0], scaled = -size * along;
    Mat3<Real> across = diagonal(size);
    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) across.e[i][k] =
        fma(scaled[i], along[k], across.e[i][k]);
    return across;
}

// Adds K of element e, which is of one of `kinds`, on its body `side` with the given orientation.
template <unsigned kinds, class Real, class Parameters>
MYRIAD_HD void add_reaction_stiffness(const Element& e, int side, const Rows<Real>& rows, const Vec<3, Real>& lambda,
                                      const Parameters& p, const Mat3<Real>& orientation, Mat3<Real>& turning) {
    const Real sign(side == 0 ? -1.0 : 1.0);
    switch (e.kind) {
        case ElementKind::point:
            add_lever_stiffness(turning, sign, vector_at<Real>(p, e.parameter + 3 * side),
                                transposed_times(orientation, lambda));
            break;
        case ElementKind::coordinate_difference:
            add_lever_stiffness(turning, sign * lambda[0], rows.vector[side], rows.seen[side]);
            break;
        case ElementKind::dot_1:
        case ElementKind::driven_angle:
            add_lever_stiffness(turning, lambda[0], rows.vector[side], rows.seen[side]);
            break;
        case ElementKind::dot_2:
            if (!is_among(kinds, ElementKind::dot_2)) break;
            if (side == 1)
                add_lever_stiffness(turning, lambda[0], rows.vector[1], rows.seen[1]);
            else
                add_lever_stiffness(turning, Real(1.0), lambda[0] * rows.vector[0], rows.seen[0]);
            break;
        case ElementKind::distance:
            if (is_among(kinds, ElementKind::distance)) {
                const Vec<3, Real> s = rows.vector[side];
                add_lever_stiffness(turning, sign * lambda[0], s, rows.seen[side]);
                const Mat3<Real> gradient = orientation * skew(s);  // of the point: (I, -R s~)
                turning = fma(Real(1.0), transpose(gradient) * (across_distance(rows, lambda[0]) * gradient), turning);
            }
            break;
        case ElementKind::angle:
            if (side == 1) add_skew(turning, lambda[0], rows.turn[1][0]);
            break;
        case ElementKind::rotation_vector:
            // To first order in the relative rotation.
            if (is_among(kinds, ElementKind::rotation_vector))
                add_skew(turning, sign * Real(0.5), matrix_of(rotation_at<Real>(p, e.parameter + 4 * side)) * lambda);
            break;
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
