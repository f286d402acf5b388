// Elimination of the saddle-point matrix of one Newton correction, [A B^T; B D], by a program that was decided when the
// mechanism was read (Elimination in topology.hpp; host/mechanism/elimination/elimination_plan.hpp decides): sparse
// Crout LU with a static order and static pairs of equation and unknown.
//
//   entry(i, j) = a(i, j) - l(i, 1) u(1, j) - l(i, 2) u(2, j) - ...      one fma per product, in the pivots' order
//
// so that an entry has the same bits whether its products come in one run or in several. Lower entries are scaled by
// the pivot's reciprocal, which replaces the pivot. A cancelled pivot is replaced by a small number of its sign and
// reported; Newton's iteration is the refinement. Not handled: pivoting on the values of an instance.
#pragma once
#include "kernels/math/real.hpp"
#include "kernels/mechanism/topology.hpp"

// The loops below are short: unrolled or vectorised further they only grow.
#if defined(__clang__) && !defined(__CUDACC_RTC__)
#define MYRIAD_KEEP_ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define MYRIAD_KEEP_ROLLED
#endif

namespace myriad::inline MYRIAD_VARIANT {

// A pivot is weak when it is this much smaller than the numbers that it was left from: the products have cancelled and
// the pivot is mostly rounding error.
template <class Number>
constexpr double weak_pivot = 1e-11;
template <>
inline constexpr double weak_pivot<float> = 1e-4;

// 1 / pivot. `size` is the largest magnitude on the way to the pivot. A weak pivot gives 1 / (+-weak size), or 1 where
// that is 0, and its lane is added to `weak`. A NaN stays one and is not weak.
template <class Real>
MYRIAD_HD Real reciprocal_of_pivot(Real pivot, Real size, MaskOf<Real>& weak) {
    const Real least = Real(weak_pivot<NumberOf<Real>>) * size;
    const MaskOf<Real> is_weak = (pivot <= least) & (-least <= pivot);
    // This is rare. With a foreseen branch the division need not wait for the test.
    if (any(is_weak)) {
        const Real instead = select(least <= Real(0.0), Real(1.0), least);
        weak = weak | is_weak;
        pivot = select(is_weak, select(pivot < Real(0.0), -instead, instead), pivot);
    }
    return Real(1.0) / pivot;
}

// One pivot of the program; returns where the program goes on.
template <class Real>
MYRIAD_HD const unsigned short* factor_pivot(const unsigned short* at, Real* matrix, Real& reciprocal,
                                             MaskOf<Real>& weak) {
    const int slot = at[0], from_zero = at[1];
    const unsigned short* const bodies_end = at + 4 + at[2];
    const unsigned short* const end = bodies_end + at[3];
    Real pivot = from_zero ? Real(0.0) : matrix[slot];
    const Real first = absolute(pivot);
    MYRIAD_KEEP_ROLLED for (at += 4; at < bodies_end; ++at) pivot = fma(-matrix[at[0] + 1], matrix[at[0]], pivot);
    const Real size = maximum(first, absolute(pivot));
    MYRIAD_KEEP_ROLLED for (; at < end; ++at) pivot = fma(-matrix[at[0] + 1], matrix[at[0]], pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[slot] = reciprocal;
    return at;
}

// Entries of the pivot's row and column with the same `products` factors from before, which stay in registers.
template <int products, bool from_zero, bool scaled, class Real>
MYRIAD_HD const unsigned short* factor_run(const unsigned short* at, Real* matrix, Real reciprocal) {
    const unsigned short* const entries = at + 1 + products;
    const unsigned short* const end = entries + at[0] * (1 + products);
    Real row[products > 0 ? products : 1], column[products > 0 ? products : 1];
    MYRIAD_UNROLL for (int k = 0; k < products; ++k) {
        column[k] = matrix[at[1 + k]];
        row[k] = matrix[at[1 + k] + 1];
    }
    MYRIAD_KEEP_ROLLED for (at = entries; at < end; at += 1 + products) {
        Real* const entry = matrix + at[0];
        Real upper = from_zero ? Real(0.0) : entry[0], lower = from_zero ? Real(0.0) : entry[1];
        MYRIAD_UNROLL for (int k = 0; k < products; ++k) {
            const Real* const other = matrix + at[1 + k];
            upper = fma(-other[0], row[k], upper);
            lower = fma(-other[1], column[k], lower);
        }
        if (products > 0) entry[0] = upper;
        entry[1] = scaled ? lower * reciprocal : lower;
    }
    return end;
}

// matrix [slots]: the entries in, the factors out. Returns the lanes with a weak pivot.
template <class Real>
MYRIAD_HD MaskOf<Real> factor(const Elimination& elimination, Real* matrix) {
    MaskOf<Real> weak = !true_mask<Real>();
    Real reciprocal(1.0);
    const unsigned short* at = elimination.factor_program;
    const unsigned short* const end = at + elimination.factor_length;
    MYRIAD_KEEP_ROLLED while (at < end) {
        switch (*at++) {
            case pivot_step:
                at = factor_pivot(at, matrix, reciprocal, weak);
                break;
            case clear_step:
                matrix[*at++] = Real(0.0);
                break;
            case run_step(0, false, true):
                at = factor_run<0, false, true>(at, matrix, reciprocal);
                break;
#define MYRIAD_RUNS(products)                                            \
    case run_step(products, false, false):                               \
        at = factor_run<products, false, false>(at, matrix, reciprocal); \
        break;                                                           \
    case run_step(products, true, false):                                \
        at = factor_run<products, true, false>(at, matrix, reciprocal);  \
        break;                                                           \
    case run_step(products, false, true):                                \
        at = factor_run<products, false, true>(at, matrix, reciprocal);  \
        break;                                                           \
    case run_step(products, true, true):                                 \
        at = factor_run<products, true, true>(at, matrix, reciprocal);   \
        break;
                MYRIAD_RUNS(1)
                MYRIAD_RUNS(2)
                MYRIAD_RUNS(3)
                MYRIAD_RUNS(4)
                MYRIAD_RUNS(5)
                MYRIAD_RUNS(6)
                MYRIAD_RUNS(7)
                MYRIAD_RUNS(8)
#undef MYRIAD_RUNS
            default:
                return true_mask<Real>();  // no step of a program
        }
    }
    return weak;
}

// matrix: the factors. right_hand_side [unknowns]: in, and used as work space. solution [unknowns]: out.
template <class Real>
MYRIAD_HD void solve(const Elimination& elimination, const Real* matrix, Real* right_hand_side, Real* solution) {
    const unsigned short* at = elimination.forward_program;
    const unsigned short* end = at + elimination.forward_length;
    MYRIAD_KEEP_ROLLED while (at < end) {
        const int equation = at[0];
        const unsigned short* const row_end = at + 2 + 2 * at[1];
        Real value = right_hand_side[equation];
        MYRIAD_KEEP_ROLLED for (at += 2; at < row_end; at += 2) value =
            fma(-matrix[at[0] + 1], right_hand_side[at[1]], value);
        right_hand_side[equation] = value;
    }
    at = elimination.backward_program;
    end = at + elimination.backward_length;
    MYRIAD_KEEP_ROLLED while (at < end) {
        const int unknown = at[0];
        const unsigned short* const row_end = at + 4 + 2 * at[3];
        Real value = right_hand_side[at[1]];
        const Real reciprocal = matrix[at[2]];
        MYRIAD_KEEP_ROLLED for (at += 4; at < row_end; at += 2) value = fma(-matrix[at[0]], solution[at[1]], value);
        solution[unknown] = value * reciprocal;
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
