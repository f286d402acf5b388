// Arguments for which a table has no value.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "host/mechanism/expression/interpolation.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

struct MissingValue {
    int table;
    double argument, time_s;
    std::string text;  // "at time 3 s the argument of the table cam is 3, and its points end at 2"
};

// What a function of time needs at this time and does not find in its table, by the parameters of an instance in the
// kernels; nothing where all functions have values, as they have where a formula chooses another branch.
std::optional<MissingValue> missing_value(const MechanismTable& table, const Tables& tables,
                                          std::span<const double> parameters, double time_s);

inline constexpr const char* missing_value_remedy =
    "give points up to there, or say what holds outside them: \"outside\": \"hold\" or \"extend\"";

}  // namespace myriad::mechanism
