#include "host/ensemble/stepped_ensemble.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/interface/backend.hpp"
#include "host/ensemble/instances/linear_analysis.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {

namespace {

std::vector<double> samples_of(const study::Study& study, results::InstanceRange range) {
    std::vector<double> samples(study.varied.size() * range.count);
    if (!samples.empty()) study.sampler().sample(range.first, range.count, samples.data());
    return samples;
}

}  // namespace

SteppedEnsemble::SteppedEnsemble(std::shared_ptr<const study::Study> study, results::InstanceRange range,
                                 std::string backend, backends::Settings settings)
    : study_(std::move(study)),
      range_(range),
      backend_(std::move(backend)),
      settings_(std::move(settings)),
      parameters_(samples_of(*study_, range)),
      steps_(begun(parameters_)) {}

backends::StepByStep SteppedEnsemble::begun(const std::vector<double>& parameters) const {
    const std::vector<double> fields = record_parameters(*study_, range_.count, parameters, settings_.threads);
    return backends::step_by_step(backend_, settings_, study_->task(), range_.count, fields.data());
}

backends::Chunk SteppedEnsemble::chunk() const {
    backends::Chunk chunk = steps_.chunk();
    if (study_->has_modes()) {
        const std::vector<double> fields = record_parameters(*study_, range_.count, parameters(), settings_.threads);
        add_modes(*study_, analyse_linearly(*study_, backends::names::cpu, range_.count, fields, settings_.threads),
                  chunk);
    }
    return chunk;
}

void SteppedEnsemble::set_parameters(std::vector<double> parameters, bool trial) {
    if (trial) require_a_start_with(parameters);
    const std::vector<double> fields = record_parameters(*study_, range_.count, parameters, settings_.threads);
    steps_.set_varied(fields.data());
    parameters_ = std::move(parameters), parameters_are_on_device_ = false;
}

const std::vector<double>& SteppedEnsemble::parameters() const {
    if (parameters_are_on_device_) parameters_ = steps_.varied(), parameters_are_on_device_ = false;
    return parameters_;
}

void SteppedEnsemble::set_parameter_on_device(std::size_t field, const double* values) {
    const backends::Task task = study_->task();
    if (!task.mechanism && task.precision == backends::Precision::fp64) {
        steps_.set_varied_on_device(static_cast<int>(field), values);
        parameters_are_on_device_ = true;
        return;
    }
    std::vector<double> parameters = this->parameters();
    steps_.fetch(values, range_.count * sizeof(double), parameters.data() + field * range_.count);
    set_parameters(std::move(parameters), false);
}

void SteppedEnsemble::require_a_start_with(const std::vector<double>& parameters) const {
    const std::vector<std::int32_t> before = steps_.statuses(), begun_anew = begun(parameters).statuses();
    for (std::uint64_t i = 0; i < range_.count; ++i) {
        const bool runs = before[i] == static_cast<std::int32_t>(Status::running);
        const auto status = static_cast<Status>(begun_anew[i]);
        if (runs && status != Status::running && status != Status::ok)
            refuse_at("instance " + std::to_string(range_.first + i),
                      std::string("with its new parameters it could not begin: ") + name_of(status),
                      "nothing was changed; give values with which the instance could have begun");
    }
}

}  // namespace myriad::ensemble
