// The Puma 560 robot, a chain of six hinges in minimal coordinates, under PD control along a point-to-point profile.
//
//   frame i = frame i-1 Rz(q_i) Tz(d_i) Tx(a_i) Rx(alpha_i)   standard Denavit-Hartenberg; frame 0: world, z upwards
//   S_i = (z, o x z)                                          hinge i about z of frame i-1 at its origin o
//   V_i = sum_{k<=i} S_k q_k',   A_i = V_i' + g upwards       screws about the world's origin
//   (kernels/math/spatial.hpp) r_i = S_i . F_i - torque_i = 0,   F_i = sum_{k>=i} (I_k A_k + V_k x* I_k V_k) equations
//   of motion torque_i = P_i (u_i - q_i) + D_i (u_i' - q_i')            u: constant acceleration, then as much
//   deceleration
//
// A correction x_j of hinge j displaces all links from j on by e = S_j d q_j. With S' = V x S, its parts in
//   Y_j = e'  = c_v S_j + c_q S_j',     X_j = e'' = c_a S_j + 2 c_v S_j' + c_q (A_j x S_j + V_j x S_j')
// (gravity turns with the frame that A is seen from, hence A_j in it) and the composite I, C of the links from i on:
//   dr_i/dx_j = S_i . (I_i X_j + C_i Y_j) for j <= i,    S_i . (I_j X_j + C_j Y_j + c_q S_j x* F_j) for i <= j
// plus c_q P_i + c_v D_i on the diagonal: composite bodies, six columns from one backward pass.
//
// Source: lgim sect. 4.4; robot data of EXUDYN and of P. Corke's toolbox. Gains, duration and shape of the profile are
// not published: assumed, after EXUDYN. Not handled: friction, gears, limits of the joints.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/math/small_solve.hpp"
#include "kernels/math/spatial.hpp"
#include "kernels/system/system.hpp"
#include "kernels/systems/puma560_parameters.hpp"
#if !defined(__CUDACC_RTC__)
#include "kernels/systems/puma560_description.hpp"
#endif

namespace myriad::inline MYRIAD_VARIANT {

// It has coordinates of its own: no chart plays a part, and only `rotation` is accepted where one must be named. The
// seventh coordinate is the time, of rate 1, which the profile needs wherever the state is looked at.
template <class R, template <class> class ChartOf>
struct Puma560 {
    using Real = R;
    static constexpr int joints = 6, freedoms = joints + 1, invariant_count = 0, bodies = joints,
                         channel_count = bodies * body_channels + 22;
    static constexpr bool has_orientation = false;
    using NamedParameters = Puma560Parameters<Real>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = "puma560";
    using Velocity = Vec<freedoms, Real>;
    using Angles = Vec<joints, Real>;
    using Matrix = SquareMatrix<joints, Real>;

    struct Configuration {
        using Real = R;
        Vec<joints, Real> angles;  // rad
        R time_s;
        template <class Visit, class... Self>
        static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
            visit_fields(visit, self.angles...);
            visit(self.time_s...);
        }
    };

    struct Link {
        Real offset, length, sin_twist, cos_twist, mass;
        Vec<3, Real> centre, second;  // second: moments sum m x^2, y^2, z^2 about the centre of mass
    };
    struct Gains {
        Real proportional, derivative;
    };

    Link link[joints];
    Gains gains[joints];
    Angles start_angle, travel;
    Real duration, gravity;

