// A mechanism at work with one instance in plain doubles: the reader of its file asks it about poses.
#pragma once
#include <algorithm>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/integrators/implicit.hpp"

namespace myriad::mechanism {

// Large, hence never on the stack. Points to the table.
struct NominalInstance {
    template <class Real>
    using Group = RotationGroup<Real>;
    using System = myriad::Mechanism<double, TableTopology, Group>;

    System::Parameters parameters;
    System system;
    Motion<System> motion;
    ImplicitMemory<System> memory;
    System::Scratch scratch;

    NominalInstance(const MechanismTable& table, const std::vector<double>& values) {
        std::copy(values.begin(), values.end(), parameters.e);
        const TableTopology topology(&table);
        system = {topology, &parameters};
        motion.q.fit(topology), motion.v.fit(topology), memory.fit(topology);
        system.start(motion.q, motion.v);
        for (int i = 0; i < motion.v.size(); ++i) memory.acceleration[i] = memory.algorithmic[i] = 0.0;
        for (int r = 0; r < table.rows; ++r) memory.multipliers[r] = 0.0;
        memory.time_s = 0.0;
    }
    // The pose from which assembly begins.
    void turn_far_bodies() {
        auto& work = scratch.work;
        system.functions_at(0.0, scratch.functions);
        system.place(motion.q, work.bodies);
        Rotation<double> orientation[TableTopology::most_bodies];
        const int bodies = system.topology.bodies();
        for (int b = 0; b < bodies; ++b) {
            orientation[b] = motion.q.orientation[b];
            work.moved[b] = work.turned[b] = Vec<3, double>{};
        }
        StartPose<System>(system, scratch.functions, work, orientation).find();
        for (int b = 0; b < bodies; ++b) {
            motion.q.position[b] = work.bodies.of[b].position;
            motion.q.orientation[b] = orientation[b];
        }
    }
    Assembled<double> assemble() {
        system.start(motion.q, motion.v);
        memory.time_s = memory.work = memory.power = memory.iterations = 0.0;
        memory.most_iterations = memory.last_iterations = 0.0;
        const Assembled<double> assembled =
            myriad::assemble(system, scratch, motion.q, motion.v, memory.acceleration, memory.multipliers);
        const int rates = motion.v.size();
        for (int i = 0; i < rates; ++i) memory.algorithmic[i] = memory.acceleration[i];
        memory.assembly_correction = assembled.correction;
        return assembled;
    }
};

}  // namespace myriad::mechanism
