// A dense matrix of a small linear analysis, by rows.
#pragma once
#include <cstddef>
#include <vector>

namespace myriad::mechanism {

struct DenseMatrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> entries;

    DenseMatrix() = default;
    DenseMatrix(std::size_t of_rows, std::size_t of_columns)
        : rows(of_rows), columns(of_columns), entries(of_rows * of_columns) {}
    double& operator()(std::size_t i, std::size_t k) { return entries[i * columns + k]; }
    double operator()(std::size_t i, std::size_t k) const { return entries[i * columns + k]; }
};

DenseMatrix transposed(const DenseMatrix& a);
DenseMatrix product(const DenseMatrix& a, const DenseMatrix& b);
// Of all entries.
double largest_size(const DenseMatrix& a);

// An orthonormal basis of the vectors x with a x = 0, as columns: Householder reflections of a^T with column pivoting.
// Rows that are smaller than `tolerance` beside those taken before count as dependent on them.
DenseMatrix null_space(const DenseMatrix& a, double tolerance);

// L of the symmetric a = L L^T, below and on the diagonal; false where a pivot falls below 1e-14 of its diagonal entry,
// as where a is not positive definite.
bool factor_cholesky(DenseMatrix& a);
// L^-1 b L^-T
DenseMatrix transformed_by_inverse(const DenseMatrix& lower, const DenseMatrix& b);

}  // namespace myriad::mechanism
