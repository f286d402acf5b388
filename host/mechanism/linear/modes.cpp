#include "host/mechanism/linear/modes.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace myriad::mechanism {

namespace {

constexpr double no_stiffness = 1e-12;    // as a share: round-off of sums of some terms
constexpr double same_row = 1e-9;         // rows of length 1 whose rest is shorter depend on others
constexpr double no_mass = 1e-14;         // as a share of its diagonal entry: a pivot that is round-off
constexpr double unsymmetric = 1e-10;     // as a share: a correction of the equilibrium leaves 1e-11
constexpr double least_growth = 1e-9;     // of a complex root, as a share of its size
constexpr double same_size = 1.0 - 1e-6;  // of a root that grows and the one that decays with it

double size_of(const std::complex<double>& root) {
    return std::sqrt(root.real() * root.real() + root.imag() * root.imag());
}

using Matrix = Eigen::MatrixXd;

Matrix as_matrix(const DenseMatrix& a) {
    return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
        a.entries.data(), static_cast<Eigen::Index>(a.rows), static_cast<Eigen::Index>(a.columns));
}

double largest_size(const Matrix& a) { return a.size() == 0 ? 0.0 : a.cwiseAbs().maxCoeff(); }

// An orthonormal basis of the vectors x with a x = 0. Rows whose part beside the rows taken before is at most
// `tolerance` count as dependent on them.
Matrix null_space(const Matrix& a, double tolerance) {
    const Eigen::Index count = a.cols();
    if (a.rows() == 0) return Matrix::Identity(count, count);
    const Eigen::ColPivHouseholderQR<Matrix> factors(a.transpose());
    Eigen::Index rank = 0;
    while (rank < std::min(a.rows(), count) && std::abs(factors.matrixQR()(rank, rank)) > tolerance) ++rank;
    const Matrix basis = factors.householderQ();
    return basis.rightCols(count - rank);
}

Matrix between(const Matrix& basis, const Matrix& a) { return basis.transpose() * a * basis; }

bool is_symmetric(const Matrix& a) { return largest_size(a - a.transpose()) <= unsymmetric * largest_size(a); }

// Conjugate pairs are adjacent, the root with the positive imaginary part first. Nothing if the iteration fails.
std::optional<std::vector<std::complex<double>>> eigenvalues(const Matrix& a) {
    if (a.rows() == 0) return std::vector<std::complex<double>>{};
    const Eigen::EigenSolver<Matrix> solver(a, false);
    if (solver.info() != Eigen::Success) return std::nullopt;
    return std::vector<std::complex<double>>(solver.eigenvalues().begin(), solver.eigenvalues().end());
}

// The two square roots of -mu, that with the negative real part first.
void add_roots_of_square(const std::complex<double>& mu, std::vector<std::complex<double>>& roots) {
    const double size = size_of(mu), imaginary = std::sqrt(std::max(0.0, 0.5 * (size + mu.real()))),
                 real = std::sqrt(std::max(0.0, 0.5 * (size - mu.real())));
    const std::complex<double> root(-real, mu.imag() > 0.0 ? imaginary : -imaginary);
    roots.insert(roots.end(), {root, -root});
}

// `squares`: of the undamped motion, those of rigid modes among them.
Roots undamped(std::vector<std::complex<double>> squares, std::size_t rigid) {
    std::sort(squares.begin(), squares.end(), [](const auto& a, const auto& b) { return size_of(a) < size_of(b); });
    Roots roots{std::vector<std::complex<double>>(2 * rigid), rigid};
    for (std::size_t i = rigid; i < squares.size(); ++i) {
        if (squares[i].imag() == 0.0 || squares[i].imag() > 0.0) add_roots_of_square(squares[i], roots.values);
        if (squares[i].imag() > 0.0) {
            const auto root = roots.values.back();
            roots.values.insert(roots.values.end(), {std::conj(-root), std::conj(root)});
        }
    }
    return roots;
}

std::optional<Roots> damped(const Matrix& damping, const Matrix& stiffness, const Matrix& rigid, double tolerance) {
    const Eigen::Index n = stiffness.rows();
    const double rate = std::sqrt(std::max(largest_size(stiffness), tolerance));
    Matrix first_order = Matrix::Zero(2 * n, 2 * n);
    first_order.topRightCorner(n, n).diagonal().setConstant(rate > 0.0 ? rate : 1.0);
    if (rate > 0.0) first_order.bottomLeftCorner(n, n) = -stiffness / rate;
    first_order.bottomRightCorner(n, n) = -damping;
    auto values = eigenvalues(first_order);
    if (!values) return std::nullopt;
    Roots roots{std::move(*values), static_cast<std::size_t>(rigid.cols())};
    // A rigid mode that nothing damps has two roots 0.
    const Eigen::Index undamped_rigid =
        rigid.cols() == 0 ? 0 : null_space(between(rigid, damping), no_stiffness * largest_size(damping)).cols();
    std::sort(roots.values.begin(), roots.values.end(),
              [](const auto& a, const auto& b) { return size_of(a) < size_of(b); });
    std::fill_n(roots.values.begin(), rigid.cols() + undamped_rigid, 0.0);
    return roots;
}

