// Drift over a run of an energy-momentum method of numbers that it keeps.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/energy_momentum/run.hpp"

namespace myriad::mechanism {

struct Drift {
    double total_energy = 0.0, generalized_energy = 0.0, momentum = 0.0, moment = 0.0, kept_moment = 0.0, defect = 0.0;
};

// The largest changes since the state after `from` steps, work taken off, over all steps up to `steps`.
template <class Integrator>
Drift drift_of(SteppedInstance<Integrator>& instance, int from, int steps) {
    for (int k = 0; k < from; ++k) EXPECT_TRUE(instance.step()) << sentence_of(instance.reason());
    const Invariants start = instance.invariants();
    Drift drift;
    for (int k = from; k < steps; ++k) {
        if (!instance.step()) {
            ADD_FAILURE() << "step " << k << ": " << sentence_of(instance.reason());
            break;
        }
        const Invariants now = instance.invariants();
        const double work = now.work - start.work;
        const auto most = [](double& largest, double value) { largest = std::max(largest, std::abs(value)); };
        most(drift.total_energy, now.kinetic + now.potential - start.kinetic - start.potential - work);
        most(drift.generalized_energy, now.generalized - start.generalized - work);
        most(drift.momentum, (now.momentum - start.momentum).norm());
        most(drift.moment, (now.moment - start.moment).norm());
        most(drift.kept_moment, (now.kept_moment - start.kept_moment).norm());
        most(drift.defect, now.momentum_defect);
    }
    return drift;
}
template <class Integrator>
Drift drift_of(const Mechanism& mechanism, double h, int steps) {
    SteppedInstance<Integrator> instance(mechanism, h, steps);
    return drift_of(instance, 0, steps);
}

}  // namespace myriad::mechanism
