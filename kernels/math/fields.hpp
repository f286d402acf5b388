// One visitor over the Reals of a state, in a fixed order: it serves load, store, freeze and the test for finiteness.
//
// `visit_fields(visit, a, b, ...)` calls visit(a_i, b_i, ...) for each Real of structs of the same type. A struct takes
// part by a static member `fields(visit, self...)` that names its members; Real, Vec and Rotation are known here, and
// `visit_first` visits the first numbers of arrays.
#pragma once
#include "kernels/math/rotation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A visitor that counts. It takes an array at once: loops are what a kernel takes longest to compile for.
struct FieldCount {
    int count = 0;
    template <class Real>
    MYRIAD_HD void operator()(Real&) {
        ++count;
    }
};
template <class Visit>
constexpr bool only_counts = false;
template <>
inline constexpr bool only_counts<FieldCount&> = true;

template <class Visit, class Real, class... Same>
MYRIAD_HD void visit_first(Visit&& visit, int count, Real* first, Same*... more) {
    if constexpr (only_counts<Visit>) {
        visit.count += count;
    } else {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < count; ++i) visit(first[i], more[i]...);
    }
}

template <class Visit, class... Same>
MYRIAD_HD void visit_fields(Visit&& visit, double& first, Same&... more) {
    visit(first, more...);
}
template <class Visit, class... Same>
MYRIAD_HD void visit_fields(Visit&& visit, float& first, Same&... more) {
    visit(first, more...);
}
#if !defined(__CUDACC_RTC__)
template <class Visit, class Number, int W, class... Same>
MYRIAD_HD void visit_fields(Visit&& visit, Pack<Number, W>& first, Same&... more) {
    visit(first, more...);
}
#endif
template <class Visit, int N, class Real, class... Same>
MYRIAD_HD void visit_fields(Visit&& visit, Vec<N, Real>& first, Same&... more) {
    if constexpr (N == 3) {
        visit(first.e[0], more.e[0]...), visit(first.e[1], more.e[1]...), visit(first.e[2], more.e[2]...);
    } else if constexpr (only_counts<Visit>) {
        visit.count += N;
    } else {
        MYRIAD_UNROLL for (int i = 0; i < N; ++i) visit_fields(visit, first.e[i], more.e[i]...);
    }
}
template <class Visit, class Real, class... Same>
MYRIAD_HD void visit_fields(Visit&& visit, Rotation<Real>& first, Same&... more) {
    visit(first.w, more.w...), visit(first.x, more.x...), visit(first.y, more.y...), visit(first.z, more.z...);
}
template <class Visit, class Fields, class... Same>
MYRIAD_HD auto visit_fields(Visit&& visit, Fields& first, Same&... more)
    -> decltype(Fields::fields(visit, first, more...)) {
    Fields::fields(visit, first, more...);
}

template <bool, class A, class>
struct Either {
    using Type = A;
};
template <class A, class B>
struct Either<false, A, B> {
    using Type = B;
};

template <class Fields>
MYRIAD_HD MaskOf<typename Fields::Real> all_finite(Fields& state) {
    using Real = typename Fields::Real;
    Real sum(0.0);  // 0 x is zero for a finite x and NaN otherwise
    visit_fields([&](Real& x) { sum = finite_term(x, sum); }, state);
    return sum <= Real(0.0);
}

// kept = mask ? given : kept, field by field.
template <class Fields>
MYRIAD_HD void keep(MaskOf<typename Fields::Real> mask, Fields& given, Fields& kept) {
    using Real = typename Fields::Real;
    visit_fields([&](Real& a, Real& b) { b = select(mask, a, b); }, given, kept);
}

}  // namespace myriad::inline MYRIAD_VARIANT
