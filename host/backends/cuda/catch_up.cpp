#include "host/backends/cuda/catch_up.hpp"

#include <cstring>
#include <iterator>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cuda/on_host.hpp"
#include "host/backends/interface/tiles.hpp"
#include "kernels/run/outcome.hpp"

namespace myriad::backends::cuda {

namespace {

constexpr std::uint64_t tile = tile_instances;
constexpr int rows_brought = status_of_progress + 1;
// An instance that is left behind waits for half a launch on average.
constexpr double most_that_wait = 0.02, longest_launch = 1e6;

// The first number of an instance in an array that begins at `array`, [tile][rows][32].
std::uint64_t place_in(std::uint64_t array, int rows, unsigned int slot, int row) {
    return array + (slot / tile * static_cast<std::uint64_t>(rows) + static_cast<std::uint64_t>(row)) * tile +
           slot % tile;
}

}  // namespace

std::string column_kernel(const char* name, int bytes_of_number) {
    const bool gathers = name == std::string(gather_kernel);
    const std::string bytes = std::to_string(bytes_of_number), type = "b" + std::to_string(8 * bytes_of_number),
                      number = bytes_of_number == 8 ? "%a9" : "%i1", in_arrays = "[%a7+0]", staged = "[%a8+0]";
    static_assert(sizeof(Column) == 24 && tile_instances == 32);
    return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry " + std::string(name) +
           R"((.param .u64 arrays, .param .u64 staged, .param .u64 columns)
.maxntid 32, 1, 1
{
.reg .b32 %i<2>;
.reg .b64 %a<10>;
.reg .pred %m<1>;
ld.param.u64 %a0, [columns];
cvta.to.global.u64 %a0, %a0;
mov.u32 %i0, %ctaid.x;
mad.wide.u32 %a0, %i0, 24, %a0;
ld.global.u64 %a1, [%a0+0];
ld.global.u64 %a2, [%a0+8];
ld.global.u64 %a3, [%a0+16];
ld.param.u64 %a4, [arrays];
cvta.to.global.u64 %a4, %a4;
ld.param.u64 %a5, [staged];
cvta.to.global.u64 %a5, %a5;
mov.u32 %i0, %tid.x;
cvt.u64.u32 %a6, %i0;
next:
setp.le.s64 %m0, %a3, %a6;
@%m0 ret;
mad.lo.s64 %a7, %a6, 32, %a1;
mad.lo.s64 %a7, %a7, )" +
           bytes + R"(, %a4;
add.s64 %a8, %a6, %a2;
mad.lo.s64 %a8, %a8, )" +
           bytes + ", %a5;\nld.global." + type + " " + number + ", " + (gathers ? in_arrays : staged) +
           ";\nst.global." + type + " " + (gathers ? staged : in_arrays) + ", " + number +
           ";\nadd.s64 %a6, %a6, 32;\nbra next;\n}\n";
}

template <class Number>
CatchUp<Number>::CatchUp(const std::shared_ptr<const Device>& device, const DeviceTask<Number>& kernels)
    : device_(device),
      kernels_(kernels),
      functions_(functions_of<Number>(cpu_kernel(kernels.task(), cpu_width(0)))),
      gather_(device, gather_kernel),
      scatter_(device, scatter_kernel),
      columns_on_device_(device),
      staged_on_device_(device),
      columns_on_host_(device),
      staged_on_host_(device),
      most_attempts_(static_cast<std::int64_t>(longest_launch)) {}

template <class Number>
std::uint64_t CatchUp<Number>::place_of_progress(unsigned int slot, int row) const {
    const Shape& shape = kernels_.shape();
    return place_in(0, shape.record_fields, slot, shape.varied + row);
}
template <class Number>
long long CatchUp<Number>::steps_of(const Number* host, unsigned int slot) const {
    return static_cast<long long>(host[place_of_progress(slot, steps_of_progress)]) +
           static_cast<long long>(host[place_of_progress(slot, rejected_of_progress)]);
}
template <class Number>
bool CatchUp<Number>::is_running(const Number* host, unsigned int slot) const {
    return host[place_of_progress(slot, status_of_progress)] == static_cast<Number>(Status::running);
}

template <class Number>
void CatchUp<Number>::look(const DeviceInstances& instances, std::span<const unsigned int> order, std::int64_t attempts,
                           Number* host, const Stream& stream) {
    bring_progress(instances, order, host, stream);
    behind_.clear();
    std::ranges::copy_if(order, std::back_inserter(behind_), [&](unsigned int slot) {
        return host[place_of_progress(slot, status_of_progress)] == static_cast<Number>(status_behind);
    });
    count(static_cast<double>(order.size()), attempts);
    if (!behind_.empty()) step(instances, host, stream);
}

// The rates of the latest launches count most.
template <class Number>
void CatchUp<Number>::count(double slots, std::int64_t attempts) {
    constexpr double share_that_counts = 0.5;
    left_ = share_that_counts * left_ + static_cast<double>(behind_.size());
    const double waited = 0.5 * static_cast<double>(behind_.size());
    tried_ = share_that_counts * tried_ + (slots - waited) * static_cast<double>(attempts);
    if (!(tried_ > 0.0)) return;
    const double most = 2.0 * most_that_wait * tried_ / std::max(left_, 1e-9);
    most_attempts_ = static_cast<std::int64_t>(std::clamp(most, 1.0, longest_launch));
}

