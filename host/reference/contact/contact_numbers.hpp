// The numbers in which contact problems are solved, and what of them is round-off.
#pragma once
#include <Eigen/Core>
#include <cmath>

namespace myriad::reference {

using ContactNumber = long double;
using ContactMatrix = Eigen::Matrix<ContactNumber, Eigen::Dynamic, Eigen::Dynamic>;
using ContactVector = Eigen::Matrix<ContactNumber, Eigen::Dynamic, 1>;

// A share of the largest entry: an equation with a smaller pivot depends on the others.
inline constexpr ContactNumber dependent_pivot = 1e-13L;

// A velocity of a contact below this share of its terms is zero.
inline constexpr double velocity_noise = 1e-14;

// A load of a contact below this share of the next one is none.
inline constexpr double no_load = 1e-12;

// The velocities w v of contacts, those that are noise set to zero.
inline Eigen::VectorXd without_noise(const Eigen::MatrixXd& w, const Eigen::VectorXd& v) {
    Eigen::VectorXd u = w * v;
    const Eigen::VectorXd noise = velocity_noise * (w.cwiseAbs() * v.cwiseAbs());
    for (Eigen::Index i = 0; i < u.size(); ++i)
        if (std::abs(u[i]) <= noise[i]) u[i] = 0.0;
    return u;
}

}  // namespace myriad::reference
