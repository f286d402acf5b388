// The order of the pivots of a sparse matrix with bodies and multipliers; see elimination_plan.hpp for the rules.
#pragma once
#include <string>
#include <vector>

#include "host/mechanism/elimination_plan.hpp"

namespace myriad::mechanism {

// One step of the elimination: which entries were still there in the pivot's row and column (without the pivot).
struct EliminationStep {
    Pivot pivot;
    std::vector<int> lower_equations, upper_unknowns;
};

struct PivotOrder {
    std::vector<EliminationStep> steps;
    double weakest_pivot = 0.0;
    bool structurally_singular = false;
};

enum class Strategy { least_fill, least_products };

PivotOrder order_pivots(const EliminationProblem& problem, Strategy strategy);

}  // namespace myriad::mechanism
