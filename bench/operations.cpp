// The counted operations of one step of each member of the catalog.
//
// Those of a step with contact depend on the data: they are means over one described run of each system and mechanism,
// by its contacts: all open, closed, and struck.
#include <span>

#include "bench/cases.hpp"
#include "bench/operations/contact_operations.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

namespace {

// One instance with the catalog's own parameters but for these. Impacts count from 1e-6 N s.
struct ContactRun {
    const char* subject;  // a system, or a mechanism
    const char* step_s;
    const char* end_s;
    const char* parameters = "";
};

// Each long enough to touch, to strike and, where it can, to come to rest.
constexpr ContactRun system_runs[] = {
    {"slider_crank_clearance", "1e-4", "0.03"},
};
constexpr ContactRun mechanism_runs[] = {
    {"bouncing_sphere", "1e-3", "1.0"}, {"rolling_sphere", "1e-3", "0.2"},     {"sphere_cradle", "1e-3", "0.6"},
    {"box_on_incline", "1e-3", "0.1"},  {"pendulum_wall", "1e-3", "0.6"},      {"slider_crank_slot", "1e-4", "0.01"},
    {"bouncing_ball", "1e-3", "1.5"},   {"sliding_block", "1e-3", "0.3"},      {"rolling_disc", "1e-3", "0.3"},
    {"three_masses", "1e-3", "0.05"},   {"three_masses_held", "1e-3", "0.05"},
};

std::string study_of(const ContactRun& run, const std::string& integrator, bool is_mechanism) {
    const std::string subject = is_mechanism ? R"("mechanism": )" + std::string(validation::mechanism_text(run.subject))
                                             : R"("system": ")" + std::string(run.subject) + R"(")";
    return "{" + subject + R"(, "integrator": {"name": ")" + integrator + R"(", "step_s": )" + run.step_s +
           R"(, "end_s": )" + run.end_s + R"(, "impact_threshold_N_s": 1e-6}, "instances": 1, )" +
           R"("design": {"kind": "monte_carlo", "seed": 1}, "parameters": {)" + run.parameters + "}}";
}

void count(program::BenchReport& report, const ContactRun& run, const std::string& integrator, bool is_mechanism) {
    const study::Study study =
        study::parse_study(study_of(run, integrator, is_mechanism), "bench", std::filesystem::path());
    const ContactOperations counted = count_contact_steps(study, 1);
    program::BenchRow row;
    row.bench = "operations", row.precision = "fp64";
    row.subject = std::string(run.subject) + " " + integrator;
    row.step_s = study.fixed.step_s, row.instances = 1, row.steps = static_cast<std::uint64_t>(counted.steps());
    row.converged_share = counted.ended_ok ? 1.0 : 0.0;
    row.note = "a run of " + std::string(run.end_s) + " s, " + (*run.parameters ? run.parameters : "as in the catalog");
    const double flops = counted.flops_per_step();
    row.figures.push_back({"flops (an fma is two)", flops, "per step, mean"});
    row.figures.push_back({"bytes moved, steps fused", 0.0, "B per step"});
    row.figures.push_back({"bytes moved, one step per launch", 1.0 * counted.bytes_unfused, "B per step"});
    row.figures.push_back({"arithmetic intensity, one step per launch", flops / counted.bytes_unfused, "flop/B"});
    row.figures.push_back({"state", 1.0 * static_cast<double>(sizeof(double)) * counted.record_fields, "B"});
    const auto add = [&](const std::string& kind, const CountedSteps& steps) {
        const auto number = static_cast<double>(steps.steps);
        row.figures.push_back({kind + ": steps", number, ""});
        if (steps.steps == 0) return;
        const auto mean = [&](const char* name, double sum) {
            row.figures.push_back({kind + ": " + name, sum / number, "per step, mean"});
        };
        mean("flops of the integrator", static_cast<double>(steps.counted.flops()));
        mean("divisions", static_cast<double>(steps.counted[Operation::divide]));
        mean("square roots", static_cast<double>(steps.counted[Operation::square_root]));
        if (steps.newton_iterations > 0.0) mean("newton iterations", steps.newton_iterations);
        if (steps.problems > 0.0) mean("contact problems", steps.problems), mean("their iterations", steps.iterations);
    };
    add("all contacts open", counted.open);
    add("a contact closed", counted.closed);
    add("an impact", counted.impact);
    report.rows.push_back(row);
}

void count_all(program::BenchReport& report, std::span<const ContactRun> runs, bool is_mechanism) {
    for (const ContactRun& run : runs) {
        const study::Study any =
            study::parse_study(study_of(run, "moreau_midpoint", is_mechanism), "bench", std::filesystem::path());
        for (const study::IntegratorDescription& integrator : study::integrators_of(*any.system))
            if (integrator.contact) count(report, run, integrator.name, is_mechanism);
    }
}

}  // namespace

void operations(program::BenchReport& report) {
    for (const StepOperations& member : count_operations()) {
        program::BenchRow row;
        row.bench = "operations", row.precision = "fp64";
        row.subject = member.system + " " + member.chart + " " + member.integrator;
        const auto add = [&](const char* name, long long value, const char* unit) {
            row.figures.push_back({name, static_cast<double>(value), unit});
        };
        for (int kind = 0; kind < operation_kinds; ++kind)
            add(operation_names[kind], member.distinct[static_cast<Operation>(kind)], "per step");
        add("flops (an fma is two)", member.distinct.flops(), "per step");
        add("flops of the integrator alone", member.attempt_distinct.flops(), "per step");
        add("flops as written, nothing shared", member.written.flops(), "per step");
        add("bytes moved, steps fused", 0, "B per step");
        add("bytes moved, one step per launch", member.bytes_unfused, "B per step");
        report.rows.push_back(row);
    }
    count_all(report, system_runs, false);
    count_all(report, mechanism_runs, true);
}

}  // namespace myriad::bench
