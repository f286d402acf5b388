// Decompositions of dense matrices, compiled once for the whole reference path.
//
//   full_pivoting   P A Q = L U              a x = b, and whether A is invertible: Eigen's FullPivLU
//   least_norm      A P = Q [T 0; 0 0] Z     the least-squares solution of least norm: CompleteOrthogonalDecomposition
//   row_pivoting    P A = L U                a x = b where A is known to be invertible: PartialPivLU
//
// A pivot counts as zero below `threshold` times the largest one; without a threshold, below round-off. Eigen's own
// templates are instantiated in each file that names them, which makes half of its time to compile. Numbers: double and
// long double. Not handled: matrices of complex numbers, sparse ones.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <type_traits>
#include <utility>

namespace myriad::reference {

template <class Number>
class Decomposition {
  public:
    using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
    using Vector = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
    struct Solver {
        virtual ~Solver() = default;
        virtual Vector solve(const Vector& right) const = 0;
        virtual bool is_invertible() const = 0;
    };

    Decomposition() = default;  // of nothing: not to be asked
    explicit Decomposition(std::shared_ptr<const Solver> solver) : solver_(std::move(solver)) {}

    // Column by column.
    template <class Right>
    auto solve(const Eigen::MatrixBase<Right>& right) const {
        if constexpr (Right::ColsAtCompileTime == 1)
            return solver_->solve(right);
        else
            return columns(right);
    }
    bool is_invertible() const { return solver_->is_invertible(); }

  private:
    Matrix columns(const Matrix& right) const;

    std::shared_ptr<const Solver> solver_;
};

Decomposition<double> full_pivoting(const Eigen::MatrixXd& matrix);
Decomposition<double> least_norm(const Eigen::MatrixXd& matrix);
Decomposition<double> row_pivoting(const Eigen::MatrixXd& matrix);

Decomposition<long double> full_pivoting(const Decomposition<long double>::Matrix& matrix, long double threshold);
Decomposition<long double> least_norm(const Decomposition<long double>::Matrix& matrix, long double threshold);

// Of an invertible matrix.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix);

}  // namespace myriad::reference
