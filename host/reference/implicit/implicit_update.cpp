#include "host/reference/implicit/implicit_update.hpp"

#include <algorithm>

#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::VectorXd;

std::vector<std::string> implicit_methods() { return {"implicit_euler", "generalized_alpha"}; }

bool is_implicit_method(const std::string& name) {
    const std::vector<std::string> names = implicit_methods();
    return std::find(names.begin(), names.end(), name) != names.end();
}

AlphaNumbers alpha_numbers(double spectral_radius) {
    const double r = spectral_radius, alpha_m = (2.0 * r - 1.0) / (r + 1.0), alpha_f = r / (r + 1.0);
    const double gamma = 0.5 + alpha_f - alpha_m;
    return {alpha_m, alpha_f, gamma, 0.25 * (gamma + 0.5) * (gamma + 0.5)};
}

ImplicitUpdate implicit_update(const std::string& method, double spectral_radius, double h, const VectorXd& rates,
                               const VectorXd& second_rates, const VectorXd& algorithmic) {
    if (!is_implicit_method(method))
        throw UserError(ExitCode::usage_or_input, "integrator " + method, "there is no such implicit method",
                        "the methods are: implicit_euler, generalized_alpha");
    if (method == "implicit_euler") return {h * rates, rates, VectorXd::Zero(rates.size()), h * h, h, 1.0};
    const auto [alpha_m, alpha_f, gamma, beta] = alpha_numbers(spectral_radius);
    // A+ = start + slope s+
    const double slope = (1.0 - alpha_f) / (1.0 - alpha_m);
    const VectorXd start = (alpha_f * second_rates - alpha_m * algorithmic) / (1.0 - alpha_m);
    return {h * rates + h * h * ((0.5 - beta) * algorithmic + beta * start),
            rates + h * ((1.0 - gamma) * algorithmic + gamma * start),
            start,
            h * h * beta * slope,
            h * gamma * slope,
            slope};
}

}  // namespace myriad::reference
