#include "host/ensemble/instances/device_comparison.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/backends/backends.hpp"
#include "host/backends/interface/other_bits.hpp"

namespace myriad::ensemble {

namespace {

constexpr double largest_share = 0.05;  // of the run's time, for what is compared after the first chunk

// The first instance whose numbers differ, or `count`.
template <class Number>
std::uint64_t first_difference(const std::vector<Number>& of_device, const std::vector<Number>& of_cpu,
                               std::uint64_t count) {
    const std::size_t each = of_cpu.size() / count;
    for (std::uint64_t i = 0; i < count; ++i)
        if (each > 0 && std::memcmp(&of_device[i * each], &of_cpu[i * each], each * sizeof(Number)) != 0) return i;
    return count;
}

}  // namespace

DeviceComparison::DeviceComparison(backends::Task task, std::string study)
    : task_(std::move(task)), study_(std::move(study)), began_(std::chrono::steady_clock::now()) {}

std::vector<double> DeviceComparison::compared_of(const std::vector<double>& fields, std::uint64_t count) {
    const std::uint64_t compared = std::min(count, most_instances);
    std::vector<double> some;
    for (std::uint64_t first = 0; first < fields.size(); first += count)
        some.insert(some.end(), &fields[first], &fields[first] + compared);
    return some;
}

bool DeviceComparison::compare(const std::string& device, const std::string& tools, std::uint64_t first_instance,
                               const std::vector<double>& compared, const backends::Chunk& chunk,
                               const std::atomic<bool>& stop) {
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto seconds = [](auto duration) { return std::chrono::duration<double>(duration).count(); };
    const auto started = now();
    if (cpu_ && seconds_ > largest_share * seconds(started - began_)) return true;
    if (!cpu_) {
        backends::Settings settings;
        settings.threads = 1;
        cpu_ = backends::make_backend(backends::names::cpu, settings);
        cpu_->prepare(task_, most_instances);
    }
    const std::uint64_t count = std::min(chunk.count, most_instances);
    cpu_->start(0, count, compared.data());
    backends::Chunk expected;
    if (!cpu_->finish(0, expected, stop)) return false;
    seconds_ += seconds(now() - started);

    std::uint64_t instance = count;
    const char* what = "";
    const auto look_at = [&](const char* name, const auto& of_device, const auto& of_cpu) {
        const std::uint64_t found = first_difference(of_device, of_cpu, count);
        if (found < instance) instance = found, what = name;
    };
    look_at("status", chunk.status, expected.status), look_at("reason", chunk.reason, expected.reason);
    look_at("warnings", chunk.warnings, expected.warnings), look_at("steps", chunk.steps, expected.steps);
    look_at("rejected steps", chunk.rejected, expected.rejected), look_at("time", chunk.time_s, expected.time_s);
    look_at("initial state", chunk.initial_state, expected.initial_state);
    look_at("final state", chunk.final_state, expected.final_state);
    look_at("certificate at the start", chunk.invariants_initial, expected.invariants_initial);
    look_at("certificate", chunk.invariants_drift, expected.invariants_drift);
    look_at("quantities", chunk.quantities, expected.quantities);
    look_at("trajectory", chunk.trajectory, expected.trajectory);
    if (instance == count) return true;
    backends::refuse_other_bits(device, tools, study_, first_instance + instance, what);
}

}  // namespace myriad::ensemble
