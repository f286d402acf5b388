#include "host/reference/mathematics/decomposition.hpp"

#include <Eigen/Dense>

namespace myriad::reference {

namespace {

using LongMatrix = Decomposition<long double>::Matrix;

template <class Number, class Decomposed>
struct SolverOf final : Decomposition<Number>::Solver {
    using Vector = typename Decomposition<Number>::Vector;
    explicit SolverOf(Decomposed decomposed) : decomposed_(std::move(decomposed)) {}
    Vector solve(const Vector& right) const override { return decomposed_.solve(right); }
    bool is_invertible() const override {
        if constexpr (requires { decomposed_.isInvertible(); }) return decomposed_.isInvertible();
        return true;  // as whoever pivots by rows alone knows
    }
    Decomposed decomposed_;
};

template <class Number, class Decomposed>
Decomposition<Number> held(Decomposed decomposed) {
    return Decomposition<Number>(std::make_shared<SolverOf<Number, Decomposed>>(std::move(decomposed)));
}

// Of one whose threshold is set before it is computed.
template <class Decomposed>
Decomposition<long double> computed(const LongMatrix& matrix, long double threshold) {
    Decomposed decomposed;
    decomposed.setThreshold(threshold).compute(matrix);
    return held<long double>(std::move(decomposed));
}

}  // namespace

template <class Number>
auto Decomposition<Number>::columns(const Matrix& right) const -> Matrix {
    Matrix solution(right.rows(), right.cols());
    for (Eigen::Index k = 0; k < right.cols(); ++k) {
        const Vector column = solver_->solve(Vector(right.col(k)));
        if (k == 0) solution.resize(column.size(), right.cols());
        solution.col(k) = column;
    }
    return solution;
}
template class Decomposition<double>;
template class Decomposition<long double>;

Decomposition<double> full_pivoting(const Eigen::MatrixXd& matrix) {
    return held<double>(Eigen::FullPivLU<Eigen::MatrixXd>(matrix));
}
Decomposition<double> least_norm(const Eigen::MatrixXd& matrix) {
    return held<double>(Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(matrix));
}
Decomposition<double> row_pivoting(const Eigen::MatrixXd& matrix) {
    return held<double>(Eigen::PartialPivLU<Eigen::MatrixXd>(matrix));
}

Decomposition<long double> full_pivoting(const LongMatrix& matrix, long double threshold) {
    return computed<Eigen::FullPivLU<LongMatrix>>(matrix, threshold);
}
Decomposition<long double> least_norm(const LongMatrix& matrix, long double threshold) {
    return computed<Eigen::CompleteOrthogonalDecomposition<LongMatrix>>(matrix, threshold);
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix) { return matrix.inverse(); }

}  // namespace myriad::reference
