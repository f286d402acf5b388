#include "host/reference/formulation/newton_iteration.hpp"

#include "host/reference/formulation/formulation.hpp"

namespace myriad::reference {

namespace {

// An older matrix whose corrections do not fall by this costs more of them than a new one costs.
constexpr double good_contraction = 1e-2;
// A position that is off by this leaves accelerations, over the square of a step of 0.01 s, and velocities their
// round-off.
constexpr double least_error = 1e-4 * least_correction;

}  // namespace

Decomposition<double> decomposed_newton_matrix(const Eigen::MatrixXd& matrix) {
    Decomposition<double> decomposition = full_pivoting(matrix);
    if (!decomposition.is_invertible()) throw StepFailure{"singular_matrix", "Newton's matrix is singular"};
    return decomposition;
}

bool NewtonIteration::ends_with(double correction) {
    const double contraction = count_ > 0 ? correction / before_ : 0.0;
    const bool is_small =
        needs_matrix_ ? correction <= least_correction || (correction <= greatest_round_off && contraction >= 0.5)
                      : contraction * correction <= (1.0 - contraction) * least_error;
    ++count_;
    before_ = correction;
    if (is_small) return true;
    needs_matrix_ = matrix_ == NewtonMatrix::of_its_point || !(contraction <= good_contraction);
    if (count_ >= most_) throw StepFailure{"newton_stalled", what_was_not_met_};
    return false;
}

}  // namespace myriad::reference
