// The place that an error of a design or a distribution would name, if one of these tests made any.
#pragma once
#include <string>

namespace myriad::study {

inline const std::string test_place = "test";

}  // namespace myriad::study
