#include "host/backends/cuda/device_steps.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "host/backends/cuda/catch_up.hpp"
#include "host/backends/cuda/first_tile.hpp"
#include "host/backends/cuda/on_host.hpp"
#include "host/backends/interface/tiles.hpp"
#include "kernels/integrators/integrator.hpp"

namespace myriad::backends::cuda {

namespace {

// The default stream of the runtime, in which PyTorch, JAX and CuPy hand tensors over.
const CUstream default_stream = nullptr;
// Until a launch has been timed; later ones take about this time, in which nobody can stop them.
constexpr double untimed_steps = 64.0, seconds_between_looks = 0.1;

template <class Number>
class Steps final : public SteppedLaunches {
  public:
    Steps(std::shared_ptr<const Device> device, const Task& task, const KernelEntry& entry, const Compile& compile,
          std::uint64_t instances, const double* varied)
        : device_(device),
          entry_(entry),
          compile_(compile),
          arrays_(device),
          order_(device),
          former_(device),
          staged_(device),
          kernels_(device, task, shape_for(task), compile(task, KernelForm::compiled, nullptr)) {
        count = instances;
        const ArrayPlaces places(shape(), count);
        arrays_.reserve(bytes(places.end));
        device_->require(device_->call().fill_bytes(arrays_.address(), 0, bytes(places.trajectory), stream().handle()),
                         "clearing the instances");
        device_->require(device_->call().fill_bytes(arrays_.address() + bytes(places.trajectory), 0xff,
                                                    bytes(places.end - places.trajectory), stream().handle()),
                         "clearing the trajectories");
        if (kernels_.may_leave_behind()) {
            catch_up_.emplace(device_, kernels_);
            host_ = std::make_unique_for_overwrite<Number[]>(places.end);
        }
        set_varied(varied);
        varied_are_new_ = false;
        begin(all());
    }

    void set_varied(const double* varied) override {
        if (shape().varied == 0) return;
        device_->use();
        staged_.reserve(bytes_of_tile(shape().varied) * tiles_of(count));
        store_varied(varied_alone(shape()), count, varied, staged_numbers());
        copy_tiles(*device_, {staged_.data(), 0, bytes_of_tile(shape().varied)}, records(0),
                   bytes_of_tile(shape().varied), tiles_of(count), stream(),
                   "copying the varied parameters to the GPU");
        stream().synchronize();
        for (int field = 0; field < shape().varied; ++field)
            set_differs(field, varied + static_cast<std::uint64_t>(field) * count);
        varied_are_new_ = true;
    }
    // Whole tiles in one copy, then the rest of the last one.
    void set_varied_on_device(int field, const double* values) override {
        device_->use();
        device_->require(device_->call().synchronize(default_stream), "waiting for the given array");
        const auto from = reinterpret_cast<CUdeviceptr>(values);
        const std::uint64_t whole = count / tile_instances, rest = count % tile_instances;
        const auto copy = [&](std::uint64_t first, std::uint64_t numbers, std::uint64_t tiles) {
            TileRows to = records(field);
            to.device += first * to.bytes_of_tile;
            copy_tiles(*device_, {nullptr, from + first * bytes_of_tile(1), bytes_of_tile(1)}, to, bytes(numbers),
                       tiles, stream(), "copying a parameter on the GPU");
        };
        copy(0, tile_instances, whole);
        copy(whole, rest, 1);
        stream().synchronize();
        if (kernels_.is_known(field)) {
            std::vector<double> fetched(count);
            fetch(values, count * sizeof(double), fetched.data());
            set_differs(field, fetched.data());
        }
        varied_are_new_ = true;
    }
    void fetch(const void* from, std::uint64_t size, void* to) const override {
        device_->use();
        device_->require(device_->call().synchronize(default_stream), "waiting for the given array");
        device_->require(device_->call().download(to, reinterpret_cast<CUdeviceptr>(from), size, stream().handle()),
                         "copying an array from the GPU");
        stream().synchronize();
    }
    std::vector<double> varied() const override {
        return varied_of(varied_alone(shape()), rows_of_records(0, shape().varied), count);
    }

    void begin(const std::vector<unsigned int>& order) override {
        if (order.empty()) return;
        renew();
        start(kernels_, these(order), order);
        keep_varied();
        stream().synchronize();  // `finish` may take other memory for what the order was staged in
        finish();
        all_have_stepped_ = false;
    }
    void advance(const std::vector<unsigned int>& order, long long attempts) override {
        if (order.empty()) return;
        renew();
        if (!differing_.empty() && !kernels_.takes_others()) kernels_.bring_others(compile_);
        const bool compares = compares_with(order);
        const auto started = std::chrono::steady_clock::now();
        if (catch_up_)
            advance_those_behind_too(order, attempts);
        else
            for (long long left = attempts; left > 0;) left -= launch(order, left);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - started;
        if (!compares) set_pace(static_cast<double>(attempts), taken.count());
        finish();
    }

