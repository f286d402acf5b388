// The same bits in every lane: instances of other parameters, in flight while this one is in contact, one of them
// broken.
#include <cstring>

#include "host/backends/cpu/cpu.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "tests/contact/contact_runs.hpp"
#include "tests/generic_tasks.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

using backends::StepByStep;
constexpr std::size_t broken = 1;
constexpr long long all_attempts = 1 << 20;

StepByStep run_of(const std::string& system, const std::string& scheme, const Schedule& schedule,
                  const backends::Instances& instances, int width) {
    const auto task = contact_task(system.c_str(), scheme.c_str(), static_cast<int>(instances[0].size()), schedule);
    StepByStep run(task, instances.size(), backends::columns(instances, 0, instances.size()).data(), width);
    while (run.advance(all_attempts)) continue;
    return run;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Three instances more than a pack holds: the last pack has lanes that only stand in.
void expect_the_same_bits(const std::string& scheme, const std::string& system, double h, double end,
                          const std::map<std::string, double>& changed) {
    SCOPED_TRACE(system + " by " + scheme);
    const Schedule schedule = contact_schedule(h, end, 0.7);
    for (const int width : backends::cpu_widths()) {
        Arguments draw(41);
        backends::Instances instances(static_cast<std::size_t>(width) + 3);
        for (auto& values : instances) {
            for (const auto& parameter : study::find_system(system, "test").parameters)
                values.push_back(parameter.value);
            for (const auto& [address, value] : changed)
                values[static_cast<std::size_t>(backends::parameter_index(system, address))] = value;
            for (double& value : values) value *= draw.uniform(0.6, 1.0);
        }
        instances[broken][0] = std::nan("");
        const StepByStep together = run_of(system, scheme, schedule, instances, width);
        for (std::size_t i = 0; i < instances.size(); ++i) {
            const StepByStep alone = run_of(system, scheme, schedule, {instances[i]}, 1);
            EXPECT_EQ(alone.progress(0).reason > 0.0, i == broken) << "instance " << i;
            EXPECT_EQ(together.progress(i).reason, alone.progress(0).reason) << "instance " << i;
            if (i == broken) continue;
            EXPECT_TRUE(same_bits(together.record(i), alone.record(0))) << width << " wide, instance " << i;
        }
    }
}

// Planar contacts with impacts and bilateral ones, on every scheme ...
TEST(ContactLanes, HaveTheSameBitsByEveryScheme) {
    for (const auto& scheme : study::integrators_of(study::find_system("slider_crank_clearance", "test"))) {
        expect_the_same_bits(scheme.name, "slider_crank_clearance", 1e-4, 0.05, {});
        expect_the_same_bits(scheme.name, "slider_crank_clearance", 1e-4, 0.02, {{"clearance_m", 0.0}});
    }
}

// ... and flexible rods on one of them: the code of the schemes is the same.
TEST(ContactLanes, HaveTheSameBitsWithFlexibleRods) {
    const struct {
        const char* system;
        double h, end;
        std::map<std::string, double> changed;
    } runs[] = {
        {"slider_crank_flexible_2_elements",
         1e-4,
         0.02,
         {{"rod.damping_time_s", 1e-5}, {"initial_deformation[4]", 1e-4}}},
        {"slider_crank_flexible_2_modes", 1e-4, 0.02, {}},
    };
    for (const auto& run : runs) expect_the_same_bits("nonsmooth_bathe", run.system, run.h, run.end, run.changed);
}

// A step that cannot be solved stops its lane at the last good state, with a reason, and no other one.
TEST(ContactLanes, StopAloneWhereContactsAreNotSolved) {
    using Crank = SliderCrankClearance<double, NoChart>;
    constexpr std::size_t free = 2;
    Schedule schedule = contact_schedule(1e-4, 0.02);
    schedule.most_prox_iterations = 0;
    const auto parameters = parameters_with<Crank>({});
    backends::Instances instances(4, {parameters.e, parameters.e + Crank::parameter_count});
    instances[free][4] = 1.0;  // so much clearance that nothing touches
    const StepByStep run = run_of(Crank::name, Timestepping<NonsmoothBathe>::name, schedule, instances, 0);
    for (std::size_t i = 0; i < instances.size(); ++i) {
        Progress<double> progress;
        Motion<Crank> motion;
        run.read(i, progress, motion);
        EXPECT_EQ(progress.reason, i == free ? 0.0 : static_cast<double>(Reason::impact_did_not_converge));
        EXPECT_EQ(progress.steps == schedule.total_steps, i == free);
        EXPECT_TRUE(std::isfinite(motion.q[1]));
    }
}

}  // namespace
}  // namespace myriad::test
