// Every mechanism of the catalog by the kernels and by the reference path, which shares no code with them: every
// integrator on every chart, every channel at every step.
#include <gtest/gtest.h>

#include <cstdio>

#include "host/backends/reference/reference.hpp"
#include "host/validation/runs/mechanism_differences.hpp"
#include "kernels/system/status.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::validation {

namespace {

struct Case {
    MechanismTwin twin;
    TwinMethod method;
    friend void PrintTo(const Case& value, std::ostream* out) {
        *out << value.twin.mechanism << ' ' << value.method.integrator << ' ' << value.method.chart;
    }
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const MechanismTwin& twin : mechanism_twins_of_the_catalog())
        for (const TwinMethod& method : methods_of(twin)) all.push_back({twin, method});
    return all;
}

backends::Chunk run_reference(const backends::Task& task) {
    const auto backend = backends::make_reference_backend({});
    backend->prepare(task, 1);
    backend->start(0, 1, nullptr);
    backends::Chunk chunk;
    backend->finish(0, chunk, std::atomic<bool>{false});
    return chunk;
}

backends::Chunk run_one_wide(const backends::Task& task) { return backends::run_in_launches(task, {{}}, 1, 1'000'000); }

class MechanismTwins : public testing::TestWithParam<Case> {
  public:
    static void compare(int steps) {
        const auto& [twin, method] = GetParam();
        const study::Study study = twin_study(twin, method, steps);
        const backends::Task task = study.task();
        const backends::Chunk ours = run_one_wide(task), theirs = run_reference(task);
        if (ended_at_a_singularity(method, ours, theirs)) {
            // Hinges about z hang there from the start, the top comes by.
            EXPECT_TRUE(twin.mechanism == "pendulum" || twin.mechanism == "double_pendulum" ||
                        twin.mechanism == "heavy_top");
            return;
        }
        ASSERT_STREQ(name_of(static_cast<Status>(ours.status.front())), "ok");
        ASSERT_EQ(theirs.status, ours.status);
        EXPECT_EQ(ours.steps.front(), steps);
        EXPECT_EQ(theirs.steps.front(), steps);
        for (const Difference& difference : differences_of(study, ours, theirs)) {
            std::printf("%-20s %-17s %-16s %3d steps %-12s %8.2f round-offs %s\n", twin.mechanism.c_str(),
                        method.integrator.c_str(), method.chart.c_str(), steps, difference.channels.c_str(),
                        difference.round_offs, difference.where.c_str());
            EXPECT_LE(difference.round_offs, difference.allowed_round_offs)
                << difference.channels << ": " << difference.where;
        }
    }
};

TEST_P(MechanismTwins, AgreeToRoundOffForAFewSteps) { compare(4); }
TEST_P(MechanismTwins, AgreeForAHundredSteps) { compare(100); }

INSTANTIATE_TEST_SUITE_P(Catalog, MechanismTwins, testing::ValuesIn(cases()), [](const auto& given) {
    return given.param.twin.mechanism + "_" + given.param.method.integrator + "_" + given.param.method.chart;
});

}  // namespace
}  // namespace myriad::validation
