// The operations of a graph: what each is called, how many operands it has, and what kind of value it gives.
//
// Their meaning stands in meaning.hpp, once for folding and for the interpreter. Operations of the group
// `elementary` keep their name in the graph, because derivatives and texts need it: they become arithmetic late. No
// standard header is read here, so that files compiled for other vector widths may read this one.
#pragma once

namespace myriad::graph {

// The number of a graph.
enum class Format { fp64, fp32 };

enum class Op : unsigned char {
    // Leaves
    constant,  // data: the bits of the number as a double
    truth,     // data: 1 or 0
    input,     // data: its number
    carried,   // out of a region: data is the region, a its place in Region::carried
    result,    // of a call: a is the call, data the number of the output
    // Arithmetic
    add,
    subtract,
    multiply,
    divide,
    negate,
    fma,   // a b + c
    fnma,  // c - a b
    fms,   // a b - c
    fnms,  // -(a b) - c
    square_root,
    // Elementary
    unsigned_zero,      // a + 0.0: -0 becomes 0
    sine,               // of a; sine and cosine of the same argument are computed together
    cosine,             // of a
    exponential,        // of a
    arc_tangent,        // atan2(a, b)
    nearest_integer,    // of a
    finite_term,        // b + 0 a: NaN where a is not finite; no rule takes it for b
    table_place,        // piece of table `data` on which the argument a falls, a corner being looked at from side b
    table_offset,       // of argument a from the begin of piece b; NaN where the table has no value
    table_coefficient,  // of piece a; data: 4 table + power
    // Bits of a number
    keep_bits,   // data: those that stay
    set_bits,    // data: those that become 1
    shift_up,    // the fraction to the exponent
    shift_down,  // the exponent to the fraction
    // Choices and masks
    select,  // mask a ? b : c
    less,
    less_equal,
    equal,
    both,
    either,
    opposite,
    call,  // data: its number in Graph::calls
    count,
};
constexpr int op_count = static_cast<int>(Op::count);

enum class Group : unsigned char { leaf, arithmetic, elementary, bits, choice, mask };

struct OpDescription {
    const char* name;
    int operands;
    Group group;
    bool gives_mask, commutes;  // in its first two operands
};
constexpr OpDescription op_descriptions[op_count] = {
    {"constant", 0, Group::leaf, false, false},
    {"truth", 0, Group::leaf, true, false},
    {"input", 0, Group::leaf, false, false},
    {"carried", 0, Group::leaf, false, false},
    {"result", 1, Group::leaf, false, false},
    {"add", 2, Group::arithmetic, false, true},
    {"subtract", 2, Group::arithmetic, false, false},
    {"multiply", 2, Group::arithmetic, false, true},
    {"divide", 2, Group::arithmetic, false, false},
    {"negate", 1, Group::bits, false, false},
    {"fma", 3, Group::arithmetic, false, true},
    {"fnma", 3, Group::arithmetic, false, true},
    {"fms", 3, Group::arithmetic, false, true},
    {"fnms", 3, Group::arithmetic, false, true},
    {"square_root", 1, Group::arithmetic, false, false},
    {"unsigned_zero", 1, Group::elementary, false, false},
    {"sine", 1, Group::elementary, false, false},
    {"cosine", 1, Group::elementary, false, false},
    {"exponential", 1, Group::elementary, false, false},
    {"arc_tangent", 2, Group::elementary, false, false},
    {"nearest_integer", 1, Group::elementary, false, false},
    {"finite_term", 2, Group::elementary, false, false},
    {"table_place", 2, Group::elementary, false, false},
    {"table_offset", 2, Group::elementary, false, false},
    {"table_coefficient", 1, Group::elementary, false, false},
    {"keep_bits", 1, Group::bits, false, false},
    {"set_bits", 1, Group::bits, false, false},
    {"shift_up", 1, Group::bits, false, false},
    {"shift_down", 1, Group::bits, false, false},
    {"select", 3, Group::choice, false, false},
    {"less", 2, Group::mask, true, false},
    {"less_equal", 2, Group::mask, true, false},
    {"equal", 2, Group::mask, true, true},
    {"both", 2, Group::mask, true, true},
    {"either", 2, Group::mask, true, true},
    {"opposite", 1, Group::mask, true, false},
    {"call", 0, Group::leaf, false, false},
};
constexpr const OpDescription& description_of(Op op) { return op_descriptions[static_cast<int>(op)]; }
constexpr bool is_computed(Op op) { return description_of(op).group != Group::leaf || op == Op::call; }
constexpr bool joins_masks(Op op) { return op == Op::both || op == Op::either || op == Op::opposite; }

}  // namespace myriad::graph
