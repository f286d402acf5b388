// What timestepping keeps of a system beside its contacts, for its channels and the balance of energy: a mechanism's
// memory, or of a formula v', the energy that its damping has taken, and which contacts are closed: finding that anew
// at the beginning of each step would take as long as finding it at the end.
//
//   W+ = W + h (P + P+)/2 + W_d     P: the power of all but drivers, at the ends of a step
//   W_d = h (D + D+)/2              D: that of drivers; h D+ where an impact or a jump of drivers came after the forces
//   W_d = p . v_p - Z . B v         of a scheme whose impacts and forces are one: by impulses of drivers over the step,
//                                   with the mean of the rates before and after
//
// `power` is P + D, or P where D is not known or W_d comes from impulses. SI units.
#pragma once
#include "kernels/contact/damping_record.hpp"
#include "kernels/contact/loads.hpp"
#include "kernels/integrators/contact/formula_equations.hpp"
#include "kernels/mechanism/memory.hpp"
#include "kernels/mechanism/renewal.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System, bool = has_topology<System>>
struct StepRecord : MechanismMemory<System> {
    using Real = typename System::Real;
    using Memory = MechanismMemory<System>;
    using Equations = ContactEquations<System>;
    using Places = typename Equations::Places;
    using Loads = ContactLoads<Real, typename System::Topology>;

    template <bool impacts_apart>
    MYRIAD_HD void begin(Equations& equations, MaskOf<Real> are_old, const Motion<System>& motion, const Loads& force,
                         const Assembled<Real>& assembled) {
        Places places;
        Memory::begin_to_count(assembled);
        renew_power<impacts_apart>(equations, true_mask<Real>(), are_old, motion, force, places);
    }
    // The equations are at the time of the step's end. `work_J`: of drivers, of a scheme that has it from impulses.
    template <bool impacts_apart, class AnyMemory>
    MYRIAD_HD void follow(Equations& equations, const AnyMemory& before, Real time_s, Real h, const Motion<System>&,
                          const Motion<System>& end, const Loads& force, Places& places, Real newton_iterations,
                          Real work_J) {
        const Real half_h = Real(0.5) * h;
        Real work = before.work;
        Memory::count(before, time_s, newton_iterations);
        this->power = power_of<PowerOf::others>(equations, end);
        if (has_drivers(equations.system.topology)) {
            if constexpr (impacts_apart) {
                const Real drivers = power_of_drivers(equations, end, force, places);
                this->power = this->power + drivers;
                work = select(before.forces_are_old(), fma(half_h, drivers, work), work);
            } else {
                work = work + work_J;
            }
        }
        this->work = fma(half_h, before.power + this->power, work);
    }
    // Keeps of a step that follow() has taken over what its first share adds, with P + share (P+ - P) at its end. The
    // equations are at the end of the step.
    template <bool impacts_apart, class AnyMemory>
    MYRIAD_HD void keep_share(Equations& equations, const AnyMemory& before, MaskOf<Real> lanes, Real share, Real h,
                              const Motion<System>& end, const Loads& force, Places& places, Real work_J) {
        const Real part = share * h, half = Real(0.5) * share;
        Real work = fma(part, fma(half, this->power - before.power, before.power), before.work);
        if (has_drivers(equations.system.topology)) {
            if constexpr (impacts_apart) {
                const Real drivers = power_of_drivers(equations, end, force, places);
                work = select(before.forces_are_old(), fma(part * (Real(1.0) - half), drivers, work), work);
            } else {
                work = fma(share, work_J, work);
            }
        }
        this->work = select(lanes, work, this->work);
    }
    // Of an impact, or of the start.
    MYRIAD_HD void add_work(Equations& equations, Real work_J) {
        if (has_drivers(equations.system.topology)) this->work = this->work + work_J;
    }
    // An impact has changed v in `lanes`, or forces are new. `are_old`: lanes in which the forces are not of this v.
    template <bool impacts_apart>
    MYRIAD_HD void renew_power(Equations& equations, MaskOf<Real> lanes, MaskOf<Real> are_old,
                               const Motion<System>& motion, const Loads& force, Places& places) {
        Real power = power_of<PowerOf::others>(equations, motion);
        if (impacts_apart && has_drivers(equations.system.topology))
            power = select(are_old, power, power + power_of_drivers(equations, motion, force, places));
        this->power = select(lanes, power, this->power);
    }
    // Parameters have changed. Returns a reason.
    MYRIAD_HD Real renew(Equations& equations, const Schedule& schedule, Real, Motion<System>& motion) {
        return renew_mechanism(equations.system, schedule, equations.scratch, motion, *this);
    }
    // The contacts that are closed at the beginning of a step; those at the end of the one before.
    template <class Closed, class Settings>
    MYRIAD_HD Closed closed_at(Equations& equations, const typename System::Configuration& q, Places& places,
                               const Settings& settings) const {
        equations.find_gaps(q, places);
        return Closed::of(equations, places, settings);
    }
    template <class Closed>
    MYRIAD_HD void keep_closed(const Closed&) const {}
    // Mechanical energy less the work done since the start.
    MYRIAD_HD Real balance(Real energy_J) const { return energy_J - this->work; }

