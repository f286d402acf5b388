#include "host/backends/interface/instance_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/math/norm.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::backends {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// Times of jumps and ends of windows that differ by such a share are the same.
constexpr double moment = 0x1p-39;

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
      quantities_(static_cast<std::size_t>(shape.quantities), Sum{nan, nan, 0.0, nan, nan, nan, nan, nan, nan, 0.0}),
      initial_state_(static_cast<std::size_t>(shape.state_channels), nan),
      trajectory_(static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.observed), nan) {
    for (const study::CertificateEntry& entry : certificate) {
        const bool counts = entry.name.find("iterations") != std::string::npos;
        const bool is_of_mechanism = task.mechanism && task.schedule.step_s > 0.0 && !counts;
        kept_.push_back({entry.kind, is_of_mechanism || (!task.mechanism && entry.is_of_size), nan, nan});
    }
}

void InstanceWatch::after_step(double time_s, const Channels& channel, std::span<const double> certified) {
    if (stop_) throw Stopped{};
    if (steps_ < 0)
        for (std::size_t k = 0; k < initial_state_.size(); ++k) initial_state_[k] = channel(static_cast<int>(k));
    ++steps_;
    certify(certified);
    const bool jumps = std::exchange(is_before_jump_, false);
    for (std::size_t q = 0; q < quantities_.size(); ++q)
        update(q, time_s, channel, jumps && follows_jumps(q) ? Seen::behind_jump : Seen::step);
    observe(time_s, channel);
    before_s_ = time_s;
}

void InstanceWatch::within_step(double time_s, const Channels& channel) {
    for (std::size_t q = 0; q < quantities_.size(); ++q)
        if (Between::cubic <= task_.plan.between[q]) update(q, time_s, channel, Seen::step);
}

// Of values at the ends of steps alone the ones behind jumps count.
bool InstanceWatch::follows_jumps(std::size_t quantity) const {
    return task_.plan.between[quantity] != Between::steps || task_.plan.reductions[quantity] == Reduction::mean;
}

void InstanceWatch::before_jump(double time_s, const Channels& channel, bool is_straight) {
    is_before_jump_ = true;
    for (std::size_t q = 0; q < quantities_.size(); ++q)
        if (follows_jumps(q)) update(q, time_s, channel, is_straight ? Seen::straight_to_jump : Seen::to_jump);
}

void InstanceWatch::behind_jump(double time_s, const Channels& channel) {
    is_before_jump_ = false;
    for (std::size_t q = 0; q < quantities_.size(); ++q)
        if (follows_jumps(q)) update(q, time_s, channel, Seen::behind_jump);
}

void InstanceWatch::certify(std::span<const double> certified) {
    const bool is_due = steps_ < steps_per_certificate || steps_ % steps_per_certificate == 0;
    last_certified_.assign(certified.begin(), certified.end());
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        Kept& kept = kept_[k];
        const bool drifts = kept.kind == study::CertificateKind::rise || kept.kind == study::CertificateKind::drift;
        if (steps_ == 0) kept.initial = drifts ? certified[k] : 0.0, kept.drift = 0.0;
        if (is_due || !kept.is_looked_at_now_and_then) keep(kept, certified[k]);
    }
}

void InstanceWatch::keep(Kept& kept, double certified) const {
    const double change = certified - kept.initial;
    const double value = kept.kind == study::CertificateKind::total  ? kept.drift + certified
                         : kept.kind == study::CertificateKind::rise ? change
                                                                     : std::abs(change);
    if (!(value <= kept.drift)) kept.drift = value;
}

