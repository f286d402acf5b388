// Quantities of a channel that is given: harmonic motions in closed form, lines, kinks and jumps. No system is
// integrated.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "host/backends/interface/instance_watch.hpp"
#include "kernels/run/quantities.hpp"

namespace myriad::backends {
namespace {

constexpr int all = Reductions::count;
constexpr Between betweens[] = {Between::steps, Between::line, Between::cubic};

// x = offset + amplitude sin(w t + phase)
struct Harmonic {
    double offset, amplitude, w, phase;
    double value(double t) const { return offset + amplitude * std::sin(w * t + phase); }
    double rate(double t) const { return amplitude * w * std::cos(w * t + phase); }
};

struct Watched {
    Task task;
    std::vector<double> times_s;
    std::vector<bool> jumps;  // at the time, which ends a step
};

// All reductions of channel 0, whose rate is channel 1: over the whole span, then in a window.
Watched watching(Between between, const std::vector<double>& times_s, double from_s, double to_s, double threshold) {
    Watched watched;
    watched.times_s = times_s, watched.jumps.assign(times_s.size(), false);
    PlanTable& plan = watched.task.plan;
    plan.quantity_count = 2 * all;
    static_assert(2 * all <= most_quantities);
    for (int i = 0; i < 2 * all; ++i) {
        plan.reductions[i] = static_cast<Reduction>(i % all), plan.windowed[i] = i >= all;
        plan.between[i] = between, plan.quantity_rates[i] = 1;
        watched.task.thresholds.push_back(threshold);
        watched.task.windows.push_back(from_s), watched.task.windows.push_back(to_s);
    }
    return watched;
}

template <class Real>
struct Channels {
    Real value, rate;
    Real channel(int index) const { return index == 0 ? value : rate; }
};
// Before and behind a jump at the time.
enum class Side { before, behind };
template <class Channel>
double seen(const Channel& channel, double time_s, int index, Side side) {
    if (side == Side::before) {
        if constexpr (requires { channel.value_before(time_s); })
            if (index == 0) return channel.value_before(time_s);
        if constexpr (requires { channel.rate_before(time_s); })
            if (index == 1) return channel.rate_before(time_s);
    }
    return index == 0 ? channel.value(time_s) : channel.rate(time_s);
}

// Lane by lane with a channel of its own and the same times.
template <class Real, class Channel>
std::vector<std::vector<double>> by_kernel(const Watched& watched, const std::vector<Channel>& lanes) {
    const TablePlan plan(watched.task.plan);
    Launch<double> launch{};
    launch.thresholds = watched.task.thresholds.data(), launch.windows = watched.task.windows.data();
    const auto at = [&](double time_s, Side side = Side::behind) {
        Channels<Real> channels{};
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            Lanes<Real>::set(channels.value, static_cast<int>(lane), seen(lanes[lane], time_s, 0, side));
            Lanes<Real>::set(channels.rate, static_cast<int>(lane), seen(lanes[lane], time_s, 1, side));
        }
        return channels;
    };
    Quantities<Real, TablePlan> quantities;
    quantities.begin(plan, at(0.0), launch);
    for (std::size_t i = 1; i < watched.times_s.size(); ++i) {
        const MaskOf<Real> moved = true_mask<Real>(), none = !moved;
        const Real before_s(watched.times_s[i - 1]), now_s(watched.times_s[i]);
        if (watched.jumps[i])
            quantities.update(plan, at(watched.times_s[i], Side::before), launch,
                              {moved, none, moved, none, before_s, before_s, now_s, false, false});
        quantities.update(plan, at(watched.times_s[i]), launch,
                          {moved, moved, none, none, before_s, before_s, now_s, false, watched.jumps[i]});
    }
    const Real end_s(watched.times_s.back());
    std::vector<std::vector<double>> values(lanes.size());
    for (int i = 0; i < plan.quantities(); ++i) {
        const Real value = quantities.value(plan, i, at(watched.times_s.back()), launch, end_s);
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
            values[lane].push_back(Lanes<Real>::get(value, static_cast<int>(lane)));
    }
    return values;
}
template <class Channel>
std::vector<double> by_kernel(const Watched& watched, const Channel& channel) {
    return by_kernel<double>(watched, std::vector<Channel>{channel}).front();
}

template <class Channel>
std::vector<double> by_twin(const Watched& watched, const Channel& channel) {
    const std::atomic<bool> stop{false};
    Shape shape;
    shape.quantities = watched.task.plan.quantity_count;
    InstanceWatch watch(watched.task, shape, {}, stop);
    double now_s = 0.0;
    const auto on = [&](Side side) -> InstanceWatch::Channels {
        return [&, side](int index) { return seen(channel, now_s, index, side); };
    };
    const InstanceWatch::Channels at = on(Side::behind);
    for (std::size_t i = 0; i < watched.times_s.size(); ++i) {
        now_s = watched.times_s[i];
        if (watched.jumps[i]) watch.before_jump(now_s, on(Side::before), false);
        watch.after_step(now_s, at, {});
    }
    Chunk chunk;
    watch.add_to(chunk, at);
    return chunk.quantities;
}

std::vector<double> equal_steps(double end_s, int steps) {
    std::vector<double> times;
    for (int i = 0; i <= steps; ++i) times.push_back(end_s * i / steps);
    return times;
}
std::vector<double> unequal_steps(double end_s, int steps, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> shares(0.3, 1.7);
    std::vector<double> times{0.0};
    for (int i = 0; i < steps; ++i) times.push_back(times.back() + shares(random));
    for (double& time : times) time *= end_s / times.back();
    return times;
}

Harmonic at_random(std::mt19937& random) {
    std::uniform_real_distribution<double> number(0.0, 1.0);
    return {number(random) - 0.5, 0.5 + number(random), 6.0 + 6.0 * number(random), 6.0 * number(random)};
}

// Falls or rises by `jump` at each of the times.
struct Jumping : Harmonic {
    std::vector<double> times_s;
    double jump;
    double value(double t) const {
        return Harmonic::value(t) + jump * static_cast<double>(std::ranges::upper_bound(times_s, t) - times_s.begin());
    }
    double value_before(double t) const {
        return Harmonic::value(t) + jump * static_cast<double>(std::ranges::lower_bound(times_s, t) - times_s.begin());
    }
};

TEST(QuantitiesBetweenSteps, AreThoseOfTheTwin) {
    std::mt19937 random(7);
    int undefined = 0, jumps = 0;
    for (unsigned run = 0; run < 200; ++run)
        for (const Between between : betweens) {
            Jumping motion{at_random(random), {}, run % 4 == 1 ? 0.3 : -0.2};
            const std::vector<double> times = unequal_steps(1.0, 23, run);
            // Of some runs the window begins or ends at a jump.
            const double from_s = run % 8 == 3 ? times[5] : 0.217, to_s = run % 8 == 7 ? times[17] : 0.683;
            Watched watched = watching(between, times, from_s, to_s, motion.offset + 0.8);
            for (std::size_t i = 1; i < times.size(); ++i)
                if (run % 2 == 1 && (random() % 5 == 0 || times[i] == from_s || times[i] == to_s))
                    watched.jumps[i] = true, motion.times_s.push_back(times[i]), ++jumps;
            const std::vector<double> kernel = by_kernel(watched, motion), twin = by_twin(watched, motion);
            ASSERT_EQ(kernel.size(), twin.size());
            for (std::size_t i = 0; i < kernel.size(); ++i) {
                if (std::isnan(twin[i])) ++undefined;
                // Round-off of some values below 2; where a course only just passes a threshold, its root of it.
                EXPECT_TRUE(std::isnan(twin[i]) ? std::isnan(kernel[i]) : std::abs(kernel[i] - twin[i]) < 1e-9)
                    << "run " << run << ", between " << static_cast<int>(between) << ", quantity " << i << ": "
                    << kernel[i] << " " << twin[i];
            }
        }
    EXPECT_GT(undefined, 50);
    EXPECT_GT(jumps, 500);
}

TEST(QuantitiesBetweenSteps, HaveTheSameBitsInEveryLane) {
    using Four = Pack<double, 4>;
    std::mt19937 random(11);
    for (unsigned run = 0; run < 50; ++run)
        for (const Between between : betweens) {
            const std::vector<Harmonic> lanes{at_random(random), at_random(random), at_random(random),
                                              at_random(random)};
            Watched watched = watching(between, unequal_steps(1.0, 19, run), 0.31, 0.77, 0.6);
            watched.jumps[7] = true;
            const auto together = by_kernel<Four>(watched, lanes);
            for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
                const std::vector<double> alone = by_kernel(watched, lanes[lane]);
                EXPECT_EQ(std::memcmp(alone.data(), together[lane].data(), alone.size() * sizeof(double)), 0);
            }
        }
}

