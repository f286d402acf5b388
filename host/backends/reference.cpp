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
        case Status::newton_stalled:
            return Reason::newton_did_not_converge;
        case Status::singular_matrix:
            return Reason::matrix_singular;
        case Status::assembly_failed:
            return Reason::constraints_inconsistent;
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
                          static_cast<int>(system_->certificate.size()), 0);
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
    class Watch;

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
    settings.largest_step_rotation_rad = largest_step_rotation_rad;
    settings.most_steps = std::numeric_limits<long>::max();
    if (schedule.step_s > 0.0) {
        settings.step_s = schedule.step_s;
        return settings;
    }
    settings.most_steps = static_cast<long>(std::min(schedule.most_attempts, 1e15));
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
    const study::DescribedChannel& description = system_->channels[static_cast<std::size_t>(address.channel)];
    const auto& values = observables.at(description.name);
    if (address.component.empty()) return values[0];
    const auto component = static_cast<std::ptrdiff_t>(description.components.find(address.component) / 2);
    if (!description.of_body) return values[component];
    const std::vector<std::string>& bodies = system_->body_names;
    const auto body = std::find(bodies.begin(), bodies.end(), address.body) - bodies.begin();
    return values[body * static_cast<std::ptrdiff_t>((description.components.size() + 1) / 2) + component];
}

// One instance on its way: quantities, drifts and rows, from the states after its accepted steps.
class ReferenceBackend::Watch {
  public:
    Watch(const ReferenceBackend& backend, const std::atomic<bool>& stop)
        : backend_(backend), stop_(stop), quantities_(static_cast<std::size_t>(backend.shape_.quantities)) {
        for (const study::CertificateEntry& invariant : backend.system_->certificate)
            kept_.push_back({backend.system_->scalar_channel(invariant.name, "reference backend"), nan, nan});
        trajectory_.assign(
            static_cast<std::size_t>(backend.shape_.rows) * static_cast<std::size_t>(backend.shape_.observed), nan);
    }

    void after_step(double time_s, const reference::Observables& observables) {
        if (stop_) throw Stopped{};
        if (steps_ < 0) initial_ = observables;
        ++steps_;
        for (Kept& kept : kept_) {
            const double value = backend_.scalar(observables, kept.channel);
            if (steps_ == 0) kept.initial = value, kept.drift = 0.0;
            const double drift = std::abs(value - kept.initial);
            if (!(drift <= kept.drift)) kept.drift = drift;
        }
        for (std::size_t q = 0; q < quantities_.size(); ++q) update(q, time_s, observables);
        observe(time_s, observables);
        before_s_ = time_s;
    }

    void add_to(Chunk& chunk, const reference::Result& result) const {
        const bool began = steps_ >= 0;
        for (int k = 0; k < backend_.shape_.state_channels; ++k) {
            chunk.initial_state.push_back(began ? backend_.scalar(initial_, k) : nan);
            chunk.final_state.push_back(began ? backend_.scalar(result.final_observables, k) : nan);
        }
        for (const Kept& kept : kept_) {
            chunk.invariants_initial.push_back(kept.initial);
            chunk.invariants_drift.push_back(kept.drift);
        }
        for (std::size_t q = 0; q < quantities_.size(); ++q) chunk.quantities.push_back(value(q));
        chunk.trajectory.insert(chunk.trajectory.end(), trajectory_.begin(), trajectory_.end());
    }

    struct Stopped {};

  private:
    struct Kept {
        int channel;
        double initial, drift;
    };
    struct Sum {
        double extremum = nan, time_of_extremum = nan, integral = 0.0, first = nan, last = nan;
    };

    void update(std::size_t q, double time_s, const reference::Observables& observables) {
        const Reduction reduction = backend_.task_.plan.reductions[q];
        const double threshold = backend_.task_.thresholds[q];
        const double value = backend_.scalar(observables, backend_.task_.plan.quantity_channels[q]);
        const bool smallest = reduction == Reduction::minimum || reduction == Reduction::time_of_minimum;
        Sum& sum = quantities_[q];
        if (std::isnan(sum.extremum) || (smallest ? value < sum.extremum : value > sum.extremum))
            sum.extremum = value, sum.time_of_extremum = time_s;
        if (time_s > 0.0) sum.integral += 0.5 * (time_s - before_s_) * (sum.last + value);
        const bool beyond = reduction == Reduction::first_time_above ? value > threshold : value < threshold;
        if (beyond && std::isnan(sum.first)) sum.first = time_s;
        sum.last = value;
    }

    double value(std::size_t q) const {
        const Sum& sum = quantities_[q];
        switch (backend_.task_.plan.reductions[q]) {
            case Reduction::final:
                return sum.last;
            case Reduction::mean:
                return before_s_ > 0.0 ? sum.integral / before_s_ : sum.last;
            case Reduction::maximum:
            case Reduction::minimum:
                return sum.extremum;
            case Reduction::time_of_maximum:
            case Reduction::time_of_minimum:
                return sum.time_of_extremum;
            default:
                return sum.first;
        }
    }

    // A row by steps comes every so many of them; a row by time is the first state at or after its time.
    void observe(double time_s, const reference::Observables& observables) {
        const Schedule& schedule = backend_.task_.schedule;
        const bool due = schedule.observe_steps > 0.0
                             ? steps_ == static_cast<long>(static_cast<double>(row_) * schedule.observe_steps)
                             : time_s >= std::min(static_cast<double>(row_) * schedule.observe_s, schedule.end_s);
        if (row_ >= backend_.shape_.rows || !due) return;
        const auto observed = static_cast<std::size_t>(backend_.shape_.observed);
        for (std::size_t entry = 0; entry < observed; ++entry)
            trajectory_[static_cast<std::size_t>(row_) * observed + entry] =
                backend_.scalar(observables, backend_.task_.plan.observed_channels[entry]);
        ++row_;
    }

    const ReferenceBackend& backend_;
    const std::atomic<bool>& stop_;
    std::vector<Sum> quantities_;
    std::vector<Kept> kept_;
    std::vector<double> trajectory_;
    reference::Observables initial_;
    long steps_ = -1, row_ = 0;
    double before_s_ = 0.0;
};

bool ReferenceBackend::finish(int, Chunk& chunk, const std::atomic<bool>& stop) {
    const auto started = std::chrono::steady_clock::now();
    chunk = {};
    chunk.count = count_;
    for (std::uint64_t i = 0; i < count_; ++i) {
        Watch watch(*this, stop);
        reference::Settings settings = run_settings();
        settings.after_step = [&](double time_s, const reference::Observables& observables) {
            watch.after_step(time_s, observables);
        };
        reference::Result result;
        try {
            result = reference::run_reference(task_.system, task_.integrator, parameters(i), settings);
        } catch (const Watch::Stopped&) {
            return false;
        }
        const Status status = status_of(result.status);
        chunk.status.push_back(static_cast<std::int32_t>(status));
        chunk.reason.push_back(static_cast<std::int32_t>(reason_of(status)));
        chunk.warnings.push_back(0);
        chunk.steps.push_back(result.steps_taken);
        chunk.rejected.push_back(result.steps_rejected);
        chunk.time_s.push_back(result.final_time_s);
        watch.add_to(chunk, result);
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return true;
}

}  // namespace

std::unique_ptr<Backend> make_reference_backend(const Settings& settings) {
    return std::make_unique<ReferenceBackend>(settings);
}

}  // namespace myriad::backends
