#include <gtest/gtest.h>

#include <ostream>

#include "tests/graph/bits_of_kernels.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

struct TracedCase {
    const char* study;
    const char* method;  // JSON
    int steps;
    bool fails;  // some instance ends before its span does
    backends::Precision precision = backends::Precision::fp64;
    friend void PrintTo(const TracedCase& x, std::ostream* out) { *out << x.study << " " << x.method; }
};

study::Study study_of(const TracedCase& given) {
    study::Overrides changes;
    changes.assignments = {"coordinates=joint", std::string("integrator=") + given.method};
    if (given.precision == backends::Precision::fp32) changes.assignments.push_back("precision=fp32");
    const bool is_adaptive = std::string(given.method).find("tolerance") != std::string::npos;
    if (given.fails) changes.assignments.push_back("observe.every_s=0.5");
    if (is_adaptive && !given.fails)
        changes.assignments.push_back(R"(observe={"every_s": 0.013, "channels": ["position"]})");
    return study::read_study(source_dir() / ("ensembles/studies/" + std::string(given.study) + ".json"), changes);
}

class TracedStep : public testing::TestWithParam<TracedCase> {};

TEST_P(TracedStep, OnATapeHasTheBitsOfTheKernels) {
    const TracedCase& given = GetParam();
    if (given.precision == backends::Precision::fp64)
        expect_the_bits_of_the_kernels<double>(study_of(given), given.steps, given.fails);
    else
        expect_the_bits_of_the_kernels<float>(study_of(given), given.steps, given.fails);
}

constexpr const char* by_rk4 = R"({"name": "rk4", "step_s": 1e-3, "end_s": 0.15})";
constexpr const char* by_large_steps = R"({"name": "rk4", "step_s": 0.5, "end_s": 100})";
constexpr const char* by_generalized_alpha =
    R"({"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.15, "spectral_radius": 0.9})";
constexpr const char* by_large_implicit_steps =
    R"({"name": "generalized_alpha", "step_s": 0.5, "end_s": 100, "spectral_radius": 0.9})";
// More steps than the span has: an instance that has ended stays as it is.
constexpr int beyond_the_span = 170;

INSTANTIATE_TEST_SUITE_P(Mechanisms, TracedStep,
                         testing::Values(TracedCase{"pendulum", by_rk4, beyond_the_span, false},
                                         TracedCase{"double_pendulum", by_rk4, beyond_the_span, false},
                                         TracedCase{"four_link", by_rk4, beyond_the_span, false},
                                         TracedCase{"puma560", by_rk4, beyond_the_span, false},
                                         TracedCase{"heavy_top_on_joint", by_rk4, beyond_the_span, false},
                                         TracedCase{"slider_crank_iftomm", by_rk4, beyond_the_span, false}));
INSTANTIATE_TEST_SUITE_P(Failing, TracedStep,
                         testing::Values(TracedCase{"four_link", by_large_steps, 100, true},
                                         TracedCase{"puma560", by_large_steps, 100, true},
                                         TracedCase{"slider_crank_iftomm", by_large_steps, 100, true}));
INSTANTIATE_TEST_SUITE_P(Implicit, TracedStep,
                         testing::Values(TracedCase{"double_pendulum", by_generalized_alpha, beyond_the_span, false},
                                         TracedCase{"puma560", by_generalized_alpha, beyond_the_span, false},
                                         TracedCase{"four_link", by_generalized_alpha, beyond_the_span, false},
                                         TracedCase{"slider_crank_iftomm", by_generalized_alpha, beyond_the_span,
                                                    false},
                                         TracedCase{"slider_crank_iftomm", by_large_implicit_steps, 50, true}));
constexpr const char* by_dopri5 =
    R"({"name": "dopri5", "end_s": 0.5, "largest_step_s": 0.5, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-6})";
constexpr const char* by_loose_dopri5 =
    R"({"name": "dopri5", "end_s": 0.5, "largest_step_s": 0.5, "relative_tolerance": 1e-4, "absolute_tolerance": 1e-4})";
constexpr const char* by_ode23 =
    R"({"name": "ode23", "end_s": 0.5, "largest_step_s": 0.5, "relative_tolerance": 1e-4, "absolute_tolerance": 1e-4})";
constexpr const char* by_few_attempts =
    R"({"name": "ode23", "end_s": 5, "largest_step_s": 5, "relative_tolerance": 1e-8, "absolute_tolerance": 1e-8, "most_attempts": 90})";
constexpr const char* by_no_small_steps =
    R"({"name": "dopri5", "end_s": 5, "largest_step_s": 5, "relative_tolerance": 1e-8,
    "absolute_tolerance": 1e-8, "initial_step_s": 0.5, "smallest_step_s": 0.1})";
INSTANTIATE_TEST_SUITE_P(Adaptive, TracedStep,
                         testing::Values(TracedCase{"pendulum", by_dopri5, beyond_the_span, false},
                                         TracedCase{"double_pendulum", by_dopri5, beyond_the_span, false},
                                         TracedCase{"puma560", by_dopri5, beyond_the_span, false},
                                         TracedCase{"four_link", by_dopri5, beyond_the_span, false},
                                         TracedCase{"slider_crank_iftomm", by_dopri5, beyond_the_span, false},
                                         TracedCase{"heavy_top_on_joint", by_dopri5, beyond_the_span, false},
                                         TracedCase{"double_pendulum", by_ode23, beyond_the_span, false},
                                         TracedCase{"slider_crank_iftomm", by_ode23, beyond_the_span, false},
                                         TracedCase{"double_pendulum", by_few_attempts, 120, true},
                                         TracedCase{"slider_crank_iftomm", by_no_small_steps, 120, true}));
constexpr backends::Precision fp32 = backends::Precision::fp32;
INSTANTIATE_TEST_SUITE_P(InSinglePrecision, TracedStep,
                         testing::Values(TracedCase{"double_pendulum", by_rk4, beyond_the_span, false, fp32},
                                         TracedCase{"double_pendulum", by_loose_dopri5, beyond_the_span, false, fp32},
                                         TracedCase{"puma560", by_rk4, beyond_the_span, false, fp32},
                                         TracedCase{"slider_crank_iftomm", by_rk4, beyond_the_span, false, fp32},
                                         TracedCase{"puma560", by_large_steps, 100, true, fp32},
                                         TracedCase{"puma560", by_generalized_alpha, beyond_the_span, false, fp32},
                                         TracedCase{"slider_crank_iftomm", by_generalized_alpha, beyond_the_span, false,
                                                    fp32}));

}  // namespace
}  // namespace myriad::graph
