// The interface of a system to integrators and backends, and the pieces that rigid bodies share.
//
// A system is a template <class Real, template <class> class Chart> with
//   Configuration q, Velocity v                its state: positions in the world frame, rates in the body frame
//   prepare(parameters) -> Prepared<System>    what is constant per instance; refuses bad parameters
//   start(parameters, q, v)                    the initial state
//   retract, local_rate, settle, reach, regular       as in orientation.hpp, for the whole configuration
//   acceleration(q, v)                         v'
//   newton_correction(motion, a, u, c_a, c_v, c_q, tangent_operator, time_s, x) -> squared size
//                                              for implicit methods: x, as in implicit_chart.hpp, by which Newton's
//                                              method corrects v' = a at the end of a step whose local coordinates are
//                                              u; the size, of the correction of positions (relative to a length of the
//                                              system) and rotations (rad), is NaN or infinite where the matrix is
//                                              singular
//   magnitude(q, q+) -> Velocity               what a relative tolerance of the local coordinates is relative to
//   invariants(q, v) -> Vec                    what the exact motion keeps
//   channel(index, q, v)                       one scalar that can be observed or reduced to a quantity
//
// `has_orientation` says whether charts make a difference to it. For the host only, it has description arrays in the
// same order. A system knows no integrator and no backend.
#pragma once
#include "kernels/math/fields.hpp"
#include "kernels/orientation/orientation.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/status.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A system of the size of a mechanism, which is known at run time or from a type.
template <class System>
constexpr bool has_topology = requires {
    typename System::Topology;
};

// A system with drivers whose rates may jump: kernels/joint_coordinates/driver_jumps.hpp.
template <class System>
constexpr bool drivers_may_jump = false;
template <class System>
requires requires { System::drivers_may_jump; }
constexpr bool drivers_may_jump<System> = System::drivers_may_jump;

// Which jumps of an acceleration alone count in a step: none, those at its end, or all, of which the first ends it.
enum class Bends { none, at_its_end, within };

// Of such a system in a step.
template <class Real>
struct DriverJump {
    MaskOf<Real> jumps, breaks;  // a rate jumps; a value does, or a corner has no branches
    // Of the first jump: functions have old branches up to the former, new ones at the latter.
    Real before_s, time_s;
};

// A system that looks at a state once for all channels: kernels/run/advance.hpp.
template <class System>
constexpr bool has_view = requires {
    typename System::View;
};

// A system that knows states within a step: kernels/run/within_step.hpp.
template <class System>
constexpr bool has_course_of_step = requires {
    typename System::CourseOfStep;
};

template <class System>
struct Prepared {
    System system;
    typename System::Real reason;    // Reason::none, or why this instance cannot run
    typename System::Real warnings;  // bits of Warning
};

template <class S>
struct Motion {
    using Real = typename S::Real;
    typename S::Configuration q;
    typename S::Velocity v;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.q...);
        visit_fields(visit, self.v...);
    }
};

// The first channels of every body.
template <class Real>
struct BodyState {
    Vec<3, Real> position;
    Rotation<Real> orientation;
    Vec<3, Real> velocity, angular_velocity;
    MYRIAD_HD Real channel(int index) const {
        if (index < orientation_channel) return position[index];
        if (index < velocity_channel) {
            const int part = index - orientation_channel;
            return part == 0 ? orientation.w : part == 1 ? orientation.x : part == 2 ? orientation.y : orientation.z;
        }
        if (index < angular_velocity_channel) return velocity[index - velocity_channel];
        return angular_velocity[index - angular_velocity_channel];
    }
};

// The pose and the rates of a frame.
template <class Real>
struct Place {
    Mat3<Real> matrix;                // to world
    Vec<3, Real> position, velocity;  // of its origin, world, m and m/s
    Vec<3, Real> angular_velocity;    // in its own axes, rad/s
};

// d(w x J w)/dw
template <class Real>
MYRIAD_HD Mat3<Real> gyroscopic_damping(const Symmetric3<Real>& inertia, Vec<3, Real> w) {
    return fma(Real(-1.0), skew(inertia * w), skew(w) * matrix_of(inertia));
}

// A margin of some ten ulp: round-off in a sum of parameters must not turn a published equality (a disc, a rod) into a
// refusal, nor a singular inertia into a regular one.
template <class Real>
MYRIAD_HD Real semidefinite_slack() {
    return constant<Real>(1e-12, 2e-6);
}

// All principal minors of a positive semidefinite matrix are >= 0; each is compared with its own size.
template <class Real>
MYRIAD_HD MaskOf<Real> positive_semidefinite(const Symmetric3<Real>& m) {
    const Real size =
        absolute(m.xx) + absolute(m.yy) + absolute(m.zz) + absolute(m.xy) + absolute(m.xz) + absolute(m.yz);
    const Real slack = semidefinite_slack<Real>() * size, slack2 = slack * size, slack3 = slack2 * size;
    const Real minor_xy = m.xx * m.yy - m.xy * m.xy, minor_xz = m.xx * m.zz - m.xz * m.xz,
               minor_yz = m.yy * m.zz - m.yz * m.yz;
    return (-slack <= m.xx) & (-slack <= m.yy) & (-slack <= m.zz) & (-slack2 <= minor_xy) & (-slack2 <= minor_xz) &
           (-slack2 <= minor_yz) & (-slack3 <= determinant(m));
}

// Principal moments of a real body obey J_a + J_b >= J_c: tr(J)/2 I - J, the body's second moments, is then positive
// semidefinite.
template <class Real>
MYRIAD_HD MaskOf<Real> obeys_triangle_inequality(const Symmetric3<Real>& j) {
    const Real half_trace = Real(0.5) * (j.xx + j.yy + j.zz);
    return positive_semidefinite(
        Symmetric3<Real>{half_trace - j.xx, half_trace - j.yy, half_trace - j.zz, -j.xy, -j.xz, -j.yz});
}

template <class Real>
MYRIAD_HD Real inertia_warning(const Symmetric3<Real>& inertia) {
    return select(obeys_triangle_inequality(inertia), Real(0.0),
                  Real(static_cast<double>(Warning::inertia_breaks_triangle_inequality)));
}

// Keeps the first objection: where `ok` is false, `given` becomes the reason unless one stands already.
template <class Real>
MYRIAD_HD Real reason_unless(MaskOf<Real> ok, Reason given, Real so_far) {
    return select((so_far <= Real(0.0)) & (!ok), Real(static_cast<double>(given)), so_far);
}

// The checks of every system made of one rigid body; `inverted` is the inertia that the system has to invert.
template <class Real, int N>
MYRIAD_HD Real body_reason(const Vec<N, Real>& parameters, Real mass, const Symmetric3<Real>& inertia,
                           const Symmetric3<Real>& inverted) {
    Real sum(0.0);
    MYRIAD_UNROLL for (int i = 0; i < N; ++i) sum = finite_term(parameters[i], sum);
    const Real trace = inverted.xx + inverted.yy + inverted.zz;
    Real reason(0.0);
    reason = reason_unless(sum <= Real(0.0), Reason::parameter_not_finite, reason);
    reason = reason_unless(Real(0.0) < mass, Reason::mass_not_positive, reason);
    reason = reason_unless(positive_semidefinite(inertia), Reason::inertia_not_positive_semidefinite, reason);
    return reason_unless(semidefinite_slack<Real>() * (trace * trace * trace) < determinant(inverted),
                         Reason::inertia_singular, reason);
}

}  // namespace myriad::inline MYRIAD_VARIANT
