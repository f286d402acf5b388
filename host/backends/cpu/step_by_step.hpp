// A task on the compiled kernels of the CPU, step by step: all that an instance is can be read after every step.
//
// The bits are those of a backend's run, because an instance depends neither on its neighbours nor on where launches
// end (kernels/run/advance.hpp). Not handled: memory larger than the machine's; backends do that.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "host/study/task.hpp"
#include "kernels/integrators/integrator.hpp"
#include "kernels/math/fields.hpp"

namespace myriad::backends {

// The present states where they lie, [tile][channel][32] of double or float (kernels/system/launch.hpp). The lanes of
// the last tile that no instance has are zero.
struct StateTiles {
    const void* values = nullptr;
    Precision precision = Precision::fp64;
    std::uint64_t tiles = 0;
    int channels = 0;
};

class StepByStep {
  public:
    // Begins `count` instances; `varied` holds [field][count] values of the varied parameters. `width` is that of
    // Settings; so many `threads` share the work of a launch. Throws UserError where the catalog lacks the member or
    // this processor the width.
    StepByStep(const Task& task, std::uint64_t count, const double* varied, int width = 0, int threads = 1);
    ~StepByStep();
    StepByStep(StepByStep&&) noexcept;
    StepByStep& operator=(StepByStep&&) noexcept;

    // At most `attempts` trial steps of each instance that runs. True while one still runs.
    bool advance(long long attempts = 1);
    // Steps until each instance has reached a time, to round-off, or has ended, or `stop`, which is asked some ten
    // times a second, says so. True while one still runs.
    bool advance_to(double time_s, const std::function<bool()>& stop = {});
    // Other values of the varied parameters, [field][count], from the next step on.
    void set_varied(const double* varied);
    // These instances begin anew, with their present parameters.
    void begin_again(const std::vector<unsigned int>& instances);

    std::uint64_t count() const;
    // Instances per vector register.
    int width() const;
    bool runs(std::uint64_t instance) const;
    std::vector<double> times_s() const;
    std::vector<std::int32_t> statuses() const;
    // Valid for the object's life; the values change with every launch.
    StateTiles states() const;
    // Time, steps, status, reason and their like, in the types of the record.
    Progress<double> progress(std::uint64_t instance) const;
    // All that an instance carries from launch to launch, field by field in the order of kernels/run/instance.hpp,
    // without its varied parameters.
    std::vector<double> record(std::uint64_t instance) const;
    // The same in the types of the kernels: Progress, Motion, the method's memory, Certificate, or the first ones of
    // them.
    template <class... Part>
    void read(std::uint64_t instance, Part&... parts) const {
        const std::vector<double> fields = record(instance);
        auto field = fields.begin();
        (visit_fields([&](double& value) { value = *field++; }, parts), ...);
    }
    // Channels and norms of the present state, [instance][wanted], whether the task observes them or not.
    std::vector<double> channels(std::span<const int> wanted) const;
    double channel(std::uint64_t instance, int wanted) const;
    // The chunk that a backend would hand on if every instance ended here: states, invariants, quantities and rows so
    // far.
    Chunk chunk() const;

  private:
    class Launches;
    template <class Number>
    class LaunchesOf;
    std::unique_ptr<Launches> launches_;
};

}  // namespace myriad::backends
