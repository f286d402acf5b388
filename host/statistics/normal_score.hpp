// The standard normal distribution: probability below a score, and the score below which a probability lies.
#pragma once

namespace myriad::study {

// The score of u = 2^-53, the smallest number a design gives; no score is taken beyond it.
inline constexpr double largest_normal_score = 8.209536151601387;

// u in (0, 1); accurate relative to the score in the lower tail. The upper tail of p is minus the lower tail of 1 - p.
double normal_score(double u);
// Accurate relative to the probability in the lower tail; the probability above z is normal_probability(-z).
double normal_probability(double z);

}  // namespace myriad::study
