#include "host/backends/backends.hpp"

#include <algorithm>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/reference/reference.hpp"
#include "host/backends/several_devices.hpp"
#include "host/backends/stand_in.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"

#if defined(MYRIAD_HAS_CUDA)
#include "host/backends/cuda/cuda.hpp"
#endif

namespace myriad::backends {

#if !defined(MYRIAD_HAS_CUDA)
namespace {

constexpr const char* built_without_cuda =
    "this program was built without CUDA; build it where the headers of CUDA 12 or 13 are";

Availability cuda_availability(const Settings&) { return {names::cuda, false, built_without_cuda}; }
int cuda_devices() { return 0; }
std::unique_ptr<LateBackend> make_cuda_backend(const Settings&) {
    throw UserError(ExitCode::device, "--backend cuda", built_without_cuda, "use --backend cpu");
}
std::unique_ptr<SteppedLaunches> make_cuda_launches(const Settings& settings, const Task&, std::uint64_t,
                                                    const double*) {
    make_cuda_backend(settings);
    return nullptr;
}

}  // namespace
#endif

namespace {

// The GPUs that the settings ask for: a rank has one.
std::vector<int> chosen_devices(const Settings& settings) {
    const int there = cuda_devices();
    std::vector<int> chosen = settings.devices;
    if (chosen.empty() && settings.rank_on_node) chosen = {*settings.rank_on_node % std::max(1, there)};
    for (int number = 0; settings.devices.empty() && !settings.rank_on_node && number < there; ++number)
        chosen.push_back(number);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::string where = "--devices " + std::to_string(chosen[i]);
        if (there > 0 && (chosen[i] < 0 || chosen[i] >= there))
            throw UserError(ExitCode::usage_or_input, where, "there is no GPU of this number",
                            there == 1 ? "there is one, 0" : "there are those from 0 to " + std::to_string(there - 1));
        if (std::count(chosen.begin(), chosen.end(), chosen[i]) > 1)
            throw UserError(ExitCode::usage_or_input, where, "it is named twice", "name each GPU once");
    }
    return chosen;
}

std::unique_ptr<Backend> make_cuda(const Settings& settings) {
    const std::vector<int> devices = chosen_devices(settings);
    const auto of_device = [](const Settings& given, int device) {
        Settings own = given;
        own.devices = {device};
        return own;
    };
    if (devices.size() > 1)
        return make_several_devices(devices, settings, [&](int device, const Settings& given) {
            return make_cuda_backend(of_device(given, device));
        });
    return make_cuda_backend(devices.empty() ? settings : of_device(settings, devices.front()));
}

// A GPU or a form of kernels that is asked for by name is waited for.
bool may_start_at_once(const Settings& settings) {
    return settings.starts_at_once && settings.kernels.empty() && settings.devices.empty();
}
std::unique_ptr<Backend> make_cuda_at_once(const Settings& settings) {
    const auto stand_in = [settings](const Task&) { return make_cpu_backend(settings); };
    const std::vector<int> devices = chosen_devices(settings);
    // Several are waited for, but what none of them takes is left to the CPU.
    if (devices.size() > 1) return make_with_stand_in(make_cuda(settings), stand_in, settings);
    Settings of_cuda = settings;
    of_cuda.notice = {};  // it would speak of waiting
    if (!devices.empty()) of_cuda.devices = devices;
    return make_with_stand_in(make_cuda_backend(of_cuda), stand_in, settings);
}

// In the order in which `auto` tries them.
struct Known {
    const char* name;
    Availability (*availability)(const Settings&);
    std::unique_ptr<Backend> (*make)(const Settings&);
};
constexpr Known known[] = {
    {names::cuda, cuda_availability, make_cuda},
    {names::cpu,
     [](const Settings&) {
         return Availability{names::cpu, true, cpu_description()};
     },
     make_cpu_backend},
    {names::reference,
     [](const Settings&) {
         return Availability{names::reference, true,
                             "independent implementation with Eigen, one thread, for validation"};
     },
     make_reference_backend},
};

// `auto` takes the backend that has the form of steps which is asked for.
std::string with_its_form(const std::string& name, const Settings& settings) {
    if (settings.kernels != names::interpreted_kernels || name == names::cpu) return name;
    if (name == names::automatic) return names::cpu;
    throw UserError(ExitCode::usage_or_input, "--kernels interpreted",
                    "it is a form of --backend cpu, and this run takes --backend " + name,
                    "leave --kernels out, or take --backend cpu");
}

}  // namespace

