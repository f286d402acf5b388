#include "host/backends/cuda/device_ensemble.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/backends/cuda/catch_up.hpp"
#include "host/backends/cuda/on_host.hpp"
#include "host/backends/interface/tiles.hpp"

namespace myriad::backends::cuda {

namespace {

// Trial steps of a launch until one has been timed. Later launches last between these times: long enough that starting
// a kernel (5 us) is nothing, short enough that `stop` is noticed and the display of the GPU's owner goes on.
constexpr std::int64_t first_attempts = 256, fewest_attempts = 16, most_attempts_per_launch = std::int64_t{1} << 14;
constexpr double shortest_launch_s = 2e-3, longest_launch_s = 20e-3, wanted_launch_s = 8e-3;
// Launches queued before the host looks at `stop` again.
constexpr std::int64_t most_launches_ahead = 16;
constexpr auto poll_interval = std::chrono::microseconds(50);

template <class Number>
class Ensemble final : public DeviceEnsemble {
  public:
    Ensemble(std::shared_ptr<const Device> device, const Task& task, const Shape& shape, bool adaptive,
             const CompiledTask& compiled, Compile compile, std::function<void(double share)> progress)
        : progress_(std::move(progress)),
          compile_(std::move(compile)),
          device_(device),
          shape_(shape),
          schedule_(task.schedule),
          adaptive_(adaptive),
          kernels_(device, task, shape, compiled),
          computing_(kernels_.stream()) {
        for (auto& buffer : buffers_) buffer = std::make_unique<Buffer>(device);
        if (kernels_.may_leave_behind()) catch_up_.emplace(device, kernels_);
    }

    void start(int index, std::uint64_t count, const double* varied) override {
        device_->use();
        Buffer& buffer = *buffers_[static_cast<std::size_t>(index)];
        const ArrayPlaces places(shape_, count);
        buffer.count = count;
        buffer.are_mixed = false;
        for (int field = 0; field < shape_.varied; ++field)
            buffer.are_mixed |= kernels_.differs(field, count, varied + static_cast<std::uint64_t>(field) * count);
        buffer.device.reserve(places.end * sizeof(Number));
        buffer.host.reserve(places.end * sizeof(Number));
        store_varied(shape_, count, varied, host_numbers(buffer));
        if (kernels_.can_begin()) upload_varied(buffer);
        if (shape_.rows > 0)  // all bits set are a quiet NaN: rows that are never reached stay so
            device_->require(
                device_->call().fill_bytes(buffer.device.address() + places.trajectory * sizeof(Number), 0xff,
                                           (places.end - places.trajectory) * sizeof(Number), buffer.copying.handle()),
                "clearing the trajectories");
        buffer.order.resize(count);
        std::iota(buffer.order.begin(), buffer.order.end(), 0u);
        if (!kernels_.can_begin())
            start_on_host(*device_, kernels_, instances_of(buffer), host_numbers(buffer), buffer.copying);
        buffer.copying.record(buffer.copied);
        buffer.sorted = false;
        buffer.attempts = buffer.attempts_left =
            static_cast<std::int64_t>(std::min(std::ceil(schedule_.total_steps), std::ceil(schedule_.most_attempts)));
        buffer.launches = 0;
        computing_.wait_for(buffer.copied);
        computing_.record(buffer.begun);
        if (kernels_.can_begin()) kernels_.begin(instances_of(buffer));
        buffer.waits_for_others = buffer.are_mixed && !kernels_.takes_others();
        if (!buffer.waits_for_others) queue_launches(buffer);
    }

    bool finish(int index, Chunk& chunk, const std::atomic<bool>& stop) override {
        device_->use();
        Buffer& buffer = *buffers_[static_cast<std::size_t>(index)];
        if (buffer.waits_for_others && !launch_with_others(buffer, stop)) return abandon(buffer);
        while (true) {
            if (!wait_until(buffer.computed, stop)) return abandon(buffer);
            const double seconds = buffer.computed.seconds_since(buffer.begun);
            compute_seconds_ += seconds;
            adapt(seconds, buffer);
            const std::size_t slots = buffer.order.size();
            if (goes_by_rounds() ? !any_goes_on(buffer, stop) : buffer.attempts_left <= 0) break;
            if (stop) return abandon(buffer);
            tell(buffer);
            if (adaptive_ || buffer.order.size() < slots) upload_order(buffer);
            computing_.record(buffer.begun);
            queue_launches(buffer);
        }
        const ArrayPlaces places(shape_, buffer.count);
        if (stop || !download(buffer, 0, places.end, stop)) return abandon(buffer);
        const Number* numbers = host_numbers(buffer);
        read_chunk(shape_, buffer.count, numbers + places.records, numbers + places.initial_states,
                   numbers + places.final_states, numbers + places.trajectory, numbers + places.quantities, chunk);
        return true;
    }

