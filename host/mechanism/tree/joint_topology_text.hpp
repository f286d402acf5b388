// A mechanism's table in joint coordinates as C++ source: a type with the interface of JointTopology on constants.
//
// As host/mechanism/topology_text.hpp says. Its body form has no elimination: a run of the compiled form begins with
// what the table form has put together.
#pragma once
#include <string>

#include "host/mechanism/topology_text.hpp"

namespace myriad::mechanism {

// The form that the mechanism's size asks for.
TopologyForm joint_topology_form(const MechanismTable& table);

// The type `name`, as topology_text. `axes_codes`: of each link, as in PlanTable.
std::string joint_topology_text(const MechanismTable& table, const short* axes_codes, TopologyForm form,
                                const std::string& name, const std::string& plan);

}  // namespace myriad::mechanism
