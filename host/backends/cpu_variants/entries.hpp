// The common part of the parts of the catalog: entries of the kernel table for one vector width. The build compiles
// this folder once for each variant of the processor.
#pragma once
#include "ensembles/catalog/lists.hpp"
#include "host/backends/interface/kernel_table.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

#if defined(MYRIAD_SCALAR)
using WidestDouble = double;
using WidestFloat = float;
#elif defined(__AVX512F__)
using WidestDouble = Pack<double, 8>;
using WidestFloat = Pack<float, 16>;
#else
using WidestDouble = Pack<double, 4>;
using WidestFloat = Pack<float, 8>;
#endif

template <class Integrator, class System>
void begin_groups(const PlanTable& table, const Launch<NumberOf<typename System::Real>>& launch, long long first,
                  long long count) {
    const TablePlan plan{table};
    for (long long group = first; group < first + count; ++group)
        Run<Integrator, System, TablePlan>(plan, launch, group).begin();
}

template <class Integrator, class System>
void advance_groups(const PlanTable& table, const Launch<NumberOf<typename System::Real>>& launch, long long first,
                    long long count) {
    const TablePlan plan{table};
    for (long long group = first; group < first + count; ++group)
        Run<Integrator, System, TablePlan>(plan, launch, group).advance();
}

template <class Integrator, class System>
KernelFunctions<NumberOf<typename System::Real>> functions() {
    return {Lanes<typename System::Real>::width, &begin_groups<Integrator, System>,
            &advance_groups<Integrator, System>};
}

template <class Integrator, template <class, template <class> class> class System, template <class> class Chart>
KernelEntry entry() {
    using Plain = System<double, Chart>;
    return {Plain::name,
            Chart<double>::name,
            Integrator::name,
            Integrator::traits.adaptive,
            CertificateSize<Integrator, Plain>::all,
            [](const PlanTable& table) { return bodies_of<Plain>(TablePlan{table}) * body_channels; },
            [](const PlanTable& table) { return record_fields<Instance<Integrator, Plain>>(TablePlan{table}); },
            functions<Integrator, System<WidestDouble, Chart>>(),
            functions<Integrator, System<WidestFloat, Chart>>()};
}

// Every system of a list with every chart and every integrator.
template <class Systems, class Charts, class Integrators>
struct EntriesOf;
template <template <class, template <class> class> class... System, template <class> class... Chart,
          class... Integrator>
struct EntriesOf<SystemList<System...>, ChartList<Chart...>, IntegratorList<Integrator...>> {
    KernelEntry entries[sizeof...(System) * sizeof...(Chart) * sizeof...(Integrator)];
    int count = 0;

    EntriesOf() { (add_system<System>(), ...); }
    static KernelList list() {
        static const EntriesOf made;
        return {made.entries, made.count};
    }

  private:
    template <template <class, template <class> class> class One>
    void add_system() {
        (add_chart<One, Chart>(), ...);
    }
    template <template <class, template <class> class> class One, template <class> class On>
    void add_chart() {
        ((entries[count++] = entry<Integrator, One, On>()), ...);
    }
};

// The parts of the catalog, each with a translation unit of its own.
KernelList system_entries();
KernelList chain_entries();
KernelList implicit_entries();
KernelList mechanism_entries();
KernelList explicit_mechanism_entries();
KernelList body_momentum_entries();
KernelList lagrangian_entries();
KernelList mechanism_energy_momentum_entries();
KernelList mechanism_contact_entries();
KernelList contact_explicit_entries();
KernelList contact_one_stage_entries();
KernelList contact_two_stage_entries();
KernelList flexible_rod_entries();

}  // namespace myriad::backends::inline MYRIAD_VARIANT
