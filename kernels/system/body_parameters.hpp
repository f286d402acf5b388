// Parameters that every rigid body has, each told once: see parameters.hpp.
#pragma once
#include "kernels/system/parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// About the centre of mass, body axes; the default has the principal moments xx, yy and zz, kg m^2.
template <class Visit, class Real>
MYRIAD_HD constexpr void describe_inertia(Visit& visit, Symmetric3<Real>& inertia, double xx, double yy, double zz) {
    visit(inertia.xx,
          {"inertia_kg_m2.xx", "kg m^2", xx, "moment of inertia about the body axis x through the centre of mass"});
    visit(inertia.yy,
          {"inertia_kg_m2.yy", "kg m^2", yy, "moment of inertia about the body axis y through the centre of mass"});
    visit(inertia.zz,
          {"inertia_kg_m2.zz", "kg m^2", zz, "moment of inertia about the body axis z through the centre of mass"});
    visit(inertia.xy,
          {"inertia_kg_m2.xy", "kg m^2", 0.0, "element xy of the inertia matrix: minus the product of inertia"});
    visit(inertia.xz,
          {"inertia_kg_m2.xz", "kg m^2", 0.0, "element xz of the inertia matrix: minus the product of inertia"});
    visit(inertia.yz,
          {"inertia_kg_m2.yz", "kg m^2", 0.0, "element yz of the inertia matrix: minus the product of inertia"});
}

// The orientation is exp of this vector.
template <class Visit, class Real>
MYRIAD_HD constexpr void describe_initial_rotation_vector(Visit& visit, Vec<3, Real>& vector) {
    visit(vector[0],
          {"initial_rotation_vector_rad[0]", "rad", 0.0, "initial orientation, body to world: exp of this vector, x"});
    visit(vector[1],
          {"initial_rotation_vector_rad[1]", "rad", 0.0, "initial orientation, body to world: exp of this vector, y"});
    visit(vector[2],
          {"initial_rotation_vector_rad[2]", "rad", 0.0, "initial orientation, body to world: exp of this vector, z"});
}

// With the defaults x, y and z, rad/s.
template <class Visit, class Real>
MYRIAD_HD constexpr void describe_initial_angular_velocity(Visit& visit, Vec<3, Real>& velocity, double x, double y,
                                                           double z) {
    visit(velocity[0], {"initial_angular_velocity_rad_s[0]", "rad/s", x, "initial angular velocity, body frame, x"});
    visit(velocity[1], {"initial_angular_velocity_rad_s[1]", "rad/s", y, "initial angular velocity, body frame, y"});
    visit(velocity[2], {"initial_angular_velocity_rad_s[2]", "rad/s", z, "initial angular velocity, body frame, z"});
}

}  // namespace myriad::inline MYRIAD_VARIANT
