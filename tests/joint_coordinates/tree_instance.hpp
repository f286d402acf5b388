// A mechanism in joint coordinates with one instance in plain doubles, as NominalInstance is in body coordinates.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/integrators/implicit.hpp"
#include "kernels/joint_coordinates/view.hpp"

namespace myriad::mechanism {

// Large, hence never on the stack. Points to the table.
struct TreeInstance {
    using System = JointMechanism<double, JointTopology, RotationGroup>;

    System::Parameters parameters;
    System system;
    Motion<System> motion;
    ImplicitMemory<System> memory;
    System::Scratch scratch;
    double reason = 0.0;

    explicit TreeInstance(const Mechanism& mechanism) {
        const std::vector<double> values = mechanism.nominal_kernel_parameters();
        std::copy(values.begin(), values.end(), parameters.e);
        const JointTopology topology(&mechanism.table);
        system = {topology, &parameters};
        motion.q.fit(topology), motion.v.fit(topology), memory.fit(topology);
        system.start(motion.q, motion.v);
        reason = initialize_implicit(system, motion, memory);
        system.functions_at(0.0, scratch.functions);
    }
    int freedoms() const { return system.topology.freedoms(); }
    int rows() const { return system.topology.rows(); }
    double channel(int index) const { return system.channel(index, motion, memory); }

    // r above minus the right-hand sides of the rows, where the state is displaced by `size` times the unknowns x: what
    // a correction makes zero. The functions of time are those of the start.
    std::vector<double> residual(const JointLinearization<double>& by, const std::vector<double>& x, double size) {
        System::Configuration q;
        System::Velocity v, a, u;
        q.fit(system.topology), v.fit(system.topology), a.fit(system.topology), u.fit(system.topology);
        std::vector<double> multipliers(static_cast<std::size_t>(rows()));
        for (int i = 0; i < freedoms(); ++i) {
            const double change = size * x[static_cast<std::size_t>(i)];
            u[i] = by.position * change, v[i] = motion.v[i] + by.velocity * change;
            a[i] = memory.acceleration[i] + change;
        }
        for (int i = 0; i < system.topology.angles(); ++i) q.turned[i] = motion.q.turned[i];
        system.retract(motion.q, u, q);
        for (int r = 0; r < rows(); ++r)
            multipliers[static_cast<std::size_t>(r)] =
                memory.multipliers[r] + size * x[static_cast<std::size_t>(freedoms() + r)];
        system.equations().evaluate(q, v, a, multipliers.data(), by, scratch);
        std::vector<double> all(scratch.forces.e, scratch.forces.e + freedoms());
        for (int r = 0; r < rows(); ++r) all.push_back(-scratch.row_solution[r]);
        return all;
    }
};

}  // namespace myriad::mechanism