// x = sin(w t + 0.3) over 1 s, the window from 0.2171 s to 0.9137 s. Its first maximum lies at 0.21181 s, before the
// window, its only minimum at 0.73541 s, in both.
constexpr double w = 6.0, phase = 0.3, from_s = 0.2171, to_s = 0.9137, threshold = 0.7;
double exact(Reduction reduction, bool windowed) {
    constexpr double pi = std::numbers::pi;
    const double begin = windowed ? from_s : 0.0, end = windowed ? to_s : 1.0, top_s = (0.5 * pi - phase) / w;
    switch (reduction) {
        case Reduction::final:
            return std::sin(w * end + phase);
        case Reduction::maximum:
            return windowed ? std::sin(w * begin + phase) : 1.0;
        case Reduction::minimum:
            return -1.0;
        case Reduction::mean:
            return (std::cos(w * begin + phase) - std::cos(w * end + phase)) / (w * (end - begin));
        case Reduction::time_of_maximum:
            return windowed ? begin : top_s;
        case Reduction::time_of_minimum:
            return top_s + pi / w;
        case Reduction::first_time_above:
            return windowed ? begin : (std::asin(threshold) - phase) / w;
        default:
            return (pi - std::asin(threshold) - phase) / w;
    }
}

std::vector<double> halved(const std::vector<double>& times) {
    std::vector<double> finer;
    for (std::size_t k = 0; k + 1 < times.size(); ++k)
        finer.push_back(times[k]), finer.push_back(0.5 * (times[k] + times[k + 1]));
    finer.push_back(times.back());
    return finer;
}

