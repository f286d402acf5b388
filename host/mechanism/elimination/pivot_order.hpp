// The order of the pivots of a sparse matrix with bodies and multipliers; see elimination_plan.hpp for the rules.
#pragma once
#include <string>
#include <vector>

#include "host/mechanism/elimination/elimination_plan.hpp"

namespace myriad::mechanism {

struct PivotOrder {
    std::vector<Pivot> pivots;
    double weakest_pivot = 0.0;
    bool structurally_singular = false;
};

enum class Strategy { least_fill, least_products };
// Decides which of two pivots of the same cost comes first: they leave different work to the later ones, and nothing
// tells that beforehand.
enum class Ties { to_the_first, to_the_last };

PivotOrder order_pivots(const EliminationProblem& problem, Strategy strategy, Ties ties);

}  // namespace myriad::mechanism
