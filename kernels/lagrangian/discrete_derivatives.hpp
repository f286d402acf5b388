// Discrete derivatives of the energies of a LagrangianSystem (lagrangian_system.hpp) between (q, v) and (q+, v+), with
// their exact derivatives by q+ and v+ for Newton's method: one implementation for all systems.
//
//   Gonzalez       D f = grad f(q_half) + s dq,  s = (f(q+) - f(q) - grad f(q_half) . dq) / |dq|^2      livens eq. 71
//   bilinear       T = w . J w / 2, w bilinear in q and v:  y = J (w(q,v) + w(q+,v+)) / 2,
//                  D_v T = (dw/dv at q_half)^T y,  D_q T = (dw/dq at v_half)^T y                    livens eqs. 87, 88
//   partitioned    D_v T = (M(q) + M(q+)) v_half / 2,  D_q T = (D T(., v) + D T(., v+)) / 2         livens eq. 84
//
// They are directional: D_q . dq + D_v . dv = T(q+,v+) - T(q,v), and D V . dq = V(q+) - V(q); a rotation of q and v
// together leaves the bilinear ones as equivariant as w is. The midpoint rule in their place takes the derivatives at
// (q_half, v_half). `v_half` is (v + v+)/2. Loads enter at mid-step (livens_step.hpp).
#pragma once
#include "kernels/lagrangian/lagrangian_system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int N, class Real>
struct DiscreteGradient {
    Vec<N, Real> value;
    Matrix<N, N, Real> by_end;  // derivative by q+
    Real inverse_square;        // 1/|dq|^2, or 0 where the correction is left out
};

// From f, grad f and the Hessian at q_half and grad f at q+. The correction is left out where its numerator is within
// the round-off of its terms; this costs no more than that round-off of f.
template <int N, class Real>
MYRIAD_HD DiscreteGradient<N, Real> gonzalez_gradient(const Vec<N, Real>& dq, Real f, Real f_end,
                                                      const Vec<N, Real>& gradient, const Matrix<N, N, Real>& hessian,
                                                      const Vec<N, Real>& end_gradient) {
    const Real zero(0.0), half(0.5), two(2.0), square = dot_product(dq, dq);
    Real terms = absolute(f) + absolute(f_end);
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) terms = fma(absolute(gradient[i]), absolute(dq[i]), terms);
    const Real numerator = (f_end - f) - dot_product(gradient, dq), epsilon = constant<Real>(2.3e-16, 1.2e-7);
    const MaskOf<Real> is_round_off = absolute(numerator) <= Real(4.0) * epsilon * terms;
    const Real inverse_square = select(is_round_off, zero, Real(1.0) / select(square <= zero, Real(1.0), square));
    const Real s = numerator * inverse_square;
    Vec<N, Real> slope = transposed_times(hessian, dq);  // then ds/dq+, zero where the correction is left out
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) slope[i] =
        fma(-half, slope[i], fma(-two * s, dq[i], end_gradient[i] - gradient[i])) * inverse_square;
    return {fma(s, dq, gradient), add_dyad(dq, slope, fma(half, hessian, unit_times<N>(s))), inverse_square};
}

// D V and its derivative by q+.
template <class System, class Real = typename System::Real, int N = System::coordinates>
MYRIAD_HD DiscreteGradient<N, Real> potential_gradient(const System& system, const Vec<N, Real>& q,
                                                       const Vec<N, Real>& end, bool midpoint) {
    const Vec<N, Real> middle = Real(0.5) * (q + end);
    const Vec<N, Real> gradient = system.potential_gradient(middle);
    const Matrix<N, N, Real> hessian = system.potential_hessian(middle);
    if (midpoint || System::potential_is_quadratic) return {gradient, Real(0.5) * hessian, Real(0.0)};
    return gonzalez_gradient(end - q, system.potential(q), system.potential(end), gradient, hessian,
                             system.potential_gradient(end));
}

// D_v T and D_q T with their derivatives by q+ and v+.
template <int N, class Real>
struct KineticDerivatives {
    Vec<N, Real> by_rate, by_coordinate;
    Matrix<N, N, Real> rate_by_q, rate_by_v, coordinate_by_q, coordinate_by_v;
};

