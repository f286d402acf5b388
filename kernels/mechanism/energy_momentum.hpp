// One evaluation of the equations of an energy-momentum step of a mechanism: residual and, where asked for, matrix.
//
//   m (v+ - v)/h - m g + sum +-D lambda - f = 0           x+ = x + h (v + v+)/2, world frame
//   inertial(b) + sum g lambda - torque = 0               energy_momentum_members.hpp, discrete_rotation.hpp
//   constraint: phi(q+) = 0                               law: lambda - k (phi + phi+)/2 - c (phi+ - phi)/h = 0
//
//   row        D                      g of body b, by torque(s, f) of its DiscreteRotation
//   point      e_k                    +-torque(s, e_k)
//   distance   (d + d+)/(|d| + |d+|)  +-torque(s, D)
//   dot_1      0                      torque(u, M w) for u on b and w on the other body; of EML the gradient of
//                                     a . R(r) b in r = q_i* o q_j, which is bilinear:
//                                     -Vec(q_b* o q_c o w o (q_c* o q_b)_mean o u), b and c at q_half
//
// so that phi+ - phi = D . (increments of position) + g . (increments of rotation) to round-off: constraints do no
// work, springs give back what they took and dampers take c (phi+ - phi)^2/h. lambda, f and torques belong to the
// middle of the step. The unknown z of a body is (acceleration of the centre, z_theta) with x+ += (h^2/2) z_x and q+ ->
// q+ exp((h^2/2) z_theta); constraint rows are divided by h^2/2, as in equations.hpp, and what couples two bodies is
// left out in the same way. Source: livens sects. 4.3 and 5.5; the mean's gradients are those of the discrete product
// rule. Not handled: other kinds of elements, drivers; the reader of the study refuses them (study_mechanism.cpp).
#pragma once
#include "kernels/mechanism/energy_momentum_members.hpp"
#include "kernels/mechanism/mechanism.hpp"

namespace myriad::inline MYRIAD_VARIANT {

MYRIAD_HD constexpr bool has_discrete_gradient(ElementKind kind) {
    return kind == ElementKind::point || kind == ElementKind::dot_1 || kind == ElementKind::distance;
}

// All that an evaluation reads and writes beside state and parameters. `solver.work` holds the end of the step and
// `solver.functions` the functions of time there.
template <class System, class Member>
struct DiscreteScratch {
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    typename System::Scratch solver;
    Bodies<Real, Topology::most_bodies> begin;
    Taylor<Real> functions_before[Topology::most_functions], functions_between[Topology::most_functions];
    Turn<Real> turn[Topology::most_bodies];
    typename Member::template DiscreteRotation<Real> rotation[Topology::most_bodies];
    Rotation<Real> middle[Topology::most_bodies];  // q_half
};

template <class Real>
MYRIAD_HD Vec<3, Real> column_of(const Mat3<Real>& m, int k) {
    return {m.e[0][k], m.e[1][k], m.e[2][k]};
}
template <class Real>
MYRIAD_HD Rotation<Real> pure_quaternion(const Vec<3, Real>& v) {
    return {Real(0.0), v[0], v[1], v[2]};
}

template <class System, class Member>
struct DiscreteEquations {
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Scratch = DiscreteScratch<System, Member>;
    using Configuration = typename System::Configuration;
    const System& system;
    const Configuration& q;  // begin
    Real h;
    Scratch& scratch;

    MYRIAD_HD const Topology& topology() const { return system.topology; }
    MYRIAD_HD const typename System::Parameters& p() const { return *system.parameters; }
    MYRIAD_HD auto equations() const { return system.equations(scratch.solver.functions); }
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
    MYRIAD_HD Rotation<Real> before(int b) const { return b < 0 ? unturned() : q.orientation[b]; }
    MYRIAD_HD Rotation<Real> after(int b) const { return b < 0 ? unturned() : q.orientation[b] * scratch.turn[b].r; }
    static MYRIAD_HD Rotation<Real> unturned() { return {Real(1.0), Real(0.0), Real(0.0), Real(0.0)}; }

    // From the point of the first body to that of the second, at the beginning of the step or at its end.
    MYRIAD_HD Vec<3, Real> between_points(const Element& e, const Bodies<Real, Topology::most_bodies>& bodies) const {
        return bodies.point(e.body[1], vector_at<Real>(p(), e.parameter + 3)) -
               bodies.point(e.body[0], vector_at<Real>(p(), e.parameter));
    }
    MYRIAD_HD Real length_of(const Element& e, const Bodies<Real, Topology::most_bodies>& bodies) const {
        const Vec<3, Real> d = between_points(e, bodies);
        return sqrt(dot(d, d));
    }

