// The velocities from which a start begins, before its rows correct them (assembly.hpp): given ones where the file has
// some, and no rate in a joint that the file says nothing of.
//
//   outward along the tree of all joints of the file:
//   carried    v_B = v_A + w_A x (r_B - r_A),  w_B = w_A                   no rate in the joint
//   y          (dv_P / L, dw), dw in the body's axes: change against this; P: the joint's point, L: the length scale
//   y          the least one with, in this order, given velocities of the body or of one that is welded to it, the
//              joint's rows phi' = 0, the rows of drivers on it
//
// In |y| the rates of a joint are orthogonal, so a rate that nothing is said of stays 0. Rows by Gram and Schmidt,
// twice: one that falls to 1e-8 of itself follows from earlier ones, or contradicts them. A given velocity that several
// joints inward must meet together waits for start_together.hpp. World axes; m/s, rad/s. Not handled: rows of loops.
#pragma once
#include "kernels/mechanism/start_pose.hpp"
#include "kernels/mechanism/start_together.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The velocities of all bodies as they were given: m/s, world; rad/s, body axes.
template <class Real, int capacity>
struct GivenMotion {
    Vec<3, Real> velocity[capacity], angular_velocity[capacity];
};

// Replaces the velocities in `work`. `waits`: given velocities that several joints must meet together wait.
template <class System, class Real, int capacity>
MYRIAD_NOINLINE void find_start_motion(const System& system, const Taylor<Real>* functions, const Real* turned,
                                       const GivenMotion<Real, capacity>& given, bool waits,
                                       typename System::Places& work) {
    using Entry = StartMotion;
    const auto equations = system.equations(functions);
    const auto& topology = system.topology;
    const Vec<3, Real> none{};
    const Real length = system.parameter(length_scale_parameter);
    auto& bodies = work.bodies;
    for (int m = 0; m < topology.start_motions(); ++m) {
        const auto entry = [&](int k) MYRIAD_INLINE { return topology.start_motion(m, k); };
        const bool has_given = !(waits && entry(Entry::part) == part_waits);
        const int b = entry(Entry::body), carrier = entry(Entry::carrier), first = entry(Entry::first_element),
                  linear_from = has_given ? entry(Entry::linear_from) : -1,
                  angular_from = has_given ? entry(Entry::angular_from) : -1;
        Place<Real>& body = bodies.of[b];
        if (linear_from == b && angular_from == b) {
            body.velocity = given.velocity[b], body.angular_velocity = given.angular_velocity[b];
            continue;
        }
        body.velocity = body.angular_velocity = none;
        if (carrier >= 0) {
            const Place<Real>& on = bodies.of[carrier];
            const Vec<3, Real> w = on.matrix * on.angular_velocity;
            body.velocity = add_cross(w, body.position - on.position, on.velocity);
            body.angular_velocity = transposed_times(body.matrix, w);
        }
        if (linear_from < 0 && angular_from < 0 && entry(Entry::driver) < 0) continue;

        // The point of the given velocity, and that of the joint.
        Vec<3, Real> given_point = body.position, joint_point = body.position;
        if (linear_from >= 0) {
            const int origin = entry(Entry::origin);
            const Place<Real>& from = bodies.of[linear_from];
            given_point = from.position;
            if (origin > 0) given_point = given_point - from.matrix * vector_at<Real>(*system.parameters, origin);
            joint_point = given_point;
        }
        if (first >= 0) joint_point = point_of_joint(system, bodies, m);
        const Vec<3, Real> arm = transposed_times(body.matrix, joint_point - body.position);
        IndependentRows<Real, 1> least;
        least.clear();
        const auto meet = [&](const Vec<3, Real>& linear, const Vec<3, Real>& angular, Real wanted) {
            const Vec<3, Real> along = length * linear,
                               turn = angular - cross(arm, transposed_times(body.matrix, linear));
            Real row[] = {along[0], along[1], along[2], turn[0], turn[1], turn[2]};
            least.add(row, &wanted, rank_tolerance<Real>() * IndependentRows<Real, 1>::length_of(row));
        };
        if (angular_from >= 0) {
            const Vec<3, Real> w =
                transposed_times(body.matrix, bodies.of[angular_from].matrix * given.angular_velocity[angular_from]);
            for (int k = 0; k < 3; ++k) meet(none, unit_vector<Real>(k), w[k] - body.angular_velocity[k]);
        }
        if (linear_from >= 0) {
            const Vec<3, Real> lever = transposed_times(body.matrix, given_point - body.position);
            const Vec<3, Real> here = body.velocity + body.matrix * cross(body.angular_velocity, lever);
            for (int k = 0; k < 3; ++k)
                meet(unit_vector<Real>(k), cross(lever, row_of(body.matrix, k)),
                     given.velocity[linear_from][k] - here[k]);
        }
        const auto meet_element = [&](int e) {
            const Element& element = topology.element(e);
            if (element.has_law || element.is_sensor) return;
            const Rows<Real> rows = equations.rows(element, bodies, turned);
            const bool is_second = element.body[1] == b;
            for (int k = 0; k < rows_of(element.kind); ++k)
                meet(is_second ? rows.direction[k] : -rows.direction[k], rows.turn[is_second ? 1 : 0][k],
                     -(row_rate(element, rows, k, bodies) + rows.partial_rate[k]));
        };
        for (int e = first; 0 <= e && e < entry(Entry::last_element); ++e) meet_element(e);
        for (int k = 0; k < most_start_drivers && entry(Entry::driver + k) >= 0; ++k)
            meet_element(entry(Entry::driver + k));

        Real y[6];
        for (int i = 0; i < 6; ++i) {
            y[i] = Real(0.0);
            for (int k = 0; k < 6; ++k) y[i] = fma(least.value[k][0], least.row[k][i], y[i]);
        }
        const Vec<3, Real> turning{y[3], y[4], y[5]}, of_point{length * y[0], length * y[1], length * y[2]};
        body.velocity = body.velocity + of_point - body.matrix * cross(turning, arm);
        body.angular_velocity = body.angular_velocity + turning;
    }
}

// How far given velocities were changed: the length of all changes, 1/s (m/s over length_scale, rad/s).
template <class System, class Real, int capacity>
MYRIAD_NOINLINE Real change_of_given_motion(const System& system, const GivenMotion<Real, capacity>& given,
                                            const typename System::Places& work) {
    using Entry = StartMotion;
    const auto& topology = system.topology;
    const Real inverse_length = Real(1.0) / system.parameter(length_scale_parameter);
    Real square(0.0);
    for (int m = 0; m < topology.start_motions(); ++m) {
        const int b = topology.start_motion(m, Entry::body), origin = topology.start_motion(m, Entry::origin);
        const Place<Real>& body = work.bodies.of[b];
        if (topology.start_motion(m, Entry::angular_from) == b) {
            const Vec<3, Real> change = body.angular_velocity - given.angular_velocity[b];
            square = square + dot(change, change);
        }
        if (topology.start_motion(m, Entry::linear_from) != b || origin == origin_rests) continue;
        Vec<3, Real> change = body.velocity - given.velocity[b];
        if (origin > 0)
            change = change - body.matrix * cross(body.angular_velocity, vector_at<Real>(*system.parameters, origin));
        square = fma(inverse_length * inverse_length, dot(change, change), square);
    }
    return sqrt(square);
}

}  // namespace myriad::inline MYRIAD_VARIANT
