// Entries of the kernel table, for one vector width. From the two templates beside this file the build writes a source
// for each family of the catalog and one that lists them, and compiles them once for each variant of the processor.
#pragma once
#include "ensembles/catalog/lists.hpp"
#include "host/backends/cpu_variants/widest_numbers.hpp"
#include "host/backends/interface/kernel_table.hpp"

namespace myriad::backends::inline MYRIAD_VARIANT {

// Integrators of one Start begin by the same code, which is compiled once for all of them.
template <class Integrator>
struct StartOf {
    using Type = Integrator;
};
template <class Integrator>
requires requires { typename Integrator::Start; }
struct StartOf<Integrator> {
    using Type = typename Integrator::Start;
};

template <class Integrator, class System>
void begin_groups(const PlanTable& table, const Launch<NumberOf<typename System::Real>>& launch, long long first,
                  long long count) {
    const TablePlan plan{table};
    for (long long group = first; group < first + count; ++group)
        Run<Integrator, System, TablePlan>(plan, launch, group).begin();
}

template <class Integrator, class System>
void renew_groups(const PlanTable& table, const Launch<NumberOf<typename System::Real>>& launch, long long first,
                  long long count) {
    const TablePlan plan{table};
    for (long long group = first; group < first + count; ++group)
        Run<Integrator, System, TablePlan>(plan, launch, group).renew();
}

template <class Integrator, class System>
void advance_groups(const PlanTable& table, const Launch<NumberOf<typename System::Real>>& launch, long long first,
                    long long count) {
    const TablePlan plan{table};
    for (long long group = first; group < first + count; ++group)
        Run<Integrator, System, TablePlan>(plan, launch, group).advance();
}

// Steps of mechanisms in joint coordinates by smooth methods are traced (host/backends/traced/). Of their kernels a
// build has those on plain numbers, in the variant `start`.
template <class Integrator, class System>
constexpr bool is_traced_step = has_topology<System> && !meets_impacts<Integrator>;

template <class Integrator, class System>
KernelFunctions<NumberOf<typename System::Real>> functions() {
    KernelFunctions<NumberOf<typename System::Real>> made;
    made.width = Lanes<typename System::Real>::width;
#if defined(MYRIAD_START)
    using Start = typename StartOf<Integrator>::Type;
    made.begin = &begin_groups<Start, System>;
    made.renew = &renew_groups<Start, System>;
    if constexpr (is_traced_step<Integrator, System>) made.advance = &advance_groups<Integrator, System>;
#else
    if constexpr (!is_traced_step<Integrator, System>) made.advance = &advance_groups<Integrator, System>;
#endif
    return made;
}

template <class Integrator, template <class, template <class> class> class System, template <class> class Chart>
KernelEntry entry() {
    using Plain = System<double, Chart>;
    KernelEntry made{
        Plain::name,
        Chart<double>::name,
        Integrator::name,
        Integrator::traits.adaptive,
        CertificateSize<Integrator, Plain>::all,
        [](const PlanTable& table) { return bodies_of<Plain>(TablePlan{table}) * body_channels; },
        [](const PlanTable& table) { return record_fields<Instance<Integrator, Plain>>(TablePlan{table}); },
        is_in_single_precision<Integrator, System, Chart>,
        functions<Integrator, System<WidestDouble, Chart>>(),
        {}};
#if !defined(MYRIAD_WITHOUT_SINGLE_PRECISION)
    if constexpr (is_in_single_precision<Integrator, System, Chart>)
        made.fp32 = functions<Integrator, System<WidestFloat, Chart>>();
#endif
    return made;
}

// Every system of a family with every chart and every integrator of it.
template <class OneFamily>
struct EntriesOf;
template <template <class, template <class> class> class... System, template <class> class... Chart,
          class... Integrator>
struct EntriesOf<Family<SystemList<System...>, ChartList<Chart...>, IntegratorList<Integrator...>>> {
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

}  // namespace myriad::backends::inline MYRIAD_VARIANT
