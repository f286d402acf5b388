// Saddle-point systems of mechanisms by cuBLAS' batched LU, their Schur complements by cuSOLVER's batched Cholesky, and
// both by the kernels' own elimination on one core of this processor.
//
// The libraries read their matrices from the device's memory; a run never writes them there. The fused kernels' time
// for factors and solve is part of their steps (case gpu).
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bench/cases.hpp"
#include "bench/saddle_point_problems.hpp"
#include "host/backends/solve_by_library.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

namespace {

using backends::LibraryMethod;

constexpr int instances = 20'000;

// The largest difference of two solutions of a system, relative to that system's largest entry.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b, int order) {
    double largest = 0.0;
    const auto n = static_cast<std::size_t>(order);
    for (std::size_t first = 0; first < a.size(); first += n) {
        double size = 0.0, difference = 0.0;
        for (std::size_t i = first; i < first + n; ++i) {
            size = std::max(size, std::fabs(b[i]));
            difference = std::max(difference, std::fabs(a[i] - b[i]));
        }
        largest = std::max(largest, difference / size);
    }
    return largest;
}

program::BenchRow row_of(const std::string& subject, const SaddlePointProblems& problems) {
    program::BenchRow row;
    row.bench = "library_solvers", row.subject = subject, row.precision = "fp64";
    row.instances = static_cast<std::uint64_t>(problems.count);
    return row;
}

program::BenchRow by_library(const std::string& subject, const SaddlePointProblems& problems, LibraryMethod method) {
    const bool whole = method == LibraryMethod::lu;
    const int order = whole ? problems.unknowns : problems.rows;
    program::BenchRow row =
        row_of(subject + (whole ? ", cuBLAS LU of order " : ", cuSOLVER Cholesky of order ") + std::to_string(order),
               problems);
    row.backend = "cuda";
    std::string why;
    const auto solved =
        backends::solve_by_library(method,
                                   {order, problems.count, whole ? problems.matrices : problems.schur_matrices,
                                    whole ? problems.right_hand_sides : problems.schur_sides},
                                   why);
    if (!solved) {
        row.note = "no device: " + why;
        return row;
    }
    std::vector<double> expected = problems.solutions;
    if (!whole) {
        expected.clear();
        const auto n = static_cast<std::size_t>(problems.unknowns), rows = static_cast<std::size_t>(problems.rows);
        for (std::size_t i = 0; i < static_cast<std::size_t>(problems.count); ++i)
            for (std::size_t k = n - rows; k < n; ++k) expected.push_back(problems.solutions[i * n + k]);
    }
    row.clock = "device", row.seconds = program::spread_of({solved->seconds});
    row.converged_share = 1.0 - static_cast<double>(solved->failures.size()) / problems.count;
    row.figures.push_back({"factors and solve", 1e9 * solved->seconds / problems.count, "ns/system"});
    row.figures.push_back(
        {"difference from the elimination", largest_difference(solved->solutions, expected, order), "relative"});
    return row;
}

}  // namespace

void library_solvers(program::BenchReport& report) {
    for (const char* name : {"heavy_top", "double_pendulum", "slider_crank_iftomm"}) {
        const auto mechanism = mechanism::parse_mechanism(validation::mechanism_text(name), name);
        const SaddlePointProblems problems = saddle_point_problems(*mechanism, instances);
        program::BenchRow own = row_of(std::string(name) + ", elimination", problems);
        own.backend = "cpu", own.threads = 1, own.width = 1, own.clock = "thread cpu";
        own.seconds = program::spread_of({problems.seconds});
        own.figures.push_back({"factors and solve", 1e9 * problems.seconds / problems.count, "ns/system"});
        report.rows.push_back(own);
        for (const LibraryMethod method : {LibraryMethod::lu, LibraryMethod::cholesky})
            report.rows.push_back(by_library(name, problems, method));
    }
}

}  // namespace myriad::bench
