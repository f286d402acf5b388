// Eigenvalues of small dense matrices. Only + - * / and square roots, one after the other: the bits do not depend on
// the machine, and the host carries no linear algebra library (the twin takes Eigen's).
#pragma once
#include <complex>
#include <optional>
#include <vector>

#include "host/mechanism/linear/matrix.hpp"

namespace myriad::mechanism {

// Of a symmetric matrix, whose upper triangle is not read: Jacobi's rotations. In rising order.
std::vector<double> symmetric_eigenvalues(DenseMatrix a);

// Of any square matrix: balanced, reduced to Hessenberg form, Francis' double steps. A complex one stands beside its
// conjugate, that with the positive imaginary part first. Nothing where 30 steps did not split one off.
// Source: Golub, Van Loan 2013, Matrix Computations, sections 7.4 and 7.5.
std::optional<std::vector<std::complex<double>>> eigenvalues(DenseMatrix a);

}  // namespace myriad::mechanism
