// The spanning tree of a mechanism as its file describes it, and the unknowns of one step in joint and in body
// coordinates.
#pragma once
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/spanning_tree.hpp"

namespace myriad::mechanism {

// The types of joints that a tree carries, by their names in the file. All others are rows in every tree.
inline constexpr const char* tree_joint_types[] = {"fixed",     "revolute",  "prismatic", "cylindrical",
                                                   "universal", "spherical", "planar",    "translational"};
// The type of the joint of a body on the ground that no joint of the file holds.
inline constexpr const char* free_joint_type = "free";

// Joints are numbered as in `mechanism.joints`. Works on a mechanism whose joints and drivers have been read, assembled
// or not. `before_cuts`: joints that the file cuts may stand in it.
SpanningTree spanning_tree_of(const Mechanism& mechanism, bool before_cuts = false);

// The names of the joints of the tree with which a joint outside it closes a loop, from its body A to its body B.
std::vector<std::string> loop_of(const Mechanism& mechanism, const SpanningTree& tree, int joint);

// What one step solves for.
struct Unknowns {
    int freedoms = 0;    // of the tree, or 6 per body
    int prescribed = 0;  // of these by drivers of the tree's coordinates: they leave the unknowns
    // Multipliers of joints, drivers, force elements and couplings. A force element on a coordinate of the tree has
    // none.
    int joint_rows = 0, driver_rows = 0, force_rows = 0, coupling_rows = 0;
    int redundant_rows = 0;  // of these: constraints that follow from the others and have no multiplier

    int all() const {
        return freedoms - prescribed + joint_rows + driver_rows + force_rows + coupling_rows - redundant_rows;
    }
};

// Of an assembled mechanism: redundant rows are as many in both coordinates, because the rank of all constraints is.
Unknowns unknowns_in_joint_coordinates(const Mechanism& mechanism, const SpanningTree& tree);
Unknowns unknowns_in_body_coordinates(const Mechanism& mechanism);

}  // namespace myriad::mechanism
