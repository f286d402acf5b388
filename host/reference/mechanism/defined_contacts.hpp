// The contacts that an entry of a file defines, for the numbers of one instance.
//
//   plane       normal to B's side; tangent given or made of a coordinate axis across the normal
//   box         its corners, in the order of the bits x, y, z: 0 below the middle, 1 above
//   slot        two planes through one point, of opposite normals; the play is that of the pin and the pin's diameter
//   size        radius, of two spheres the smaller one that is no point; the shortest edge; 0 where a contact has none
#pragma once
#include <vector>

#include "host/reference/mechanism/defined_joint.hpp"

namespace myriad::reference {

constexpr double least_length_scale_m = 1e-3;  // of a mechanism whose points all lie in centres of mass

// Gives a contact without a size of its own the length scale of the mechanism.
void give_size(double length_scale_m, ModelContact& contact);

// `limited`: the element whose value the limits of a joint bound.
std::vector<ModelContact> defined_contacts(const model::Contact& contact, const ModelNumbers& numbers, int limited);

}  // namespace myriad::reference
