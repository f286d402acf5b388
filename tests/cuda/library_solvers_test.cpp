// The kernels' elimination against cuBLAS and cuSOLVER on the device, on matrices of a mechanism of the catalog, and
// all that surrounds those libraries on the mock driver.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bench/saddle_point_problems.hpp"
#include "host/backends/solve_by_library.hpp"
#include "tests/cuda/mock/mock_driver.hpp"

namespace myriad {
namespace {

using backends::LibraryMethod;
using bench::SaddlePointProblems;

// Relative to the solution's largest entry: the condition of these matrices, with masses around 1 to 100 kg and lengths
// around 1 m, is some 1e4; the Schur complement squares part of it.
constexpr double lu_tolerance = 1e-11, cholesky_tolerance = 1e-9;

SaddlePointProblems double_pendulums(int count) {
    return bench::saddle_point_problems(
        *mechanism::read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/mechanisms/double_pendulum.json"),
        count);
}

// For n entries each: the largest difference over the largest entry of `expected`.
double relative_difference(const double* found, const double* expected, int n) {
    double size = 0.0, difference = 0.0;
    for (int i = 0; i < n; ++i) {
        size = std::max(size, std::fabs(expected[i]));
        difference = std::max(difference, std::fabs(found[i] - expected[i]));
    }
    return difference / size;
}

TEST(SaddlePointProblems, AreSolvedByTheElimination) {
    const SaddlePointProblems p = double_pendulums(33);
    ASSERT_EQ(p.unknowns, 22);
    ASSERT_EQ(p.rows, 10);
    const auto n = static_cast<std::size_t>(p.unknowns), rows = static_cast<std::size_t>(p.rows);
    for (std::size_t i = 0; i < 33; ++i) {
        const double* const solution = p.solutions.data() + i * n;
        std::vector<double> product(n, 0.0), schur_product(rows, 0.0);
        for (std::size_t column = 0; column < n; ++column)
            for (std::size_t row = 0; row < n; ++row)
                product[row] += p.matrices[(i * n + column) * n + row] * solution[column];
        EXPECT_LE(relative_difference(product.data(), p.right_hand_sides.data() + i * n, 22), lu_tolerance) << i;
        for (std::size_t column = 0; column < rows; ++column)
            for (std::size_t row = 0; row < rows; ++row)
                schur_product[row] += p.schur_matrices[(i * rows + column) * rows + row] * solution[n - rows + column];
        EXPECT_LE(relative_difference(schur_product.data(), p.schur_sides.data() + i * rows, 10), cholesky_tolerance)
            << i;
    }
}

void expect_agreement_with_the_elimination(int count) {
    const SaddlePointProblems p = double_pendulums(count);
    std::string why;
    const auto lu =
        backends::solve_by_library(LibraryMethod::lu, {p.unknowns, p.count, p.matrices, p.right_hand_sides}, why);
    if (!lu) GTEST_SKIP() << "no device: " << why;
    const auto cholesky =
        backends::solve_by_library(LibraryMethod::cholesky, {p.rows, p.count, p.schur_matrices, p.schur_sides}, why);
    ASSERT_TRUE(cholesky) << why;
    EXPECT_TRUE(lu->failures.empty());
    EXPECT_TRUE(cholesky->failures.empty());
    const auto n = static_cast<std::size_t>(p.unknowns), rows = static_cast<std::size_t>(p.rows);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const double* const expected = p.solutions.data() + i * n;
        EXPECT_LE(relative_difference(lu->solutions.data() + i * n, expected, p.unknowns), lu_tolerance) << i;
        EXPECT_LE(relative_difference(cholesky->solutions.data() + i * rows, expected + n - rows, p.rows),
                  cholesky_tolerance)
            << i;
    }
}

TEST(LibrarySolvers, AgreeWithTheElimination) { expect_agreement_with_the_elimination(1000); }

TEST(LibrarySolvers, AskForNothingWithoutACurrentContext) {
    for (const char* name : {"MYRIAD_CUDA_DRIVER", "MYRIAD_CUBLAS", "MYRIAD_CUSOLVER"})
        setenv(name, MYRIAD_MOCK_CUDA_DRIVER, 1);
    void* library = dlopen(MYRIAD_MOCK_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    reinterpret_cast<SetMockKernel>(dlsym(library, "myriad_mock_set_kernel"))(nullptr);
    EXPECT_NO_THROW(expect_agreement_with_the_elimination(33));
    EXPECT_EQ(reinterpret_cast<MockCount>(dlsym(library, "myriad_mock_refusals"))(), 0u);
    for (const char* name : {"MYRIAD_CUDA_DRIVER", "MYRIAD_CUBLAS", "MYRIAD_CUSOLVER"}) unsetenv(name);
}

}  // namespace
}  // namespace myriad
