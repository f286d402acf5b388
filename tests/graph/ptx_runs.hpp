// Memory of a launch that traced runs advance: by the PTX of their kernel, and by tapes.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "host/graph/interpreter.hpp"
#include "host/graph/tape_run.hpp"
#include "host/graph/text/ptx_text.hpp"
#include "kernels/system/launch.hpp"
#include "tests/graph/has_same_bits.hpp"
#include "tests/graph/ptx_machine.hpp"

namespace myriad::graph {

template <class T>
std::vector<std::byte> bytes_of(const T& x) {
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &x, sizeof(T));
    return bytes;
}

// Arrays of a launch, [tile][rows][32].
template <class Number>
struct Memory {
    int slots, record_fields, states, quantities, observed, rows;
    std::vector<Number> records, final_states, results, trajectory;
    std::vector<unsigned> order = {};
    Memory(int its_slots, int fields, int its_states, int its_quantities, int its_observed, int its_rows)
        : slots(its_slots),
          record_fields(fields),
          states(its_states),
          quantities(its_quantities),
          observed(its_observed),
          rows(its_rows),
          records(size(fields)),
          final_states(size(states)),
          results(size(quantities)),
          trajectory(size(observed * rows)) {}
    std::size_t size(int array_rows) const {
        return static_cast<std::size_t>((slots + 31) / 32 * array_rows * tile_instances);
    }
    static std::size_t place(int slot, int array_rows, int row) {
        return static_cast<std::size_t>((slot / 32 * array_rows + row) * 32 + slot % 32);
    }
    Number& record(int slot, int field) { return records[place(slot, record_fields, field)]; }
    Number& state(int slot, int row) { return final_states[place(slot, states, row)]; }
    Number& result(int slot, int row) { return results[place(slot, quantities, row)]; }
    Number& seen(int slot, int row, int entry) {
        return trajectory[place(slot, rows * observed, row * observed + entry)];
    }
};

// As kernel_frame.hpp says, by tapes.
template <class Number>
void run_by_tapes(const KernelFrame& frame, Memory<Number>& memory, int attempts, const std::vector<int>& slots) {
    TapeRun<Number> step(make_tape(*frame.step, frame.record_fields + frame.observed), interpreter<Number>(), 1),
        end(make_tape(*frame.end, frame.record_fields + frame.states + frame.quantities), interpreter<Number>(), 1);
    for (const int slot : slots) {
        for (int f = 0; f < frame.record_fields; ++f) *step.field(f) = memory.record(slot, f);
        for (int n = 0; n < attempts && *step.field(frame.status_field) == static_cast<Number>(frame.running); ++n) {
            const auto row = static_cast<int>(*step.field(frame.rows_field));
            step.run(1);
            if (static_cast<int>(*step.field(frame.rows_field)) == row || row >= frame.rows) continue;
            for (int k = 0; k < frame.observed; ++k) memory.seen(slot, row, k) = *step.field(frame.record_fields + k);
        }
        for (int f = 0; f < frame.record_fields; ++f) *end.field(f) = *step.field(f);
        const int states = frame.record_fields, results = states + frame.states;
        for (int k = 0; k < frame.states; ++k) *end.field(states + k) = memory.state(slot, k);
        for (int k = 0; k < frame.quantities; ++k) *end.field(results + k) = memory.result(slot, k);
        end.run(1);
        for (int f = 0; f < frame.record_fields; ++f) memory.record(slot, f) = *end.field(f);
        for (int k = 0; k < frame.states; ++k) memory.state(slot, k) = *end.field(states + k);
        for (int k = 0; k < frame.quantities; ++k) memory.result(slot, k) = *end.field(results + k);
    }
}
template <class Number>
void run_by_ptx(const std::string& text, Memory<Number>& memory, int attempts, long long is_mixed) {
    Launch<Number> launch{};
    launch.records = memory.records.data(), launch.final_states = memory.final_states.data();
    launch.quantities = memory.results.data(), launch.trajectory = memory.trajectory.data();
    launch.order = memory.order.empty() ? nullptr : memory.order.data();
    launch.slots = memory.slots, launch.attempts = attempts;
    PtxMachine machine(text);
    for (int block = 0; block * machine.threads() < memory.slots; ++block)
        machine.run({bytes_of(launch), bytes_of(is_mixed)}, block);
}
template <class Number>
void expect_same(const std::vector<Number>& ptx, const std::vector<Number>& tape, const char* array) {
    ASSERT_EQ(ptx.size(), tape.size());
    for (std::size_t i = 0; i < ptx.size(); ++i)
        ASSERT_TRUE(has_same_bits(ptx[i], tape[i])) << array << ", number " << i << ": " << ptx[i] << ", " << tape[i];
}
template <class Number>
void expect_same(const Memory<Number>& ptx, const Memory<Number>& tape) {
    expect_same(ptx.records, tape.records, "records");
    expect_same(ptx.final_states, tape.final_states, "final states");
    expect_same(ptx.results, tape.results, "quantities");
    expect_same(ptx.trajectory, tape.trajectory, "trajectory");
}

}  // namespace myriad::graph