std::vector<Availability> backends() {
    std::vector<Availability> all;
    for (const Known& one : known) all.push_back(one.availability({}));
    return all;
}

std::unique_ptr<Backend> make_backend(const std::string& wanted, const Settings& settings) {
    const std::string name = with_its_form(wanted, settings);
    std::vector<std::string> all{names::automatic};
    for (const Known& one : known) {
        if (name == names::automatic && one.availability(settings).available)
            return one.make == make_cuda && may_start_at_once(settings) ? make_cuda_at_once(settings)
                                                                        : one.make(settings);
        if (name == one.name) return one.make(settings);
        all.emplace_back(one.name);
    }
    throw UserError(ExitCode::usage_or_input, "--backend " + name, "there is no backend of this name",
                    "use one of: " + list_of(all));
}

StepByStep step_by_step(const std::string& wanted, const Settings& settings, const Task& task, std::uint64_t count,
                        const double* varied) {
    const std::string name = with_its_form(wanted, settings);
    if (name == names::cuda || (name == names::automatic && cuda_availability(settings).available)) {
        Settings own = settings;
        if (const std::vector<int> devices = chosen_devices(settings); !devices.empty())
            own.devices = {devices.front()};
        try {
            return StepByStep(make_cuda_launches(own, task, count, varied));
        } catch (const UserError& error) {
            if (name == names::cuda || error.exit_code() != ExitCode::device) throw;
            if (settings.notice) settings.notice(not_on_the_gpu(error));
        }
    }
    if (name == names::cpu || name == names::automatic)
        return {task,
                count,
                varied,
                settings.width,
                settings.threads > 0 ? settings.threads : hardware_threads(),
                settings.kernels};
    const std::vector<std::string> able{names::automatic, names::cuda, names::cpu};
    throw UserError(ExitCode::usage_or_input, "backend " + name, "it keeps no instances in memory to be stepped",
                    "use one of: " + list_of(able));
}

std::vector<std::string> idle_settings(const std::string& name, const Settings& settings, const Task& task) {
    std::vector<std::string> idle;
    const std::string runs_here = ", and this run takes --backend " + name;
    if (settings.width != 0 && name != names::cpu)
        idle.push_back("--width " + std::to_string(settings.width) +
                       " changes nothing: it is a choice of --backend cpu" + runs_here);
    if (!settings.devices.empty() && name != names::cuda)
        idle.push_back("--devices changes nothing: it is a choice of --backend cuda" + runs_here);
    if (settings.kernels.empty()) return idle;
    const std::string option = "--kernels " + settings.kernels + " changes nothing: it is a choice ";
    if (name != names::cpu)
        idle.push_back(option + "of --backend cpu" + runs_here);
    else if (task.mechanism == nullptr)
        idle.push_back(option + "for mechanisms, and this study is of the system " + task.system +
                       ", whose kernels have one form");
    else if (settings.kernels == names::compiled_kernels && task.precision != Precision::fp64)
        idle.push_back(option + "for double precision on a CPU");
    return idle;
}

std::string not_on_the_gpu(const UserError& error) {
    return "not on the GPU: " + error.where() + ": " + error.what_is_wrong();
}

std::string twin_of(const std::string& name) { return name == names::reference ? names::cpu : names::reference; }

}  // namespace myriad::backends
