// contact_integrator.hpp on a system that is a formula: its own coordinates, no joints, M and f with all that they hold
// by automatic differentiation (nonsmooth_energy_system.hpp), contact problems by the enumeration of contact states.
// df/dv and d(M a - f)/dq are central differences. A correction is measured by the way of the step.
#pragma once
#include <optional>

#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/contact/nonsmooth_system.hpp"

namespace myriad::reference {

class ContactFormula final : public ContactIntegrator {
  public:
    // For steps of about `step_s`. Throws UserError for an unknown name; StepFailure: assembly_failed where contacts
    // overlap, prox_stalled, not_finite.
    ContactFormula(const NonsmoothSystem& system, const ContactMethod& method, double step_s);

    double time_s() const override { return time_s_; }
    const VectorXd& coordinates() const { return q_; }
    VectorXd rates() const override { return v_; }
    // Since the start; nothing for a system without damping.
    const std::optional<double>& damping_loss_j() const { return damping_loss_j_; }
    // Gaps, velocities, forces and impulses of each contact, and the totals, by the names of the kernels' channels and
    // certificate. Contact problems are enumerated: residuals and iterations are zero.
    void add_contact_observables(Observables& observables) const;
    // The largest |energy + losses - energy at the start|, J, after a step.
    double energy_error_j() const { return energy_error_j_; }

  private:
    VectorXd gaps() const override { return system_.gaps(q_); }
    MatrixXd directions() const override { return system_.directions(q_); }
    VectorXd velocity() const override { return v_; }
    VectorXd contact_acceleration() const override { return directions() * acceleration_ + system_.turning(q_, v_); }
    ContactLaw law(int contact) const override { return system_.law(contact); }
    StageTerms stage_terms(const Solved& stage, double time_s) const override;
    double size_of(const VectorXd& change) const override;
    void end_at(const Solved&, double time_s) override { end_s_ = time_s; }
    VectorXd accelerations() const override { return acceleration_; }
    VectorXd multipliers() const override { return VectorXd(0); }
    void take(const Solved& end) override;
    void departs(double h) override;
    void arrives() override { count_damping(); }
    void ends() override;
    VectorXd contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& closed,
                              const VectorXd& guess, const DryFriction& friction) override;
    Struck strike(const Closed& closed, double over_s) override;
    void first_acceleration(const Closed& closed, double moment) override;
    Solved half_explicit(double h, double end_s, const Closed& closed) override;
    Passed pass(double end_s) override;
    void exchange_for_middle(bool is_behind) override;

    Directions at(const VectorXd& q) const { return {MatrixXd(0, q.size()), system_.directions(q)}; }
    bool penetrates() const;
    void leave_penetration();
    void count_damping();

    const NonsmoothSystem& system_;
    VectorXd q_, v_, acceleration_, begin_q_, begin_v_;
    VectorXd middle_q_, middle_v_;  // of a step by Moreau's rule, with the velocity of its begin
    double middle_s_ = 0.0;
    std::vector<ContactState> states_;  // of the last contact problem, a guess for the next
    std::optional<double> damping_loss_j_;
    double time_s_ = 0.0, end_s_ = 0.0, initial_energy_j_ = 0.0, energy_error_j_ = 0.0, way_ = 0.0;
};

}  // namespace myriad::reference
