#include "host/backends/cpu/step_by_step.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <thread>

#include "host/backends/cpu/compiled_steps.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/interface/kernel_table.hpp"
#include "host/backends/interface/standard_arithmetic.hpp"
#include "host/backends/interface/tiles.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::backends {

namespace {

Progress<double> progress_of(const std::vector<double>& record) {
    Progress<double> progress{};
    auto field = record.begin();
    visit_fields([&](double& value) { value = *field++; }, progress);
    return progress;
}

template <class Number>
class CpuLaunches final : public SteppedLaunches {
  public:
    CpuLaunches(const Task& task, std::uint64_t instances, const double* varied, const KernelEntry& kernel, int width,
                int threads, const std::string& kernels)
        : task_(task),
          kernel_(kernel),
          functions_(functions_of<Number>(kernel)),
          shape_(shape_for(task)),
          width_(width),
          threads_(threads) {
        count = instances;
        arrays_.resize(shape_, count);
        store_varied(shape_, count, varied, arrays_.records.data());
        launch_ = arrays_.launch(shape_, task_, count);
        settings_.kernels = kernels, settings_.starts_at_once = true;
        compiled_steps_.choose(task_, width_, settings_);
        begin(all());
    }

    void set_varied(const double* varied) override {
        store_varied(shape_, count, varied, arrays_.records.data());
        varied_are_new_ = shape_.varied > 0;
    }
    void set_varied_on_device(int, const double*) override { refuse_device(); }
    void fetch(const void*, std::uint64_t, void*) const override { refuse_device(); }
    std::vector<double> varied() const override { return varied_of(shape_, arrays_.records.data(), count); }
    void begin(const std::vector<unsigned int>& order) override {
        if (order.empty()) return;
        renew();
        launch_.order = order.data(), launch_.slots = static_cast<long long>(order.size());
        // To begin a mechanism is to assemble it, which costs about as much as so many steps.
        constexpr double steps_of_a_start = 20.0;
        on_threads(functions_.begin, launch_.slots, steps_of_a_start);
        keep_varied();
        keep_those_that_run();
    }
    void advance(const std::vector<unsigned int>& order, long long attempts) override {
        if (order.empty()) return;
        renew();
        launch_.order = order.data(), launch_.slots = static_cast<long long>(order.size());
        launch_.attempts = attempts;
        const auto [advance_groups, width] = compiled_steps_.steps(functions_);
        on_threads(advance_groups, groups(launch_, width), static_cast<double>(attempts));
        compiled_steps_.look_back();
        // Nobody knows how long these instances will be advanced. What took so long may take as long again.
        advanced_steps_ += static_cast<double>(attempts) * static_cast<double>(order.size());
        compiled_steps_.follow_where_long(advanced_steps_);
        keep_those_that_run();
    }
    std::vector<double> times_s() const override { return times_of(shape_, arrays_.records.data(), count); }
    std::vector<std::int32_t> statuses() const override { return statuses_of(shape_, arrays_.records.data(), count); }
    Tiles states() const override {
        return tiles_in(arrays_.final_states.data(), task_.precision, count, shape_.state_channels);
    }
    Tiles channel_tiles(std::span<const int> wanted) const override {
        const auto seen = std::make_shared<TileArrays<Number>>(look(looking_task(task_, wanted), wanted));
        Tiles tiles = tiles_in(seen->quantities.data(), task_.precision, count, static_cast<int>(wanted.size()));
        tiles.owner = seen;
        return tiles;
    }
    long long sure_steps(double from_s, double to_s) const override {
        return sure_steps_of(task_.schedule, kernel_.adaptive, from_s, to_s);
    }
    long long steps_between_looks(std::uint64_t some) const override {
        constexpr double instance_steps = 1e5;  // of a thread
        return static_cast<long long>(std::max(1.0, instance_steps / static_cast<double>(some)));
    }
    std::vector<double> record(std::uint64_t instance) const override {
        return record_of(shape_, arrays_.records.data(), instance);
    }

    // By a launch of no steps on a copy, whose quantities are the channels. Before its first step an instance that
    // begins beside the given state (`departs` in kernels/run/instance.hpp) shows what begin() saw.
    std::vector<double> channels(std::span<const int> wanted) const override {
        std::vector<double> values(count * wanted.size());
        for (std::size_t first = 0; first < wanted.size(); first += most_quantities) {
            const auto some = wanted.subspan(first, std::min<std::size_t>(most_quantities, wanted.size() - first));
            const std::vector<double> seen = final_values(some);
            for (std::uint64_t i = 0; i < count; ++i)
                std::copy_n(seen.begin() + static_cast<std::ptrdiff_t>(i * some.size()), some.size(),
                            values.begin() + static_cast<std::ptrdiff_t>(i * wanted.size() + first));
        }
        return values;
    }
    Chunk chunk() const override {
        Chunk made;
        read(shape_, arrays_, made);
        return made;
    }
    int width() const override { return sizeof(Number) == sizeof(double) || width_ == 1 ? width_ : 2 * width_; }
    double round_off() const override { return sizeof(Number) == sizeof(double) ? 1e-12 : 1e-6; }

