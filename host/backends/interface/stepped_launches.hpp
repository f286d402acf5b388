// What a backend offers to drive a task step by step: launches over its instances, and what they left in its memory.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/study/task.hpp"

namespace myriad::backends {

// Numbers where they lie, [tile][row][32] of double or float (kernels/system/launch.hpp), `stride` numbers from tile to
// tile. In the lanes of the last tile that no instance has stands nothing of use.
struct Tiles {
    static constexpr int host = -1;
    const void* values = nullptr;
    Precision precision = Precision::fp64;
    std::uint64_t tiles = 0;
    int rows = 0;
    std::uint64_t stride = 0;
    int device = host;                       // or the number of a GPU among those that CUDA shows
    std::shared_ptr<const void> owner = {};  // keeps the numbers; null where the launches do
};

class SteppedLaunches {
  public:
    virtual ~SteppedLaunches() = default;
    // At most `attempts` trial steps of these instances. Before, those whose varied parameters are others than when
    // they were last advanced or begun are renewed (kernels/run/advance.hpp), all of them.
    virtual void advance(const std::vector<unsigned int>& order, long long attempts) = 0;
    // These instances begin, with their present parameters.
    virtual void begin(const std::vector<unsigned int>& order) = 0;
    // [field][count] values of the varied parameters.
    virtual void set_varied(const double* varied) = 0;
    // One of them, of instances in double precision: [count] values in the memory of the device. Throws UserError where
    // the launches have no device.
    virtual void set_varied_on_device(int field, const double* values) = 0;
    // Bytes in the memory of the device, brought to the host. Throws as above.
    virtual void fetch(const void* from, std::uint64_t bytes, void* to) const = 0;
    // [field][count], as they are.
    virtual std::vector<double> varied() const = 0;

    // Without the varied parameters.
    virtual std::vector<double> record(std::uint64_t instance) const = 0;
    virtual std::vector<double> times_s() const = 0;
    virtual std::vector<std::int32_t> statuses() const = 0;
    // Valid for the life of the launches, whose values change with every launch; and channels, which are a copy.
    virtual Tiles states() const = 0;
    virtual Tiles channel_tiles(std::span<const int> wanted) const = 0;
    // [instance][wanted]
    virtual std::vector<double> channels(std::span<const int> wanted) const = 0;
    virtual Chunk chunk() const = 0;

    // Instances per vector register.
    virtual int width() const = 0;
    // Of a time that steps have added up, relative.
    virtual double round_off() const = 0;
    // How many steps from one time to a later one certainly do not pass it; at least 1.
    virtual long long sure_steps(double from_s, double to_s) const = 0;
    // Of so many instances in some tenth of a second; at least 1.
    virtual long long steps_between_looks(std::uint64_t running) const = 0;

    std::uint64_t count = 0;
    std::vector<unsigned int> running;  // in the order of their numbers
};

// The task whose quantities are these channels or norms of the present state, at most most_quantities of them.
Task looking_task(const Task& task, std::span<const int> wanted);
// For methods with a fixed step; `adaptive` ones may pass any time with one step.
long long sure_steps_of(const Schedule& schedule, bool adaptive, double from_s, double to_s);

}  // namespace myriad::backends