    static MYRIAD_HD Prepared<Puma560> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const Real zero(0.0), half(0.5);
        Prepared<Puma560> made{{}, zero, zero};
        Puma560& puma = made.system;
        Real sum = zero;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < parameter_count; ++i) sum = fma(values[i], zero, sum);
        made.reason = reason_unless(sum <= zero, Reason::parameter_not_finite, made.reason);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < joints; ++i) {
            const typename NamedParameters::Link& given = p.link[i];
            const SineCosine<Real> twist = sincos(given.twist);
            const Real xx = given.inertia[0], yy = given.inertia[1], zz = given.inertia[2],
                       half_trace = half * (xx + yy + zz);
            puma.link[i] = {given.offset,
                            given.length,
                            twist.sine,
                            twist.cosine,
                            given.mass,
                            given.centre,
                            {half_trace - xx, half_trace - yy, half_trace - zz}};
            puma.gains[i] = {p.joint[i].proportional, p.joint[i].derivative};
            puma.start_angle[i] = p.initial_angle[i];
            puma.travel[i] = p.goal_angle[i] - p.initial_angle[i];
            const Symmetric3<Real> inertia{xx, yy, zz, zero, zero, zero};
            made.reason = reason_unless(zero <= given.mass, Reason::mass_not_positive, made.reason);
            made.reason =
                reason_unless(positive_semidefinite(inertia), Reason::inertia_not_positive_semidefinite, made.reason);
            made.warnings = maximum(inertia_warning(inertia), made.warnings);
        }
        puma.duration = p.profile_duration, puma.gravity = p.gravity;
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        MYRIAD_UNROLL for (int i = 0; i < joints; ++i) q.angles[i] = p.initial_angle[i], v[i] = p.initial_rate[i];
        q.time_s = Real(0.0), v[joints] = Real(1.0);
    }

    static MYRIAD_HD Configuration retract(const Configuration& q, const Velocity& u) {
        Configuration end;
        MYRIAD_UNROLL for (int i = 0; i < joints; ++i) end.angles[i] = q.angles[i] + u[i];
        end.time_s = q.time_s + u[joints];
        return end;
    }
    static MYRIAD_HD Velocity local_rate(const Configuration&, const Velocity&, const Velocity& v) { return v; }
    static MYRIAD_HD Configuration settle(const Configuration& q) { return q; }
    static MYRIAD_HD Real reach(const Velocity&) { return Real(0.0); }
    static MYRIAD_HD Velocity magnitude(const Configuration&, const Configuration&) {
        Velocity one;
        MYRIAD_UNROLL for (int i = 0; i < freedoms; ++i) one[i] = Real(1.0);
        return one;
    }
    static MYRIAD_HD MaskOf<Real> regular(const Configuration&) { return true_mask<Real>(); }

    MYRIAD_NOINLINE Velocity acceleration(const Configuration& q, const Velocity& v) const {
        const Chain chain = chain_at(q, v, Velocity{});
        Matrix mass_matrix;
        Angles force;
        BodyMass<Real> composite = chain.mass[joints - 1];
        Screw<Real> carried = chain.force[joints - 1];
        MYRIAD_UNROLL_PLAN for (int i = joints - 1; i >= 0; --i) {
            const Screw<Real> momentum = composite * chain.axis[i];
            MYRIAD_UNROLL_PLAN for (int j = 0; j <= i; ++j) mass_matrix.e[i][j] = dot(momentum, chain.axis[j]);
            force[i] = torque(i, q, v) - dot(chain.axis[i], carried);
            if (i > 0) composite.add(chain.mass[i - 1]), carried = carried + chain.force[i - 1];
        }
        return extended(solve_symmetric(mass_matrix, force));
    }

    // r at the accelerations `a`, N m.
    MYRIAD_HD Angles residual(const Motion<Puma560>& at, const Velocity& a) const {
        const Chain chain = chain_at(at.q, at.v, a);
        Angles r;
        Screw<Real> carried = chain.force[joints - 1];
        MYRIAD_UNROLL_PLAN for (int i = joints - 1; i >= 0; --i) {
            r[i] = dot(chain.axis[i], carried) - torque(i, at.q, at.v);
            if (i > 0) carried = carried + chain.force[i - 1];
        }
        return r;
    }
    // The same, and dr/dx.
    MYRIAD_NOINLINE Angles linearized(const Motion<Puma560>& at, const Velocity& a, Real c_a, Real c_v, Real c_q,
                                      Matrix& matrix) const {
        const Chain chain = chain_at(at.q, at.v, a);
        Screw<Real> second[joints];    // X
        Vec<3, Real> turning[joints];  // the rotation in Y
        MassFlow<Real> flow[joints];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < joints; ++i) {
            const Screw<Real>&axis = chain.axis[i], &axis_rate = chain.axis_rate[i];
            const Screw<Real> axis_second_rate =
                cross_motion(chain.acceleration[i], axis) + cross_motion(chain.velocity[i], axis_rate);
            second[i] = fma(c_a, axis, fma(c_v, Real(2.0) * axis_rate, c_q * axis_second_rate));
            turning[i] = fma(c_v, axis.angular, c_q * axis_rate.angular);
            flow[i] = MassFlow<Real>::of(chain.mass[i], chain.velocity[i]);
        }
        Angles r;
        BodyMass<Real> composite = chain.mass[joints - 1];
        MassFlow<Real> composite_flow = flow[joints - 1];
        Screw<Real> carried = chain.force[joints - 1];
        MYRIAD_UNROLL_PLAN for (int i = joints - 1; i >= 0; --i) {
            const Screw<Real>& axis = chain.axis[i];
            const Screw<Real> inertial = composite * axis;
            const Vec<3, Real> gyroscopic = composite_flow.transposed_times(axis);
            MYRIAD_UNROLL_PLAN for (int j = 0; j <= i; ++j) matrix.e[i][j] =
                dot(inertial, second[j]) + dot(gyroscopic, turning[j]);
            const Screw<Real> change =
                fma(c_q, cross_force(axis, carried), composite * second[i] + composite_flow * turning[i]);
            MYRIAD_UNROLL_PLAN for (int j = 0; j < i; ++j) matrix.e[j][i] = dot(chain.axis[j], change);
            matrix.e[i][i] = fma(c_q, gains[i].proportional, fma(c_v, gains[i].derivative, matrix.e[i][i]));
            r[i] = dot(axis, carried) - torque(i, at.q, at.v);
            if (i > 0) {
                composite.add(chain.mass[i - 1]), composite_flow.add(flow[i - 1]);
                carried = carried + chain.force[i - 1];
            }
        }
        return r;
    }
    MYRIAD_HD Real newton_correction(const Motion<Puma560>& at, const Velocity& a, const Velocity&, Real c_a, Real c_v,
                                     Real c_q, bool, Real, Velocity& x) const {
        Matrix matrix;
        const Angles r = linearized(at, a, c_a, c_v, c_q, matrix), change = solve(matrix, -r);
        x = extended(change);
        Real square(0.0);
        MYRIAD_UNROLL for (int i = 0; i < joints; ++i) square = fma(change[i], change[i], square);
        return (c_q * c_q) * square;
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }

    MYRIAD_NOINLINE Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < bodies * body_channels)
            return link_state(index / body_channels, q, v).channel(index % body_channels);
        const int own = index - bodies * body_channels, kind = own / joints, i = own % joints;
        if (kind == 0) return q.angles[i];
        if (kind == 1) return v[i];
        if (kind == 2) return torque(i, q, v);
        return own < 3 * joints + 3 ? tool_position(q)[own - 3 * joints] : energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = "Puma 560 robot in minimal coordinates, PD control along a profile";
    static constexpr const char* source =
        "Holzinger, Arnold, Gerstmayr 2024, sect. 4.4; robot data and, assumed, gains and profile: EXUDYN";
    static constexpr const char* body_names[bodies] = {"link_1", "link_2", "link_3", "link_4", "link_5", "link_6"};
    static constexpr const auto& parameters = parameter_list<Puma560Parameters<double>>;
    static constexpr const auto& channels = Puma560Description::channels;
    static constexpr NoChannels invariants_kept{};
