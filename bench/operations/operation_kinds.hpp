// Operations by their kind, and counts of them.
#pragma once
#include <array>
#include <cstddef>

namespace myriad::bench {

enum class Operation { add, multiply, fma, divide, square_root, negate, compare, select, mask };
constexpr int operation_kinds = 9;
constexpr const char* operation_names[operation_kinds] = {"add",    "multiply", "fma",    "divide", "square root",
                                                          "negate", "compare",  "select", "mask"};

struct OperationCounts {
    std::array<long long, operation_kinds> of{};
    long long operator[](Operation kind) const { return of[static_cast<std::size_t>(kind)]; }
    // An fma counts twice; a change of sign, a comparison and a selection are no arithmetic.
    long long flops() const {
        return (*this)[Operation::add] + (*this)[Operation::multiply] + 2 * (*this)[Operation::fma] +
               (*this)[Operation::divide] + (*this)[Operation::square_root];
    }
    // Arithmetic instructions of a processor with fma.
    long long instructions() const {
        return (*this)[Operation::add] + (*this)[Operation::multiply] + (*this)[Operation::fma] +
               (*this)[Operation::divide] + (*this)[Operation::square_root];
    }
    friend OperationCounts operator-(OperationCounts a, const OperationCounts& b) {
        for (std::size_t i = 0; i < a.of.size(); ++i) a.of[i] -= b.of[i];
        return a;
    }
    friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

}  // namespace myriad::bench
