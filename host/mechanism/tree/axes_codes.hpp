// What a plan knows of the axes of a tree's links.
#pragma once
#include <array>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::mechanism {

// Of each link: kernels/tree/links.hpp. `parameters`: of the kernels; `varied`: of each its field in the records of
// instances, or -1.
std::array<short, most_plan_links> axes_codes(const MechanismTable& table, const std::vector<double>& parameters,
                                              const int* varied);

}  // namespace myriad::mechanism
