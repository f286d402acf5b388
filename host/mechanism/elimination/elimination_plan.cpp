#include "host/mechanism/elimination/elimination_plan.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "host/mechanism/elimination/pivot_order.hpp"

namespace myriad::mechanism {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The pattern of the factors, by rank of the pivots: after[k] are the ranks j > k with an entry in row and column k
// (made symmetric), before[j] the ranks k < j with j in after[k]. All ascending.
struct FactorPattern {
    std::vector<std::vector<int>> after, before;
};

FactorPattern factor_pattern(const std::vector<unsigned char>& pattern, const std::vector<Pivot>& pivots) {
    const std::size_t n = pivots.size();
    const auto nonzero = [&](std::size_t i, std::size_t j) {
        return pattern[index(pivots[i].equation) * n + index(pivots[j].unknown)] != 0;
    };
    std::vector<std::vector<unsigned char>> linked(n, std::vector<unsigned char>(n, 0));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (i != j && (nonzero(i, j) || nonzero(j, i))) linked[i][j] = 1;
    FactorPattern factors{std::vector<std::vector<int>>(n), std::vector<std::vector<int>>(n)};
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = k + 1; j < n; ++j)
            if (linked[k][j]) {
                factors.after[k].push_back(static_cast<int>(j));
                factors.before[j].push_back(static_cast<int>(k));
            }
        for (const int i : factors.after[k])
            for (const int j : factors.after[k])
                if (i != j) linked[index(i)][index(j)] = 1;
    }
    return factors;
}

// The same elimination in the order in which its results are needed, so that related pivots come together. Only pivots
// that do not touch each other change places.
std::vector<Pivot> ordered_by_demand(const std::vector<unsigned char>& pattern, const std::vector<Pivot>& pivots) {
    const FactorPattern factors = factor_pattern(pattern, pivots);
    std::vector<bool> done(pivots.size(), false);
    std::vector<Pivot> ordered;
    const auto visit = [&](const auto& self, std::size_t rank) -> void {
        if (done[rank]) return;
        done[rank] = true;
        for (const int needed : factors.before[rank]) self(self, index(needed));
        ordered.push_back(pivots[rank]);
    };
    for (std::size_t rank = pivots.size(); rank-- > 0;) visit(visit, rank);
    return ordered;
}

// Writes the programs for a given order of pivots. Everything here goes by rank.
class ProgramWriter {
  public:
    ProgramWriter(const EliminationProblem& problem, EliminationPlan& plan)
        : problem_(problem),
          plan_(plan),
          unknowns_(problem.unknowns()),
          body_unknowns_(6 * static_cast<int>(problem.bodies.size())),
          pattern_(problem.pattern()),
          factors_(factor_pattern(pattern_, plan.pivots)),
          slot_(pattern_.size(), -1) {}

    void write() {
        assign_slots();
        if (plan_.entries > most_matrix_entries) {
            plan_.refusal = "the factors of the iteration matrix have " + std::to_string(plan_.entries) +
                            " entries, and at most " + std::to_string(most_matrix_entries) + " are handled";
            return;
        }
        for (int rank = 0; rank < unknowns_; ++rank) factor(rank);
        const std::size_t factor_length = words_.size();
        for (int rank = 0; rank < unknowns_; ++rank) forward(rank);
        const std::size_t forward_length = words_.size() - factor_length;
        for (int rank = unknowns_; rank-- > 0;) backward(rank);

        Elimination& elimination = plan_.elimination;
        elimination.unknowns = unknowns_;
        elimination.slots = plan_.entries;
        elimination.factor_length = static_cast<int>(factor_length);
        elimination.forward_length = static_cast<int>(forward_length);
        elimination.backward_length = static_cast<int>(words_.size() - factor_length - forward_length);
        fill_tables();
        plan_.programs = std::make_shared<const std::vector<unsigned short>>(std::move(words_));
        elimination.factor_program = plan_.programs->data();
        elimination.forward_program = elimination.factor_program + elimination.factor_length;
        elimination.backward_program = elimination.forward_program + elimination.forward_length;
    }

  private:
    // Entries of the pivot's row and column that take the same products.
    struct Run {
        bool from_zero;
        std::vector<int> products, entries;  // ranks
    };

    Pivot pivot(int rank) const { return plan_.pivots[index(rank)]; }
    const std::vector<int>& after(int rank) const { return factors_.after[index(rank)]; }
    const std::vector<int>& before(int rank) const { return factors_.before[index(rank)]; }
    int& slot(int equation_rank, int unknown_rank) {
        return slot_[index(pivot(equation_rank).equation) * index(unknowns_) + index(pivot(unknown_rank).unknown)];
    }
    bool in_the_matrix(int equation_rank, int unknown_rank) const {
        return pattern_[index(pivot(equation_rank).equation) * index(unknowns_) + index(pivot(unknown_rank).unknown)] !=
               0;
    }
    void put(int word) { words_.push_back(static_cast<unsigned short>(word)); }

