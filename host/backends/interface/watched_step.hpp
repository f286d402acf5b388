// The twin of kernels/run/course.hpp: a channel between the ends of a step, in Hermite's basis, divided where it turns;
// or the norm of such channels (kernels/run/norm_of_cubics.hpp).
#pragma once
#include <vector>

namespace myriad::backends {

struct WatchedStep {
    double begin_s, end_s;
    double before, after;                      // values
    double rate_before, rate_after;            // NaN: missing
    std::vector<WatchedStep> components = {};  // of a norm, whose values these then are

    double value(double time_s) const;
    double integral(double from_s, double to_s) const;
    // Times between which the channel rises or falls, from the first to the last.
    std::vector<double> pieces(double from_s, double to_s) const;
    // Where it passes the threshold in a piece; its ends lie on different sides.
    double passes(double threshold, double from_s, double to_s) const;

  private:
    double rise(double rate) const;  // over the step; of the line where there is none
    double slope(double time_s) const;
    double half_square_slope(double time_s) const;  // of a norm
    std::vector<double> turns_of_norm(double from_s, double to_s) const;
    double integral_of_norm(double to_s) const;  // from the beginning
};

}  // namespace myriad::backends
