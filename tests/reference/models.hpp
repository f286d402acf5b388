// The parameter sets of the facts (A.1, D.3, D.4), and one body without any symmetry.
#pragma once
#include <cmath>
#include <numbers>

#include "host/reference/run_reference.hpp"
#include "host/validation/runs/reference_values.hpp"

namespace myriad::reference {

inline Eigen::Vector3d vector_of(const reference_values::Values<3>& values) { return Eigen::Vector3d(values.data()); }

inline void set_vector(Parameters& parameters, const std::string& name, const Eigen::Vector3d& value) {
    for (int i = 0; i < 3; ++i) parameters[name + "[" + std::to_string(i) + "]"] = value[i];
}

inline void set_principal_inertia(Parameters& parameters, const Eigen::Vector3d& value) {
    parameters["inertia_kg_m2.xx"] = value[0];
    parameters["inertia_kg_m2.yy"] = value[1];
    parameters["inertia_kg_m2.zz"] = value[2];
}

// Facts A.1.
inline Parameters fast_top() {
    Parameters parameters{{"mass_kg", 15.0}};
    set_vector(parameters, "centre_of_mass_m", {0.0, 1.0, 0.0});
    set_principal_inertia(parameters, {0.234375, 0.46875, 0.234375});
    parameters["gravity_m_s2"] = 9.81;
    set_vector(parameters, "initial_angular_velocity_rad_s", {0.0, 150.0, -4.61538});
    return parameters;
}

// Facts D.4.
struct SteadyPrecession {
    static constexpr double centre_height = 0.075, nutation = std::numbers::pi / 3, precession_rate = 10.0;

    static Parameters parameters() {
        const double height = 0.1, radius = 0.05;
        const double mass = 2700.0 * std::numbers::pi * radius * radius * height / 3.0;
        const double about_centre = 0.3 * mass * radius * radius;
        Parameters parameters{{"mass_kg", mass}};
        set_vector(parameters, "centre_of_mass_m", {0.0, 0.0, centre_height});
        set_principal_inertia(parameters, Eigen::Vector3d::Constant(about_centre));
        parameters["gravity_m_s2"] = 9.81;
        set_vector(parameters, "initial_rotation_vector_rad", {nutation, 0.0, 0.0});
        set_vector(parameters, "initial_angular_velocity_rad_s",
                   {0.0, precession_rate * std::sin(nutation), precession_rate * std::cos(nutation) + spin_rate()});
        return parameters;
    }
    // Livens eq. 118, with the transverse moment about the tip that the facts (D.4, misprint) give.
    static double spin_rate() {
        const double mass = 2700.0 * std::numbers::pi * 0.05 * 0.05 * 0.1 / 3.0;
        const double axial = 0.3 * mass * 0.05 * 0.05, transverse = axial + mass * centre_height * centre_height;
        return mass * 9.81 * centre_height / (axial * precession_rate) +
               (transverse - axial) / axial * precession_rate * std::cos(nutation);
    }
    static Eigen::Matrix3d orientation(double time_s) {
        using Eigen::AngleAxisd, Eigen::Vector3d;
        return (AngleAxisd(precession_rate * time_s, Vector3d::UnitZ()) * AngleAxisd(nutation, Vector3d::UnitX()) *
                AngleAxisd(spin_rate() * time_s, Vector3d::UnitZ()))
            .toRotationMatrix();
    }
    // Livens eq. 120.
    static Eigen::Vector3d position(double time_s) {
        const double angle = precession_rate * time_s;
        return centre_height * Eigen::Vector3d(std::sin(nutation) * std::sin(angle),
                                               -std::sin(nutation) * std::cos(angle), std::cos(nutation));
    }
};

// Facts D.3; the mass is not given there and does not matter.
inline Parameters free_rotation() {
    Parameters parameters{{"mass_kg", 1.0}};
    set_principal_inertia(parameters, {6.0, 8.0, 3.0});
    set_vector(parameters, "initial_angular_velocity_rad_s", {10.0, 20.0, 20.0});
    return parameters;
}

inline void set_general_inertia(Parameters& parameters) {
    set_principal_inertia(parameters, {0.9, 1.3, 0.7});
    parameters["inertia_kg_m2.xy"] = 0.11;
    parameters["inertia_kg_m2.xz"] = -0.07;
    parameters["inertia_kg_m2.yz"] = 0.05;
}

// No axis of anything along an axis of anything else.
inline Parameters general_top() {
    Parameters parameters{{"mass_kg", 2.5}};
    set_general_inertia(parameters);
    set_vector(parameters, "centre_of_mass_m", {0.2, -0.3, 0.5});
    parameters["gravity_m_s2"] = 9.3;
    set_vector(parameters, "initial_rotation_vector_rad", {0.4, -0.8, 0.3});
    set_vector(parameters, "initial_angular_velocity_rad_s", {3.0, -2.0, 5.0});
    return parameters;
}

inline Parameters general_free_body() {
    Parameters parameters{{"mass_kg", 2.5}};
    set_general_inertia(parameters);
    set_vector(parameters, "gravity_m_s2", {1.0, -2.0, -9.0});
    set_vector(parameters, "initial_position_m", {0.3, 0.1, -2.0});
    set_vector(parameters, "initial_rotation_vector_rad", {0.4, -0.8, 0.3});
    set_vector(parameters, "initial_velocity_m_s", {1.0, 4.0, 7.0});
    set_vector(parameters, "initial_angular_velocity_rad_s", {3.0, -2.0, 5.0});
    return parameters;
}

inline Settings fixed_steps(double end_s, double step_s, const std::string& chart = "rotation") {
    Settings settings;
    settings.end_s = end_s;
    settings.step_s = step_s;
    settings.chart = chart;
    return settings;
}

inline Eigen::Vector3d world_angular_velocity(const Result& result) {
    return result.final_configuration.orientation * result.final_velocity.tail<3>();
}

}  // namespace myriad::reference