#endif

  private:
    // Axes and origin of a link's frame, world
    struct Frame {
        Vec<3, Real> x, y, z, origin;
        static MYRIAD_HD Frame world() {
            const Real o(0.0), l(1.0);
            return {{l, o, o}, {o, l, o}, {o, o, l}, {o, o, o}};
        }
        MYRIAD_HD Frame next(const Link& body, Real angle) const {
            const SineCosine<Real> turn = sincos(angle);
            const Vec<3, Real> along = fma(turn.cosine, x, turn.sine * y), across = fma(turn.cosine, y, -turn.sine * x);
            return {along, fma(body.cos_twist, across, body.sin_twist * z),
                    fma(body.cos_twist, z, -body.sin_twist * across),
                    fma(body.offset, z, fma(body.length, along, origin))};
        }
        MYRIAD_HD Vec<3, Real> point(const Vec<3, Real>& p) const {
            return fma(p[0], x, fma(p[1], y, fma(p[2], z, origin)));
        }
        MYRIAD_HD Screw<Real> hinge() const { return {z, cross(origin, z)}; }
        MYRIAD_HD BodyMass<Real> mass_of(const Link& body) const {
            const Vec<3, Real> centre = point(body.centre), first = body.mass * centre;
            const auto moment = [&](int i, int j) {
                return fma(body.second[0] * x[i], x[j],
                           fma(body.second[1] * y[i], y[j], fma(body.second[2] * z[i], z[j], first[i] * centre[j])));
            };
            return {
                body.mass, first, {moment(0, 0), moment(1, 1), moment(2, 2), moment(0, 1), moment(0, 2), moment(1, 2)}};
        }
    };

    // The chain in motion; `force` is the force of each link alone.
    struct Chain {
        Screw<Real> axis[joints], axis_rate[joints], velocity[joints], acceleration[joints], force[joints];
        BodyMass<Real> mass[joints];
    };
    MYRIAD_HD Chain chain_at(const Configuration& q, const Velocity& v, const Velocity& a) const {
        Chain chain;
        const Real zero(0.0);
        Frame frame = Frame::world();
        Screw<Real> velocity{{zero, zero, zero}, {zero, zero, zero}},
            acceleration{{zero, zero, zero}, {zero, zero, gravity}};
        MYRIAD_UNROLL_PLAN for (int i = 0; i < joints; ++i) {
            const Screw<Real> axis = frame.hinge(), axis_rate = cross_motion(velocity, axis);
            velocity = fma(v[i], axis, velocity);
            acceleration = fma(a[i], axis, fma(v[i], axis_rate, acceleration));
            frame = frame.next(link[i], q.angles[i]);
            const BodyMass<Real> mass = frame.mass_of(link[i]);
            chain.axis[i] = axis, chain.axis_rate[i] = axis_rate;
            chain.velocity[i] = velocity, chain.acceleration[i] = acceleration;
            chain.mass[i] = mass, chain.force[i] = mass.force(velocity, acceleration);
        }
        return chain;
    }

    // With m the time to the nearer end of the profile over its duration, u covers 2 m^2 of the way from that end.
    MYRIAD_HD Real torque(int i, const Configuration& q, const Velocity& v) const {
        const Real zero(0.0), one(1.0), two(2.0);
        const MaskOf<Real> arrived = duration <= q.time_s;
        const Real elapsed = select(arrived, one, q.time_s / duration), left = one - elapsed;
        const Real nearer = minimum(elapsed, left), way = two * (nearer * nearer);
        const Real target = fma(travel[i], select(elapsed < left, way, one - way), start_angle[i]);
        const Real target_rate = select(arrived, zero, Real(4.0) * nearer / duration) * travel[i];
        return fma(gains[i].proportional, target - q.angles[i], gains[i].derivative * (target_rate - v[i]));
    }

    static MYRIAD_HD Velocity extended(const Angles& angles) {
        Velocity v;
        MYRIAD_UNROLL for (int i = 0; i < joints; ++i) v[i] = angles[i];
        v[joints] = Real(0.0);
        return v;
    }

    // Frame and velocity of link `last`
    MYRIAD_HD void follow(int last, const Configuration& q, const Velocity& v, Frame& frame,
                          Screw<Real>& velocity) const {
        frame = Frame::world();
        velocity = Real(0.0) * frame.hinge();
        MYRIAD_UNROLL_PLAN for (int i = 0; i <= last; ++i) {
            velocity = fma(v[i], frame.hinge(), velocity);
            frame = frame.next(link[i], q.angles[i]);
        }
    }
    MYRIAD_HD BodyState<Real> link_state(int i, const Configuration& q, const Velocity& v) const {
        Frame frame;
        Screw<Real> velocity;
        follow(i, q, v, frame, velocity);
        const Vec<3, Real> centre = frame.point(link[i].centre), w = velocity.angular;
        return {centre,
                rotation_of(transpose(Mat3<Real>{{{frame.x[0], frame.x[1], frame.x[2]},
                                                  {frame.y[0], frame.y[1], frame.y[2]},
                                                  {frame.z[0], frame.z[1], frame.z[2]}}})),
                add_cross(w, centre, velocity.linear),
                {dot(w, frame.x), dot(w, frame.y), dot(w, frame.z)}};
    }
    MYRIAD_HD Vec<3, Real> tool_position(const Configuration& q) const {
        Frame frame;
        Screw<Real> velocity;
        follow(joints - 1, q, Velocity{}, frame, velocity);
        return frame.origin;
    }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        Frame frame = Frame::world();
        Screw<Real> velocity = Real(0.0) * frame.hinge();
        Real sum(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < joints; ++i) {
            velocity = fma(v[i], frame.hinge(), velocity);
            frame = frame.next(link[i], q.angles[i]);
            const BodyMass<Real> mass = frame.mass_of(link[i]);
            sum = fma(Real(0.5), dot(velocity, mass * velocity), fma(gravity, mass.first[2], sum));
        }
        return sum;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
