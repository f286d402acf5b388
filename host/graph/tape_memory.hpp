// The view that an interpreter has of a tape: the memory of a block of instances, and instructions bound to addresses.
//
// It is the same for every vector width; interpreter.hpp is compiled for each. No standard header is read here.
#pragma once
#include "host/graph/operation.hpp"
#include "kernels/math/piecewise_polynomial.hpp"

namespace myriad::graph {

// As Table, without standard headers.
struct TableOnTape {
    const PolynomialPiece* pieces;
    PiecewisePolynomial function;
    const PolynomialPiece& piece(int i) const { return pieces[i]; }
};

struct Bound;
struct Block {
    char* memory;
    long reals;  // to a slot
    const Bound* code;
    const TableOnTape* tables;
};
// An instruction with addresses in a block's memory, and the steps from Real to Real: a constant's is 0.
struct Bound {
    const Bound* (*run)(const Bound&, const Block&);
    long to, also, a, b, c;
    long step_a, step_b, step_c;
    long long data;
};

// The interpreter of one vector width and format. A slot has `reals` Reals of `width` numbers.
struct Interpreter {
    int width;
    long real_bytes;
    // The function of a code; null where there is none.
    decltype(Bound::run) (*function_of)(int code, int reals);
    void (*run)(const Bound* start, const Block& block);
    void (*put_constant)(const Block& block, long address, double value, bool is_mask);
};

}  // namespace myriad::graph
