// Writes a program as C: one function that takes one step of as many lanes as a vector has.
//
//   void myriad_step(double* fields)
//
// `fields` points to the first of these lanes in memory [field][stride]; outputs replace inputs, as on a tape. The text
// includes nothing: clang, gcc and zig cc take it as C without any header. Lanes are vector extensions of GNU C or
// plain numbers; all that differs between these, the words, stands at the head (c_words.hpp). Contraction of products
// and sums has to be off: -ffp-contract=off. Not handled: fp32.
#pragma once
#include <string>

#include "host/graph/text/c_function.hpp"

namespace myriad::graph {

inline constexpr const char* c_function = "myriad_step";
std::string c_text(const Program& program, const CForm& form);

}  // namespace myriad::graph
