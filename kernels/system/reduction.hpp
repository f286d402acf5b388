// The reductions by name, for those who hand them on without computing: kernels/run/reductions.hpp says what each does.
#pragma once

namespace myriad {

enum class Reduction {
    final = 0,
    maximum = 1,
    minimum = 2,
    mean = 3,  // over time, by the trapezoidal rule
    time_of_maximum = 4,
    time_of_minimum = 5,
    first_time_above = 6,  // NaN where it never happens
    first_time_below = 7,
};

}  // namespace myriad
