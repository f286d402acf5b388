#include "bench/device/on_device.hpp"

#include "host/backends/backends.hpp"

namespace myriad::bench {

std::optional<std::string> device_of(program::BenchReport& report, const std::string& bench,
                                     const std::string& subject) {
    for (const backends::Availability& device : backends::backends()) {
        if (device.name != "cuda") continue;
        if (device.available) return device.detail;
        report.rows.push_back(row_not_measured(bench, subject, "", "not available: " + device.detail));
    }
    return std::nullopt;
}

OnDevice measure_on_device(const std::string& bench, const std::string& subject, const study::SystemDescription& system,
                           const Ensemble& ensemble, const std::string& hardware) {
    backends::Settings settings;
    settings.devices = {0};  // rates are those of one device, as those of a kernel by hand
    const auto backend = backends::make_backend("cuda", settings);
    OnDevice measured;
    run_ensemble(*backend, ensemble, Clock::wall);
    std::vector<double> seconds;
    for (int i = 0; i < repetitions; ++i) {
        measured.finished = run_ensemble(*backend, ensemble, Clock::wall);
        seconds.push_back(measured.finished.compute_seconds);
        measured.wall_seconds.push_back(measured.finished.seconds);
    }
    measured.row = row_of(bench, subject, system, ensemble, measured.finished);
    measured.row.backend = "cuda", measured.row.hardware = hardware, measured.row.clock = "device";
    set_rates(measured.row, seconds);
    measured.row.figures.push_back(
        {"record", static_cast<double>(sizeof(double)) * backend->shape().record_fields, "B per instance"});
    return measured;
}

program::BenchRow row_not_measured(const std::string& bench, const std::string& subject, const std::string& hardware,
                                   const std::string& why) {
    program::BenchRow row;
    row.bench = bench, row.subject = subject, row.backend = "cuda", row.hardware = hardware, row.note = why;
    return row;
}

}  // namespace myriad::bench
