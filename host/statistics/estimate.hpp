// A number estimated from instances, with a confidence interval, or with the reason why there is none.
#pragma once
#include <optional>
#include <string>
#include <utility>

namespace myriad::study {

struct Interval {
    double low, high;
    // Covers at least as often as the confidence says, and usually more often.
    bool conservative = false;
};

struct Estimate {
    double value;
    std::optional<Interval> interval = std::nullopt;
    std::string no_interval = {};  // why there is none: half a sentence, "needs 3688 instances"

    // The remark beside the interval, or in its place.
    std::string remark() const { return interval ? (interval->conservative ? "conservative" : "") : no_interval; }
};

}  // namespace myriad::study
