#include "host/mechanism/driver_corners.hpp"

#include <cmath>

#include "kernels/mechanism/table_topology.hpp"
#include "kernels/mechanism/tape.hpp"

namespace myriad::mechanism {

namespace {

constexpr int looks = 1000;

struct Sides {
    const MechanismTable& table;
    const double* parameters;

    // A function at `time_s` with the branches of a moment after `side_s`.
    Taylor<double> at(int function, double time_s, double side_s) const {
        Taylor<double> registers[most_registers] = {};
        run_tape_by_side(TableTopology(&table), parameters, time_s, moment_after(side_s), registers);
        return registers[table.function_register[function]];
    }
    bool differ(int function, double time_s, double side_s) const {
        const Taylor<double> f = at(function, time_s, side_s), g = at(function, time_s, time_s);
        const auto differs = [](double a, double b) { return a != b && !(std::isnan(a) && std::isnan(b)); };
        return differs(f.value, g.value) || differs(f.rate, g.rate) || differs(f.acceleration, g.acceleration);
    }
};

}  // namespace

DriverCorners corners_of_drivers(const Mechanism& mechanism, std::span<const double> parameters, double end_s) {
    DriverCorners found;
    if (mechanism.table.corners == 0) return found;
    const Sides sides{mechanism.table, parameters.data()};
    const double length = std::min(1.0, parameters[length_scale_parameter]), span = end_s / looks;
    for (int k = 0; k < looks; ++k)
        for (std::size_t driver = 0; driver < mechanism.drivers.size(); ++driver) {
            const int function = mechanism.table.element[mechanism.drivers[driver].first_element].function;
            double low = end_s * k / looks, high = end_s * (k + 1) / looks;
            if (function < 0 || !sides.differ(function, high, low)) continue;
            const double side = low;
            for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
                (sides.differ(function, middle, side) ? high : low) = middle;
            const Taylor<double> f = sides.at(function, low, side), g = sides.at(function, high, high);
            const double accelerations = std::abs(f.acceleration) + std::abs(g.acceleration),
                         of_values = length + std::abs(f.value) + std::abs(g.value),
                         of_rates = std::abs(f.rate) + std::abs(g.rate) + span * accelerations,
                         unseen = moments_unseen * (moment_after(high) - high) * accelerations;
            if (!found.value && std::abs(g.value - f.value) > least_jump_of_value * of_values)
                found.value = {driver, high, f.value, g.value};
            if (!found.rate && std::abs(g.rate - f.rate) > least_jump_of_rate * of_rates + unseen)
                found.rate = {driver, high, f.rate, g.rate};
        }
    return found;
}

}  // namespace myriad::mechanism
