// Whole runs: the time of the program to its first step, and the cost of the way into a result file.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/ensemble/run.hpp"
#include "host/text/user_error.hpp"

extern char** environ;

namespace myriad::bench {

namespace {

// A folder of its own that goes away with its contents.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "myriad_bench_XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw UserError(ExitCode::output, name, "a temporary folder cannot be made", "set TMPDIR to a folder");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// Wall seconds of `myriad` with these arguments, its output thrown away.
double seconds_of_program(std::vector<std::string> arguments) {
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    arguments.insert(arguments.begin(), program.string());
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const double started = now_s(Clock::wall);
    const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (failed || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw UserError(ExitCode::output, program.string(), "the program cannot run a small study of the bench",
                        "look whether `myriad run` works");
    return now_s(Clock::wall) - started;
}

// The ensemble of the bundled study heavy_top.json, in the program so that the bench needs no file.
constexpr const char* demo_study = R"({
    "system": "heavy_top", "integrator": {"name": "rk4", "step_s": 1e-4, "end_s": 1.0}, "instances": 100000,
    "design": {"kind": "sobol", "seed": 1},
    "parameters": {
        "mass_kg": {"normal": {"mean": 15.0, "standard_deviation": 0.15}},
        "centre_of_mass_m[1]": {"normal": {"mean": 1.0, "standard_deviation": 0.01}},
        "initial_rotation_vector_rad[0]": {"uniform": {"low": -0.2, "high": 0.2}},
        "initial_angular_velocity_rad_s[1]": {"normal": {"mean": 150.0, "standard_deviation": 1.5}}},
    "observe": {"every_s": 0.1, "channels": ["position"]},
    "quantities": {
        "largest_tilt_rad": {"max": "tilt"}, "mean_tilt_rad": {"mean": "tilt"},
        "final_height_m": {"final": "position.top.z"}, "lowest_height_m": {"min": "position.top.z"},
        "time_of_lowest_s": {"time_of_min": "position.top.z"},
        "time_below_half_metre_s": {"first_time_below": {"channel": "position.top.z", "threshold": -0.5}},
        "energy_J": {"final": "energy"}}})";

program::BenchRow run_to_file(const backends::Availability& backend, const study::Overrides& overrides,
                              const std::string& subject) {
    const TemporaryFolder folder;
    const study::Study study = study::parse_study(demo_study, "bench", folder.path(), overrides);
    ensemble::RunOptions options;
    options.backend = backend.name;
    options.out = folder.path() / "result.h5";
    const std::atomic<bool> stop{false};
    const ensemble::RunSummary summary = ensemble::run_study(study, options, stop);
    program::BenchRow row;
    row.bench = "end_to_end", row.subject = subject, row.backend = backend.name;
    row.precision = study::name_of(study.precision), row.step_s = study.fixed.step_s;
    if (backend.name == "cpu")
        row.width = backends::cpu_widths().back();
    else
        row.hardware = backend.detail;
    row.instances = study.instances, row.steps = summary.steps_this_time, row.clock = "wall";
    row.converged_share = 1.0 - summary.failed_share();
    row.worst_relative_drift = 0.0;
    for (const ensemble::InvariantDrift& drift : summary.drifts)
        if (drift.worst_relative > row.worst_relative_drift)
            row.worst_relative_drift = drift.worst_relative, row.worst_invariant = drift.name;
    set_rates(row, {summary.wall_seconds},
              validation::claimed_error({study.system->name, study.integrator.name}, row.backend));
    const auto add = [&](const char* name, double value, const char* unit) {
        row.figures.push_back({name, value, unit});
    };
    if (row.instance_steps_per_s.repetitions > 0)
        add("the backend alone", static_cast<double>(summary.steps_this_time) / summary.computing_seconds,
            "instance-steps/s");
    add("share of the time in the backend", 100.0 * summary.computing_seconds / summary.wall_seconds, "%");
    add("preparing", summary.preparing_seconds, "s");
    add("computing", summary.computing_seconds, "s");
    add("statistics and result file", summary.saving_seconds + summary.statistics_seconds + summary.closing_seconds,
        "s");
    add("size of the result file", static_cast<double>(std::filesystem::file_size(options.out)), "B");
    return row;
}

}  // namespace

void start_up(program::BenchReport& report) {
    for (const backends::Availability& backend : backends::backends()) {
        program::BenchRow row;
        row.bench = "start_up", row.subject = "from program start to the end of one step of 32 tops";
        row.backend = backend.name, row.clock = "wall";
        if (!backend.available) {
            row.note = "not available: " + backend.detail;
            report.rows.push_back(row);
            continue;
        }
        const TemporaryFolder folder;
        const std::string study = (folder.path() / "one_step.json").string();
        std::ofstream(study) << R"({"system": "heavy_top", "instances": 32,
            "integrator": {"name": "rk4", "step_s": 1e-4, "end_s": 1e-4},
            "parameters": {"mass_kg": {"normal": {"mean": 15.0, "standard_deviation": 0.15}}}})";
        const std::vector<std::string> arguments = {
            "run", study, "--backend", backend.name, "--overwrite", "--out", (folder.path() / "result.h5").string()};
        seconds_of_program(arguments);  // fills the caches of files and of kernels
        std::vector<double> seconds;
        for (int i = 0; i < repetitions; ++i) seconds.push_back(seconds_of_program(arguments));
        const program::Spread spread = program::spread_of(seconds);
        row.figures.push_back({"program start to its end, caches warm", spread.median, "s"});
        row.figures.push_back({"largest", spread.largest, "s"});
        report.rows.push_back(row);
    }
}

void end_to_end(program::BenchReport& report) {
    for (const backends::Availability& backend : backends::backends()) {
        if (backend.name == "reference") continue;
        if (!backend.available) {
            program::BenchRow row;
            row.bench = "end_to_end", row.subject = "heavy_top study", row.backend = backend.name;
            row.note = "not available: " + backend.detail;
            report.rows.push_back(row);
            continue;
        }
        study::Overrides bare;
        bare.assignments = {"quantities={}", R"(observe={"every_s": 1.0, "channels": ["energy"]})"};
        report.rows.push_back(run_to_file(backend, {}, "heavy_top study with its output"));
        report.rows.push_back(run_to_file(backend, bare, "the same without quantities and trajectories"));
    }
}

}  // namespace myriad::bench
