// A free rigid body on R3 x SO(3) in a uniform field of gravity g (world; zero unless the study says otherwise).
//
//   x' = v,  v' = g,  J w' = -w x J w     x, v: centre of mass, world;  w: angular velocity, body frame;  J: body axes
//   energy = m v.v / 2 + w . J w / 2 - m g . x          L = R J w: about the centre of mass, world
//
// Source: livens sect. 5.3 (free rotation; defaults from there, mass 1 being without influence); lgim eqs. 11, 23. The
// exact motion keeps the energy and L. Not handled: torques.
#pragma once
#include "kernels/lagrangian/quaternion_body.hpp"
#include "kernels/math/elementary.hpp"
#include "kernels/orientation/short_maps.hpp"
#include "kernels/system/body_parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct FreeRigidBodyParameters {
    using Real = R;
    Real mass;
    Symmetric3<Real> inertia;
    Vec<3, Real> gravity, initial_position, initial_rotation_vector, initial_velocity, initial_angular_velocity;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(mass, {"mass_kg", "kg", 1.0, "mass (without influence on the rotation)"});
        describe_inertia(visit, inertia, 6.0, 8.0, 3.0);
        visit(gravity[0], {"gravity_m_s2[0]", "m/s^2", 0.0, "acceleration of gravity, world, x"});
        visit(gravity[1], {"gravity_m_s2[1]", "m/s^2", 0.0, "acceleration of gravity, world, y"});
        visit(gravity[2], {"gravity_m_s2[2]", "m/s^2", 0.0, "acceleration of gravity, world, z"});
        visit(initial_position[0], {"initial_position_m[0]", "m", 0.0, "initial centre of mass, world, x"});
        visit(initial_position[1], {"initial_position_m[1]", "m", 0.0, "initial centre of mass, world, y"});
        visit(initial_position[2], {"initial_position_m[2]", "m", 0.0, "initial centre of mass, world, z"});
        describe_initial_rotation_vector(visit, initial_rotation_vector);
        visit(initial_velocity[0],
              {"initial_velocity_m_s[0]", "m/s", 0.0, "initial velocity of the centre of mass, world, x"});
        visit(initial_velocity[1],
              {"initial_velocity_m_s[1]", "m/s", 0.0, "initial velocity of the centre of mass, world, y"});
        visit(initial_velocity[2],
              {"initial_velocity_m_s[2]", "m/s", 0.0, "initial velocity of the centre of mass, world, z"});
        describe_initial_angular_velocity(visit, initial_angular_velocity, 10.0, 20.0, 20.0);
    }
};

template <class R, template <class> class ChartOf>
struct FreeRigidBody {
    using Real = R;
    using Chart = ChartOf<Real>;
    using Velocity = Vec<3 + Chart::rate_count, Real>;  // v, then the rates of the chart
    using Rates = typename Chart::Rates;
    static constexpr int freedoms = 6, invariant_count = 4, bodies = 1, channel_count = 18;
    using NamedParameters = FreeRigidBodyParameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr bool has_orientation = true;
    static constexpr const char* name = "free_rigid_body";

