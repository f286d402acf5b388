#include "host/backends/reference/reference_modes.hpp"

#include "host/backends/reference/reference_mechanism.hpp"
#include "host/reference/joint/joint_linear.hpp"

namespace myriad::backends {

mechanism::Modes reference_modes(const MechanismTable& table, std::span<const double> parameters) {
    if (!describes_mechanism(table, parameters, true)) return {};
    try {
        const reference::LinearRoots roots = reference::linear_roots(reference_model(table, parameters));
        return mechanism::modes_of({roots.values, static_cast<std::size_t>(roots.rigid_freedoms)});
    } catch (const reference::StepFailure&) {
        return {};
    }
}

}  // namespace myriad::backends
