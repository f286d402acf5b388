// The integrators of Livens' principle in their full form, as they stand in the paper: nothing is eliminated.
//
//   energy_momentum, livens_midpoint: unknowns (q+, v+, p+, lambda)                                livens eqs. 72, 86
//     (q+ - q)/h = (v + v+)/2,   (p+ - p)/h = D_q T - D V + load - D g^T lambda,   (p + p+)/2 = D_v T,   g(q+) = 0
//   energy_momentum_hamiltonian, hamiltonian_midpoint: unknowns (q+, p+, lambda)                   livens eq. 16
//     (q+ - q)/h = D_p T*,   (p+ - p)/h = -D_q T* - D V + load - D g^T lambda,   g(q+) = 0
//
// The rules differ in the discrete derivatives D, which the system supplies: energy_momentum takes Gonzalez' of what
// the energy is made of, midpoint the derivatives at the mean of both ends. energy_momentum_full and
// energy_momentum_null_space are other ways to solve energy_momentum's equations, so they are the same here. With a
// regular co-kinetic energy whose inverse is exact, hamiltonian_midpoint is livens_midpoint. Loads act at mid-time.
#pragma once
#include <string>
#include <vector>

#include "host/reference/energy_momentum/livens_numbers.hpp"

namespace myriad::reference {

enum class LivensRule { energy_momentum, midpoint };

// Both ends of a step.
struct LivensStep {
    double h, mid_s, end_s;
    Numbers q, v, p, q_end, v_end, p_end, multipliers;

    Numbers q_half() const { return (q + q_end) * Number(0.5); }
    Numbers v_half() const { return (v + v_end) * Number(0.5); }
    Numbers p_half() const { return (p + p_end) * Number(0.5); }
};

struct LivensDerivatives {
    Numbers by_rate;  // by v of T, by p of T*
    Numbers by_coordinates;
};

class LivensSystem {
  public:
    virtual ~LivensSystem() = default;

    virtual Eigen::Index coordinates() const = 0;
    // Derivatives of T(q, v).
    virtual LivensDerivatives kinetic(LivensRule rule, const LivensStep& step) const = 0;
    // Derivatives of T*(q, p). Throws UserError where there is none.
    virtual LivensDerivatives cokinetic(LivensRule rule, const LivensStep& step) const;
    // -D V + load - D g^T lambda.
    virtual Numbers force(LivensRule rule, const LivensStep& step) const = 0;
    // g(q+).
    virtual Numbers constraint(const LivensStep& step) const = 0;
    // Work of loads and dampers in the step, J.
    virtual double work(LivensRule, const LivensStep&) const { return 0.0; }
    // The size of a correction of q.
    virtual double size(const Eigen::VectorXd& correction) const { return correction.norm(); }
    virtual Eigen::VectorXd momentum(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;  // M(q) v
    // The rate that belongs to a momentum; `v` where the mass is singular and constant.
    virtual Eigen::VectorXd rate(const Eigen::VectorXd& q, const Eigen::VectorXd& p,
                                 const Eigen::VectorXd& v) const = 0;
};

struct LivensState {
    double time_s = 0.0;
    // Under energy_momentum v and p are apart: M(q) v = p holds at the start only. Under the other rules v is the rate
    // that belongs to p.
    Eigen::VectorXd q, v, p, multipliers;
};

// energy_momentum, energy_momentum_full, energy_momentum_null_space, livens_midpoint, energy_momentum_hamiltonian,
// hamiltonian_midpoint.
std::vector<std::string> livens_methods();
bool is_livens_method(const std::string& name);

class LivensIntegrator {
  public:
    // From q and v with p = M(q) v; `multipliers` are a first guess. Throws UserError for an unknown name.
    LivensIntegrator(const LivensSystem& system, const std::string& method, const Eigen::VectorXd& q,
                     const Eigen::VectorXd& v, const Eigen::VectorXd& multipliers, int most_newton_iterations);

    // Throws StepFailure: newton_stalled, singular_matrix, not_finite; the state stays.
    void step(double end_s);

    const LivensState& state() const { return state_; }
    int iterations() const { return iterations_; }  // linear solves of the last step
    double work() const { return work_; }           // of loads and dampers since the start
    LivensRule rule() const { return rule_; }
    bool keeps_rate() const { return rule_ == LivensRule::energy_momentum && !is_hamiltonian_; }

  private:
    const LivensSystem& system_;
    LivensRule rule_;
    bool is_hamiltonian_;
    int most_newton_iterations_, iterations_ = 0;
    LivensState state_;
    double work_ = 0.0;
};

}  // namespace myriad::reference
