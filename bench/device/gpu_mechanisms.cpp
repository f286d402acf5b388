// Steps per second of the catalog's mechanisms on the device, kernels alone: in joint coordinates by traced steps, and
// in body coordinates.
//
// One number of each mechanism varies by a tenth of a percent, one quantity is taken at the end; status, certificate
// and Newton's own end are on. The first run of a row compiles its kernels or finds them kept, and is not timed.
#include "bench/cases.hpp"
#include "bench/device/on_device.hpp"
#include "bench/mechanism_workloads.hpp"
#include "bench/operations/mechanism_operations.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/text/user_error.hpp"

namespace myriad::bench {

namespace {

constexpr const char* energy_at_the_end = R"(, "quantities": {"energy": {"final": "energy"}})";

struct DeviceWorkload {
    MechanismWorkload mechanism;
    std::uint64_t instances;
    bool in_body_coordinates;  // too
};
const DeviceWorkload device_workloads[] = {
    {{"heavy_top", "generalized_alpha", 1e-4, 2000, "bodies.top.mass_kg", 15.0}, 524'288, true},
    {{"heavy_top", "rk4", 1e-4, 2000, "bodies.top.mass_kg", 15.0}, 524'288, false},
    {{"double_pendulum", "generalized_alpha", 1e-3, 1000, "parameters.upper_length_m", 4.0}, 262'144, true},
    {{"double_pendulum", "rk4", 1e-3, 1000, "parameters.upper_length_m", 4.0}, 262'144, false},
    {{"slider_crank_iftomm", "generalized_alpha", 1e-3, 500, "bodies.slider.mass_kg", 2.0}, 262'144, true},
    {{"four_link", "generalized_alpha", 1e-3, 500, "bodies.rotor.mass_kg", 2.0}, 262'144, true},
    {{"puma560", "generalized_alpha", 1e-3, 200, "bodies.link_2.mass_kg", 17.4}, 131'072, true},
    {{"puma560", "rk4", 1e-3, 200, "bodies.link_2.mass_kg", 17.4}, 131'072, false},
};

void measure(program::BenchReport& report, const std::string& device, const DeviceWorkload& given,
             Coordinates coordinates) {
    const MechanismWorkload& workload = given.mechanism;
    const study::Study study = study::parse_study(study_of(workload, coordinates, given.instances, energy_at_the_end),
                                                  "bench", std::filesystem::path());
    std::string subject = subject_of(workload, coordinates);
    if (coordinates == Coordinates::joint) subject += ", compiled kernels";  // as bench/rates.py calls it
    try {
        OnDevice measured = measure_on_device("gpu_mechanisms", subject, *study.system, make_ensemble(study), device);
        program::BenchRow& row = measured.row;
        add_newton_figures(row, newton_figures(measured.finished, study));
        if (row.instance_steps_per_s.repetitions > 0) {
            const auto flops = static_cast<double>(count_mechanism_step(study).flops);
            row.figures.push_back({"counted flops", flops, "per step"});
            row.figures.push_back({"arithmetic", 1e-12 * row.instance_steps_per_s.median * flops, "TFLOP/s"});
        }
        report.rows.push_back(row);
    } catch (const UserError& error) {
        report.rows.push_back(
            row_not_measured("gpu_mechanisms", subject, device, std::string("not measured: ") + error.what()));
    }
}

}  // namespace

void gpu_mechanisms(program::BenchReport& report) {
    const std::optional<std::string> device = device_of(report, "gpu_mechanisms", "");
    if (!device) return;
    for (const DeviceWorkload& workload : device_workloads) {
        measure(report, *device, workload, Coordinates::joint);
        if (workload.in_body_coordinates) measure(report, *device, workload, Coordinates::body);
    }
}

}  // namespace myriad::bench
