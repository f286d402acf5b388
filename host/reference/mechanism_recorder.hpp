// Keeps what a run of run_reference_mechanism.hpp has come to: the sample after every step, with energies, work and
// momenta, for whoever watches the run; and watches the rows of loops with redundant joints.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host/reference/contact/contact_joints.hpp"
#include "host/reference/mechanism/redundant_rows.hpp"
#include "host/reference/run_reference_mechanism.hpp"

namespace myriad::reference {

// Numbers of an energy-momentum integrator beside the motion.
struct MomentumRecord {
    double work_j = 0.0;
    // p . v - 2 T: by what the generalized energy differs from T + V.
    double excess_energy_j = 0.0, momentum_defect = 0.0, quaternion_rate_residual = 0.0;
    std::optional<Eigen::Vector3d> angular_momentum;
};

class MechanismRecorder {
  public:
    MechanismRecorder(const MechanismModel& model, const MechanismSettings& settings, MechanismResult& result)
        : model_(model), settings_(settings), result_(result), watches_loops_(has_redundant_rows(model)) {}

    void start(const AssembledStart& start, const ContactJoints* contacts = nullptr);
    // Throws StepFailure: singular_matrix, step_limit.
    void step(const MechanismMotion& motion, int iterations, const MomentumRecord* record = nullptr,
              const ContactJoints* contacts = nullptr);
    // States within the step that ends next.
    void within(std::vector<MechanismMotion> motions);
    // An impact in the step of `contacts`: the motion just before, or just behind where that is not the end of the
    // step.
    void at_impact(const ContactJoints& contacts, bool is_behind, bool is_straight);
    // Says in the result how the run failed.
    void end_with(const StepFailure& failure);

  private:
    void watch_loops(const MechanismState& state);
    // Fills in what the motion says. Returns the power of all that does work.
    double see(const MechanismMotion& motion, MechanismSample& sample) const;
    void observe(const MechanismMotion& motion, int iterations, const MomentumRecord* record,
                 const ContactJoints* contacts);
    void add_contacts(const ContactJoints& contacts, MechanismSample& sample);

    const MechanismModel& model_;
    const MechanismSettings& settings_;
    MechanismResult& result_;
    bool watches_loops_;
    RedundantRows redundant_;
    double work_rate_ = 0.0, balance_at_start_ = 0.0;
};

}  // namespace myriad::reference
