#include "host/mechanism/elimination_plan.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "host/mechanism/pivot_order.hpp"

namespace myriad::mechanism {
namespace {

constexpr unsigned char left_out = 0, in_the_matrix = 1;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// Writes the programs of a given order of pivots.
class ProgramWriter {
  public:
    ProgramWriter(const EliminationProblem& problem, const std::vector<EliminationStep>& steps, EliminationPlan& plan)
        : problem_(problem),
          steps_(steps),
          plan_(plan),
          unknowns_(problem.unknowns()),
          pattern_(problem.pattern()),
          slot_(pattern_.size(), -1),
          lower_pivots_(index(unknowns_)),
          upper_pivots_(index(unknowns_)) {}

    void write() {
        assign_slots();
        if (plan_.entries > most_matrix_entries) {
            plan_.refusal = "the factors of the iteration matrix have " + std::to_string(plan_.entries) +
                            " entries, and at most " + std::to_string(most_matrix_entries) + " are handled";
            return;
        }
        factor();
        const std::size_t factor_length = words_.size();
        forward();
        const std::size_t forward_length = words_.size() - factor_length;
        backward();
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
    struct Product {
        int l, u;  // slots
        int step;
    };
    // Entries of a row or a column of the factors that take the same products, up to the factor that is their own.
    struct Run {
        bool from_zero;
        std::vector<int> steps;  // of the products
        std::vector<int> entries;  // unknowns of a row, equations of a column
    };

    int& slot(int equation, int unknown) { return slot_[index(equation) * index(unknowns_) + index(unknown)]; }
    bool from_zero(int equation, int unknown) const {
        return pattern_[index(equation) * index(unknowns_) + index(unknown)] == left_out;
    }
    void put(int word) { words_.push_back(static_cast<unsigned short>(word)); }

    void assign_slots() {
        int next = 0;
        const auto assign = [&](int equation, int unknown) {
            slot(equation, unknown) = next++;
            if (from_zero(equation, unknown)) ++plan_.fill;
        };
        for (const EliminationStep& step : steps_) {
            assign(step.pivot.equation, step.pivot.unknown);
            for (const int unknown : step.upper_unknowns) assign(step.pivot.equation, unknown);
            for (const int equation : step.lower_equations) assign(equation, step.pivot.unknown);
        }
        plan_.entries = next;
    }

    // The steps before this one in whose column the equation and in whose row the unknown still stands, in their order.
    std::vector<int> product_steps(int equation, int unknown) const {
        std::vector<int> steps;
        std::set_intersection(lower_pivots_[index(equation)].begin(), lower_pivots_[index(equation)].end(),
                              upper_pivots_[index(unknown)].begin(), upper_pivots_[index(unknown)].end(),
                              std::back_inserter(steps));
        return steps;
    }

    void factor() {
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            const EliminationStep& step = steps_[s];
            factor_pivot(step.pivot);
            std::vector<Run> upper, lower;
            for (const int unknown : step.upper_unknowns) add_entry(upper, step.pivot.equation, unknown, unknown);
            for (const int equation : step.lower_equations) add_entry(lower, equation, step.pivot.unknown, equation);
            for (const Run& run : upper) factor_row(run, step.pivot.equation);
            for (const Run& run : lower) factor_column(run, step.pivot.unknown);
            for (const int equation : step.lower_equations)
                lower_pivots_[index(equation)].push_back(static_cast<int>(s));
            for (const int unknown : step.upper_unknowns) upper_pivots_[index(unknown)].push_back(static_cast<int>(s));
        }
    }

