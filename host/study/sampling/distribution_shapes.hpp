// The distributions themselves: quantiles, moments and texts, of numbers that distribution.cpp has checked.
//
// Formulas: Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions, 2nd ed. (1994, 1995): normal ch. 13 (also
// truncated), lognormal ch. 14, beta ch. 25; triangular from the areas of two triangles.
#pragma once
#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>

#include "host/statistics/normal_score.hpp"
#include "host/study/sampling/distribution.hpp"
#include "host/text/number_text.hpp"

namespace myriad::study {

class DistributionShape {
  public:
    virtual ~DistributionShape() = default;
    virtual double quantile(double u) const = 0;
    virtual double quantile_at_score(double score) const {
        constexpr double smallest = 0x1p-53, largest = 1.0 - 0x1p-53;
        return quantile(std::clamp(normal_probability(score), smallest, largest));
    }
    virtual double mean() const = 0;
    virtual double standard_deviation() const = 0;
    virtual std::string text() const = 0;
    virtual std::size_t value_count() const { return 0; }
    virtual bool is_weighted() const { return false; }
};

class ConstantShape final : public DistributionShape {
  public:
    explicit ConstantShape(const Constant& numbers) : value_(numbers.value) {}
    double quantile(double) const override { return value_; }
    double mean() const override { return value_; }
    double standard_deviation() const override { return 0.0; }
    std::string text() const override { return "constant(" + number_text(value_) + ")"; }
    std::size_t value_count() const override { return 1; }

  private:
    double value_;
};

class UniformShape final : public DistributionShape {
  public:
    explicit UniformShape(const Uniform& numbers) : low_(numbers.low), high_(numbers.high) {}
    double quantile(double u) const override { return std::min(high_, low_ + u * (high_ - low_)); }
    double mean() const override { return low_ + 0.5 * (high_ - low_); }
    double standard_deviation() const override { return (high_ - low_) / std::sqrt(12.0); }
    std::string text() const override {
        return "uniform(low " + number_text(low_) + ", high " + number_text(high_) + ")";
    }

  private:
    double low_, high_;
};

class NormalShape final : public DistributionShape {
  public:
    explicit NormalShape(const Normal& numbers) : mean_(numbers.mean), deviation_(numbers.standard_deviation) {}
    double quantile(double u) const override { return quantile_at_score(normal_score(u)); }
    double quantile_at_score(double score) const override { return mean_ + deviation_ * score; }
    double mean() const override { return mean_; }
    double standard_deviation() const override { return deviation_; }
    std::string text() const override {
        return "normal(mean " + number_text(mean_) + ", standard deviation " + number_text(deviation_) + ")";
    }

  private:
    double mean_, deviation_;
};

// Scores a and b of the bounds. The probability between them is taken from the tail that both are nearer to, and a
// quantile from its nearer tail, so that no digits are lost beyond six standard deviations.
class TruncatedNormalShape final : public DistributionShape {
  public:
    explicit TruncatedNormalShape(const TruncatedNormal& numbers) : numbers_(numbers) {
        if (numbers.standard_deviation == 0.0) return;
        a_ = (numbers.low - numbers.mean) / numbers.standard_deviation;
        b_ = (numbers.high - numbers.mean) / numbers.standard_deviation;
        below_ = normal_probability(a_);
        above_ = normal_probability(-b_);
        probability_ = a_ > 0.0 ? normal_probability(-a_) - above_ : normal_probability(b_) - below_;
    }
    double probability() const { return probability_; }

    double quantile(double u) const override {
        if (numbers_.standard_deviation == 0.0) return numbers_.mean;
        const double from_below = below_ + u * probability_;
        const double score =
            from_below <= 0.5 ? normal_score(from_below) : -normal_score(above_ + (1.0 - u) * probability_);
        return std::clamp(numbers_.mean + numbers_.standard_deviation * score, numbers_.low, numbers_.high);
    }
    double mean() const override { return numbers_.mean + numbers_.standard_deviation * moment(1, 0.0); }
    double standard_deviation() const override {
        return numbers_.standard_deviation * std::sqrt(moment(2, moment(1, 0.0)));
    }
    std::string text() const override {
        std::string text = "truncated_normal(mean " + number_text(numbers_.mean) + ", standard deviation " +
                           number_text(numbers_.standard_deviation);
        if (std::isfinite(numbers_.low)) text += ", low " + number_text(numbers_.low);
        if (std::isfinite(numbers_.high)) text += ", high " + number_text(numbers_.high);
        return text + ")";
    }

  private:
    // E[(z - origin)^order] of the score z, by quadrature: the closed form (phi(a) - phi(b)) / P loses all digits in a
    // narrow interval and far out in a tail. The density is taken relative to its largest value, at the score `peak`,
    // and the interval is cut where it has fallen below exp(-50).
    double moment(int order, double origin) const {
        if (numbers_.standard_deviation == 0.0) return 0.0;
        const double peak = std::clamp(0.0, a_, b_);
        const double reach = 100.0 / (std::abs(peak) + std::sqrt(peak * peak + 100.0));
        const auto weighted = [&](int power) {
            const auto integrand = [&](double z) {
                return std::pow(z - origin, power) * std::exp(-0.5 * (z - peak) * (z + peak));
            };
            constexpr unsigned most_halvings = 12;
            constexpr double tolerance = 1e-13;
            return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
                integrand, std::max(a_, peak - reach), std::min(b_, peak + reach), most_halvings, tolerance);
        };
        return weighted(order) / weighted(0);
    }

