#include "host/backends/reference/reference_modes.hpp"

#include "host/backends/reference/reference_model.hpp"
#include "host/reference/joint/joint_linear.hpp"
#include "host/reference/run_reference_mechanism.hpp"

namespace myriad::backends {

mechanism::Modes reference_modes(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                                 std::span<const double> numbers) {
    const reference::MechanismModel model = reference_model(mechanism, parameters, numbers);
    if (!describes_mechanism(mechanism, parameters, numbers, model, true)) return {};
    try {
        const reference::LinearRoots roots = reference::linear_roots(model);
        return mechanism::modes_of({roots.values, static_cast<std::size_t>(roots.rigid_freedoms)});
    } catch (const reference::StepFailure&) {
        return {};
    }
}

}  // namespace myriad::backends
