// Motions that a formula of a file cannot say, as functions of time with names: "four_link.rocker.velocity.x".
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace myriad::validation {

struct Oracle {
    std::string name;
    std::function<double(double time_s)> value;
};

// Null where there is none of this name.
const Oracle* find_oracle(std::string_view name);

}  // namespace myriad::validation
