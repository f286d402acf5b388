// The comparisons of the Livens paper (Kinon, Betsch 2024), ours: cost of the three forms (fig. 9), order and ranking
// on the precessing top (fig. 13), what is kept and what is not (figs. 4, 6 to 8), the parasitic mode, and a run of a
// million steps at equal cost.
//
// EML is energy_momentum, EMH energy_momentum_hamiltonian, MPL livens_midpoint, MPH hamiltonian_midpoint of its Table
// 1; the convective method is not the paper's.
#include <algorithm>
#include <cmath>

#include "host/validation/runs/precessing_top.hpp"
#include "host/validation/runs/reference_values.hpp"
#include "papers/comparison.hpp"
#include "papers/pages.hpp"

namespace myriad::bench {

namespace {

using validation::FinishedRun;
using validation::Method;

Method method_of(const std::string& name) {
    return {.integrator = name, .newton_tolerance = 1e-9, .most_newton_iterations = 40};  // livens sect. 5
}
Variant variant(const std::string& label, const std::string& name) { return {label, method_of(name)}; }

std::string free_body() { return R"("system": "free_rigid_body")"; }
std::string precessing_top() {
    return R"("system": "heavy_top", "parameters": {)" + validation::precessing_top_parameters() + "}";
}

void state(MarkdownPage& page, const std::string& claim, bool holds, const std::string& evidence) {
    page.statements.push_back({claim, holds ? "holds" : "does not hold", evidence});
}

// Fig. 13.
void precession(MarkdownPage& page, const Machine& machine) {
    const auto exact = validation::precessing_top_position(0.1);
    const Goal goal{"",
                    0.1,
                    {"position.top.x", "position.top.y", "position.top.z"},
                    {exact[0], exact[1], exact[2]},
                    precessing_top()};
    const Sweep made = sweep(goal,
                             {variant("EML", "energy_momentum_null_space"), variant("MPL", "livens_midpoint"),
                              variant("EMH", "energy_momentum_hamiltonian"), variant("MPH", "hamiltonian_midpoint"),
                              variant("convective", "energy_momentum_convective")},
                             {0.01, 0.005, 0.001, 0.0005}, machine);
    page.tables.push_back(table_of(made, "Precessing top (sect. 5.4, Fig. 13): error",
                                   "Distance (m) of the centre of mass at 0.1 s from eq. 120; the arm is 0.075 m.",
                                   &Outcome::error));
    const std::size_t last = made.steps_s.size() - 1;
    bool of_second_order = true, ranked = true;
    std::string orders;
    for (const std::string& name : made.variants) {
        const double order = std::log2(made.at(last - 1, name).error / made.at(last, name).error);
        of_second_order = of_second_order && std::abs(order - 2.0) < 0.05;
        orders += (orders.empty() ? "" : ", ") + name + " " + figure(order);
    }
    for (std::size_t i = last - 1; i <= last; ++i) {
        const double eml = made.at(i, "EML").error;
        ranked =
            ranked && made.at(i, "MPL").error < eml && eml < made.at(i, "EMH").error && eml < made.at(i, "MPH").error;
    }
    state(page, "all four methods are of second order", of_second_order, orders);
    state(page, "MPL has the lowest error, EML a lower one than the Hamiltonian pair", ranked,
          "at 0.001 and 0.0005 s; MPH with the inverse mass that assumes unit length. With the exact inverse of the "
          "regularised mass MPH is MPL");
}

Machine alone() {
    Machine machine = one_thread();
    machine.lanes = 1;
    return machine;
}

// Fig. 9.
void cost(MarkdownPage& page, const Machine& machine) {
    const Goal goal{"",
                    10.0,
                    {"angular_velocity.body.x", "angular_velocity.body.y", "angular_velocity.body.z"},
                    reference_values::free_rotation::angular_velocity_at_10_s.vector(),
                    free_body()};
    const std::vector<Variant> variants = {variant("EML", "energy_momentum_full"), variant("REML", "energy_momentum"),
                                           variant("Null-EML", "energy_momentum_null_space"),
                                           variant("MPL", "livens_midpoint"),
                                           variant("convective", "energy_momentum_convective")};
    const std::vector<double> steps = {0.01, 0.005, 0.0025, 0.001};
    const Sweep batch = sweep(goal, variants, steps, machine), single = sweep(goal, variants, steps, alone());
    page.tables.push_back(table_of(batch,
                                   "Free rotation (sect. 5.3, Fig. 9): time (ns per instance and step), all lanes",
                                   "T = 10 s, Newton tolerance 1e-9. One thread.", &Outcome::ns_per_step));
    page.tables.push_back(
        table_of(single, "The same, one instance alone", "One lane of the vectors in use.", &Outcome::ns_per_step));
    page.tables.push_back(table_of(batch, "The same: error",
                                   "Angular velocity (rad/s) at 10 s; its size is 28.6 rad/s.", &Outcome::error));
    double reduced = 0.0, null_space = 0.0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double full = batch.at(i, "EML").ns_per_step;
        reduced += batch.at(i, "REML").ns_per_step / full / static_cast<double>(steps.size());
        null_space += batch.at(i, "Null-EML").ns_per_step / full / static_cast<double>(steps.size());
    }
    page.statements.push_back({"the size-reduced form saves nearly half of the cost",
                               reduced > 0.6   ? "does not hold"
                               : reduced > 0.4 ? "holds"
                                               : "holds in part",
                               (reduced <= 0.4 ? "it saves more: " : "") +
                                   ("it takes " + figure(reduced) + " of the time of the full form, in the batch")});
    state(page, "the null-space form is notably cheaper again", null_space < 0.9 * reduced,
          "it takes " + figure(null_space) + " of the time of the full form, in the batch");
}

// Figs. 6 to 8: largest relative drifts over 2 s at 0.05 s.
void kept(MarkdownPage& page, const Machine& machine) {
    MarkdownTable table{
        "Free rotation (Figs. 6 to 8): what is kept",
        "Step 0.05 s, T = 2 s, Newton tolerance 1e-9. Largest drifts, relative to 2500 J and 181 kg m^2/s; "
        "angular momentum of the momenta p where there are any, else R J Omega.",
        {"method", "p . v - T + V", "T + V", "angular momentum, y", "abs(q . q - 1)/2"},
        {}};
    double worst_kept = 0.0, eml_energy = 0.0;
    for (const auto& [label, name] :
         std::vector<std::pair<std::string, std::string>>{{"EML", "energy_momentum_full"},
                                                          {"REML", "energy_momentum"},
                                                          {"Null-EML", "energy_momentum_null_space"},
                                                          {"MPL", "livens_midpoint"},
                                                          {"EMH", "energy_momentum_hamiltonian"},
                                                          {"MPH", "hamiltonian_midpoint"},
                                                          {"convective", "energy_momentum_convective"}}) {
        Method method = method_of(name);
        method.step_s = 0.05, method.end_s = 2.0;
        const FinishedRun run = validation::run_text(validation::study_text(free_body(), method), *machine.backend);
        const double generalized = run.invariant_drift("generalized_energy") / 2500.0,
                     energy = run.invariant_drift("energy") / 2500.0,
                     momentum = run.invariant_drift("momentum_map.y") / 181.0;
        if (label.find("EML") != std::string::npos)
            worst_kept = std::max({worst_kept, generalized, momentum}), eml_energy = energy;
        table.rows.push_back({label, figure(generalized), figure(energy), figure(momentum),
                              figure(run.invariant_drift("constraint_residual"))});
    }
    page.tables.push_back(table);
    state(page, "EML keeps the generalized energy and the angular momentum of a free body", worst_kept < 1e-10,
          "at most " + figure(worst_kept) + " off in 40 steps");
    state(page, "EML does not keep the total energy", eml_energy > 1e-4, figure(100.0 * eml_energy) + " % off");
    Method method = method_of("energy_momentum");
    method.step_s = 0.01, method.end_s = 1.0;
    const FinishedRun pendulum =
        validation::run_text(validation::study_text(R"("system": "spring_pendulum")", method), *machine.backend);
    const double energy = pendulum.invariant_drift("energy");
    state(page, "spring pendulum: total energy to an order of 1e-4, generalized energy exactly",
          energy > 1e-5 && energy < 1e-3 && pendulum.invariant_drift("generalized_energy") < 1e-12,
          figure(energy) + " J and " + figure(pendulum.invariant_drift("generalized_energy")) +
              " J in 100 steps of 0.01 s");
}

// After how many steps T + V, less the work done, is off by one per cent; "-": not within `steps`.
std::string steps_to_a_percent(const std::string& subject, const std::string& name, double step_s, int steps,
                               double from_s, const std::vector<std::string>& channels, const Machine& machine) {
    Method method = method_of(name);
    method.step_s = step_s, method.end_s = step_s * steps;
    const FinishedRun run =
        validation::run_text(validation::study_text(subject, method, {step_s, channels}), *machine.backend);
    const auto first = static_cast<std::size_t>(std::lround(from_s / step_s));
    const std::size_t width = channels.size();
    const auto balance = [&](std::size_t row) {
        const double* at = run.chunk.trajectory.data() + row * width;
        return width == 1 ? at[0] : at[0] - at[1];
    };
    const double start = balance(first), scale = run.chunk.trajectory[first * width];
    const auto taken = static_cast<std::size_t>(run.chunk.steps.front());
    for (std::size_t row = first; row <= taken; ++row)
        if (!(std::abs(balance(row) - start) <= 0.01 * std::abs(scale))) return std::to_string(row);
    return run.ok() ? "-" : "ended at " + std::to_string(taken);
}

void parasitic_mode(MarkdownPage& page, const Machine& machine) {
    MarkdownTable table{
        "The parasitic mode: step at which T + V is off by one per cent",
        "Within 20,000 steps; \"-\": never. The four-bar loop counts from 1 s on, when its load has ended. "
        "Generalized energy and linear momentum are kept by EML all the while.",
        {"system", "step (s)", "EML", "MPL", "convective"},
        {}};
    const std::string loop = validation::mechanism_subject("four_bar_loop");
    struct Row {
        std::string name, subject;
        double step_s, from_s;
        std::vector<std::string> channels;
    };
    for (const Row& row : {Row{"free rotation, 28 rad/s", free_body(), 0.02, 0.0, {"energy"}},
                           Row{"free rotation, 28 rad/s", free_body(), 0.01, 0.0, {"energy"}},
                           Row{"free rotation, 28 rad/s", free_body(), 0.005, 0.0, {"energy"}},
                           Row{"precessing top, 141 rad/s", precessing_top(), 0.002, 0.0, {"energy"}},
                           Row{"precessing top, 141 rad/s", precessing_top(), 0.001, 0.0, {"energy"}},
                           Row{"closed loop of four bars", loop, 0.1, 1.0, {"energy", "work"}},
                           Row{"closed loop of four bars", loop, 0.05, 1.0, {"energy", "work"}}}) {
        std::vector<std::string> cells = {row.name, figure(row.step_s)};
        for (const char* name : {"energy_momentum", "livens_midpoint", "energy_momentum_convective"})
            cells.push_back(
                steps_to_a_percent(row.subject, name, row.step_s, 20'000, row.from_s, row.channels, machine));
        table.rows.push_back(cells);
    }
    page.tables.push_back(table);
}

}  // namespace

MarkdownPage livens_paper() {
    const Machine machine = one_thread();
    MarkdownPage page{
        "livens_paper.md",
        "The Livens paper: energy and momentum kept",
        "Kinon, Betsch 2024, doi 10.1007/s11044-024-10001-9, sect. 5. Its figures are curves, so its "
        "statements stand beside our figures. EML: energy_momentum_full, REML: energy_momentum, Null-EML: "
        "energy_momentum_null_space, EMH, MPL, MPH: energy_momentum_hamiltonian, livens_midpoint, "
        "hamiltonian_midpoint; convective: energy_momentum_convective, which is not the paper's.",
        {},
        {}};
    precession(page, machine);
    kept(page, machine);
    cost(page, machine);
    parasitic_mode(page, machine);
    return page;
}

}  // namespace myriad::bench