    struct Configuration {
        using Real = R;
        Vec<3, Real> position;
        typename Chart::Coordinates orientation;
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
            visit_fields(visit, self.position...);
            visit_fields(visit, self.orientation...);
        }
    };

    Real mass;                         // kg
    Vec<3, Real> gravity;              // m/s^2, world
    Symmetric3<Real> inertia;          // J, kg m^2
    Symmetric3<Real> inverse_inertia;  // J^-1

    static MYRIAD_HD Prepared<FreeRigidBody> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        return {{p.mass, p.gravity, p.inertia, inverse(p.inertia)},
                body_reason(values, p.mass, p.inertia, p.inertia),
                inertia_warning(p.inertia)};
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        q.position = p.initial_position;
        Rates turning;
        Chart::start(exp_any(p.initial_rotation_vector), p.initial_angular_velocity, q.orientation, turning);
        v = joined(p.initial_velocity, turning);
    }

    static MYRIAD_HD Configuration retract(const Configuration& q, const Velocity& u) {
        return {q.position + linear(u), Chart::retract(q.orientation, turning(u))};
    }
    static MYRIAD_HD Velocity local_rate(const Configuration& q, const Velocity& u, const Velocity& v) {
        return joined(linear(v), Chart::local_rate(q.orientation, turning(u), turning(v)));
    }
    static MYRIAD_HD Configuration settle(const Configuration& q) { return {q.position, Chart::settle(q.orientation)}; }
    static MYRIAD_HD Real reach(const Velocity& u) { return Chart::reach(turning(u)); }
    static MYRIAD_HD Velocity magnitude(const Configuration& a, const Configuration& b) {
        Velocity larger{};
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) larger[i] = maximum(absolute(a.position[i]), absolute(b.position[i]));
        MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) larger[i + 3] = Real(1.0);
        return larger;
    }
    static MYRIAD_HD MaskOf<Real> regular(const Configuration& q) { return Chart::regular(q.orientation); }

    MYRIAD_HD Velocity acceleration(const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> w = Chart::angular_velocity(q.orientation, turning(v));
        return joined(gravity, Chart::acceleration(q.orientation, turning(v),
                                                   inverse_inertia * gyroscopic_torque(w, inertia * w)));
    }
    static MYRIAD_HD Vec<3, Real> gyroscopic_torque(const Vec<3, Real>& w, const Vec<3, Real>& momentum) {
        const Vec<3, Real> none{};
        return none - cross(w, momentum);
    }
    // The same in parts, for a chart whose rates are w: the angular momentum, the torque, the acceleration of one.
    MYRIAD_HD Vec<3, Real> momentum(const Velocity& v) const { return inertia * turning(v); }
    static MYRIAD_HD Vec<3, Real> torque(const Configuration&, const Velocity& v, const Vec<3, Real>& momentum) {
        return gyroscopic_torque(turning(v), momentum);
    }
    MYRIAD_HD Velocity acceleration_by(const Vec<3, Real>& torque) const {
        return joined(gravity, inverse_inertia * torque);
    }

    // The short maps of the chart beside those of the position, x = 2 (x/2 + h/2 sum v).
    struct Maps {
        using OfChart = ShortMaps<Chart>;
        static constexpr int greatest_order = OfChart::greatest_order;
        static constexpr bool has_origin = true;
        using Sum = Vec<3 + OfChart::sum_count, Real>;
        using Turning = Vec<OfChart::sum_count, Real>;

        static MYRIAD_HD Sum origin(const Configuration& q) {
            const Vec<3, Real> half = Real(0.5) * q.position;
            if constexpr (OfChart::has_origin)
                return both(half, OfChart::origin(q.orientation));
            else
                return both(half, Turning{});
        }
        static MYRIAD_HD Sum rate_at_start(const Configuration& q, const Velocity& v) {
            return both(linear(v), OfChart::rate_at_start(q.orientation, turning(v)));
        }
        static MYRIAD_HD Configuration stage(const Configuration& q, const Sum& sum) {
            return {Real(2.0) * first(sum), OfChart::stage(q.orientation, last(sum))};
        }
        static MYRIAD_HD Sum rate(const Configuration& q, const Sum& sum, const Velocity& v) {
            return both(linear(v), OfChart::rate(q.orientation, last(sum), turning(v)));
        }
        static MYRIAD_HD Configuration end(const Configuration& q, const Sum& sum) {
            return {Real(2.0) * first(sum), OfChart::end(q.orientation, last(sum))};
        }
        static MYRIAD_HD Real reach(const Sum& sum) { return OfChart::reach(last(sum)); }
        static MYRIAD_HD Velocity moved(const Configuration& q, const Sum& difference) {
            return joined(Real(2.0) * first(difference), OfChart::moved(q.orientation, last(difference)));
        }

      private:
        static MYRIAD_HD Vec<3, Real> first(const Sum& sum) { return {sum[0], sum[1], sum[2]}; }
        static MYRIAD_HD Turning last(const Sum& sum) {
            Turning turning;
            MYRIAD_UNROLL for (int i = 0; i < OfChart::sum_count; ++i) turning[i] = sum[3 + i];
            return turning;
        }
        static MYRIAD_HD Sum both(const Vec<3, Real>& linear, const Turning& turning) {
            Sum all;
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) all[i] = linear[i];
            MYRIAD_UNROLL for (int i = 0; i < OfChart::sum_count; ++i) all[3 + i] = turning[i];
            return all;
        }
    };

    // J w' + w x J w, N m, body frame, and its derivative by z of implicit_chart.hpp. The residual of the position, m
    // (x'' - g), is linear in x'' alone.
    MYRIAD_HD Vec<3, Real> residual(const OrientationMotion<Real>& motion) const {
        const Vec<3, Real> w = motion.angular_velocity;
        return add_cross(w, inertia * w, inertia * motion.angular_acceleration);
    }
    MYRIAD_HD Mat3<Real> residual_derivative(const OrientationMotion<Real>& motion,
                                             const typename Chart::Correction& by) const {
        return fma(Real(1.0), matrix_of(inertia) * by.acceleration,
                   gyroscopic_damping(inertia, motion.angular_velocity) * by.velocity);
    }
    // Positions are measured in units of the body's mean radius of gyration.
    MYRIAD_HD Real newton_correction(const Motion<FreeRigidBody>& at, const Velocity& a, const Velocity& u, Real c_a,
                                     Real c_v, Real c_q, bool tangent_operator, Real, Velocity& x) const {
        const Rates w = turning(at.v), w_rate = turning(a);
        const OrientationMotion<Real> motion = Chart::motion(at.q.orientation, w, w_rate);
        const auto by = Chart::correction(at.q.orientation, w, w_rate, turning(u), c_a, c_v, c_q, tangent_operator);
        const Vec<3, Real> z = -(inverse(residual_derivative(motion, by)) * residual(motion));
        const Vec<3, Real> translation = (Real(1.0) / c_a) * (gravity - linear(a));
        x = joined(translation, by.rates(z));
        const Real square_of_length = (inertia.xx + inertia.yy + inertia.zz) / (Real(2.0) * mass);
        return (c_q * c_q) * (dot(z, z) + dot(translation, translation) / square_of_length);
    }

    // The view for energy-momentum methods, which hold the orientation as a unit quaternion. The motion of the centre
    // of mass is uniformly accelerated: all of them give it exactly.
    using Rotor = QuaternionBody<Real, false>;
    using Lagrangian = Rotor;
    MYRIAD_HD Rotor lagrangian() const { return {inertia, inverse_inertia, {}}; }
    static MYRIAD_HD Rotation<Real> orientation(const Configuration& q) { return q.orientation; }
    MYRIAD_HD void set_end(const Motion<FreeRigidBody>& begin, Real h, const Rotation<Real>& rotation,
                           const Vec<3, Real>& w, Motion<FreeRigidBody>& end) const {
        const Vec<3, Real> velocity = linear(begin.v), after = fma(h, gravity, velocity);
        end.q.position = fma(Real(0.5) * h, velocity + after, begin.q.position);
        end.q.orientation = rotation;
        end.v = joined(after, w);
    }

    MYRIAD_HD Real kinetic_energy(const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> w = Chart::angular_velocity(q.orientation, turning(v)), velocity = linear(v);
        return Real(0.5) * fma(mass, dot(velocity, velocity), dot(w, inertia * w));
    }
    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> w = Chart::angular_velocity(q.orientation, turning(v)), momentum = inertia * w;
        const Vec<3, Real> world = Chart::rotation(q.orientation).act(momentum), p = mass * linear(v);
        return {fma(Real(0.5), dot(linear(v), p) + dot(w, momentum), -(mass * dot(gravity, q.position))), world[0],
                world[1], world[2]};
    }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        const Vec<3, Real> w = Chart::angular_velocity(q.orientation, turning(v));
        if (index < body_channels)
            return BodyState<Real>{q.position, Chart::rotation(q.orientation), linear(v), w}.channel(index);
        if (index < 17) return invariants(q, v)[index - 13];
        return Real(0.5) * dot(w, inertia * w);
    }

    static MYRIAD_HD Vec<3, Real> linear(const Velocity& v) { return {v[0], v[1], v[2]}; }
    static MYRIAD_HD Rates turning(const Velocity& v) {
        Rates rates;
        MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) rates[i] = v[3 + i];
        return rates;
    }
    static MYRIAD_HD Velocity joined(const Vec<3, Real>& linear, const Rates& turning) {
        Velocity v;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) v[i] = linear[i];
        MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) v[3 + i] = turning[i];
        return v;
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "free rigid body on R3 x SO(3), optionally in uniform gravity";
    static constexpr const char* source = "Kinon, Betsch 2024, sect. 5.3";
    static constexpr const char* body_names[bodies] = {"body"};
    static constexpr const auto& parameters = parameter_list<FreeRigidBodyParameters<double>>;
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true, "centre of mass"},
        {"orientation", "1", "body to world", "w x y z", true, "unit quaternion, scalar first"},
        {"velocity", "m/s", "world", "x y z", true, "velocity of the centre of mass"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity"},
        {"energy", "J", "", "", false, "kinetic and potential energy, zero potential at the origin; kept"},
        {"angular_momentum", "kg m^2/s", "world", "x y z", false, "about the centre of mass; kept"},
        {"rotational_energy", "J", "", "", false, "kinetic energy of the rotation; kept"},
    };
    // Named by the address of the channel that has the same value.
    static constexpr ChannelDescription invariants_kept[invariant_count] = {
        {"energy", "J", "", "", false, "total energy"},
        {"angular_momentum.x", "kg m^2/s", "world", "", false, "about the centre of mass, along x"},
        {"angular_momentum.y", "kg m^2/s", "world", "", false, "about the centre of mass, along y"},
        {"angular_momentum.z", "kg m^2/s", "world", "", false, "about the centre of mass, along z"},
    };
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