    void factor_pivot(Pivot pivot) {
        const std::vector<int> products = product_steps(pivot.equation, pivot.unknown);
        // What bodies and what multipliers contribute have opposite signs: they cancel between the parts, not in one.
        std::vector<std::vector<int>> parts;
        const auto of_body = [&](int s) {
            return steps_[index(s)].pivot.unknown < 6 * static_cast<int>(problem_.bodies.size());
        };
        for (const int s : products) {
            if (parts.empty() || of_body(parts.back().back()) != of_body(s)) parts.emplace_back();
            parts.back().push_back(s);
        }
        put(pivot_of_factors);
        put(slot(pivot.equation, pivot.unknown));
        put(from_zero(pivot.equation, pivot.unknown) ? 1 : 0);
        put(static_cast<int>(parts.size()));
        for (const std::vector<int>& part : parts) {
            put(static_cast<int>(part.size()));
            for (const int s : part) {
                put(slot(pivot.equation, steps_[index(s)].pivot.unknown));
                put(slot(steps_[index(s)].pivot.equation, pivot.unknown));
            }
        }
        count_products(products.size(), plan_.factor_counts);
        ++plan_.factor_counts.divisions;
    }

    void add_entry(std::vector<Run>& runs, int equation, int unknown, int entry) const {
        std::vector<int> products = product_steps(equation, unknown);
        const bool zero = from_zero(equation, unknown);
        for (Run& run : runs)
            if (run.from_zero == zero && run.steps == products) {
                run.entries.push_back(entry);
                return;
            }
        runs.push_back({zero, std::move(products), {entry}});
    }

    void factor_row(const Run& run, int equation) {
        if (run.steps.empty()) return;
        write_run(run, false, [&](int s) { return slot(equation, steps_[index(s)].pivot.unknown); },
                  [&](int entry) { return slot(equation, entry); },
                  [&](int s, int entry) { return slot(steps_[index(s)].pivot.equation, entry); });
    }
    void factor_column(const Run& run, int unknown) {
        write_run(run, true, [&](int s) { return slot(steps_[index(s)].pivot.equation, unknown); },
                  [&](int entry) { return slot(entry, unknown); },
                  [&](int s, int entry) { return slot(entry, steps_[index(s)].pivot.unknown); });
        plan_.factor_counts.multiplications += static_cast<int>(run.entries.size());
    }

    // In pieces of most_run_products; the last one scales.
    template <class Shared, class Entry, class Other>
    void write_run(const Run& run, bool scaled, Shared shared, Entry entry_slot, Other other) {
        std::size_t first = 0;
        do {
            const std::size_t last = std::min(run.steps.size(), first + index(most_run_products));
            put(run_of_factors(static_cast<int>(last - first), run.from_zero && first == 0,
                               scaled && last == run.steps.size()));
            put(static_cast<int>(run.entries.size()));
            for (std::size_t k = first; k < last; ++k) put(shared(run.steps[k]));
            for (const int entry : run.entries) {
                put(entry_slot(entry));
                for (std::size_t k = first; k < last; ++k) put(other(run.steps[k], entry));
            }
            first = last;
        } while (first < run.steps.size());
        for (std::size_t k = 0; k < run.entries.size(); ++k) count_products(run.steps.size(), plan_.factor_counts);
    }

    static void count_products(std::size_t products, OperationCounts& counts) {
        counts.multiplications += static_cast<int>(products);
        counts.additions += static_cast<int>(products);
    }

    void forward() {
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            const int equation = steps_[s].pivot.equation;
            const std::vector<int>& products = lower_pivots_[index(equation)];
            if (products.empty()) continue;
            put(equation);
            put(static_cast<int>(products.size()));
            for (const int k : products) {
                put(slot(equation, steps_[index(k)].pivot.unknown));
                put(steps_[index(k)].pivot.equation);
            }
            count_products(products.size(), plan_.solve_counts);
        }
    }

    void backward() {
        for (std::size_t s = steps_.size(); s-- > 0;) {
            const EliminationStep& step = steps_[s];
            put(step.pivot.unknown);
            put(step.pivot.equation);
            put(slot(step.pivot.equation, step.pivot.unknown));
            put(static_cast<int>(step.upper_unknowns.size()));
            for (const int unknown : step.upper_unknowns) {
                put(slot(step.pivot.equation, unknown));
                put(unknown);
            }
            count_products(step.upper_unknowns.size(), plan_.solve_counts);
            ++plan_.solve_counts.multiplications;
        }
    }