    std::vector<double> times_s() const override { return times_of(progress_shape(), progress_.data(), count); }
    std::vector<std::int32_t> statuses() const override {
        return statuses_of(progress_shape(), progress_.data(), count);
    }
    std::vector<double> record(std::uint64_t instance) const override {
        device_->use();
        const std::uint64_t tile = instance / tile_instances, size = bytes_of_tile(shape().record_fields);
        std::vector<Number> numbers(size / sizeof(Number));
        device_->require(
            device_->call().download(numbers.data(), arrays_.address() + tile * size, size, stream().handle()),
            "copying an instance from the GPU");
        stream().synchronize();
        return record_of(shape(), numbers.data(), instance % tile_instances);
    }

    Tiles states() const override {
        const ArrayPlaces places(shape(), count);
        return on_device(arrays_.address() + bytes(places.final_states), shape().state_channels);
    }
    Tiles channel_tiles(std::span<const int> wanted) const override {
        const Look& look = looked_at(wanted);
        const ArrayPlaces places(look.kernels.shape(), count);
        const auto copy = std::make_shared<DeviceArray>(device_);
        const int rows = look.kernels.shape().quantities;
        copy->reserve(bytes_of_tile(rows) * tiles_of(count));
        copy_tiles(*device_, {nullptr, look.arrays.address() + bytes(places.quantities), bytes_of_tile(rows)},
                   {nullptr, copy->address(), bytes_of_tile(rows)}, bytes_of_tile(rows), tiles_of(count),
                   look.kernels.stream(), "copying channels on the GPU");
        look.kernels.stream().synchronize();
        Tiles tiles = on_device(copy->address(), rows);
        tiles.owner = copy;
        return tiles;
    }
    std::vector<double> channels(std::span<const int> wanted) const override {
        std::vector<double> values(count * wanted.size());
        for (std::size_t first = 0; first < wanted.size(); first += most_quantities) {
            const auto some = wanted.subspan(first, std::min<std::size_t>(most_quantities, wanted.size() - first));
            const Look& look = looked_at(some);
            const std::vector<double> seen =
                chunk_of(look.kernels, look.arrays, ArrayPlaces(look.kernels.shape(), count)).quantities;
            for (std::uint64_t i = 0; i < count; ++i)
                std::copy_n(seen.begin() + static_cast<std::ptrdiff_t>(i * some.size()), some.size(),
                            values.begin() + static_cast<std::ptrdiff_t>(i * wanted.size() + first));
        }
        return values;
    }
    Chunk chunk() const override { return chunk_of(kernels_, arrays_, ArrayPlaces(shape(), count)); }

    int width() const override { return 1; }
    double round_off() const override { return sizeof(Number) == sizeof(double) ? 1e-12 : 1e-6; }
    long long sure_steps(double from_s, double to_s) const override {
        return sure_steps_of(kernels_.task().schedule, entry_.adaptive, from_s, to_s);
    }
    long long steps_between_looks(std::uint64_t) const override { return static_cast<long long>(attempts_); }

  private:
    // A task that observes channels, on copies of the records.
    struct Look {
        Look(const std::shared_ptr<const Device>& device, const Task& task, const Shape& shape,
             const CompiledTask& compiled)
            : arrays(device), kernels(device, task, shape, compiled) {}
        DeviceArray arrays;
        DeviceTask<Number> kernels;
    };

