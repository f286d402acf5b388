// The instances of a study in memory, advanced piece by piece: between two pieces their states and channels can be read
// and their parameters changed, as a controller or an estimator does. Without changes the bits are those of run_study.
//
// A changed parameter counts from the next step on: what the method carries from step to step is renewed before it,
// where values have changed (Run::renew in kernels/run/advance.hpp). Positions and velocities stay as they are, but for
// rows that a new value opens; what the exact motion keeps, and with it the certificate, counts from the change. On a
// GPU states and channels stay in its memory. Not handled: files, retries of failed instances, on_failure.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/results/layout/instance_range.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

class SteppedEnsemble {
  public:
    // Draws the samples of `range` and begins these instances on `backend` (auto, cpu or cuda). Throws UserError where
    // the memory, the machine or the catalog does not allow it.
    SteppedEnsemble(std::shared_ptr<const study::Study> study, results::InstanceRange range, std::string backend,
                    backends::Settings settings);

    const study::Study& study() const { return *study_; }
    results::InstanceRange range() const { return range_; }
    const backends::StepByStep& steps() const { return steps_; }
    // What a run would hand on if every instance ended here. Modes are those of the present parameters.
    backends::Chunk chunk() const;
    // As StepByStep::advance_to.
    bool advance_to(double time_s, const std::function<bool()>& stop) { return steps_.advance_to(time_s, stop); }

    // [varied][instance]: the varied parameters in the order of the study.
    const std::vector<double>& parameters() const;
    // With `trial` instances are begun beside these: throws UserError, and changes nothing, where a running one could
    // not begin with its new values. Without, such values end it before its next step.
    void set_parameters(std::vector<double> parameters, bool trial);
    // One varied parameter from [instance] values in the memory of the ensemble's device, none of which are tried.
    // Those of a mechanism go through the host, because a kernel's parameters follow from them.
    void set_parameter_on_device(std::size_t field, const double* values);
    // These rows begin anew, with their present parameters.
    void begin_again(const std::vector<unsigned int>& rows) { steps_.begin_again(rows); }

  private:
    void require_a_start_with(const std::vector<double>& parameters) const;
    backends::StepByStep begun(const std::vector<double>& parameters) const;

    std::shared_ptr<const study::Study> study_;
    results::InstanceRange range_;
    std::string backend_;
    backends::Settings settings_;
    mutable std::vector<double> parameters_;
    mutable bool parameters_are_on_device_ = false;  // where they are newer
    backends::StepByStep steps_;
};

}  // namespace myriad::ensemble
