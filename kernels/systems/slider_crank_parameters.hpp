// The common part of the descriptions of the slider-cranks with clearance: the parameters of the bodies, then, after
// those of a flexible rod, loads and initial state. Defaults: nonsmooth Table 1. Host only.
#pragma once
#include "kernels/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct SliderCrankParameters {
    static constexpr ParameterDescription of_bodies[] = {
        {"crank.length_m", "m", 0.153, "length of the crank"},
        {"rod.length_m", "m", 0.306, "length of the rod, undeformed"},
        {"slider.half_length_m", "m", 0.05, "half the length of the slider, along the slot"},
        {"slider.half_height_m", "m", 0.025, "half its height"},
        {"clearance_m", "m", 0.001, "between the slider and either wall of the slot; 0: held without clearance"},
        {"crank.mass_kg", "kg", 0.038, "mass of the crank"},
        {"rod.mass_kg", "kg", 0.038, "mass of the rod, the same per length everywhere"},
        {"slider.mass_kg", "kg", 0.076, "mass of the slider"},
        {"crank.inertia_kg_m2", "kg m^2", 7.4e-5, "of the crank about its middle"},
        {"rod.inertia_kg_m2", "kg m^2", 5.9e-4, "of the rod, undeformed, about its middle"},
        {"slider.inertia_kg_m2", "kg m^2", 2.7e-6, "of the slider about its middle"},
    };
    static constexpr ParameterDescription of_motion[] = {
        {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -y"},
        {"crank.torque_N_m", "N m", 0.0, "constant torque on the crank"},
        {"friction", "1", 0.01, "coefficient of Coulomb's friction at each corner"},
        {"normal_restitution", "1", 0.4, "Newton's coefficient of restitution, normal"},
        {"tangential_restitution", "1", 0.0, "Newton's coefficient of restitution, tangential"},
        {"initial_angle_rad[0]", "rad", 0.0, "initial angle of the crank from the slot's axis x"},
        {"initial_angle_rad[1]", "rad", 0.0, "initial angle of the rod, undeformed"},
        {"initial_angle_rad[2]", "rad", 0.0, "initial angle of the slider"},
        {"initial_rate_rad_s[0]", "rad/s", 150.0, "initial rate of the crank"},
        {"initial_rate_rad_s[1]", "rad/s", -75.0, "initial rate of the rod, undeformed"},
        {"initial_rate_rad_s[2]", "rad/s", 0.0, "initial rate of the slider"},
    };
};

}  // namespace myriad::inline MYRIAD_VARIANT
