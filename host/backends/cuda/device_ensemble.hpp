// Chunks of one task on a GPU: two of them may be in flight, one computing while the other is copied.
//
// All kernels run in one stream, so that their time is theirs alone; each chunk has another one for its copies, and
// events order the two. A fixed step needs as many launches as its steps ask for; adaptive instances go round by round:
// run, look who still runs, sort them by remaining cost, run those. So do instances with contact: after each launch
// those that it has left behind catch up (catch_up.hpp).
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "host/backends/cuda/device_task.hpp"
#include "host/study/task.hpp"

namespace myriad::backends::cuda {

inline constexpr int chunks_in_flight = 2;

class DeviceEnsemble {
  public:
    virtual ~DeviceEnsemble() = default;
    // As in Backend.
    virtual void start(int buffer, std::uint64_t count, const double* varied) = 0;
    virtual bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop) = 0;
    virtual double compute_seconds() const = 0;
};

// `compiled` are the kernels of the task; `compile` brings others when they are first needed. `progress`, which may be
// empty, as in Settings.
std::unique_ptr<DeviceEnsemble> make_device_ensemble(std::shared_ptr<const Device> device, const Task& task,
                                                     const Shape& shape, bool adaptive, const CompiledTask& compiled,
                                                     Compile compile, std::function<void(double share)> progress);

}  // namespace myriad::backends::cuda
