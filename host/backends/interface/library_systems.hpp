// Many small linear systems in the form that one of NVIDIA's libraries takes, and its results.
#pragma once
#include <span>
#include <vector>

namespace myriad::backends {

// Systems of the same order n: by columns, one after the other.
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

enum class LibraryMethod {
    lu,        // cuBLAS: getrfBatched and getrsBatched, with partial pivoting
    cholesky,  // cuSOLVER: potrfBatched and potrsBatched, of the lower triangle
};

}  // namespace myriad::backends