    static std::uint64_t bytes(std::uint64_t numbers) { return numbers * sizeof(Number); }
    static std::uint64_t bytes_of_tile(int rows) { return bytes(static_cast<std::uint64_t>(rows) * tile_instances); }
    const Shape& shape() const { return kernels_.shape(); }
    const Stream& stream() const { return kernels_.stream(); }
    Number* staged_numbers() const { return reinterpret_cast<Number*>(staged_.data()); }
    Shape shape_for(const Task& task) const {
        return shape_of(task, entry_.state_channels(task.plan), entry_.invariants, entry_.record_fields(task.plan));
    }
    static Shape progress_shape() {
        Shape shape;
        Progress<Number> progress{};
        visit_fields([&](Number&) { ++shape.record_fields; }, progress);
        return shape;
    }
    bool compares_with(const std::vector<unsigned int>& order) const {
        return !is_compared_ && kernels_.is_traced() && order.front() < tile_instances;
    }
    // So many attempts or fewer. Returns how many.
    long long launch(const std::vector<unsigned int>& order, long long attempts) {
        if (compares_with(order)) {
            attempts = std::min(attempts, static_cast<long long>(untimed_steps));
            advance_and_compare(*device_, kernels_, these(order), order, attempts);
            is_compared_ = true;
        } else {
            kernels_.advance(these(order), attempts);
            stream().synchronize();
        }
        return attempts;
    }
    void advance_those_behind_too(const std::vector<unsigned int>& order, long long attempts) {
        const DeviceInstances all{.arrays = arrays_.address(), .count = count};
        device_->use();
        catch_up_->look(all, order, 0, host_.get(), stream());
        std::vector<long long> goals(count);
        for (const unsigned int slot : order) goals[slot] = catch_up_->steps_of(host_.get(), slot) + attempts;
        const auto left = [&](unsigned int slot) {
            return catch_up_->is_running(host_.get(), slot) ? goals[slot] - catch_up_->steps_of(host_.get(), slot) : 0;
        };
        advance_together(order, left, [&](const std::vector<unsigned int>& some, long long most) {
            const long long taken = launch(some, std::min<long long>(most, catch_up_->most_attempts()));
            catch_up_->look(all, some, taken, host_.get(), stream());
        });
    }
    void set_pace(double attempts, double seconds) {
        constexpr double most_attempts = 1e9, most_growth = 8.0;
        attempts_ = std::clamp(attempts * seconds_between_looks / std::max(seconds, 1e-6), 1.0,
                               std::min(most_growth * std::max(attempts_, attempts), most_attempts));
    }
    void set_differs(int field, const double* values) {
        if (kernels_.differs(field, count, values))
            differing_.insert(field);
        else
            differing_.erase(field);
    }
    // The records from this field on.
    TileRows records(int first) const {
        return {nullptr, arrays_.address() + bytes_of_tile(first), bytes_of_tile(shape().record_fields)};
    }
    Tiles on_device(CUdeviceptr address, int rows) const {
        constexpr Precision precision = sizeof(Number) == sizeof(double) ? Precision::fp64 : Precision::fp32;
        Tiles tiles = tiles_in(reinterpret_cast<const void*>(address), precision, count, rows);
        tiles.device = device_->number();
        return tiles;
    }
    std::vector<unsigned int> all() const {
        std::vector<unsigned int> order(count);
        std::iota(order.begin(), order.end(), 0u);
        return order;
    }
    DeviceInstances these(const std::vector<unsigned int>& order) {
        device_->use();
        DeviceInstances instances{.arrays = arrays_.address(), .count = count, .slots = order.size()};
        instances.are_mixed = !differing_.empty();
        if (order.size() == count) return instances;
        const std::uint64_t size = order.size() * sizeof(unsigned int);
        order_.reserve(count * sizeof(unsigned int));
        staged_.reserve(size);
        std::memcpy(staged_.data(), order.data(), size);
        device_->require(device_->call().upload(order_.address(), staged_.data(), size, stream().handle()),
                         "copying the order of the instances to the GPU");
        instances.order = order_.address();
        return instances;
    }
    // The numbers of some rows of the records, [tile][row][32]; valid until the next use of `staged_`.
    const Number* rows_of_records(int first, int rows) const {
        device_->use();
        staged_.reserve(bytes_of_tile(rows) * tiles_of(count));
        copy_tiles(*device_, records(first), {staged_.data(), 0, bytes_of_tile(rows)}, bytes_of_tile(rows),
                   tiles_of(count), stream(), "copying rows of the records from the GPU");
        stream().synchronize();
        return staged_numbers();
    }
    // In place, whether a parameter of an instance has changed or not: the kernel compares.
    void renew() {
        if (!varied_are_new_) return;
        device_->use();
        if (!kernels_.can_renew()) kernels_.bring_renewal(compile_);
        kernels_.renew({.arrays = arrays_.address(), .count = count, .slots = count, .former = former_.address()});
        keep_varied();
        stream().synchronize();
    }
    // The memories of all records belong to the varied parameters that they hold.
    void keep_varied() {
        const std::uint64_t size = bytes_of_tile(shape().varied);
        varied_are_new_ = false;
        if (size == 0) return;
        former_.reserve(size * tiles_of(count));
        copy_tiles(*device_, records(0), {nullptr, former_.address(), size}, size, tiles_of(count), stream(),
                   "copying the varied parameters on the GPU");
    }
    // Instances begin, with their present parameters.
    void start(const DeviceTask<Number>& kernels, const DeviceInstances& instances,
               const std::vector<unsigned int>& order) const {
        if (kernels.can_begin()) return kernels.begin(instances);
        HostArray numbers(device_);
        const std::uint64_t size = bytes(ArrayPlaces(kernels.shape(), count).end);
        numbers.reserve(size);
        device_->require(device_->call().download(numbers.data(), instances.arrays, size, kernels.stream().handle()),
                         "copying the instances from the GPU");
        kernels.stream().synchronize();
        start_on_host(*device_, kernels, instances, reinterpret_cast<Number*>(numbers.data()), kernels.stream(), order);
        kernels.stream().synchronize();
    }
    // Looks at the progress of all.
    void finish() {
        const int rows = progress_shape().record_fields;
        const Number* numbers = rows_of_records(shape().varied, rows);
        progress_.assign(numbers, numbers + bytes_of_tile(rows) / sizeof(Number) * tiles_of(count));
        running = all();
        keep_running(progress_shape(), progress_.data(), running);
    }
    // As on the CPU: before its first step an instance that begins beside the given state shows what begin() saw.
    const Look& looked_at(std::span<const int> wanted) const {
        device_->use();
        std::unique_ptr<Look>& look = looks_[{wanted.begin(), wanted.end()}];
        if (!look) {
            const Task task = looking_task(kernels_.task(), wanted);
            look =
                std::make_unique<Look>(device_, task, shape_for(task), compile_(task, KernelForm::compiled, nullptr));
            look->arrays.reserve(bytes(ArrayPlaces(look->kernels.shape(), count).end));
        }
        const Shape& seen = look->kernels.shape();
        const DeviceInstances instances{.arrays = look->arrays.address(),
                                        .count = count,
                                        .slots = count,
                                        .former = former_.address(),
                                        .are_mixed = !differing_.empty()};
        const auto copy = [&](int fields) {
            copy_tiles(*device_, records(0), {nullptr, look->arrays.address(), bytes_of_tile(seen.record_fields)},
                       bytes_of_tile(fields), tiles_of(count), look->kernels.stream(), "copying records on the GPU");
        };
        copy(seen.varied);
        if (!have_all_stepped()) start(look->kernels, instances, all());
        copy(shape().record_fields - shape().sums);
        if (varied_are_new_) {
            if (!look->kernels.can_renew()) look->kernels.bring_renewal(compile_);
            look->kernels.renew(instances);
        }
        if (instances.are_mixed && !look->kernels.takes_others()) look->kernels.bring_others(compile_);
        look->kernels.advance(instances, 0);
        look->kernels.stream().synchronize();
        return *look;
    }
    bool have_all_stepped() const {
        for (std::uint64_t i = 0; i < count && !all_have_stepped_; ++i) {
            Progress<double> progress{};
            const std::vector<double> fields = record_of(progress_shape(), progress_.data(), i);
            auto field = fields.begin();
            visit_fields([&](double& value) { value = *field++; }, progress);
            if (!(progress.steps > 0.0)) return false;
        }
        return all_have_stepped_ = true;
    }
    Chunk chunk_of(const DeviceTask<Number>& kernels, const DeviceArray& arrays, const ArrayPlaces& places) const {
        device_->use();
        staged_.reserve(bytes(places.end));
        device_->require(
            device_->call().download(staged_.data(), arrays.address(), bytes(places.end), kernels.stream().handle()),
            "copying results from the GPU");
        kernels.stream().synchronize();
        const Number* numbers = staged_numbers();
        Chunk chunk;
        read_chunk(kernels.shape(), count, numbers + places.records, numbers + places.initial_states,
                   numbers + places.final_states, numbers + places.trajectory, numbers + places.quantities, chunk);
        return chunk;
    }

