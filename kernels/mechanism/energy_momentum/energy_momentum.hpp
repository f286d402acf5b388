// One evaluation of the equations of an energy-momentum step of a mechanism: residual and, where asked for, matrix.
//
//   m (v+ - v)/h - m g + sum +-D lambda - f = 0           x+ = x + h (v + v+)/2, world frame
//   inertial(b) + sum g lambda - torque = 0               D, g: discrete_rows.hpp; see energy_momentum_members.hpp
//   constraint: phi(q+, t+) = 0
//   law: lambda - k (phi + phi+)/2 - c (phi+ - phi)/h = 0
//
// Constraints do no work but -lambda (change of phi by time alone), springs give back their work, dampers take
// c (phi+ - phi)^2/h. lambda, f and torques belong to the middle of the step. A body's unknown z is (acceleration of
// the centre, z_theta): x+ += (h^2/2) z_x, q+ -> q+ exp((h^2/2) z_theta); rows of constraints are divided by h^2/2.
// The matrix leaves out the coupling of two bodies, and how the gradient of an angle turns with
// its increment.
#pragma once
#include "kernels/mechanism/energy_momentum/discrete_rows.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A body's block of the matrix, without the mass of its translation.
template <class Real>
struct BodyStiffness {
    Mat3<Real> rotation, translation, translation_rotation, rotation_translation;
};

template <class System, class Member>
struct DiscreteEquations : DiscreteRows<System, Member> {
    using Base = DiscreteRows<System, Member>;
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Layout = DiscreteLayout<System>;
    using Configuration = typename System::Configuration;
    using Base::arm;
    using Base::between_points;
    using Base::given;
    using Base::h;
    using Base::layout;
    using Base::p;
    using Base::places;
    using Base::q;
    using Base::scratch;
    using Base::system;
    using Base::topology;
    using Base::value_of;

