#include "host/backends/interface/instance_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/math/norm.hpp"

namespace myriad::backends {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double channel_or_norm(const InstanceWatch::Channels& value_of, int channel) {
    if (!is_norm(channel)) return value_of(channel);
    double norm = 0.0;
    for (int k = 0; k < norm_components(channel); ++k) norm = std::hypot(norm, value_of(first_of_norm(channel) + k));
    return norm;
}

}  // namespace

InstanceWatch::InstanceWatch(const Task& task, const Shape& shape, std::span<const study::CertificateEntry> certificate,
                             const std::atomic<bool>& stop)
    : task_(task),
      shape_(shape),
      stop_(stop),
      quantities_(static_cast<std::size_t>(shape.quantities), Sum{nan, nan, 0.0, nan, nan, nan}),
      initial_state_(static_cast<std::size_t>(shape.state_channels), nan),
      trajectory_(static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.observed), nan) {
    for (const study::CertificateEntry& entry : certificate) kept_.push_back({entry.kind, nan, nan});
}

void InstanceWatch::after_step(double time_s, const Channels& channel, std::span<const double> certified) {
    if (stop_) throw Stopped{};
    if (steps_ < 0)
        for (std::size_t k = 0; k < initial_state_.size(); ++k) initial_state_[k] = channel(static_cast<int>(k));
    ++steps_;
    certify(certified);
    for (std::size_t q = 0; q < quantities_.size(); ++q) update(q, time_s, channel);
    observe(time_s, channel);
    before_s_ = time_s;
}

void InstanceWatch::certify(std::span<const double> certified) {
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        Kept& kept = kept_[k];
        const bool rises = kept.kind == study::CertificateKind::rise,
                   drifts = rises || kept.kind == study::CertificateKind::drift;
        if (steps_ == 0) kept.initial = drifts ? certified[k] : 0.0, kept.drift = 0.0;
        const double change = certified[k] - kept.initial;
        const double value = kept.kind == study::CertificateKind::total ? kept.drift + certified[k]
                             : rises                                    ? change
                                                                        : std::abs(change);
        if (!(value <= kept.drift)) kept.drift = value;
    }
}

void InstanceWatch::add_to(Chunk& chunk, const Channels& channel) const {
    chunk.initial_state.insert(chunk.initial_state.end(), initial_state_.begin(), initial_state_.end());
    for (int k = 0; k < shape_.state_channels; ++k) chunk.final_state.push_back(began() ? channel(k) : nan);
    for (const Kept& kept : kept_) {
        chunk.invariants_initial.push_back(kept.initial);
        chunk.invariants_drift.push_back(kept.drift);
    }
    for (std::size_t q = 0; q < quantities_.size(); ++q) chunk.quantities.push_back(value(q));
    chunk.trajectory.insert(chunk.trajectory.end(), trajectory_.begin(), trajectory_.end());
}

std::pair<double, double> InstanceWatch::window(std::size_t quantity) const {
    if (task_.plan.windowed[quantity] == 0) return {0.0, std::numeric_limits<double>::infinity()};
    return {task_.windows[2 * quantity], task_.windows[2 * quantity + 1]};
}

void InstanceWatch::update(std::size_t quantity, double time_s, const Channels& channel) {
    const Reduction reduction = task_.plan.reductions[quantity];
    const double threshold = task_.thresholds[quantity];
    const double value = channel_or_norm(channel, task_.plan.quantity_channels[quantity]);
    const bool smallest = reduction == Reduction::minimum || reduction == Reduction::time_of_minimum;
    Sum& sum = quantities_[quantity];
    const auto [from_s, to_s] = window(quantity);
    const double begin_s = std::max(before_s_, from_s), end_s = std::min(time_s, to_s);
    if (begin_s < end_s) {
        const double slope = (value - sum.last) / (time_s - before_s_);
        const double at_begin = sum.last + slope * (begin_s - before_s_), at_end = value - slope * (time_s - end_s);
        sum.integral += 0.5 * (end_s - begin_s) * (at_begin + at_end);
    }
    sum.last = value;
    if (time_s < from_s || time_s > to_s) return;
    if (std::isnan(sum.extremum) || (smallest ? value < sum.extremum : value > sum.extremum))
        sum.extremum = value, sum.time_of_extremum = time_s;
    const bool beyond = reduction == Reduction::first_time_above ? value > threshold : value < threshold;
    if (beyond && std::isnan(sum.first)) sum.first = time_s;
    sum.last_inside = value;
}

double InstanceWatch::value(std::size_t quantity) const {
    const Sum& sum = quantities_[quantity];
    const auto [from_s, to_s] = window(quantity);
    const double reached_s = std::min(before_s_, to_s) - from_s;
    switch (task_.plan.reductions[quantity]) {
        case Reduction::final:
            return sum.last_inside;
        case Reduction::mean:
            if (task_.plan.windowed[quantity] != 0 && !(reached_s > 0.0)) return nan;
            return reached_s > 0.0 ? sum.integral / reached_s : sum.last;
        case Reduction::maximum:
        case Reduction::minimum:
            return sum.extremum;
        case Reduction::time_of_maximum:
        case Reduction::time_of_minimum:
            return sum.time_of_extremum;
        case Reduction::first_time_above:
        case Reduction::first_time_below:
            return sum.first;
    }
    return nan;
}

// A row by steps comes every so many of them; a row by time is the first state at or after its time.
void InstanceWatch::observe(double time_s, const Channels& channel) {
    const Schedule& schedule = task_.schedule;
    const bool due = schedule.observe_steps > 0.0
                         ? steps_ == static_cast<long>(static_cast<double>(row_) * schedule.observe_steps)
                         : time_s >= std::min(static_cast<double>(row_) * schedule.observe_s, schedule.end_s);
    if (row_ >= shape_.rows || !due) return;
    const auto observed = static_cast<std::size_t>(shape_.observed);
    for (std::size_t entry = 0; entry < observed; ++entry)
        trajectory_[static_cast<std::size_t>(row_) * observed + entry] =
            channel_or_norm(channel, task_.plan.observed_channels[entry]);
    ++row_;
}

}  // namespace myriad::backends