// By how many powers of two the worst error of 40 divisions into 23 steps falls with each of three halvings. Worst,
// because an error depends on where in its step an extreme lies.
double order_of(Between between, int quantity) {
    const Harmonic motion{0.0, 1.0, w, phase};
    const double expected = exact(static_cast<Reduction>(quantity % all), quantity >= all);
    constexpr int halvings = 3;
    double worst[halvings + 1] = {};
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::vector<double> times = unequal_steps(1.0, 23, seed);
        for (double& largest : worst) {
            const Watched watched = watching(between, times, from_s, to_s, threshold);
            const double found = by_kernel(watched, motion)[static_cast<std::size_t>(quantity)];
            largest = std::max(largest, std::abs(found - expected));
            times = halved(times);
        }
    }
    return worst[halvings] < 1e-14 ? 99.0 : std::log2(worst[0] / worst[halvings]) / halvings;
}

TEST(QuantitiesBetweenSteps, OfAChannelWithARateHaveOrderFourAndTimesOrderThree) {
    for (int i = 0; i < 2 * all; ++i) {
        const auto reduction = static_cast<Reduction>(i % all);
        if (reduction == Reduction::first_time_below) continue;  // it begins below
        const bool is_time_of_extreme =
            reduction == Reduction::time_of_maximum || reduction == Reduction::time_of_minimum;
        EXPECT_GT(order_of(Between::cubic, i), is_time_of_extreme ? 2.8 : 3.8) << "quantity " << i;
    }
}

