#include "host/mechanism/assembly/turning_start.hpp"

#include <memory>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"

namespace myriad::mechanism {

std::optional<TurningStart> turning_start_of(const Mechanism& mechanism) {
    const auto nominal = std::make_unique<NominalInstance>(mechanism.table, mechanism.nominal_kernel_parameters());
    if (nominal->assemble().reason != 0.0) return std::nullopt;
    const auto rate_of = [&](int body) {
        const Vec<3, double> turning = nominal->motion.v.turning(body);
        return sqrt(dot(turning, turning));
    };
    std::optional<TurningStart> fastest;
    for (const TreeBody& hung : spanning_tree_of(mechanism).bodies) {
        if (hung.parent < 0 || rate_of(hung.parent) == 0.0) continue;
        const double rate = rate_of(hung.body);
        if (rate > 0.0 && (!fastest || fastest->rate_rad_s < rate))
            fastest = {mechanism.body_names[static_cast<std::size_t>(hung.body)], rate};
    }
    return fastest;
}

}  // namespace myriad::mechanism