  private:
    [[noreturn]] static void refuse_device() {
        refuse_at("parameters", "an array on a GPU was given, and these instances are in the memory of the processor",
                  "give an array of the host, or keep the instances on the GPU as well");
    }
    using Groups = std::function<std::remove_pointer_t<typename KernelFunctions<Number>::Groups>>;
    std::vector<unsigned int> all() const {
        std::vector<unsigned int> order(count);
        std::iota(order.begin(), order.end(), 0u);
        return order;
    }
    void renew() {
        if (!varied_are_new_) return;
        launch_.former = former_.data(), launch_.order = nullptr, launch_.slots = static_cast<long long>(count);
        constexpr double steps_of_a_renewal = 4.0;
        on_threads(functions_.renew, launch_.slots, steps_of_a_renewal);
        keep_varied();
    }
    // The memories of all records belong to the varied parameters that they hold.
    void keep_varied() {
        const Shape varied = varied_alone(shape_);
        former_.resize(static_cast<std::size_t>(tiles_of(count)) * tile_instances *
                       static_cast<std::size_t>(varied.varied));
        copy_fields(shape_, arrays_.records, varied.varied, varied, former_);
        varied_are_new_ = false;
    }
    void keep_those_that_run() {
        running = all();
        keep_running(shape_, arrays_.records.data(), running);
    }
    // Blocks of groups, each of which a thread takes when it is done with its last one. A group belongs to one thread,
    // and instances do not see each other. Each thread has work for some milliseconds, which is what it costs to start
    // one on a busy machine.
    void on_threads(const Groups& function, long long count_of_groups, double steps) {
        constexpr long long blocks_per_thread = 4;
        constexpr double instance_steps_of_a_thread = 1e4;
        const double worth = steps * static_cast<double>(launch_.slots) / instance_steps_of_a_thread;
        const auto workers = static_cast<long long>(std::clamp(worth, 1.0, static_cast<double>(threads_)));
        const long long block = std::max(1LL, count_of_groups / (blocks_per_thread * workers));
        std::atomic<long long> next{0};
        const auto work = [&] {
            for (long long first = next.fetch_add(block); first < count_of_groups; first = next.fetch_add(block))
                function(task_.plan, launch_, first, std::min(block, count_of_groups - first));
        };
        std::vector<std::jthread> others;
        for (long long i = 1; i < std::min(workers, count_of_groups); ++i) others.emplace_back(work);
        work();
    }
    Shape shape_for(const Task& task) const {
        return shape_of(task, kernel_.state_channels(task.plan), kernel_.invariants, kernel_.record_fields(task.plan));
    }
    static long long groups(const Launch<Number>& launch, int width) { return (launch.slots + width - 1) / width; }
    void read(const Shape& shape, const TileArrays<Number>& arrays, Chunk& chunk) const {
        read_chunk(shape, count, arrays.records.data(), arrays.initial_states.data(), arrays.final_states.data(),
                   arrays.trajectory.data(), arrays.quantities.data(), chunk);
    }

    std::vector<double> final_values(std::span<const int> wanted) const {
        const Task looking = looking_task(task_, wanted);
        Chunk seen;
        read(shape_for(looking), look(looking, wanted), seen);
        return seen.quantities;
    }
    TileArrays<Number> look(const Task& looking, std::span<const int> wanted) const {
        const Shape shape = shape_for(looking);
        TileArrays<Number> copy;
        copy.resize(shape, count);
        copy_fields(shape_, arrays_.records, shape.varied, shape, copy.records);
        Launch<Number> launch = copy.launch(shape, looking, count);
        bool all_have_stepped = true;
        for (std::uint64_t i = 0; i < count; ++i)
            all_have_stepped = all_have_stepped && progress_of(record(i)).steps > 0.0;
        if (!all_have_stepped) functions_.begin(looking.plan, launch, 0, launch.slots);
        copy_fields(shape_, arrays_.records, shape_.record_fields - shape_.sums, shape, copy.records);
        launch.former = former_.data();
        if (varied_are_new_) functions_.renew(looking.plan, launch, 0, launch.slots);
        launch.attempts = 0;
        const auto [advance_groups, width] = steps_of_look(looking, wanted);
        advance_groups(looking.plan, launch, 0, groups(launch, width));
        return copy;
    }
    // To trace a launch takes as long as kernels take for a look at some thousand instances.
    StepsOfALaunch<Number> steps_of_look(const Task& looking, std::span<const int> wanted) const {
        constexpr std::uint64_t fewest_traced = 1024;
        if (count < fewest_traced) return {functions_.advance, functions_.width};
        std::unique_ptr<CompiledSteps>& look = looks_[std::vector<int>(wanted.begin(), wanted.end())];
        if (!look) {
            Settings settings = settings_;
            if (settings.kernels != names::double_kernels) settings.kernels = names::interpreted_kernels;
            look = std::make_unique<CompiledSteps>();
            look->choose(looking, width_, settings);
        }
        return look->steps(functions_);
    }
    // The first `fields` of each record.
    void copy_fields(const Shape& from, const std::vector<Number>& records, int fields, const Shape& to,
                     std::vector<Number>& copy) const {
        for (std::uint64_t tile = 0; tile < tiles_of(count); ++tile) {
            const auto first_of = [tile](const Shape& shape) {
                return static_cast<std::ptrdiff_t>(tile) * shape.record_fields * tile_instances;
            };
            std::copy_n(records.begin() + first_of(from), fields * tile_instances, copy.begin() + first_of(to));
        }
    }

