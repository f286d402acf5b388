#include "host/backends/reference.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "host/backends/tiles.hpp"
#include "host/reference/run_reference.hpp"
#include "host/study/system_description.hpp"
#include "host/user_error.hpp"
#include "kernels/rotation.hpp"
#include "kernels/status.hpp"

namespace myriad::backends {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The reference path gives its reasons in words; the codes of a result are coarser.
Reason reason_of(Status status) {
    switch (status) {
        case Status::ok:
            return Reason::none;
        case Status::step_too_small:
            return Reason::step_below_smallest;
        case Status::step_limit:
            return Reason::attempts_used_up;
        case Status::step_rotation_too_large:
            return Reason::rotation_beyond_series;
        case Status::chart_singular:
            return Reason::chart_at_its_singularity;
        case Status::invalid_parameter:
            return Reason::parameters_refused;
        default:
            return Reason::state_not_finite;
    }
}

Status status_of(const std::string& name) {
    for (int i = 0; i < status_count; ++i)
        if (name == name_of(static_cast<Status>(i))) return static_cast<Status>(i);
    throw std::logic_error("the reference path ended with the unknown status " + name);
}

class ReferenceBackend final : public Backend {
  public:
    explicit ReferenceBackend(const Settings& settings) : settings_(settings) {}

    std::string device() const override { return "reference path (Eigen), 1 thread"; }
    int buffers() const override { return 1; }

    MemoryPlan prepare(const Task& task, std::uint64_t instances) override {
        task_ = task;
        system_ = &study::find_system(task.system, "reference backend");
        shape_ = shape_of(task, static_cast<int>(13 * system_->body_names.size()),
                          static_cast<int>(system_->invariants.size()), 0);
        seconds_ = 0.0;
        return {bytes_per_instance(shape_, sizeof(double)), std::uint64_t{1} << 30,
                settings_.chunk ? settings_.chunk : std::max<std::uint64_t>(1, std::min<std::uint64_t>(instances, 64))};
    }
    Shape shape() const override { return shape_; }
    void start(int, std::uint64_t count, const double* varied) override {
        count_ = count;
        varied_.assign(varied, varied + count * static_cast<std::uint64_t>(shape_.varied));
    }
    bool finish(int, Chunk& chunk, const std::atomic<bool>& stop) override;
    double compute_seconds() const override { return seconds_; }

  private:
    reference::Parameters parameters(std::uint64_t instance) const;
    reference::Settings run_settings() const;
    double scalar(const reference::Observables& observables, int channel) const;
    void add_quantities(const reference::Result& result, Chunk& chunk) const;
    void add_trajectory(const reference::Result& result, Chunk& chunk) const;

