// The size classes of the kernels that read a mechanism from a table.
//
// Their arrays are local to a thread and have a size when they are compiled. One size for the largest mechanism would
// take 425 kB of every thread that a GPU can hold; a few classes keep that small, and a kernel of a class serves all
// mechanisms that fit.
#pragma once
#include <string>

#include "kernels/mechanism/topology.hpp"

namespace myriad::backends::cuda {

// Numbers of a mechanism that size arrays: kernels/mechanism/table_topology.hpp.
struct Capacity {
    int bodies, elements, rows, loads, functions, registers, angles, matrix_entries, contacts, set_frictions;
    int corners = 0;
    int links, freedoms, fields, entries, rows_beside_tree, spare_rows;
};

// The first class that the mechanism fits; beyond the classes its own numbers.
Capacity capacity_of(const MechanismTable& table);

// A type `name` with the members of LargestMechanism, whose parameters are read where they are used.
std::string capacity_text(const Capacity& capacity, const std::string& name);

}  // namespace myriad::backends::cuda
