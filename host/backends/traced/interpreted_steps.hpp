// Steps of a study by an interpreter: a tape (host/graph/tape.hpp) that runs on blocks of instances, without a
// compiler.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "host/backends/traced/trace.hpp"
#include "host/graph/tape.hpp"

namespace myriad::backends {

class InterpretedSteps {
  public:
    // Slots of a launch that are stepped together.
    static constexpr int block = 64;

    // Null where trace_run() does not handle the task.
    static std::unique_ptr<InterpretedSteps> of(const Task& task);
    ~InterpretedSteps();
    // The groups [first, first + count) of `block` slots each. From several threads at once.
    void advance(const Launch<double>& launch, long long first, long long count) const;

  private:
    class Worker;
    InterpretedSteps(const TracedRun& run, const Task& task);
    std::unique_ptr<Worker> worker() const;

    graph::Tape step_, end_;
    int record_fields_, observed_, states_, quantities_, progress_;
    mutable std::mutex lock_;
    mutable std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace myriad::backends
