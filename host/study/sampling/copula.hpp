// Correlation of parameters by a Gaussian copula: the marginal distributions stay as they are.
//
//   z_k = Phi^-1(u_k),   z' = L z,   L L^T = R,   x_k = F_k^-1(Phi(z'_k))
//
// R holds the correlations of the normal scores z'. That is the correlation of the parameters themselves only where
// both are normal; the rank correlation (Spearman) is 6/pi asin(rho / 2) for any continuous pair, see rank_correlation.
// Only parameters that are named in a pair are touched; the first of them in the parameters' order keeps its own draws
// (and, in a Latin hypercube, its strata: the others keep them only approximately).
// Not handled: tail dependence, which a Gaussian copula does not have.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace myriad::study {

struct CorrelatedPair {
    std::string first, second;
    double correlation;
};

class Copula {
  public:
    // No correlation
    Copula() = default;
    // Pairs that are not listed have correlation 0. Throws UserError for an unknown parameter, a pair given twice, a
    // correlation not inside (-1, 1), or a matrix that is not positive definite.
    Copula(std::span<const std::string> addresses, std::span<const CorrelatedPair> pairs, const std::string& where);
    // The full matrix [d, d], by rows, over all parameters. Throws UserError also when it is not symmetric with a unit
    // diagonal.
    Copula(std::span<const std::string> addresses, std::span<const double> matrix, const std::string& where);

    bool empty() const { return members_.empty(); }
    // Positions of the correlated parameters, ascending.
    std::span<const std::size_t> members() const { return members_; }
    // Replaces the uniform coordinates of the members in `point` [d] by their correlated normal scores, and leaves the
    // other coordinates alone. `scratch` [members]. Scores are kept within +-largest_normal_score.
    void to_scores(std::span<double> point, std::span<double> scratch) const;

  private:
    void factorize(std::span<const std::string> addresses, std::span<const double> matrix, const std::string& where);

    std::vector<std::size_t> members_;
    // Lower triangle of L over the members, by rows: row k has k + 1 entries.
    std::vector<double> factor_;
};

// Spearman's rank correlation of two continuous parameters whose normal scores have this correlation (Kruskal, JASA 53,
// 1958).
double rank_correlation(double correlation_of_scores);

// The smallest eigenvalue of a symmetric matrix [n, n], by Jacobi rotations.
double smallest_eigenvalue(std::vector<double> matrix, std::size_t n);

}  // namespace myriad::study
