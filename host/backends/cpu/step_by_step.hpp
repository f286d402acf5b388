// A task step by step, on the kernels or the interpreted steps of the CPU, or on the launches of another backend: all
// that an instance is can be read after every step.
//
// The bits are those of a backend's run, because an instance depends neither on its neighbours nor on where launches
// end (kernels/run/advance.hpp). Not handled: memory larger than the machine's; backends do that.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/backends/interface/stepped_launches.hpp"
#include "host/study/task.hpp"
#include "kernels/integrators/integrator.hpp"
#include "kernels/math/fields.hpp"

namespace myriad::backends {

class StepByStep {
  public:
    // Begins `count` instances; `varied` holds [field][count] values of the varied parameters. `width` and `kernels`
    // are those of Settings; so many `threads` share the work of a launch. Throws UserError where the catalog lacks the
    // member or this processor the width, and as compiled_function() does.
    StepByStep(const Task& task, std::uint64_t count, const double* varied, int width = 0, int threads = 1,
               const std::string& kernels = names::interpreted_kernels);
    // On a backend whose instances have begun.
    explicit StepByStep(std::unique_ptr<SteppedLaunches> launches) : launches_(std::move(launches)) {}

    // At most `attempts` trial steps of each instance that runs. True while one still runs.
    bool advance(long long attempts = 1);
    // Steps until each instance has reached a time, to round-off, or has ended, or `stop`, which is asked some ten
    // times a second, says so. True while one still runs.
    bool advance_to(double time_s, const std::function<bool()>& stop = {});
    // Other values of the varied parameters, [field][count], for the next advance, before which the instances that they
    // change are renewed; of one, [count] on the backend's device; and those of now.
    void set_varied(const double* varied);
    void set_varied_on_device(int field, const double* values);
    std::vector<double> varied() const;
    // From the memory of the backend's device.
    void fetch(const void* from, std::uint64_t bytes, void* to) const { launches_->fetch(from, bytes, to); }
    // These instances begin anew, with their present parameters.
    void begin_again(const std::vector<unsigned int>& instances);

    std::uint64_t count() const;
    // Instances per vector register.
    int width() const;
    bool runs(std::uint64_t instance) const;
    std::vector<double> times_s() const;
    std::vector<std::int32_t> statuses() const;
    // Valid for the object's life; the values change with every launch. Channels are a copy.
    Tiles states() const;
    Tiles channel_tiles(std::span<const int> wanted) const;
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
    std::unique_ptr<SteppedLaunches> launches_;
};

}  // namespace myriad::backends
