#include "host/mechanism/driver_corners.hpp"

#include <algorithm>
#include <cmath>

#include "host/mechanism/expression/shared_instructions.hpp"
#include "host/text/number_text.hpp"
#include "kernels/mechanism/corners.hpp"
#include "kernels/mechanism/table_topology.hpp"

namespace myriad::mechanism {

namespace {

// Parts of the span that are searched one by one, and the corners of a driver after which no more are looked for.
constexpr int parts = 100, most_corners_looked_for = 2000;

struct OneFunction {
    const MechanismTable& table;
    const double* parameters;
    int function;
    double length;

    // At `time_s` with the branches of a moment after `side_s`.
    Taylor<double> at(double time_s, double side_s) const {
        Taylor<double> registers[most_registers] = {};
        run_tape_by_side(TableTopology(&table), parameters, time_s, moment_after(side_s), registers);
        return registers[table.function_register[function]];
    }
    MaybeCorner<double> over(double from_s, double to_s, double side_s) const {
        Bounds<double> registers[most_registers] = {};
        run_tape_in_bounds(TableTopology(&table), parameters, from_s, to_s, side_s, registers);
        const Bounds<double>& bounds = registers[table.function_register[function]];
        return {bounds.turns, bounds.is_sharp};
    }
    bool differ(double time_s, double side_s) const {
        return functions_differ(at(time_s, side_s), at(time_s, time_s), length);
    }
};

}  // namespace

DriverCorners corners_of_drivers(const Mechanism& mechanism, std::span<const double> parameters, double end_s) {
    DriverCorners found;
    if (mechanism.table.corners == 0) return found;
    const double length = std::min(1.0, parameters[length_scale_parameter]), span = end_s / parts;
    const auto keep = [](std::optional<DriverCorner>& first, const DriverCorner& corner) {
        if (!first || corner.time_s < first->time_s) first = corner;
    };
    for (std::size_t driver = 0; driver < mechanism.drivers.size(); ++driver) {
        OneFunction function{mechanism.table, parameters.data(),
                             mechanism.table.element[mechanism.drivers[driver].first_element].function, length};
        if (function.function < 0 || corners_of(mechanism.table, function.function) == 0) continue;
        double from = 0.0;
        int corners = 0;
        for (int part = 0; part < parts && corners < most_corners_looked_for; ++part) {
            const double to = part + 1 == parts ? end_s : span * (part + 1);
            for (; from < to && corners < most_corners_looked_for; ++corners) {
                const Corner<double> next = next_corner(function, true, from, to);
                from = next.time_s;
                if (!next.is_there) break;
                const double low = next.before_s, high = next.time_s;
                const Taylor<double> f = function.at(low, next.side_s), g = function.at(high, high);
                const double accelerations = std::abs(f.acceleration) + std::abs(g.acceleration),
                             of_values = length + std::abs(f.value) + std::abs(g.value),
                             rates = std::abs(f.rate) + std::abs(g.rate),
                             unseen = moments_unseen * (moment_after(high) - high);
                if (next.is_sharp) keep(found.sharp, {driver, low, f.value, g.value});
                if (std::abs(g.value - f.value) > least_jump_of_value * of_values + unseen * rates)
                    keep(found.value, {driver, high, f.value, g.value});
                if (std::abs(g.rate - f.rate) >
                    least_jump_of_rate * (rates + span * accelerations) + unseen * accelerations)
                    keep(found.rate, {driver, high, f.rate, g.rate});
            }
        }
    }
    return found;
}

std::optional<DriverWithoutValue> driver_without_value(const Mechanism& mechanism, std::span<const double> parameters,
                                                       double end_s, double step_s) {
    constexpr int looks = 1000, halvings = 60, most_steps = 20'000;
    // A single time without a value, as of sin(t - 1) / (t - 1), may lie between steps.
    constexpr double moment_share = 1e-7;
    const auto is_finite = [](const Taylor<double>& f) {
        return std::isfinite(f.value) && std::isfinite(f.rate) && std::isfinite(f.acceleration);
    };
    for (std::size_t driver = 0; driver < mechanism.drivers.size(); ++driver) {
        const NamedElements& named = mechanism.drivers[driver];
        const OneFunction function{mechanism.table, parameters.data(),
                                   mechanism.table.element[named.first_element].function, 1.0};
        if (function.function < 0) continue;
        const auto at = [&](double time_s) { return function.at(time_s, time_s); };
        const auto fails = [&](double time_s) {
            return !is_finite(at(time_s)) && (time_s == 0.0 || !is_finite(at(time_s + moment_share * end_s)));
        };
        const int last = end_s > 0.0 ? looks : 0;
        int k = 0;
        while (k <= last && !fails(end_s * k / looks)) ++k;
        std::string when = "at t = 0";
        double found = end_s * k / looks;
        if (k > last) {
            const int steps = step_s > 0.0 ? static_cast<int>(std::min<double>(end_s / step_s, most_steps)) : 0;
            int n = 1;
            while (n <= steps && is_finite(at(n * step_s))) ++n;
            if (n > steps) continue;
            found = n * step_s;
            when = "at t = " + rounded_number_text(found, 6) + " s, where a step ends";
        } else if (k > 0) {
            double before = end_s * (k - 1) / looks;
            for (int i = 0; i < halvings; ++i) {
                const double middle = 0.5 * (before + found);
                (fails(middle) ? found : before) = middle;
            }
            when = "from t = " + rounded_number_text(found, 6) + " s on";
        }
        const Taylor<double> there = at(found);
        const bool has_value = std::isfinite(there.value);
        const std::string of = !has_value ? "value" : std::isfinite(there.rate) ? "acceleration" : "rate";
        return DriverWithoutValue{
            driver,
            "the " + of + " of the driver " + named.name + " is not a finite number " + when + ": " + named.formula,
            has_value
                ? "a motion needs a value, a rate and an acceleration: give ^ an exponent of 2 or more where its "
                  "base comes to 0, as max(0, t - 1)^2, and keep sqrt, asin, acos and atan2 off their corners, "
                  "or let the motion begin at another time"
                : "keep the argument of sqrt, log, ^, asin or acos where these have a value, as sqrt(max(0.01, t)), "
                  "and divisors off 0, or end the study earlier"};
    }
    return std::nullopt;
}

}  // namespace myriad::mechanism