    double compute_seconds() const override { return compute_seconds_; }

  private:
    struct Buffer {
        explicit Buffer(const std::shared_ptr<const Device>& owner)
            : device(owner),
              device_order(owner),
              host(owner),
              host_order(owner),
              copying(owner),
              copied(owner),
              begun(owner),
              computed(owner) {}
        DeviceArray device, device_order;
        HostArray host, host_order;
        Stream copying;
        Event copied, begun, computed;
        std::uint64_t count = 0;
        std::vector<unsigned int> order;               // the slots that still run
        bool sorted = false;                           // whether the device has that order
        std::int64_t attempts = 0, attempts_left = 0;  // of a fixed step: in all, and not yet queued
        std::int64_t launches = 0;                     // queued between `begun` and `computed`
        std::int64_t launched_attempts = 0;            // of each of these
        bool are_mixed = false;                        // as in DeviceInstances
        bool waits_for_others = false;                 // for the kernel of those that differ
    };

    static Number* host_numbers(const Buffer& buffer) { return reinterpret_cast<Number*>(buffer.host.data()); }

    // The first rows of each tile's records; the kernel writes all others.
    void upload_varied(Buffer& buffer) {
        constexpr std::uint64_t row = tile_instances * sizeof(Number);
        const std::uint64_t record = static_cast<std::uint64_t>(shape_.record_fields) * row;
        copy_tiles(*device_, {buffer.host.data(), 0, record}, {nullptr, buffer.device.address(), record},
                   static_cast<std::uint64_t>(shape_.varied) * row, tiles_of(buffer.count), buffer.copying,
                   "copying the varied parameters to the GPU");
    }

    void upload_order(Buffer& buffer) {
        const std::size_t bytes = buffer.order.size() * sizeof(unsigned int);
        buffer.device_order.reserve(buffer.count * sizeof(unsigned int));
        buffer.host_order.reserve(buffer.count * sizeof(unsigned int));
        std::memcpy(buffer.host_order.data(), buffer.order.data(), bytes);
        device_->require(device_->call().upload(buffer.device_order.address(), buffer.host_order.data(), bytes,
                                                buffer.copying.handle()),
                         "copying the order of the instances to the GPU");
        buffer.copying.record(buffer.copied);
        computing_.wait_for(buffer.copied);
        buffer.sorted = true;
    }

    // Copies Numbers [first, last) of a chunk back, after the host has seen its kernels end; false where `stop` came
    // first.
    bool download(Buffer& buffer, std::uint64_t first, std::uint64_t last, const std::atomic<bool>& stop) {
        device_->require(
            device_->call().download(host_numbers(buffer) + first, buffer.device.address() + first * sizeof(Number),
                                     (last - first) * sizeof(Number), buffer.copying.handle()),
            "copying results from the GPU");
        buffer.copying.record(buffer.copied);
        return wait_until(buffer.copied, stop);
    }

    // A kernel is brought in finish(), where a stop is noticed. False where one was raised.
    bool launch_with_others(Buffer& buffer, const std::atomic<bool>& stop) {
        try {
            if (!kernels_.takes_others()) kernels_.bring_others(compile_, &stop);
        } catch (const CompilationCancelled&) {
            return false;
        }
        buffer.waits_for_others = false;
        computing_.record(buffer.begun);
        queue_launches(buffer);
        return true;
    }

