// The order of the pivots of a sparse matrix with bodies and multipliers; see elimination_plan.hpp for the rules.
#pragma once
#include <string>
#include <vector>

#include "host/mechanism/elimination_plan.hpp"

namespace myriad::mechanism {

struct PivotOrder {
    std::vector<Pivot> pivots;
    double weakest_pivot = 0.0;
    bool structurally_singular = false;
};

enum class Strategy { least_fill, least_products };

PivotOrder order_pivots(const EliminationProblem& problem, Strategy strategy);

}  // namespace myriad::mechanism
