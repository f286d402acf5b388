// The certificate of every mechanism, by position: what invariants_of (observe.hpp) gives. The parts of a
// power, which its work sums.
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
        // The size of the energy: the largest T and |W|, and V above and -V above their initial values, J.
        kinetic_energy,
        work,
        potential_rise,
        potential_fall,
        count
    };
};

// Whose power is asked for: methods with contact keep drivers apart, whose impulses in an impact do work.
enum class PowerOf { all, drivers, others };

}  // namespace myriad
