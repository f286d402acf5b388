#include "host/mechanism/elimination/pivot_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace myriad::mechanism {
namespace {

// Smallest pivot of a body's own block that counts as regular, relative to its largest entry, at every nominal pose.
// The directions of the matrix that it is eliminated from then differ by no more than the reciprocal.
constexpr double regular_block_pivot = 1e-4;
// Smallest pivot that is chosen on values, relative to the largest entry in its row and column: usual for threshold
// pivoting, with room for fewer operations.
constexpr double chosen_pivot = 0.05;
// Smallest pivot that is safe by structure: it is only kept from zero.
constexpr double definite_pivot = 1e-6;

constexpr int no_joint = -1, no_block = -1;

// Partners: the equation and the unknown of the same number, unless values spoke against it.
enum class Candidates { safe_by_structure, partners, all };

class PivotSearch {
  public:
    PivotSearch(const EliminationProblem& problem, Strategy strategy, Ties ties)
        : problem_(problem),
          strategy_(strategy),
          ties_(ties),
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
        for (int block = 0; 3 * block < body_unknowns_; ++block)
            regular_.push_back(is_regular(3 * block, is_coupled(block / 2) ? 6 * (block / 2) : 3 * block));
        anchored_joint_.assign(regular_.size(), no_joint);
    }

