// A backend for which another stands in while its kernels compile: the same bits whenever it moves, and no waiting.
#include "host/backends/stand_in.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "host/text/user_error.hpp"
#include "tests/cuda/mock_cuda.hpp"

namespace myriad {
namespace {

using backends::Backend;
using backends::Chunk;
using backends::LateBackend;
using backends::MemoryPlan;
using backends::Settings;
using backends::StepByStep;
using backends::Task;
using testing::AllOf;
using testing::HasSubstr;

// Steps of the CPU that count their chunks. As a late backend it is prepared when it is told to be.
class SteppedDevice final : public LateBackend {
  public:
    SteppedDevice(const char* name, int buffers, int& chunks) : name_(name), buffers_(buffers), chunks_(chunks) {}
    const char* name() const override { return name_; }
    std::string device() const override { return std::string("device ") + name_; }
    int buffers() const override { return buffers_; }
    bool has_to_compile(const Task&) const override { return is_late_; }
    MemoryPlan plan(const Task& task, std::uint64_t instances) override {
        task_ = task;
        MemoryPlan plan;
        plan.instances_per_chunk = std::min(instances, most_instances_);
        return plan;
    }
    MemoryPlan prepare_unless(const std::atomic<bool>& stopped, const Task& task, std::uint64_t instances) override {
        preparer_ = ::gettid();
        while (is_late_ && !may_prepare_) {
            if (stopped) throw backends::PreparingStopped{};
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (fails_) throw UserError(ExitCode::device, device(), "it has no room", "make some");
        MemoryPlan plan = this->plan(task, instances);
        plan.instances_per_chunk = std::min(plan.instances_per_chunk, most_when_prepared_);
        return plan;
    }
    // Comes back when the thread that prepares it has ended.
    void let_prepare() {
        may_prepare_ = true;
        while (preparer_ == 0 || std::filesystem::exists("/proc/self/task/" + std::to_string(preparer_)))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    backends::Shape shape() const override {
        backends::Shape shape;
        shape.varied = task_.plan.varied_count;
        return shape;
    }
    void start(int buffer, std::uint64_t count, const double* varied) override {
        ASSERT_LT(buffer, buffers_);
        ASSERT_EQ(started_[static_cast<std::size_t>(buffer)], nullptr) << "its last chunk is not finished";
        started_[static_cast<std::size_t>(buffer)] = std::make_unique<StepByStep>(task_, count, varied);
    }
    bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop) override {
        ++chunks_;
        auto& steps = started_[static_cast<std::size_t>(buffer)];
        steps->advance_to(task_.schedule.end_s, [&] { return stop.load(); });
        chunk = steps->chunk();
        steps = nullptr;
        if (when_finished_) when_finished_();
        return !stop;
    }
    double compute_seconds() const override { return 1.0; }

    bool is_late_ = false, fails_ = false;
    std::function<void()> when_finished_;
    std::uint64_t most_instances_ = 50, most_when_prepared_ = 50;

  private:
    const char* name_;
    int buffers_;
    int& chunks_;
    Task task_;
    std::array<std::unique_ptr<StepByStep>, 2> started_;
    std::atomic<bool> may_prepare_ = false;
    std::atomic<pid_t> preparer_ = 0;
};

// A late device of two buffers, ready after so many chunks, for which one of `buffers` stands in.
struct Pair {
    int own_chunks = 0, stand_in_chunks = 0;
    SteppedDevice* own = nullptr;
    std::vector<std::string> notices;
    std::unique_ptr<Backend> backend;
    Pair(int buffers, int ready_after) {
        auto late = std::make_unique<SteppedDevice>("late", 2, own_chunks);
        own = late.get();
        own->is_late_ = true;
        Settings settings;
        settings.notice = [this](const std::string& text) { notices.push_back(text); };
        const auto make = [this, buffers, ready_after](const Task&) {
            auto ready = std::make_unique<SteppedDevice>("ready", buffers, stand_in_chunks);
            ready->when_finished_ = [this, ready_after] {
                if (stand_in_chunks == ready_after) own->let_prepare();
            };
            return ready;
        };
        backend = backends::make_with_stand_in(std::move(late), make, settings);
    }
};
constexpr int never = 1 << 20;

TEST(StandIn, GivesTheSameBitsWheneverItIsRelieved) {
    const Task task = tests::generic_task("heavy_top", "rotation", "dopri5");
    for (const std::uint64_t count : {1, 31, 33, 1000}) {
        const Chunk expected = tests::on_backend("cpu", task, count, 0);
        for (const int buffers : {1, 2})
            for (const int ready_after : {1, 2, 7, never}) {
                SCOPED_TRACE(std::to_string(count) + " instances, ready after " + std::to_string(ready_after) +
                             ", buffers " + std::to_string(buffers));
                Pair pair(buffers, ready_after);
                tests::expect_same_bits(tests::run(*pair.backend, task, count), expected);
                const int chunks = static_cast<int>((count + 49) / 50);
                EXPECT_EQ(pair.own_chunks + pair.stand_in_chunks, chunks);
                EXPECT_GE(pair.stand_in_chunks, std::min(chunks, ready_after));
                if (ready_after < chunks - 2) {
                    EXPECT_GT(pair.own_chunks, 0);
                    EXPECT_STREQ(pair.backend->name(), "late");
                    EXPECT_THAT(pair.backend->device(),
                                AllOf(HasSubstr("device late; the first "), HasSubstr(" instances on device ready")));
                    EXPECT_EQ(pair.backend->doing(), "");
                }
                if (ready_after == never) EXPECT_THAT(pair.backend->device(), "device ready");
            }
    }
}

TEST(StandIn, SaysWhatItWaitsForAndEndsWithoutIt) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    Pair pair(1, never);
    pair.backend->prepare(task, 100);
    EXPECT_EQ(pair.backend->doing(), "on ready while the GPU kernels compile (0 s)");
    EXPECT_STREQ(pair.backend->name(), "ready");
    ASSERT_EQ(pair.notices.size(), 1u);
    EXPECT_THAT(pair.notices[0], HasSubstr("Until then it runs on device ready"));
}

TEST(StandIn, IsNotAskedForWhereTheKernelsAreKept) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    Pair pair(1, never);
    pair.own->is_late_ = false;
    tests::expect_same_bits(tests::run(*pair.backend, task, 200), tests::on_backend("cpu", task, 200, 0));
    EXPECT_EQ(pair.stand_in_chunks, 0);
    EXPECT_EQ(pair.backend->device(), "device late");
}

TEST(StandIn, DoesItAllWhereTheOtherCannot) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    Pair pair(1, 1);
    pair.own->fails_ = true;
    tests::expect_same_bits(tests::run(*pair.backend, task, 200), tests::on_backend("cpu", task, 200, 0));
    EXPECT_EQ(pair.own_chunks, 0);
    ASSERT_EQ(pair.notices.size(), 2u);
    EXPECT_THAT(pair.notices[1], AllOf(HasSubstr("not on the GPU"), HasSubstr("it has no room")));
}