template <class System, class Real = typename System::Real, int N = System::coordinates>
MYRIAD_HD KineticDerivatives<N, Real> bilinear_derivatives(const System& system, const Vec<N, Real>& q,
                                                           const Vec<N, Real>& v, const Vec<N, Real>& q_end,
                                                           const Vec<N, Real>& v_end, bool midpoint) {
    const Real half(0.5);
    const Vec<N, Real> q_half = half * (q + q_end), v_half = half * (v + v_end);
    const auto by_v = system.invariant_by_rate(q_half);
    const auto by_q = system.invariant_by_coordinate(v_half);
    auto w = system.invariant(q_half, v_half);
    auto w_by_q = half * by_q;
    auto w_by_v = half * by_v;
    if (!midpoint) {
        w = half * (system.invariant(q, v) + system.invariant(q_end, v_end));
        w_by_q = half * system.invariant_by_coordinate(v_end);
        w_by_v = half * system.invariant_by_rate(q_end);
    }
    const auto y = system.inertia_times(w);
    const auto y_by_q = system.inertia_times(w_by_q), y_by_v = system.inertia_times(w_by_v);
    const Matrix<N, N, Real> pairing = system.pairing(y);
    return {transposed_times(by_v, y),
            transposed_times(by_q, y),
            fma(half, transpose(pairing), transposed_times(by_v, y_by_q)),
            transposed_times(by_v, y_by_v),
            transposed_times(by_q, y_by_q),
            fma(half, pairing, transposed_times(by_q, y_by_v))};
}

template <class System, class Real = typename System::Real, int N = System::coordinates>
MYRIAD_HD KineticDerivatives<N, Real> partitioned_derivatives(const System& system, const Vec<N, Real>& q,
                                                              const Vec<N, Real>& v, const Vec<N, Real>& q_end,
                                                              const Vec<N, Real>& v_end, bool midpoint) {
    const Real half(0.5), quarter(0.25);
    const Vec<N, Real> q_half = half * (q + q_end), v_half = half * (v + v_end), dq = q_end - q;
    if (midpoint) {
        const Matrix<N, N, Real> momentum_by_q = system.momentum_by_coordinate(q_half, v_half);
        return {system.mass_matrix(q_half) * v_half,
                system.kinetic_gradient(q_half, v_half),
                half * momentum_by_q,
                half * system.mass_matrix(q_half),
                half * system.kinetic_hessian(q_half, v_half),
                half * transpose(momentum_by_q)};
    }
    const auto of_rate = [&](const Vec<N, Real>& rate) {
        return gonzalez_gradient(dq, system.kinetic_energy(q, rate), system.kinetic_energy(q_end, rate),
                                 system.kinetic_gradient(q_half, rate), system.kinetic_hessian(q_half, rate),
                                 system.kinetic_gradient(q_end, rate));
    };
    const DiscreteGradient<N, Real> before = of_rate(v), after = of_rate(v_end);
    // The correction's derivative by v+: (M(q+) v+ - M(q) v+ - dq . d(M v+)/dq) / |dq|^2 along dq.
    const Matrix<N, N, Real> mass = system.mass_matrix(q), mass_end = system.mass_matrix(q_end);
    const Matrix<N, N, Real> momentum_by_q = system.momentum_by_coordinate(q_half, v_end);
    const Vec<N, Real> slope = after.inverse_square * (mass_end * v_end - mass * v_end - momentum_by_q * dq);
    const Matrix<N, N, Real> sum = fma(Real(1.0), mass, mass_end);
    return {half * (sum * v_half),
            half * (before.value + after.value),
            half * system.momentum_by_coordinate(q_end, v_half),
            quarter * sum,
            half * fma(Real(1.0), before.by_end, after.by_end),
            half * add_dyad(dq, slope, transpose(momentum_by_q))};
}

template <class System, class Real = typename System::Real, int N = System::coordinates>
MYRIAD_HD KineticDerivatives<N, Real> kinetic_derivatives(const System& system, const Vec<N, Real>& q,
                                                          const Vec<N, Real>& v, const Vec<N, Real>& q_end,
                                                          const Vec<N, Real>& v_end, bool midpoint) {
    if constexpr (has_bilinear_invariants<System>)
        return bilinear_derivatives(system, q, v, q_end, v_end, midpoint);
    else
        return partitioned_derivatives(system, q, v, q_end, v_end, midpoint);
}

}  // namespace myriad::inline MYRIAD_VARIANT
