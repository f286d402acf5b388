// Timestepping with contact, friction and impact in the coordinates of a tree of joints: contact_bodies.hpp with
//
//   J^T M J instead of M,  J^T (f - M A_0) instead of f,  W J instead of W,  rows outside the tree instead of B
//
// J, A_0 and the rows: joint_equations.hpp; W: of the bodies. Prescribed coordinates move by their functions, and no
// impact changes their rates: A_0 and the velocities of contacts have their parts, in Moreau's rule those of the middle
// of the step. Newton's matrix leaves out how J
// turns; the iteration goes on to round-off. Multipliers and impulses of joints of the tree follow from the bodies.
#pragma once
#include "host/reference/contact/contact_bodies.hpp"
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

class ContactJoints final : public ContactBodies {
  public:
    // As ContactBodies.
    ContactJoints(const MechanismModel& model, const ContactMethod& method, const MechanismMotion& start,
                  double step_s);
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
    // By what changes the rates by x: forces over a time, contacts' impulses, those of the rows outside the tree. J.
    double work_of_drivers(const Place& here, double over_s, const Pushed& pushed) const;
    Place place(const JointState& at, const VectorXd& acceleration, const VectorXd& multipliers) const;
    // Without accelerations but those of prescribed coordinates.
    Place place(const JointState& at) const;

    StageTerms stage_terms(const Solved& stage, double time_s) const override;
    void end_at(const Solved& end, double time_s) override;
    void put_back() override;
    void is_struck() override;
    bool forces_are_old() const override { return rates_have_changed_; }
    bool drivers_may_jump() const override { return model_.branch_time_s != nullptr; }
    bool renew_dry_forces() override;
    Struck strike(const Closed& closed, double over_s) override;
    void departs(double h) override;
    std::optional<CrossedJump> cross_jump() override;
    void first_acceleration(const Closed& closed, double moment) override;
    VectorXd rates() const override { return state_.v; }
    VectorXd accelerations() const override { return acceleration_; }
    VectorXd multipliers() const override { return multipliers_; }
    void take(const Solved& end) override;
    Solved half_explicit(double h, double end_s, const Closed& closed) override;
    Passed pass(double end_s) override;
    void departs_on_way() override { way_begin_ = state_; }
    void arrives_on_way() override;
    VectorXd gaps_on_way(double share) const override;
    VectorXd velocity_of_way_end() const override;
    void stop_on_way(double share) override;
    void go_on(double end_s) override;
    JointState on_way(double share) const;

    // x and the impulses with which velocities from + x are admissible at `held`, by the forces at `acting`.
    Pushed pushed(const VectorXd& from, double over_s, const JointState& acting, JointState held, const Closed& closed,
                  const VectorXd& guess);
    void require_small_turns(const VectorXd& increment) const override;
    // With the accelerations that drivers have now, or at another time.
    void renew_motion(const VectorXd& contact_force, std::optional<double> of_drivers_s = {});

    JointEquations equations_;
    JointState state_, end_;  // end_: of the stage that was solved last
    JointState way_begin_, way_end_;
    VectorXd way_;                         // increments from the one to the other
    VectorXd acceleration_, multipliers_;  // of the coordinates and rows
    bool jumps_ = false;                   // at the end of the step
    bool rates_have_changed_ = false;      // since the forces were found
    bool jumps_inside_ = false;            // and has its corner before the end
    double of_drivers_s_ = 0.0;            // the time of the drivers' accelerations
    VectorXd rates_of_forces_;             // with which the forces of now were found: those before an impact
};

}  // namespace myriad::reference
