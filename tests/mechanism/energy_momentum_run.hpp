// One instance of a mechanism stepped by any integrator, with its energies and momenta after every step.
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/advance.hpp"
#include "kernels/integrators/mechanism_energy_momentum.hpp"
#include "kernels/mechanism/observe.hpp"

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
    using System = myriad::Mechanism<double, TableTopology, RotationGroup>;
    using Carried = Instance<Integrator, System>;
    using Loop = Run<Integrator, System, TablePlan>;

    SteppedInstance(const Mechanism& mechanism, double step_s, int steps, double newton_tolerance = 1e-12)
        : mechanism_(mechanism), plan_{table_} {
        table_.mechanism = &mechanism.table, table_.varied_count = mechanism.table.parameters;
        for (int i = 0; i < table_.varied_count; ++i) table_.varied[i] = i;
        const auto size_of = [](int rows) { return static_cast<std::size_t>(tile_instances * rows); };
        records_.resize(size_of(record_fields<Carried>(plan_)));
        states_.resize(size_of(2 * 13 * mechanism.table.bodies));
        quantities_.resize(size_of(1)), shared_.resize(most_parameters), thresholds_.resize(most_quantities);
        const std::vector<double> parameters = mechanism.nominal_kernel_parameters();
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            records_[tile_instances * i] = parameters[i];
            parameters_[static_cast<int>(i)] = parameters[i];
        }
        launch_.records = records_.data(), launch_.initial_states = states_.data();
        launch_.final_states = states_.data() + states_.size() / 2, launch_.quantities = quantities_.data();
        launch_.parameters = shared_.data(), launch_.thresholds = thresholds_.data();
        launch_.slots = 1, launch_.attempts = 1;
        Schedule& schedule = launch_.schedule;
        schedule.step_s = step_s, schedule.end_s = step_s * steps;
        schedule.full_steps = schedule.total_steps = steps, schedule.most_attempts = 1e15;
        schedule.newton_tolerance = newton_tolerance, schedule.most_newton_iterations = 40;
        schedule.spectral_radius = 0.9;
        loop_ = std::make_unique<Loop>(plan_, launch_, 0);
        loop_->begin();
    }
    SteppedInstance(const SteppedInstance&) = delete;
    SteppedInstance& operator=(const SteppedInstance&) = delete;

    // False where the instance has ended another way than by its last step.
    bool step() {
        loop_->advance();
        return status() == Status::ok || status() == Status::running;
    }
    Status status() const { return static_cast<Status>(static_cast<int>(loop_->instance.progress.status)); }
    Reason reason() const { return static_cast<Reason>(static_cast<int>(loop_->instance.progress.reason)); }
    double steps() const { return loop_->instance.progress.steps; }
    const auto& memory() const { return loop_->instance.memory; }
    const Motion<System>& motion() const { return loop_->instance.motion; }
    Eigen::Vector3d position(int body) const { return vector(motion().q.position[body]); }

    Invariants invariants() {
        const System system{TableTopology(&mechanism_.table), &parameters_};
        const auto room = std::make_unique<Room>();
        system.functions_at(memory().time_s, room->functions);
        system.place(motion().q, motion().v, room->bodies);
        const Energies<double> energy = energies(system, room->bodies, room->functions, motion().q.turned);
        Invariants seen{};
        seen.kinetic = energy.kinetic, seen.potential = energy.potential, seen.work = memory().work;
        seen.momentum = seen.moment = Eigen::Vector3d::Zero();
        for (int b = 0; b < mechanism_.table.bodies; ++b) {
            const Place<double>& body = room->bodies.of[b];
            const Vec<3, double> spin =
                symmetric_at<double>(parameters_, parameters_of_body(b) + body_inertia) * body.angular_velocity;
            const Eigen::Vector3d p = parameters_[parameters_of_body(b) + body_mass] * vector(body.velocity);
            seen.momentum += p;
            seen.moment += vector(body.position).cross(p) + vector(body.matrix * spin);
        }
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
    struct Room {
        Bodies<double, TableTopology::most_bodies> bodies;
        Taylor<double> functions[TableTopology::most_functions];
    };
    static Eigen::Vector3d vector(const Vec<3, double>& v) { return {v[0], v[1], v[2]}; }

    const Mechanism& mechanism_;
    PlanTable table_{};
    TablePlan plan_;
    std::vector<double> records_, states_, quantities_, shared_, thresholds_;
    System::Parameters parameters_{};
    Launch<double> launch_{};
    std::unique_ptr<Loop> loop_;
};

}  // namespace myriad::mechanism
