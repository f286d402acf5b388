// Timestepping schemes with contact and impact for the reference path: dense, plain, written from the paper's
// equations.
//
// An implicit step is solved for the accelerations of its stages by Newton's method with a matrix by differences; each
// correction's contact problem, and each impact, by the enumeration of contact states. Members, names and sources as in
// kernels/integrators/contact/members.hpp, half_explicit.hpp and ed_alpha.hpp. Not handled: variable steps.
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "host/reference/contact/nonsmooth_contact.hpp"
#include "host/reference/contact/nonsmooth_system.hpp"

namespace myriad::reference {

struct NonsmoothMethod {
    std::string name;  // one of nonsmooth_methods()
    double spectral_radius = 0.8;
    double ed_alpha_ratio = 1.0 / 6.0;
    double gap_tolerance_m = 1e-9;  // gaps up to this are closed
    bool project_penetration = false;
    double impact_threshold_N_s = 0.0;                     // an impact counts where its largest impulse is above
    std::optional<std::pair<double, double>> alphas = {};  // alpha_m, alpha_f, instead of those of the spectral radius
};

std::vector<std::string> nonsmooth_methods();

// Records of the run so far: the entries of ContactRecord in kernels/contact/channels.hpp.
struct ContactTotals {
    double impacts = 0.0, first_contact_s = std::numeric_limits<double>::quiet_NaN();
    double friction_loss_J = 0.0, impact_loss_J = 0.0, wear_work_J = 0.0;
    std::optional<double> damping_loss_J = {};  // of systems with damping
    double largest_impulse_N_s = 0.0, largest_force_N = 0.0, penetration_m = 0.0, energy_error_J = 0.0;
};

class NonsmoothIntegrator {
  public:
    // Starts the run: an impact where a closed contact does not admit the initial velocity, and the first acceleration.
    // Throws StepFailure where contacts overlap.
    NonsmoothIntegrator(NonsmoothSystem& system, const NonsmoothMethod& method);

    // Throws StepFailure where the step cannot be solved.
    void step(double h);

    const Eigen::VectorXd& coordinates() const { return q_; }
    const Eigen::VectorXd& rates() const { return v_; }
    const Eigen::VectorXd& force() const { return force_; }      // of the contacts at the end of the step, N
    const Eigen::VectorXd& impulse() const { return impulse_; }  // of the impact at the end of the step, N s
    const ContactTotals& totals() const { return totals_; }
    double time_s() const { return time_s_; }

  private:
    using VectorXd = Eigen::VectorXd;
    using MatrixXd = Eigen::MatrixXd;
    using Closed = std::vector<bool>;

    // Coordinates and rates of a stage, and at which of them the laws hold.
    struct Stage {
        VectorXd q, v;
    };
    // From the accelerations of all stages, one after the other.
    using Stages = std::function<std::vector<Stage>(const VectorXd&)>;
    struct Solution {
        VectorXd accelerations;
        std::vector<Stage> stages;
        VectorXd forces;
    };

    Closed closed(const VectorXd& q) const;
    VectorXd solve_contacts(const MatrixXd& delassus, const VectorXd& free, const Closed& closed, int copies);
    Solution solve(const Stages& stages, VectorXd accelerations, const Closed& closed);
    void impact(const Closed& closed);
    void leave_penetration();
    bool is_unilateral(int contact) const;
    bool penetrates() const;
    // The work of friction, or its power. `lost`: the loss; `worn`: the sum of the sizes of all contacts' shares.
    struct Friction {
        double lost, worn;
    };
    Friction friction(const MatrixXd& directions, const VectorXd& rows, const VectorXd& v) const;
    void record_forces(double h, bool follows_impact);
    void count_impact(double largest_impulse_N_s);
    void record_damping(const VectorXd& begin_q, const VectorXd& begin_v);
    bool is_admissible(const Closed& closed) const;
    VectorXd restitution(const MatrixXd& directions) const;

    // Whether the step has an impact.
    bool moreau(double h);
    void half_explicit(double h, const Closed& closed);
    void generalized_alpha(double h, const Closed& closed);
    void bathe(double h, const Closed& closed);
    void ed_alpha(double h, const Closed& closed);

    NonsmoothSystem& system_;
    NonsmoothMethod method_;
    int rows_;
    VectorXd q_, v_, acceleration_, algorithmic_, force_, impulse_;
    std::vector<ContactState> states_;  // of the last contact problem, a guess for the next
    ContactTotals totals_;
    Friction power_{0.0, 0.0};  // at the end of the step
    double time_s_ = 0.0, initial_energy_J_ = 0.0;
};

}  // namespace myriad::reference