TEST(QuantitiesBetweenSteps, OfAChannelWithoutOneHaveOrderThreeTheirTimesTwo) {
    for (int i = 0; i < 2 * all; ++i) {
        const auto reduction = static_cast<Reduction>(i % all);
        if (reduction == Reduction::first_time_below) continue;
        const bool is_extreme = reduction == Reduction::maximum || reduction == Reduction::minimum;
        const bool of_window = i >= all && (reduction == Reduction::maximum);
        EXPECT_GT(order_of(Between::line, i), is_extreme && !of_window ? 2.8 : 1.8) << "quantity " << i;
    }
}

// x = t in steps of 0.1 s.
struct Ramp {
    double value(double t) const { return t; }
    double rate(double) const { return 1.0; }
};

TEST(Windows, CutStepsWhereTheyStand) {
    for (const Between between : {Between::line, Between::cubic}) {
        const std::vector<double> found = by_kernel(watching(between, equal_steps(1.0, 10), 0.37, 0.62, 0.505), Ramp{});
        const auto in_window = [&](Reduction reduction) { return found[static_cast<std::size_t>(reduction) + all]; };
        constexpr double round_off = 1e-15;
        EXPECT_NEAR(in_window(Reduction::final), 0.62, round_off);
        EXPECT_NEAR(in_window(Reduction::maximum), 0.62, round_off);
        EXPECT_NEAR(in_window(Reduction::minimum), 0.37, round_off);
        EXPECT_EQ(in_window(Reduction::time_of_maximum), 0.62);
        EXPECT_EQ(in_window(Reduction::time_of_minimum), 0.37);
        EXPECT_NEAR(in_window(Reduction::mean), 0.495, round_off);
        EXPECT_NEAR(in_window(Reduction::first_time_above), 0.505, round_off);
        EXPECT_EQ(in_window(Reduction::first_time_below), 0.37);
        // Inside of one step.
        const std::vector<double> short_one =
            by_kernel(watching(between, equal_steps(1.0, 10), 0.42, 0.47, 0.45), Ramp{});
        EXPECT_NEAR(short_one[static_cast<std::size_t>(Reduction::mean) + all], 0.445, round_off);
        EXPECT_NEAR(short_one[static_cast<std::size_t>(Reduction::first_time_above) + all], 0.45, round_off);
    }
}

// Up to 1 at t = 0.5, and from there on 1 (or down).
struct Kink {
    double after;
    double value(double t) const { return t < 0.5 ? 2.0 * t : 1.0 + after * (t - 0.5); }
    double rate(double t) const { return t < 0.5 ? 2.0 : after; }
    double rate_before(double t) const { return t <= 0.5 ? 2.0 : after; }
};

TEST(QuantitiesBetweenSteps, OfAPlateauAreTheValuesOfThePlateau) {
    for (const Between between : betweens) {
        const std::vector<double> found = by_kernel(watching(between, equal_steps(1.0, 10), 0.2, 0.8, 2.0), Kink{0.0});
        EXPECT_NEAR(found[static_cast<std::size_t>(Reduction::maximum)], 1.0, 1e-15);
        EXPECT_TRUE(std::isnan(found[static_cast<std::size_t>(Reduction::first_time_above)]));
    }
}

