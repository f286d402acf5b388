// A backend that may have to compile a task's kernels, which takes seconds, before it can run the first chunk.
#pragma once
#include "host/backends/interface/backend.hpp"

namespace myriad::backends {

struct PreparingStopped {};

class LateBackend : public Backend {
  public:
    // Whether prepare() would compile now.
    virtual bool has_to_compile(const Task& task) const = 0;
    // What prepare() returns, as far as it is known without kernels. Throws UserError as prepare() does.
    virtual MemoryPlan plan(const Task& task, std::uint64_t instances) = 0;
    // prepare() on a thread of its own. It throws PreparingStopped soon after `stopped` was raised.
    virtual MemoryPlan prepare_unless(const std::atomic<bool>& stopped, const Task& task, std::uint64_t instances) = 0;
    MemoryPlan prepare(const Task& task, std::uint64_t instances) final {
        return prepare_unless(std::atomic<bool>{false}, task, instances);
    }
};

}  // namespace myriad::backends
