#include "host/mechanism/linear/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace myriad::mechanism {

namespace {

constexpr double smallest_pivot_share = 1e-14;

// L^-1 b
DenseMatrix solved_forward(const DenseMatrix& lower, DenseMatrix b) {
    for (std::size_t column = 0; column < b.columns; ++column)
        for (std::size_t i = 0; i < b.rows; ++i) {
            double sum = b(i, column);
            for (std::size_t k = 0; k < i; ++k) sum -= lower(i, k) * b(k, column);
            b(i, column) = sum / lower(i, i);
        }
    return b;
}

}  // namespace

DenseMatrix transposed(const DenseMatrix& a) {
    DenseMatrix t(a.columns, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k) t(k, i) = a(i, k);
    return t;
}

DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b) {
    DenseMatrix c(a.rows, b.columns);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k)
            for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
}

double largest_size(const DenseMatrix& a) {
    double largest = 0.0;
    for (const double entry : a.entries) largest = std::max(largest, std::abs(entry));
    return largest;
}

DenseMatrix null_space(const DenseMatrix& a, double tolerance) {
    const std::size_t n = a.columns;
    DenseMatrix left = a, basis(n, n);  // `left`: the rows of a, reflected; `basis`: the reflections so far, as columns
    for (std::size_t i = 0; i < n; ++i) basis(i, i) = 1.0;
    std::vector<std::size_t> row(a.rows);
    std::iota(row.begin(), row.end(), std::size_t{0});
    std::size_t rank = 0;
    std::vector<double> v(n);
    for (; rank < std::min(a.rows, n); ++rank) {
        const auto square_behind = [&](std::size_t r) {
            double sum = 0.0;
            for (std::size_t k = rank; k < n; ++k) sum += left(row[r], k) * left(row[r], k);
            return sum;
        };
        std::size_t largest = rank;
        double square = square_behind(rank);
        for (std::size_t r = rank + 1; r < a.rows; ++r)
            if (const double other = square_behind(r); other > square) largest = r, square = other;
        const double length = std::sqrt(square);
        if (!(length > tolerance)) break;
        std::swap(row[rank], row[largest]);
        for (std::size_t k = rank; k < n; ++k) v[k] = left(row[rank], k);
        v[rank] += v[rank] < 0.0 ? -length : length;
        double norm = 0.0;
        for (std::size_t k = rank; k < n; ++k) norm += v[k] * v[k];
        const auto reflect = [&](DenseMatrix& matrix, std::size_t i) {
            double along = 0.0;
            for (std::size_t k = rank; k < n; ++k) along += matrix(i, k) * v[k];
            for (std::size_t k = rank; k < n; ++k) matrix(i, k) -= 2.0 * along / norm * v[k];
        };
        for (std::size_t r = rank; r < a.rows; ++r) reflect(left, row[r]);
        for (std::size_t i = 0; i < n; ++i) reflect(basis, i);
    }
    DenseMatrix null(n, n - rank);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = rank; k < n; ++k) null(i, k - rank) = basis(i, k);
    return null;
}

bool factor_cholesky(DenseMatrix& a) {
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k <= i; ++k) {
            double sum = a(i, k);
            for (std::size_t j = 0; j < k; ++j) sum -= a(i, j) * a(k, j);
            if (k < i) {
                a(i, k) = sum / a(k, k);
            } else {
                if (!(sum > smallest_pivot_share * a(i, i))) return false;
                a(i, i) = std::sqrt(sum);
            }
        }
    return true;
}

DenseMatrix transformed_by_inverse(const DenseMatrix& lower, const DenseMatrix& b) {
    return transposed(solved_forward(lower, transposed(solved_forward(lower, b))));
}

}  // namespace myriad::mechanism
