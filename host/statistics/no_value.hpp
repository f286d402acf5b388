// What stands where a statistic, a quantity or a column of a result has no number.
#pragma once
#include <limits>

namespace myriad::study {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

}  // namespace myriad::study
