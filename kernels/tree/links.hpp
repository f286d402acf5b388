// The links of one instance's tree, among its parameters.
//
//   joint frame   z along the joint's axis, x along its second direction made perpendicular to it; its directions are
//                 fixed on the parent's link. Of a fixed or spherical joint the body's own axes, of a free one the
//                 world's.
//   link frame    fixed on the body, its origin the joint point; at zero equal to the joint frame. The link of a free
//                 joint has the body's axes and centre of mass. A turn about an axis is thus always one about z.
//   mass          m, h = m c and J_O = J + m (|c|^2 I - c c^T) about the joint point in the link frame, c the centre
//
// Units: m, kg. Source: Featherstone 2008, ch. 4, with the frames turned about z. The host computes these parameters.
#pragma once
#include "kernels/math/rotation.hpp"
#include "kernels/tree/topology.hpp"

namespace myriad {

// Offsets of the parameters of a link: matrices row by row, inertia xx yy zz xy xz yz.
constexpr int link_axes = 0,    // [9] joint frame to the parent's link frame
    link_offset = 9,            // [3] of the joint point from the parent's, joint frame, m
    link_mass = 12,             // kg
    link_first_moment = 13,     // [3] about the frame's origin, link frame, kg m
    link_inertia = 16,          // [6] about the frame's origin, link frame, kg m^2
    link_body_axes = 22,        // [9] body to link frame
    link_centre = 31,           // [3] of the body's mass, link frame, m
    link_parameter_count = 34;  // a cross has no mass, and the axes of its own frame

}  // namespace myriad

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct LinkMass {
    Real mass;                 // kg
    Vec<3, Real> first;        // kg m
    Symmetric3<Real> inertia;  // about the frame's origin, kg m^2
};

// a^T b
template <class Real>
MYRIAD_HD Mat3<Real> transposed_times(const Mat3<Real>& a, const Mat3<Real>& b) {
    return transpose(a) * b;
}
// r s r^T. Each entry by itself: from the trace the last one would lose the digits of a slender body.
template <class Real>
MYRIAD_HD Symmetric3<Real> turned(const Mat3<Real>& r, const Symmetric3<Real>& s) {
    const Vec<3, Real> x{r.e[0][0], r.e[0][1], r.e[0][2]}, y{r.e[1][0], r.e[1][1], r.e[1][2]},
        z{r.e[2][0], r.e[2][1], r.e[2][2]};
    const Vec<3, Real> sx = s * x, sy = s * y;
    return {dot(x, sx), dot(y, sy), dot(z, s * z), dot(y, sx), dot(z, sx), dot(z, sy)};
}

template <class Real>
MYRIAD_HD Mat3<Real> positive_zeros(const Mat3<Real>& m) {
    const Real o(0.0);
    const Vec<3, Real> zeros{o, o, o};
    return matrix_of_rows(row_of(m, 0) + zeros, row_of(m, 1) + zeros, row_of(m, 2) + zeros);
}

// Axes whose entries are exact zeros but for a 1 or -1 in each row, and which no instance varies: bits 3 i and 3 i + 1
// say which column row i has it in, bit 3 i + 2 that it is -1. A product with them is a choice of components; the value
// is the same, but where it is zero its sign is not, so that whatever leaves the recursions has +0.0 added.
class SignedPermutation {
  public:
    MYRIAD_HD explicit constexpr SignedPermutation(int code) : code_(code) {}
    static constexpr int none = 0;  // general axes
    MYRIAD_HD constexpr int column(int row) const { return (code_ >> (3 * row)) & 3; }
    MYRIAD_HD constexpr double sign(int row) const { return (code_ >> (3 * row + 2)) & 1 ? -1.0 : 1.0; }
    // E v
    template <class Real>
    MYRIAD_HD Vec<3, Real> times(const Vec<3, Real>& v) const {
        const auto entry = [&](int i) { return Real(sign(i)) * v.e[column(i)]; };
        return {entry(0), entry(1), entry(2)};
    }
    // E^T v
    template <class Real>
    MYRIAD_HD Vec<3, Real> transposed_times(const Vec<3, Real>& v) const {
        Vec<3, Real> r;
        const auto put = [&](int i) { r.e[column(i)] = Real(sign(i)) * v.e[i]; };
        put(0), put(1), put(2);
        return r;
    }
    // M E, without a zero below 0
    template <class Real>
    MYRIAD_HD Mat3<Real> behind(const Mat3<Real>& m) const {
        Mat3<Real> r;
        const auto put = [&](int k, int i) { r.e[k][column(i)] = fma(Real(sign(i)), m.e[k][i], Real(0.0)); };
        const auto put_row = [&](int k) { put(k, 0), put(k, 1), put(k, 2); };
        put_row(0), put_row(1), put_row(2);
        return r;
    }
    // E S E^T
    template <class Real>
    MYRIAD_HD Symmetric3<Real> turned(const Symmetric3<Real>& s) const {
        const Mat3<Real> m = matrix_of(s);
        const auto entry = [&](int i, int j) { return Real(sign(i) * sign(j)) * m.e[column(i)][column(j)]; };
        return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
    }

  private:
    int code_;
};

template <class R, class T, class P>
struct TreeLinks {
    using Real = R;
    T topology;
    const P* parameters;
    int first;  // the first parameter of link 0

    MYRIAD_HD int at(int l) const { return first + l * link_parameter_count; }
    MYRIAD_HD Mat3<Real> axes(int l) const { return matrix_at<Real>(*parameters, at(l) + link_axes); }
    // Products with these axes, which are a choice of components where the plan knows them.
    MYRIAD_HD Vec<3, Real> to_parent(int l, const Vec<3, Real>& v) const {
        const int code = topology.axes_code(l);
        return code == SignedPermutation::none ? axes(l) * v : SignedPermutation(code).times(v);
    }
    MYRIAD_HD Vec<3, Real> from_parent(int l, const Vec<3, Real>& v) const {
        const int code = topology.axes_code(l);
        return code == SignedPermutation::none ? transposed_times(axes(l), v)
                                               : SignedPermutation(code).transposed_times(v);
    }
    MYRIAD_HD Mat3<Real> on_parent(int l, const Mat3<Real>& parent_axes) const {
        const int code = topology.axes_code(l);
        return code == SignedPermutation::none ? positive_zeros(parent_axes * axes(l))
                                               : SignedPermutation(code).behind(parent_axes);
    }
    MYRIAD_HD Symmetric3<Real> to_parent(int l, const Symmetric3<Real>& s) const {
        const int code = topology.axes_code(l);
        return code == SignedPermutation::none ? turned(axes(l), s) : SignedPermutation(code).turned(s);
    }
    MYRIAD_HD Vec<3, Real> offset(int l) const { return vector_at<Real>(*parameters, at(l) + link_offset); }
    MYRIAD_HD LinkMass<Real> mass(int l) const {
        return {(*parameters)[at(l) + link_mass], vector_at<Real>(*parameters, at(l) + link_first_moment),
                symmetric_at<Real>(*parameters, at(l) + link_inertia)};
    }
    MYRIAD_HD Vec<3, Real> centre(int l) const { return vector_at<Real>(*parameters, at(l) + link_centre); }
    MYRIAD_HD Mat3<Real> body_axes(int l) const { return matrix_at<Real>(*parameters, at(l) + link_body_axes); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
