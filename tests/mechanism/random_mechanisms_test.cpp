// A thousand random mechanisms (random_mechanisms.hpp): they read and assemble, their corrections are those of a dense
// solver, within a budget of operations.
#include "tests/properties/random_mechanisms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "host/text/user_error.hpp"
#include "tests/mechanism/newton_solve.hpp"

namespace myriad::mechanism {

namespace {

// Poses are given with the digits of a double and poses are a few metres apart.
constexpr double closed_m = 1e-14;
// Factor on the error that the condition number allows: growth by the static order of pivots; below 3 where measured.
constexpr double growth = 20.0;

// Operations of Crout's factors and of one solve with the pivots in this order: all bodies, then the multipliers of the
// tree from its leaves to its root, then those that close loops. Before pivot k of a body with c rows 5 - k of its own
// unknowns and the c rows are left, at most; before a multiplier the rows that its own elimination has met: those of
// the body nearer to the root, and those of loops. Each entry beside the pivot is one multiplication, each pair two.
struct Budget {
    long long factor = 0, solve = 0;
    void pivot(long long beside) {
        factor += 2 * beside * beside + beside + 1;
        solve += 4 * beside + 1;
    }
};

Budget budget_of(const Mechanism& mechanism, int loop_rows) {
    const MechanismTable& table = mechanism.table;
    std::vector<int> rows_at(static_cast<std::size_t>(table.bodies), 0);
    int law_rows = 0;
    for (int e = 0; e < table.elements; ++e)
        for (const int row : table.element[e].row) {
            if (row < 0) continue;
            if (table.element[e].has_law) ++law_rows;
            for (const int body : table.element[e].body)
                if (body >= 0) ++rows_at[static_cast<std::size_t>(body)];
        }
    Budget budget;
    for (const int rows : rows_at)
        for (int k = 0; k < 6; ++k) budget.pivot(5 - k + rows);
    for (int e = 0; e < table.elements; ++e) {
        int most = 0;
        for (const int body : table.element[e].body)
            if (body >= 0) most = std::max(most, rows_at[static_cast<std::size_t>(body)]);
        for (const int row : table.element[e].row)
            if (row >= 0) budget.pivot(std::min(most + loop_rows + law_rows, table.rows) - 1);
    }
    return budget;
}

struct Worst {
    double error = 0.0, factor = 0.0, solve = 0.0;
};

void check(const RandomMechanism& random, Worst& worst) {
    std::shared_ptr<const Mechanism> mechanism;
    try {
        mechanism = parse_mechanism(random.text(), "random.json");
    } catch (const UserError& error) {
        FAIL() << error.what();
    }
    EXPECT_EQ(mechanism->freedoms, random.freedoms());
    EXPECT_EQ(mechanism->table.constraint_rows, random.rows());
    EXPECT_TRUE(mechanism->redundant_rows.empty());

    const SolvedCorrection solved = solve_correction(*mechanism, mechanism->nominal_kernel_parameters());
    EXPECT_EQ(solved.assembly_reason, 0.0);
    EXPECT_LE(solved.assembly_correction, closed_m);
    EXPECT_FALSE(solved.perturbed);
    const Eigen::PartialPivLU<Eigen::MatrixXd> dense(solved.matrix);
    const Eigen::VectorXd expected = dense.solve(solved.right_hand_side);
    const double error = (solved.solution - expected).lpNorm<1>() / expected.lpNorm<1>(),
                 allowed = std::numeric_limits<double>::epsilon() / dense.rcond();
    EXPECT_LE(error, growth * allowed);

    const Budget budget = budget_of(*mechanism, random.loop_rows());
    EXPECT_LE(mechanism->elimination_operations.factor, budget.factor);
    EXPECT_LE(mechanism->elimination_operations.solve, budget.solve);

    worst.error = std::max(worst.error, error / allowed);
    worst.factor = std::max(worst.factor, double(mechanism->elimination_operations.factor) / double(budget.factor));
    worst.solve = std::max(worst.solve, double(mechanism->elimination_operations.solve) / double(budget.solve));
}

struct Family {
    const char* name;
    std::uint64_t first_seed;
    int count, least_bodies, most_bodies, loops;
    bool free, driven;
    friend void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }
};

class RandomMechanisms : public testing::TestWithParam<Family> {};

TEST_P(RandomMechanisms, AssembleAndSolveAsADenseSolver) {
    const Family family = GetParam();
    Worst worst;
    for (int n = 0; n < family.count; ++n) {
        const std::uint64_t seed = family.first_seed + static_cast<std::uint64_t>(n);
        const int bodies = family.least_bodies + n % (family.most_bodies - family.least_bodies + 1);
        const RandomMechanism random(seed, {bodies, family.loops, family.free, family.driven});
        SCOPED_TRACE(testing::Message() << family.name << " number " << n);
        check(random, worst);
        if (HasFailure()) {
            std::cout << random.text() << '\n';
            break;
        }
    }
    RecordProperty("error_of_the_allowed", std::to_string(worst.error));
    RecordProperty("factor_operations_of_the_budget", std::to_string(worst.factor));
    RecordProperty("solve_operations_of_the_budget", std::to_string(worst.solve));
}

INSTANTIATE_TEST_SUITE_P(Families, RandomMechanisms,
                         testing::Values(Family{"trees", 10000, 300, 1, 5, 0, false, false},
                                         Family{"free_trees", 20000, 100, 1, 5, 0, true, false},
                                         Family{"loops", 30000, 300, 2, 5, 2, false, false},
                                         Family{"free_loops", 40000, 100, 3, 5, 2, true, false},
                                         Family{"driven", 50000, 180, 1, 4, 1, false, true},
                                         Family{"large", 60000, 20, 6, 10, 2, false, false}),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace

}  // namespace myriad::mechanism