    Settings settings_;
    Task task_;
    const study::SystemDescription* system_ = nullptr;
    Shape shape_;
    std::uint64_t count_ = 0;
    std::vector<double> varied_;
    double seconds_ = 0.0;
};

reference::Parameters ReferenceBackend::parameters(std::uint64_t instance) const {
    reference::Parameters values;
    for (std::size_t i = 0; i < system_->parameters.size(); ++i) {
        const int field = task_.plan.varied[i];
        values[system_->parameters[i].address] =
            field < 0 ? task_.parameters[i] : varied_[static_cast<std::uint64_t>(field) * count_ + instance];
    }
    return values;
}

reference::Settings ReferenceBackend::run_settings() const {
    const Schedule& schedule = task_.schedule;
    reference::Settings settings;
    settings.chart = task_.chart;
    settings.end_s = schedule.end_s;
    settings.observe_every_steps = 1;
    settings.largest_step_rotation_rad = largest_step_rotation_rad;
    settings.most_steps = static_cast<long>(std::min(schedule.most_attempts, 1e15));
    if (schedule.step_s > 0.0) {
        settings.step_s = schedule.step_s;
        return settings;
    }
    settings.control.relative_tolerance = schedule.relative_tolerance;
    settings.control.absolute_tolerance = schedule.absolute_tolerance;
    settings.control.initial_step_s = schedule.initial_step_s;
    settings.control.smallest_step_s = schedule.smallest_step_s;
    if (schedule.observe_s > 0.0)
        for (double row = 0.0; row < schedule.rows; row += 1.0)
            settings.observation_times_s.push_back(std::min(row * schedule.observe_s, schedule.end_s));
    return settings;
}

double ReferenceBackend::scalar(const reference::Observables& observables, int channel) const {
    const study::ScalarChannel& address = system_->scalars[static_cast<std::size_t>(channel)];
    const ChannelDescription& description = system_->channels[static_cast<std::size_t>(address.channel)];
    const auto& values = observables.at(description.name);
    if (address.component.empty()) return values[0];
    const std::string components = description.components;
    return values[static_cast<std::ptrdiff_t>(components.find(address.component) / 2)];
}

void ReferenceBackend::add_quantities(const reference::Result& result, Chunk& chunk) const {
    for (int q = 0; q < shape_.quantities; ++q) {
        const int channel = task_.plan.quantity_channels[q];
        const double threshold = task_.thresholds[static_cast<std::size_t>(q)];
        double extremum = nan, time_of_extremum = nan, integral = 0.0, first = nan, before = nan, before_s = 0.0;
        const Reduction reduction = task_.plan.reductions[q];
        const bool smallest = reduction == Reduction::minimum || reduction == Reduction::time_of_minimum;
        for (const reference::Sample& sample : result.trajectory) {
            const double value = scalar(sample.observables, channel);
            if (std::isnan(extremum) || (smallest ? value < extremum : value > extremum))
                extremum = value, time_of_extremum = sample.time_s;
            if (sample.time_s > 0.0) integral += 0.5 * (sample.time_s - before_s) * (before + value);
            const bool beyond = reduction == Reduction::first_time_above ? value > threshold : value < threshold;
            if (beyond && std::isnan(first)) first = sample.time_s;
            before = value, before_s = sample.time_s;
        }
        double value = extremum;
        if (reduction == Reduction::final) value = before;
        if (reduction == Reduction::mean) value = before_s > 0.0 ? integral / before_s : before;
        if (reduction == Reduction::time_of_maximum || reduction == Reduction::time_of_minimum)
            value = time_of_extremum;
        if (reduction == Reduction::first_time_above || reduction == Reduction::first_time_below) value = first;
        chunk.quantities.push_back(value);
    }
}

void ReferenceBackend::add_trajectory(const reference::Result& result, Chunk& chunk) const {
    const Schedule& schedule = task_.schedule;
    std::size_t next = 0;
    for (int row = 0; row < shape_.rows; ++row) {
        // A row by steps is every so many samples; a row by time is the first sample at its time.
        const double time = std::min(row * schedule.observe_s, schedule.end_s);
        if (schedule.observe_steps > 0.0)
            next = static_cast<std::size_t>(row * schedule.observe_steps);
        else
            while (next < result.trajectory.size() && result.trajectory[next].time_s < time) ++next;
        for (int entry = 0; entry < shape_.observed; ++entry)
            chunk.trajectory.push_back(next < result.trajectory.size() ? scalar(result.trajectory[next].observables,
                                                                                task_.plan.observed_channels[entry])
                                                                       : nan);
    }
}

bool ReferenceBackend::finish(int, Chunk& chunk, const std::atomic<bool>& stop) {
    const auto started = std::chrono::steady_clock::now();
    chunk = {};
    chunk.count = count_;
    for (std::uint64_t i = 0; i < count_; ++i) {
        if (stop) return false;
        const reference::Result result =
            reference::run_reference(task_.system, task_.integrator, parameters(i), run_settings());
        const Status status = status_of(result.status);
        chunk.status.push_back(static_cast<std::int32_t>(status));
        chunk.reason.push_back(static_cast<std::int32_t>(reason_of(status)));
        chunk.warnings.push_back(0);
        chunk.steps.push_back(result.steps_taken);
        chunk.rejected.push_back(result.steps_rejected);
        chunk.time_s.push_back(result.final_time_s);
        const bool began = !result.trajectory.empty();
        for (int k = 0; k < shape_.state_channels; ++k) {
            chunk.initial_state.push_back(began ? scalar(result.trajectory.front().observables, k) : nan);
            chunk.final_state.push_back(began ? scalar(result.final_observables, k) : nan);
        }
        for (const ChannelDescription& invariant : system_->invariants) {
            const int channel = system_->scalar_channel(invariant.name, "reference backend");
            const double initial = began ? scalar(result.trajectory.front().observables, channel) : nan;
            double drift = began ? 0.0 : nan;
            for (const reference::Sample& sample : result.trajectory)
                drift = std::max(drift, std::abs(scalar(sample.observables, channel) - initial));
            chunk.invariants_initial.push_back(initial);
            chunk.invariants_drift.push_back(drift);
        }
        add_quantities(result, chunk);
        add_trajectory(result, chunk);
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return true;
}

}  // namespace

std::unique_ptr<Backend> make_reference_backend(const Settings& settings) {
    return std::make_unique<ReferenceBackend>(settings);
}

}  // namespace myriad::backends
