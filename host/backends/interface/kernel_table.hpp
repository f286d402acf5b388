// The compiled per-instance code of the CPU: for each member of the catalog the functions that begin and advance groups
// of instances, in packs of the one width that a variant of the build has for each precision.
//
// This header and the variants see no standard header with functions: the linker could keep a copy of one that was
// compiled for vectors which the processor may not have.
#pragma once
#include "kernels/launch.hpp"

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
    int invariants;
    int (*state_channels)(const PlanTable&);
    int (*record_fields)(const PlanTable&);
    KernelFunctions<double> fp64;
    KernelFunctions<float> fp32;
};

struct KernelList {
    const KernelEntry* entries;
    int count;
};

// The variants of the build, each with the whole catalog, for one instance at a time and for 4 and 8 in double
// precision.
KernelList scalar_kernels();
KernelList avx2_kernels();
KernelList avx512_kernels();

}  // namespace myriad::backends