    TruncatedNormal numbers_;
    double a_ = 0.0, b_ = 0.0, below_ = 0.0, above_ = 0.0, probability_ = 1.0;
};

// exp of a normal variable; `variance` is that of the logarithm.
class LognormalShape final : public DistributionShape {
  public:
    LognormalShape(double log_mean, double variance, std::string text)
        : log_mean_(log_mean), log_deviation_(std::sqrt(variance)), variance_(variance), text_(std::move(text)) {}
    double quantile(double u) const override { return quantile_at_score(normal_score(u)); }
    double quantile_at_score(double score) const override { return std::exp(log_mean_ + log_deviation_ * score); }
    double mean() const override { return std::exp(log_mean_ + 0.5 * variance_); }
    double standard_deviation() const override { return mean() * std::sqrt(std::expm1(variance_)); }
    std::string text() const override { return text_; }

  private:
    double log_mean_, log_deviation_, variance_;
    std::string text_;
};

class TriangularShape final : public DistributionShape {
  public:
    explicit TriangularShape(const Triangular& numbers) : numbers_(numbers) {}
    double quantile(double u) const override {
        const auto& [low, mode, high] = numbers_;
        const double below_mode = (mode - low) / (high - low);
        const double value = u <= below_mode ? low + (high - low) * std::sqrt(u * below_mode)
                                             : high - (high - low) * std::sqrt((1.0 - u) * (1.0 - below_mode));
        return std::clamp(value, low, high);
    }
    double mean() const override {
        const auto& [low, mode, high] = numbers_;
        return low + ((mode - low) + (high - low)) / 3.0;
    }
    double standard_deviation() const override {
        const auto& [low, mode, high] = numbers_;
        const double width = high - low, left = (mode - low) / width;
        return width * std::sqrt((1.0 - left * (1.0 - left)) / 18.0);
    }
    std::string text() const override {
        return "triangular(low " + number_text(numbers_.low) + ", mode " + number_text(numbers_.mode) + ", high " +
               number_text(numbers_.high) + ")";
    }

  private:
    Triangular numbers_;
};

class BetaShape final : public DistributionShape {
  public:
    explicit BetaShape(const Beta& numbers) : numbers_(numbers) {}
    double quantile(double u) const override {
        const auto& [alpha, beta, low, high] = numbers_;
        using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
        return std::clamp(low + (high - low) * boost::math::ibeta_inv(alpha, beta, u, InDouble{}), low, high);
    }
    double mean() const override {
        const auto& [alpha, beta, low, high] = numbers_;
        return low + (high - low) * (alpha / (alpha + beta));
    }
    double standard_deviation() const override {
        const auto& [alpha, beta, low, high] = numbers_;
        const double sum = alpha + beta;
        return (high - low) * std::sqrt((alpha / sum) * (beta / sum) / (sum + 1.0));
    }
    std::string text() const override {
        return "beta(alpha " + number_text(numbers_.alpha) + ", beta " + number_text(numbers_.beta) + ", low " +
               number_text(numbers_.low) + ", high " + number_text(numbers_.high) + ")";
    }

  private:
    Beta numbers_;
};

// Values ascending, with the probability of not exceeding each.
class DiscreteShape final : public DistributionShape {
  public:
    DiscreteShape(std::vector<double> values, std::vector<double> weights, bool weighted)
        : values_(std::move(values)), weights_(std::move(weights)), weighted_(weighted) {
        const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
        double running = 0.0;
        for (double& weight : weights_) {
            running += weight;
            not_above_.push_back(std::min(1.0, running / total));
            weight /= total;
        }
        // The sum may end an ulp below 1; u in that gap belongs to the last value that has any weight.
        for (std::size_t k = values_.size(); k-- > 0;) {
            not_above_[k] = 1.0;
            if (weights_[k] > 0.0) break;
        }
    }
    double quantile(double u) const override {
        return values_[static_cast<std::size_t>(std::lower_bound(not_above_.begin(), not_above_.end(), u) -
                                                not_above_.begin())];
    }
    double mean() const override { return std::inner_product(values_.begin(), values_.end(), weights_.begin(), 0.0); }
    double standard_deviation() const override {
        const double centre = mean();
        double variance = 0.0;
        for (std::size_t k = 0; k < values_.size(); ++k)
            variance += weights_[k] * (values_[k] - centre) * (values_[k] - centre);
        return values_.size() == 1 ? 0.0 : std::sqrt(variance);
    }
    std::string text() const override {
        constexpr std::size_t most_shown = 8;
        std::string text = "discrete(";
        for (std::size_t k = 0; k < std::min(values_.size(), most_shown); ++k)
            text += (k > 0 ? ", " : "") + number_text(values_[k]) +
                    (weighted_ ? " with probability " + number_text(weights_[k]) : "");
        if (values_.size() > most_shown) text += ", ... " + std::to_string(values_.size()) + " values";
        return text + ")";
    }
    std::size_t value_count() const override { return values_.size(); }
    bool is_weighted() const override { return weighted_; }

  private:
    std::vector<double> values_, weights_, not_above_;
    bool weighted_;
};

}  // namespace myriad::study
