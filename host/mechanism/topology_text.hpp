// A mechanism's table as C++ source: a type with the interface of TableTopology on constants.
//
// The text holds the data that all instances share, never a value of one. Its tables are constant arrays, which cost
// nothing where the index is a constant, that is in unrolled loops. Two forms, with the same bits:
//   unrolled   loops over the mechanism are unrolled and the elimination is straight-line code: the state of a small
//              mechanism stays in registers
//   rolled     loops stay loops, over tables in constant memory: for mechanisms whose unrolled code would outgrow the
//              instruction cache
// The text defines the macros that choose a form for the kernels it is put before.
#pragma once
#include <string>

#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

enum class TopologyForm { unrolled, rolled };

// The registers that its functions need.
int registers_of(const MechanismTable& table);

// The tangents that all contacts have; -1 where they differ, 2 where there are none.
int even_tangents(const MechanismTable& table);

// The form that the mechanism's size asks for.
TopologyForm topology_form(const MechanismTable& table);

// Text to be put before the first include of a kernel header that is compiled for a GPU.
std::string topology_settings(TopologyForm form);
// How the type of a mechanism's topology is to be made.
struct TopologyType {
    std::string name;
    TopologyForm form;
    std::string plan;            // the type of the Plan that says which parameters vary
    bool keeps_factors = false;  // as in PlanTable
};
// The type in the kernels' namespace. Its plan is declared where the text stands, behind kernels/run/advance.hpp.
std::string topology_text(const MechanismTable& table, const TopologyType& type);

}  // namespace myriad::mechanism
