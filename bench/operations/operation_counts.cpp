#include "bench/operations/operation_counts.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/operations/count_family.hpp"

namespace myriad::bench {

std::vector<StepOperations> count_operations() {
    std::vector<StepOperations> members;
    count_family(ExplicitBodies{}, members);
    count_family(MomentumBodies{}, members);
    count_family(Lagrangians{}, members);
    count_operations_of_papers(members);
    return members;
}

const StepOperations* find_operations(const std::string& system, const std::string& chart,
                                      const std::string& integrator) {
    static const std::vector<StepOperations> all = count_operations();
    const auto place = std::find_if(all.begin(), all.end(), [&](const StepOperations& member) {
        return member.system == system && member.chart == chart && member.integrator == integrator;
    });
    return place == all.end() ? nullptr : &*place;
}

const StepOperations& operations_of(const std::string& system, const std::string& chart,
                                    const std::string& integrator) {
    const StepOperations* found = find_operations(system, chart, integrator);
    if (!found) throw std::out_of_range("no " + integrator + " for " + system + " on " + chart);
    return *found;
}

}  // namespace myriad::bench