// A channel whose rate jumps: where the step says so nothing reaches across it; a parabola rises by an eighth of the
// steeper change of a step at most.
TEST(QuantitiesBetweenSteps, DoNotReachAcrossAJump) {
    for (const Between between : betweens)
        for (const double after : {-0.5, -2.0, -9.0}) {
            Watched watched = watching(between, equal_steps(1.0, 10), 0.2, 0.8, 0.97);
            const Kink kink{after};
            watched.jumps[5] = true;  // the step that ends at the kink
            EXPECT_EQ(by_kernel(watched, kink)[static_cast<std::size_t>(Reduction::maximum)], 1.0);
            EXPECT_NEAR(by_kernel(watched, kink)[static_cast<std::size_t>(Reduction::first_time_above)],
                        between == Between::steps ? 0.5 : 0.485, 1e-15);
            watched.jumps[5] = false;
            const double steepest = 0.1 * std::max(2.0, -after);
            if (between == Between::line)
                EXPECT_LE(by_kernel(watched, kink)[static_cast<std::size_t>(Reduction::maximum)], 1.0 + steepest / 8.0);
        }
}

// x = t up to 0.5 s, then t - 1, in steps of 0.1 s.
struct Sawtooth {
    double value(double t) const { return t < 0.5 ? t : t - 1.0; }
    double value_before(double t) const { return t <= 0.5 ? t : t - 1.0; }
    double rate(double) const { return 1.0; }
};

TEST(Jumps, HaveBothValuesAndNoPartOfMeans) {
    constexpr double round_off = 1e-15;
    for (const Between between : {Between::line, Between::cubic}) {
        Watched watched = watching(between, equal_steps(1.0, 10), 0.25, 0.75, -0.3);
        watched.jumps[5] = true;
        for (const std::vector<double>& found : {by_kernel(watched, Sawtooth{}), by_twin(watched, Sawtooth{})})
            for (const int first : {0, all}) {
                const auto is = [&](Reduction reduction) {
                    return found[static_cast<std::size_t>(first + static_cast<int>(reduction))];
                };
                EXPECT_EQ(is(Reduction::maximum), 0.5);
                EXPECT_EQ(is(Reduction::time_of_maximum), 0.5);
                EXPECT_EQ(is(Reduction::minimum), -0.5);
                EXPECT_EQ(is(Reduction::time_of_minimum), 0.5);
                EXPECT_NEAR(is(Reduction::mean), 0.0, round_off);
                EXPECT_EQ(is(Reduction::first_time_below), 0.5);
            }
    }
    Watched watched = watching(Between::steps, equal_steps(1.0, 10), 0.2, 0.8, -0.3);
    watched.jumps[5] = true;
    for (const std::vector<double>& found : {by_kernel(watched, Sawtooth{}), by_twin(watched, Sawtooth{})}) {
        EXPECT_NEAR(found[static_cast<std::size_t>(Reduction::mean)], 0.0, round_off);
        EXPECT_NEAR(found[static_cast<std::size_t>(Reduction::maximum)], 0.4, round_off);  // ends of steps alone
    }
}

// Whether the end of the window is the time of the jump or differs from it by round-off.
TEST(Jumps, BelongToWindowsThatBeginThereAndNotToThoseThatEndThere) {
    for (const Between between : {Between::line, Between::cubic})
        for (const double share : {1.0, 1.0 - 1e-13, 1.0 + 1e-13}) {
            constexpr double round_off = 1e-12;
            Watched ends = watching(between, equal_steps(1.0, 10), 0.2, 0.5 * share, -0.3),
                    begins = watching(between, equal_steps(1.0, 10), 0.5 * share, 0.8, -0.3);
            ends.jumps[5] = begins.jumps[5] = true;
            const auto of_window = [](const std::vector<double>& found, Reduction reduction) {
                return found[static_cast<std::size_t>(all + static_cast<int>(reduction))];
            };
            for (const std::vector<double>& found : {by_kernel(ends, Sawtooth{}), by_twin(ends, Sawtooth{})}) {
                EXPECT_NEAR(of_window(found, Reduction::final), 0.5, round_off);
                EXPECT_NEAR(of_window(found, Reduction::minimum), 0.2, round_off);
                EXPECT_NEAR(of_window(found, Reduction::maximum), 0.5, round_off);
                EXPECT_NEAR(of_window(found, Reduction::mean), 0.35, round_off);
                EXPECT_TRUE(std::isnan(of_window(found, Reduction::first_time_below)));
            }
            for (const std::vector<double>& found : {by_kernel(begins, Sawtooth{}), by_twin(begins, Sawtooth{})}) {
                EXPECT_NEAR(of_window(found, Reduction::final), -0.2, round_off);
                EXPECT_NEAR(of_window(found, Reduction::minimum), -0.5, round_off);
                EXPECT_NEAR(of_window(found, Reduction::maximum), -0.2, round_off);
                EXPECT_NEAR(of_window(found, Reduction::mean), -0.35, round_off);
                EXPECT_NEAR(of_window(found, Reduction::first_time_below), 0.5, round_off);
            }
        }
}

