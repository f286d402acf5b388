// A study's steps on a tape against the program's own kernels: whole records, rows, quantities and states, by the bit.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/graph/interpreter.hpp"
#include "host/graph/tape_run.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study.hpp"
#include "kernels/run/outcome.hpp"

namespace myriad::graph {

constexpr int traced_instances = 48;

inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// `fails`: some instance ends before its span does. `steps_left`: counts steps that left their instance behind.
template <class Number>
void expect_the_bits_of_the_kernels(const study::Study& study, int steps_taken, bool fails, int* steps_left = nullptr) {
    const backends::Task task = study.task();
    std::vector<double> sampled(study.varied.size() * traced_instances);
    study.sampler().sample(0, traced_instances, sampled.data());
    const std::vector<double> varied = ensemble::record_parameters(study, traced_instances, sampled, 1);
    backends::StepByStep own(task, traced_instances, varied.data(), 0, 1, backends::names::double_kernels);
    const int varied_count = task.plan.varied_count;

    const std::optional<backends::TracedRun> plain =
        trace_run(task, {}, Rules::only(Rule::folding).with(Rule::sharing));
    const std::optional<backends::TracedRun> simplified = trace_run(task, task.varied_parameters->common_values());
    ASSERT_TRUE(plain && simplified);
    const backends::TracedRun &as_written = *plain, &run = *simplified;
    const Program step(run.step), end(run.end), written(as_written.step);
    EXPECT_LT(step.counts().arithmetic(), written.counts().arithmetic());
    const Tape step_tape = make_tape(step, run.step_fields), end_tape = make_tape(end, run.end_fields);
    if (std::getenv("MYRIAD_COUNTS"))
        std::printf("%s: %d -> %d of %d, end %d, alive %d\n", task.integrator.c_str(), written.counts().all(),
                    step.counts().arithmetic(), step.counts().all(), end.counts().all(), step.most_alive());

    TapeRun<Number> steps(step_tape, interpreter<Number>(), traced_instances),
        ends(end_tape, interpreter<Number>(), traced_instances);
    for (int i = 0; i < traced_instances; ++i) {
        const std::vector<double> record = own.record(static_cast<std::uint64_t>(i));
        ASSERT_EQ(static_cast<int>(record.size()), run.record_fields - varied_count);
        for (int f = 0; f < run.record_fields; ++f)
            steps.field(f)[i] =
                static_cast<Number>(f < varied_count ? varied[static_cast<std::size_t>(f * traced_instances + i)]
                                                     : record[static_cast<std::size_t>(f - varied_count)]);
    }
    const int rows_field = varied_count + 3, observed = run.step_fields - run.record_fields;
    const auto rows_of = [&](int i) { return static_cast<std::size_t>(steps.field(rows_field)[i]); };
    std::map<std::pair<int, std::size_t>, std::vector<double>> rows;
    // Instances that a step leaves behind take it by the kernels.
    backends::StepByStep beside(task, traced_instances, varied.data(), 0, 1, backends::names::double_kernels);
    const int status_field = varied_count + backends::status_of_progress;
    int left_behind = 0;
    for (int n = 0; n < steps_taken; ++n) {
        std::vector<std::size_t> before;
        for (int i = 0; i < traced_instances; ++i) before.push_back(rows_of(i));
        steps.run(1);
        if (run.leaves_behind) beside.advance(1);
        for (int i = 0; i < traced_instances; ++i) {
            if (steps.field(status_field)[i] != static_cast<Number>(status_behind)) continue;
            ++left_behind;
            const std::vector<double> record = beside.record(static_cast<std::uint64_t>(i));
            for (int f = varied_count; f < run.record_fields; ++f)
                steps.field(f)[i] = static_cast<Number>(record[static_cast<std::size_t>(f - varied_count)]);
            before[static_cast<std::size_t>(i)] = rows_of(i);
        }
        for (int i = 0; i < traced_instances; ++i)
            if (before[static_cast<std::size_t>(i)] != rows_of(i))
                for (int k = 0; k < observed; ++k)
                    rows[{i, before[static_cast<std::size_t>(i)]}].push_back(steps.field(run.record_fields + k)[i]);
    }
    for (int f = 0; f < run.record_fields; ++f) std::copy_n(steps.field(f), traced_instances, ends.field(f));
    const auto result = [&](const backends::Chunk& chunk, int i, int k) {
        const auto at = static_cast<std::size_t>(i), number = static_cast<std::size_t>(k);
        const std::size_t states = chunk.final_state.size() / traced_instances,
                          quantities = chunk.quantities.size() / traced_instances;
        return number < states ? chunk.final_state[at * states + number]
                               : chunk.quantities[at * quantities + number - states];
    };
    const int results = run.end_fields - run.record_fields;
    const backends::Chunk begun = own.chunk();
    for (int i = 0; i < traced_instances; ++i)
        for (int k = 0; k < results; ++k)
            ends.field(run.record_fields + k)[i] = static_cast<Number>(result(begun, i, k));
    ends.run(1);

    own.advance(steps_taken);
    const backends::Chunk chunk = own.chunk();
    int failed = 0;
    for (int i = 0; i < traced_instances; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::vector<double> record = own.record(at);
        failed += chunk.status[at] > static_cast<int>(Status::running) ? 1 : 0;
        for (int f = varied_count; f < run.record_fields; ++f) {
            const double theirs = record[static_cast<std::size_t>(f - varied_count)];
            ASSERT_TRUE(same(ends.field(f)[i], theirs))
                << "instance " << i << ", field " << f << ": " << ends.field(f)[i] << ", " << theirs;
        }
        for (int k = 0; k < results; ++k)
            ASSERT_TRUE(same(ends.field(run.record_fields + k)[i], result(chunk, i, k)))
                << "instance " << i << ", " << k;
    }
    const std::size_t width = static_cast<std::size_t>(observed);
    const std::size_t all_rows = width == 0 ? 0 : chunk.trajectory.size() / traced_instances / width;
    for (const auto& [place, row] : rows)
        for (std::size_t k = 0; k < width; ++k) {
            ASSERT_LT(place.second, all_rows);
            ASSERT_TRUE(
                same(row[k],
                     chunk.trajectory[(static_cast<std::size_t>(place.first) * all_rows + place.second) * width + k]));
        }
    EXPECT_EQ(failed > 0, fails);
    if (steps_left) *steps_left = left_behind;
}

}  // namespace myriad::graph
