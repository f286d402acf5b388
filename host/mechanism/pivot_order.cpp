#include "host/mechanism/pivot_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace myriad::mechanism {
namespace {

// Relative to the largest entry in its row and column of the scaled matrix, at every nominal pose: from here on a
// body's own block counts as regular, which bounds the growth of the multipliers' block to the reciprocal.
constexpr double regular_block_pivot = 1e-4;
// Of pivots that are chosen on values: usual for threshold pivoting, with room for fewer operations.
constexpr double chosen_pivot = 0.05;

class PivotSearch {
  public:
    explicit PivotSearch(const EliminationProblem& problem)
        : problem_(problem),
          unknowns_(problem.unknowns()),
          body_unknowns_(6 * static_cast<int>(problem.bodies.size())),
          pattern_(problem.pattern()),
          matrices_(problem.nominal_matrices),
          equation_left_(static_cast<std::size_t>(unknowns_), 1),
          unknown_left_(static_cast<std::size_t>(unknowns_), 1),
          partner_(static_cast<std::size_t>(unknowns_)) {
        for (int i = 0; i < unknowns_; ++i) partner_[index(i)] = i;
        const std::size_t size = pattern_.size();
        poses_ = size == 0 ? 0 : matrices_.size() / size;
        for (std::size_t pose = 0; pose < poses_; ++pose) scale(matrices_.data() + pose * size);
    }

    PivotOrder run() {
        for (int body = 0; 6 * body < body_unknowns_; ++body) eliminate_block(body);
        while (static_cast<int>(order_.steps.size()) < unknowns_) {
            const Pivot pivot = cheapest();
            if (pivot.equation < 0) {
                order_.structurally_singular = true;
                break;
            }
            eliminate(pivot);
        }
        return std::move(order_);
    }

  private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    std::size_t entry(int i, int j) const { return index(i) * index(unknowns_) + index(j); }
    bool nonzero(int i, int j) const { return pattern_[entry(i, j)] != 0; }

    // Rows and columns to a largest entry near 1 (Ruiz): three rounds are enough to compare pivots.
    void scale(double* matrix) const {
        for (int round = 0; round < 3; ++round) {
            std::vector<double> row(index(unknowns_), 0.0), column(index(unknowns_), 0.0);
            for (int i = 0; i < unknowns_; ++i)
                for (int j = 0; j < unknowns_; ++j) {
                    const double size = std::abs(matrix[entry(i, j)]);
                    row[index(i)] = std::max(row[index(i)], size);
                    column[index(j)] = std::max(column[index(j)], size);
                }
            for (double& x : row) x = x > 0.0 ? 1.0 / std::sqrt(x) : 1.0;
            for (double& x : column) x = x > 0.0 ? 1.0 / std::sqrt(x) : 1.0;
            for (int i = 0; i < unknowns_; ++i)
                for (int j = 0; j < unknowns_; ++j) matrix[entry(i, j)] *= row[index(i)] * column[index(j)];
        }
    }

    // The entry against the largest of its row and column, at the pose where it is worst.
    double relative_size(int equation, int unknown) const {
        double worst = std::numeric_limits<double>::infinity();
        for (std::size_t pose = 0; pose < poses_; ++pose) {
            const double* const matrix = matrices_.data() + pose * pattern_.size();
            double largest = 0.0;
            for (int i = 0; i < unknowns_; ++i) {
                if (equation_left_[index(i)]) largest = std::max(largest, std::abs(matrix[entry(i, unknown)]));
                if (unknown_left_[index(i)]) largest = std::max(largest, std::abs(matrix[entry(equation, i)]));
            }
            const double size = std::abs(matrix[entry(equation, unknown)]);
            worst = std::min(worst, largest > 0.0 ? size / largest : 0.0);
        }
        return worst;
    }

    // The unknowns of a body whose pivots lie in its own block: the diagonal while it is good, else the largest.
    void eliminate_block(int body) {
        for (int count = 0; count < 6; ++count) {
            Pivot best{-1, -1};
            std::tuple<int, int, double> best_key{};
            for (int i = 6 * body; i < 6 * body + 6; ++i)
                for (int j = 6 * body; j < 6 * body + 6; ++j) {
                    if (!equation_left_[index(i)] || !unknown_left_[index(j)] || !nonzero(i, j)) continue;
                    const double size = relative_size(i, j);
                    if (size < regular_block_pivot) continue;
                    const bool diagonal = i == j && size >= chosen_pivot;
                    const std::tuple key{diagonal ? 0 : 1, diagonal ? block_entries(i, body) : 0, -size};
                    if (best.equation < 0 || key < best_key) {
                        best = {i, j};
                        best_key = key;
                    }
                }
            if (best.equation < 0) return;
            eliminate(best);
        }
    }
    int block_entries(int equation, int body) const {
        int count = 0;
        for (int j = 6 * body; j < 6 * body + 6; ++j) count += unknown_left_[index(j)] && nonzero(equation, j);
        return count;
    }

