// One step of Livens' energy-momentum method in its null-space form: three unknowns, an incremental rotation
// (kernels/integrators/incremental_rotation.hpp). Source: livens remark 4.11.
#pragma once
#include "kernels/integrators/incremental_rotation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
struct LivensIncrementalStep : IncrementalStep<System> {
    using Real = typename System::Real;
    using Vector = Vec<3, Real>;
    // The body-frame rates: radial_rate is the real part of q* o v, whose vector part is w/2; momentum is q* o p.
    struct Memory {
        using Real = typename System::Real;
        Real radial_rate;
        Rotation<Real> momentum;
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
            visit(self.radial_rate...);
            visit_fields(visit, self.momentum...);
        }
        MYRIAD_HD void start(const System& system, const Motion<System>& motion) {
            radial_rate = Real(0.0);
            momentum = pure(Real(2.0) * (system.lagrangian().inertia * System::turning(motion.v)));
        }
        MYRIAD_HD MomentumCertificate<System> certificate(const System& system, const Motion<System>& motion) const {
            return body_certificate(system, motion, radial_rate, momentum);
        }
    };
    const Memory& before;
    Real per_step;         // 2/h
    Vector half_velocity;  // w/2

    MYRIAD_HD LivensIncrementalStep(const System& system_given, Real step, const Motion<System>& motion,
                                    const Memory& memory)
        : IncrementalStep<System>(system_given, step, motion),
          before(memory),
          per_step(Real(2.0) / step),
          half_velocity(Real(0.5) * this->w) {}

    MYRIAD_HD Vector velocity_at_middle() const {
        const Vector x = vector_part(this->r);
        return add_cross(x, half_velocity,
                         fma(per_step + before.radial_rate, x, (Real(1.0) - this->r.w) * half_velocity));
    }
    MYRIAD_HD Correction<Real> correct(MaskOf<Real> going) {
        const Vector x = vector_part(this->r);
        const Real half(0.5);
        const Mat3<Real> by_turn =
            fma(Real(1.0), product(per_step + before.radial_rate, -half_velocity, half * this->r.w, half * x),
                dyad(half * half_velocity, x));
        return this->apply(momentum_balance(*this, before.momentum, velocity_at_middle(), by_turn), going);
    }
    MYRIAD_HD void finish(Motion<System>& end, Memory& after) const {
        const Vector x = vector_part(this->r);
        const Real r0 = this->r.w, one(1.0), two(2.0);
        after.momentum = momentum_after(this->r, before.momentum, this->body.inertia * velocity_at_middle());
        // 1 - r0 = |x|^2 / (1 + r0) without loss of digits.
        after.radial_rate = fma(per_step, dot(x, x) / (one + r0), -fma(r0, before.radial_rate, dot(x, half_velocity)));
        const Vector carried = add_cross(half_velocity, x, fma(r0, half_velocity, -before.radial_rate * x));
        IncrementalStep<System>::finish(two * fma(per_step, x, -carried), end);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
