// The kernels by hand of the bench move as the program does.
#include "bench/problems_by_hand.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "host/backends/cpu/cpu.hpp"
#include "host/study/study.hpp"

namespace myriad::bench {

void PrintTo(const ProblemByHand& problem, std::ostream* out) { *out << problem.name; }

namespace {

constexpr std::size_t instances = 33;
constexpr const char* crank_with_impacts = "clearance_crank";

// The same method on coordinates that differ by a linear map, or none: what round-off becomes in a thousand steps.
constexpr double round_off = 1e-9;
// Rows close the loop of the spatial slider-crank in the program: an error of h^4 of its own.
constexpr double error_of_the_loop = 1e-7;
// Impacts magnify round-off a thousandfold in some milliseconds.
constexpr double round_off_after_impacts = 1e-6;
constexpr int steps_with_impacts = 1000;
// In half of the time each problem goes further than this, m or rad; without walls the crank goes that far.
constexpr double moves_by = 1e-4, walls_hold_by = 1e-2;
constexpr std::size_t field_of_clearance = 4;
constexpr double clearance_without_walls_m = 1.0;

bool has_impacts(const ProblemByHand& problem) { return std::string(problem.name) == crank_with_impacts; }
double tolerance_of(const ProblemByHand& problem) {
    if (has_impacts(problem)) return round_off_after_impacts;
    return std::string(problem.name) == "spatial_slider_crank" ? error_of_the_loop : round_off;
}

class ProblemsByHand : public testing::TestWithParam<ProblemByHand> {
  protected:
    const ProblemByHand& problem = GetParam();
    const int steps = has_impacts(problem) ? steps_with_impacts : problem.steps;
    const study::Study study = study_of(problem, instances, steps);
    const PreparedByHand start = prepare(problem, study);
    const Finished finished = run_ensemble(*backends::make_cpu_backend({}), make_ensemble(study), Clock::wall);

    double difference_after(int count, const PreparedByHand& from) const {
        PreparedByHand end = from;
        advance(problem, end, count);
        return largest_difference(problem, from, end.state, finished);
    }
};

TEST_P(ProblemsByHand, MoveAsTheProgramDoes) {
    EXPECT_LE(difference_after(steps, start), tolerance_of(problem));
    EXPECT_GT(difference_after(steps / 2, start), moves_by);
    if (!has_impacts(problem)) return;
    PreparedByHand without_walls = start;
    for (std::size_t i = 0; i < instances; ++i)
        without_walls.parameters[field_of_clearance * instances + i] = clearance_without_walls_m;
    EXPECT_GT(difference_after(steps, without_walls), walls_hold_by);
}

TEST_P(ProblemsByHand, ShowAnInstanceThatIsNoNumber) {
    PreparedByHand end = start;
    advance(problem, end, steps);
    end.state[0] = std::numeric_limits<double>::quiet_NaN();  // the first field of the first instance
    EXPECT_TRUE(std::isnan(largest_difference(problem, start, end.state, finished)));
}

INSTANTIATE_TEST_SUITE_P(All, ProblemsByHand, testing::ValuesIn(problems_by_hand().begin(), problems_by_hand().end()),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace myriad::bench
