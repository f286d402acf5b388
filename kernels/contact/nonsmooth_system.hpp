// The interface of a system with contacts to timestepping schemes: M(q) v' = h(q, v, t) + W(q) l, u = W(q)^T v.
//
// Beside Configuration, Velocity, prepare, start, retract, settle, reach and regular (system.hpp) such a system has
//   contacts, tangents             compile-time sizes; tangents: 0, 1 (planar) or 2 directions of friction per contact
//   mass(q)                        M, symmetric and positive definite
//   force(q, v, t)                 h: applied and gyroscopic forces
//   tangents_of(q, v, a, t)        stiffness d(M a - h)/dq along `retract` and damping -dh/dv
//   contact_state(q)               gaps g, m, and directions: the rows of W^T, contact by contact: normal, tangents
//   law(k)                         friction mu, restitution of the normal and the tangential velocity
//   held(k)                        true: the contact is bilateral and always closed
//   unused(k)                      true: the contact is never closed
//   energy(q, v)                   kinetic and potential energy, J; constant loads count as potential
//   damping_work(begin, end)       where the system has damping: the work that it takes, J (damping_record.hpp)
//   contact_names                  for people, where there are several contacts
// The normal impulse is positive and opens the gap: W_N = dg/dq. Stiffness leaves W l out: its share in Newton's matrix
// is of the order h^2, so that the iteration still contracts fast (nonsmooth table after eq. 55 leaves it out too).
#pragma once
#include "kernels/math/small_solve.hpp"
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct ContactLaw {
    Real friction, normal_restitution, tangential_restitution;
};

template <int N, class Real>
struct TangentMatrices {
    SquareMatrix<N, Real> stiffness, damping;
};

template <int N, int C, int T, class R>
struct ContactState {
    using Real = R;
    static constexpr int directions = 1 + T, rows = C * directions;
    Vec<C, Real> gap;
    Vec<N, Real> direction[rows > 0 ? rows : 1];  // a row of W^T

    MYRIAD_HD Real velocity(int row, const Vec<N, Real>& v) const {
        Real u(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < N; ++i) u = fma(direction[row][i], v[i], u);
        return u;
    }
};

template <class System>
using ContactStateOf = ContactState<System::freedoms, System::contacts, System::tangents, typename System::Real>;

// The system's contact_state(q), compiled once: a step asks for it in many places.
template <class System>
MYRIAD_NOINLINE void find_contacts(const System& system, const typename System::Configuration& q,
                                   ContactStateOf<System>& state) {
    const ContactStateOf<System> found = system.contact_state(q);
    // One by one, so that what was found never lies in memory itself.
    MYRIAD_UNROLL_PLAN for (int c = 0; c < System::contacts; ++c) state.gap[c] = found.gap[c];
    MYRIAD_UNROLL_PLAN for (int row = 0; row < ContactStateOf<System>::rows; ++row) state.direction[row] =
        found.direction[row];
}

template <int N, class Real>
MYRIAD_HD Vec<N, Real> operator*(const SquareMatrix<N, Real>& m, const Vec<N, Real>& v) {
    Vec<N, Real> r;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < N; ++i) {
        Real sum(0.0);
        MYRIAD_UNROLL_PLAN for (int j = 0; j < N; ++j) sum = fma(m.e[i][j], v[j], sum);
        r[i] = sum;
    }
    return r;
}
template <int N, class Real>
MYRIAD_HD Real inner(const Vec<N, Real>& a, const Vec<N, Real>& b) {
    Real sum(0.0);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < N; ++i) sum = fma(a[i], b[i], sum);
    return sum;
}
template <int N, class Real>
MYRIAD_HD SquareMatrix<N, Real> zero_matrix() {
    SquareMatrix<N, Real> m;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < N; ++i) MYRIAD_UNROLL_PLAN for (int j = 0; j < N; ++j) m.e[i][j] = Real(0.0);
    return m;
}

// The reason why the contacts' coefficients cannot be, and a warning for laws by which an impact may gain energy (facts
// F: Newton's law with friction and different restitutions, nonsmooth eqs. 11 to 13).
template <class Real>
MYRIAD_HD void check_contact_law(const ContactLaw<Real>& law, Real& reason, MaskOf<Real>& gains) {
    const Real zero(0.0), one(1.0);
    const auto share = [&](Real x) {
        const MaskOf<Real> below = x <= one, above = zero <= x;
        return MaskOf<Real>(below & above);
    };
    reason = reason_unless(zero <= law.friction, Reason::contact_law_invalid, reason);
    reason = reason_unless(share(law.normal_restitution), Reason::contact_law_invalid, reason);
    reason = reason_unless(share(law.tangential_restitution), Reason::contact_law_invalid, reason);
    const MaskOf<Real> rough = zero < law.friction, uneven = !(law.normal_restitution == law.tangential_restitution);
    gains = gains | (rough & uneven);
}
template <class System, class Real = typename System::Real>
MYRIAD_HD void check_contact_laws(const System& system, Real& reason, Real& warnings) {
    MaskOf<Real> gains = !true_mask<Real>();
    MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) check_contact_law(system.law(k), reason, gains);
    warnings = warnings + select(gains, Real(static_cast<double>(Warning::impacts_may_gain_energy)), Real(0.0));
}

}  // namespace myriad::inline MYRIAD_VARIANT
