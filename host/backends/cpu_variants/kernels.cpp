// The catalog compiled for one vector width: the build compiles this file once for each variant of the processor.
#include "ensembles/catalog.hpp"
#include "host/backends/kernel_table.hpp"

namespace myriad::backends {

namespace {

#if defined(__AVX512F__)
using WidestDouble = Pack<double, 8>;
using WidestFloat = Pack<float, 16>;
constexpr bool with_scalar = false;  // another variant has it
#elif defined(__AVX2__)
using WidestDouble = Pack<double, 4>;
using WidestFloat = Pack<float, 8>;
constexpr bool with_scalar = true;
#else
using WidestDouble = double;
using WidestFloat = float;
constexpr bool with_scalar = true;
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

template <class Integrator, class System, bool wanted = true>
KernelFunctions<NumberOf<typename System::Real>> functions() {
    if constexpr (wanted)
        return {Lanes<typename System::Real>::width, &begin_groups<Integrator, System>,
                &advance_groups<Integrator, System>};
    else
        return {};
}

template <class Integrator, template <class, template <class> class> class System, template <class> class Chart>
KernelEntry entry() {
    using Plain = System<double, Chart>;
    return {Plain::name,
            Chart<double>::name,
            Integrator::name,
            Integrator::adaptive,
            Plain::bodies * body_channels,
            Plain::invariant_count,
            [](const PlanTable& table) { return record_fields<Instance<Integrator, Plain>>(TablePlan{table}); },
            functions<Integrator, System<double, Chart>, with_scalar>(),
            functions<Integrator, System<WidestDouble, Chart>>(),
            functions<Integrator, System<float, Chart>, with_scalar>(),
            functions<Integrator, System<WidestFloat, Chart>>()};
}

template <template <class> class... Chart>
constexpr int length(ChartList<Chart...>) {
    return sizeof...(Chart);
}
template <class... Integrator>
constexpr int length(IntegratorList<Integrator...>) {
    return sizeof...(Integrator);
}
template <template <class, template <class> class> class... System>
constexpr int length(SystemList<System...>) {
    return sizeof...(System);
}

struct Catalog {
    static constexpr int capacity = length(Systems{}) * length(Charts{}) * length(Integrators{});
    KernelEntry entries[capacity];
    int count = 0;

    template <template <class, template <class> class> class System, template <class> class Chart, class... Integrator>
    void add_integrators(IntegratorList<Integrator...>) {
        ((entries[count++] = entry<Integrator, System, Chart>()), ...);
    }
    template <template <class, template <class> class> class System, template <class> class... Chart>
    void add_charts(ChartList<Chart...>) {
        (add_integrators<System, Chart>(Integrators{}), ...);
    }
    template <template <class, template <class> class> class... System>
    explicit Catalog(SystemList<System...>) {
        (add_charts<System>(Charts{}), ...);
    }
};

}  // namespace

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

KernelList MYRIAD_JOIN(MYRIAD_VARIANT, _kernels)() {
    static const Catalog catalog{Systems{}};
    return {catalog.entries, catalog.count};
}

}  // namespace myriad::backends