template <class Number>
void CatchUp<Number>::bring_progress(const DeviceInstances& instances, std::span<const unsigned int> order,
                                     Number* host, const Stream& stream) {
    const Shape& shape = kernels_.shape();
    columns_.clear(), staged_ = 0;
    constexpr std::uint64_t few = 8;
    if (order.size() * few < instances.count) {
        for (const unsigned int slot : order) add(0, shape.record_fields, slot, shape.varied, rows_brought);
        return gather(instances, host, stream);
    }
    const std::uint64_t row = tile * sizeof(Number), record = static_cast<std::uint64_t>(shape.record_fields) * row,
                        first = static_cast<std::uint64_t>(shape.varied) * row;
    copy_tiles(*device_, {nullptr, instances.arrays + first, record},
               {reinterpret_cast<std::byte*>(host) + first, 0, record}, rows_brought * row, tiles_of(instances.count),
               stream, "copying the progress of the instances from the GPU");
    stream.synchronize();
}

template <class Number>
void CatchUp<Number>::step(const DeviceInstances& instances, Number* host, const Stream& stream) {
    const Shape& shape = kernels_.shape();
    const ArrayPlaces places(shape, instances.count);
    columns_.clear(), staged_ = 0;
    for (const unsigned int slot : behind_) {
        add(places.records, shape.record_fields, slot, 0, shape.record_fields);
        add(places.final_states, shape.state_channels, slot, 0, shape.state_channels);
        add(places.quantities, shape.quantities, slot, 0, shape.quantities);
    }
    gather(instances, host, stream);
    const auto rows_of = [&](unsigned int slot) {
        return static_cast<int>(host[place_of_progress(slot, rows_of_progress)]);
    };
    std::vector<int> rows_before;
    for (const unsigned int slot : behind_) {
        rows_before.push_back(rows_of(slot));
        host[place_of_progress(slot, status_of_progress)] = static_cast<Number>(Status::running);
    }
    step_on_host(kernels_, functions_, instances.count, host, behind_);
    for (std::size_t i = 0; i < behind_.size(); ++i) {
        const int row = rows_before[i];
        if (rows_of(behind_[i]) != row && row < shape.rows)
            add(places.trajectory, shape.rows * shape.observed, behind_[i], row * shape.observed, shape.observed);
    }
    scatter(instances, host, stream);
}

template <class Number>
void CatchUp<Number>::add(std::uint64_t array, int rows, unsigned int slot, int first, int numbers) {
    columns_.push_back({place_in(array, rows, slot, first), staged_, static_cast<std::uint64_t>(numbers)});
    staged_ += static_cast<std::uint64_t>(numbers);
}

template <class Number>
template <class Copy>
void CatchUp<Number>::each_staged(Number* host, const Copy& copy) const {
    Number* staged = reinterpret_cast<Number*>(staged_on_host_.data());
    for (const Column& column : columns_)
        for (std::uint64_t k = 0; k < column.numbers; ++k) copy(host[column.place + tile * k], *staged++);
}

template <class Number>
void CatchUp<Number>::move(const Kernel& kernel, const DeviceInstances& instances, const Stream& stream) {
    const std::size_t bytes = columns_.size() * sizeof(Column);
    columns_on_device_.reserve(bytes), columns_on_host_.reserve(bytes);
    std::memcpy(columns_on_host_.data(), columns_.data(), bytes);
    device_->require(
        device_->call().upload(columns_on_device_.address(), columns_on_host_.data(), bytes, stream.handle()),
        "copying places of instances to the GPU");
    CUdeviceptr arrays = instances.arrays, staged = staged_on_device_.address(), columns = columns_on_device_.address();
    void* arguments[] = {&arrays, &staged, &columns};
    device_->require(device_->call().launch(kernel.function, static_cast<unsigned>(columns_.size()), 1, 1,
                                            tile_instances, 1, 1, 0, stream.handle(), arguments, nullptr),
                     "moving " + std::to_string(columns_.size()) + " columns of instances");
}

template <class Number>
void CatchUp<Number>::gather(const DeviceInstances& instances, Number* host, const Stream& stream) {
    const std::size_t bytes = staged_ * sizeof(Number);
    staged_on_device_.reserve(bytes), staged_on_host_.reserve(bytes);
    move(gather_, instances, stream);
    device_->require(
        device_->call().download(staged_on_host_.data(), staged_on_device_.address(), bytes, stream.handle()),
        "copying instances from the GPU");
    stream.synchronize();
    each_staged(host, [](Number& in_arrays, const Number& staged) { in_arrays = staged; });
}

template <class Number>
void CatchUp<Number>::scatter(const DeviceInstances& instances, Number* host, const Stream& stream) {
    const std::size_t bytes = staged_ * sizeof(Number);
    staged_on_device_.reserve(bytes), staged_on_host_.reserve(bytes);
    each_staged(host, [](const Number& in_arrays, Number& staged) { staged = in_arrays; });
    device_->require(
        device_->call().upload(staged_on_device_.address(), staged_on_host_.data(), bytes, stream.handle()),
        "copying instances to the GPU");
    move(scatter_, instances, stream);
    stream.synchronize();
}

template class CatchUp<double>;
template class CatchUp<float>;

}  // namespace myriad::backends::cuda
