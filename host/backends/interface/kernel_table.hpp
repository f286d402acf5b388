// The compiled per-instance code of the CPU: for each member of the catalog the functions that begin instances and
// renew their memory, and the one that advances groups of them, in packs of the one width that a variant of the build
// has for each precision.
//
// This header and the variants see no standard header with functions: the linker could keep a copy of one that was
// compiled for vectors which the processor may not have.
#pragma once
#include "kernels/system/launch.hpp"

namespace myriad::backends {

template <class Number>
struct KernelFunctions {
    using Groups = void (*)(const PlanTable&, const Launch<Number>&, long long first, long long count);
    int width = 1;
    // Take the slots [first, first + count) one at a time: an instance begins once, and is renewed where its parameters
    // have changed, with the same bits at any width, so that every variant has the functions of `start`.
    Groups begin = nullptr, renew = nullptr;
    // Takes the groups [first, first + count) of `width` slots each. `start` has only those that run on plain numbers
    // in every variant.
    Groups advance = nullptr;

    bool are_compiled() const { return begin != nullptr; }
};

struct KernelEntry {
    const char* system;
    const char* chart;
    const char* integrator;
    bool adaptive;
    int invariants;
    int (*state_channels)(const PlanTable&);
    int (*record_fields)(const PlanTable&);
    bool has_single_precision;  // in the catalog; a build may lack the functions
    KernelFunctions<double> fp64;
    KernelFunctions<float> fp32;
};
template <class Number>
const KernelFunctions<Number>& functions_of(const KernelEntry& entry) {
    if constexpr (sizeof(Number) == sizeof(double))
        return entry.fp64;
    else
        return entry.fp32;
}

struct KernelList {
    const KernelEntry* entries;
    int count;
};

// The variants, each with the whole catalog: how instances begin, which every build has, and their steps for one
// instance at a time and for 4 and 8 in double precision, of which cpu_widths() of host/backends/cpu/ knows the
// present.
KernelList start_kernels();
KernelList scalar_kernels();
KernelList avx2_kernels();
KernelList avx512_kernels();

}  // namespace myriad::backends
