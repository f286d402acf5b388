#include "host/statistics/normal_score.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

namespace myriad::study {

namespace {
// long double would cost four times the time and change no digit that a sample needs.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
}  // namespace

double normal_score(double u) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * u, InDouble{}); }

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace myriad::study
