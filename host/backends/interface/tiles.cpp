#include "host/backends/interface/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "host/text/user_error.hpp"
#include "kernels/integrators/integrator.hpp"
#include "kernels/run/reductions.hpp"
#include "kernels/system/status.hpp"

namespace myriad::backends {

namespace {

// Which field of Progress, behind the varied parameters of a record, by the visitor with which kernels load and store
// it.
template <class Number>
int field_of(Number Progress<Number>::*member) {
    const Progress<Number> progress{};
    int field = 0, found = -1;
    Progress<Number>::fields(
        [&](const Number& one) {
            if (&one == &(progress.*member)) found = field;
            ++field;
        },
        progress);
    return found;
}

template <class Number>
double canonical(Number x) {
    return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(x);
}

// An entry of a certificate. An energy beyond the numbers' range is infinite, or NaN where a form multiplies it by 0.
template <class Number>
double certified(Number x) {
    return std::isfinite(x) ? static_cast<double>(x) : std::numeric_limits<double>::quiet_NaN();
}

// [tile][rows][32] -> [instance][rows]
template <class Number>
void gather(std::uint64_t count, std::uint64_t rows, const Number* tiles, std::vector<double>& out) {
    out.resize(count * rows);
    for (std::uint64_t i = 0; i < count; ++i) {
        const Number* column = tiles + i / tile_instances * rows * tile_instances + i % tile_instances;
        for (std::uint64_t row = 0; row < rows; ++row) out[i * rows + row] = canonical(column[row * tile_instances]);
    }
}

template <class Number>
Number record_value(const Shape& shape, const Number* records, std::uint64_t slot, int field) {
    const auto rows = static_cast<std::uint64_t>(shape.record_fields);
    const auto row = static_cast<std::uint64_t>(shape.varied + field);
    return records[(slot / tile_instances * rows + row) * tile_instances + slot % tile_instances];
}

}  // namespace

std::uint64_t tiles_of(std::uint64_t count) { return (count + tile_instances - 1) / tile_instances; }

Tiles tiles_in(const void* values, Precision precision, std::uint64_t count, int rows) {
    return {values, precision, tiles_of(count), rows, static_cast<std::uint64_t>(rows) * tile_instances};
}

template <class Number>
void TileArrays<Number>::resize(const Shape& shape, std::uint64_t count) {
    const std::uint64_t slots = tiles_of(count) * tile_instances;
    const auto times = [&](int rows) { return slots * static_cast<std::uint64_t>(rows); };
    records.assign(times(shape.record_fields), Number(0));
    initial_states.assign(times(shape.state_channels), Number(0));
    final_states.assign(times(shape.state_channels), Number(0));
    quantities.assign(times(shape.quantities), Number(0));
    trajectory.assign(times(shape.rows * shape.observed), std::numeric_limits<Number>::quiet_NaN());
}

template <class Number>
Launch<Number> TileArrays<Number>::launch(const Shape& shape, const Task& task, std::uint64_t count) {
    parameters.assign(task.parameters.begin(), task.parameters.end());
    thresholds.assign(task.thresholds.begin(), task.thresholds.end());
    thresholds.resize(most_quantities);
    windows.assign(task.windows.begin(), task.windows.end());
    windows.resize(2 * most_quantities);
    Launch<Number> launch{};
    launch.records = records.data();
    launch.initial_states = initial_states.data();
    launch.final_states = final_states.data();
    launch.trajectory = shape.rows > 0 ? trajectory.data() : nullptr;
    launch.quantities = quantities.data();
    launch.parameters = parameters.data();
    launch.thresholds = thresholds.data();
    launch.windows = windows.data();
    launch.slots = static_cast<long long>(count);
    launch.schedule = task.schedule;
    return launch;
}

Shape varied_alone(const Shape& shape) {
    Shape alone;
    alone.varied = alone.record_fields = shape.varied;
    return alone;
}

std::uint64_t bytes_per_instance(const Shape& shape, std::size_t bytes_per_number) {
    return static_cast<std::uint64_t>(shape.record_fields + 2 * shape.state_channels + shape.quantities +
                                      shape.rows * shape.observed) *
           bytes_per_number;
}

Shape shape_of(const Task& task, int state_channels, int invariants, int record_fields) {
    Shape shape;
    shape.varied = task.plan.varied_count;
    shape.quantities = task.plan.quantity_count;
    shape.sums = first_sum(task.plan, shape.quantities);
    shape.observed = task.plan.observed_count;
    constexpr double most_numbers = 1e8;  // of one instance's trajectory: 0.8 GB
    if (task.schedule.rows * task.plan.observed_count > most_numbers)
        throw UserError(ExitCode::usage_or_input, "observe",
                        "a trajectory of more than a hundred million numbers per instance is asked for",
                        "observe less often, or fewer channels");
    shape.rows = task.plan.observed_count > 0 ? static_cast<int>(task.schedule.rows) : 0;
    shape.state_channels = state_channels;
    shape.invariants = invariants;
    shape.record_fields = record_fields;
    return shape;
}

template <class Number>
void store_varied(const Shape& shape, std::uint64_t count, const double* varied, Number* records) {
    const auto rows = static_cast<std::uint64_t>(shape.record_fields);
    for (std::uint64_t field = 0; field < static_cast<std::uint64_t>(shape.varied); ++field)
        for (std::uint64_t i = 0; i < count; ++i)
            records[(i / tile_instances * rows + field) * tile_instances + i % tile_instances] =
                static_cast<Number>(varied[field * count + i]);
}

template <class Number>
std::vector<double> varied_of(const Shape& shape, const Number* records, std::uint64_t count) {
    std::vector<double> varied;
    varied.reserve(static_cast<std::uint64_t>(shape.varied) * count);
    for (int field = -shape.varied; field < 0; ++field)
        for (std::uint64_t i = 0; i < count; ++i)
            varied.push_back(static_cast<double>(record_value(shape, records, i, field)));
    return varied;
}

template <class Number>
std::vector<double> record_of(const Shape& shape, const Number* records, std::uint64_t slot) {
    std::vector<double> fields;
    for (int field = 0; field < shape.record_fields - shape.varied; ++field)
        fields.push_back(static_cast<double>(record_value(shape, records, slot, field)));
    return fields;
}

template <class Number>
std::vector<double> times_of(const Shape& shape, const Number* records, std::uint64_t count) {
    const int time_s = field_of(&Progress<Number>::time_s);
    std::vector<double> times(count);
    for (std::uint64_t i = 0; i < count; ++i) times[i] = canonical(record_value(shape, records, i, time_s));
    return times;
}

template <class Number>
std::vector<std::int32_t> statuses_of(const Shape& shape, const Number* records, std::uint64_t count) {
    const int status = field_of(&Progress<Number>::status);
    std::vector<std::int32_t> statuses(count);
    for (std::uint64_t i = 0; i < count; ++i)
        statuses[i] = static_cast<std::int32_t>(record_value(shape, records, i, status));
    return statuses;
}

template <class Number>
void keep_running(const Shape& shape, const Number* records, std::vector<unsigned int>& order) {
    const int status = field_of(&Progress<Number>::status);
    std::erase_if(order, [&](unsigned int slot) {
        return record_value(shape, records, slot, status) != static_cast<Number>(Status::running);
    });
}

template <class Number>
void sort_by_remaining_cost(const Shape& shape, const Number* records, double end_s, std::vector<unsigned int>& order) {
    using Of = Progress<Number>;
    const int time_s = field_of(&Of::time_s), steps = field_of(&Of::steps), rejected = field_of(&Of::rejected);
    std::vector<std::pair<double, unsigned int>> by_cost;
    by_cost.reserve(order.size());
    for (const unsigned int slot : order) {
        const double time = record_value(shape, records, slot, time_s);
        const double attempts =
            record_value(shape, records, slot, steps) + record_value(shape, records, slot, rejected);
        const double remaining = time > 0.0 ? (end_s - time) / time * attempts : std::numeric_limits<double>::max();
        by_cost.emplace_back(remaining, slot);
    }
    std::sort(by_cost.begin(), by_cost.end(), std::greater<>());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = by_cost[i].second;
}

template <class Number>
double share_of_span(const Shape& shape, const Number* records, std::uint64_t count, double end_s) {
    const int status = field_of(&Progress<Number>::status), time_s = field_of(&Progress<Number>::time_s);
    double sum = 0.0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool runs = record_value(shape, records, i, status) == static_cast<Number>(Status::running);
        sum += runs ? static_cast<double>(record_value(shape, records, i, time_s)) / end_s : 1.0;
    }
    return sum / static_cast<double>(count);
}

