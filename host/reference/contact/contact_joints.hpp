// contact_integrator.hpp on a mechanism, in the coordinates of its tree of joints, with
//
//   J^T M J instead of M,  J^T (f - M A_0) instead of f,  W J instead of W,  rows outside the tree instead of B
//
// J, A_0 and the rows: joint_equations.hpp; M and f: mechanism_equations.hpp; W, of the bodies: contact_mechanism.hpp;
// contact problems: contact_sweeps.hpp. Prescribed coordinates move by their functions, and no impact changes their
// rates: A_0 and the velocities of contacts have their parts, in Moreau's rule those of the middle of the step.
// Newton's matrix leaves out how J turns; the iteration goes on to round-off. Multipliers and impulses of joints of the
// tree follow from the bodies.
#pragma once
#include <optional>

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

class ContactJoints final : public ContactIntegrator {
  public:
    // From the assembled motion, for steps of about `step_s`. Throws UserError for an unknown name; StepFailure:
    // prox_stalled, not_finite.
    ContactJoints(const MechanismModel& model, const ContactMethod& method, const MechanismMotion& start,
                  double step_s);

    double time_s() const override { return motion_.state.time_s; }
    const MechanismMotion& motion() const { return motion_; }
    // With which the forces were found, where the last step ended with an impact.
    const std::optional<MechanismState>& before_impact() const { return before_impact_; }
    const StartChange& start_change() const { return equations_.start_change(); }

  private:
    struct Place {
        JointedBodies bodies;
        MechanismTerms terms;
        JointRows rows;
        MatrixXd mass, of_bodies, of_coordinates;  // J^T M J, W, W J
        VectorXd force;                            // J^T (f - M A)
        Index frictions;                           // the last rows of W
        Directions directions() const { return {rows.gradient, of_coordinates}; }
        VectorXd contact_velocity() const;
    };
    Place place(const JointState& at, const VectorXd& acceleration, const VectorXd& multipliers) const;
    // Without accelerations but those of prescribed coordinates.
    Place place(const JointState& at) const;
    // -Z . B v of the rows that are drivers, with the mean of the velocities before and after. Rates change by x: by
    // forces over a time, contacts' impulses and those of the rows outside the tree. J.
    double work_of_drivers(const Place& here, double over_s, const Pushed& pushed) const;

    VectorXd gaps() const override;
    MatrixXd directions() const override;
    VectorXd velocity() const override;
    VectorXd contact_acceleration() const override;
    ContactLaw law(int contact) const override;
    Eigen::Matrix3Xd ways_apart() const override;
    std::optional<ContactPass> pass_by(int contact, const Eigen::Vector3d& from,
                                       const Eigen::Vector3d& to) const override;
    std::optional<double> size_m(int contact) const override;
    WorkRate work_rate() const override;
    bool forces_are_old() const override { return rates_have_changed_; }
    bool drivers_may_jump() const override { return model_.branch_time_s != nullptr; }
    StageTerms stage_terms(const Solved& stage, double time_s) const override;
    double size_of(const VectorXd& change) const override;
    void end_at(const Solved& end, double time_s) override;
    void put_back() override;
    void require_small_turns(const VectorXd& increment) const override;
    VectorXd rates() const override { return state_.v; }
    VectorXd accelerations() const override { return acceleration_; }
    VectorXd multipliers() const override { return multipliers_; }
    void take(const Solved& end) override;
    void departs(double h) override;
    void arrives() override;
    void is_struck() override;
    void exchange_for_middle(bool is_behind) override { std::swap(motion_, middle_[is_behind ? 1 : 0]); }
    void departs_on_way() override { way_begin_ = state_; }
    void arrives_on_way() override;
    VectorXd gaps_on_way(double share) const override;
    VectorXd velocity_of_way_end() const override;
    void stop_on_way(double share) override;
    void go_on(double end_s) override;
    JointState on_way(double share) const;
    std::vector<bool> held_frictions(const Directions& at) const override;
    bool renew_dry_forces() override;
    VectorXd contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& closed,
                              const VectorXd& guess, const DryFriction& friction) override;
    Struck strike(const Closed& closed, double over_s) override;
    std::optional<CrossedJump> cross_jump() override;
    void first_acceleration(const Closed& closed, double moment) override;
    Solved half_explicit(double h, double end_s, const Closed& closed) override;
    Passed pass(double end_s) override;

    // x and the impulses with which velocities from + x are admissible at `held`, by the forces at `acting`.
    Pushed pushed(const VectorXd& from, double over_s, const JointState& acting, JointState held, const Closed& closed,
                  const VectorXd& guess);
    // With the accelerations that drivers have now, or at another time.
    void renew_motion(const VectorXd& contact_force, std::optional<double> of_drivers_s = {});
    // Puts the bodies of now there; accelerations, reactions and counted angles stay.
    void put_bodies(MechanismState there);

    const MechanismModel& model_;
    MechanismMotion motion_, middle_[2];  // middle_: of the step by Moreau's rule, before and behind its impact
    JointEquations equations_;
    JointState state_, end_;  // end_: of the stage that was solved last
    JointState way_begin_, way_end_;
    VectorXd way_;                         // increments from the one to the other
    VectorXd acceleration_, multipliers_;  // of the coordinates and rows
    bool jumps_ = false;                   // at the end of the step
    bool rates_have_changed_ = false;      // since the forces were found
    bool jumps_inside_ = false;            // and has its corner before the end
    double of_drivers_s_ = 0.0;            // the time of the drivers' accelerations
    std::optional<MechanismState> before_impact_;
    VectorXd rates_of_forces_;                // with which the forces of now were found: those before an impact
    std::vector<double> largest_dry_forces_;  // of the set-valued frictions
};

}  // namespace myriad::reference
