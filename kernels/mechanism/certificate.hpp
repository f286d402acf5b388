// The certificate of every mechanism, by position: what invariants_of (observe.hpp) gives.
#pragma once

namespace myriad {

struct MechanismCertificate {
    enum : int {
        energy_balance,
        constraint_residual,
        velocity_residual,
        newton_iterations,
        newton_iterations_in_a_step,
        assembly_correction,
        velocity_correction,
        count
    };
};

}  // namespace myriad
