#include "host/mechanism/linear/modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/mechanism/linear/eigenvalues.hpp"

namespace myriad::mechanism {

namespace {

constexpr double no_stiffness = 1e-12;    // as a share: round-off of sums of some terms
constexpr double same_row = 1e-9;         // rows of length 1 whose rest is shorter depend on others
constexpr double unsymmetric = 1e-10;     // as a share: a correction of the equilibrium leaves 1e-11
constexpr double least_growth = 1e-9;     // of a complex root, as a share of its size
constexpr double same_size = 1.0 - 1e-6;  // of a root that grows and the one that decays with it

double size_of(const std::complex<double>& root) {
    return std::sqrt(root.real() * root.real() + root.imag() * root.imag());
}

// Columns and, where `both`, rows divided by the square roots of the masses.
DenseMatrix scaled(DenseMatrix a, const std::vector<double>& scale, bool both) {
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k) a(i, k) *= both ? scale[i] * scale[k] : scale[k];
    return a;
}

void give_rows_length_1(DenseMatrix& a) {
    for (std::size_t i = 0; i < a.rows; ++i) {
        double square = 0.0;
        for (std::size_t k = 0; k < a.columns; ++k) square += a(i, k) * a(i, k);
        const double length = std::sqrt(square);
        for (std::size_t k = 0; k < a.columns && length > 0.0; ++k) a(i, k) /= length;
    }
}

DenseMatrix between(const DenseMatrix& basis, const DenseMatrix& a) {
    return product(transposed(basis), product(a, basis));
}

bool is_symmetric(const DenseMatrix& a) {
    double difference = 0.0;
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t k = 0; k < i; ++k) difference = std::max(difference, std::abs(a(i, k) - a(k, i)));
    return difference <= unsymmetric * largest_size(a);
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

std::optional<Roots> damped(const DenseMatrix& damping, const DenseMatrix& stiffness, const DenseMatrix& rigid,
                            double tolerance) {
    const std::size_t n = stiffness.rows;
    const double rate = std::sqrt(std::max(largest_size(stiffness), tolerance));
    DenseMatrix first_order(2 * n, 2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        first_order(i, n + i) = rate > 0.0 ? rate : 1.0;
        for (std::size_t k = 0; k < n; ++k) {
            first_order(n + i, k) = rate > 0.0 ? -stiffness(i, k) / rate : 0.0;
            first_order(n + i, n + k) = -damping(i, k);
        }
    }
    auto values = eigenvalues(std::move(first_order));
    if (!values) return std::nullopt;
    Roots roots{std::move(*values), rigid.columns};
    // A rigid mode that nothing damps has two roots 0.
    const std::size_t undamped_rigid =
        rigid.columns == 0 ? 0 : null_space(between(rigid, damping), no_stiffness * largest_size(damping)).columns;
    std::sort(roots.values.begin(), roots.values.end(),
              [](const auto& a, const auto& b) { return size_of(a) < size_of(b); });
    std::fill_n(roots.values.begin(), static_cast<std::ptrdiff_t>(rigid.columns + undamped_rigid), 0.0);
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
    const std::size_t count = equations.mass.rows;
    std::vector<double> scale(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!(equations.mass(i, i) > 0.0)) return std::nullopt;
        scale[i] = 1.0 / std::sqrt(equations.mass(i, i));
    }
    DenseMatrix rows = scaled(equations.gradient, scale, false);
    give_rows_length_1(rows);
    const DenseMatrix along = null_space(rows, same_row);
    if (along.columns == 0) return Roots{};
    DenseMatrix mass = between(along, scaled(equations.mass, scale, true));
    if (!factor_cholesky(mass)) return std::nullopt;
    const DenseMatrix damping = transformed_by_inverse(mass, between(along, scaled(equations.damping, scale, true))),
                      stiffness =
                          transformed_by_inverse(mass, between(along, scaled(equations.stiffness, scale, true)));
    const double tolerance = no_stiffness * std::max(largest_size(stiffness), equations.stiffness_scale);
    const DenseMatrix rigid = null_space(stiffness, tolerance);
    if (largest_size(damping) > 0.0) return damped(damping, stiffness, rigid, tolerance);
    if (is_symmetric(stiffness)) {
        const std::vector<double> squares = symmetric_eigenvalues(stiffness);
        return undamped({squares.begin(), squares.end()}, rigid.columns);
    }
    const auto squares = eigenvalues(stiffness);
    return squares ? std::optional(undamped(*squares, rigid.columns)) : std::nullopt;
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