template <class Number>
void read_chunk(const Shape& shape, std::uint64_t count, const Number* records, const Number* initial_states,
                const Number* final_states, const Number* trajectory, const Number* quantities, Chunk& chunk) {
    chunk.count = count;
    const auto field = [&](std::uint64_t i, int index) { return record_value(shape, records, i, index); };
    chunk.status = statuses_of(shape, records, count), chunk.time_s = times_of(shape, records, count);
    chunk.reason.resize(count), chunk.warnings.resize(count);
    chunk.steps.resize(count), chunk.rejected.resize(count);
    using Of = Progress<Number>;
    const int reason = field_of(&Of::reason), warnings = field_of(&Of::warnings), steps = field_of(&Of::steps),
              rejected = field_of(&Of::rejected);
    for (std::uint64_t i = 0; i < count; ++i) {
        chunk.reason[i] = static_cast<std::int32_t>(field(i, reason));
        chunk.warnings[i] = static_cast<std::int32_t>(field(i, warnings));
        chunk.steps[i] = static_cast<std::int64_t>(field(i, steps));
        chunk.rejected[i] = static_cast<std::int64_t>(field(i, rejected));
    }
    // Last in the record stand the certificate, initial values and then drifts, and the sums of the quantities.
    const int certificate = shape.record_fields - shape.sums - 2 * shape.invariants - shape.varied;
    const auto invariants = static_cast<std::uint64_t>(shape.invariants);
    chunk.invariants_initial.resize(count * invariants), chunk.invariants_drift.resize(count * invariants);
    for (std::uint64_t i = 0; i < count; ++i)
        for (int k = 0; k < shape.invariants; ++k) {
            const std::uint64_t place = i * invariants + static_cast<std::uint64_t>(k);
            chunk.invariants_initial[place] = certified(field(i, certificate + k));
            chunk.invariants_drift[place] = certified(field(i, certificate + shape.invariants + k));
        }
    gather(count, static_cast<std::uint64_t>(shape.state_channels), initial_states, chunk.initial_state);
    gather(count, static_cast<std::uint64_t>(shape.state_channels), final_states, chunk.final_state);
    gather(count, static_cast<std::uint64_t>(shape.quantities), quantities, chunk.quantities);
    gather(count, static_cast<std::uint64_t>(shape.rows * shape.observed), trajectory, chunk.trajectory);
}

