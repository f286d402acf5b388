// Arrays of tiles and their meaning: from columns of varied parameters to records, from tiles to finished instances.
#pragma once
#include <vector>

#include "host/backends/interface/stepped_launches.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

// The memory of one chunk, on the host; sized by `resize` and kept from chunk to chunk.
template <class Number>
struct TileArrays {
    std::vector<Number> records, initial_states, final_states, trajectory, quantities, parameters, thresholds, windows;
    void resize(const Shape& shape, std::uint64_t count);
    // The launch of a kernel over the first `count` slots; it points into these arrays.
    Launch<Number> launch(const Shape& shape, const Task& task, std::uint64_t count);
};

std::uint64_t tiles_of(std::uint64_t count);
// An array of tiles that lie one behind the other.
Tiles tiles_in(const void* values, Precision precision, std::uint64_t count, int rows);
// Memory of one instance on the backend, in bytes.
std::uint64_t bytes_per_instance(const Shape& shape, std::size_t bytes_per_number);
// Reads and checks a task's table against a system: counts of what it has per instance.
Shape shape_of(const Task& task, int state_channels, int invariants, int record_fields);

// Records with nothing in them but the varied parameters.
Shape varied_alone(const Shape& shape);
// Writes [field][count] varied parameters into the first fields of the records.
template <class Number>
void store_varied(const Shape& shape, std::uint64_t count, const double* varied, Number* records);
// [field][count] varied parameters, as store_varied takes them.
template <class Number>
std::vector<double> varied_of(const Shape& shape, const Number* records, std::uint64_t count);
// The record of one slot without its varied parameters, field by field.
template <class Number>
std::vector<double> record_of(const Shape& shape, const Number* records, std::uint64_t slot);
// Progress::time_s of each instance; Progress::status as well.
template <class Number>
std::vector<double> times_of(const Shape& shape, const Number* records, std::uint64_t count);
template <class Number>
std::vector<std::int32_t> statuses_of(const Shape& shape, const Number* records, std::uint64_t count);
// Drops the slots whose instances have ended, in place and in order.
template <class Number>
void keep_running(const Shape& shape, const Number* records, std::vector<unsigned int>& order);
// Sorts the slots of adaptive instances by the number of steps they still have to go, at the pace so far. The bits of
// an instance do not depend on the order; how evenly the lanes of a pack or a warp are busy does.
template <class Number>
void sort_by_remaining_cost(const Shape& shape, const Number* records, double end_s, std::vector<unsigned int>& order);
// The mean share of the span that the first `count` slots have behind them; those that have ended count as done.
template <class Number>
double share_of_span(const Shape& shape, const Number* records, std::uint64_t count, double end_s);
// Reads the finished chunk; `pad` fields of the record follow the order in kernels/run/instance.hpp.
template <class Number>
void read_chunk(const Shape& shape, std::uint64_t count, const Number* records, const Number* initial_states,
                const Number* final_states, const Number* trajectory, const Number* quantities, Chunk& chunk);

}  // namespace myriad::backends
