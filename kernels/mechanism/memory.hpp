// The state that every method keeps of a mechanism's instance beside q and v, for its channels and its certificate.
//
//   W+ = W + h (P + P+)/2         P: the power of observe.hpp at the ends of a step
//   W+ = W + h sum_i b_i P_i      explicit Runge-Kutta methods: at the stages, by their weights
//
// The balance of the energy then closes with the order of the method. J, W, s. Not handled: the work of impacts and of
// drivers' jumps, which their own files add.
#pragma once
#include "kernels/mechanism/assembly.hpp"
#include "kernels/system/rates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The power in a state whose accelerations `scratch` was left by.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real power_after_acceleration(const System& system, const typename System::Configuration& q,
                                        const typename System::Velocity& v, const typename System::Velocity& a,
                                        const typename System::MultiplierVector& multipliers,
                                        typename System::Scratch& scratch) {
    return system.template power<false>(q, v, a, multipliers, scratch, true);
}

// work, J: done by loads, drivers and dampers since the start; power, W: its rate at time_s; iterations: Newton's.
template <class System>
struct MechanismMemory {
    using Real = typename System::Real;
    typename System::Velocity acceleration;         // v': m/s^2, rad/s^2 or as the chart has it
    typename System::MultiplierVector multipliers;  // N or N m, of all rows
    Real time_s, work, power, iterations, most_iterations, last_iterations;
    Real assembly_correction, velocity_correction;  // of the start

    MYRIAD_HD void fit(typename System::Topology topology) { acceleration.fit(topology), multipliers.fit(topology); }
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.acceleration...);
        visit_fields(visit, self.multipliers...);
        visit(self.time_s...), visit(self.work...), visit(self.power...), visit(self.iterations...);
        visit(self.most_iterations...), visit(self.last_iterations...), visit(self.assembly_correction...);
        visit(self.velocity_correction...);
    }

    // Sets the start of a run; accelerations and multipliers are known.
    MYRIAD_HD void begin(const System& system, const Motion<System>& motion, typename System::Scratch& scratch,
                         const Assembled<Real>& assembled) {
        begin_to_count(assembled);
        power = system.power(motion.q, motion.v, acceleration, multipliers, scratch);
    }
    MYRIAD_HD void begin_to_count(const Assembled<Real>& assembled) {
        time_s = work = iterations = most_iterations = last_iterations = Real(0.0);
        assembly_correction = assembled.correction, velocity_correction = assembled.velocity_correction;
    }
    // Takes over a step of length h (s) that ends at time_now (s): adds up work and counts. Accelerations and
    // multipliers are those of the end; `scratch` holds the functions of time there and, where `knows_drivers` says so,
    // what the drivers of a tree's coordinates exert; `may_ask_drivers`: it may say no.
    template <bool may_ask_drivers = true>
    MYRIAD_HD void follow(const System& system, const MechanismMemory& before, Real time_now, Real h,
                          const Motion<System>& end, typename System::Scratch& scratch, Real iterations_of_step,
                          [[maybe_unused]] bool knows_drivers) {
        count(before, time_now, iterations_of_step);
        power = system.template power<may_ask_drivers>(end.q, end.v, acceleration, multipliers, scratch, knows_drivers);
        work = fma(Real(0.5) * h, before.power + power, before.work);
    }
    MYRIAD_HD void count(const MechanismMemory& before, Real time_now, Real iterations_of_step) {
        time_s = time_now;
        iterations = before.iterations + iterations_of_step;
        last_iterations = iterations_of_step;
        most_iterations = maximum(iterations_of_step, before.most_iterations);
        assembly_correction = before.assembly_correction, velocity_correction = before.velocity_correction;
    }
};

// The memory of an explicit method: that of a mechanism, or nothing for a formula system.
template <class System, bool = has_topology<System>>
struct ExplicitMemory : MechanismMemory<System> {};
template <class System>
struct ExplicitMemory<System, false> {
    using Real = typename System::Real;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&&, Self&...) {}
};

}  // namespace myriad::inline MYRIAD_VARIANT
