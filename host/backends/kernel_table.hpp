// The compiled per-instance code of the CPU: for each member of the catalog the functions that begin and advance groups
// of instances, in the widest packs that a variant of the build offers.
#pragma once
#include <span>

#include "host/backends/task.hpp"

namespace myriad::backends {

template <class Number>
struct KernelFunctions {
    // Runs the groups [first, first + count) of `width` slots each.
    using Groups = void (*)(const PlanTable&, const Launch<Number>&, long long first, long long count);
    int width = 1;
    Groups begin = nullptr, advance = nullptr;
};

struct KernelEntry {
    const char* system;
    const char* chart;
    const char* integrator;
    bool adaptive;
    int state_channels, invariants;
    int (*record_fields)(const PlanTable&);
    KernelFunctions<double> scalar64, pack64;  // width 1, and the variant's widest
    KernelFunctions<float> scalar32, pack32;
};

// The variants of the build; only the portable one is there on every processor. Each list has the whole catalog.
std::span<const KernelEntry> portable_kernels();
std::span<const KernelEntry> avx2_kernels();
std::span<const KernelEntry> avx512_kernels();

}  // namespace myriad::backends
