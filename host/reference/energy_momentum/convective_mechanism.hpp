// A mechanism under energy_momentum_convective: T + V, momentum and angular momentum are kept, joints included, less
// the work of loads and dampers.
//
//   unknowns   x+ and the axis b of the turn of every body (convective_step.hpp), lambda of the active rows
//   solved     (m v+ - m v)/h - m g = force,   (R+ J W+ - R J W)/h = torque (world),   phi(q+) = 0
//   row        force and torque of -lambda on body j, opposite ones on i where not said otherwise; m( ): mean of both
//              ends of a world vector; laws, a and work as in discrete_rows.hpp
//     point, coordinate_difference   axes e_k, c;                     torques m(R s) x e_k
//     distance, dot_2                D = (d + d+) / (|d| + |d+|), m(R_i a);   the same, and on i m(R_i a) x m(d)
//     turning rows                   none;                            m(R_j b) x m(R_i a) on j, the opposite on i
//     rotation_vector                none;                            that of discrete_rows.hpp, w of the turns 2 R b
//   loads      at mid-time; a force at a point has the arm m(R s); in body axes forces and torques are m(R f)
//
// (R+ - R) s = 2 R b x m(R s), so phi+ - phi is the row's force and torques times the displacements: a constraint does
// no work. Net force and net torque of a row vanish (of a point at mid-step, as d = d+ = 0). Source: discrete
// product rule; Simo, Wong 1991.
#pragma once
#include "host/reference/energy_momentum/livens_numbers.hpp"
#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

class ConvectiveMechanism {
  public:
    ConvectiveMechanism(const MechanismModel& model, const MechanismMotion& start, int most_newton_iterations);

    // Throws StepFailure: newton_stalled, singular_matrix, not_finite; the motion stays.
    void step(double end_s);

    // Accelerations and multipliers are the mean ones of the last step.
    const MechanismMotion& motion() const { return motion_; }
    int iterations() const { return iterations_; }  // linear solves of the last step
    double work() const { return work_; }           // of loads and dampers since the start

  private:
    const MechanismModel& model_;
    MechanismMotion motion_;
    int most_newton_iterations_, iterations_ = 0;
    double work_ = 0.0;
};

}  // namespace myriad::reference
