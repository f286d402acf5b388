// A number that follows from named parameters by a formula, and the numbers that would contradict it if it were given.
#pragma once
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

struct Formula {
    std::string text;                     // in quotation marks, a long one cut
    std::vector<std::string> parameters;  // that it reads: "parameters.coupler_kg"; none where it is no formula
    std::vector<std::string> others;      // numbers that follow from one of these, too, by formulas that stay
};

// The formula of a number of the mechanism (index).
Formula formula_of(const Mechanism& mechanism, std::size_t number);

}  // namespace myriad::mechanism
