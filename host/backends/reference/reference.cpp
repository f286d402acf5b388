#include "host/backends/reference/reference.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "host/backends/interface/instance_watch.hpp"
#include "host/backends/interface/tiles.hpp"
#include "host/backends/reference/reference_channels.hpp"
#include "host/backends/reference/reference_contacts.hpp"
#include "host/backends/reference/reference_warnings.hpp"
#include "host/catalog/system_description.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/reference/run_reference.hpp"
#include "host/text/user_error.hpp"
#include "kernels/math/rotation.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/status.hpp"

namespace myriad::backends {

namespace {

// Chooses the quaternion of a body's orientation, of two, that goes on from the state before, as the kernels do.
class ContinuousOrientations {
  public:
    explicit ContinuousOrientations(int bodies) : seen_(static_cast<std::size_t>(bodies)), sign_(seen_.size(), 1.0) {}

    void follow(const std::function<double(int)>& channel) {
        for (std::size_t b = 0; b < seen_.size(); ++b) {
            std::array<double, 4> now{};
            for (std::size_t k = 0; k < now.size(); ++k)
                now[k] = channel(static_cast<int>(b) * body_channels + orientation_channel + static_cast<int>(k));
            sign_[b] = std::inner_product(now.begin(), now.end(), seen_[b].begin(), 0.0) < 0.0 ? -1.0 : 1.0;
            for (std::size_t k = 0; k < now.size(); ++k) seen_[b][k] = sign_[b] * now[k];
        }
    }
    double sign(int channel) const {
        const int part = channel % body_channels;
        const bool is_orientation = channel < static_cast<int>(sign_.size()) * body_channels &&
                                    orientation_channel <= part && part < velocity_channel;
        return is_orientation ? sign_[static_cast<std::size_t>(channel / body_channels)] : 1.0;
    }

  private:
    std::vector<std::array<double, 4>> seen_;
    std::vector<double> sign_;
};

// It iterates down to round-off, which takes some corrections more than the tolerance of a study.
constexpr int most_newton_iterations_at_least = 50;

// The reference path gives its reasons in words; the codes of a result are coarser.
Reason reason_of(Status status, bool is_mechanism) {
    switch (status) {
        case Status::ok:
            return Reason::none;
        case Status::step_too_small:
            return Reason::step_below_smallest;
        case Status::step_limit:
            return Reason::attempts_used_up;
        case Status::step_rotation_too_large:
            return Reason::rotation_beyond_series;
        case Status::chart_singular:
            return Reason::chart_at_its_singularity;
        case Status::invalid_parameter:
            return Reason::parameters_refused;
        case Status::newton_stalled:
            return Reason::newton_did_not_converge;
        case Status::prox_stalled:
            return Reason::prox_did_not_converge;
        case Status::singular_matrix:
            return Reason::matrix_singular;
        case Status::assembly_failed:
            return is_mechanism ? Reason::constraints_inconsistent : Reason::start_penetrates;
        default:
            return Reason::state_not_finite;
    }
}

Status status_of(const std::string& name) {
    for (int i = 0; i < status_count; ++i)
        if (name == name_of(static_cast<Status>(i))) return static_cast<Status>(i);
    throw std::logic_error("the reference path ended with the unknown status " + name);
}

// How an instance ended, beside what its InstanceWatch holds.
struct End {
    std::string status;
    long steps, rejected;
    double time_s;
    Reason reason = Reason::none;  // where the status leaves it open
    std::int32_t warnings = 0;
};

class ReferenceBackend final : public Backend {
  public:
    explicit ReferenceBackend(const Settings& settings) : settings_(settings) {}

    const char* name() const override { return names::reference; }
    std::string device() const override { return "reference path (Eigen), 1 thread"; }
    int buffers() const override { return 1; }

    MemoryPlan prepare(const Task& task, std::uint64_t instances) override {
        task_ = task;
        system_ = task.mechanism ? study::description_of(*task.mechanism)
                                 : study::find_system(task.system, "reference backend");
        certificate_ =
            study::certificate_of(system_, study::find_integrator_for(system_, task.integrator, "reference backend"));
        shape_ = shape_of(task, body_channels * static_cast<int>(system_.body_names.size()),
                          static_cast<int>(certificate_.size()), 0);
        certificate_channels_.clear();
        if (!task.mechanism)
            for (const study::CertificateEntry& entry : system_.certificate)
                certificate_channels_.push_back(system_.scalar_channel(entry.name, "reference backend"));
        seconds_ = 0.0;
        return {bytes_per_instance(shape_, sizeof(double)), std::uint64_t{1} << 30,
                settings_.chunk ? settings_.chunk : std::max<std::uint64_t>(1, std::min<std::uint64_t>(instances, 64)),
                1};
    }
    Shape shape() const override { return shape_; }
    void start(int, std::uint64_t count, const double* varied) override {
        count_ = count;
        varied_.assign(varied, varied + count * (static_cast<std::uint64_t>(shape_.varied) + varied_numbers()));
    }
    bool finish(int, Chunk& chunk, const std::atomic<bool>& stop) override;
    double compute_seconds() const override { return seconds_; }