    // Entries that the pivot would create, and the products it takes.
    std::pair<int, int> fill_and_products(int equation, int unknown) const {
        int fill = 0, rows = 0, columns = 0;
        for (int j = 0; j < unknowns_; ++j) columns += unknown_left_[index(j)] && j != unknown && nonzero(equation, j);
        for (int i = 0; i < unknowns_; ++i) {
            if (!equation_left_[index(i)] || i == equation || !nonzero(i, unknown)) continue;
            ++rows;
            for (int j = 0; j < unknowns_; ++j)
                fill += unknown_left_[index(j)] && j != unknown && nonzero(equation, j) && !nonzero(i, j);
        }
        return {fill, rows * columns};
    }

    // A multiplier whose block comes from regular bodies only: definite, so that its diagonal is safe in any order.
    bool definite(int equation, int unknown) const {
        if (equation < body_unknowns_ || equation != unknown) return false;
        for (int i = 0; i < unknowns_; ++i) {
            const bool other_pairs = i < body_unknowns_ || partner_[index(i)] != i;
            if (!other_pairs) continue;
            if (equation_left_[index(i)] && nonzero(i, unknown)) return false;
            if (unknown_left_[index(i)] && nonzero(equation, i)) return false;
        }
        return true;
    }

    Pivot cheapest() {
        Pivot best = cheapest_of(true, chosen_pivot);
        if (best.equation < 0) best = cheapest_of(false, chosen_pivot);
        if (best.equation < 0) best = largest();
        return best;
    }
    Pivot cheapest_of(bool partners, double least_size) {
        Pivot best{-1, -1};
        std::tuple<int, int, int> best_key{};
        for (int i = 0; i < unknowns_; ++i) {
            if (!equation_left_[index(i)]) continue;
            for (int j = partners ? partner_[index(i)] : 0; j < (partners ? partner_[index(i)] + 1 : unknowns_); ++j) {
                if (!unknown_left_[index(j)] || !nonzero(i, j)) continue;
                if (!definite(i, j) && relative_size(i, j) < least_size) continue;
                const auto [fill, products] = fill_and_products(i, j);
                const bool same_joint = i >= body_unknowns_ && joint_of(i) == last_joint_;
                const std::tuple key{fill, products, same_joint ? 0 : 1};
                if (best.equation < 0 || key < best_key) {
                    best = {i, j};
                    best_key = key;
                }
            }
        }
        return best;
    }
    // Where no pivot is safe at all poses; a pair of partners wherever its entry is not zero.
    Pivot largest() const {
        Pivot best{-1, -1};
        std::tuple<double, int> best_key{};
        for (int i = 0; i < unknowns_; ++i)
            for (int j = 0; j < unknowns_; ++j) {
                if (!equation_left_[index(i)] || !unknown_left_[index(j)] || !nonzero(i, j)) continue;
                const std::tuple key{-relative_size(i, j), j == partner_[index(i)] ? 0 : 1};
                if (best.equation < 0 || key < best_key) {
                    best = {i, j};
                    best_key = key;
                }
            }
        return best;
    }
    int joint_of(int equation) const { return problem_.rows[index(equation - body_unknowns_)].joint; }

    void eliminate(Pivot pivot) {
        const double size = relative_size(pivot.equation, pivot.unknown);
        order_.weakest_pivot = order_.steps.empty() ? size : std::min(order_.weakest_pivot, size);
        EliminationStep step{pivot, {}, {}};
        equation_left_[index(pivot.equation)] = 0;
        unknown_left_[index(pivot.unknown)] = 0;
        for (int i = 0; i < unknowns_; ++i) {
            if (equation_left_[index(i)] && nonzero(i, pivot.unknown)) step.lower_equations.push_back(i);
            if (unknown_left_[index(i)] && nonzero(pivot.equation, i)) step.upper_unknowns.push_back(i);
        }
        for (const int i : step.lower_equations)
            for (const int j : step.upper_unknowns) {
                pattern_[entry(i, j)] = 1;
                for (std::size_t pose = 0; pose < poses_; ++pose) {
                    double* const matrix = matrices_.data() + pose * pattern_.size();
                    const double value = matrix[entry(pivot.equation, pivot.unknown)];
                    if (value != 0.0)
                        matrix[entry(i, j)] -=
                            matrix[entry(i, pivot.unknown)] / value * matrix[entry(pivot.equation, j)];
                }
            }
        // The equation and the unknown whose partners are gone become partners.
        if (partner_[index(pivot.equation)] != pivot.unknown)
            for (int i = 0; i < unknowns_; ++i)
                if (partner_[index(i)] == pivot.unknown) partner_[index(i)] = partner_[index(pivot.equation)];
        partner_[index(pivot.equation)] = pivot.unknown;
        if (pivot.equation >= body_unknowns_) last_joint_ = joint_of(pivot.equation);
        order_.steps.push_back(std::move(step));
    }

    const EliminationProblem& problem_;
    int unknowns_, body_unknowns_, last_joint_ = -1;
    std::size_t poses_ = 0;
    std::vector<unsigned char> pattern_;
    std::vector<double> matrices_;
    std::vector<unsigned char> equation_left_, unknown_left_;
    std::vector<int> partner_;  // of an equation: the unknown it is paired with unless values speak against it
    PivotOrder order_;
};

}  // namespace

PivotOrder order_pivots(const EliminationProblem& problem) { return PivotSearch(problem).run(); }

}  // namespace myriad::mechanism
