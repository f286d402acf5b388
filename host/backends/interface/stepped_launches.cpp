#include "host/backends/interface/stepped_launches.hpp"

#include <algorithm>

namespace myriad::backends {

Task looking_task(const Task& task, std::span<const int> wanted) {
    Task looking = task;
    looking.plan.observed_count = 0, looking.schedule.rows = 0.0;
    looking.plan.quantity_count = static_cast<int>(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        looking.plan.reductions[i] = Reduction::final;
        looking.plan.quantity_channels[i] = wanted[i], looking.plan.windowed[i] = 0;
    }
    return looking;
}

long long sure_steps_of(const Schedule& schedule, bool adaptive, double from_s, double to_s) {
    if (adaptive) return 1;
    constexpr double most_steps = 1e9;
    return std::max(1LL, static_cast<long long>(std::min((to_s - from_s) / schedule.step_s, most_steps)) - 1);
}

}  // namespace myriad::backends