    void fill_tables() {
        Elimination& elimination = plan_.elimination;
        const int bodies = static_cast<int>(problem_.bodies.size());
        const auto original = [&](int equation, int unknown) {
            return static_cast<short>(from_zero(equation, unknown) ? -1 : slot(equation, unknown));
        };
        for (auto& body : elimination.body_slot)
            for (auto& row : body) std::fill(std::begin(row), std::end(row), short{-1});
        for (auto* table : {&elimination.row_slot, &elimination.column_slot})
            for (auto& row : *table)
                for (auto& side : row) std::fill(std::begin(side), std::end(side), short{-1});
        std::fill(std::begin(elimination.diagonal_slot), std::end(elimination.diagonal_slot), short{-1});
        for (int body = 0; body < bodies; ++body)
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j)
                    elimination.body_slot[body][i][j] = original(6 * body + i, 6 * body + j);
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
    const std::vector<EliminationStep>& steps_;
    EliminationPlan& plan_;
    int unknowns_;
    std::vector<unsigned char> pattern_;
    std::vector<int> slot_;
    std::vector<std::vector<int>> lower_pivots_, upper_pivots_;  // of an equation, of an unknown: steps so far
    std::vector<unsigned short> words_;
};

EliminationPlan plan_of(const EliminationProblem& problem, PivotOrder order) {
    EliminationPlan plan;
    if (order.structurally_singular) {
        plan.refusal = "some unknowns of the iteration matrix have no equation of their own";
        return plan;
    }
    plan.weakest_pivot = order.weakest_pivot;
    for (const EliminationStep& step : order.steps) plan.pivots.push_back(step.pivot);
    // In a row of the factors the columns stand in the order of their pivots, and the other way round.
    std::vector<int> rank_of_equation(index(problem.unknowns())), rank_of_unknown(index(problem.unknowns()));
    for (std::size_t s = 0; s < order.steps.size(); ++s) {
        rank_of_equation[index(order.steps[s].pivot.equation)] = static_cast<int>(s);
        rank_of_unknown[index(order.steps[s].pivot.unknown)] = static_cast<int>(s);
    }
    for (EliminationStep& step : order.steps) {
        std::sort(step.lower_equations.begin(), step.lower_equations.end(),
                  [&](int a, int b) { return rank_of_equation[index(a)] < rank_of_equation[index(b)]; });
        std::sort(step.upper_unknowns.begin(), step.upper_unknowns.end(),
                  [&](int a, int b) { return rank_of_unknown[index(a)] < rank_of_unknown[index(b)]; });
    }
    ProgramWriter(problem, order.steps, plan).write();
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
    std::vector<unsigned char> pattern(size * size, left_out);
    for (std::size_t body = 0; body < bodies.size(); ++body)
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 6; ++j)
                if (bodies[body].entries[i] >> j & 1) pattern[(6 * body + i) * size + 6 * body + j] = in_the_matrix;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const std::size_t multiplier = body_unknowns + r;
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t i = 0; rows[r].body[side] >= 0 && i < 6; ++i) {
                if (!(rows[r].entries[side] >> i & 1)) continue;
                const std::size_t unknown = 6 * index(rows[r].body[side]) + i;
                pattern[multiplier * size + unknown] = pattern[unknown * size + multiplier] = in_the_matrix;
            }
        if (rows[r].has_diagonal) pattern[multiplier * size + multiplier] = in_the_matrix;
    }
    return pattern;
}

EliminationPlan plan_elimination(const EliminationProblem& problem) {
    check(problem);
    EliminationPlan best;
    for (const Strategy strategy : {Strategy::least_fill, Strategy::least_products}) {
        EliminationPlan plan = plan_of(problem, order_pivots(problem, strategy));
        const int operations = plan.factor_counts.all() + plan.solve_counts.all();
        const bool is_first = strategy == Strategy::least_fill;
        if (is_first || (plan.refusal.empty() &&
                         (!best.refusal.empty() || operations < best.factor_counts.all() + best.solve_counts.all())))
            best = std::move(plan);
    }
    return best;
}

}  // namespace myriad::mechanism