    std::shared_ptr<const Device> device_;
    const KernelEntry& entry_;
    const Compile compile_;
    DeviceArray arrays_, order_, former_;
    bool varied_are_new_ = false, is_compared_ = false;
    std::set<int>
        differing_;  // varied fields in which an instance differs from what the traced step takes for constants
    mutable HostArray staged_;
    mutable std::map<std::vector<int>, std::unique_ptr<Look>> looks_;
    DeviceTask<Number> kernels_;  // its stream is destroyed first, and waited for
    std::optional<CatchUp<Number>> catch_up_;
    std::unique_ptr<Number[]> host_;  // room for the arrays of all; memory is there where an instance was left behind
    std::vector<Number> progress_;    // of all, after the last launch
    mutable bool all_have_stepped_ = false;
    double attempts_ = untimed_steps;
};

}  // namespace

std::unique_ptr<SteppedLaunches> make_device_steps(std::shared_ptr<const Device> device, const Task& task,
                                                   const KernelEntry& entry, const Compile& compile,
                                                   std::uint64_t count, const double* varied) {
    if (task.precision == Precision::fp64)
        return std::make_unique<Steps<double>>(std::move(device), task, entry, compile, count, varied);
    return std::make_unique<Steps<float>>(std::move(device), task, entry, compile, count, varied);
}

}  // namespace myriad::backends::cuda