TEST(StandIn, TakesTheChunksThatTheOtherHasNoRoomFor) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    Pair pair(2, 1);
    pair.own->most_when_prepared_ = 40;
    tests::expect_same_bits(tests::run(*pair.backend, task, 230), tests::on_backend("cpu", task, 230, 0));
    EXPECT_EQ(pair.own_chunks, 1) << "the last chunk, of 30 instances";
}

TEST(StandIn, LeavesAChunkWhenStopped) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    Pair pair(1, never);
    pair.backend->prepare(task, 80);
    pair.backend->start(0, 40, tests::generic_values(0, 40).data());
    pair.backend->start(1, 40, tests::generic_values(40, 40).data());
    Chunk chunk;
    EXPECT_FALSE(pair.backend->finish(0, chunk, std::atomic<bool>{true}));
}

class StandInForMock : public tests::MockCuda {
  protected:
    static Settings at_once() {
        Settings settings;
        settings.starts_at_once = true;
        return settings;
    }
};

TEST_F(StandInForMock, LeavesNothingToWaitForOnceTheKernelsAreKept) {
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    keep_kernels(task);
    const auto backend = backends::make_backend("auto", at_once());
    tests::expect_same_bits(tests::run(*backend, task, 100), tests::on_backend("cpu", task, 100, 0));
    EXPECT_STREQ(backend->name(), "cuda");
    EXPECT_THAT(backend->device(), testing::Not(HasSubstr("instances on")));
}

TEST_F(StandInForMock, RunsOnTheCpuUntilTheCompilerHasDone) {
    std::string why;
    if (!backends::cuda::RuntimeCompiler::open(why)) GTEST_SKIP() << why;
    const Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    tests::task_of_the_kernels = &task;
    const auto backend = backends::make_backend("auto", at_once());
    const Chunk expected = tests::on_backend("cpu", task, 100, 0);
    tests::expect_same_bits(tests::run(*backend, task, 100), expected);
    EXPECT_STREQ(backend->name(), "cpu") << "a hundred tops take less time than the compiler";
    EXPECT_EQ(launches_(), 0u);
    // The compiler ends now, without the kernels: nobody waits for it.
    backend->prepare(task, 100);
    while (std::string(backend->name()) != "cuda") {
        backend->start(0, 100, tests::generic_values(0, 100).data());
        Chunk chunk;
        ASSERT_TRUE(backend->finish(0, chunk, std::atomic<bool>{false}));
        tests::expect_same_bits(chunk, expected);
        ASSERT_FALSE(testing::Test::HasFailure());
    }
    EXPECT_GT(launches_(), 0u) << "the last chunk ran on the GPU";
    EXPECT_TRUE(
        backends::cuda::is_kept(task, "sm_90", backends::cuda::cache_folders(), backends::cuda::KernelForm::compiled));
}

// This compilation takes many seconds; had anybody waited for it, the kernels would be kept.
TEST_F(StandInForMock, DoesNotWaitForTheCompilerAtTheEnd) {
    std::string why;
    const auto compiler = backends::cuda::RuntimeCompiler::open(why);
    if (!compiler) GTEST_SKIP() << why;
    if (!compiler->can_be_interrupted()) GTEST_SKIP() << compiler->version() << " cannot be interrupted";
    const Task task = tests::generic_task("slider_crank_flexible_2_elements", "rotation", "nonsmooth_ed_alpha");
    tests::task_of_the_kernels = &task;
    auto backend = backends::make_backend("auto", at_once());
    backend->prepare(task, 10);
    while (backend->doing().ends_with("(0 s)")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    backend = nullptr;
    EXPECT_FALSE(
        backends::cuda::is_kept(task, "sm_90", backends::cuda::cache_folders(), backends::cuda::KernelForm::compiled));
}

}  // namespace
}  // namespace myriad
