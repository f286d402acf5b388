// Many small linear systems by NVIDIA's libraries: cuBLAS' batched LU and cuSOLVER's batched Cholesky factorisation.
//
// They are no part of a run: a cross-check of the kernels' own elimination by an independent code on the device, and a
// row of the bench that says what a solve costs whose matrices lie in the device's memory. Both libraries are opened
// when asked for, at the paths in MYRIAD_CUBLAS and MYRIAD_CUSOLVER where those are set.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/backends/cuda/driver.hpp"

namespace myriad::backends::cuda {

// Of `count` systems of the same order n: by columns, one after the other.
struct SystemsView {
    int order = 0, count = 0;
    std::span<const double> matrices;          // [count][column][row]
    std::span<const double> right_hand_sides;  // [count][n]
};

struct LibrarySolution {
    std::vector<double> solutions;  // [count][n]
    std::vector<int> failures;      // the systems that the library calls singular or not positive definite
    double seconds = 0.0;           // factors and one solve, on the device, without copies
};

class LibrarySolvers {
  public:
    // None where a library is missing; `why` then says so in a sentence.
    static std::unique_ptr<LibrarySolvers> open(std::shared_ptr<const Device> device, std::string& why);
    virtual ~LibrarySolvers() = default;

    // Throw UserError (exit code 3) where the device or the library refuses, std::invalid_argument where the sizes
    // contradict each other.
    virtual LibrarySolution lu(const SystemsView& systems) = 0;        // getrfBatched, getrsBatched; partial pivoting
    virtual LibrarySolution cholesky(const SystemsView& systems) = 0;  // potrfBatched, potrsBatched; lower triangle
};

}  // namespace myriad::backends::cuda
