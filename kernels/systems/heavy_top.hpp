// A rigid body with one point fixed at the origin, under gravity g along -z (world).
//
//   J_O w' = X x R^T (-m g e3) - w x J_O w    w: angular velocity, body frame;  X: centre of mass, body frame
//   J_O    = J + m (|X|^2 I - X X^T)          J: inertia about the centre of mass, body axes
//   energy = w . J_O w / 2 + m g e3 . R X     L = R J_O w: angular momentum about the fixed point, world
//
// Source: lgim sect. 4.1.1; defaults from its Table 3. The exact motion keeps the energy and L_z; of the methods here
// none keeps them exactly, so their drift measures the error. Not handled: friction at the fixed point.
#pragma once
#include "kernels/lagrangian/quaternion_body.hpp"
#include "kernels/math/elementary.hpp"
#include "kernels/orientation/short_maps.hpp"
#include "kernels/system/body_parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct HeavyTopParameters {
    using Real = R;
    Real mass, gravity;
    Vec<3, Real> centre, initial_rotation_vector, initial_angular_velocity;
    Symmetric3<Real> inertia;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass, {"mass_kg", "kg", 15.0, "mass"});
        visit(centre[0], {"centre_of_mass_m[0]", "m", 0.0, "centre of mass from the fixed point, body frame, x"});
        visit(centre[1], {"centre_of_mass_m[1]", "m", 1.0, "centre of mass from the fixed point, body frame, y"});
        visit(centre[2], {"centre_of_mass_m[2]", "m", 0.0, "centre of mass from the fixed point, body frame, z"});
        describe_inertia(visit, inertia, 0.234375, 0.46875, 0.234375);
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -z"});
        describe_initial_rotation_vector(visit, initial_rotation_vector);
        describe_initial_angular_velocity(visit, initial_angular_velocity, 0.0, 150.0, -4.61538);
    }
};

template <class R, template <class> class ChartOf>
struct HeavyTop {
    using Real = R;
    using Chart = ChartOf<Real>;
    using Maps = ShortMaps<Chart>;
    using Configuration = typename Chart::Coordinates;
    using Velocity = typename Chart::Rates;
    static constexpr int freedoms = 3, invariant_count = 2, bodies = 1, channel_count = 18;
    using NamedParameters = HeavyTopParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr bool has_orientation = true;
    static constexpr const char* name = "heavy_top";

    Vec<3, Real> centre;               // X, m
    Vec<3, Real> twice_weight_moment;  // 2 m g X, N m: up/2 costs less than up
    Symmetric3<Real> inertia;          // J_O, kg m^2
    Symmetric3<Real> inverse_inertia;  // J_O^-1

