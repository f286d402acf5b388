// The parameters that slider-cranks with clearance have in common: those of the bodies, and after those that a flexible
// rod adds, of what acts on them and where they start. Defaults: nonsmooth Table 1.
#pragma once
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/system/parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct SliderCrankBodies {
    using Real = R;
    Real crank_length, rod_length, half_length, half_height, clearance;
    Vec<3, Real> masses, inertias;  // of crank, rod and slider

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(crank_length, {"crank.length_m", "m", 0.153, "length of the crank"});
        visit(rod_length, {"rod.length_m", "m", 0.306, "length of the rod, undeformed"});
        visit(half_length, {"slider.half_length_m", "m", 0.05, "half the length of the slider, along the slot"});
        visit(half_height, {"slider.half_height_m", "m", 0.025, "half its height"});
        visit(clearance,
              {"clearance_m", "m", 0.001, "between the slider and either wall of the slot; 0: held without clearance"});
        visit(masses[0], {"crank.mass_kg", "kg", 0.038, "mass of the crank"});
        visit(masses[1], {"rod.mass_kg", "kg", 0.038, "mass of the rod, the same per length everywhere"});
        visit(masses[2], {"slider.mass_kg", "kg", 0.076, "mass of the slider"});
        visit(inertias[0], {"crank.inertia_kg_m2", "kg m^2", 7.4e-5, "of the crank about its middle"});
        visit(inertias[1], {"rod.inertia_kg_m2", "kg m^2", 5.9e-4, "of the rod, undeformed, about its middle"});
        visit(inertias[2], {"slider.inertia_kg_m2", "kg m^2", 2.7e-6, "of the slider about its middle"});
    }
};

template <class R>
struct SliderCrankMotion {
    using Real = R;
    Real gravity, torque;
    ContactLaw<Real> law;
    Vec<3, Real> initial_angles, initial_rates;  // of crank, rod and slider

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -y"});
        visit(torque, {"crank.torque_N_m", "N m", 0.0, "constant torque on the crank"});
        visit(law.friction, {"friction", "1", 0.01, "coefficient of Coulomb's friction at each corner"});
        visit(law.normal_restitution, {"normal_restitution", "1", 0.4, "Newton's coefficient of restitution, normal"});
        visit(law.tangential_restitution,
              {"tangential_restitution", "1", 0.0, "Newton's coefficient of restitution, tangential"});
        visit(initial_angles[0],
              {"initial_angle_rad[0]", "rad", 0.0, "initial angle of the crank from the slot's axis x"});
        visit(initial_angles[1], {"initial_angle_rad[1]", "rad", 0.0, "initial angle of the rod, undeformed"});
        visit(initial_angles[2], {"initial_angle_rad[2]", "rad", 0.0, "initial angle of the slider"});
        visit(initial_rates[0], {"initial_rate_rad_s[0]", "rad/s", 150.0, "initial rate of the crank"});
        visit(initial_rates[1], {"initial_rate_rad_s[1]", "rad/s", -75.0, "initial rate of the rod, undeformed"});
        visit(initial_rates[2], {"initial_rate_rad_s[2]", "rad/s", 0.0, "initial rate of the slider"});
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
