// The pages' view of a sweep: its tables, and how many of its steps bear a statement out.
#pragma once
#include <string>
#include <vector>

#include "papers/markdown.hpp"
#include "papers/sweep.hpp"

namespace myriad::bench {

// Steps down, variants across.
MarkdownTable table_of(const Sweep& made, const std::string& title, const std::string& text, double Outcome::*value);

// The number of compared steps that bear a statement out.
struct Tally {
    int satisfied = 0, compared = 0, equal = 0;  // equal: within a hundredth, and not satisfied
    std::string verdict() const;
    std::string text() const;
};
// Tallies the steps in the range at which both are numbers: those with `first < factor * second`.
Tally less(const Sweep& made, double Outcome::*value, const std::string& first, const std::string& second,
           double factor = 1.0, double smallest_step_s = 0.0, double largest_step_s = 1e9);
Tally both(const Tally& a, const Tally& b);
// The tally of a difference that must not be there.
Tally opposite(const Tally& tally);

void state(MarkdownPage& page, const std::string& claim, const Tally& tally);

// The variants that end well at this step
std::string ending_well(const Sweep& made, std::size_t step, const std::vector<std::string>& names);

// Step and time (ns per instance and simulated second) at which a variant has this error, by interpolation between
// logarithms; NaN where its steps do not reach it. The smallest steps count where it passes several times.
struct AtError {
    double step_s, ns_per_second;
};
AtError at_error(const Sweep& made, const std::string& variant, double error);

}  // namespace myriad::bench
