// The rows of a mechanism over one step of an energy-momentum method: values, discrete gradients, work.
//
//   row              D                        g of body b, by torque(s, f) of its DiscreteRotation
//   point, CD        e_k, c                   +-torque(s, D)
//   distance         (d + d+)/(|d| + |d+|)    +-torque(s, D)
//   DP2              (a^w + a^w+)/2           +-torque(s, D), and of body i torque(a, (d + d+)/2)
//   DP1 and angles   0                        of a . b: turning_gradient; delta: what an angle changes by
//   rotation_vector  0                        +-pair_torque(half the gradients at both ends, corrected as by Gonzalez)
//
// The change of phi at a fixed f is D . (increments of position) + g . (of rotation) to round-off. Source: livens
// sects. 4.3, 5.5; the discrete product rule. Not handled: delta of half a turn.
#pragma once
#include "kernels/mechanism/energy_momentum/energy_momentum_members.hpp"
#include "kernels/mechanism/mechanism.hpp"
#include "kernels/mechanism/observe.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Where a step finds its bodies and where its equations lie: kernels/joint_coordinates/energy_momentum_layout.hpp.
template <class System>
struct DiscreteLayout;

// All that an evaluation reads and writes beside state and parameters. `solver` has the bodies at the end of the step,
// and the functions of time there.
template <class System, class Member>
struct DiscreteScratch {
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Layout = DiscreteLayout<System>;
    static constexpr int most_bodies = Layout::most_bodies;
    typename System::Scratch solver;
    [[no_unique_address]] typename Layout::Room room;
    Bodies<Real, most_bodies> begin;
    Taylor<Real> functions_before[Topology::most_functions], functions_between[Topology::most_functions];
    Turn<Real> turn[most_bodies];  // each body's, over the step
    typename Member::template DiscreteRotation<Real> rotation[most_bodies];
    Rotation<Real> middle[most_bodies];  // q_half

    MYRIAD_HD Layout layout(const System& system) { return {system, solver, room}; }
};

template <class Real>
MYRIAD_HD Rotation<Real> pure_quaternion(const Vec<3, Real>& v) {
    return {Real(0.0), v[0], v[1], v[2]};
}

// A row on a . b, a fixed to body i and b to body j. `vector` gives its gradient over the step, `at_end` its gradient
// at the end, both in the axes of their bodies.
template <class Real>
struct TurningRow {
    Vec<3, Real> vector[2], at_end[2];
    Real phi_before, phi;
};

MYRIAD_HD constexpr bool is_turning(ElementKind kind) {
    return kind == ElementKind::dot_1 || kind == ElementKind::driven_angle || kind == ElementKind::angle;
}

template <class System, class Member>
struct DiscreteRows {
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Scratch = DiscreteScratch<System, Member>;
    using Configuration = typename System::Configuration;
    using Layout = DiscreteLayout<System>;
    using Places = Bodies<Real, Layout::most_bodies>;
    static constexpr unsigned kinds = all_element_kinds;
    const System& system;
    const Configuration& q;  // begin
    Real h;
    Scratch& scratch;

    MYRIAD_HD const Topology& topology() const { return system.topology; }
    MYRIAD_HD const typename System::Parameters& p() const { return *system.parameters; }
    MYRIAD_HD Layout layout() const { return scratch.layout(system); }
    MYRIAD_HD Places& places() const { return layout().places(); }
    static MYRIAD_HD Real value_of(const Taylor<Real>* functions, int index) {
        return index < 0 ? Real(0.0) : functions[index].value;
    }
    MYRIAD_HD Vec<3, Real> given(const Load& load) const {
        return {value_of(scratch.functions_between, load.function[0]),
                value_of(scratch.functions_between, load.function[1]),
                value_of(scratch.functions_between, load.function[2])};
    }
    MYRIAD_HD Vec<3, Real> arm(int b, Vec<3, Real> s) const { return b < 0 ? s : scratch.rotation[b].arm(s); }
    MYRIAD_HD Rotation<Real> middle(int b) const { return b < 0 ? unturned() : scratch.middle[b]; }
    MYRIAD_HD Rotation<Real> before(int b) const { return b < 0 ? unturned() : Layout::orientation(q, b); }
    MYRIAD_HD Rotation<Real> after(int b) const {
        return b < 0 ? unturned() : Layout::orientation(q, b) * scratch.turn[b].r;
    }
    static MYRIAD_HD Rotation<Real> unturned() { return {Real(1.0), Real(0.0), Real(0.0), Real(0.0)}; }
    MYRIAD_HD Real turned_before(const Element& e) const { return e.angle < 0 ? Real(0.0) : q.turned[e.angle]; }

