// The mock driver as tests of the cuda backend use it: the scalar CPU code runs as the kernels.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/backends/compiled_kernels/kernel_cache.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/study/study.hpp"
#include "kernels/run/outcome.hpp"
#include "tests/cuda/mock/mock_driver.hpp"
#include "tests/cuda/tasks.hpp"

namespace myriad::tests {

inline const backends::Task* task_of_the_kernels = nullptr;
inline std::atomic<bool> grid_fits = true;  // several devices have several threads
// Whether each kernel of a traced step was told of the instances that it does not take.
inline std::atomic<bool> are_told_apart = true;
inline std::atomic<unsigned long long> launches_of_others = 0;

// As a traced step with contact does, kernels leave an instance behind at one of so many of its steps; 0: at none.
inline int steps_of_one_behind = 0;
inline std::atomic<unsigned long long> left_behind = 0;
inline std::atomic<bool> have_caught_up = true;             // before the next launch
inline std::atomic<long long> attempts_of_last_launch = 0;  // over a hundred instances or more

// The slots of a launch that a kernel of the traced step takes.
template <class Number>
std::vector<unsigned int> taken_slots(const Launch<Number>& launch, int record_fields, bool are_others,
                                      bool are_mixed) {
    const backends::KnownParameters known = backends::known_parameters(*task_of_the_kernels);
    std::vector<unsigned int> slots;
    for (long long entry = 0; entry < launch.slots; ++entry) {
        const long long slot = launch.order ? launch.order[entry] : entry;
        bool differs = false;
        for (std::size_t field = 0; field < known.size(); ++field) {
            const long long row = slot / tile_instances * record_fields + static_cast<long long>(field);
            differs =
                differs || (!std::isnan(known[field]) && launch.records[row * tile_instances + slot % tile_instances] !=
                                                             static_cast<Number>(known[field]));
        }
        if (differs && !are_mixed) are_told_apart = false;
        if (differs == are_others || !are_mixed) slots.push_back(static_cast<unsigned int>(slot));
    }
    return slots;
}

// Fibonacci hashing: neighbours lie far from each other.
inline unsigned int scattered(unsigned int number) { return (number * 2654435769u) >> 16; }

// Each instance step by step, up to one at which it is left behind.
template <class Number, class Step>
void advance_up_to_those_behind(Launch<Number> launch, int record_fields, const Step& step) {
    const long long attempts = std::exchange(launch.attempts, 1), slots = std::exchange(launch.slots, 1);
    for (long long entry = 0; entry < slots; ++entry, ++launch.order) {
        const unsigned int slot = *launch.order;
        const auto field = [&](int row) -> Number& {
            const long long at = slot / tile_instances * record_fields + task_of_the_kernels->plan.varied_count + row;
            return launch.records[at * tile_instances + slot % tile_instances];
        };
        Number& status = field(backends::status_of_progress);
        if (status == static_cast<Number>(status_behind)) have_caught_up = false;
        for (long long n = 0; n < attempts && status == static_cast<Number>(Status::running); ++n) {
            const auto steps = static_cast<unsigned int>(field(backends::steps_of_progress));
            if (scattered(7919 * slot + steps) % static_cast<unsigned int>(steps_of_one_behind) == 0)
                status = static_cast<Number>(status_behind), ++left_behind;
            else
                step(launch);
        }
    }
}

template <class Number>
void run_groups(const backends::KernelEntry& entry, const backends::KernelFunctions<Number>& functions,
                const std::string& kernel, const void* argument, unsigned blocks, unsigned threads, long long second) {
    const backends::Task& task = *task_of_the_kernels;
    Launch<Number> launch = *static_cast<const Launch<Number>*>(argument);
    const long long reach = static_cast<long long>(blocks) * threads;
    if (launch.slots > reach || launch.slots <= reach - threads) grid_fits = false;
    const auto groups = kernel == backends::cuda::begin_kernel   ? functions.begin
                        : kernel == backends::cuda::renew_kernel ? functions.renew
                                                                 : functions.advance;
    std::vector<unsigned int> slots;
    if (groups == functions.advance && backends::is_traced(task)) {
        const bool are_others = kernel == backends::cuda::others_kernel;
        launches_of_others += are_others ? 1 : 0;
        slots = taken_slots(launch, entry.record_fields(task.plan), are_others, second != 0);
        launch.order = slots.data(), launch.slots = static_cast<long long>(slots.size());
        if (slots.size() >= 100) attempts_of_last_launch = launch.attempts;
        if (steps_of_one_behind > 0 && launch.attempts > 0)
            return advance_up_to_those_behind(launch, entry.record_fields(task.plan),
                                              [&](const Launch<Number>& one) { groups(task.plan, one, 0, 1); });
    }
    groups(task.plan, launch, 0, launch.slots);
}

inline void run_kernel(const char* kernel, const void* launch, unsigned blocks, unsigned threads, long long second) {
    const auto& entry = backends::find_kernel(backends::scalar_kernels(), *task_of_the_kernels);
    if (task_of_the_kernels->precision == backends::Precision::fp64)
        run_groups(entry, entry.fp64, kernel, launch, blocks, threads, second);
    else
        run_groups(entry, entry.fp32, kernel, launch, blocks, threads, second);
}

inline std::filesystem::path fresh_folder(const std::string& name) {
    const auto folder = std::filesystem::path(testing::TempDir()) / ("myriad_cuda_" + name);
    std::filesystem::remove_all(folder);
    return folder;
}

class MockCuda : public testing::Test {
  protected:
    void SetUp() override {
        setenv("MYRIAD_CUDA_DRIVER", MYRIAD_MOCK_CUDA_DRIVER, 1);
        cache_ = fresh_folder(testing::UnitTest::GetInstance()->current_test_info()->name());
        setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
        void* library = dlopen(MYRIAD_MOCK_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        reinterpret_cast<SetMockKernel>(dlsym(library, "myriad_mock_set_kernel"))(&run_kernel);
        launches_ = reinterpret_cast<MockCount>(dlsym(library, "myriad_mock_launches"));
        refusals_ = reinterpret_cast<MockCount>(dlsym(library, "myriad_mock_refusals"));
        grid_fits = are_told_apart = true, launches_of_others = 0;
        steps_of_one_behind = 0, left_behind = 0, have_caught_up = true;
    }
    void TearDown() override {
        EXPECT_TRUE(are_told_apart);
        EXPECT_TRUE(have_caught_up);
        EXPECT_EQ(refusals_(), 0u) << "calls on a thread without a context, some from destructors that cannot tell";
        for (const char* name : {"MYRIAD_CUDA_DRIVER", "XDG_CACHE_HOME", "MYRIAD_MOCK_FAILURE",
                                 "MYRIAD_MOCK_FREE_BYTES", "MYRIAD_MOCK_DEVICES", "MYRIAD_CUDA_RUNTIME_COMPILER"})
            unsetenv(name);
        std::filesystem::remove_all(cache_);
    }
    // Machine code that only the mock takes, where the backend looks for the task's kernels.
    void keep_kernels(const backends::Task& task,
                      backends::cuda::KernelForm form = backends::cuda::KernelForm::compiled, int stack_bytes = 0) {
        task_of_the_kernels = &task;
        for (const std::string& source : backends::cuda::kernel_sources(task, form)) {
            backends::cuda::CompiledKernels compiled;
            compiled.key = backends::cuda::kernel_key(source, "sm_90");
            compiled.architecture = "sm_90", compiled.compiler = "none", compiled.block = {64, 4};
            compiled.cubin = "\177ELF for the mock";
            for (const char* kernel : {backends::cuda::begin_kernel, backends::cuda::advance_kernel,
                                       backends::cuda::others_kernel, backends::cuda::renew_kernel})
                if (source.find(kernel + std::string("(")) != std::string::npos)
                    compiled.figures.push_back({kernel, 255, stack_bytes, 0, 0, {}});
            ASSERT_TRUE(backends::cuda::write_entry(backends::cuda::cache_folders().writable, compiled));
        }
    }
    void keep_all(const backends::Task& task) {
        using enum backends::cuda::KernelForm;
        for (const auto form : {start, compiled, others, renewal}) keep_kernels(task, form);
    }
    std::filesystem::path cache_;
    MockCount launches_ = nullptr, refusals_ = nullptr;
};

// [field][count] as a backend takes them, of instances of the study.
inline std::vector<double> fields_of(const study::Study& study, std::uint64_t count) {
    std::vector<double> samples(study.varied.size() * count);
    study.sampler().sample(0, count, samples.data());
    return ensemble::record_parameters(study, count, samples, 1);
}
inline backends::Chunk run_chunk(const char* name, const backends::Task& task, std::uint64_t count,
                                 const std::vector<double>& fields) {
    const auto backend = backends::make_backend(name, {});
    backend->prepare(task, count);
    backend->start(0, count, fields.data());
    backends::Chunk chunk;
    EXPECT_TRUE(backend->finish(0, chunk, std::atomic<bool>{false}));
    return chunk;
}
inline backends::Chunk on_backend(const std::string& name, const backends::Task& task, std::uint64_t instances,
                                  std::uint64_t chunk) {
    backends::Settings settings;
    settings.chunk = chunk;
    return run(*backends::make_backend(name, settings), task, instances);
}

inline void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
            << what << "[" << i << "]: " << a[i] << " and " << b[i];
}
inline void expect_same_bits(const backends::Chunk& a, const backends::Chunk& b) {
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.warnings, b.warnings);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.rejected, b.rejected);
    expect_same_bits(a.time_s, b.time_s, "time_s");
    expect_same_bits(a.initial_state, b.initial_state, "initial_state");
    expect_same_bits(a.final_state, b.final_state, "final_state");
    expect_same_bits(a.invariants_initial, b.invariants_initial, "invariants_initial");
    expect_same_bits(a.invariants_drift, b.invariants_drift, "invariants_drift");
    expect_same_bits(a.quantities, b.quantities, "quantities");
    expect_same_bits(a.trajectory, b.trajectory, "trajectory");
}

}  // namespace myriad::tests