    static MYRIAD_HD Prepared<HeavyTop> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const Real mass = p.mass;
        const Vec<3, Real> c = p.centre;
        Symmetric3<Real> j = p.inertia;
        const Real square = dot(c, c);
        j.xx = fma(mass, square - c[0] * c[0], j.xx), j.yy = fma(mass, square - c[1] * c[1], j.yy),
        j.zz = fma(mass, square - c[2] * c[2], j.zz);
        j.xy = fma(-mass, c[0] * c[1], j.xy), j.xz = fma(-mass, c[0] * c[2], j.xz),
        j.yz = fma(-mass, c[1] * c[2], j.yz);
        return {{c, (Real(2.0) * (mass * p.gravity)) * c, j, inverse(j)},
                body_reason(values, mass, p.inertia, j),
                inertia_warning(p.inertia)};
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        Chart::start(exp_any(p.initial_rotation_vector), p.initial_angular_velocity, q, v);
    }

    static MYRIAD_HD Configuration retract(const Configuration& q, const Velocity& u) { return Chart::retract(q, u); }
    static MYRIAD_HD Velocity local_rate(const Configuration& q, const Velocity& u, const Velocity& v) {
        return Chart::local_rate(q, u, v);
    }
    static MYRIAD_HD Configuration settle(const Configuration& q) { return Chart::settle(q); }
    static MYRIAD_HD Real reach(const Velocity& u) { return Chart::reach(u); }
    static MYRIAD_HD Velocity magnitude(const Configuration&, const Configuration&) {
        Velocity one;
        MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) one[i] = Real(1.0);
        return one;
    }
    static MYRIAD_HD MaskOf<Real> regular(const Configuration& q) { return Chart::regular(q); }

    MYRIAD_HD Velocity acceleration(const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> w = Chart::angular_velocity(q, v);
        return Chart::acceleration(q, v, inverse_inertia * torque(q, w, inertia * w));
    }
    // The same in parts, for a chart whose rates are w: the angular momentum, the torque, the acceleration of one.
    MYRIAD_HD Vec<3, Real> momentum(const Vec<3, Real>& w) const { return inertia * w; }
    MYRIAD_HD Vec<3, Real> torque(const Configuration& q, const Vec<3, Real>& w, const Vec<3, Real>& momentum) const {
        return cross(half_up(Chart::rotation(q)), twice_weight_moment) - cross(w, momentum);
    }
    MYRIAD_HD Vec<3, Real> acceleration_by(const Vec<3, Real>& torque) const { return inverse_inertia * torque; }

    // J_O w' + w x J_O w - X x R^T (-m g e3), N m, body frame.
    MYRIAD_HD Vec<3, Real> residual(const OrientationMotion<Real>& motion) const {
        const Vec<3, Real> w = motion.angular_velocity, weight = cross(twice_weight_moment, half_up(motion.rotation));
        return add_cross(w, inertia * w, fma(Real(1.0), weight, inertia * motion.angular_acceleration));
    }
    // Its derivative by z of implicit_chart.hpp. The upward direction n turns by n x c_q z in the body frame, so the
    // stiffness is X~ n~ m g = m g (n X^T - (n . X) I).
    MYRIAD_HD Mat3<Real> residual_derivative(const OrientationMotion<Real>& motion,
                                             const typename Chart::Correction& by, Real c_q) const {
        const Vec<3, Real> up = motion.rotation.up(), lever = (Real(0.5) * c_q) * twice_weight_moment;
        Mat3<Real> matrix = fma(Real(1.0), matrix_of(inertia) * by.acceleration,
                                gyroscopic_damping(inertia, motion.angular_velocity) * by.velocity);
        const Real along = dot(up, lever);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            MYRIAD_UNROLL for (int j = 0; j < 3; ++j) matrix.e[i][j] = fma(up[i], lever[j], matrix.e[i][j]);
            matrix.e[i][i] = matrix.e[i][i] - along;
        }
        return matrix;
    }
    MYRIAD_HD Real newton_correction(const Motion<HeavyTop>& at, const Velocity& a, const Velocity& u, Real c_a,
                                     Real c_v, Real c_q, bool tangent_operator, Real, Velocity& x) const {
        const OrientationMotion<Real> motion = Chart::motion(at.q, at.v, a);
        const auto by = Chart::correction(at.q, at.v, a, u, c_a, c_v, c_q, tangent_operator);
        const Vec<3, Real> z = -(inverse(residual_derivative(motion, by, c_q)) * residual(motion));
        x = by.rates(z);
        return (c_q * c_q) * dot(z, z);
    }

    // The view for energy-momentum methods, which hold the orientation as a unit quaternion.
    using Rotor = QuaternionBody<Real, true>;
    using Lagrangian = Rotor;
    MYRIAD_HD Rotor lagrangian() const { return {inertia, inverse_inertia, Real(0.5) * twice_weight_moment}; }
    static MYRIAD_HD Rotation<Real> orientation(const Configuration& q) { return q; }
    static MYRIAD_HD Vec<3, Real> turning(const Velocity& v) { return v; }
    // The motion at the end of a step h, from the orientation and the angular velocity there.
    MYRIAD_HD void set_end(const Motion<HeavyTop>&, Real, const Rotation<Real>& rotation, const Vec<3, Real>& w,
                           Motion<HeavyTop>& end) const {
        end.q = rotation, end.v = w;
    }

    MYRIAD_HD Real kinetic_energy(const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> w = Chart::angular_velocity(q, v);
        return Real(0.5) * dot(w, inertia * w);
    }
    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> w = Chart::angular_velocity(q, v), momentum = inertia * w, up = half_up(Chart::rotation(q));
        return {fma(Real(0.5), dot(w, momentum), dot(up, twice_weight_moment)), Real(2.0) * dot(up, momentum)};
    }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        const Rotation<Real> rotation = Chart::rotation(q);
        const Vec<3, Real> w = Chart::angular_velocity(q, v), arm = rotation.act(centre);
        if (index < body_channels)
            return BodyState<Real>{arm, rotation, rotation.act(cross(w, centre)), w}.channel(index);
        if (index == 13) return invariants(q, v)[0];
        if (index < 17) return rotation.act(inertia * w)[index - 14];
        return atan2(sqrt(fma(arm[0], arm[0], arm[1] * arm[1])), arm[2]);
    }

    // Half of the upward direction in body coordinates.
    static MYRIAD_HD Vec<3, Real> half_up(const Rotation<Real>& q) {
        return {fma(q.x, q.z, -(q.w * q.y)), fma(q.y, q.z, q.w * q.x), Real(0.5) - fma(q.x, q.x, q.y * q.y)};
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "rigid body with a fixed point under gravity along -z";
    static constexpr const char* source = "Holzinger, Arnold, Gerstmayr 2024, sect. 4.1 and Table 3";
    static constexpr const char* body_names[bodies] = {"top"};
    static constexpr const auto& parameters = parameter_list<HeavyTopParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of mass"},
        {"orientation", "1", "body to world", "w x y z", true, "unit quaternion, scalar first"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the centre of mass"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential at the height of the fixed point"},
        {"angular_momentum", "kg m^2/s", "world", "x y z", false, "about the fixed point; z is kept"},
        {"tilt", "rad", "world", "", false, "angle between the centre of mass direction and the upward vertical"},
    };
    // Named by the address of the channel that has the same value.
    static constexpr ChannelDescription invariants_kept[invariant_count] = {
        {"energy", "J", "", "", false, "total energy"},
        {"angular_momentum.z", "kg m^2/s", "world", "", false, "about the fixed point, along the vertical"},
    };
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