    // The vector from the point of the first body to that of the second, at the beginning or at the end of the step;
    // s_i and s_j stand among the parameters at `points`.
    MYRIAD_HD Vec<3, Real> between_points(const Element& e, const Places& bodies, int points) const {
        return bodies.point(e.body[1], vector_at<Real>(p(), points + 3)) -
               bodies.point(e.body[0], vector_at<Real>(p(), points));
    }
    MYRIAD_HD Rows<Real> rows_before(const Element& e) const {
        return rows_at<kinds>(e, scratch.begin, p(), function_of(scratch.functions_before, e), turned_before(e));
    }
    MYRIAD_HD Rows<Real> rows_after(const Element& e) const {
        return rows_at<kinds>(e, places(), p(), function_of(scratch.solver.functions, e), turned_before(e));
    }

    // r_mean = (q_c* o q_b + q_c+* o q_b+)/2
    MYRIAD_HD Rotation<Real> mean_relative(int b, int c) const {
        const Real half(0.5);
        const Rotation<Real> r = inverse(before(c)) * before(b), s = inverse(after(c)) * after(b);
        return {half * (r.w + s.w), half * (r.x + s.x), half * (r.y + s.y), half * (r.z + s.z)};
    }
    // The gradient of a . b on `side` and, times lambda, its derivative, added to the stiffness: torque(u, M w) with u
    // on this body and w on the other one. For EML it is the gradient of a . R(r) b in r = q_i* o q_j, which is
    // bilinear: -Vec(q_b* o q_c o w o (q_c* o q_b)_mean o u), b and c at q_half.
    MYRIAD_HD Vec<3, Real> turning_gradient(const Element& e, int side, const Vec<3, Real> (&vector)[2], Real lambda,
                                            Mat3<Real>& m) const {
        const int b = e.body[side], c = e.body[1 - side];
        const Vec<3, Real> u = vector[side], w = vector[1 - side];
        const auto& rotation = scratch.rotation[b];
        if constexpr (Member::has_relative_quaternions) {
            const Rotation<Real> y = inverse(scratch.middle[b]) * (middle(c) * pure_quaternion(w)),
                                 z = (y * mean_relative(b, c)) * pure_quaternion(-u);
            const Vec<3, Real> torque = vector_part_of(z);
            // d(q_half*) = (-ratio . theta, -one_and_ratio theta)/4 o q_half*, d r_mean = r+ o (0, theta)/4
            const Real quarter = Real(0.25) * lambda;
            const Rotation<Real> x = y * (inverse(after(c)) * after(b));
            const Vec<3, Real> xv = vector_part_of(x);
            Mat3<Real> by_middle = diagonal(-z.w), by_mean = diagonal(x.w);
            add_skew(by_middle, Real(1.0), torque);
            add_skew(by_mean, Real(1.0), xv);
            m = fma(quarter, by_middle * rotation.one_and_ratio(), m);
            m = fma(quarter, skew(u) * by_mean, m);
            m = fma(quarter, rotation.outer(u, xv), fma(-quarter, rotation.outer(torque, rotation.ratio), m));
            return torque;
        } else {
            const Vec<3, Real> seen = arm(c, w);
            rotation.add_torque_stiffness(m, lambda, u, seen);
            return rotation.torque(u, seen);
        }
    }

    // DP1, driven_angle and angle, whose turns are less than half a turn from one end of the step to the other.
    MYRIAD_HD TurningRow<Real> turning_row(const Element& e) const {
        const Places& places = this->places();
        const int i = e.body[0], j = e.body[1], at = e.parameter;
        const Real f_before = value_of(scratch.functions_before, e.function),
                   f = value_of(scratch.solver.functions, e.function);
        TurningRow<Real> row;
        const Vec<3, Real> first = vector_at<Real>(p(), at);
        if (e.kind == ElementKind::dot_1) {
            const Vec<3, Real> b = vector_at<Real>(p(), at + 3);
            row.vector[0] = row.at_end[0] = first, row.vector[1] = row.at_end[1] = b;
            row.phi = dot(places.to_world(i, first), places.to_world(j, b)) - f;
            row.phi_before =
                e.has_law ? dot(scratch.begin.to_world(i, first), scratch.begin.to_world(j, b)) - f_before : Real(0.0);
        } else if (e.kind == ElementKind::driven_angle) {
            const Vec<3, Real> normal = vector_at<Real>(p(), at + 3), b = vector_at<Real>(p(), at + 6);
            row.vector[0] = driven(first, normal, value_of(scratch.functions_between, e.function));
            row.at_end[0] = driven(first, normal, f);
            row.vector[1] = row.at_end[1] = b;
            row.phi = dot(places.to_world(i, row.at_end[0]), places.to_world(j, b));
            row.phi_before = Real(0.0);  // never a law
        } else {
            // c = a . b and s = g . b: c_mean (s+ - s) - s_mean (c+ - c) = c s+ - s c+ = (c^2 + s^2) sin delta, so that
            // delta / (c s+ - s c+) makes of it delta.
            const Vec<3, Real> a = vector_at<Real>(p(), at + 3), g = vector_at<Real>(p(), at + 6),
                               b = vector_at<Real>(p(), at + 9);
            const Vec<3, Real> seen_before = scratch.begin.to_body(i, scratch.begin.to_world(j, b)),
                               seen = places.to_body(i, places.to_world(j, b));
            const Real zero(0.0), one(1.0), c_before = dot(a, seen_before), s_before = dot(g, seen_before);
            const Real c = dot(a, seen), s = dot(g, seen);
            const Real across = fma(c_before, s, -(s_before * c)), along = fma(c_before, c, s_before * s);
            const Real delta = atan2(across, along);
            const Real scale =
                Real(0.5) * select(across == zero, one / along, delta / select(across == zero, one, across));
            row.vector[0] = fma(scale * (c_before + c), g, -(scale * (s_before + s)) * a);
            row.vector[1] = b;
            const Real inverse_square = one / fma(c, c, s * s);
            row.at_end[0] = inverse_square * fma(c, g, -s * a), row.at_end[1] = b;
            const Real turned = turned_before(e);
            row.phi_before = turned - f_before, row.phi = (turned + delta) - f;
        }
        return row;
    }

