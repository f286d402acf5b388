// Distributions of one parameter: those that a study file may ask for, checked, with the inverse of the distribution
// function.
//
// A degenerate spread is allowed where it has a meaning: a standard deviation of 0 (a geometric one of 1) makes a
// constant, so that a spread can be switched off without moving any other parameter's draws. low = high is refused:
// "constant" says it better. Not handled: distributions without a finite mean and standard deviation.
#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace myriad::study {

struct Constant {
    double value;
};
struct Uniform {
    double low, high;
};
struct Normal {
    double mean, standard_deviation;
};
// The normal distribution of this mean and standard deviation, kept to [low, high]; one bound may be infinite.
struct TruncatedNormal {
    double mean, standard_deviation;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};
// By the mean and the standard deviation of the variable itself, not of its logarithm.
struct Lognormal {
    double mean, standard_deviation;
};
// The same family by exp(mean of the logarithm) and exp(standard deviation of the logarithm): 68 % of the samples lie
// between median / geometric_standard_deviation and median * geometric_standard_deviation.
struct LognormalByMedian {
    double median, geometric_standard_deviation;
};
struct Triangular {
    double low, mode, high;
};
struct Beta {
    double alpha, beta;
    double low = 0.0, high = 1.0;
};
// Equal weights if none are given; weights need not sum to 1. Each value stands once.
struct Discrete {
    std::vector<double> values;
    std::vector<double> weights = {};
};

// The checked numbers behind a Distribution; a class of the .cpp for each kind.
class DistributionShape;

class Distribution {
  public:
    // `where` names the place of the numbers ("study.json: /parameters/mass_kg/normal"). Each throws UserError
    // (usage_or_input) for numbers that make no distribution.
    Distribution(const Constant& numbers, const std::string& where);
    Distribution(const Uniform& numbers, const std::string& where);
    Distribution(const Normal& numbers, const std::string& where);
    Distribution(const TruncatedNormal& numbers, const std::string& where);
    Distribution(const Lognormal& numbers, const std::string& where);
    Distribution(const LognormalByMedian& numbers, const std::string& where);
    Distribution(const Triangular& numbers, const std::string& where);
    Distribution(const Beta& numbers, const std::string& where);
    Distribution(const Discrete& numbers, const std::string& where);

    // The smallest value that is not exceeded with probability u; u in (0, 1). Finite for u in [2^-53, 1 - 2^-53].
    double quantile(double u) const;
    // The same at u = normal_probability(score), without the way through u where the distribution is normal at heart.
    double quantile_at_score(double score) const;
    double mean() const;
    double standard_deviation() const;
    // For reports: "normal(mean 78, standard deviation 2)".
    std::string text() const;

    // How many different values there are: 1 for Constant, their number for Discrete, 0 for the others. A grid takes
    // the k-th smallest of n values at u = (k + 1/2) / n, which is quantile(u) unless there are weights.
    std::size_t value_count() const;
    bool is_weighted() const;

  private:
    std::shared_ptr<const DistributionShape> shape_;
};

}  // namespace myriad::study
