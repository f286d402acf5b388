// The pose from which Newton's method puts a mechanism together, where the one of the file lies near none or near a
// wrong one.
//
//   parallel axes      rows a . b_1 = a . b_2 = 0; their gradients vanish at a right angle, and beyond it the nearest
//                      solution has the axes opposed: axes by more than 86 degrees apart are laid on each other
//   universal joint    row a . b = 0, whose gradient vanishes where the axes are parallel: axes by less than 4 degrees
//                      from this become perpendicular
//   driven angle       row sin(angle - f) = 0, as the first: an angle by more than 1.5 rad off f becomes f
//   references         of a joint that slides without turning, row sin(angle) = 0: beyond 1.5 rad the angle becomes 0
//   hung body          without a given position: takes driven angles, then moves so that the rows of its joint and its
//                      drivers with points hold, and other slides are 0. A driven one that carries such bodies moves by
//                      the least that meets the rows
//
// A body turns about its joint's point by the least angle that does it, with all that it carries. What hangs moves only
// with bodies that hang on it, if it has no position itself. Outward along the tree of all joints. World axes, rad. Not
// handled: rows of other joints, pinned orientations (left as they are).
#pragma once
#include "kernels/mechanism/mechanism.hpp"
#include "kernels/mechanism/start_together.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Newton's method finds the way from less: axes within 86 degrees, those of a universal joint 4 degrees from parallel,
// driven angles within 1.5 rad. Vectors at a smaller angle than 1e-8 rad have no axis across both.
constexpr double cosine_of_far_axes = 0.07, cosine_of_near_axes = 0.9975, far_angle_rad = 1.5,
                 least_sine_of_an_axis = 1e-8;

template <class Real>
MYRIAD_HD Vec<3, Real> some_perpendicular(const Vec<3, Real>& v) {
    const MaskOf<Real> is_across = absolute(v[0]) <= Real(0.8);
    const Vec<3, Real> other = select(is_across, unit_vector<Real>(0), unit_vector<Real>(1));
    const Vec<3, Real> found = cross(v, other);
    return (Real(1.0) / sqrt(dot(found, found))) * found;
}

// The point of a body's joint: the body's own centre of mass where the joint has none.
template <class System, class Real, int capacity>
MYRIAD_HD Vec<3, Real> point_of_joint(const System& system, const Bodies<Real, capacity>& bodies, int line) {
    const int e = system.topology.start_motion(line, StartMotion::point_element);
    if (e < 0) return bodies.of[system.topology.start_motion(line, StartMotion::body)].position;
    const Element& element = system.topology.element(e);
    return bodies.point(element.body[1],
                        vector_at<Real>(*system.parameters, element.parameter + points_offset(element.kind) + 3));
}

template <class System>
class StartPose {
  public:
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Places = typename System::Places;

    // `orientation`: of the bodies in `work`, whose moved and turned are added to.
    MYRIAD_HD StartPose(const System& system, const Taylor<Real>* functions, Places& work, Rotation<Real>* orientation)
        : system_(system), functions_(functions), work_(work), orientation_(orientation) {}

    MYRIAD_NOINLINE void find() {
        using Entry = StartMotion;
        const auto& topology = system_.topology;
        for (int m = 0; m < topology.start_motions(); ++m) {
            const auto entry = [&](int k) MYRIAD_INLINE { return topology.start_motion(m, k); };
            const int pinned = topology.pinned(entry(Entry::body)), hangs = entry(Entry::hangs);
            if (entry(Entry::first_element) < 0) continue;
            if (pinned & 2) continue;
            if (const int axes = entry(Entry::axis_element); axes >= 0) {
                lay_axes_together(m, axes);
                for (int e = axes + 2; e < entry(Entry::last_element); ++e)
                    if (topology.element(e).kind == ElementKind::dot_1) lay_references_together(m, axes, e);
            }
            if (entry(Entry::across_element) >= 0) lay_axes_across(m, entry(Entry::across_element));
            for (int k = 0; k < most_start_drivers && entry(Entry::driver + k) >= 0; ++k)
                if (topology.element(entry(Entry::driver + k)).kind == ElementKind::driven_angle)
                    follow_driver(m, entry(Entry::driver + k), hangs != hangs_nothing);
            if (hangs != hangs_nothing && !(pinned & 1)) hang(m);
        }
    }

