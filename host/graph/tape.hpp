// A tape: a program as a list of instructions on slots. A slot holds a number or a mask for each instance of a block.
//
// The first slots are the fields of the step: inputs, which its outputs replace. All others are free again after the
// last reading. What a region carries has one slot, in which its first value lies already where nobody else reads that,
// and in which its next value is computed where nothing reads the old one later; else they are moved. A called block
// has slots of its own, behind; its arguments and results are moved. The list is the same for every size of a block and
// every vector width: interpreter.hpp runs it.
#pragma once
#include "host/graph/program.hpp"

namespace myriad::graph {

// Codes of instructions: an operation (Op), or one of these.
enum class Control : int {
    move = op_count,  // to = a
    skip_unless_any,  // goes on at `data` where no lane of mask a is set
    back_if_any,      // goes on at `data` where some lane is
    run_block,        // runs the instructions from `data` on, until they stop
    stop,
};

struct Instruction {
    int code;
    // Slots; constants as ~their number. Op::sine computes the cosine, too, into `also`; either is -1 if it is not
    // wanted.
    int to = -1, also = -1;
    int a = -1, b = -1, c = -1;
    std::int64_t data = 0;
};

struct TapeConstant {
    double value;  // of a mask 1 or 0
    bool is_mask;
};

struct Tape {
    Format format = Format::fp64;
    int fields = 0, slots = 0;
    std::size_t start = 0;  // of its code
    std::vector<Instruction> code;
    std::vector<TapeConstant> constants;
    std::vector<Table> tables;
    int moves = 0;
};

// `fields`: the inputs of the program's graph.
Tape make_tape(const Program& program, int fields);

}  // namespace myriad::graph
