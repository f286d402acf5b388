// Something that may crash or never end, tried in a child process first.
#pragma once
#include <functional>

namespace myriad::results {

enum class TrialEnd { by_itself, crashed, endless };

// Runs `action` in a child, with at most `seconds` of processor time. Changes of memory are lost and exceptions are
// swallowed; it must not print. `by_itself`, too, where the system gives no child.
TrialEnd try_in_child(unsigned seconds, const std::function<void()>& action);

}  // namespace myriad::results
