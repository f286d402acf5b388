// What timestepping keeps of a system beside its contacts, for its channels and the balance of energy: a mechanism's
// memory, or of a formula v', the energy that its damping has taken, and which contacts are closed: finding that anew
// at the beginning of each step would take as long as finding it at the end.
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

    MYRIAD_HD void begin(Equations& equations, const Motion<System>& motion, const Loads& force,
                         const Assembled<Real>& assembled) {
        Places places;
        Memory::begin(equations.system, motion, equations.scratch, assembled);
        this->power = equations.with_contacts(this->power, motion.q, force, places);
    }
    // The equations are at the time of the step's end.
    MYRIAD_HD void follow(Equations& equations, const StepRecord& before, Real time_s, Real h, const Motion<System>&,
                          const Motion<System>& end, const Loads& force, Places& places, Real newton_iterations) {
        Memory::follow(equations.system, before, time_s, h, end, equations.scratch, newton_iterations, false);
        this->power = equations.with_contacts(this->power, end.q, force, places);
        this->work = fma(Real(0.5) * h, before.power + this->power, before.work);
    }
    // An impact has changed v in `lanes`.
    MYRIAD_HD void renew_power(Equations& equations, MaskOf<Real> lanes, const Motion<System>& motion,
                               const Loads& force, Places& places) {
        const Real power =
            equations.system.power(motion.q, motion.v, this->acceleration, this->multipliers, equations.scratch);
        this->power = select(lanes, equations.with_contacts(power, motion.q, force, places), this->power);
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
    MYRIAD_HD void begin(Equations&, const Motion<System>&, const Loads&, const Assembled<Real>&) {
        DampingRecord<System>::fields([](Real& loss_J) { loss_J = Real(0.0); }, *this);
    }
    MYRIAD_HD void follow(Equations& equations, const StepRecord& before, Real, Real, const Motion<System>& begin,
                          const Motion<System>& end, const Loads&, Places&, Real) {
        static_cast<DampingRecord<System>&>(*this) = before;
        this->add_damping(equations.system, begin, end);
    }
    MYRIAD_HD void renew_power(Equations&, MaskOf<Real>, const Motion<System>&, const Loads&, Places&) const {}
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
