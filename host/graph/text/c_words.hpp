// The words in which a program's C text is written: numbers, masks and what is done with them, for vectors of so many
// doubles. Nothing is included. Where a compiler has no operation on vectors, lanes follow one another.
#pragma once
#include <string>

#include "host/graph/graph.hpp"

namespace myriad::graph {

// `stride`: numbers from field to field.
std::string c_words(int width, int stride);
// Exactly this number.
std::string c_number(double x);
// A table, and functions table_place, table_offset and table_coefficient with this number at their end. They go lane by
// lane, and find a piece as piece_seen_from() does (kernels/math/piecewise_polynomial.hpp).
std::string c_table(const Table& table, int its_number);

}  // namespace myriad::graph
