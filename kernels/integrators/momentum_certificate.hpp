// The numbers that energy-momentum methods add to the certificate of a formula system, in this order:
//
//   generalized_energy             E = p . v - T + V less the work of loads: kept by Livens' method   livens eq. 74
//   momentum_defect                |p - M(q) v|, largest: the parasitic part of the momenta
//   velocity_constraint_residual   |B v|, largest; of a unit quaternion |q . v|
//   constraint_residual            |g|, largest; of a unit quaternion |q . q - 1|/2
//   momentum_map.z, .x, .y         of a quaternion body L = E(q) p / 2 (world), as far as its potential leaves it:
//                                  what Livens' method keeps instead of R J w                    livens eq. 64
//
// E = (T + V) + v . (p - M v): it differs from the total energy by the parasitic part alone.
#pragma once
#include "kernels/lagrangian/quaternion_body.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The number of components of the momentum map
template <class System>
MYRIAD_HD constexpr int momentum_maps_of() {
    if constexpr (is_quaternion_body<System>)
        return System::Rotor::has_weight ? 1 : 3;
    else
        return 0;
}
constexpr int common_certificate_count = 4;
template <class System>
constexpr int momentum_certificate_count = common_certificate_count + momentum_maps_of<System>();
template <class System>
using MomentumCertificate = Vec<momentum_certificate_count<System>, typename System::Real>;

MYRIAD_HD constexpr bool momentum_certificate_drifts(int i) { return i == 0 || i >= common_certificate_count; }

// `momentum`: q* o p.
template <class System, class Real = typename System::Real>
MYRIAD_HD void set_momentum_map(const Motion<System>& motion, const Rotation<Real>& momentum,
                                MomentumCertificate<System>& certificate) {
    const Vec<3, Real> in_body{momentum.x, momentum.y, momentum.z};
    const Vec<3, Real> world = Real(0.5) * System::orientation(motion.q).act(in_body);
    MYRIAD_UNROLL for (int i = common_certificate_count; i < momentum_certificate_count<System>; ++i) certificate[i] =
        world[(i - common_certificate_count + 2) % 3];
}

template <int N, class Real>
MYRIAD_HD Real length(const Vec<N, Real>& v) {
    return sqrt(dot_product(v, v));
}

// The certificate from the rates and momenta in coordinates.
template <class System, class Real = typename System::Real>
MYRIAD_HD MomentumCertificate<System> momentum_certificate(const System& system, const Motion<System>& motion,
                                                           const CoordinatesOf<System>& v,
                                                           const CoordinatesOf<System>& p) {
    const typename System::Lagrangian& view = system.lagrangian();
    const CoordinatesOf<System> q = coordinates_of(motion), defect = p - view.momentum(q, v);
    MomentumCertificate<System> certificate{system.invariants(motion.q, motion.v)[0] + dot_product(v, defect),
                                            length(defect), length(view.constraint_jacobian(q) * v),
                                            length(view.constraint(q))};
    if constexpr (is_quaternion_body<System>)
        set_momentum_map(motion, inverse(quaternion(q)) * quaternion(p), certificate);
    return certificate;
}

// The certificate of a quaternion body from the parts of rates and momenta in its frame that its angular velocity does
// not give: q* o v = (radial_rate, w/2), q* o p = momentum.
template <class System, class Real = typename System::Real>
MYRIAD_HD MomentumCertificate<System> body_certificate(const System& system, const Motion<System>& motion,
                                                       Real radial_rate, const Rotation<Real>& momentum) {
    const auto body = system.lagrangian();
    const Vec<3, Real> w = System::turning(motion.v), along = body.inertia * w;
    const Vec<3, Real> defect{fma(Real(-2.0), along[0], momentum.x), fma(Real(-2.0), along[1], momentum.y),
                              fma(Real(-2.0), along[2], momentum.z)};
    const Real energy = fma(Real(0.5), dot(w, defect), system.invariants(motion.q, motion.v)[0]);
    MomentumCertificate<System> certificate{
        fma(momentum.w, radial_rate, energy), sqrt(fma(momentum.w, momentum.w, dot(defect, defect))),
        absolute(radial_rate), absolute(body.constraint(coordinates_of(motion))[0])};
    set_momentum_map(motion, momentum, certificate);
    return certificate;
}

#if !defined(__CUDACC_RTC__)
// Their names, units (of momenta and constraints in the system's own) and meanings.
constexpr ChannelDescription momentum_certificate_entries[] = {
    {"generalized_energy", "J", "", "", false,
     "p . v - T + V less the work of loads, which the Livens methods keep instead of the energy"},
    {"momentum_defect", "kg m^2/s", "", "", false,
     "largest |p - M(q) v|, in the units of the momenta: the parasitic mode of the Livens methods"},
    {"velocity_constraint_residual", "1/s", "", "", false,
     "largest rate of the constraints, for a unit quaternion |q . q'|: it grows with the parasitic mode"},
    {"constraint_residual", "1", "", "", false,
     "largest constraint residual, for a unit quaternion |q . q - 1|/2, else in the units of the constraint"},
    {"momentum_map.z", "kg m^2/s", "world", "", false, "angular momentum of the momenta, E(q) p / 2, along z"},
    {"momentum_map.x", "kg m^2/s", "world", "", false, "angular momentum of the momenta, E(q) p / 2, along x"},
    {"momentum_map.y", "kg m^2/s", "world", "", false, "angular momentum of the momenta, E(q) p / 2, along y"},
};
#endif

}  // namespace myriad::inline MYRIAD_VARIANT
