// How the coordinates at the end of a step of an implicit method follow from the second rates s+ there.
//
//   implicit_euler      w+ = w + h s+,   increment = h w+
//   generalized_alpha   (1 - alpha_m) A+ + alpha_m A = (1 - alpha_f) s+ + alpha_f s
//                       w+ = w + h ((1 - gamma) A + gamma A+),  increment = h w + h^2 ((1/2 - beta) A + beta A+)
//                       r = spectral radius: alpha_m = (2 r - 1) / (r + 1), alpha_f = r / (r + 1),
//                       gamma = 1/2 + alpha_f - alpha_m, beta = (gamma + 1/2)^2 / 4; at the start A = s, or
//                       implicit_start.hpp
//
// w, s, A: rates, second rates and algorithmic second rates of the coordinates at the step's start. Source: lgim eqs.
// 33 to 43; Arnold, Bruels 2007; rA paper eqs. 32, 33.
#pragma once
#include <Eigen/Dense>
#include <string>
#include <vector>

namespace myriad::reference {

std::vector<std::string> implicit_methods();
bool is_implicit_method(const std::string& name);

// The numbers of generalized_alpha.
struct AlphaNumbers {
    double alpha_m, alpha_f, gamma, beta;
};
AlphaNumbers alpha_numbers(double spectral_radius);

// increment = increment_start + increment_slope s+, and the same of the rates and of A+.
struct ImplicitUpdate {
    Eigen::VectorXd increment_start, rates_start, algorithmic_start;
    double increment_slope, rates_slope, algorithmic_slope;
};

// Throws UserError for an unknown name.
ImplicitUpdate implicit_update(const std::string& method, double spectral_radius, double h,
                               const Eigen::VectorXd& rates, const Eigen::VectorXd& second_rates,
                               const Eigen::VectorXd& algorithmic);

}  // namespace myriad::reference
