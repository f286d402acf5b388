// A mechanism at work with one instance in plain doubles: the reader of its file asks it about poses.
#pragma once
#include <algorithm>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/mechanism/assembly.hpp"
#include "kernels/orientation/orientation.hpp"

namespace myriad::mechanism {

// Large, hence never on the stack. Points to the table.
struct NominalInstance {
    template <class Real>
    using Group = RotationGroup<Real>;
    using System = myriad::Mechanism<double, TableTopology, Group>;

    System::Parameters parameters;
    System system;
    Motion<System> motion;
    double time_s = 0.0;
    System::Scratch scratch;

    NominalInstance(const MechanismTable& table, const std::vector<double>& values) {
        std::copy(values.begin(), values.end(), parameters.e);
        const TableTopology topology(&table);
        system = {topology, &parameters};
        motion.q.fit(topology), motion.v.fit(topology);
        system.start(motion.q, motion.v);
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
        time_s = 0.0;
        return assemble_bodies(system, time_s, true, scratch, motion.q, motion.v);
    }
    // Goes to a pose beside this one that meets the rows at a time. False where there is none.
    bool go_to(double at_s, const Motion<System>& beside) {
        motion = beside, time_s = at_s;
        return assemble_bodies(system, time_s, false, scratch, motion.q, motion.v).reason == 0.0;
    }
};

}  // namespace myriad::mechanism
