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

}  // namespace myriad::mechanism