// A peak between two states that are both below the threshold is passed on its way up.
TEST(QuantitiesBetweenSteps, SeeAPeakThatNoStateShows) {
    const Harmonic motion{0.0, 0.1, 10.0, 0.0};
    const Watched watched = watching(Between::cubic, {0.0, 0.1, 0.21, 0.3}, 0.05, 0.25, 0.0975);
    const std::vector<double> found = by_kernel(watched, motion);
    // Of Hermite's cubic: h^4 f'''' / 384 = 0.11^4 1000 / 384.
    constexpr double error_m = 3.9e-4;
    EXPECT_NEAR(found[static_cast<std::size_t>(Reduction::maximum)], 0.1, error_m);
    EXPECT_NEAR(found[static_cast<std::size_t>(Reduction::first_time_above)], std::asin(0.975) / 10.0,
                error_m / motion.rate(std::asin(0.975) / 10.0));
}

TEST(QuantitiesBetweenSteps, WithoutANumberForARateAreThoseOfTheLine) {
    struct WithoutRate : Harmonic {
        double rate(double) const { return std::numeric_limits<double>::quiet_NaN(); }
    };
    const WithoutRate motion{{0.0, 1.0, 6.0, 0.3}};
    const std::vector<double> times = unequal_steps(1.0, 23, 5);
    const std::vector<double> cubic = by_kernel(watching(Between::cubic, times, 0.2, 0.8, 0.7), motion),
                              line = by_kernel(watching(Between::line, times, 0.2, 0.8, 0.7), motion);
    for (const Reduction reduction : {Reduction::mean, Reduction::first_time_above, Reduction::final})
        for (const std::size_t first : {0, all})
            EXPECT_NEAR(cubic[static_cast<std::size_t>(reduction) + first],
                        line[static_cast<std::size_t>(reduction) + first], 1e-14);
}

// Means by the trapezoidal rule take no space for rates.
TEST(Records, AreAsLongAsTheirQuantitiesNeed) {
    const auto numbers = [](Between between, int quantity) {
        const Watched watched = watching(between, {0.0}, 0.0, 1.0, 0.0);
        return first_sum(watched.task.plan, quantity + 1) - first_sum(watched.task.plan, quantity);
    };
    EXPECT_EQ(numbers(Between::cubic, static_cast<int>(Reduction::final)), 0);
    EXPECT_EQ(numbers(Between::steps, static_cast<int>(Reduction::maximum)), 2);
    EXPECT_EQ(numbers(Between::line, static_cast<int>(Reduction::maximum)), 5);
    EXPECT_EQ(numbers(Between::cubic, static_cast<int>(Reduction::maximum)), 4);
    EXPECT_EQ(numbers(Between::cubic, static_cast<int>(Reduction::mean)), 3);
    EXPECT_EQ(numbers(Between::cubic, static_cast<int>(Reduction::first_time_above)), 3);
}

}  // namespace
}  // namespace myriad::backends
