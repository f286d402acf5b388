// The systems and the four-bar loop of facts D, for the energy-momentum integrators.
#pragma once
#include "tests/reference/mechanism_models.hpp"
#include "tests/reference/models.hpp"

namespace myriad::reference {

// Which factor of the potential: the facts (D.1) have both.
constexpr double factor_of_the_code = 0.5, factor_of_the_paper = 0.25;

// Facts D.1.
inline Parameters two_masses_on_springs(double potential_factor) {
    Parameters parameters{{"mass_kg[0]", 2.0},
                          {"mass_kg[1]", 1.0},
                          {"stiffness_N_m[0]", 1.0},
                          {"stiffness_N_m[1]", 3.0},
                          {"rest_length_m[0]", 1.0},
                          {"rest_length_m[1]", 1.0},
                          {"width_m", 0.1},
                          {"potential_factor", potential_factor},
                          {"initial_elongation_m[0]", 0.0},
                          {"initial_elongation_m[1]", 0.0}};
    set_vector(parameters, "initial_rate_m_s", {1.0, 1.0, -1.0});
    return parameters;
}

// Facts D.2.
inline Parameters swinging_spring() {
    return {{"mass_kg", 1.0},
            {"axial_stiffness_N_m", 300.0},
            {"rest_length_m", 1.0},
            {"initial_length_m", 1.05},
            {"initial_angle_rad[0]", 0.5 * std::numbers::pi},
            {"initial_angle_rad[1]", 0.0},
            {"initial_length_rate_m_s", 0.0},
            {"initial_rate_rad_s[0]", 1.0},
            {"initial_rate_rad_s[1]", 1.0}};
}

inline Settings steps_of_livens(double end_s, double step_s) {
    Settings settings = fixed_steps(end_s, step_s);
    settings.most_newton_iterations = 40;  // facts D
    return settings;
}

}  // namespace myriad::reference
