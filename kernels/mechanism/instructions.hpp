// The instructions of functions: of time (tape.hpp), and of time and coordinates of a tree
// (kernels/joint_coordinates/coordinate_forces.hpp). The same for every instance.
#pragma once

namespace myriad {

// Functions of time are run on registers holding a value and its first two derivatives in time. An instruction writes
// register `to`.
enum class Operation {
    parameter = 0,  // register = parameter a of the instance
    time = 1,
    add = 2,  // a, b, c below are registers
    subtract = 3,
    multiply = 4,
    divide = 5,
    negate = 6,
    sine = 7,
    cosine = 8,
    tangent = 9,
    exponential = 10,
    logarithm = 11,
    square_root = 12,
    power = 13,  // a^b for a > 0; a whole constant power is written as products
    absolute = 14,
    minimum = 15,
    maximum = 16,
    less = 17,    // a < b: 1 or 0, without derivatives
    choose = 18,  // a != 0 ? b : c
    arctangent2 = 19,
    hyperbolic_tangent = 20,
    interpolate = 21,        // b below is no register: the value of table b at a
    interpolate_slope = 22,  // its derivative there
    // Of forces on coordinates of a tree alone (joint_table.hpp)
    coordinate = 23,  // of freedom a
    rate = 24,
    function = 25,  // the value of function of time a
};
constexpr int operation_count = 23;  // of functions of time

struct Instruction {
    Operation operation;
    int to, a, b, c;
};

}  // namespace myriad