  private:
    template <PowerOf of>
    MYRIAD_HD Real power_of(Equations& equations, const Motion<System>& motion) const {
        const auto& [q, v] = motion;
        return equations.system.template power<true, of>(q, v, this->acceleration, this->multipliers,
                                                         equations.scratch);
    }
    MYRIAD_HD Real power_of_drivers(Equations& equations, const Motion<System>& motion, const Loads& force,
                                    Places& places) const {
        return equations.with_contacts(power_of<PowerOf::drivers>(equations, motion), motion.q, force, places);
    }
};

template <class System>
struct StepRecord<System, false> : DampingRecord<System> {
    using Real = typename System::Real;
    using Equations = ContactEquations<System>;
    using Places = typename Equations::Places;
    using Loads = ContactLoads<Real, ContactTopologyOf<System>>;
    static_assert(System::contacts <= 52, "closed_code is exact");
    typename System::Velocity acceleration;
    MultipliersOf<System> multipliers;
    Real closed_code;  // ClosedContacts::code

    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.acceleration...), visit(self.closed_code...);
        DampingRecord<System>::fields(visit, self...);
    }
    template <bool impacts_apart>
    MYRIAD_HD void begin(Equations&, MaskOf<Real>, const Motion<System>&, const Loads&, const Assembled<Real>&) {
        DampingRecord<System>::fields([](Real& loss_J) { loss_J = Real(0.0); }, *this);
    }
    template <bool impacts_apart>
    MYRIAD_HD void follow(Equations& equations, const StepRecord& before, Real, Real, const Motion<System>& begin,
                          const Motion<System>& end, const Loads&, Places&, Real, Real) {
        static_cast<DampingRecord<System>&>(*this) = before;
        this->add_damping(equations.system, begin, end);
    }
    MYRIAD_HD void add_work(Equations&, Real) const {}
    template <bool impacts_apart>
    MYRIAD_HD void renew_power(Equations&, MaskOf<Real>, MaskOf<Real>, const Motion<System>&, const Loads&,
                               Places&) const {}
    template <class Closed, class Settings>
    MYRIAD_HD Closed closed_at(Equations& equations, const typename System::Configuration&, Places&,
                               const Settings&) const {
        return Closed::of_code(contact_topology(equations.system), closed_code);
    }
    template <class Closed>
    MYRIAD_HD void keep_closed(const Closed& masks) {
        closed_code = masks.code();
    }
    MYRIAD_HD Real renew(Equations& equations, const Schedule&, Real time_s, Motion<System>& motion) {
        equations.set_time(time_s);
        return equations.assemble(motion.q, motion.v, acceleration, multipliers).reason;
    }
    MYRIAD_HD Real balance(Real energy_J) const { return this->with_losses(energy_J); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
