// The reductions by name, for those who hand them on without computing: kernels/run/reductions.hpp says what each does.
#pragma once

namespace myriad {

enum class Reduction {
    final = 0,
    maximum = 1,
    minimum = 2,
    mean = 3,  // over time
    time_of_maximum = 4,
    time_of_minimum = 5,
    first_time_above = 6,  // NaN where it never happens
    first_time_below = 7,
};

// How a reduction sees a channel between two states: kernels/run/course.hpp. From `cubic` on it needs rates.
enum class Between {
    steps = 0,  // not at all: values are taken at the ends of steps; a mean is the integral of the line through them
    line = 1,   // the line through both states; of extremes the parabola through three
    cubic = 2,  // through the values and rates of both
    norm = 3,   // the norm of such cubics of its components
};

// The rate of a channel is a channel, too, or one of these; of a norm the first of the rates of its components.
//   rates_of_channels + i  the rate of channel i of a mechanism, which a file need not name
//   rate_of_orientation    of a component of a body's orientation
// A distance is the norm of the line between two points, whose components are:
//   vectors_of_channels + 3 i + k  component k, of the distance that is channel i
//   rates_of_vectors + 3 i + k     its rate
constexpr int rates_of_channels = 1 << 20, vectors_of_channels = 1 << 21, rates_of_vectors = 1 << 22,
              rate_of_orientation = -1;

}  // namespace myriad
