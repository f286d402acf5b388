// Writes programs in the words of C text: the statements of a step, and the functions that it calls.
//
// `when` is `if (any(mask))`, `repeat` a loop. Called blocks are functions, elementary functions too: those of the
// kernels, traced. A long step is cut into functions, because compilers take more than twice as long for twice a
// function; what one hands to the next lies in an array. The words themselves, such as Real, choose and fma_of, are
// macros and functions at the head of a text (c_words.hpp, cuda_words.hpp).
#pragma once
#include <functional>
#include <map>
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

// State that the functions of a text share.
struct CShared {
    struct Elementary {
        std::string name;
        int operations;
    };
    Format format = Format::fp64;
    CForm form = {};
    std::string tables = {}, functions = {};
    std::map<std::pair<bool, std::int64_t>, std::size_t> constants = {};  // numbers by `is a mask` and bits
    std::map<Op, Elementary> elementary = {};
    int functions_count = 0, tables_count = 0;

    // Their definitions, in the words NUMBER, LONG_NUMBER (more digits than an instruction holds) and SAME_MASK.
    std::string constants_text() const;
};

struct CStep {
    std::string parts;  // functions that its statements call
    std::string body;
    bool inlines;  // whether elementary functions are no calls
};
// `field`: how a field is named, which the statements read, and write at their end.
CStep c_step(CShared& shared, const Program& program, const std::function<std::string(std::int64_t)>& field);

}  // namespace myriad::graph
