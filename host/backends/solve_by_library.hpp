// Many small linear systems by NVIDIA's libraries, for comparison with the kernels' own elimination. In every build:
// where there is no CUDA or no GPU, the answer is why.
#pragma once
#include <optional>
#include <span>
#include <string>
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

// None where there is no GPU or no such library; `why` then says so in a sentence. Throws UserError (exit code 3) where
// the device refuses, std::invalid_argument where the sizes contradict each other.
std::optional<LibrarySolution> solve_by_library(LibraryMethod method, const SystemsView& systems, std::string& why);

}  // namespace myriad::backends
