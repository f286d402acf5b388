// Writes a program as C: one function that takes one step of as many lanes as a vector has.
//
//   void myriad_step(double* fields)
//
// `fields` points to the first of these lanes in memory [field][stride]; outputs replace inputs, as on a tape. The text
// includes nothing: clang, gcc and zig cc take it as C without any header. Lanes are vector extensions of GNU C or
// plain numbers; all that differs between these, the words, stands at the head (c_words.hpp). `when` is `if
// (any(mask))`, `repeat` a loop. Called blocks are static functions, elementary functions too: those of the kernels,
// traced. Programs are cut into functions, because compilers take more than twice as long for twice a function; what
// one hands to the next lies in an array. Contraction of products and sums has to be off: -ffp-contract=off. Not
// handled: fp32.
#pragma once
#include <string>

#include "host/graph/program.hpp"

namespace myriad::graph {

struct CForm {
    int width = 1;   // lanes of a vector: 1, 4 or 8
    int stride = 1;  // numbers from field to field
    // Operations of a program up to which elementary functions are no calls, and a function is not cut; then those of
    // a part. Compilers are good at straight code up to some thousand operations.
    int longest_straight = 6000, longest_part = 3000;
};

inline constexpr const char* c_function = "myriad_step";
std::string c_text(const Program& program, const CForm& form);

}  // namespace myriad::graph