  private:
    MYRIAD_HD Vec<3, Real> direction(const Element& e, int which, int side) const {
        return work_.bodies.to_world(e.body[side], vector_at<Real>(*system_.parameters, e.parameter + 3 * which));
    }
    MYRIAD_HD bool is_second(int line, const Element& e) const {
        return e.body[1] == system_.topology.start_motion(line, StartMotion::body);
    }

    MYRIAD_HD void lay_axes_together(int line, int e) {
        const Element &first = system_.topology.element(e), &second = system_.topology.element(e + 1);
        const Vec<3, Real> a = direction(first, 0, 0), across = direction(first, 1, 1),
                           b = cross(across, direction(second, 1, 1));
        const bool moves_b = is_second(line, first);
        const Vec<3, Real> n = moves_b ? cross(b, a) : cross(a, b);
        const Real sine = sqrt(dot(n, n)), cosine = dot(a, b);
        const Mask is_far = cosine < Real(cosine_of_far_axes), has_axis = Real(least_sine_of_an_axis) < sine;
        const Vec<3, Real> axis = select(has_axis, (Real(1.0) / select(has_axis, sine, Real(1.0))) * n, across);
        turn(line, is_far, axis, atan2(sine, cosine));
    }
    // `e`: the row (axis x reference of A) . (reference of B).
    MYRIAD_HD void lay_references_together(int line, int axes, int e) {
        const Element& element = system_.topology.element(e);
        const Vec<3, Real> axis = direction(system_.topology.element(axes), 0, 0), normal = direction(element, 0, 0),
                           b = direction(element, 1, 1);
        const Real angle = atan2(dot(normal, b), dot(cross(normal, axis), b));
        turn(line, Real(far_angle_rad) < absolute(angle), axis, is_second(line, element) ? -angle : angle);
    }
    MYRIAD_HD void lay_axes_across(int line, int e) {
        const Element& element = system_.topology.element(e);
        const Vec<3, Real> a = direction(element, 0, 0), b = direction(element, 1, 1);
        const bool moves_b = is_second(line, element);
        const Vec<3, Real> n = moves_b ? cross(a, b) : cross(b, a);
        const Real sine = sqrt(dot(n, n)), cosine = dot(a, b);
        const Mask is_near = Real(cosine_of_near_axes) < absolute(cosine),
                   has_axis = Real(least_sine_of_an_axis) < sine;
        const Vec<3, Real> axis =
            select(has_axis, (Real(1.0) / select(has_axis, sine, Real(1.0))) * n, some_perpendicular(a));
        turn(line, is_near, axis, constant<Real>(1.5707963267948966, 1.57079637) - atan2(sine, cosine));
    }
    MYRIAD_HD void follow_driver(int line, int e, bool from_near) {
        const Element& element = system_.topology.element(e);
        const Vec<3, Real> reference = direction(element, 0, 0), normal = direction(element, 1, 0),
                           b = direction(element, 2, 1);
        const SineCosine<Real> f = sincos(functions_[element.function].value);
        const Real beyond = atan2(dot(fma(f.cosine, normal, -f.sine * reference), b),
                                  dot(fma(f.cosine, reference, f.sine * normal), b));
        const Vec<3, Real> axis = cross(reference, normal);
        const Mask is_far = Real(far_angle_rad) < absolute(beyond);
        const Real back = is_second(line, element) ? -beyond : beyond;
        turn(line, is_far, axis, back);
        if (from_near) turn(line, !is_far, axis, back, true);
    }
    MYRIAD_HD void hang(int line) {
        using Entry = StartMotion;
        const auto& topology = system_.topology;
        const auto equations = system_.equations(functions_);
        const int b = topology.start_motion(line, Entry::body);
        IndependentRows<Real, 1> least;
        least.clear();
        const auto add = [&](const Vec<3, Real>& n, Real along) {
            Real row[] = {n[0], n[1], n[2], Real(0.0), Real(0.0), Real(0.0)};
            least.add(row, &along, rank_tolerance<Real>() * IndependentRows<Real, 1>::length_of(row));
        };
        const auto meet = [&](int e) {
            const Element& element = topology.element(e);
            if (element.has_law || element.is_sensor || points_offset(element.kind) < 0) return;
            const Rows<Real> rows = equations.rows(element, work_.bodies, nullptr);
            for (int k = 0; k < rows_of(element.kind); ++k)
                add(element.body[1] == b ? rows.direction[k] : -rows.direction[k], -rows.value[k]);
        };
        const int last = topology.start_motion(line, Entry::last_element);
        for (int e = topology.start_motion(line, Entry::first_element); e < last; ++e) meet(e);
        for (int k = 0; k < most_start_drivers && topology.start_motion(line, Entry::driver + k) >= 0; ++k)
            meet(topology.start_motion(line, Entry::driver + k));
        const int points = topology.start_motion(line, Entry::point_element);
        if (points >= 0 && topology.start_motion(line, Entry::hangs) == hangs_itself) {
            const Element& element = topology.element(points);
            const auto point = [&](int side) {
                return work_.bodies.point(
                    element.body[side],
                    vector_at<Real>(*system_.parameters, element.parameter + points_offset(element.kind) + 3 * side));
            };
            const Vec<3, Real> apart = element.body[1] == b ? point(0) - point(1) : point(1) - point(0);
            for (int k = 0; k < 3; ++k) add(unit_vector<Real>(k), apart[k]);
        }
        Vec<3, Real> x{};
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 6; ++k) x[i] = fma(least.value[k][0], least.row[k][i], x[i]);
        bool moves[System::Topology::most_bodies] = {};
        for (int m = line; m < topology.start_motions(); ++m) {
            const int body = topology.start_motion(m, Entry::body);
            moves[body] = is_carried(line, m, moves, true);
            if (!moves[body]) continue;
            work_.moved[body] = work_.moved[body] + x;
            work_.bodies.of[body].position = work_.bodies.of[body].position + x;
        }
    }
    MYRIAD_HD bool is_carried(int line, int m, const bool* moves, bool only_hung) const {
        using Entry = StartMotion;
        const auto& topology = system_.topology;
        const int carrier = topology.start_motion(m, Entry::carrier);
        const bool only = only_hung && topology.start_motion(line, Entry::hangs) == hangs_itself;
        return m == line ||
               (carrier >= 0 && moves[carrier] && (!only || topology.start_motion(m, Entry::hangs) == hangs_itself));
    }

    // Turns the line's body about its joint's point, and all that it carries.
    MYRIAD_HD void turn(int line, Mask lanes, const Vec<3, Real>& axis, Real angle, bool only_hung = false) {
        if (!any(lanes)) return;
        const auto& topology = system_.topology;
        const Real zero(0.0);
        const Vec<3, Real> about = point_of_joint(system_, work_.bodies, line);
        const SineCosine<Real> half = sincos(select(lanes, Real(0.5) * angle, zero));
        const Rotation<Real> by{half.cosine, half.sine * axis[0], half.sine * axis[1], half.sine * axis[2]};
        const Mat3<Real> matrix = matrix_of(by);
        bool moves[System::Topology::most_bodies] = {};
        for (int m = line; m < topology.start_motions(); ++m) {
            const int b = topology.start_motion(m, StartMotion::body);
            moves[b] = is_carried(line, m, moves, only_hung);
            if (!moves[b]) continue;
            Place<Real>& body = work_.bodies.of[b];
            const Vec<3, Real> position = about + matrix * (body.position - about),
                               turned = transposed_times(body.matrix, axis);
            work_.moved[b] = select(lanes, work_.moved[b] + (position - body.position), work_.moved[b]);
            work_.turned[b] = select(lanes, work_.turned[b] + angle * turned, work_.turned[b]);
            body.position = select(lanes, position, body.position);
            const Rotation<Real> after = renormalized(by * orientation_[b]);
            Rotation<Real>& q = orientation_[b];
            q = select(lanes, after, q);
            body.matrix = matrix_of(q);
        }
    }

    const System& system_;
    const Taylor<Real>* functions_;
    Places& work_;
    Rotation<Real>* orientation_;
};

}  // namespace myriad::inline MYRIAD_VARIANT