    void assign_slots() {
        int next = 0;
        const auto assign = [&](int equation_rank, int unknown_rank) {
            slot(equation_rank, unknown_rank) = next++;
            if (!in_the_matrix(equation_rank, unknown_rank)) ++plan_.fill;
        };
        for (int k = 0; k < unknowns_; ++k) {
            assign(k, k);
            for (const int j : after(k)) {
                assign(k, j);
                assign(j, k);
            }
        }
        plan_.entries = next;
    }

    std::vector<int> products_of(int a, int b) const {
        std::vector<int> products;
        std::set_intersection(before(a).begin(), before(a).end(), before(b).begin(), before(b).end(),
                              std::back_inserter(products));
        return products;
    }
    static void count_products(std::size_t products, OperationCounts& counts) {
        counts.multiplications += static_cast<int>(products);
        counts.additions += static_cast<int>(products);
    }

    void factor(int rank) {
        std::vector<Run> runs;
        for (const int j : after(rank)) add_entry(runs, rank, j);
        factor_pivot(rank);
        for (const Run& run : runs) factor_run(run, rank);
    }

    void factor_pivot(int rank) {
        std::vector<int> products = before(rank);
        const auto multipliers = std::stable_partition(products.begin(), products.end(),
                                                       [&](int k) { return pivot(k).unknown < body_unknowns_; });
        put(pivot_step);
        put(slot(rank, rank));
        put(in_the_matrix(rank, rank) ? 0 : 1);
        put(static_cast<int>(multipliers - products.begin()));
        put(static_cast<int>(products.end() - multipliers));
        for (const int k : products) put(slot(k, rank));
        count_products(products.size(), plan_.factor_counts);
        ++plan_.factor_counts.divisions;
    }

    void add_entry(std::vector<Run>& runs, int rank, int other) {
        const bool upper = in_the_matrix(rank, other), lower = in_the_matrix(other, rank);
        std::vector<int> products = products_of(rank, other);
        const bool from_zero = !upper && !lower && !products.empty();
        for (const auto& [i, j, given] : {std::tuple{rank, other, upper}, std::tuple{other, rank, lower}})
            if (!given && !from_zero) {
                put(clear_step);
                put(slot(i, j));
            }
        for (Run& run : runs)
            if (run.from_zero == from_zero && run.products == products) {
                run.entries.push_back(other);
                return;
            }
        runs.push_back({from_zero, std::move(products), {other}});
    }

    // In pieces of most_run_products; the last one scales.
    void factor_run(const Run& run, int rank) {
        std::size_t first = 0;
        do {
            const std::size_t last = std::min(run.products.size(), first + index(most_run_products));
            put(run_step(static_cast<int>(last - first), run.from_zero && first == 0, last == run.products.size()));
            put(static_cast<int>(run.entries.size()));
            for (std::size_t k = first; k < last; ++k) put(slot(run.products[k], rank));
            for (const int entry : run.entries) {
                put(slot(rank, entry));
                for (std::size_t k = first; k < last; ++k) put(slot(run.products[k], entry));
            }
            first = last;
        } while (first < run.products.size());
        count_products(2 * run.products.size() * run.entries.size(), plan_.factor_counts);
        plan_.factor_counts.multiplications += static_cast<int>(run.entries.size());
    }

    void forward(int rank) {
        if (before(rank).empty()) return;
        put(pivot(rank).equation);
        put(static_cast<int>(before(rank).size()));
        for (const int k : before(rank)) {
            put(slot(k, rank));
            put(pivot(k).equation);
        }
        count_products(before(rank).size(), plan_.solve_counts);
    }

    void backward(int rank) {
        put(pivot(rank).unknown);
        put(pivot(rank).equation);
        put(slot(rank, rank));
        put(static_cast<int>(after(rank).size()));
        for (std::size_t k = after(rank).size(); k-- > 0;) {
            put(slot(rank, after(rank)[k]));
            put(pivot(after(rank)[k]).unknown);
        }
        count_products(after(rank).size(), plan_.solve_counts);
        ++plan_.solve_counts.multiplications;
    }