    // r_mean = (q_c* o q_b + q_c+* o q_b+)/2
    MYRIAD_HD Rotation<Real> mean_relative(int b, int c) const {
        const Real half(0.5);
        const Rotation<Real> r = inverse(before(c)) * before(b), s = inverse(after(c)) * after(b);
        return {half * (r.w + s.w), half * (r.x + s.x), half * (r.y + s.y), half * (r.z + s.z)};
    }
    // The gradient of a dot_1 row on `side` and, times lambda, its derivative, added to the stiffness.
    MYRIAD_HD Vec<3, Real> dot_torque(const Element& e, int side, Real lambda, Mat3<Real>& m) const {
        const int b = e.body[side], c = e.body[1 - side];
        const Vec<3, Real> u = vector_at<Real>(p(), e.parameter + 3 * side),
                           w = vector_at<Real>(p(), e.parameter + 3 * (1 - side));
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

    // Fills work.right_hand_side, minus the residual, and the matrix. `b` are the unknown accelerations.
    MYRIAD_ROOM void evaluate(const typename System::Velocity& omega, const KeptSpin<Real>* kept,
                              const typename System::Velocity& b, const Real* multiplier, Real* matrix) const {
        auto& work = scratch.solver.work;
        const int bodies = topology().bodies();
        Vec<3, Real> force[Topology::most_bodies], torque[Topology::most_bodies];
        BodyStiffness<Real> stiff[Topology::most_bodies];
        const Vec<3, Real> gravity = vector_at<Real>(p(), gravity_parameter);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < bodies; ++i) {
            const int at = parameters_of_body(i);
            force[i] = p()[at + body_mass] * (b.linear(i) - gravity);
            const Inertial<Real> inertial = Member::inertial(
                scratch.turn[i], symmetric_at<Real>(p(), at + body_inertia), omega.turning(i), h, kept[i]);
            torque[i] = inertial.residual;
            // The inertial part is not times h^2/2 like the others.
            MYRIAD_UNROLL for (int row = 0; row < 3; ++row) MYRIAD_UNROLL for (int column = 0; column < 3; ++column)
                matrix[topology().body_slot(i, 3 + row, 3 + column)] = inertial.matrix.e[row][column];
            stiff[i].rotation = zero_matrix<Real>();
            if (has_full_block(i))
                stiff[i].translation = stiff[i].translation_rotation = stiff[i].rotation_translation =
                    zero_matrix<Real>();
        }
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology().loads(); ++l)
            add_load(topology().load(l), force, torque, stiff);
        // One loop for each kind: a compiler for GPUs unrolls them over constant elements only as long as they are
        // short.
        const int elements = topology().elements();
        MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::point))
            add_point(topology().element(e), multiplier, force, torque, stiff, matrix);
        MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::dot_1))
            add_dot(topology().element(e), multiplier, torque, stiff, matrix);
        MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::distance))
            add_distance(topology().element(e), multiplier, force, torque, stiff, matrix);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < bodies; ++i) {
            MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                work.right_hand_side[6 * i + k] = -force[i][k];
                work.right_hand_side[6 * i + 3 + k] = -torque[i][k];
            }
            store_body(i, stiff[i], matrix);
        }
    }

    // What loads, dampers and springs of changing rest length did in this step, J; multipliers are those of the step.
    MYRIAD_ROOM Real work_of_step(const Configuration& end, const Real* multiplier) const {
        Real sum(0.0);
        const auto& after_step = scratch.solver.work.bodies;
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology().loads(); ++l) {
            const Load& load = topology().load(l);
            const int b = load.body;
            const Vec<3, Real> f = given(load), turn = scratch.rotation[b].turn;
            if (load.kind == LoadKind::torque_body) {
                sum = sum + dot(f, turn);
            } else if (load.kind == LoadKind::torque_world) {
                sum = sum + dot(f, scratch.rotation[b].end * turn);
            } else {
                const Vec<3, Real> s = vector_at<Real>(p(), load.parameter);
                const Vec<3, Real> way =
                    (end.position[b] - q.position[b]) + (after_step.of[b].matrix * s - scratch.begin.of[b].matrix * s);
                sum = sum + dot(load.kind == LoadKind::force_body ? arm(b, f) : f, way);
            }
        }
        MYRIAD_UNROLL_PLAN for (int e = 0; e < topology().elements(); ++e) {
            const Element& element = topology().element(e);
            if (!element.has_law || element.kind != ElementKind::distance) continue;
            const Real change_of_rest = value_of(scratch.solver.functions, element.function) -
                                        value_of(scratch.functions_before, element.function);
            const Real change = (length_of(element, after_step) - length_of(element, scratch.begin)) - change_of_rest;
            sum = fma(-multiplier[element.row[0]], change_of_rest, sum);
            sum = fma(-(equations().damping(element, 0) / h), change * change, sum);
        }
        return sum;
    }

  private:
    MYRIAD_HD bool has_full_block(int b) const { return topology().body_slot(b, 0, 1) >= 0; }

    MYRIAD_HD void store_body(int b, const BodyStiffness<Real>& stiff, Real* matrix) const {
        const Real position = Real(0.5) * (h * h), mass = p()[parameters_of_body(b) + body_mass];
        const bool full = has_full_block(b);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            Real& turning = matrix[topology().body_slot(b, 3 + i, 3 + k)];
            turning = fma(position, stiff.rotation.e[i][k], turning);
            if (full) {
                matrix[topology().body_slot(b, i, k)] =
                    fma(position, stiff.translation.e[i][k], i == k ? mass : Real(0.0));
                matrix[topology().body_slot(b, i, 3 + k)] = position * stiff.translation_rotation.e[i][k];
                matrix[topology().body_slot(b, 3 + i, k)] = position * stiff.rotation_translation.e[i][k];
            } else if (i == k) {
                matrix[topology().body_slot(b, i, i)] = mass;
            }
        }
    }

    MYRIAD_HD void add_load(const Load& load, Vec<3, Real>* force, Vec<3, Real>* torque,
                            BodyStiffness<Real>* stiff) const {
        const int b = load.body;
        const Vec<3, Real> f = given(load);
        const auto& rotation = scratch.rotation[b];
        const Real minus(-1.0);
        if (load.kind == LoadKind::torque_body) {
            torque[b] = torque[b] - rotation.body_torque(f);
            rotation.add_body_torque_stiffness(stiff[b].rotation, minus, f);
        } else if (load.kind == LoadKind::torque_world) {
            torque[b] = torque[b] - rotation.free_torque(f);
            rotation.add_free_torque_stiffness(stiff[b].rotation, minus, f);
        } else {
            const Vec<3, Real> s = vector_at<Real>(p(), load.parameter);
            const bool in_body = load.kind == LoadKind::force_body;
            const Vec<3, Real> in_world = in_body ? rotation.arm(f) : f;
            force[b] = force[b] - in_world;
            torque[b] = torque[b] - rotation.torque(s, in_world);
            rotation.add_torque_stiffness(stiff[b].rotation, minus, s, in_world);
            if (in_body) {
                const Mat3<Real> turned = rotation.direction_stiffness(f);
                stiff[b].translation_rotation = fma(minus, turned, stiff[b].translation_rotation);
                stiff[b].rotation = fma(minus, rotation.lever_map(s) * turned, stiff[b].rotation);
            }
        }
    }

    // False of sensors and of elements all of whose rows are redundant.
    MYRIAD_HD bool acts_as(int e, ElementKind kind) const {
        const Element& element = topology().element(e);
        return element.kind == kind && (element.row[0] >= 0 || element.row[1] >= 0 || element.row[2] >= 0);
    }

    MYRIAD_HD void add_point(const Element& e, const Real* multiplier, Vec<3, Real>* force, Vec<3, Real>* torque,
                             BodyStiffness<Real>* stiff, Real* matrix) const {
        const auto& places = scratch.solver.work.bodies;
        const Vec<3, Real> phi = between_points(e, places);
        Vec<3, Real> lambda{Real(0.0), Real(0.0), Real(0.0)};
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            if (e.row[k] < 0) continue;
            lambda[k] = multiplier[e.row[k]];
            set_constraint(e.row[k], phi[k]);
        }
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            const Real sign(side == 0 ? -1.0 : 1.0);
            const Vec<3, Real> s = vector_at<Real>(p(), e.parameter + 3 * side);
            const auto& rotation = scratch.rotation[b];
            const Mat3<Real> levers = rotation.lever_map(s);
            force[b] = fma(sign, lambda, force[b]);
            torque[b] = fma(sign, rotation.torque(s, lambda), torque[b]);
            rotation.add_torque_stiffness(stiff[b].rotation, sign, s, lambda);
            MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                if (e.row[k] < 0) continue;
                const Vec<3, Real> direction = sign * unit_vector<Real>(k);
                store_column(e.row[k], side, direction, sign * column_of(levers, k), matrix);
                store_row(e.row[k], side, direction, sign * cross(s, row_of(places.of[b].matrix, k)), matrix);
            }
        }
    }

    MYRIAD_HD void add_dot(const Element& e, const Real* multiplier, Vec<3, Real>* torque, BodyStiffness<Real>* stiff,
                           Real* matrix) const {
        const auto& places = scratch.solver.work.bodies;
        const int r = e.row[0];
        const Real lambda = multiplier[r];
        const Vec<3, Real> direction[2] = {places.to_world(e.body[0], vector_at<Real>(p(), e.parameter)),
                                           places.to_world(e.body[1], vector_at<Real>(p(), e.parameter + 3))};
        set_constraint(r, dot(direction[0], direction[1]) - value_of(scratch.solver.functions, e.function));
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            const Vec<3, Real> g = dot_torque(e, side, lambda, stiff[b].rotation), none{},
                               u = vector_at<Real>(p(), e.parameter + 3 * side);
            torque[b] = fma(lambda, g, torque[b]);
            store_column(r, side, none, g, matrix);
            store_row(r, side, none, cross(u, places.to_body(b, direction[1 - side])), matrix);
        }
    }

    MYRIAD_HD void add_distance(const Element& e, const Real* multiplier, Vec<3, Real>* force, Vec<3, Real>* torque,
                                BodyStiffness<Real>* stiff, Real* matrix) const {
        auto& work = scratch.solver.work;
        const int r = e.row[0];
        const Real lambda = multiplier[r];
        const Vec<3, Real> before = between_points(e, scratch.begin), after_step = between_points(e, work.bodies);
        const Real length_before = sqrt(dot(before, before)), length = sqrt(dot(after_step, after_step));
        const Real inverse_lengths = Real(1.0) / (length_before + length);
        const Vec<3, Real> direction = inverse_lengths * (before + after_step), end = (Real(1.0) / length) * after_step;
        const Real phi = length - value_of(scratch.solver.functions, e.function);
        // Of a law k (phi + phi+)/2 + c (phi+ - phi)/h, by phi+ and times h^2/2.
        Real scale(1.0);
        if (e.has_law) {
            const Real half(0.5), k = equations().stiffness(e, 0), c = equations().damping(e, 0) / h;
            const Real phi_before = length_before - value_of(scratch.functions_before, e.function);
            work.right_hand_side[6 * topology().bodies() + r] =
                lambda - fma(half * k, phi_before + phi, c * (phi - phi_before));
            scale = (half * (h * h)) * fma(half, k, c);
            matrix[topology().diagonal_slot(r)] = Real(-1.0);
        } else {
            set_constraint(r, phi);
        }
        // lambda dD/dd+ = lambda (I - D e+^T)/(|d| + |d+|)
        const Real size = lambda * inverse_lengths;
        Mat3<Real> turning = diagonal(size);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) turning.e[i][k] =
            fma(-size * direction[i], end[k], turning.e[i][k]);
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            const Real sign(side == 0 ? -1.0 : 1.0);
            const Vec<3, Real> s = vector_at<Real>(p(), e.parameter + 3 * side), signed_direction = sign * direction;
            const auto& rotation = scratch.rotation[b];
            const Mat3<Real>& orientation = work.bodies.of[b].matrix;
            const Vec<3, Real> g = rotation.torque(s, signed_direction);
            force[b] = fma(lambda, signed_direction, force[b]);
            torque[b] = fma(lambda, g, torque[b]);
            rotation.add_torque_stiffness(stiff[b].rotation, lambda, s, signed_direction);
            // d d+ = +-(dx - R+ s~ dtheta); the signs of d and of the force cancel.
            const Mat3<Real> by_turn = turning * (orientation * skew(-s)), levers = rotation.lever_map(s);
            stiff[b].translation = fma(Real(1.0), turning, stiff[b].translation);
            stiff[b].translation_rotation = fma(Real(1.0), by_turn, stiff[b].translation_rotation);
            stiff[b].rotation_translation = fma(Real(1.0), levers * turning, stiff[b].rotation_translation);
            stiff[b].rotation = fma(Real(1.0), levers * by_turn, stiff[b].rotation);
            store_column(r, side, signed_direction, g, matrix);
            const Vec<3, Real> scaled = (sign * scale) * end;
            store_row(r, side, scaled, cross(s, transposed_times(orientation, scaled)), matrix);
        }
    }

    MYRIAD_HD void store_column(int r, int side, const Vec<3, Real>& direction, const Vec<3, Real>& torque,
                                Real* matrix) const {
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            const int linear = topology().column_slot(r, side, i), angular = topology().column_slot(r, side, 3 + i);
            if (linear >= 0) matrix[linear] = direction[i];
            if (angular >= 0) matrix[angular] = torque[i];
        }
    }
    // The gradient of phi at the end.
    MYRIAD_HD void store_row(int r, int side, const Vec<3, Real>& direction, const Vec<3, Real>& turn,
                             Real* matrix) const {
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            const int linear = topology().row_slot(r, side, i), angular = topology().row_slot(r, side, 3 + i);
            if (linear >= 0) matrix[linear] = direction[i];
            if (angular >= 0) matrix[angular] = turn[i];
        }
    }
    // The row of a constraint, divided by h^2/2.
    MYRIAD_HD void set_constraint(int r, Real phi) const {
        scratch.solver.work.right_hand_side[6 * topology().bodies() + r] = -((Real(2.0) / (h * h)) * phi);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
