#include "host/study/sampling/copula.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/statistics/normal_score.hpp"
#include "host/text/number_text.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

namespace {

std::string pair_text(const std::string& first, const std::string& second) { return first + " and " + second; }

void require_correlation(double correlation, const std::string& first, const std::string& second,
                         const std::string& where) {
    if (!(std::abs(correlation) < 1.0))
        refuse_at(
            where, "the correlation of " + pair_text(first, second) + " is " + number_text(correlation),
            "give a number between -1 and 1, ends excluded; two parameters that move as one are one parameter and "
            "an expression");
}

}  // namespace

Copula::Copula(std::span<const std::string> addresses, std::span<const CorrelatedPair> pairs,
               const std::string& where) {
    const std::size_t d = addresses.size();
    const auto position = [&](const std::string& address) {
        const auto found = std::find(addresses.begin(), addresses.end(), address);
        if (found == addresses.end())
            refuse_at(where, address + " is correlated, but is not a parameter of the study",
                      "add it to the parameters, or mend its spelling");
        return static_cast<std::size_t>(found - addresses.begin());
    };
    std::vector<double> matrix(d * d, 0.0);
    for (std::size_t k = 0; k < d; ++k) matrix[k * d + k] = 1.0;
    std::vector<bool> given(d * d, false);
    for (const auto& [first, second, correlation] : pairs) {
        require_correlation(correlation, first, second, where);
        const std::size_t j = position(first), k = position(second);
        if (j == k) refuse_at(where, first + " is correlated with itself", "name two different parameters");
        if (given[j * d + k])
            refuse_at(where, "the correlation of " + pair_text(first, second) + " is given twice", "give it once");
        given[j * d + k] = given[k * d + j] = true;
        matrix[j * d + k] = matrix[k * d + j] = correlation;
    }
    factorize(addresses, matrix, where);
}

Copula::Copula(std::span<const std::string> addresses, std::span<const double> matrix, const std::string& where) {
    const std::size_t d = addresses.size();
    if (matrix.size() != d * d)
        refuse_at(where, "the correlation matrix has " + std::to_string(matrix.size()) + " numbers",
                  "give " + std::to_string(d) + " rows of " + std::to_string(d) + ", one per parameter");
    for (std::size_t j = 0; j < d; ++j) {
        if (matrix[j * d + j] != 1.0)
            refuse_at(where, "the correlation of " + addresses[j] + " with itself is " + number_text(matrix[j * d + j]),
                      "the diagonal of the matrix is 1");
        for (std::size_t k = 0; k < j; ++k) {
            require_correlation(matrix[j * d + k], addresses[j], addresses[k], where);
            if (matrix[j * d + k] != matrix[k * d + j])
                refuse_at(where,
                          "the correlation of " + pair_text(addresses[j], addresses[k]) + " is " +
                              number_text(matrix[j * d + k]) + " in one half of the matrix and " +
                              number_text(matrix[k * d + j]) + " in the other",
                          "give a symmetric matrix");
        }
    }
    factorize(addresses, matrix, where);
}

void Copula::factorize(std::span<const std::string> addresses, std::span<const double> matrix,
                       const std::string& where) {
    const std::size_t d = addresses.size();
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t k = 0; k < d; ++k)
            if (j != k && matrix[j * d + k] != 0.0) {
                members_.push_back(j);
                break;
            }
    const std::size_t n = members_.size();
    factor_.reserve(n * (n + 1) / 2);
    const auto row = [&](std::size_t j) { return factor_.data() + j * (j + 1) / 2; };
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k <= j; ++k) {
            double rest = matrix[members_[j] * d + members_[k]];
            for (std::size_t m = 0; m < k; ++m) rest -= row(j)[m] * row(k)[m];
            if (k < j) {
                factor_.push_back(rest / row(k)[k]);
                continue;
            }
            // The rest of a parameter's unit variance when those before it are known; below this it is rounding.
            constexpr double smallest_variance = 1e-12;
            if (!(rest > smallest_variance)) {
                std::vector<double> among(n * n);
                for (std::size_t a = 0; a < n; ++a)
                    for (std::size_t b = 0; b < n; ++b) among[a * n + b] = matrix[members_[a] * d + members_[b]];
                refuse_at(where,
                          "the correlations contradict each other: their matrix is not positive definite (smallest "
                          "eigenvalue " +
                              rounded_number_text(smallest_eigenvalue(among, n), 3) + "); seen at " +
                              addresses[members_[j]],
                          "bring the correlations nearer to 0, those of " + addresses[members_[j]] + " first");
            }
            factor_.push_back(std::sqrt(rest));
        }
}

void Copula::to_scores(std::span<double> point, std::span<double> scratch) const {
    const std::size_t n = members_.size();
    for (std::size_t k = 0; k < n; ++k) scratch[k] = normal_score(point[members_[k]]);
    const double* row = factor_.data();
    for (std::size_t j = 0; j < n; row += ++j) {
        double score = 0.0;
        for (std::size_t k = 0; k <= j; ++k) score += row[k] * scratch[k];
        point[members_[j]] = std::clamp(score, -largest_normal_score, largest_normal_score);
    }
}

double rank_correlation(double correlation_of_scores) {
    return 6.0 / std::numbers::pi * std::asin(0.5 * correlation_of_scores);
}

double smallest_eigenvalue(std::vector<double> matrix, std::size_t n) {
    constexpr int most_sweeps = 50;
    constexpr double negligible = 1e-30;
    const auto entry = [&](std::size_t j, std::size_t k) -> double& { return matrix[j * n + k]; };
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double off_diagonal = 0.0;
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < j; ++k) {
                off_diagonal += entry(j, k) * entry(j, k);
                if (entry(j, k) == 0.0) continue;
                const double theta = 0.5 * (entry(k, k) - entry(j, j)) / entry(j, k);
                const double tangent = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(1.0, theta));
                const double cosine = 1.0 / std::hypot(1.0, tangent), sine = tangent * cosine;
                for (std::size_t m = 0; m < n; ++m) {
                    const double a = entry(m, j), b = entry(m, k);
                    entry(m, j) = cosine * a - sine * b;
                    entry(m, k) = sine * a + cosine * b;
                }
                for (std::size_t m = 0; m < n; ++m) {
                    const double a = entry(j, m), b = entry(k, m);
                    entry(j, m) = cosine * a - sine * b;
                    entry(k, m) = sine * a + cosine * b;
                }
            }
        if (off_diagonal <= negligible) break;
    }
    double smallest = entry(0, 0);
    for (std::size_t k = 1; k < n; ++k) smallest = std::min(smallest, entry(k, k));
    return smallest;
}

}  // namespace myriad::study