    void fill_tables() {
        Elimination& elimination = plan_.elimination;
        const int bodies = static_cast<int>(problem_.bodies.size());
        const auto original = [&](int equation, int unknown) {
            const std::size_t at = index(equation) * index(unknowns_) + index(unknown);
            return static_cast<short>(pattern_[at] != 0 ? slot_[at] : -1);
        };
        for (auto& body : elimination.body_slot)
            for (auto& row : body) std::fill(std::begin(row), std::end(row), short{-1});
        for (auto* table : {&elimination.row_slot, &elimination.column_slot})
            for (auto& row : *table)
                for (auto& side : row) std::fill(std::begin(side), std::end(side), short{-1});
        std::fill(std::begin(elimination.diagonal_slot), std::end(elimination.diagonal_slot), short{-1});
        for (int body = 0; body < bodies; ++body)
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j) elimination.body_slot[body][i][j] = original(6 * body + i, 6 * body + j);
        for (std::size_t r = 0; r < problem_.rows.size(); ++r) {
            const int multiplier = 6 * bodies + static_cast<int>(r);
            for (std::size_t side = 0; side < 2; ++side) {
                const int body = problem_.rows[r].body[side];
                for (int i = 0; body >= 0 && i < 6; ++i) {
                    elimination.row_slot[r][side][i] = original(multiplier, 6 * body + i);
                    elimination.column_slot[r][side][i] = original(6 * body + i, multiplier);
                }
            }
            elimination.diagonal_slot[r] = original(multiplier, multiplier);
        }
    }

    const EliminationProblem& problem_;
    EliminationPlan& plan_;
    int unknowns_, body_unknowns_;
    std::vector<unsigned char> pattern_;
    FactorPattern factors_;
    std::vector<int> slot_;  // by equation and unknown
    std::vector<unsigned short> words_;
};

EliminationPlan plan_of(const EliminationProblem& problem, const PivotOrder& order) {
    EliminationPlan plan;
    if (order.structurally_singular) {
        plan.refusal = "some unknowns of the iteration matrix have no equation of their own";
        return plan;
    }
    plan.pivots = ordered_by_demand(problem.pattern(), order.pivots);
    plan.weakest_pivot = order.weakest_pivot;
    ProgramWriter(problem, plan).write();
    return plan;
}

void check(const EliminationProblem& problem) {
    const int bodies = static_cast<int>(problem.bodies.size());
    if (bodies > most_bodies || problem.rows.size() > index(most_rows))
        throw std::invalid_argument("elimination plan: more bodies or rows than the kernels hold");
    for (const MultiplierRow& row : problem.rows)
        for (const int body : row.body)
            if (body < -1 || body >= bodies) throw std::invalid_argument("elimination plan: a row of no such body");
    const std::size_t size = index(problem.unknowns()) * index(problem.unknowns());
    if (problem.nominal_matrices.empty() || size == 0 || problem.nominal_matrices.size() % size != 0)
        throw std::invalid_argument("elimination plan: the nominal matrices are not unknowns x unknowns");
}

}  // namespace

std::vector<unsigned char> EliminationProblem::pattern() const {
    const std::size_t size = index(unknowns()), body_unknowns = 6 * bodies.size();
    std::vector<unsigned char> pattern(size * size, 0);
    for (std::size_t body = 0; body < bodies.size(); ++body)
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 6; ++j)
                if (bodies[body].entries[i] >> j & 1) pattern[(6 * body + i) * size + 6 * body + j] = 1;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::size_t multiplier = body_unknowns + r;
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t i = 0; rows[r].body[side] >= 0 && i < 6; ++i) {
                if (!(rows[r].entries[side] >> i & 1)) continue;
                const std::size_t unknown = 6 * index(rows[r].body[side]) + i;
                pattern[multiplier * size + unknown] = pattern[unknown * size + multiplier] = 1;
            }
        if (rows[r].has_diagonal) pattern[multiplier * size + multiplier] = 1;
    }
    return pattern;
}

EliminationPlan plan_elimination(const EliminationProblem& problem) {
    check(problem);
    const auto operations = [](const EliminationPlan& plan) {
        return plan.factor_counts.all() + plan.solve_counts.all();
    };
    EliminationPlan best = plan_of(problem, order_pivots(problem, Strategy::least_fill, Ties::to_the_first));
    for (const auto& [strategy, ties] :
         {std::pair{Strategy::least_products, Ties::to_the_first}, std::pair{Strategy::least_fill, Ties::to_the_last},
          std::pair{Strategy::least_products, Ties::to_the_last}}) {
        EliminationPlan other = plan_of(problem, order_pivots(problem, strategy, ties));
        if (other.refusal.empty() && (!best.refusal.empty() || operations(other) < operations(best)))
            best = std::move(other);
    }
    return best;
}

}  // namespace myriad::mechanism
