// What papers/ adds to the catalog, in a build that has it: charts, and forms of energy-momentum methods, that only
// comparisons with papers need.
#pragma once
#include <vector>

#include "host/catalog/system_description.hpp"

namespace myriad::study {

struct PapersPart {
    std::vector<ChartDescription> charts, mechanism_charts;  // for explicit methods, and for implicit ones
    std::vector<IntegratorDescription> body_integrators, lagrangian_integrators;
};
// The build links either papers/papers_part.cpp or without_papers.cpp, where it is empty.
const PapersPart& papers_part();

}  // namespace myriad::study
