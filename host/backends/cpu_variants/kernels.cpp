// The whole catalog compiled for one vector width.
#include "host/backends/cpu_variants/entries.hpp"

namespace myriad::backends {

namespace {

struct Catalog {
    KernelEntry entries[256];
    int count = 0;

    Catalog() {
        const KernelList parts[] = {system_entries(),
                                    chain_entries(),
                                    implicit_entries(),
                                    mechanism_entries(),
                                    explicit_mechanism_entries(),
                                    body_momentum_entries(),
                                    lagrangian_entries(),
                                    mechanism_energy_momentum_entries(),
                                    mechanism_contact_entries(),
                                    contact_explicit_entries(),
                                    contact_one_stage_entries(),
                                    contact_two_stage_entries(),
                                    flexible_rod_entries()};
        for (const KernelList& part : parts)
            for (int i = 0; i < part.count; ++i) entries[count++] = part.entries[i];
    }
};

}  // namespace

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

KernelList MYRIAD_JOIN(MYRIAD_VARIANT, _kernels)() {
    static const Catalog catalog;
    return {catalog.entries, catalog.count};
}

}  // namespace myriad::backends
