// The end of Newton's iteration, for every loop of the reference path: the rest is round-off.
//
// A correction d by a matrix made at its own point leaves an error of second order: it is the last one if it is
// round-off, or if it is small and no longer falls, as round-off does not. A correction by an older matrix leaves
// theta/(1 - theta) d, theta being the ratio of the last two: that must be round-off. Lengths are those of positions:
// round-off of theirs, over the slope of a step, is what accelerations cannot be told apart by. Source: Hairer, Wanner,
// Solving Ordinary Differential Equations II, sect. IV.8.
#pragma once
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

// A correction is round-off when it is below this, relative to the length scale and in rad.
constexpr double least_correction = 1e-14;
// Below this a correction may be the last one if it no longer falls: large coordinates and small steps have more
// round-off.
constexpr double greatest_round_off = 1e-9;

// By full pivoting. Throws StepFailure (singular_matrix).
Decomposition<double> decomposed_newton_matrix(const Eigen::MatrixXd& matrix);

enum class NewtonMatrix { of_its_point, kept_while_it_contracts };

class NewtonIteration {
  public:
    explicit NewtonIteration(int most_corrections, NewtonMatrix matrix = NewtonMatrix::of_its_point,
                             const char* what_was_not_met = "the equations of the step were not met")
        : most_(most_corrections), matrix_(matrix), what_was_not_met_(what_was_not_met) {}

    // Whether the next correction's matrix is to be made at its point.
    bool needs_matrix() const { return needs_matrix_; }
    // Whether the correction just made, of this length, was the last one. Throws StepFailure (newton_stalled) where it
    // was not and no other is allowed.
    bool ends_with(double correction);
    int corrections() const { return count_; }

  private:
    int most_, count_ = 0;
    NewtonMatrix matrix_;
    const char* what_was_not_met_;
    double before_ = 0.0;  // the last correction
    bool needs_matrix_ = true;
};

}  // namespace myriad::reference
