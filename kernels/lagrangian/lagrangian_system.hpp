// The interface of a system to energy-momentum methods: a view on coordinates q in R^n and rates v, with a mass that
// may be singular and depend on q, a potential and constraints g(q) = 0 that are quadratic in q.
// The members are listed at the concept below. A system of the catalog gives its view, of type Lagrangian, by
// lagrangian(); one in such coordinates is its own view. Source: livens sects. 2 to 4. Not handled: constraints of
// higher degree.
#pragma once
#include "kernels/lagrangian/matrix.hpp"
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
constexpr bool has_bilinear_invariants = requires {
    System::bilinear_invariants;
};

template <class View>
constexpr bool has_load = requires(const View& view, Vec<View::coordinates, typename View::Real> q) {
    view.load(q, q[0]), view.load_by_coordinate(q, q[0]);
};

//   coordinates, constraints                  n and m
//   potential, potential_gradient, potential_hessian (q);   potential_is_quadratic
//   constraint(q), constraint_jacobian(q)     g and B = dg/dq;   constraint_hessian(lambda) = d(B^T lambda)/dq
//   kinetic_energy(q, v), momentum(q, v)      T and dT/dv = M(q) v
//   rate_of(q, p, v)                          the rates at q and p where the mass is regular on the constraints; a
//                                             system of constant singular mass gives `v`, the step's own ones
//   guess(q, v, h)                            where Newton's method begins to look for q+
//   certificate_units                         of momenta, rates of the constraints and constraints; host only
//   load(q, t), load_by_coordinate(q, t)      optional: generalized forces that are no potential's, dload/dq
//   correction_square(dq)                     squared size of a correction: rotations in rad, lengths over a length
//                                             of the system
// and its kinetic energy in one of two forms:
//   T = w . J w / 2, w bilinear in q and v (or linear in v alone)        has_bilinear_invariants
//     bilinear_invariants: how many;  invariant(q, v) = w;  inertia_times(w) = J w, and of the columns of a matrix
//     invariant_by_rate(q) = dw/dv;  invariant_by_coordinate(v) = dw/dq;  pairing(y) = H with y . w = q^T H v
//   T = v . M(q) v / 2 with any M
//     mass_matrix(q), kinetic_gradient(q, v) = dT/dq, kinetic_hessian(q, v) = d2T/dq2,
//     momentum_by_coordinate(q, v) = d(M v)/dq
template <class View>
concept LagrangianSystem = requires(const View& view, Vec<View::coordinates, typename View::Real> q,
                                    Vec<View::constraints, typename View::Real> multipliers) {
    view.potential(q), view.potential_gradient(q), view.potential_hessian(q);
    view.constraint(q), view.constraint_jacobian(q), view.constraint_hessian(multipliers);
    view.kinetic_energy(q, q), view.momentum(q, q), view.rate_of(q, q, q), view.guess(q, q, q[0]);
    view.correction_square(q);
    requires has_bilinear_invariants<View> || requires {
        view.mass_matrix(q), view.kinetic_gradient(q, q), view.kinetic_hessian(q, q);
        view.momentum_by_coordinate(q, q);
    };
};

// Systems of one body whose orientation is a unit quaternion: the view is a QuaternionBody.
template <class System>
constexpr bool is_quaternion_body = requires {
    typename System::Rotor;
};

// The coordinates and rates of a motion, and back.
template <class System>
using CoordinatesOf = Vec<System::Lagrangian::coordinates, typename System::Real>;

template <class System>
MYRIAD_HD CoordinatesOf<System> coordinates_of(const Motion<System>& motion) {
    if constexpr (is_quaternion_body<System>) {
        const auto q = System::orientation(motion.q);
        return {q.w, q.x, q.y, q.z};
    } else {
        return motion.q;
    }
}
template <class System>
MYRIAD_HD CoordinatesOf<System> rates_of(const Motion<System>& motion) {
    if constexpr (is_quaternion_body<System>)
        return System::Rotor::rate(coordinates_of(motion), System::turning(motion.v));
    else
        return motion.v;
}
// The motion at the end of a step h from its coordinates and rates there.
template <class System, class Real = typename System::Real>
MYRIAD_HD void set_end(const System& system, const Motion<System>& begin, Real h, const CoordinatesOf<System>& q,
                       const CoordinatesOf<System>& v, Motion<System>& end) {
    if constexpr (is_quaternion_body<System>)
        system.set_end(begin, h, {q[0], q[1], q[2], q[3]}, System::Rotor::invariant(q, v), end);
    else
        end.q = q, end.v = v;
}

}  // namespace myriad::inline MYRIAD_VARIANT
