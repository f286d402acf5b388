// The two-sided quantile of Student's t: half the width of an interval, in standard errors.
#pragma once
#include <cstdint>

namespace myriad::study {

// degrees_of_freedom >= 1, 0 < confidence < 1.
double student_t(std::uint64_t degrees_of_freedom, double confidence);

}  // namespace myriad::study
