// A backend runs chunks of an ensemble. It knows nothing of mechanics, of studies or of files.
//
// Usage: prepare(task), then for each chunk start(buffer, ...) and finish(buffer, ...); up to `buffers()` chunks may be
// in flight, so that a device computes one while another is copied.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/statistics/statistics.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

struct MemoryPlan {
    std::uint64_t bytes_per_instance = 0;
    std::uint64_t bytes_available = 0;      // to Myriad, of the backend's memory
    std::uint64_t instances_per_chunk = 0;  // at most; at least 1
    std::uint64_t smallest_chunk = 1;       // with fewer instances a part of the hardware would idle
};

struct Settings {
    int threads = 0;          // cpu: 0 takes every core
    int width = 0;            // cpu: instances per vector register, 1, 4 or 8; 0 takes the widest the processor has
    std::uint64_t chunk = 0;  // instances per chunk; 0 lets the backend choose
    // cuda: of several GPUs the one with this number, modulo how many there are
    std::optional<int> rank_on_node = {};
    std::vector<int> devices = {};  // cuda: the GPUs to take, by their numbers; with none all of them, or the one above
    // auto: begin on the CPU, or on the GPU by kernels that are kept, while this study's are compiled
    bool starts_at_once = false;
    std::string kernels = {};  // for mechanisms in joint coordinates: one of the names below, or empty
    std::function<void(const std::string&)> notice =
        {};  // told what keeps prepare() busy for seconds, before it does, and what is not done as asked
    // Told in finish(), now and then, which share of the chunk's span is done: 0 to 1, over all its instances.
    std::function<void(double share)> progress = {};
};

class Backend {
  public:
    virtual ~Backend() = default;
    virtual const char* name() const = 0;    // one of the names below
    virtual std::string device() const = 0;  // a line about the hardware and how it is used
    virtual int buffers() const = 0;

    // Compiles or looks up the task's kernels and plans memory. Throws UserError where the task or the device does not
    // allow it.
    virtual MemoryPlan prepare(const Task& task, std::uint64_t instances) = 0;
    virtual Shape shape() const = 0;

    // Begins a chunk: `varied` holds [field][count] values of the varied parameters and is copied before the return.
    // Behind them stand the numbers of a mechanism's file that vary, which the reference path reads.
    virtual void start(int buffer, std::uint64_t count, const double* varied) = 0;
    // Waits for the chunk. False where `stop` was raised before the end: then this chunk, and nothing else, is lost.
    virtual bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop) = 0;
    // A column of finished instances reduced and sorted: on the device where the backend has one, with the same bits.
    virtual study::SortedSample sorted_sample(std::span<const double> values, std::span<const unsigned char> included,
                                              std::uint64_t first, std::uint64_t stride) const {
        return study::sorted_sample(values, included, first, stride);
    }
    // Seconds the device computed since prepare, copies and waiting left out.
    virtual double compute_seconds() const = 0;
    // What it does beside computing chunks, for a progress line; mostly nothing.
    virtual std::string doing() const { return {}; }
    // The compiler of the task's kernels and the driver below them, for errors.
    virtual std::string tools() const { return {}; }
};

namespace names {
inline constexpr const char *automatic = "auto", *cuda = "cuda", *cpu = "cpu", *reference = "reference";
// Steps of the cpu backend: compiled for the study; the traced step by an interpreter; and, for tests and debuggers,
// the program's kernels on plain doubles.
inline constexpr const char *compiled_kernels = "compiled", *interpreted_kernels = "interpreted",
                            *double_kernels = "double";
}  // namespace names

struct Availability {
    std::string name;
    bool available = false;
    std::string detail;  // the device, or why it is not there and what to do
};

}  // namespace myriad::backends
