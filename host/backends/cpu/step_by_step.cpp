#include "host/backends/cpu/step_by_step.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/interface/kernel_table.hpp"
#include "host/backends/interface/tiles.hpp"
#include "kernels/system/status.hpp"

namespace myriad::backends {

class StepByStep::Launches {
  public:
    virtual ~Launches() = default;
    virtual void advance(const std::vector<unsigned int>& order, long long attempts) = 0;
    virtual std::vector<double> record(std::uint64_t instance) const = 0;
    virtual std::vector<double> channels(std::span<const int> wanted) const = 0;
    virtual Chunk chunk() const = 0;
    virtual int width() const = 0;
    virtual double round_off() const = 0;
    virtual std::vector<double> times_s() const = 0;
    virtual std::vector<std::int32_t> statuses() const = 0;
    virtual StateTiles states() const = 0;
    virtual void set_varied(const double* varied) = 0;
    virtual void begin(const std::vector<unsigned int>& order) = 0;
    // How many steps from one time to a later one certainly do not pass it; at least 1.
    virtual long long sure_steps(double from_s, double to_s) const = 0;

    std::uint64_t count = 0;
    std::vector<unsigned int> running;
};

namespace {

template <class Number>
const KernelFunctions<Number>& functions_of(const KernelEntry& entry) {
    if constexpr (sizeof(Number) == sizeof(double))
        return entry.fp64;
    else
        return entry.fp32;
}

Progress<double> progress_of(const std::vector<double>& record) {
    Progress<double> progress{};
    auto field = record.begin();
    visit_fields([&](double& value) { value = *field++; }, progress);
    return progress;
}

}  // namespace

template <class Number>
class StepByStep::LaunchesOf final : public Launches {
  public:
    LaunchesOf(const Task& task, std::uint64_t instances, const double* varied, const KernelEntry& kernel, int threads)
        : task_(task),
          kernel_(kernel),
          functions_(functions_of<Number>(kernel)),
          shape_(shape_for(task)),
          threads_(threads) {
        count = instances;
        arrays_.resize(shape_, count);
        set_varied(varied);
        launch_ = arrays_.launch(shape_, task_, count);
        begin(all());
    }

