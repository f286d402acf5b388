// States within a step, for quantities of adaptive methods, whose steps may turn bodies far.
//
//   q(s) = retract(q_0, u(s)),   0 <= s <= 1      v(s), v'(s): Hermite's cubic of v by v', and its derivative
//   u: Hermite's cubic by u = 0 and u' = v_0 at the begin, u = q_1 - q_0 and u' = T_exp(u)^-1 v_1 at the end
//
// u is the rotation vector of an orientation from its place at the begin (lgim eqs. 24, 25), so that a constant spin is
// exact. Coordinates of drivers have their functions. The error of u and v is h^4 / 384 of the fourth derivative. Where
// channels are Hermite's cubics between such states, parts that turn bodies by theta err by theta^4 / 384 of a lever:
//
//   parts = sum |turn of a coordinate| / (384 tolerance)^(1/4), rounded up
//
// Not handled: multipliers, which stay those of the end; body coordinates.
#pragma once
#include "kernels/joint_coordinates/mechanism.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class S>
struct StepCourse {
    using System = S;
    using Real = typename System::Real;
    using Velocity = typename System::Velocity;
    // A step beyond has the last of so many parts' resolution; none that ends in time is longer.
    static constexpr double most_parts = 65536.0;

    Motion<System> begin;
    Velocity acceleration;          // at the begin
    Velocity u, rate, end_rate, v;  // u_1, T_exp(u_1)^-1 v_1 and v_1' of the end, v_1
    Real begin_s, end_s;

    MYRIAD_HD void begin_at(const Motion<System>& motion, const Velocity& rate_of_velocity, Real time_s) {
        begin = motion, acceleration = rate_of_velocity, begin_s = time_s;
    }
    // Returns the number of parts.
    MYRIAD_NOINLINE Real end_at(const System& system, const Schedule& schedule, const Motion<System>& motion,
                                const Velocity& rate_of_velocity, Real time_s) {
        const auto& topology = system.topology;
        end_s = time_s, end_rate = rate_of_velocity, v = motion.v;
        increment_to(begin.q, motion.q, u);
        const Real h = end_s - begin_s;
        Real turn(0.0);
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
            const TreeLink& link = topology.link(l);
            const int freedom = link.freedom + link.slides;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < freedoms_of(link.turning); ++i) {
                const Real speed = maximum(absolute(begin.v[freedom + i]), absolute(v[freedom + i]));
                turn = turn + maximum(absolute(u[freedom + i]), h * speed);
            }
        }
        system.local_rate(begin.q, u, v, rate);
        const Real tolerance(schedule.absolute_tolerance + schedule.relative_tolerance);
        const Real parts = nearest_integer(turn / sqrt(sqrt(Real(384.0) * tolerance)) + Real(0.5));
        return minimum(maximum(parts, Real(1.0)), Real(most_parts));
    }
    // `motion` comes with the angles over full turns of a state shortly before.
    MYRIAD_NOINLINE void state(const System& system, Real s, Motion<System>& motion, Velocity& a) const {
        const auto& topology = system.topology;
        const Real h = end_s - begin_s, two(2.0), three(3.0);
        Velocity at;
        at.fit(topology), motion.v.fit(topology), a.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) {
            const Real d0 = h * begin.v[i], d1 = h * rate[i];
            const Real c2 = fma(three, u[i], -fma(two, d0, d1)), c3 = fma(-two, u[i], d0 + d1);
            at[i] = s * fma(s, fma(s, c3, c2), d0);
            const Real rise = v[i] - begin.v[i], b0 = h * acceleration[i], b1 = h * end_rate[i];
            const Real e2 = fma(three, rise, -fma(two, b0, b1)), e3 = fma(-two, rise, b0 + b1);
            motion.v[i] = fma(s, fma(s, fma(s, e3, e2), b0), begin.v[i]);
            a[i] = fma(s, fma(three * s, e3, two * e2), b0) / h;
        }
        system.retract(begin.q, at, motion.q);
        if (topology.prescribed() > 0) {
            Taylor<Real> functions[System::Topology::most_functions];
            system.functions_at(fma(s, h, begin_s), functions);
            system.prescribe(functions, motion.q, motion.v);
            system.prescribe_acceleration(functions, a);
        }
        system.settle(motion.q);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