Mode mode_of(double product, double sum) {
    return {product, product > 0.0 ? 0.0 - sum / (2.0 * std::sqrt(product)) : std::numeric_limits<double>::quiet_NaN()};
}

// `real`: sorted, without those of modes that nothing damps or moves.
void pair_real_roots(std::vector<double> real, std::vector<Mode>& modes) {
    const auto pair_up = [&](std::size_t one, std::size_t other) {
        modes.push_back(mode_of(real[one] * real[other], real[one] + real[other]));
        real.erase(real.begin() + static_cast<std::ptrdiff_t>(std::max(one, other)));
        real.erase(real.begin() + static_cast<std::ptrdiff_t>(std::min(one, other)));
    };
    while (real.size() > 1 && real.back() > 0.0) {
        std::size_t partner = 0;
        for (std::size_t i = 1; i + 1 < real.size(); ++i)
            if (-real[i] >= same_size * real.back()) partner = i;
        pair_up(real.size() - 1, partner);
    }
    while (real.size() > 1) pair_up(0, real.size() - 1);
}

}  // namespace

double Mode::frequency_rad_s() const {
    return square_rad2_s2 < 0.0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(square_rad2_s2);
}

std::optional<Roots> roots_of(const LinearEquations& equations) {
    const Matrix all_masses = as_matrix(equations.mass);
    if (!(all_masses.diagonal().array() > 0.0).all()) return std::nullopt;
    const Eigen::VectorXd scale = all_masses.diagonal().array().sqrt().inverse();
    const auto scaled = [&](const DenseMatrix& a) -> Matrix {
        return scale.asDiagonal() * as_matrix(a) * scale.asDiagonal();
    };
    const Matrix rows = (as_matrix(equations.gradient) * scale.asDiagonal()).rowwise().normalized();
    const Matrix along = null_space(rows, same_row);
    if (along.cols() == 0) return Roots{};
    const Matrix mass = between(along, scaled(equations.mass));
    const Eigen::LLT<Matrix> factor(mass);
    const Eigen::ArrayXd pivots = factor.matrixLLT().diagonal().array();
    if (factor.info() != Eigen::Success || !(pivots.square() > no_mass * mass.diagonal().array()).all())
        return std::nullopt;
    const auto reduced = [&](const DenseMatrix& a) -> Matrix {
        const Matrix left = factor.matrixL().solve(between(along, scaled(a)));
        return factor.matrixL().solve(left.transpose()).transpose();
    };
    const Matrix damping = reduced(equations.damping), stiffness = reduced(equations.stiffness);
    const double tolerance = no_stiffness * std::max(largest_size(stiffness), equations.stiffness_scale);
    const Matrix rigid = null_space(stiffness, tolerance);
    const auto count = static_cast<std::size_t>(rigid.cols());
    if (largest_size(damping) > 0.0) return damped(damping, stiffness, rigid, tolerance);
    if (is_symmetric(stiffness)) {
        const Eigen::VectorXd squares =
            Eigen::SelfAdjointEigenSolver<Matrix>(stiffness, Eigen::EigenvaluesOnly).eigenvalues();
        return undamped({squares.begin(), squares.end()}, count);
    }
    const auto squares = eigenvalues(stiffness);
    return squares ? std::optional(undamped(*squares, count)) : std::nullopt;
}

Modes modes_of(const Roots& roots) {
    Modes found;
    std::vector<double> real;
    std::size_t zeros = 0;
    found.stability = roots.rigid_modes > 0 ? Stability::free : Stability::stable;
    for (const std::complex<double>& root : roots.values) {
        if (root.imag() > 0.0)
            found.modes.push_back(mode_of(root.real() * root.real() + root.imag() * root.imag(), 2.0 * root.real()));
        if (root.imag() == 0.0) real.push_back(root.real());
        zeros += root == 0.0 ? 1 : 0;
        const bool grows = root.imag() == 0.0 ? root.real() > 0.0 : root.real() > least_growth * size_of(root);
        if (grows) found.stability = Stability::unstable;
    }
    std::sort(real.begin(), real.end());
    for (std::size_t both = roots.rigid_modes; both < zeros; ++both) {
        found.modes.push_back(mode_of(0.0, 0.0));
        const auto zero = std::find(real.begin(), real.end(), 0.0);
        real.erase(zero, zero + 2);
    }
    pair_real_roots(std::move(real), found.modes);
    std::sort(found.modes.begin(), found.modes.end(), [](const Mode& a, const Mode& b) {
        return a.square_rad2_s2 < b.square_rad2_s2 ||
               (a.square_rad2_s2 == b.square_rad2_s2 && a.damping_ratio < b.damping_ratio);
    });
    return found;
}

}  // namespace myriad::mechanism
