// A mechanism in joint coordinates, as the kernels read it (kernels/mechanism/joint_table.hpp): the links of its tree,
// laws and drivers on coordinates of the tree, and the elements that are rows between two links.
//
// A joint that the tree passes from its body B to its body A keeps the angle and the displacement of the file: the axes
// of both of its frames are turned round (host/mechanism/file/link_frames.hpp).
//
// Not handled: parameters, which file/joint_parameters.cpp adds.
#pragma once
#include <span>
#include <string>

#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/spanning_tree.hpp"

namespace myriad::mechanism {

// The coordinate of a joint of the file that an element of one row measures, which a law acts on, or which a driver
// prescribes; joint -1: the element does none of this.
struct MeasuredCoordinate {
    int joint = -1;          // in Mechanism::joints
    std::string coordinate;  // as its sensor is called: "angle", "displacement", "angle_2"
};

// Which freedom of the tree's joint this coordinate is; -1 where it is none. Slides of a planar or translational joint
// that the tree passes from B to A are along the axes of B, and those of the file along the axes of A.
int freedom_of_coordinate(TreeJoint joint, const std::string& coordinate, bool is_backwards);

// The same of a joint of the mechanism; -1 also where the tree does not carry it, or `joint` is -1.
int freedom_of_tree_joint(const Mechanism& mechanism, const SpanningTree& tree, int joint,
                          const std::string& coordinate);

// The first freedom of the joint on which a body hangs.
int first_freedom_of(const TreeTable& table, const SpanningTree& tree, const TreeBody& hung);

// Its number among the freedoms of table.joint, which has links; -1 likewise.
int number_of_tree_freedom(const Mechanism& mechanism, const SpanningTree& tree, int joint,
                           const std::string& coordinate);

// The type of a joint that a tree carries, by its name in the file. Throws std::invalid_argument for others.
TreeJoint tree_joint_of(const std::string& type);

// Fills multiplier_places, and table.joint but for parameters and rows; elements and loads have the parameters of those
// of the table that they are. Where joint coordinates do not take the mechanism, table.joint stays without links and
// body_coordinates_because says why. `measured`: by the elements of the table.
void lay_out_joint_coordinates(Mechanism& mechanism, const SpanningTree& tree,
                               std::span<const MeasuredCoordinate> measured);

// Leaves table.joint without links.
void refuse_joint_coordinates(Mechanism& mechanism, const std::string& because);

// Numbers the rows of table.joint, once those of the table have their numbers, and says where each multiplier of the
// table comes from.
void number_rows_of_joint_coordinates(Mechanism& mechanism);

}  // namespace myriad::mechanism