    const Task task_;
    const KernelEntry& kernel_;
    const KernelFunctions<Number>& functions_;
    const Shape shape_;
    const int width_, threads_;
    Settings settings_;
    TileArrays<Number> arrays_;
    std::vector<Number> former_;  // the varied parameters that the records' memories belong to
    bool varied_are_new_ = false;
    Launch<Number> launch_{};
    CompiledSteps compiled_steps_;
    // Launches of no steps, by the channels that they are asked for.
    mutable std::map<std::vector<int>, std::unique_ptr<CompiledSteps>> looks_;
    double advanced_steps_ = 0.0;
};

}  // namespace

StepByStep::StepByStep(const Task& task, std::uint64_t count, const double* varied, int width, int threads,
                       const std::string& kernels) {
    const StandardArithmetic arithmetic;
    const int doubles = cpu_width(width);
    const KernelEntry& kernel = cpu_kernel(task, doubles);
    if (task.precision == Precision::fp64)
        launches_ = std::make_unique<CpuLaunches<double>>(task, count, varied, kernel, doubles, threads, kernels);
    else
        launches_ = std::make_unique<CpuLaunches<float>>(task, count, varied, kernel, doubles, threads, kernels);
}

bool StepByStep::advance(long long attempts) {
    const StandardArithmetic arithmetic;
    launches_->advance(std::vector<unsigned int>(launches_->running), attempts);
    return !launches_->running.empty();
}

bool StepByStep::advance_to(double time_s, const std::function<bool()>& stop) {
    const StandardArithmetic arithmetic;
    const double enough_s = time_s * (1.0 - launches_->round_off());
    std::vector<unsigned int> before = launches_->running;
    for (;;) {
        const std::vector<double> times = times_s();
        const std::vector<std::int32_t> status = statuses();
        std::erase_if(before, [&](unsigned int i) {
            return status[i] != static_cast<std::int32_t>(Status::running) || times[i] >= enough_s;
        });
        if (before.empty()) break;
        if (stop && stop()) break;
        double latest_s = 0.0;
        for (const unsigned int i : before) latest_s = std::max(latest_s, times[i]);
        launches_->advance(
            before, std::min(launches_->sure_steps(latest_s, enough_s), launches_->steps_between_looks(before.size())));
    }
    return !launches_->running.empty();
}

void StepByStep::set_varied(const double* varied) {
    const StandardArithmetic arithmetic;
    launches_->set_varied(varied);
}
void StepByStep::begin_again(const std::vector<unsigned int>& instances) {
    const StandardArithmetic arithmetic;
    launches_->begin(instances);
}
std::vector<double> StepByStep::times_s() const { return launches_->times_s(); }
std::vector<std::int32_t> StepByStep::statuses() const { return launches_->statuses(); }
void StepByStep::set_varied_on_device(int field, const double* values) {
    launches_->set_varied_on_device(field, values);
}
std::vector<double> StepByStep::varied() const { return launches_->varied(); }
Tiles StepByStep::states() const { return launches_->states(); }
Tiles StepByStep::channel_tiles(std::span<const int> wanted) const {
    const StandardArithmetic arithmetic;
    return launches_->channel_tiles(wanted);
}
std::uint64_t StepByStep::count() const { return launches_->count; }
int StepByStep::width() const { return launches_->width(); }
bool StepByStep::runs(std::uint64_t instance) const {
    return progress(instance).status == static_cast<double>(Status::running);
}
Progress<double> StepByStep::progress(std::uint64_t instance) const { return progress_of(record(instance)); }
std::vector<double> StepByStep::record(std::uint64_t instance) const { return launches_->record(instance); }
std::vector<double> StepByStep::channels(std::span<const int> wanted) const {
    const StandardArithmetic arithmetic;
    return launches_->channels(wanted);
}
double StepByStep::channel(std::uint64_t instance, int wanted) const { return channels({&wanted, 1})[instance]; }
Chunk StepByStep::chunk() const { return launches_->chunk(); }

}  // namespace myriad::backends
