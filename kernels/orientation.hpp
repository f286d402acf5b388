// How a system holds an orientation: on the group itself, or on a chart. A system is written once, for the rotation and
// the angular velocity in the body frame; its chart turns its own coordinates and rates into these and back.
//
//   RotationGroup   q in S3, velocity w;        q(u) = q exp(u),   u' = T_exp(u)^-1 w           lgim eqs. 24, 25
//
// A chart offers, for its coordinates q and velocity v:
//   retract(q, u)            the configuration reached from q by the local coordinates u
//   local_rate(q, u, v)      u' at retract(q, u)
//   rotation(q)              body to world;  angular_velocity(q, v) in the body frame, rad/s
//   acceleration(q, v, w')   v' from the angular acceleration w' in the body frame
//   start(rotation, w)       coordinates and velocity of an initial state
//   settle(q)                removes the drift of round-off after a step
//   reach(u)                 |u|^2 where retract is a series valid up to largest_step_rotation_rad only, 0 elsewhere
//   regular(q)               false where the chart is too close to a singularity of its own
#pragma once
#include "kernels/rotation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct RotationGroup {
    using Real = R;
    using Coordinates = Rotation<Real>;
    using Velocity = Vec<3, Real>;

    static MYRIAD_HD Coordinates retract(const Coordinates& q, const Vec<3, Real>& u) { return q * exp(u); }
    static MYRIAD_HD Vec<3, Real> local_rate(Coordinates, Vec<3, Real> u, Velocity v) { return tangent_inverse(u, v); }
    static MYRIAD_HD Rotation<Real> rotation(Coordinates q) { return q; }
    static MYRIAD_HD Vec<3, Real> angular_velocity(Coordinates, Velocity v) { return v; }
    static MYRIAD_HD Velocity acceleration(Coordinates, Velocity, Vec<3, Real> angular_acceleration) {
        return angular_acceleration;
    }
    static MYRIAD_HD void start(Rotation<Real> rotation, Vec<3, Real> angular_velocity, Coordinates& q, Velocity& v) {
        q = rotation, v = angular_velocity;
    }
    static MYRIAD_HD Coordinates settle(Coordinates q) { return renormalized(q); }
    static MYRIAD_HD Real reach(Vec<3, Real> u) { return dot(u, u); }
    static MYRIAD_HD MaskOf<Real> regular(Coordinates) { return true_mask<Real>(); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
