// The numbers that energy-momentum methods add to the certificate of a mechanism, in this order:
//
//   generalized_energy         p . v - T + V less the work done since the start; T + V where no momenta are kept
//   momentum_defect            |p - M v| of the quaternions of all bodies, largest: the parasitic mode
//   quaternion_rate_residual   |q . v| of the quaternions of all bodies, largest: the same
//   quaternion_length_residual |q . q - 1|, largest
//   linear_momentum.x .y .z    sum m v, world
//   angular_momentum.x .y .z   sum x cross m v + R P/2 with the momenta that are kept, else R J Omega: about the origin
//
// A component of the momenta is one of the motion's invariants only where nothing outside acts along it.
#pragma once
#include "kernels/mechanism/energy_momentum/energy_momentum.hpp"
#include "kernels/mechanism/observe.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr int mechanism_momentum_count = 10;

MYRIAD_HD constexpr bool mechanism_momentum_drifts(int i) { return i == 0 || i >= 4; }

template <class Member, class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE Vec<mechanism_momentum_count, Real> mechanism_momentum_certificate(const System& system,
                                                                                   const Motion<System>& motion,
                                                                                   const Memory& memory) {
    using Layout = DiscreteLayout<System>;
    const Energies<Real> energy = Layout::energies_at(system, motion, memory.time_s);
    Real generalized = energy.kinetic + energy.potential - memory.work, defect(0.0), rate(0.0), longest(0.0);
    Vec<3, Real> linear{Real(0.0), Real(0.0), Real(0.0)}, angular = linear;
    MYRIAD_UNROLL_PLAN for (int b = 0; b < Layout::bodies(system.topology); ++b) {
        const Rotation<Real> q = Layout::orientation(motion.q, b);
        const Vec<3, Real> momentum = Layout::mass(system, b) * Layout::linear(motion.v, b),
                           angular_velocity = Layout::turning(motion.v, b);
        Vec<3, Real> moment = Layout::inertia(system, b) * angular_velocity;
        if constexpr (Member::keeps_moment) {
            // p . v - T = T + v . (p - M v), with v = (along, Omega/2) in body axes
            const KeptSpin<Real>& spin = memory.spin[b];
            const Real along = Member::keeps_rate ? spin.along : Real(0.0);
            const Vec<3, Real> kept = vector_part_of(spin.moment), difference = kept - Real(2.0) * moment;
            generalized = generalized + fma(spin.moment.w, along, Real(0.5) * dot(difference, angular_velocity));
            defect = defect + fma(spin.moment.w, spin.moment.w, dot(difference, difference));
            rate = fma(along, along, rate);
            moment = Real(0.5) * kept;
        }
        linear = linear + momentum;
        angular = add_cross(Layout::position(motion.q, b), momentum, angular + matrix_of(q) * moment);
        const Real length = absolute(fma(q.w, q.w, fma(q.x, q.x, fma(q.y, q.y, fma(q.z, q.z, Real(-1.0))))));
        longest = select(length <= longest, longest, length);
    }
    return {generalized, sqrt(defect), sqrt(rate), longest,    linear[0],
            linear[1],   linear[2],    angular[0], angular[1], angular[2]};
}

#if !defined(__CUDACC_RTC__)
constexpr ChannelDescription mechanism_momentum_entries[mechanism_momentum_count] = {
    {"generalized_energy", "J", "", "", false,
     "p . v - T + V less the work done, which energy_momentum keeps instead of the energy"},
    {"momentum_defect", "kg m^2/s", "", "", false,
     "largest |p - M v| of the quaternions of all bodies: the parasitic mode of energy_momentum"},
    {"quaternion_rate_residual", "1/s", "", "", false,
     "largest |q . q'| of the quaternions of all bodies: it grows with the parasitic mode"},
    {"quaternion_length_residual", "1", "", "", false, "largest |q . q - 1| of all bodies"},
    {"linear_momentum.x", "kg m/s", "world", "", false, "kept where no force from outside acts along x"},
    {"linear_momentum.y", "kg m/s", "world", "", false, "kept where no force from outside acts along y"},
    {"linear_momentum.z", "kg m/s", "world", "", false, "kept where no force from outside acts along z"},
    {"angular_momentum.x", "kg m^2/s", "world", "", false,
     "of all bodies about the origin; kept where nothing from outside turns them about x"},
    {"angular_momentum.y", "kg m^2/s", "world", "", false,
     "of all bodies about the origin; kept where nothing from outside turns them about y"},
    {"angular_momentum.z", "kg m^2/s", "world", "", false,
     "of all bodies about the origin; kept where nothing from outside turns them about z"},
};
#endif

}  // namespace myriad::inline MYRIAD_VARIANT
