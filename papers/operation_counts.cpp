#include "bench/operations/count_family.hpp"
#include "papers/catalog.hpp"

namespace myriad::bench {

void count_operations_of_papers(std::vector<StepOperations>& members) {
    count_family(ExplicitBodiesOfLgim{}, members);
    count_family(MomentumBodiesOfLivens{}, members);
    count_family(LagrangiansOfLivens{}, members);
}

}  // namespace myriad::bench
