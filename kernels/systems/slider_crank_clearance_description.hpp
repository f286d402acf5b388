// What the slider-crank with clearance tells people about its parameters and channels; see slider_crank_clearance.hpp.
// Defaults: nonsmooth Table 1. Host only.
#pragma once
#include "kernels/description.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct SliderCrankClearanceDescription {
    static constexpr ParameterDescription parameters[] = {
        {"crank.length_m", "m", 0.153, "length of the crank"},
        {"rod.length_m", "m", 0.306, "length of the rod"},
        {"slider.half_length_m", "m", 0.05, "half the length of the slider, along the slot"},
        {"slider.half_height_m", "m", 0.025, "half its height"},
        {"clearance_m", "m", 0.001, "between the slider and either wall of the slot; 0: held without clearance"},
        {"crank.mass_kg", "kg", 0.038, "mass of the crank"},
        {"rod.mass_kg", "kg", 0.038, "mass of the rod"},
        {"slider.mass_kg", "kg", 0.076, "mass of the slider"},
        {"crank.inertia_kg_m2", "kg m^2", 7.4e-5, "of the crank about its middle"},
        {"rod.inertia_kg_m2", "kg m^2", 5.9e-4, "of the rod about its middle"},
        {"slider.inertia_kg_m2", "kg m^2", 2.7e-6, "of the slider about its middle"},
        {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -y"},
        {"crank.torque_N_m", "N m", 0.0, "constant torque on the crank"},
        {"friction", "1", 0.01, "coefficient of Coulomb's friction at each corner"},
        {"normal_restitution", "1", 0.4, "Newton's coefficient of restitution, normal"},
        {"tangential_restitution", "1", 0.0, "the same, tangential"},
        {"initial_angle_rad[0]", "rad", 0.0, "initial angle of the crank from the slot's axis x"},
        {"initial_angle_rad[1]", "rad", 0.0, "the same, rod"},
        {"initial_angle_rad[2]", "rad", 0.0, "the same, slider"},
        {"initial_rate_rad_s[0]", "rad/s", 150.0, "initial rate of the crank"},
        {"initial_rate_rad_s[1]", "rad/s", -75.0, "the same, rod"},
        {"initial_rate_rad_s[2]", "rad/s", 0.0, "the same, slider"},
    };
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "middle of the crank, the rod, the slider"},
        {"orientation", "1", "body to world", "w x y z", true, "about z"},
        {"velocity", "m/s", "world", "x y z", true, "velocity"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity"},
        {"angle", "rad", "", "x y z", false, "of crank, rod and slider"},
        {"rate", "rad/s", "", "x y z", false, "its rate"},
        {"energy", "J", "", "", false, "kinetic and potential energy, with the torque's"},
    };
};

}  // namespace myriad::inline MYRIAD_VARIANT
