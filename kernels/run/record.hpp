// What a run reads from and writes to the memory of a launch: parameters, the instance's record, results by the lane.
//
//   record   [tile][fields][32]: varied parameters, the instance, the sums of its quantities
//
// The certificate of a mechanism is looked at now and then, and stays in the record meanwhile. Not handled: what is
// computed from them (advance.hpp).
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/run/channels.hpp"
#include "kernels/run/held.hpp"
#include "kernels/run/outcome.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
struct ParametersOf {
    using Type = Vec<System::parameter_count, typename System::Real>;
};
template <class System>
requires requires { typename System::Parameters; }
struct ParametersOf<System> {
    using Type = typename System::Parameters;
};

template <class System, class Plan>
MYRIAD_HD int bodies_of(const Plan& plan) {
    if constexpr (has_topology<System>)
        return plan.template topology<typename System::Topology>().bodies();
    else
        return System::bodies;
}

template <class Integrator, class S, class Plan>
struct RunRecord : HeldFor<Integrator, S, Plan>::Type {
    using Held = typename HeldFor<Integrator, S, Plan>::Type;
    using Held::instance, Held::quantities;
    using System = S;
    using Real = typename S::Real;
    using Mask = MaskOf<Real>;
    using Number = NumberOf<Real>;
    using Carried = Instance<Integrator, S>;

    const Plan& plan;
    const Launch<Number>& launch;
    const Slots<Real> slots;
    typename ParametersOf<System>::Type parameters;

    MYRIAD_HD RunRecord(const Plan& plan_given, const Launch<Number>& launch_given, long long group)
        : plan(plan_given), launch(launch_given), slots(Slots<Real>::of(launch_given, group)) {
        if constexpr (has_topology<System>) instance.fit(topology());
    }

  protected:
    static constexpr int certificate_count = CertificateSize<Integrator, S>::all;

    MYRIAD_HD auto topology() const { return plan.template topology<typename System::Topology>(); }
    static MYRIAD_HD Real code(Status status) { return status_code<Real>(status); }
    MYRIAD_HD Mask running() const { return instance.progress.status == code(Status::running); }
    // False for lanes that have taken no step while the integrator still has to begin (departs).
    MYRIAD_HD Mask under_way() const {
        return departs<Integrator, System> ? Real(0.0) < instance.progress.steps : true_mask<Real>();
    }

    MYRIAD_HD int parameter_count() const {
        if constexpr (has_topology<System>)
            return topology().parameters();
        else
            return System::parameter_count;
    }

    MYRIAD_HD void load_parameters() {
        const int rows = record_fields<Carried>(plan), count = parameter_count();
        if constexpr (requires { parameters.read_from(plan, launch, slots, rows); }) {
            parameters.read_from(plan, launch, slots, rows);
        } else {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < count; ++i) {
                const int field = plan.varied_field(i);
                parameters[i] = field < 0 ? Real(static_cast<double>(launch.parameters[i]))
                                          : slots.load(launch.records, rows, field);
            }
        }
    }

    MYRIAD_HD Mask differs_from_former() const {
        const int rows = record_fields<Carried>(plan), count = plan.varied_fields();
        Mask some = !true_mask<Real>();
        for (int i = 0; i < count; ++i) {
            const Mask differs = !(slots.load(launch.records, rows, i) == slots.load(launch.former, count, i));
            some = some | differs;
        }
        return some;
    }

    MYRIAD_HD int certificate_field() const {
        return plan.varied_fields() + instance_fields<Carried>(plan) - 2 * certificate_count;
    }
    MYRIAD_HD void store_certificate() {
        const int rows = record_fields<Carried>(plan);
        int field = certificate_field();
        visit_fields([&](Real& x) { keep_field(launch.records, slots, rows, field++, x); }, instance.certificate);
    }

    // One copy of the code serves all fields. The instance comes by value: a pointer would pin all of it to memory.
    static MYRIAD_NOINLINE Real field_of(const Number* records, Slots<Real> slots, int rows, int field) {
        return slots.load(records, rows, field);
    }
    static MYRIAD_NOINLINE void keep_field(Number* records, Slots<Real> slots, int rows, int field, Real x) {
        slots.store(records, rows, field, x);
    }
    // What a run holds from step to step.
    template <class Visit>
    MYRIAD_HD void each_field(Visit&& visit) {
        visit_fields(visit, instance.progress), visit_fields(visit, instance.motion);
        visit_fields(visit, instance.memory);
        if constexpr (!has_topology<System>) visit_fields(visit, instance.certificate);
    }
    MYRIAD_HD void load() {
        const int rows = record_fields<Carried>(plan), sums = plan.sums();
        int field = plan.varied_fields();
        each_field([&](Real& x) { x = field_of(launch.records, slots, rows, field++); });
        if constexpr (has_topology<System>) field += 2 * certificate_count;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < sums; ++i) quantities.sums[i] =
            slots.load(launch.records, rows, field++);
    }
    MYRIAD_HD void store_record() {
        const int rows = record_fields<Carried>(plan), sums = plan.sums();
        int field = plan.varied_fields();
        each_field([&](Real& x) { keep_field(launch.records, slots, rows, field++, x); });
        if constexpr (has_topology<System>) field += 2 * certificate_count;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < sums; ++i)
            slots.store(launch.records, rows, field++, quantities.sums[i]);
    }
    MYRIAD_HD void store_where(Mask seen, Number* array, int rows, int row, Real x) const {
        if constexpr (departs<Integrator, System>) MYRIAD_WHEN(!seen) x = select(seen, x, slots.load(array, rows, row));
        slots.store(array, rows, row, x);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
