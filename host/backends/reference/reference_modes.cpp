#include "host/backends/reference/reference_modes.hpp"

#include "host/backends/reference/reference_mechanism.hpp"
#include "host/reference/joint/joint_linear.hpp"

namespace myriad::backends {

mechanism::Modes reference_modes(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                                 std::span<const double> numbers) {
    const reference::MechanismModel model = reference_model(mechanism, parameters, numbers);
    if (!describes_mechanism(mechanism.table, parameters, model, true)) return {};
    try {
        const reference::LinearRoots roots = reference::linear_roots(model);
        return mechanism::modes_of({roots.values, static_cast<std::size_t>(roots.rigid_freedoms)});
    } catch (const reference::StepFailure&) {
        return {};
    }
}

}  // namespace myriad::backends