    MYRIAD_HD Real length_of(const Element& e, const Places& bodies) const {
        const Vec<3, Real> d = between_points(e, bodies, e.parameter);
        return sqrt(dot(d, d));
    }
    MYRIAD_HD Real change_of_function(const Element& e) const {
        return value_of(scratch.solver.functions, e.function) - value_of(scratch.functions_before, e.function);
    }
    // phi+ - phi of a law
    MYRIAD_NOINLINE Vec<3, Real> change_of(const Element& e) const {
        Vec<3, Real> change{};
        if (e.kind == ElementKind::distance) {
            change[0] = (length_of(e, places()) - length_of(e, scratch.begin)) - change_of_function(e);
        } else if (is_turning(e.kind)) {
            const TurningRow<Real> row = turning_row(e);
            change[0] = row.phi - row.phi_before;
        } else {
            change = rows_after(e).value - rows_before(e).value;
        }
        return change;
    }
    // The work that the change of f does through a constraint, J.
    MYRIAD_NOINLINE Real work_of_driver(const Element& e, Real lambda) const {
        if (e.kind != ElementKind::driven_angle) return -(lambda * change_of_function(e));
        const TurningRow<Real> row = turning_row(e);
        const Places& end = places();
        const Real before = dot(scratch.begin.to_world(e.body[0], row.vector[0]),
                                scratch.begin.to_world(e.body[1], row.vector[1])),
                   after = dot(end.to_world(e.body[0], row.vector[0]), end.to_world(e.body[1], row.vector[1]));
        return -(lambda * (after - before));
    }

    // The work of loads, drivers, dampers and laws with a changing function in this step, J. Multipliers are those of
    // the step.
    MYRIAD_NOINLINE Real work_of_step(const Configuration& end, const Real* multiplier) const {
        Real sum(0.0);
        const auto& after_step = places();
        MYRIAD_EACH(l, topology(), loads) {
            const Load& load = topology().load(l);
            const int b = load.body;
            const Vec<3, Real> f = given(load), turn = scratch.rotation[b].turn;
            if (load.kind == LoadKind::torque_body) {
                sum = sum + dot(f, turn);
            } else if (load.kind == LoadKind::torque_world) {
                sum = sum + dot(f, scratch.rotation[b].end * turn);
            } else {
                const Vec<3, Real> s = vector_at<Real>(p(), load.parameter);
                const Vec<3, Real> way = (Layout::position(end, b) - Layout::position(q, b)) +
                                         (after_step.of[b].matrix * s - scratch.begin.of[b].matrix * s);
                sum = sum + dot(load.kind == LoadKind::force_body ? arm(b, f) : f, way);
            }
        }
        MYRIAD_EACH(e, topology(), elements) {
            const Element& element = topology().element(e);
            if (element.is_sensor || (!element.has_law && element.function < 0)) continue;
            if (!element.has_law) {
                if (element.row[0] >= 0) sum = sum + work_of_driver(element, multiplier[element.row[0]]);
                continue;
            }
            const Real change_of_rest = change_of_function(element);
            const Vec<3, Real> change = change_of(element);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                sum = fma(-multiplier[element.row[k]], change_of_rest, sum);
                sum = fma(-(layout().damping(element, k) / h), change[k] * change[k], sum);
            }
        }
        return sum;
    }

  private:
    MYRIAD_HD Taylor<Real> function_of(const Taylor<Real>* functions, const Element& e) const {
        return Taylor<Real>::constant(value_of(functions, e.function));
    }
    static MYRIAD_HD Vec<3, Real> driven(const Vec<3, Real>& reference, const Vec<3, Real>& normal, Real f) {
        const SineCosine<Real> turn = sincos(f);
        return fma(turn.cosine, normal, -turn.sine * reference);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
