#include "host/backends/cpu/step_by_step.hpp"

#include <algorithm>

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
    LaunchesOf(const Task& task, std::uint64_t instances, const double* varied, const KernelEntry& kernel)
        : task_(task), kernel_(kernel), functions_(functions_of<Number>(kernel)), shape_(shape_for(task)) {
        count = instances;
        arrays_.resize(shape_, count);
        store_varied(shape_, count, varied, arrays_.records.data());
        launch_ = arrays_.launch(shape_, task_, count);
        functions_.begin(task_.plan, launch_, 0, launch_.slots);
        running.resize(count);
        for (unsigned int i = 0; i < count; ++i) running[i] = i;
        keep_running(shape_, arrays_.records.data(), running);
    }

    void advance(const std::vector<unsigned int>& order, long long attempts) override {
        if (order.empty()) return;
        launch_.order = order.data(), launch_.slots = static_cast<long long>(order.size());
        launch_.attempts = attempts;
        functions_.advance(task_.plan, launch_, 0, groups(launch_));
        keep_running(shape_, arrays_.records.data(), running);
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
    TileArrays<Number> arrays_;
    Launch<Number> launch_{};
};

StepByStep::StepByStep(const Task& task, std::uint64_t count, const double* varied, int width) {
    const KernelEntry& kernel = cpu_kernel(task, cpu_width(width));
    if (task.precision == Precision::fp64)
        launches_ = std::make_unique<LaunchesOf<double>>(task, count, varied, kernel);
    else
        launches_ = std::make_unique<LaunchesOf<float>>(task, count, varied, kernel);
}
StepByStep::~StepByStep() = default;
StepByStep::StepByStep(StepByStep&&) noexcept = default;
StepByStep& StepByStep::operator=(StepByStep&&) noexcept = default;

bool StepByStep::advance(long long attempts) {
    launches_->advance(std::vector<unsigned int>(launches_->running), attempts);
    return !launches_->running.empty();
}

bool StepByStep::advance_to(double time_s) {
    const double enough_s = time_s * (1.0 - launches_->round_off());
    std::vector<unsigned int> before = launches_->running;
    const auto keep_those_before = [&] {
        std::erase_if(before, [&](unsigned int i) { return !runs(i) || progress(i).time_s >= enough_s; });
    };
    for (keep_those_before(); !before.empty(); keep_those_before()) launches_->advance(before, 1);
    return !launches_->running.empty();
}

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
