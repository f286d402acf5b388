// Something that may crash or never end, tried in a child process first.
#pragma once
#include <functional>

namespace myriad::results {

enum class TrialEnd { by_itself, crashed, endless };

struct TrialLimits {
    unsigned processor_seconds, wall_seconds;
};

// Runs `action` in a child that ends at either limit. Changes of memory are lost and exceptions are swallowed; it must
// not print. `endless` is only who computes up to its limit: `by_itself`, too, where the system gives no child and
// where the child waits for something, be it a slow disk or a lock that another thread held when it was made.
TrialEnd try_in_child(const TrialLimits& limits, const std::function<void()>& action);

}  // namespace myriad::results
