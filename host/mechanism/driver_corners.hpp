// Where the values or the rates of drivers jump in time, or have corners that no branch names.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

struct DriverCorner {
    std::size_t driver = 0;  // in Mechanism::drivers
    double time_s = 0.0, before = 0.0, after = 0.0;
};
struct DriverCorners {
    std::optional<DriverCorner> value, rate, sharp;  // the first of each; sharp: of sqrt, powers below 1, atan2
};

// By the parameters of an instance in the kernels, at times from 0 on: what happens at 0 belongs to the start. A corner
// counts where it jumps by more than round-off, or a value by more than the rounded constants of a file. Not found:
// what comes after 2000 corners of a driver, and what kernels/mechanism/corners.hpp does not see.
DriverCorners corners_of_drivers(const Mechanism& mechanism, std::span<const double> parameters, double end_s);

// A driver without a finite value, rate or acceleration, and what to tell of it.
struct DriverWithoutValue {
    std::size_t driver = 0;
    std::string what, remedy;
};
// The first that is found at time 0, at one of 1000 times up to end_s for longer than a moment, or where one of the
// first 20,000 steps of step_s ends; 0: steps end anywhere.
std::optional<DriverWithoutValue> driver_without_value(const Mechanism& mechanism, std::span<const double> parameters,
                                                       double end_s, double step_s = 0.0);

}  // namespace myriad::mechanism