    void set_varied(const double* varied) override { store_varied(shape_, count, varied, arrays_.records.data()); }
    void begin(const std::vector<unsigned int>& order) override {
        if (order.empty()) return;
        launch_.order = order.data(), launch_.slots = static_cast<long long>(order.size());
        // To begin a mechanism is to assemble it, which costs about as much as so many steps.
        constexpr double steps_of_a_start = 20.0;
        on_threads(functions_.begin, launch_.slots, steps_of_a_start);
        keep_those_that_run();
    }
    void advance(const std::vector<unsigned int>& order, long long attempts) override {
        if (order.empty()) return;
        launch_.order = order.data(), launch_.slots = static_cast<long long>(order.size());
        launch_.attempts = attempts;
        on_threads(functions_.advance, groups(launch_), static_cast<double>(attempts));
        keep_those_that_run();
    }
    std::vector<double> times_s() const override { return times_of(shape_, arrays_.records.data(), count); }
    std::vector<std::int32_t> statuses() const override { return statuses_of(shape_, arrays_.records.data(), count); }
    StateTiles states() const override {
        return {arrays_.final_states.data(), task_.precision, tiles_of(count), shape_.state_channels};
    }
    long long sure_steps(double from_s, double to_s) const override {
        if (kernel_.adaptive) return 1;
        constexpr double most_steps = 1e9;
        return std::max(1LL, static_cast<long long>(std::min((to_s - from_s) / task_.schedule.step_s, most_steps)) - 1);
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
    int width() const override { return functions_.width; }
    double round_off() const override { return sizeof(Number) == sizeof(double) ? 1e-12 : 1e-6; }

  private:
    std::vector<unsigned int> all() const {
        std::vector<unsigned int> order(count);
        std::iota(order.begin(), order.end(), 0u);
        return order;
    }
    void keep_those_that_run() {
        running = all();
        keep_running(shape_, arrays_.records.data(), running);
    }
    // Blocks of groups, each of which a thread takes when it is done with its last one. A group belongs to one thread,
    // and instances do not see each other. Each thread has work for some milliseconds, which is what it costs to start
    // one on a busy machine.
    void on_threads(typename KernelFunctions<Number>::Groups function, long long count_of_groups, double steps) {
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
    long long groups(const Launch<Number>& launch) const {
        return (launch.slots + functions_.width - 1) / functions_.width;
    }
    void read(const Shape& shape, const TileArrays<Number>& arrays, Chunk& chunk) const {
        read_chunk(shape, count, arrays.records.data(), arrays.initial_states.data(), arrays.final_states.data(),
                   arrays.trajectory.data(), arrays.quantities.data(), chunk);
    }

    std::vector<double> final_values(std::span<const int> wanted) const {
        Task looking = task_;
        looking.plan.observed_count = 0, looking.schedule.rows = 0.0;
        looking.plan.quantity_count = static_cast<int>(wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            looking.plan.reductions[i] = Reduction::final;
            looking.plan.quantity_channels[i] = wanted[i], looking.plan.windowed[i] = 0;
        }
        const Shape shape = shape_for(looking);
        TileArrays<Number> copy;
        copy.resize(shape, count);
        copy_records(shape_, shape.varied, shape, copy);
        Launch<Number> launch = copy.launch(shape, looking, count);
        bool all_have_stepped = true;
        for (std::uint64_t i = 0; i < count; ++i)
            all_have_stepped = all_have_stepped && progress_of(record(i)).steps > 0.0;
        if (!all_have_stepped) functions_.begin(looking.plan, launch, 0, launch.slots);
        copy_records(shape_, shape_.record_fields - 2 * shape_.quantities, shape, copy);
        launch.attempts = 0;
        functions_.advance(looking.plan, launch, 0, groups(launch));
        Chunk seen;
        read(shape, copy, seen);
        return seen.quantities;
    }
    // The first `fields` of each record.
    void copy_records(const Shape& from, int fields, const Shape& to, TileArrays<Number>& copy) const {
        for (std::uint64_t tile = 0; tile < tiles_of(count); ++tile) {
            const auto first_of = [tile](const Shape& shape) {
                return static_cast<std::ptrdiff_t>(tile) * shape.record_fields * tile_instances;
            };
            std::copy_n(arrays_.records.begin() + first_of(from), fields * tile_instances,
                        copy.records.begin() + first_of(to));
        }
    }

    const Task task_;
    const KernelEntry& kernel_;
    const KernelFunctions<Number>& functions_;
    const Shape shape_;
    const int threads_;
    TileArrays<Number> arrays_;
    Launch<Number> launch_{};
};

StepByStep::StepByStep(const Task& task, std::uint64_t count, const double* varied, int width, int threads) {
    const KernelEntry& kernel = cpu_kernel(task, cpu_width(width));
    if (task.precision == Precision::fp64)
        launches_ = std::make_unique<LaunchesOf<double>>(task, count, varied, kernel, threads);
    else
        launches_ = std::make_unique<LaunchesOf<float>>(task, count, varied, kernel, threads);
}
StepByStep::~StepByStep() = default;
StepByStep::StepByStep(StepByStep&&) noexcept = default;
StepByStep& StepByStep::operator=(StepByStep&&) noexcept = default;

bool StepByStep::advance(long long attempts) {
    launches_->advance(std::vector<unsigned int>(launches_->running), attempts);
    return !launches_->running.empty();
}

bool StepByStep::advance_to(double time_s, const std::function<bool()>& stop) {
    const double enough_s = time_s * (1.0 - launches_->round_off());
    // About 0.1 s of a thread between two looks at `stop`.
    constexpr double instance_steps_of_launch = 1e5;
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
        const double most = std::max(1.0, instance_steps_of_launch / static_cast<double>(before.size()));
        launches_->advance(before, std::min(launches_->sure_steps(latest_s, enough_s), static_cast<long long>(most)));
    }
    return !launches_->running.empty();
}

void StepByStep::set_varied(const double* varied) { launches_->set_varied(varied); }
void StepByStep::begin_again(const std::vector<unsigned int>& instances) { launches_->begin(instances); }
std::vector<double> StepByStep::times_s() const { return launches_->times_s(); }
std::vector<std::int32_t> StepByStep::statuses() const { return launches_->statuses(); }
StateTiles StepByStep::states() const { return launches_->states(); }
std::uint64_t StepByStep::count() const { return launches_->count; }
int StepByStep::width() const { return launches_->width(); }
bool StepByStep::runs(std::uint64_t instance) const {
    return progress(instance).status == static_cast<double>(Status::running);
}
Progress<double> StepByStep::progress(std::uint64_t instance) const { return progress_of(record(instance)); }
std::vector<double> StepByStep::record(std::uint64_t instance) const { return launches_->record(instance); }
std::vector<double> StepByStep::channels(std::span<const int> wanted) const { return launches_->channels(wanted); }
double StepByStep::channel(std::uint64_t instance, int wanted) const {
    return launches_->channels({&wanted, 1})[instance];
}
Chunk StepByStep::chunk() const { return launches_->chunk(); }

}  // namespace myriad::backends