void InstanceWatch::add_to(Chunk& chunk, const Channels& channel) const {
    chunk.initial_state.insert(chunk.initial_state.end(), initial_state_.begin(), initial_state_.end());
    for (int k = 0; k < shape_.state_channels; ++k) chunk.final_state.push_back(began() ? channel(k) : nan);
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        Kept kept = kept_[k];
        if (kept.is_looked_at_now_and_then && began()) keep(kept, last_certified_[k]);
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

double InstanceWatch::rate_of(std::size_t quantity, const Channels& channel) const {
    if (task_.plan.between[quantity] != Between::cubic) return nan;
    const int watched = task_.plan.quantity_channels[quantity], rate = task_.plan.quantity_rates[quantity];
    if (rate == rate_of_orientation) {
        const int body = watched - watched % body_channels, part = watched % body_channels - orientation_channel;
        double q[4], w[3];
        for (int k = 0; k < 4; ++k) q[k] = channel(body + orientation_channel + k);
        for (int k = 0; k < 3; ++k) w[k] = channel(body + angular_velocity_channel + k);
        const double product[] = {-q[1] * w[0] - q[2] * w[1] - q[3] * w[2], q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
                                  q[0] * w[1] + q[3] * w[0] - q[1] * w[2], q[0] * w[2] + q[1] * w[1] - q[2] * w[0]};
        return 0.5 * product[part];
    }
    return channel(rate);
}

std::vector<std::pair<double, double>> InstanceWatch::components_of(std::size_t quantity,
                                                                    const Channels& channel) const {
    std::vector<std::pair<double, double>> components;
    if (task_.plan.between[quantity] != Between::norm) return components;
    const int watched = task_.plan.quantity_channels[quantity], rate = task_.plan.quantity_rates[quantity];
    for (int k = 0; k < norm_components(watched); ++k)
        components.emplace_back(channel(first_of_norm(watched) + k), channel(rate + k));
    return components;
}

void InstanceWatch::consider(std::size_t quantity, double value, double time_s) {
    const Reduction reduction = task_.plan.reductions[quantity];
    const bool smallest = reduction == Reduction::minimum || reduction == Reduction::time_of_minimum;
    Sum& sum = quantities_[quantity];
    if (std::isnan(sum.extremum) || (smallest ? value < sum.extremum : value > sum.extremum))
        sum.extremum = value, sum.time_of_extremum = time_s;
}

// A window that ends at the jump has the value before it, one that begins there the value behind it.
void InstanceWatch::count_jump(std::size_t quantity, double time_s, double value) {
    Sum& sum = quantities_[quantity];
    const auto [from_s, to_s] = window(quantity);
    sum.last_slope = nan;
    if (task_.plan.between[quantity] == Between::steps || time_s < from_s * (1.0 - moment) ||
        time_s >= to_s * (1.0 - moment))
        return;
    consider(quantity, value, time_s);
    if (std::isnan(sum.first) && is_beyond(quantity, value)) sum.first = time_s;
    sum.last_inside = value;
}

bool InstanceWatch::is_beyond(std::size_t quantity, double value) const {
    const double threshold = task_.thresholds[quantity];
    return task_.plan.reductions[quantity] == Reduction::first_time_above ? value > threshold : value < threshold;
}

void InstanceWatch::update_between(std::size_t quantity, const WatchedStep& step, Seen seen) {
    const PlanTable& plan = task_.plan;
    Sum& sum = quantities_[quantity];
    const auto [from_s, to_s] = window(quantity);
    const double begin_s = std::max(step.begin_s, from_s), end_s = std::min(step.end_s, to_s);
    // The top of the parabola through three values may lie in the step before, and in the window.
    const double length_s = step.end_s - step.begin_s, slope = (step.after - step.before) / length_s;
    if (plan.between[quantity] == Between::line && sum.last_slope * slope < 0.0) {
        const double bend = 2.0 * (slope - sum.last_slope) / (sum.last_length_s + length_s);
        const double rate = slope - 0.5 * bend * length_s, top_s = step.begin_s - rate / bend;
        const double top = step.before - rate * rate / (2.0 * bend);
        if (from_s <= top_s && top_s <= to_s)
            consider(quantity, is_norm(plan.quantity_channels[quantity]) ? std::max(top, 0.0) : top, top_s);
    }
    sum.last_slope = slope, sum.last_length_s = length_s;
    if (begin_s > end_s) return;
    sum.integral += step.integral(begin_s, end_s);
    if (step.begin_s >= to_s * (1.0 - moment)) return;
    if (seen != Seen::step && step.end_s <= from_s * (1.0 + moment)) return;
    const std::vector<double> times = step.pieces(begin_s, end_s);
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double value = step.value(times[i]);
        consider(quantity, value, times[i]);
        if (!is_beyond(quantity, value) || !std::isnan(sum.first)) continue;
        sum.first = i == 0 ? times[i] : step.passes(task_.thresholds[quantity], times[i - 1], times[i]);
    }
    sum.last_inside = step.value(end_s);
}

void InstanceWatch::update(std::size_t quantity, double time_s, const Channels& channel, Seen seen) {
    const double value = channel_or_norm(channel, task_.plan.quantity_channels[quantity]),
                 rate = rate_of(quantity, channel);
    Sum& sum = quantities_[quantity];
    const auto [from_s, to_s] = window(quantity);
    const double before_s = std::exchange(sum.last_s, time_s);
    const bool is_straight = seen == Seen::straight_to_jump;
    const auto if_used = [&](double of_rate) { return is_straight ? nan : of_rate; };
    WatchedStep step{before_s, time_s, sum.last, value, if_used(sum.last_rate), if_used(rate)};
    std::vector<std::pair<double, double>> components = components_of(quantity, channel);
    for (std::size_t k = 0; k < sum.last_components.size(); ++k) {
        const auto& [first, first_rate] = sum.last_components[k];
        const auto& [last, last_rate] = components[k];
        step.components.push_back({before_s, time_s, first, last, if_used(first_rate), if_used(last_rate)});
    }
    sum.last = value, sum.last_rate = rate, sum.last_components = std::move(components);
    if (seen == Seen::behind_jump) {
        count_jump(quantity, time_s, value);
        return;
    }
    if (time_s > 0.0 && task_.plan.between[quantity] != Between::steps) {
        update_between(quantity, step, seen);
        return;
    }
    const double begin_s = std::max(before_s, from_s), end_s = std::min(time_s, to_s);
    if (begin_s < end_s) sum.integral += step.integral(begin_s, end_s);
    if (time_s < from_s || time_s > to_s) return;
    consider(quantity, value, time_s);
    if (std::isnan(sum.first) && is_beyond(quantity, value)) sum.first = time_s;
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
