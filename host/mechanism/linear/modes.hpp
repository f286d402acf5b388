// The modes of linear equations M x'' + D x' + K x + J^T mu = 0, J x = 0, of an equilibrium.
//
//   coordinates   x = S Z y: S = diag(1 / sqrt(M_ii)), Z an orthonormal basis of the null space of J S
//   reduced       y'' + D y' + K y = 0: by the Cholesky factor of Z^T S M S Z
//   roots         lambda: y = Y e^(lambda t), 2 n of them; without damping lambda^2 = -mu, K y = mu y
//   mode          two roots l, l': omega^2 = l l', zeta = -(l + l') / (2 omega)
//
// A complex root and its conjugate are a mode. Real roots: each positive one with the negative one next in size (a
// motion that grows away), the fastest of the others with the slowest, and so on: exact where there is one pair, and
// with damping alpha M + beta K. A rigid mode is a freedom without stiffness, omega = 0. Modes stand in the order of
// omega^2, first those that grow away, whose omega^2 is negative. Units: rad/s.
// Not handled: roots of different modes that meet in one point of the real axis tell two modes less well.
#pragma once
#include <complex>
#include <optional>
#include <vector>

#include "host/mechanism/linear/matrix.hpp"

namespace myriad::mechanism {

struct LinearEquations {
    DenseMatrix mass, damping, stiffness, gradient;
    double stiffness_scale =
        0.0;  // (rad/s)^2: below 1e-12 of it, or of the largest omega^2, a freedom has no stiffness
};

struct Roots {
    std::vector<std::complex<double>> values;  // 1/s; those of rigid modes exactly 0
    std::size_t rigid_modes = 0;
};

struct Mode {
    double square_rad2_s2 = 0.0;     // omega^2; negative: it grows away
    double damping_ratio = 0.0;      // NaN where omega^2 is not positive
    double frequency_rad_s() const;  // NaN where it grows away
};

enum class Stability { none, stable, free, unstable };
inline constexpr const char* stability_names[] = {"none", "stable", "free", "unstable"};

struct Modes {
    Stability stability = Stability::none;  // none: no modes
    std::vector<Mode> modes;
};

// Nothing where the mass is not positive on the constraints, or the roots were not found.
std::optional<Roots> roots_of(const LinearEquations& equations);
Modes modes_of(const Roots& roots);

}  // namespace myriad::mechanism
