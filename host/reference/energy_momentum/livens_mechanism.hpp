// A mechanism in quaternion coordinates, as the integrators of Livens' principle see it.
//
//   q = (position, quaternion) of every body, v and p likewise; lambda = unit lengths, then the active rows
//   T     m |x'|^2 / 2 + rotation_kinetic (livens_rigid_body.hpp) of every body                    livens eq. 123
//   rows      discrete_rows.hpp: points, directions, laws and work. D phi of
//     point, coordinate_difference, distance, dot_2   D . (D d of the points), of dot_2 also mean d . (D R(q_i) a): a
//                     point is quadratic, its gradient is the one at mid-step
//                                                                                                     eqs. 125, 126
//     turning rows    a . R(r) b, r = q_i* o q_j: (dr/dq at mid-step)^T of the gradient by r at r_half. Under
//                     energy_momentum r_half = (r + r+)/2, under midpoint r_half = q_i,half* o q_j,half. Written in q_i
//                     and q_j it would be quartic, and Gonzalez' gradient would have a net torque (facts F)
//     rotation_vector 2 E(q_half)^T torque / |q_half|^2, the opposite on the other body: no net moment
//   loads     a force at a body point: (D of the point)^T f, f being R(q_half) f_b of one in body axes;
//             a torque: 2 E(q_half)^T t of one in the world, 2 G(q_half)^T t_b of one in body axes     eqs. 127, 128
//
// R(q_half) is not normalised. The ground has position 0 and quaternion 1. Source: livens sect. 5.5; facts F.
#pragma once
#include "host/reference/energy_momentum/discrete_rows.hpp"
#include "host/reference/energy_momentum/livens_integrator.hpp"
#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

class LivensMechanism final : public LivensSystem {
  public:
    explicit LivensMechanism(const MechanismModel& model);

    Eigen::Index coordinates() const override;
    LivensDerivatives kinetic(LivensRule rule, const LivensStep& step) const override;
    Numbers force(LivensRule rule, const LivensStep& step) const override;
    Numbers constraint(const LivensStep& step) const override;
    double work(LivensRule rule, const LivensStep& step) const override;
    double size(const Eigen::VectorXd& correction) const override;
    Eigen::VectorXd momentum(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const override;
    Eigen::VectorXd rate(const Eigen::VectorXd& q, const Eigen::VectorXd& p, const Eigen::VectorXd& v) const override;

    Eigen::VectorXd coordinates_of(const MechanismState& state) const;
    Eigen::VectorXd rates_of(const MechanismState& state) const;
    Eigen::VectorXd multipliers_of(const Eigen::VectorXd& rows) const;  // with those of the unit lengths, zero
    MechanismState state_of(const LivensState& state) const;
    Eigen::VectorXd rows_of(const LivensState& state) const;  // the multipliers of the active rows

    // The numbers that facts F want watched: p . v - 2 T, by which the generalized energy p . v - T + V differs from T
    // + V, |p - M(q) v|, and the norm of the bodies' |q . q'|.
    double excess_energy(const LivensState& state) const;
    double momentum_defect(const LivensState& state) const;
    double quaternion_rate_residual(const LivensState& state) const;
    // The sum of x x p and E(q) p / 2 over all bodies, about the origin: livens eq. 64.
    Eigen::Vector3d angular_momentum(const LivensState& state) const;

    // In which turn every angle is when the next step begins.
    void count_from(const MechanismState& state) { counted_ = state.counted_angles; }

  private:
    DiscreteRows discrete_rows(const ModelElement& element, const EndPair& start, const EndPair& end,
                               const LivensStep& step) const;
    static std::vector<Number> multipliers(const ModelElement& element, const DiscreteRows& rows,
                                           const LivensStep& step, Eigen::Index& next);
    Numbers load(const LivensStep& step) const;

    const MechanismModel& model_;
    std::vector<double> counted_;
};

}  // namespace myriad::reference
