// A kernel's CUDA text, compiled as C++ for the processor; the arrays of a launch, and what the tape makes of them.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "host/backends/compiled_kernels/machine_compiler.hpp"
#include "host/backends/interface/tiles.hpp"
#include "host/graph/interpreter.hpp"
#include "host/graph/tape_run.hpp"
#include "host/graph/text/kernel_frame.hpp"
#include "tests/graph/has_same_bits.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {

// Without a cache; by the machine's first compiler, which does as little as it can.
class KernelOnProcessor : public testing::Test {
  protected:
    KernelOnProcessor() { setenv("XDG_CACHE_HOME", "/dev/null", 1); }
    ~KernelOnProcessor() override { unsetenv("XDG_CACHE_HOME"); }
    void SetUp() override {
        if (std::system("command -v clang++ >/dev/null || command -v g++ >/dev/null || command -v c++ >/dev/null") != 0)
            GTEST_SKIP() << "this machine has no compiler";
    }
};

inline constexpr const char* kernel_on_processor = "advance_instances";

// Takes a launch and `is_mixed`.
template <class Number>
using LaunchKernel = void (*)(const Launch<Number>&, long long);

// In blocks of 32 threads.
template <class Number>
LaunchKernel<Number> compiled_for_processor(const std::string& text) {
    std::ostringstream source;
    source << std::ifstream(source_dir() / "tests/graph/cuda_on_processor.hpp").rdbuf() << text
           << "static_assert(sizeof(Launch) == " << sizeof(Launch<Number>) << ", \"another launch\");\n"
           << "extern \"C\" void run(const Launch& launch, long long is_mixed) {\n    run_threads("
           << kernel_on_processor << ", launch, is_mixed, MYRIAD_THREADS);\n}\n";
    backends::CompilerInput input{source.str(), backends::processor_options(1), "run"};
    for (const char* option : {"-x", "c++", "-O0", "-std=c++17", "-DMYRIAD_THREADS=32", "-DMYRIAD_BLOCKS=1"})
        input.options.push_back(option);
    return reinterpret_cast<LaunchKernel<Number>>(backends::compiled_function(input).address);
}

// What a frame says, by tapes of its programs, instance after instance.
template <class Number>
void advance_by_tape(const KernelFrame& frame, const Launch<Number>& launch) {
    const int behind = frame.record_fields;
    TapeRun<Number> step(make_tape(*frame.step, behind + frame.observed), interpreter<Number>(), 1),
        end(make_tape(*frame.end, behind + frame.states + frame.quantities), interpreter<Number>(), 1);
    for (long long entry = 0; entry < launch.slots; ++entry) {
        const long long slot = launch.order ? launch.order[entry] : entry;
        const auto each = [slot](Number* array, long long rows, int first, int count, const auto& use) {
            for (int i = 0; i < count; ++i) use(array[(slot / 32 * rows + first + i) * 32 + slot % 32], i);
        };
        const auto load = [&](Number* array, int count, TapeRun<Number>& run, int field) {
            each(array, count, 0, count, [&](Number& number, int i) { *run.field(field + i) = number; });
        };
        const auto store = [&](Number* array, int count, int field) {
            each(array, count, 0, count, [&](Number& number, int i) { number = *end.field(field + i); });
        };
        load(launch.records, behind, step, 0);
        for (long long n = 0; n < launch.attempts && *step.field(frame.status_field) == frame.running; ++n) {
            const auto row = static_cast<long long>(*step.field(frame.rows_field));
            step.run(1);
            if (static_cast<long long>(*step.field(frame.rows_field)) == row || row >= frame.rows) continue;
            each(launch.trajectory, frame.rows * frame.observed, static_cast<int>(row) * frame.observed, frame.observed,
                 [&](Number& number, int i) { number = *step.field(behind + i); });
        }
        for (int field = 0; field < behind; ++field) *end.field(field) = *step.field(field);
        load(launch.final_states, frame.states, end, behind);
        load(launch.quantities, frame.quantities, end, behind + frame.states);
        end.run(1);
        store(launch.records, behind, 0);
        store(launch.final_states, frame.states, behind);
        store(launch.quantities, frame.quantities, behind + frame.states);
    }
}

template <class Number>
void expect_same_arrays(const std::vector<Number>& text, const std::vector<Number>& tape, const char* array) {
    ASSERT_EQ(text.size(), tape.size());
    for (std::size_t i = 0; i < text.size(); ++i)
        ASSERT_TRUE(has_same_bits(text[i], tape[i]))
            << array << ", row " << i / 32 << ", lane " << i % 32 << ": " << text[i] << ", " << tape[i];
}
template <class Number>
void expect_same_arrays(const backends::TileArrays<Number>& text, const backends::TileArrays<Number>& tape) {
    expect_same_arrays(text.records, tape.records, "records");
    expect_same_arrays(text.final_states, tape.final_states, "final states");
    expect_same_arrays(text.quantities, tape.quantities, "quantities");
    expect_same_arrays(text.trajectory, tape.trajectory, "trajectory");
}

}  // namespace myriad::graph
