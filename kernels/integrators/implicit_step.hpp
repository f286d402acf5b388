// What an implicit method keeps between steps, and the part of its step that depends on the kind of system: a mechanism
// or a formula.
//
//   memory   A, the algorithmic acceleration; v' and lambda of the end; v' of the steps before
//   step     prescribe motions, residual and matrix at a guess, a correction of Newton's, the end
//
// The formulas stand in implicit.hpp, those of Newton's method in kernels/math/newton.hpp. Not handled: variable steps.
#pragma once
#include "kernels/integrators/implicit_start.hpp"
#include "kernels/integrators/integrator.hpp"
#include "kernels/mechanism/renewal.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The state of an implicit method beside q and v: for a mechanism ...
template <class System, bool = has_topology<System>>
struct ImplicitMemory : MechanismMemory<System> {
    using Real = typename System::Real;
    typename System::Velocity algorithmic, past[3];  // A; v' one step before, two and three
    Real contraction;                                // theta of the step before: kernels/math/newton.hpp

    MYRIAD_HD void fit(typename System::Topology topology) {
        MechanismMemory<System>::fit(topology), algorithmic.fit(topology);
        past[0].fit(topology), past[1].fit(topology), past[2].fit(topology);
    }
    using Seen = MechanismMemory<System>;
    // The part that only the next step reads, from `after`, a step from here. Of `after.past` nothing is read.
    MYRIAD_HD void follow_history(MaskOf<Real> active, const ImplicitMemory& after) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < algorithmic.size(); ++i) {
            past[2][i] = select(active, past[1][i], past[2][i]);
            past[1][i] = select(active, past[0][i], past[1][i]);
            past[0][i] = select(active, Seen::acceleration[i], past[0][i]);
            algorithmic[i] = select(active, after.algorithmic[i], algorithmic[i]);
        }
        contraction = select(active, after.contraction, contraction);
    }
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        Seen::fields(visit, self...);
        visit_fields(visit, self.algorithmic...);
        visit_fields(visit, self.past[0]...), visit_fields(visit, self.past[1]...),
            visit_fields(visit, self.past[2]...);
        visit(self.contraction...);
    }
};

// ... and for a formula system without constraints.
template <class System>
struct ImplicitMemory<System, false> {
    using Real = typename System::Real;
    typename System::Velocity acceleration, algorithmic;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.acceleration...);
        visit_fields(visit, self.algorithmic...);
    }
};

// The part of an implicit step that depends on the kind of system. Of a mechanism the simplified matrix is made at the
// first guess of a step and serves all its corrections; where joints have friction, each correction makes its own. The
// guess of v'+ is the cubic through the last four v', so good that one correction mostly does.
template <class System, bool = has_topology<System>>
struct ImplicitStep {
    using Real = typename System::Real;
    using Memory = ImplicitMemory<System>;
    const System& system;
    Real time_s, h;
    const Memory& before;
    Memory& after;
    typename System::Scratch scratch;
    StoppingRule<Real> rule;
    bool knows_drivers;  // what drivers exert at the end
    static constexpr bool begins_again = System::takes_exact_matrix;

    // The scratch is large and stays uninitialised.
    MYRIAD_HD ImplicitStep(const System& system_given, Real time_given, Real h_given, const Memory& before_given,
                           Memory& after_given, Real tolerance, Real)
        : system(system_given),
          time_s(time_given),
          h(h_given),
          before(before_given),
          after(after_given),
          rule{tolerance, true, Real(0.0), before_given.contraction, true, system_given.topology.constraint_rows() > 0},
          knows_drivers(true) {}

    MYRIAD_HD void begin(const StepCoefficients<Real>& by) {
        knows_drivers = system.follows_drivers(by);
        rule.keeps_matrix = !by.exact_matrix, rule.may_bend = system.topology.frictions() > 0;
        system.functions_at(time_s, scratch.functions);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) after.acceleration[i] = guess(i);
        system.prescribe_acceleration(scratch.functions, after.acceleration);
        MYRIAD_EACH(r, system.topology, rows) after.multipliers[r] = before.multipliers[r];
    }
    MYRIAD_HD Real guess(int i) const {
        const Real a = before.acceleration[i], b = before.past[0][i], c = before.past[1][i];
        const Real change = a - b, change_before = b - c, curvature = change - change_before;
        return a + (change + (curvature + (curvature - (change_before - (c - before.past[2][i])))));
    }
    // Puts lanes back to their guess. Returns the rule by which they try again, by the exact matrix.
    MYRIAD_HD StoppingRule<Real> begin_again(MaskOf<Real> failed) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) after.acceleration[i] =
            select(failed, guess(i), after.acceleration[i]);
        system.prescribe_acceleration(scratch.functions, after.acceleration);
        MYRIAD_EACH(r, system.topology, rows)
            after.multipliers[r] = select(failed, before.multipliers[r], after.multipliers[r]);
        rule.contraction = select(failed, Real(1.0), rule.contraction);
        StoppingRule<Real> again{rule.tolerance};
        again.may_bend = rule.may_bend;
        return again;
    }
    MYRIAD_HD void end_again(const Motion<System>& end, MaskOf<Real> failed) {
        system.ask_drivers(end.q, end.v, after.acceleration, after.multipliers, failed, scratch);
    }
    MYRIAD_HD void prescribe(Motion<System>& end) const { system.prescribe(scratch.functions, end.q, end.v); }
    MYRIAD_HD Correction<Real> correct(const Motion<System>& end, const typename System::Velocity& increment,
                                       const StepCoefficients<Real>& by, MaskOf<Real> going, bool first) {
        return system.correct(end.q, end.v, increment, by, first, going, scratch, after.acceleration,
                              after.multipliers);
    }
    MYRIAD_HD void finish(const Motion<System>& end, Real iterations) {
        after.contraction = rule.contraction_after_step();
        after.template follow<System::may_ask_drivers>(system, before, time_s, h, end, scratch, iterations,
                                                       knows_drivers);
    }
};

// The same for a formula system: dense, full Newton (its matrix costs next to nothing).
template <class System>
struct ImplicitStep<System, false> {
    using Real = typename System::Real;
    using Memory = ImplicitMemory<System>;
    const System& system;
    Real time_s, h;
    const Memory& before;
    Memory& after;
    StoppingRule<Real> rule;
    static constexpr bool begins_again = false;

    MYRIAD_HD ImplicitStep(const System& system_given, Real time_given, Real h_given, const Memory& before_given,
                           Memory& after_given, Real tolerance, Real)
        : system(system_given),
          time_s(time_given),
          h(h_given),
          before(before_given),
          after(after_given),
          rule{tolerance} {}

    MYRIAD_HD void begin(const StepCoefficients<Real>&) { after.acceleration = before.acceleration; }
    MYRIAD_HD void prescribe(Motion<System>&) const {}
    MYRIAD_HD Correction<Real> correct(const Motion<System>& end, const typename System::Velocity& increment,
                                       const StepCoefficients<Real>& by, MaskOf<Real> going, bool) {
        typename System::Velocity x;
        const Real square = system.newton_correction(end, after.acceleration, increment, by.acceleration, by.velocity,
                                                     by.position, by.tangent_operator, time_s, x);
        after.acceleration = select(going, after.acceleration + x, after.acceleration);
        return {square, !true_mask<Real>()};
    }
    MYRIAD_HD void finish(const Motion<System>&, Real) {}
};

}  // namespace myriad::inline MYRIAD_VARIANT
