// A ball that is thrown onto a floor: slides, spins, bounces and rolls in space, on R3 x SO(3).
//
//   x' = v,  m v' = m g + W l,  J w' = -w x J w + W l     x, v: centre, world;  w: angular velocity, body frame
//   gap = z - r,  slip = v + (R w) x (0, 0, -r)           principal inertias J along the body's axes
//   a homogeneous ball (J = 2/5 m r^2) without spin slides until t = 2/7 v_0 / (mu g), then rolls with 5/7 v_0
//
// Source: textbook; the defaults are assumed. Not handled: friction against spin about the normal, rolling resistance,
// a centre of mass beside the centre.
#pragma once
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/math/elementary.hpp"
#include "kernels/system/body_parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct RollingBallParameters {
    using Real = R;
    Real mass, radius, gravity;
    Vec<3, Real> inertia;  // principal
    ContactLaw<Real> law;
    Vec<3, Real> initial_position, initial_rotation_vector, initial_velocity, initial_angular_velocity;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass, {"mass_kg", "kg", 1.0, "mass (assumed)"});
        visit(radius, {"radius_m", "m", 0.1, "radius (assumed)"});
        visit(inertia[0], {"inertia_kg_m2.xx", "kg m^2", 0.004,
                           "moment of inertia about the body axis x through the centre (assumed: a homogeneous ball)"});
        visit(inertia[1],
              {"inertia_kg_m2.yy", "kg m^2", 0.004, "moment of inertia about the body axis y through the centre"});
        visit(inertia[2],
              {"inertia_kg_m2.zz", "kg m^2", 0.004, "moment of inertia about the body axis z through the centre"});
        visit(gravity, {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -z"});
        visit(law.friction, {"friction", "1", 0.2, "coefficient of Coulomb's friction (assumed)"});
        visit(law.normal_restitution,
              {"normal_restitution", "1", 0.0, "Newton's coefficient of restitution, normal (assumed)"});
        visit(law.tangential_restitution,
              {"tangential_restitution", "1", 0.0, "Newton's coefficient of restitution, tangential (assumed)"});
        visit(initial_position[0], {"initial_position_m[0]", "m", 0.0, "initial position of the centre, x"});
        visit(initial_position[1], {"initial_position_m[1]", "m", 0.0, "initial position of the centre, y"});
        visit(initial_position[2], {"initial_position_m[2]", "m", 0.0, "initial gap"});
        describe_initial_rotation_vector(visit, initial_rotation_vector);
        visit(initial_velocity[0],
              {"initial_velocity_m_s[0]", "m/s", 1.0, "initial velocity of the centre, world, x (assumed)"});
        visit(initial_velocity[1], {"initial_velocity_m_s[1]", "m/s", 0.0, "initial velocity of the centre, world, y"});
        visit(initial_velocity[2], {"initial_velocity_m_s[2]", "m/s", 0.0, "initial velocity of the centre, world, z"});
        describe_initial_angular_velocity(visit, initial_angular_velocity, 0.0, 0.0, 0.0);
    }
};

// The rotation group is its only chart: the rates are angular velocities in the body frame.
template <class R, template <class> class ChartOf>
struct RollingBall {
    using Real = R;
    using Chart = ChartOf<Real>;
    using Velocity = Vec<6, Real>;
    static constexpr int freedoms = 6, contacts = 1, tangents = 2, invariant_count = 0, bodies = 1,
                         channel_count = body_channels + 1;
    using NamedParameters = RollingBallParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr bool has_orientation = false;  // on the rotation group alone
    static constexpr const char* name = "rolling_ball";

