// contact_integrator.hpp on the bodies of a mechanism: coordinates of bodies, the joints are rows. Terms as in
// mechanism_equations.hpp and contact_mechanism.hpp, contact problems by contact_sweeps.hpp.
#pragma once
#include <optional>

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

class ContactBodies : public ContactIntegrator {
  public:
    // From the assembled motion, for steps of about `step_s`. Throws UserError for an unknown name; StepFailure:
    // prox_stalled, not_finite.
    ContactBodies(const MechanismModel& model, const ContactMethod& method, const MechanismMotion& start,
                  double step_s);

    double time_s() const override { return motion_.state.time_s; }
    const MechanismMotion& motion() const { return motion_; }
    // With which the forces were found, where the last step ended with an impact.
    const std::optional<MechanismState>& before_impact() const { return before_impact_; }

  protected:
    // For other coordinates, whose constructor calls begin(): the rest of the public one.
    ContactBodies(const MechanismModel& model, const ContactMethod& method, const MechanismMotion& start);

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
    // -Z . B v of the rows that are drivers: impulses of all active rows, mean velocities of the bodies, J.
    double work_of_drivers(const MechanismState& at, const VectorXd& impulses, const VectorXd& mean) const;
    StageTerms stage_terms(const Solved& stage, double time_s) const override;
    double size_of(const VectorXd& change) const override;
    void end_at(const Solved& end, double time_s) override;
    void put_back() override;
    void require_small_turns(const VectorXd& increment) const override;
    VectorXd rates() const override { return velocity(); }
    VectorXd accelerations() const override { return motion_.acceleration; }
    VectorXd multipliers() const override { return motion_.multipliers; }
    void take(const Solved& end) override;
    void departs(double) override { before_impact_.reset(); }
    void arrives() override;
    void is_struck() override { before_impact_ = motion_.state; }
    std::vector<bool> held_frictions(const Directions& at) const override;
    bool renew_dry_forces() override;
    VectorXd contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& closed,
                              const VectorXd& guess, const DryFriction& friction) override;
    Struck strike(const Closed& closed, double over_s) override;
    void first_acceleration(const Closed& closed, double moment) override;
    Solved half_explicit(double h, double end_s, const Closed& closed) override;
    Passed pass(double end_s) override;
    void exchange_for_middle(bool is_behind) override { std::swap(motion_, middle_[is_behind ? 1 : 0]); }

    const MechanismModel& model_;
    MechanismMotion motion_, middle_[2];      // middle_: of the step by Moreau's rule, before and behind its impact
    std::vector<double> largest_dry_forces_;  // of the set-valued frictions

  private:
    MechanismState end_;  // of the stage that was solved last
    std::optional<MechanismState> before_impact_;
};

}  // namespace myriad::reference
