// One instance of a mechanism stepped by any integrator of the catalog, with its energies and momenta after every step.
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/mechanism.hpp"
#include "kernels/integrators/mechanism/energy_momentum.hpp"
#include "kernels/joint_coordinates/energy_momentum_layout.hpp"
#include "kernels/joint_coordinates/renewal.hpp"
#include "kernels/joint_coordinates/view.hpp"

namespace myriad::mechanism {

using Convective = MechanismEnergyMomentum<ConvectiveMember>;
using Midpoint = MechanismEnergyMomentum<LivensMidpointRule>;
using EnergyMomentum = MechanismEnergyMomentum<LivensEnergyMomentum>;

struct Invariants {
    double kinetic, potential, work;
    double generalized, momentum_defect, length_rate;  // p . v - T + V, |p - M v|, |q . v|
    Eigen::Vector3d momentum, moment;                  // moment of momentum about the origin, of the angular velocities
    Eigen::Vector3d kept_moment;                       // the same of the momenta that the member keeps
};

template <class Integrator>
class SteppedInstance {
  public:
    using System = JointMechanism<double, JointTopology, RotationGroup>;
    using Memory = typename Integrator::template Memory<System>;

    SteppedInstance(const Mechanism& mechanism, double step_s, int steps, double newton_tolerance = 1e-12)
        : mechanism_(with_joints_cut({std::shared_ptr<const void>(), &mechanism})),
          run_(task_for(*mechanism_, step_s, steps, newton_tolerance), 1,
               mechanism_->nominal_kernel_parameters().data(), 1) {
        const std::vector<double> parameters = mechanism_->nominal_kernel_parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) parameters_[static_cast<int>(i)] = parameters[i];
        const JointTopology topology(&mechanism_->table);
        now_->motion.q.fit(topology), now_->motion.v.fit(topology);
        if constexpr (requires { now_->memory.fit(topology); }) now_->memory.fit(topology);
        look();
    }

    // False where the instance has ended another way than by its last step.
    bool step() {
        run_.advance(), look();
        return status() == Status::ok || status() == Status::running;
    }
    Status status() const { return static_cast<Status>(static_cast<int>(now_->progress.status)); }
    Reason reason() const { return static_cast<Reason>(static_cast<int>(now_->progress.reason)); }
    double steps() const { return now_->progress.steps; }
    const Memory& memory() const { return now_->memory; }
    const Motion<System>& motion() const { return now_->motion; }
    Eigen::Vector3d position(int body) const {
        const int link = mechanism_->table.joint.link_of_body[body];
        return vector(DiscreteLayout<System>::position(motion().q, link));
    }

    Invariants invariants() {
        const System system{JointTopology(&mechanism_->table), &parameters_};
        const Energies<double> energy = DiscreteLayout<System>::energies_at(system, motion(), memory().time_s);
        Invariants seen{};
        seen.kinetic = energy.kinetic, seen.potential = energy.potential, seen.work = memory().work;
        seen.momentum = seen.moment = Eigen::Vector3d::Zero();
        system.each_body(motion(), [&](int b, const BodyState<double>& body) {
            const Vec<3, double> spin =
                symmetric_at<double>(parameters_, parameters_of_body(b) + body_inertia) * body.angular_velocity;
            const Eigen::Vector3d p = parameters_[parameters_of_body(b) + body_mass] * vector(body.velocity);
            seen.momentum += p;
            seen.moment += vector(body.position).cross(p) + vector(matrix_of(body.orientation) * spin);
        });
        seen.kept_moment = seen.moment, seen.generalized = seen.kinetic + seen.potential;
        if constexpr (requires { Integrator::keeps_moment; }) {
            const auto certified = Integrator::certificate(system, motion(), memory());
            seen.generalized = certified[0] + seen.work, seen.momentum_defect = certified[1];
            seen.length_rate = certified[2];
            seen.kept_moment = {certified[7], certified[8], certified[9]};
        }
        return seen;
    }

  private:
    static Eigen::Vector3d vector(const Vec<3, double>& v) { return {v[0], v[1], v[2]}; }

    static backends::Task task_for(const Mechanism& mechanism, double step_s, int steps, double newton_tolerance) {
        backends::Task task;
        task.system = backends::joint_mechanism_system, task.chart = RotationGroup<double>::name;
        task.integrator = Integrator::name;
        task.plan.mechanism = &mechanism.table, task.plan.varied_count = mechanism.table.parameters;
        for (int i = 0; i < task.plan.varied_count; ++i) task.plan.varied[i] = i;
        task.parameters.assign(static_cast<std::size_t>(task.plan.varied_count), 0.0);
        Schedule& schedule = task.schedule;
        schedule.step_s = step_s, schedule.end_s = step_s * steps;
        schedule.full_steps = schedule.total_steps = steps, schedule.most_attempts = 1e15;
        schedule.newton_tolerance = newton_tolerance, schedule.most_newton_iterations = 40;
        schedule.spectral_radius = 0.9;
        return task;
    }
    void look() { run_.read(0, now_->progress, now_->motion, now_->memory); }

    struct Now {
        Progress<double> progress;
        Motion<System> motion;
        Memory memory;
    };
    std::shared_ptr<const Mechanism> mechanism_;
    typename System::Parameters parameters_{};
    backends::StepByStep run_;
    std::unique_ptr<Now> now_ = std::make_unique<Now>();
};

}  // namespace myriad::mechanism