    PivotOrder run() {
        while (static_cast<int>(order_.pivots.size()) < unknowns_) {
            Pivot pivot = cheapest(Candidates::safe_by_structure);
            if (pivot.equation < 0) pivot = cheapest(Candidates::partners);
            if (pivot.equation < 0) pivot = cheapest(Candidates::all);
            if (pivot.equation < 0) pivot = largest();
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

    // The entry relative to the largest of its row and column, at the pose where it is worst.
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

    bool is_coupled(int body) const {
        for (int i = 6 * body; i < 6 * body + 3; ++i)
            for (int j = 6 * body + 3; j < 6 * body + 6; ++j)
                if (nonzero(i, j) || nonzero(j, i)) return true;
        return false;
    }

    // Eliminates the unknowns from `first` to the end of `block`'s three by themselves: are pivots good on the
    // diagonal, the largest first?
    bool is_regular(int block, int first) const {
        const int count = block + 3 - first;
        for (std::size_t pose = 0; pose < poses_; ++pose) {
            double a[6][6];
            bool left[6] = {true, true, true, true, true, true};
            for (int i = 0; i < count; ++i)
                for (int j = 0; j < count; ++j)
                    a[i][j] = problem_.nominal_matrices[pose * pattern_.size() + entry(first + i, first + j)];
            // Against the largest of the body's own three: its inertia has no unit in common with the joints' rows.
            double scale[2] = {0.0, 0.0};
            for (int i = 0; i < count; ++i) scale[i / 3] = std::max(scale[i / 3], std::abs(a[i][i]));
            for (int i = 0; i < count; ++i)
                for (int j = 0; j < count; ++j) a[i][j] /= std::sqrt(scale[i / 3] * scale[j / 3]);
            for (int step = 0; step < count; ++step) {
                int pivot = -1;
                for (int i = 0; i < count; ++i)
                    if (left[i] && (pivot < 0 || std::abs(a[i][i]) > std::abs(a[pivot][pivot]))) pivot = i;
                if (!(std::abs(a[pivot][pivot]) >= regular_block_pivot)) return false;
                left[pivot] = false;
                for (int i = 0; i < count; ++i)
                    for (int j = 0; j < count; ++j)
                        if (left[i] && left[j]) a[i][j] -= a[i][pivot] / a[pivot][pivot] * a[pivot][j];
            }
        }
        return true;
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

    // Safe at every pose, whatever the values: see elimination_plan.hpp.
    bool is_definite(int equation, int unknown) const {
        if (equation != unknown || partner_[index(equation)] != unknown) return false;
        if (equation < body_unknowns_) return regular_[index(equation / 3)];
        return anchor(equation) != no_block || touches_no_body(equation);
    }
    bool touches_no_body(int multiplier) const {
        for (int i = 0; i < body_unknowns_; ++i)
            if ((equation_left_[index(i)] && nonzero(i, multiplier)) ||
                (unknown_left_[index(i)] && nonzero(multiplier, i)))
                return false;
        return true;
    }
    int anchor(int multiplier) const {
        const MultiplierRow& row = problem_.rows[index(multiplier - body_unknowns_)];
        for (std::size_t side = 0; side < 2; ++side) {
            if (row.body[side] < 0 || row.entries[side] == 0) continue;
            const bool translates = (row.entries[side] & 7) != 0;
            const int block = 2 * row.body[side] + (translates ? 0 : 1);
            const int entries = translates ? row.entries[side] & 7 : row.entries[side] >> 3;
            const bool one_unknown = entries == 1 || entries == 2 || entries == 4;
            const bool is_free =
                anchored_joint_[index(block)] == no_joint || anchored_joint_[index(block)] == row.joint;
            if (!regular_[index(block)] || !is_free) continue;
            bool eliminated = true;
            for (int i = 0; i < 3; ++i)
                if (!(translates && one_unknown) || entries >> i & 1)
                    eliminated = eliminated && !unknown_left_[index(3 * block + i)];
            if (eliminated) return block;
        }
        return no_block;
    }

    // The acceptable candidate of least fill or products.
    Pivot cheapest(Candidates candidates) const {
        Pivot best{-1, -1};
        std::tuple<int, int, int> best_key{};
        for (int i = 0; i < unknowns_; ++i) {
            if (!equation_left_[index(i)]) continue;
            const int first = candidates == Candidates::all ? 0 : partner_[index(i)];
            const int last = candidates == Candidates::all ? unknowns_ : first + 1;
            for (int j = first; j < last; ++j) {
                if (!unknown_left_[index(j)] || !nonzero(i, j)) continue;
                const bool by_structure = candidates == Candidates::safe_by_structure;
                if (by_structure && !is_definite(i, j)) continue;
                if (relative_size(i, j) < (by_structure ? definite_pivot : chosen_pivot)) continue;
                const auto [fill, products] = fill_and_products(i, j);
                const int other_joint = i >= body_unknowns_ && joint_of(i) == last_joint_ ? 0 : 1;
                const std::tuple key = strategy_ == Strategy::least_fill ? std::tuple{fill, products, other_joint}
                                                                         : std::tuple{products, fill, other_joint};
                const bool is_better = ties_ == Ties::to_the_last ? key <= best_key : key < best_key;
                if (best.equation < 0 || is_better) {
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
        order_.weakest_pivot = order_.pivots.empty() ? size : std::min(order_.weakest_pivot, size);
        if (pivot.equation >= body_unknowns_ && pivot.equation == pivot.unknown) {
            const int block = anchor(pivot.equation);
            if (block != no_block) anchored_joint_[index(block)] = joint_of(pivot.equation);
        }
        std::vector<int> equations, unknowns;
        equation_left_[index(pivot.equation)] = 0;
        unknown_left_[index(pivot.unknown)] = 0;
        for (int i = 0; i < unknowns_; ++i) {
            if (equation_left_[index(i)] && nonzero(i, pivot.unknown)) equations.push_back(i);
            if (unknown_left_[index(i)] && nonzero(pivot.equation, i)) unknowns.push_back(i);
        }
        for (const int i : equations)
            for (const int j : unknowns) {
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
        order_.pivots.push_back(pivot);
    }

    const EliminationProblem& problem_;
    Strategy strategy_;
    Ties ties_;
    int unknowns_, body_unknowns_, last_joint_ = no_joint;
    std::size_t poses_ = 0;
    std::vector<unsigned char> pattern_;
    std::vector<double> matrices_;
    std::vector<unsigned char> equation_left_, unknown_left_;
    std::vector<bool> regular_;        // of each body's translation and rotation
    std::vector<int> anchored_joint_;  // of the same: whose multipliers rely on it
    std::vector<int> partner_;         // of an equation: the unknown it is paired with unless values speak against it
    PivotOrder order_;
};

}  // namespace

PivotOrder order_pivots(const EliminationProblem& problem, Strategy strategy, Ties ties) {
    return PivotSearch(problem, strategy, ties).run();
}

}  // namespace myriad::mechanism
