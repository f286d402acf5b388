// What validation asks of a run is what it gets, whatever the kernels observe beside it.
#include "host/validation/runs/finished_run.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {
namespace {

// A CPU that is taken for a GPU, and counts the channels that it is asked to observe.
class TakenForAGpu final : public backends::Backend {
  public:
    int observed = 0;

    const char* name() const override { return backends::names::cuda; }
    std::string device() const override { return own_->device(); }
    int buffers() const override { return own_->buffers(); }
    backends::MemoryPlan prepare(const backends::Task& task, std::uint64_t instances) override {
        observed = task.plan.observed_count;
        return own_->prepare(task, instances);
    }
    backends::Shape shape() const override { return own_->shape(); }
    void start(int buffer, std::uint64_t count, const double* varied) override { own_->start(buffer, count, varied); }
    bool finish(int buffer, backends::Chunk& chunk, const std::atomic<bool>& stop) override {
        return own_->finish(buffer, chunk, stop);
    }
    double compute_seconds() const override { return own_->compute_seconds(); }

  private:
    std::unique_ptr<backends::Backend> own_ = backends::make_backend(backends::names::cpu, {});
};

// Out of the system's order, with a norm, for instances that differ.
FinishedRun swinging(const std::string& coordinates, backends::Backend& backend) {
    return run_mechanism("double_pendulum",
                         {.integrator = "generalized_alpha", .step_s = 1e-3, .end_s = 0.05, .coordinates = coordinates},
                         backend,
                         {0.01, {"velocity.lower_rod.y", "energy", "position.lower_rod.norm", "position.upper_rod"}},
                         R"({"gravity_m_s2[2]": {"uniform": {"low": -10.0, "high": -9.0}}})", 33);
}

TEST(FinishedRun, HasTheColumnsThatWereAskedForWhereAGpuWatchesAll) {
    TakenForAGpu gpu;
    const auto cpu = backends::make_backend(backends::names::cpu, {});
    for (const char* coordinates : {"body", "joint"}) {
        SCOPED_TRACE(coordinates);
        const FinishedRun watched = swinging(coordinates, gpu), asked = swinging(coordinates, *cpu);
        const std::size_t columns = observed_channels(asked.study).size();
        EXPECT_EQ(columns, 6u);
        EXPECT_EQ(static_cast<std::size_t>(gpu.observed), columns);
        EXPECT_EQ(watched.chunk.trajectory.size(), 33u * 6u * columns);
        EXPECT_EQ(watched.chunk.trajectory, asked.chunk.trajectory);
        EXPECT_EQ(watched.observed("energy", 0.03, 31), asked.observed("energy", 0.03, 31));
        EXPECT_NE(asked.observed("energy", 0.03, 31), asked.observed("energy", 0.03, 0));
    }
}

}  // namespace
}  // namespace myriad::validation
