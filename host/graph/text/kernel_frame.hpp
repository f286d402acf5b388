// Frame of a traced run in a kernel for GPUs.
//
// One thread takes one instance: it loads the record, takes at most launch.attempts steps while the instance runs,
// stores a row after each step that has made one, runs the end of the launch, and stores. Arrays lie [tile][rows][32]
// (kernels/system/launch.hpp). Parameters of the kernel: Launch<Number> by value, then a 64-bit integer `is_mixed`,
// 1 if some instance differs from what the usual program takes for constants.
#pragma once
#include <vector>

#include "host/graph/program.hpp"

namespace myriad::graph {

// Threads of a block, and how many blocks a multiprocessor is to hold at once: together they bound the registers.
struct BlockShape {
    int threads = 0, blocks = 0;
};

struct KernelFrame {
    const char* name;  // of the kernel
    const Program *step, *end;
    // Fields of the step: the record, then numbers of a row, which the step hands out alone. Fields of the end: the
    // record, then the final states and the quantities.
    int record_fields, observed, states, quantities;
    // Fields of the record. A step has made a row if the count of rows has changed; the row's number is the count
    // before.
    int rows_field, status_field;
    double running;  // the status of an instance that goes on
    long long rows;  // of a trajectory: later rows are not stored
    // Fields that the usual program takes for constants.
    struct Known {
        int field;
        double value;
    };
    std::vector<Known> known;
    // Whether the kernel takes the instances that differ from `known`, or all others.
    bool takes_others = false;
};

}  // namespace myriad::graph
