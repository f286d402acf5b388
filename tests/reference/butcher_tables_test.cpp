// The order conditions of Runge-Kutta methods, one for each rooted tree (Butcher; Hairer, Norsett, Wanner, sect. II.2):
//   sum_i b_i Phi_i(t) = 1 / gamma(t),   Phi_i(t) = prod over the subtrees s of sum_j a_ij Phi_j(s),
//   gamma(t) = |t| prod gamma(s).
#include "host/reference/explicit/butcher_tables.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace myriad::reference {

namespace {

// The coefficients are doubles next to the exact ones; products of up to six of them, of size up to 12, are summed.
constexpr double rounding = 1e-13;

struct RootedTree {
    int nodes;
    std::vector<int> subtrees;  // positions in the list of all trees, not increasing
};

// All rooted trees with up to `most_nodes` nodes.
std::vector<RootedTree> rooted_trees(int most_nodes) {
    std::vector<RootedTree> trees;
    for (int nodes = 1; nodes <= most_nodes; ++nodes) {
        const int smaller_trees = static_cast<int>(trees.size());
        const auto extend = [&](auto&& self, std::vector<int>& subtrees, int nodes_left, int largest) -> void {
            if (nodes_left == 0) trees.push_back({nodes, subtrees});
            for (int t = 0; t <= largest; ++t) {
                if (trees[static_cast<std::size_t>(t)].nodes > nodes_left) continue;
                subtrees.push_back(t);
                self(self, subtrees, nodes_left - trees[static_cast<std::size_t>(t)].nodes, t);
                subtrees.pop_back();
            }
        };
        std::vector<int> subtrees;
        extend(extend, subtrees, nodes - 1, smaller_trees - 1);
    }
    return trees;
}

// The largest error of the conditions of trees with exactly `nodes` nodes.
double largest_defect(const ButcherTable& table, const Eigen::VectorXd& weights, int nodes) {
    const std::vector<RootedTree> trees = rooted_trees(nodes);
    std::vector<Eigen::ArrayXd> stage_weights;
    std::vector<double> densities;
    double largest = 0.0;
    for (const RootedTree& tree : trees) {
        Eigen::ArrayXd phi = Eigen::ArrayXd::Ones(table.stages());
        double density = tree.nodes;
        for (const int t : tree.subtrees) {
            phi *= (table.a * stage_weights[static_cast<std::size_t>(t)].matrix()).array();
            density *= densities[static_cast<std::size_t>(t)];
        }
        stage_weights.push_back(phi);
        densities.push_back(density);
        if (tree.nodes == nodes) largest = std::max(largest, std::abs(weights.dot(phi.matrix()) - 1.0 / density));
    }
    return largest;
}

}  // namespace

TEST(RootedTrees, AreAsManyAsTheLiteratureCounts) {
    EXPECT_EQ(rooted_trees(1).size(), 1u);
    EXPECT_EQ(rooted_trees(4).size(), 1u + 1 + 2 + 4);
    EXPECT_EQ(rooted_trees(7).size(), 1u + 1 + 2 + 4 + 9 + 20 + 48);
}

TEST(ButcherTables, HaveTheirOrderAndNotTheNext) {
    const double miss = 1e-4;  // the smallest defect of order p + 1 among them is 2.8e-4 (dopri5)
    for (const ButcherTable& table : butcher_tables()) {
        for (int order = 1; order <= table.order; ++order)
            EXPECT_LE(largest_defect(table, table.b, order), rounding) << table.name << " order " << order;
        EXPECT_GE(largest_defect(table, table.b, table.order + 1), miss) << table.name;
        if (table.embedded_order == 0) continue;
        for (int order = 1; order <= table.embedded_order; ++order)
            EXPECT_LE(largest_defect(table, table.b_embedded, order), rounding) << table.name << " embedded " << order;
        EXPECT_GE(largest_defect(table, table.b_embedded, table.embedded_order + 1), miss) << table.name;
    }
}

TEST(ButcherTables, HaveThePublishedAbscissae) {
    const double r = std::sqrt(5.0), early = 0.5 - r / 10, late = 0.5 + r / 10;
    const std::vector<std::vector<double>> abscissae{{0, 0.5, 0.5, 1},
                                                     {0, early, late, early, late, early, 1},
                                                     {0, 0.5, 0.75, 1},
                                                     {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1}};
    ASSERT_EQ(butcher_tables().size(), abscissae.size());
    for (std::size_t t = 0; t < abscissae.size(); ++t) {
        const ButcherTable& table = butcher_tables()[t];
        for (Eigen::Index i = 0; i < table.stages(); ++i)
            EXPECT_NEAR(table.c()[i], abscissae[t][static_cast<std::size_t>(i)], 10 * rounding) << table.name;
    }
}

TEST(ButcherTables, AreExplicit) {
    for (const ButcherTable& table : butcher_tables())
        EXPECT_TRUE(table.a.triangularView<Eigen::Upper>().toDenseMatrix().isZero(0.0)) << table.name;
}

}  // namespace myriad::reference