    // Queues the launches up to the next look: one, or a fixed step's next ones.
    void queue_launches(Buffer& buffer) {
        const std::int64_t most_launches = goes_by_rounds() ? 1 : most_launches_ahead;
        buffer.launched_attempts = catch_up_ ? std::min(attempts_, catch_up_->most_attempts()) : attempts_;
        buffer.launches = 0;
        while ((goes_by_rounds() || buffer.attempts_left > 0) && buffer.launches < most_launches) {
            kernels_.advance(instances_of(buffer), buffer.launched_attempts);
            buffer.attempts_left -= buffer.launched_attempts;
            ++buffer.launches;
        }
        computing_.record(buffer.computed);
    }
    // Whether the host looks at the instances after each launch, which not all of them have used alike.
    bool goes_by_rounds() const { return adaptive_ || catch_up_; }

    static DeviceInstances instances_of(const Buffer& buffer) {
        return {.arrays = buffer.device.address(),
                .count = buffer.count,
                .order = buffer.sorted ? buffer.device_order.address() : 0,
                .slots = buffer.order.size(),
                .are_mixed = buffer.are_mixed};
    }

    // Keeps those that still run, in the order of the next launch. False where none does, or `stop` was raised.
    bool any_goes_on(Buffer& buffer, const std::atomic<bool>& stop) {
        const ArrayPlaces places(shape_, buffer.count);
        if (catch_up_)
            catch_up_->look(instances_of(buffer), buffer.order, buffer.launched_attempts, host_numbers(buffer),
                            buffer.copying);
        else if (!download(buffer, places.records, places.initial_states, stop))
            return false;
        keep_running(shape_, host_numbers(buffer), buffer.order);
        if (adaptive_) sort_by_remaining_cost(shape_, host_numbers(buffer), schedule_.end_s, buffer.order);
        return !buffer.order.empty();
    }

    // Runs after the host has seen the end of the queued work.
    void tell(const Buffer& buffer) {
        constexpr auto interval = std::chrono::milliseconds(200);
        const auto now = std::chrono::steady_clock::now();
        if (!progress_ || now - told_ < interval) return;
        told_ = now;
        progress_(adaptive_ ? share_of_span(shape_, host_numbers(buffer), buffer.count, schedule_.end_s)
                            : 1.0 - static_cast<double>(std::max<std::int64_t>(buffer.attempts_left, 0)) /
                                        static_cast<double>(buffer.attempts));
    }

    void adapt(double seconds, const Buffer& buffer) {
        if (buffer.launches == 0) return;
        const double each = seconds / static_cast<double>(buffer.launches);
        if (each >= shortest_launch_s && each <= longest_launch_s) return;
        // Grows by a factor of eight at most: the first launches of a chunk also hold its beginning.
        const double factor = std::clamp(wanted_launch_s / std::max(each, 1e-9), 0.125, 8.0);
        attempts_ = std::clamp(static_cast<std::int64_t>(factor * static_cast<double>(buffer.launched_attempts)),
                               fewest_attempts, most_attempts_per_launch);
    }

    static bool wait_until(const Event& event, const std::atomic<bool>& stop) {
        while (!event.reached()) {
            if (stop) return false;
            std::this_thread::sleep_for(poll_interval);
        }
        return true;
    }

    // Queued work still writes to the buffer: waiting for it makes the buffer free for use.
    bool abandon(Buffer& buffer) {
        computing_.synchronize();
        buffer.copying.synchronize();
        return false;
    }

    std::function<void(double share)> progress_;
    Compile compile_;
    std::chrono::steady_clock::time_point told_{};
    std::shared_ptr<const Device> device_;
    Shape shape_;
    Schedule schedule_;
    bool adaptive_;
    std::array<std::unique_ptr<Buffer>, chunks_in_flight> buffers_;
    DeviceTask<Number> kernels_;  // destroyed first, and waited for then: its kernels read the arrays above
    std::optional<CatchUp<Number>> catch_up_;
    const Stream& computing_;
    std::int64_t attempts_ = first_attempts;
    double compute_seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<DeviceEnsemble> make_device_ensemble(std::shared_ptr<const Device> device, const Task& task,
                                                     const Shape& shape, bool adaptive, const CompiledTask& compiled,
                                                     Compile compile, std::function<void(double share)> progress) {
    if (task.precision == Precision::fp64)
        return std::make_unique<Ensemble<double>>(std::move(device), task, shape, adaptive, compiled,
                                                  std::move(compile), std::move(progress));
    return std::make_unique<Ensemble<float>>(std::move(device), task, shape, adaptive, compiled, std::move(compile),
                                             std::move(progress));
}

}  // namespace myriad::backends::cuda