  private:
    std::vector<double> parameters(std::uint64_t instance) const;
    std::vector<double> numbers(std::uint64_t instance) const;  // of the mechanism's file
    std::uint64_t varied_numbers() const { return task_.mechanism ? task_.varied_parameters->varied().size() : 0; }
    reference::StepControl control() const;
    std::vector<double> observation_times_s() const;
    long most_steps() const;
    int most_newton_iterations() const;
    reference::Settings formula_settings() const;
    reference::MechanismSettings mechanism_settings() const;
    double scalar(const reference::Observables& observables, int channel) const;
    // A value that an integrator adds to the certificate: an observable, or a component of one.
    static double added(const reference::Observables& observables, const std::string& entry);
    void tell(std::uint64_t instance, double time_s) const;
    End run_formula(std::uint64_t instance, InstanceWatch& watch, Chunk& chunk) const;
    End run_mechanism(std::uint64_t instance, InstanceWatch& watch, Chunk& chunk) const;

    Settings settings_;
    Task task_;
    study::SystemDescription system_;
    std::vector<study::CertificateEntry> certificate_;
    std::vector<int> certificate_channels_;  // of a formula's own entries
    Shape shape_;
    std::uint64_t count_ = 0;
    std::vector<double> varied_;
    double seconds_ = 0.0;
    mutable std::chrono::steady_clock::time_point told_{};
};

// Within an instance too, but not after each step.
void ReferenceBackend::tell(std::uint64_t instance, double time_s) const {
    constexpr auto interval = std::chrono::seconds(1);
    const auto now = std::chrono::steady_clock::now();
    if (!settings_.progress || now - told_ < interval) return;
    told_ = now;
    settings_.progress((static_cast<double>(instance) + time_s / task_.schedule.end_s) / static_cast<double>(count_));
}

std::vector<double> ReferenceBackend::parameters(std::uint64_t instance) const {
    std::vector<double> values = task_.parameters;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int field = task_.plan.varied[i];
        if (field >= 0) values[i] = varied_[static_cast<std::uint64_t>(field) * count_ + instance];
    }
    return values;
}

std::vector<double> ReferenceBackend::numbers(std::uint64_t instance) const {
    std::vector<double> sampled;
    for (std::uint64_t k = 0; k < varied_numbers(); ++k)
        sampled.push_back(varied_[(static_cast<std::uint64_t>(shape_.varied) + k) * count_ + instance]);
    return task_.varied_parameters->numbers(sampled);
}

reference::StepControl ReferenceBackend::control() const {
    reference::StepControl control;
    control.relative_tolerance = task_.schedule.relative_tolerance;
    control.absolute_tolerance = task_.schedule.absolute_tolerance;
    control.initial_step_s = task_.schedule.initial_step_s;
    control.smallest_step_s = task_.schedule.smallest_step_s;
    control.largest_step_s = task_.schedule.largest_step_s;
    return control;
}

// The times of rows, at which steps end that a method chooses itself.
std::vector<double> ReferenceBackend::observation_times_s() const {
    std::vector<double> times;
    if (task_.schedule.observe_s > 0.0)
        for (long row = 0; row < static_cast<long>(task_.schedule.rows); ++row)
            times.push_back(std::min(static_cast<double>(row) * task_.schedule.observe_s, task_.schedule.end_s));
    return times;
}

long ReferenceBackend::most_steps() const {
    if (task_.schedule.step_s > 0.0) return std::numeric_limits<long>::max();
    return static_cast<long>(std::min(task_.schedule.most_attempts, 1e15));
}

int ReferenceBackend::most_newton_iterations() const {
    return std::max(static_cast<int>(task_.schedule.most_newton_iterations), most_newton_iterations_at_least);
}

reference::Settings ReferenceBackend::formula_settings() const {
    reference::Settings settings;
    settings.chart = task_.chart;
    settings.end_s = task_.schedule.end_s;
    settings.largest_step_rotation_rad = largest_step_rotation_rad;
    settings.most_steps = most_steps();
    settings.dexp_inverse =
        task_.schedule.full_dexp_inverse != 0.0 ? reference::DexpInverse::full : reference::DexpInverse::cut;
    settings.spectral_radius = task_.schedule.spectral_radius;
    settings.most_newton_iterations = most_newton_iterations();
    settings.contact = contact_method_of(task_.schedule);
    if (task_.schedule.step_s > 0.0)
        settings.step_s = task_.schedule.step_s;
    else
        settings.control = control(), settings.observation_times_s = observation_times_s();
    return settings;
}

reference::MechanismSettings ReferenceBackend::mechanism_settings() const {
    reference::MechanismSettings settings;
    settings.integrator = task_.integrator;
    settings.chart = task_.chart == "rotation_vector" ? "rotation" : task_.chart;
    // The twin of energy-momentum methods is in body coordinates.
    settings.joint_coordinates =
        task_.system == joint_mechanism_system &&
        !study::find_integrator_for(system_, task_.integrator, "reference backend").energy_momentum;
    settings.end_s = task_.schedule.end_s, settings.step_s = task_.schedule.step_s;
    settings.largest_step_rotation_rad = largest_step_rotation_rad;
    settings.most_steps = most_steps();
    settings.spectral_radius = task_.schedule.spectral_radius;
    settings.published_start = task_.schedule.published_start != 0.0;
    const bool is_newton = task_.integrator == "generalized_alpha" || task_.integrator == "implicit_euler",
               has_no_joints = task_.mechanism->table.joint.joints == 0;
    settings.passes_lost_rank =
        task_.schedule.exact_matrix != 0.0 || task_.integrator == "kinematics" || (is_newton && has_no_joints);
    settings.most_newton_iterations = most_newton_iterations();
    settings.contact = contact_method_of(task_.schedule);
    if (task_.schedule.step_s > 0.0) return settings;
    settings.control = control();
    for (const double time_s : observation_times_s())
        if (time_s > 0.0 && time_s < task_.schedule.end_s) settings.stops_s.push_back(time_s);
    return settings;
}

double ReferenceBackend::scalar(const reference::Observables& observables, int channel) const {
    const study::ScalarChannel& address = system_.scalars[static_cast<std::size_t>(channel)];
    const study::DescribedChannel& description = system_.channels[static_cast<std::size_t>(address.channel)];
    const auto& values = observables.at(description.name);
    if (address.component.empty()) return values[0];
    // The number of a component is the number of words before it.
    const std::string words = " " + description.components + " ";
    const auto found = static_cast<std::ptrdiff_t>(words.find(" " + address.component + " "));
    const std::ptrdiff_t component = std::count(words.begin(), words.begin() + found, ' ');
    if (!description.of_body) return values[component];
    const std::vector<std::string>& bodies = system_.body_names;
    const auto body = std::find(bodies.begin(), bodies.end(), address.body) - bodies.begin();
    return values[body * static_cast<std::ptrdiff_t>((description.components.size() + 1) / 2) + component];
}

double ReferenceBackend::added(const reference::Observables& observables, const std::string& entry) {
    if (entry == "potential_rise" || entry == "potential_fall") {
        const double potential = observables.at("energy")[0] - observables.at("kinetic_energy")[0];
        return entry == "potential_rise" ? potential : -potential;
    }
    const std::size_t dot = entry.find('.');
    const Eigen::VectorXd& values = observables.at(entry.substr(0, dot));
    return dot == std::string::npos ? values[0] : values[entry[dot + 1] - 'x'];
}

End ReferenceBackend::run_formula(std::uint64_t instance, InstanceWatch& watch, Chunk& chunk) const {
    reference::Parameters by_name;
    const std::vector<double> values = parameters(instance);
    for (std::size_t i = 0; i < values.size(); ++i) by_name[system_.parameters[i].address] = values[i];
    const reference::Observables* now = nullptr;
    const InstanceWatch::Channels channel = [&](int index) { return scalar(*now, index); };
    reference::Settings settings = formula_settings();
    const std::size_t own = certificate_channels_.size();
    std::vector<double> certified(certificate_.size());
    settings.after_step = [&](double time_s, const reference::Observables& observables) {
        now = &observables;
        for (std::size_t k = 0; k < own; ++k) certified[k] = channel(certificate_channels_[k]);
        for (std::size_t k = own; k < certified.size(); ++k) certified[k] = added(observables, certificate_[k].name);
        watch.after_step(time_s, channel, certified);
        tell(instance, time_s);
    };
    settings.before_jump = [&](double time_s, const reference::Observables& observables) {
        now = &observables;
        watch.before_jump(time_s, channel, false);
    };
    settings.behind_jump = [&](double time_s, const reference::Observables& observables) {
        now = &observables;
        watch.behind_jump(time_s, channel);
    };
    const reference::Result result = reference::run_reference(task_.system, task_.integrator, by_name, settings);
    now = &result.final_observables;
    watch.add_to(chunk, channel);
    return {result.status,
            result.steps_taken,
            result.steps_rejected,
            result.final_time_s,
            result.in_impact ? Reason::impact_did_not_converge : Reason::none,
            warnings_of_formula(by_name)};
}

End ReferenceBackend::run_mechanism(std::uint64_t instance, InstanceWatch& watch, Chunk& chunk) const {
    const MechanismTable& table = task_.mechanism->table;
    const std::vector<double> values = parameters(instance);
    const std::vector<double> given = numbers(instance);
    const reference::MechanismModel model = reference_model(*task_.mechanism, values, given);
    if (!describes_mechanism(*task_.mechanism, values, given, model, task_.system == joint_mechanism_system) ||
        (task_.integrator == "livens_midpoint" && !has_regular_inertias(model))) {
        watch.add_to(chunk, {});
        return {name_of(Status::invalid_parameter), 0, 0, 0.0, Reason::none, warnings_of_mechanism(model)};
    }
    const reference::MechanismSample* now = nullptr;
    ContinuousOrientations orientations(table.bodies);
    const InstanceWatch::Channels channel = [&](int index) {
        return orientations.sign(index) * reference_channel(table, values, model, *now, index);
    };
    const auto see = [&](const reference::MechanismSample& sample) {
        now = &sample;
        orientations.follow([&](int index) { return reference_channel(table, values, model, sample, index); });
    };
    reference::MechanismSettings settings = mechanism_settings();
    settings.after_step = [&](const reference::MechanismSample& sample) {
        see(sample);
        watch.after_step(sample.motion.state.time_s, channel, certificate_of(sample, task_.integrator));
        tell(instance, sample.motion.state.time_s);
    };
    settings.before_jump = [&](const reference::MechanismSample& sample, bool is_straight) {
        see(sample);
        watch.before_jump(sample.motion.state.time_s, channel, is_straight);
    };
    settings.behind_jump = [&](const reference::MechanismSample& sample) {
        see(sample);
        watch.behind_jump(sample.motion.state.time_s, channel);
    };
    settings.within_step = [&](const reference::MechanismSample& sample) {
        see(sample);
        watch.within_step(sample.motion.state.time_s, channel);
    };
    const reference::MechanismResult result = reference::run_reference_mechanism(model, settings);
    if (watch.began()) see(result.last);
    watch.add_to(chunk, channel);
    // The row goes where the kernels leave it.
    if (result.status == name_of(Status::assembly_failed))
        chunk.invariants_initial[chunk.invariants_initial.size() - certificate_.size() +
                                 MechanismCertificate::constraint_residual] = result.worst_row + 1.0;
    const Reason reason = result.start_penetrates                               ? Reason::start_penetrates
                          : result.in_impact                                    ? Reason::impact_did_not_converge
                          : result.rows_lose_rank                               ? Reason::rows_lose_rank
                          : result.status == name_of(Status::invalid_parameter) ? Reason::driver_breaks
                                                                                : Reason::none;
    return {result.status,
            result.steps_taken,
            result.steps_rejected,
            watch.began() ? result.last.motion.state.time_s : 0.0,
            reason,
            warnings_of_mechanism(model) |
                (result.rests_unstably ? static_cast<std::int32_t>(Warning::equilibrium_unstable) : 0)};
}

bool ReferenceBackend::finish(int, Chunk& chunk, const std::atomic<bool>& stop) {
    const auto started = std::chrono::steady_clock::now();
    told_ = started;
    chunk = {};
    chunk.count = count_;
    for (std::uint64_t i = 0; i < count_; ++i) {
        InstanceWatch watch(task_, shape_, certificate_, stop);
        End end;
        try {
            end = task_.mechanism ? run_mechanism(i, watch, chunk) : run_formula(i, watch, chunk);
        } catch (const InstanceWatch::Stopped&) {
            return false;
        }
        const Status status = status_of(end.status);
        chunk.status.push_back(static_cast<std::int32_t>(status));
        const Reason reason = end.reason == Reason::none ? reason_of(status, task_.mechanism != nullptr) : end.reason;
        chunk.reason.push_back(static_cast<std::int32_t>(reason));
        chunk.warnings.push_back(end.warnings);
        chunk.steps.push_back(end.steps);
        chunk.rejected.push_back(end.rejected);
        chunk.time_s.push_back(end.time_s);
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return true;
}

}  // namespace

std::unique_ptr<Backend> make_reference_backend(const Settings& settings) {
    return std::make_unique<ReferenceBackend>(settings);
}

}  // namespace myriad::backends
