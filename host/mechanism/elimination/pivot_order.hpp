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
// Which of pivots that cost the same comes first: what it leaves to the later ones differs, and nothing tells
// beforehand.
enum class Ties { to_the_first, to_the_last };

PivotOrder order_pivots(const EliminationProblem& problem, Strategy strategy, Ties ties);

}  // namespace myriad::mechanism
