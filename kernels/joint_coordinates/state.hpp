// The configuration of a mechanism in joint coordinates: that of its tree, and the angles of elements between other
// bodies, counted over full turns. Its rates are those of the tree.
#pragma once
#include "kernels/joint_coordinates/topology.hpp"
#include "kernels/tree/configuration.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R, class T>
struct JointConfiguration : TreeConfiguration<R, T> {
    R turned[T::most_angles];  // rad

    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        TreeConfiguration<R, T>::fields(visit, first, self...);
        visit_first(visit, first.topology.angles(), first.turned, self.turned...);
    }
};

// A coordinate: a displacement in m, or an angle over its whole turns in rad.
template <class Real, class T>
MYRIAD_HD Real coordinate(const JointConfiguration<Real, T>& q, int freedom) {
    const int field = q.topology.field_of(freedom);
    return q.topology.is_turn(freedom) ? q.whole_angle(field) : q[field];
}

// Gives a coordinate a value.
template <class Real, class T>
MYRIAD_HD void set_coordinate(JointConfiguration<Real, T>& q, int freedom, Real value) {
    const int field = q.topology.field_of(freedom);
    q[field] = value;
    if (!q.topology.is_turn(freedom)) return;
    Real turns(0.0);
    take_whole_turns(q[field], turns);
    q[field + 1] = turns;
}

}  // namespace myriad::inline MYRIAD_VARIANT