    // Fills the right-hand sides, minus the residual, and the matrix. `b` are the unknown accelerations.
    MYRIAD_NOINLINE void evaluate(const typename System::Velocity& omega, const KeptSpin<Real>* kept,
                                  const typename System::Velocity& b, const Real* multiplier) const {
        const Layout layout = this->layout();
        const int bodies = Layout::bodies(topology());
        Vec<3, Real> force[Layout::most_bodies], torque[Layout::most_bodies];
        BodyStiffness<Real> stiff[Layout::most_bodies];
        Mat3<Real> inertia_by[Layout::most_bodies];
        layout.clear();
        const Vec<3, Real> gravity = vector_at<Real>(p(), gravity_parameter);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < bodies; ++i) {
            force[i] = Layout::mass(system, i) * (Layout::linear(b, i) - gravity);
            const Inertial<Real> inertial =
                Member::inertial(scratch.turn[i], Layout::inertia(system, i), Layout::turning(omega, i), h, kept[i]);
            torque[i] = inertial.residual;
            // Unlike the others, the inertial part is not multiplied by h^2/2.
            inertia_by[i] = inertial.matrix;
            stiff[i].rotation = zero_matrix<Real>();
            if (layout.has_full_block(i))
                stiff[i].translation = stiff[i].translation_rotation = stiff[i].rotation_translation =
                    zero_matrix<Real>();
        }
        MYRIAD_EACH(l, topology(), loads) add_load(topology().load(l), force, torque, stiff);
        // One loop for each kind: a compiler for GPUs unrolls them over constant elements only as long as they are
        // short.
        const int elements = topology().elements();
        if (is_among(Base::kinds, ElementKind::point))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::point))
                add_point(topology().element(e), multiplier, force, torque, stiff);
        if (is_among(Base::kinds, ElementKind::dot_1))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::dot_1)) {
                Element element = topology().element(e);
                element.kind = ElementKind::dot_1;  // the same kind: so that the compiler sees it
                add_turning(element, multiplier, torque, stiff);
            }
        if (is_among(Base::kinds, ElementKind::driven_angle))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::driven_angle))
                add_angle(topology().element(e), multiplier, torque, stiff);
        if (is_among(Base::kinds, ElementKind::angle))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::angle))
                add_angle(topology().element(e), multiplier, torque, stiff);
        if (is_among(Base::kinds, ElementKind::distance))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::distance))
                add_distance(topology().element(e), multiplier, force, torque, stiff);
        if (is_among(Base::kinds, ElementKind::coordinate_difference))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::coordinate_difference))
                add_along(topology().element(e), multiplier, force, torque, stiff);
        if (is_among(Base::kinds, ElementKind::dot_2))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::dot_2))
                add_along(topology().element(e), multiplier, force, torque, stiff);
        if (is_among(Base::kinds, ElementKind::rotation_vector))
            MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e) if (acts_as(e, ElementKind::rotation_vector))
                add_rotation_vector(topology().element(e), multiplier, torque, stiff);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < bodies; ++i) {
            layout.set_forces(i, force[i], torque[i]);
            store_body(i, inertia_by[i], stiff[i]);
        }
    }

  private:
    MYRIAD_HD void store_body(int b, const Mat3<Real>& inertia_by, const BodyStiffness<Real>& stiff) const {
        const Layout layout = this->layout();
        const Real position = Real(0.5) * (h * h), mass = Layout::mass(system, b);
        const bool full = layout.has_full_block(b);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            layout.set_entry(b, 3 + i, 3 + k, fma(position, stiff.rotation.e[i][k], inertia_by.e[i][k]));
            if (full) {
                layout.set_entry(b, i, k, fma(position, stiff.translation.e[i][k], i == k ? mass : Real(0.0)));
                layout.set_entry(b, i, 3 + k, position * stiff.translation_rotation.e[i][k]);
                layout.set_entry(b, 3 + i, k, position * stiff.rotation_translation.e[i][k]);
            } else if (i == k) {
                layout.set_entry(b, i, i, mass);
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

    // False for sensors and for elements all of whose rows are redundant.
    MYRIAD_HD bool acts_as(int e, ElementKind kind) const {
        const Element& element = topology().element(e);
        return element.kind == kind && (element.row[0] >= 0 || element.row[1] >= 0 || element.row[2] >= 0);
    }

    MYRIAD_HD void add_point(const Element& e, const Real* multiplier, Vec<3, Real>* force, Vec<3, Real>* torque,
                             BodyStiffness<Real>* stiff) const {
        const auto& places = this->places();
        const Vec<3, Real> phi = between_points(e, places, e.parameter);
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
                layout().store_column(e, e.row[k], side, direction, sign * column_of(levers, k));
                layout().store_row(e, e.row[k], side, direction, sign * cross(s, row_of(places.of[b].matrix, k)));
            }
        }
    }

    // Adds the rows on a . b: dot products and angles.
    MYRIAD_HD void add_turning(const Element& e, const Real* multiplier, Vec<3, Real>* torque,
                               BodyStiffness<Real>* stiff) const {
        const auto& places = this->places();
        const int r = e.row[0];
        const Real lambda = multiplier[r];
        const TurningRow<Real> row = this->turning_row(e);
        const Real scale = set_row(e, 0, lambda, row.phi_before, row.phi);
        const Vec<3, Real> direction[2] = {places.to_world(e.body[0], row.at_end[0]),
                                           places.to_world(e.body[1], row.at_end[1])};
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            const Vec<3, Real> g = this->turning_gradient(e, side, row.vector, lambda, stiff[b].rotation), none{};
            torque[b] = fma(lambda, g, torque[b]);
            Vec<3, Real> end = cross(row.at_end[side], places.to_body(b, direction[1 - side]));
            if (e.has_law) end = scale * end;
            layout().store_column(e, r, side, none, g);
            layout().store_row(e, r, side, none, end);
        }
    }

    MYRIAD_HD void add_distance(const Element& e, const Real* multiplier, Vec<3, Real>* force, Vec<3, Real>* torque,
                                BodyStiffness<Real>* stiff) const {
        const auto& places = this->places();
        const int r = e.row[0];
        const Real lambda = multiplier[r];
        const Vec<3, Real> before = between_points(e, scratch.begin, e.parameter),
                           after_step = between_points(e, places, e.parameter);
        const Real length_before = sqrt(dot(before, before)), length = sqrt(dot(after_step, after_step));
        const Real inverse_lengths = Real(1.0) / (length_before + length);
        const Vec<3, Real> direction = inverse_lengths * (before + after_step), end = (Real(1.0) / length) * after_step;
        const Real scale = set_row(e, 0, lambda, length_before - value_of(scratch.functions_before, e.function),
                                   length - value_of(scratch.solver.functions, e.function));
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
            const Mat3<Real>& orientation = places.of[b].matrix;
            const Vec<3, Real> g = push(e, side, s, lambda, signed_direction, force, torque, stiff);
            // d d+ = +-(dx - R+ s~ dtheta); the signs of d and of the force cancel.
            const Mat3<Real> by_turn = turning * (orientation * skew(-s)), levers = rotation.lever_map(s);
            stiff[b].translation = fma(Real(1.0), turning, stiff[b].translation);
            stiff[b].translation_rotation = fma(Real(1.0), by_turn, stiff[b].translation_rotation);
            stiff[b].rotation_translation = fma(Real(1.0), levers * turning, stiff[b].rotation_translation);
            stiff[b].rotation = fma(Real(1.0), levers * by_turn, stiff[b].rotation);
            layout().store_column(e, r, side, signed_direction, g);
            const Vec<3, Real> scaled = (sign * scale) * end;
            layout().store_row(e, r, side, scaled, cross(s, transposed_times(orientation, scaled)));
        }
    }

    MYRIAD_NOINLINE void add_angle(const Element& e, const Real* multiplier, Vec<3, Real>* torque,
                                   BodyStiffness<Real>* stiff) const {
        add_turning(e, multiplier, torque, stiff);
    }

    // Adds CD and DP2, rows along a direction of the world or of the first body.
    MYRIAD_NOINLINE void add_along(const Element& e, const Real* multiplier, Vec<3, Real>* force, Vec<3, Real>* torque,
                                   BodyStiffness<Real>* stiff) const {
        const auto& places = this->places();
        const bool turns = e.kind == ElementKind::dot_2 && e.body[0] >= 0;
        const int r = e.row[0], points = e.parameter + 3;
        const Real half(0.5), lambda = multiplier[r];
        const Vec<3, Real> a = vector_at<Real>(p(), e.parameter);
        const Vec<3, Real> start = turns ? scratch.begin.to_world(e.body[0], a) : a,
                           end = turns ? places.to_world(e.body[0], a) : a,
                           direction = turns ? half * (start + end) : a;
        const Vec<3, Real> d_before = between_points(e, scratch.begin, points), d = between_points(e, places, points);
        const Real scale = set_row(e, 0, lambda, dot(start, d_before) - value_of(scratch.functions_before, e.function),
                                   dot(end, d) - value_of(scratch.solver.functions, e.function));
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            const Real sign(side == 0 ? -1.0 : 1.0);
            const Vec<3, Real> s = vector_at<Real>(p(), points + 3 * side), signed_direction = sign * direction,
                               scaled = (sign * scale) * end;
            const auto& rotation = scratch.rotation[b];
            Vec<3, Real> g = push(e, side, s, lambda, signed_direction, force, torque, stiff),
                         at_end = cross(s, places.to_body(b, scaled));
            if (turns && side == 0) {
                const Mat3<Real>& orientation = places.of[b].matrix;
                const Vec<3, Real> d_mean = half * (d_before + d), own = rotation.torque(a, d_mean);
                torque[b] = fma(lambda, own, torque[b]);
                g = g + own, at_end = at_end + cross(a, places.to_body(b, scale * d));
                // Half of R+ a and half of -d+ turn with the body; the latter also moves with it.
                const Mat3<Real> by_turn = orientation * skew((half * lambda) * a), levers = rotation.lever_map(a);
                stiff[b].translation_rotation = fma(Real(1.0), by_turn, stiff[b].translation_rotation);
                stiff[b].rotation_translation = fma(-half * lambda, levers, stiff[b].rotation_translation);
                Mat3<Real>& turning = stiff[b].rotation;
                rotation.add_torque_stiffness(turning, lambda, a, d_mean);
                turning = fma(Real(1.0), rotation.lever_map(s) * by_turn, turning);
                turning = fma(half * lambda, levers * (orientation * skew(s)), turning);
            }
            layout().store_column(e, r, side, signed_direction, g);
            layout().store_row(e, r, side, scaled, at_end);
        }
    }

    MYRIAD_NOINLINE void add_rotation_vector(const Element& e, const Real* multiplier, Vec<3, Real>* torque,
                                             BodyStiffness<Real>* stiff) const {
        const auto& places = this->places();
        const int i = e.body[0], j = e.body[1];
        const Real half(0.5), zero(0.0), one(1.0), epsilon = constant<Real>(2.3e-16, 1.2e-7);
        const Rows<Real> before = this->rows_before(e), end = this->rows_after(e);
        Vec<3, Real> turn{};  // rotation of body j less that of body i, world, rad
        if (i >= 0) turn = turn - scratch.rotation[i].pair_turn();
        if (j >= 0) turn = turn + scratch.rotation[j].pair_turn();
        const Real square = dot(turn, turn), inverse_square = one / select(zero < square, square, one);
        Vec<3, Real> all{}, lambda{};  // sum of lambda g
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            const int r = e.row[k];
            if (r < 0) continue;
            lambda[k] = multiplier[r];
            const Real scale = set_row(e, k, lambda[k], before.value[k], end.value[k]);
            Vec<3, Real> g =
                half * (j >= 0 ? scratch.begin.to_world(j, before.turn[1][k]) + places.to_world(j, end.turn[1][k])
                               : -(scratch.begin.to_world(i, before.turn[0][k]) + places.to_world(i, end.turn[0][k])));
            // A difference within the round-off of its terms counts as none.
            const Real along = dot(g, turn), missing = (end.value[k] - before.value[k]) - along;
            const Real terms = absolute(end.value[k]) + absolute(before.value[k]) + absolute(along);
            const Real correction =
                select(absolute(missing) <= Real(4.0) * epsilon * terms, zero, missing * inverse_square);
            g = fma(correction, turn, g);
            all = fma(lambda[k], g, all);
            MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
                const int b = e.body[side];
                if (b < 0) continue;
                const Real sign(side == 0 ? -1.0 : 1.0);
                const Vec<3, Real> none{};
                layout().store_column(e, r, side, none, scratch.rotation[b].pair_torque(sign * g));
                layout().store_row(e, r, side, none, scale * end.turn[side][k]);
            }
        }
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            const Real sign(side == 0 ? -1.0 : 1.0);
            torque[b] = torque[b] + scratch.rotation[b].pair_torque(sign * all);
            // To first order in the relative rotation and in the rotation of the step: half the gradient turns with the
            // body, and half of that with the relative rotation.
            scratch.rotation[b].add_pair_stiffness(stiff[b].rotation, one, sign * all);
            add_skew(stiff[b].rotation, Real(-0.25) * sign,
                     matrix_of(rotation_at<Real>(p(), e.parameter + 4 * side)) * lambda);
        }
    }

    // A force lambda times `direction` at the point s of a body, and its part of the row's gradient of rotation.
    MYRIAD_HD Vec<3, Real> push(const Element& e, int side, const Vec<3, Real>& s, Real lambda,
                                const Vec<3, Real>& direction, Vec<3, Real>* force, Vec<3, Real>* torque,
                                BodyStiffness<Real>* stiff) const {
        const int b = e.body[side];
        const auto& rotation = scratch.rotation[b];
        const Vec<3, Real> g = rotation.torque(s, direction);
        force[b] = fma(lambda, direction, force[b]);
        torque[b] = fma(lambda, g, torque[b]);
        rotation.add_torque_stiffness(stiff[b].rotation, lambda, s, direction);
        return g;
    }

    // The equation of row k, and the factor for its gradient at the end
    MYRIAD_HD Real set_row(const Element& e, int k, Real lambda, Real phi_before, Real phi) const {
        const int r = e.row[k];
        if (!e.has_law) {
            set_constraint(r, phi);
            return Real(1.0);
        }
        // The row of a law, k (phi + phi+)/2 + c (phi+ - phi)/h, by phi+ and times h^2/2
        const Real half(0.5), stiffness = layout().stiffness(e, k), damping = layout().damping(e, k) / h;
        layout().set_row(r, lambda - fma(half * stiffness, phi_before + phi, damping * (phi - phi_before)));
        layout().set_law(r);
        return (half * (h * h)) * fma(half, stiffness, damping);
    }

    // The row of a constraint, divided by h^2/2.
    MYRIAD_HD void set_constraint(int r, Real phi) const { layout().set_row(r, -((Real(2.0) / (h * h)) * phi)); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
