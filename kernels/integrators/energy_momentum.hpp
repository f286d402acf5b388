// Energy-momentum methods and midpoint rules for formula systems, with a fixed step: one skeleton, members by their
// step.
//
//   energy_momentum               Livens' method, unknowns (q+, lambda)                  livens sect. 4.5
//   livens_midpoint               the midpoint rule on Livens' equations: MPL; 3 unknowns where there is a rotation
//   energy_momentum_convective    on the rotation group, by the convective angular velocity: keeps T + V itself
//
// Source: livens sect. 4; the paper's other forms stand in papers/livens/. Mechanisms have steps of their own. Not
// handled: loads of quaternion bodies, variable steps.
#pragma once
#include "kernels/integrators/implicit.hpp"
#include "kernels/integrators/incremental_rotation.hpp"
#include "kernels/integrators/livens_step.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The largest rotation of a body in a step, rad: a third of a turn, beyond which Cayley's map and the midpoint rules
// follow no rotation; a full turn where a parasitic mode is to be seen to its end. A quaternion increment cannot tell a
// rotation from one by a full turn more.
constexpr double largest_turn = 2.0943951023931953, largest_turn_of_livens = 6.283185307179586;

struct Livens {
    static constexpr const char* name = "energy_momentum";
    static constexpr const char* summary =
        "implicit, Livens: keeps generalized energy and momenta; unstable over long runs";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true, .parasitic_mode = true};
    template <class System>
    using Step = LivensReducedStep<System, false>;
};

template <class System, bool is_body = is_quaternion_body<System>>
struct LivensMidpointStep {
    using Type = MidpointIncrementalStep<System>;
};
template <class System>
struct LivensMidpointStep<System, false> {
    using Type = LivensReducedStep<System, true>;
};
struct LivensMidpoint {
    static constexpr const char* name = "livens_midpoint";
    static constexpr const char* summary = "implicit, midpoint rule on Livens' equations: bounded energy error";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true};
    template <class System>
    using Step = typename LivensMidpointStep<System>::Type;
};

struct Convective {
    static constexpr const char* name = "energy_momentum_convective";
    static constexpr const char* summary =
        "implicit, on the rotation group: keeps energy and momenta exactly, for long runs";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true};
    template <class System>
    using Step = ConvectiveIncrementalStep<System>;
};

// A step brings Memory (start, certificate), correct(going) for kernels/math/newton.hpp and finish(end, after). Livens'
// method keeps the generalized energy p . v - T + V and the momenta; it is weakly unstable over long runs
// (momentum_certificate.hpp shows it).
template <class Member>
struct EnergyMomentum : Member {
    static constexpr MethodOrders orders = {2, 2};
    template <class System>
    using Memory = typename Member::template Step<System>::Memory;
    template <class System>
    static constexpr int certificate_count = momentum_certificate_count<System>;

    template <class System>
    static MYRIAD_HD MomentumCertificate<System> certificate(const System& system, const Motion<System>& motion,
                                                             const Memory<System>& memory) {
        return memory.certificate(system, motion);
    }
    static MYRIAD_HD constexpr bool certificate_drifts(int i) { return momentum_certificate_drifts(i); }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real initialize(const System& system, const Schedule&, Motion<System>& motion,
                                     Memory<System>& memory) {
        memory.start(system, motion);
        return Real(0.0);
    }
    // Momenta begin anew as M v, without a parasitic part; the work of loads so far stays.
    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Real renew(const System& system, const Schedule&, Real, Motion<System>& motion,
                                Memory<System>& memory) {
        if constexpr (has_load<typename System::Lagrangian>) {
            const Real work = memory.work;
            memory.start(system, motion);
            memory.work = work;
        } else {
            memory.start(system, motion);
        }
        return Real(0.0);
    }

    template <class System, class Real = typename System::Real>
    static MYRIAD_HD Attempt<Real> attempt(const System& system, const Schedule& schedule,
                                           const Progress<Real>& progress, const Motion<System>& begin,
                                           Motion<System>& end, const Memory<System>& before, Memory<System>& after,
                                           MaskOf<Real> active) {
        FixedStep<Real> timing = FixedStep<Real>::of(schedule, progress);
        typename Member::template Step<System> step(system, timing.h, begin, before);
        if constexpr (has_load<typename System::Lagrangian>) step.middle_s = fma(Real(-0.5), timing.h, timing.time_s);
        const NewtonOutcome<Real> outcome =
            newton<Real>(active, static_cast<int>(schedule.most_newton_iterations), Real(schedule.newton_tolerance),
                         [&](MaskOf<Real> going, bool) { return step.correct(going); });
        step.finish(end, after);
        Real& reason = timing.attempt.reason;
        if constexpr (is_quaternion_body<System>) {
            constexpr double largest = Member::traits.parasitic_mode ? largest_turn_of_livens : largest_turn;
            const Vec<3, Real> turn = timing.h * System::turning(begin.v);
            reason = reason_unless(dot(turn, turn) <= Real(largest * largest), Reason::rotation_beyond_series, reason);
        }
        reason = reason_unless(outcome.converged, Reason::newton_did_not_converge, reason);
        return timing.attempt;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
