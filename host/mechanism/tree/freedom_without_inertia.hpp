// Freedoms of a tree by their names, and the first one that no inertia resists.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

struct TreeFreedom {
    std::string place;  // "joints.hinge", or "bodies.box" of a free joint
    int number = 0;     // of the joint's
    int body = 0;       // that hangs on the joint
};

// In their order; none where joint coordinates do not take the mechanism.
std::vector<TreeFreedom> freedoms_of_tree(const Mechanism& mechanism);

struct FreedomWithoutInertia {
    TreeFreedom freedom;
    std::vector<std::string> bodies;  // those that hang on its joint
};

// The first freedom, from the leaves inward, that moves no inertia when the freedoms further out give way, for the
// numbers of the file; none where all do, or where joint coordinates do not take the mechanism. Asked in a generic pose
// of the tree, whose loops are open there, so that it is a matter of the joints and not of the start. Coordinates that
// drivers prescribe need no inertia. For a mechanism whose joint coordinates have their parameters.
std::optional<FreedomWithoutInertia> freedom_without_inertia(const Mechanism& mechanism);

}  // namespace myriad::mechanism
