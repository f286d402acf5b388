// A configuration of a tree in which nothing holds that does not hold in every one.
#pragma once
#include <cmath>

#include "kernels/joint_coordinates/state.hpp"

namespace myriad::mechanism {

using GenericConfiguration = JointConfiguration<double, JointTopology>;

// Numbers without a relation between them, in radians, unit quaternions and lengths of the mechanism.
inline void set_generic(GenericConfiguration& q, double length_scale_m) {
    const JointTopology& tree = q.topology;
    const auto number = [](int k) { return 0.3 + 0.9 * std::sin(1.7 * k + 0.4); };
    for (int l = 0; l < tree.links(); ++l) {
        const TreeLink& link = tree.link(l);
        for (int k = 0; k < link.slides; ++k) q[link.field + k] = length_scale_m * number(link.field + k);
        const int field = link.field + link.slides;
        if (link.turning == TreeTurning::about_z) q[field] = number(field), q[field + 1] = 0.0;
        if (link.turning == TreeTurning::any)
            q.set_rotation(field, exp(Vec<3, double>{number(field), number(field + 1), number(field + 2)}));
    }
}

}  // namespace myriad::mechanism