    struct Configuration {
        using Real = R;
        Vec<3, Real> position;
        Rotation<Real> orientation;
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
            visit_fields(visit, self.position...);
            visit_fields(visit, self.orientation...);
        }
    };

    Real mass_kg, radius, gravity;
    Symmetric3<Real> inertia;
    ContactLaw<Real> contact_law;

    static MYRIAD_HD Prepared<RollingBall> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const Real zero(0.0);
        const Symmetric3<Real> j{p.inertia[0], p.inertia[1], p.inertia[2], zero, zero, zero};
        Prepared<RollingBall> made{
            {p.mass, p.radius, p.gravity, j, p.law}, body_reason(values, p.mass, j, j), inertia_warning(j)};
        check_contact_laws(made.system, made.reason, made.warnings);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        const Vec<3, Real> x = p.initial_position;
        q.position = {x[0], x[1], x[2] + p.radius};
        q.orientation = exp_any(p.initial_rotation_vector);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            v[i] = p.initial_velocity[i], v[3 + i] = p.initial_angular_velocity[i];
        }
    }

    static MYRIAD_HD Vec<3, Real> linear(const Velocity& v) { return {v[0], v[1], v[2]}; }
    static MYRIAD_HD Vec<3, Real> turning(const Velocity& v) { return {v[3], v[4], v[5]}; }
    static MYRIAD_HD Configuration retract(const Configuration& q, const Velocity& u) {
        return {q.position + linear(u), Chart::retract(q.orientation, turning(u))};
    }
    static MYRIAD_HD Configuration settle(const Configuration& q) { return {q.position, Chart::settle(q.orientation)}; }
    static MYRIAD_HD Real reach(const Velocity& u) { return Chart::reach(turning(u)); }
    static MYRIAD_HD MaskOf<Real> regular(const Configuration&) { return true_mask<Real>(); }

    MYRIAD_HD SquareMatrix<6, Real> mass(const Configuration&) const {
        SquareMatrix<6, Real> m = zero_matrix<6, Real>();
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) m.e[i][i] = mass_kg;
        m.e[3][3] = inertia.xx, m.e[4][4] = inertia.yy, m.e[5][5] = inertia.zz;
        return m;
    }
    MYRIAD_HD Velocity force(const Configuration&, const Velocity& v, Real) const {
        const Vec<3, Real> w = turning(v), gyroscopic = cross(inertia * w, w);
        const Real o(0.0);
        return {o, o, -(mass_kg * gravity), gyroscopic[0], gyroscopic[1], gyroscopic[2]};
    }
    MYRIAD_HD TangentMatrices<6, Real> tangents_of(const Configuration&, const Velocity& v, const Velocity&,
                                                   Real) const {
        TangentMatrices<6, Real> tangent{zero_matrix<6, Real>(), zero_matrix<6, Real>()};
        const Mat3<Real> gyroscopic = gyroscopic_damping(inertia, turning(v));
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int j = 0; j < 3; ++j)
            tangent.damping.e[3 + i][3 + j] = gyroscopic.e[i][j];
        return tangent;
    }
    MYRIAD_HD ContactState<6, 1, 2, Real> contact_state(const Configuration& q) const {
        const Real o(0.0), l(1.0);
        const Rotation<Real> to_body = inverse(q.orientation);
        // (0, 0, -r) x e, in the body frame.
        const Vec<3, Real> x = to_body.act({o, -radius, o}), y = to_body.act({radius, o, o});
        return {{q.position[2] - radius},
                {{o, o, l, o, o, o}, {l, o, o, x[0], x[1], x[2]}, {o, l, o, y[0], y[1], y[2]}}};
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return contact_law; }
    MYRIAD_HD MaskOf<Real> held(int) const { return !true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> speed = linear(v), w = turning(v);
        const Real kinetic = fma(mass_kg, dot(speed, speed), dot(w, inertia * w));
        return fma(Real(0.5), kinetic, mass_kg * (gravity * (q.position[2] - radius)));
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < body_channels)
            return BodyState<Real>{q.position, q.orientation, linear(v), turning(v)}.channel(index);
        return energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "ball thrown onto a floor in space: slides, spins, bounces and rolls";
    static constexpr const char* source = "textbook; defaults assumed";
    static constexpr const char* body_names[bodies] = {"ball"};
    static constexpr const auto& parameters = parameter_list<RollingBallParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of the ball"},
        {"orientation", "1", "body to world", "w x y z", true, "unit quaternion, scalar first"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the centre"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential on the floor"},
    };
    static constexpr NoChannels invariants_kept{};
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
