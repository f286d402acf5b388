// A run rounds to nearest and knows subnormal numbers, whatever the process around it has set, and leaves that as it
// was.
#include "host/backends/interface/standard_arithmetic.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "host/backends/cpu/cpu.hpp"
#include "tests/cuda/tasks.hpp"

namespace myriad::backends {
namespace {

// Upward rounding; on an x86 subnormal numbers are zero, too.
class OtherArithmetic {
  public:
    OtherArithmetic() {
        std::fegetenv(&before_);
        std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
        constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;  // of MXCSR
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flush_to_zero | denormals_are_zero);
#endif
    }
    ~OtherArithmetic() { std::fesetenv(&before_); }
    static bool is_set() {
#if defined(__SSE2__)
        if (half(std::numeric_limits<double>::min()) != 0.0) return false;
#endif
        return std::fegetround() == FE_UPWARD;
    }
    static double half(double x) {
        volatile double given = x;
        volatile double half = 0.5 * given;
        return half;
    }

  private:
    std::fenv_t before_;
};

// Gravity varies: that of every second instance is so small that all it does is a subnormal number.
Task subnormal_task() {
    Task task = tests::joint_task("double_pendulum", "rk4");
    std::fill(std::begin(task.plan.varied), std::end(task.plan.varied), -1);
    task.plan.varied[gravity_parameter + 2] = 0, task.plan.varied_count = 1;
    return task;
}
Instances with_subnormal_gravity(std::uint64_t count) {
    Instances instances;
    for (std::uint64_t i = 0; i < count; ++i)
        instances.push_back({i % 2 == 0 ? -9.81 - 0.01 * static_cast<double>(i) : -1e-309});
    return instances;
}

class StandardArithmeticOfRuns : public testing::TestWithParam<const char*> {};

template <class Run>
void expect_the_same_under_other_arithmetic(const Run& run) {
    Chunk seen;
    {
        const OtherArithmetic other;
        ASSERT_TRUE(OtherArithmetic::is_set());
        seen = run();
        EXPECT_TRUE(OtherArithmetic::is_set()) << "left otherwise";
    }
    ASSERT_FALSE(OtherArithmetic::is_set());
    EXPECT_EQ(differing(bits_of(seen), bits_of(run())), 0u);
}

constexpr std::uint64_t blocks_for_two_threads = 300;

TEST_P(StandardArithmeticOfRuns, KeepsTheBitsOfARunOnAnyNumberOfThreads) {
    const Task task = subnormal_task();
    const Instances instances = with_subnormal_gravity(blocks_for_two_threads);
    for (const int threads : {2, 1})
        for (const int width : cpu_widths()) {
            SCOPED_TRACE(std::to_string(width) + " wide, threads: " + std::to_string(threads));
            Settings settings;
            settings.threads = threads, settings.width = width, settings.kernels = GetParam();
            expect_the_same_under_other_arithmetic([&] { return run_on_cpu(task, settings, instances); });
        }
}

TEST_P(StandardArithmeticOfRuns, KeepsTheBitsOfInstancesInMemory) {
    const Task task = subnormal_task();
    const std::vector<double> first =
        columns(with_subnormal_gravity(blocks_for_two_threads), 0, blocks_for_two_threads);
    std::vector<double> second = first;
    for (double& gravity : second) gravity *= 2.0;
    expect_the_same_under_other_arithmetic([&] {
        StepByStep run(task, blocks_for_two_threads, first.data(), 0, 2, GetParam());
        run.advance(40);
        run.set_varied(second.data());
        run.advance_to(0.09);
        run.begin_again({0, 1});
        run.advance(7);
        return run.chunk();
    });
}

INSTANTIATE_TEST_SUITE_P(Kernels, StandardArithmeticOfRuns,
                         testing::Values(names::double_kernels, names::interpreted_kernels),
                         [](const auto& kernels) { return std::string(kernels.param); });

TEST(StandardArithmetic, IsSetWhileItLivesAndBroughtBack) {
    const OtherArithmetic other;
    {
        const StandardArithmetic standard;
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        EXPECT_NE(OtherArithmetic::half(std::numeric_limits<double>::min()), 0.0);
    }
    EXPECT_TRUE(OtherArithmetic::is_set());
}

}  // namespace
}  // namespace myriad::backends
