// What an instance carries from launch to launch: its record, field by field in the order of `fields`.
//
//   progress, motion q and v, memory of the integrator, certificate; behind them the sums of each quantity; in front of
//   them the varied parameters
#pragma once
#include "kernels/integrators/integrator.hpp"
#include "kernels/run/slots.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A formula system tells its energies apart by kinetic_energy(q, v). Its certificate then ends with the largest T and
// what V rises and falls by, J: the size of the energy. Of a mechanism they stand among its own numbers.
template <class System>
constexpr bool tells_energies = requires(const System& system, const Motion<System>& motion) {
    system.kinetic_energy(motion.q, motion.v);
};

// The certificate holds the numbers of the system, then those that the integrator adds, if it does, by
//   certificate_count<System>, certificate(system, motion, memory), certificate_drifts(i)
template <class Integrator, class System>
struct CertificateSize {
    static constexpr int own = System::invariant_count, all = own + (tells_energies<System> ? 3 : 0);
};
template <class Integrator, class System>
requires requires { Integrator::template certificate_count<System>; }
struct CertificateSize<Integrator, System> {
    static constexpr int own = System::invariant_count + Integrator::template certificate_count<System>,
                         all = own + (tells_energies<System> ? 3 : 0);
};

// Error monitors: how far the quantities that the exact motion keeps have moved, the largest over all accepted steps.
template <class R, int count>
struct Certificate {
    using Real = R;
    Vec<count, Real> initial, drift;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.initial...);
        visit_fields(visit, self.drift...);
    }
};

// An integrator may begin from another state than the given one, by
//   depart(system, schedule, motion, memory)
// It is called after the given state was observed. That state stands until an instance has done a step.
template <class Integrator, class System>
constexpr bool departs = requires(const System& system, const Schedule& schedule, Motion<System>& motion,
                                  typename Integrator::template Memory<System>& memory) {
    Integrator::depart(system, schedule, motion, memory);
};

// Gives a motion or a memory the size of the mechanism. The topology is a parameter: where a member function stands in
// its place, the compiler for GPUs finds every `requires` to be false.
template <class S, class Topology>
MYRIAD_HD void fit_part(Motion<S>& motion, Topology topology) {
    motion.q.fit(topology), motion.v.fit(topology);
}
template <class Memory, class Topology>
MYRIAD_HD void fit_part(Memory& memory, Topology topology) {
    if constexpr (requires { memory.fit(topology); }) memory.fit(topology);
}

// The record of an instance: all that it carries from launch to launch.
template <class Integrator, class S>
struct Instance {
    using System = S;
    using Real = typename S::Real;
    Progress<Real> progress;
    Motion<S> motion;
    typename Integrator::template Memory<S> memory;
    Certificate<Real, CertificateSize<Integrator, S>::all> certificate;

    template <class Topology>
    MYRIAD_HD void fit(Topology topology) {
        fit_part(motion, topology), fit_part(memory, topology);
    }
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit_fields(visit, self.progress...);
        visit_fields(visit, self.motion...);
        visit_fields(visit, self.memory...);
        visit_fields(visit, self.certificate...);
    }
};

// The number of Reals in the fixed part of a record; the sums of the quantities and the varied parameters come on top.
template <class AnyInstance, class Plan>
MYRIAD_HD int instance_fields(const Plan& plan) {
    AnyInstance instance;
    if constexpr (has_topology<typename AnyInstance::System>)
        instance.fit(plan.template topology<typename AnyInstance::System::Topology>());
    FieldCount fields;
    visit_fields(fields, instance);
    return fields.count;
}

template <class AnyInstance, class Plan>
MYRIAD_HD int record_fields(const Plan& plan) {
    return plan.varied_fields() + instance_fields<AnyInstance>(plan) + plan.sums();
}

// Takes over the memory of a step in the lanes where it was sound. The part that only a next step reads is not kept in
// lanes that end with this one: nothing of it has to live beside the new one.
template <class Memory>
MYRIAD_HD void keep_memory(MaskOf<typename Memory::Real> active, MaskOf<typename Memory::Real> sound, Memory& given,
                           Memory& kept) {
    if constexpr (requires { typename Memory::Seen; }) {
        kept.follow_history(active, given);
        keep(sound, static_cast<typename Memory::Seen&>(given), static_cast<typename Memory::Seen&>(kept));
    } else {
        keep(sound, given, kept);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