template struct TileArrays<double>;
template struct TileArrays<float>;
template void store_varied(const Shape&, std::uint64_t, const double*, double*);
template void store_varied(const Shape&, std::uint64_t, const double*, float*);
template std::vector<double> varied_of(const Shape&, const double*, std::uint64_t);
template std::vector<double> varied_of(const Shape&, const float*, std::uint64_t);
template std::vector<double> record_of(const Shape&, const double*, std::uint64_t);
template std::vector<double> record_of(const Shape&, const float*, std::uint64_t);
template std::vector<double> times_of(const Shape&, const double*, std::uint64_t);
template std::vector<double> times_of(const Shape&, const float*, std::uint64_t);
template std::vector<std::int32_t> statuses_of(const Shape&, const double*, std::uint64_t);
template std::vector<std::int32_t> statuses_of(const Shape&, const float*, std::uint64_t);
template void keep_running(const Shape&, const double*, std::vector<unsigned int>&);
template void keep_running(const Shape&, const float*, std::vector<unsigned int>&);
template void sort_by_remaining_cost(const Shape&, const double*, double, std::vector<unsigned int>&);
template void sort_by_remaining_cost(const Shape&, const float*, double, std::vector<unsigned int>&);
template double share_of_span(const Shape&, const double*, std::uint64_t, double);
template double share_of_span(const Shape&, const float*, std::uint64_t, double);
template void read_chunk(const Shape&, std::uint64_t, const double*, const double*, const double*, const double*,
                         const double*, Chunk&);
template void read_chunk(const Shape&, std::uint64_t, const float*, const float*, const float*, const float*,
                         const float*, Chunk&);

}  // namespace myriad::backends
