// Tables 7 to 10 and figures 2 to 4 of the rA paper (Kissel, Taves, Negrut 2021), ours beside theirs.
//
// Formulations: rA is the chart rotation_vector, rp euler_parameters, r-epsilon euler_zxz. Here rp and r-epsilon go
// through the chain rule from the same Jacobians as rA, so that they carry its cost and their own: they are slower by
// construction, and what a speed-up says of the formulations themselves is less than it was in the paper.
#include <algorithm>
#include <array>
#include <cmath>

#include "host/mechanism/mechanism.hpp"
#include "host/validation/runs/reference_values.hpp"
#include "papers/pages.hpp"
#include "papers/sweep.hpp"

namespace myriad::bench {

namespace {

using validation::Method;

constexpr std::array<const char*, 3> charts = {"rotation_vector", "euler_parameters", "euler_zxz"};
constexpr std::array<const char*, 3> formulations = {"rA", "rp", "rE"};

struct Counts {
    int coordinate_difference = 0, dot_1 = 0, dot_2 = 0, distance = 0;
};
Counts counts_of(const mechanism::Mechanism& mechanism) {
    Counts counts;
    for (int e = 0; e < mechanism.table.elements; ++e) {
        const Element& element = mechanism.table.element[e];
        if (element.has_law) continue;
        switch (element.kind) {
            case ElementKind::point:
                counts.coordinate_difference += 3;
                break;
            case ElementKind::coordinate_difference:
                ++counts.coordinate_difference;
                break;
            case ElementKind::dot_1:
            case ElementKind::driven_angle:
                ++counts.dot_1;
                break;
            case ElementKind::dot_2:
                ++counts.dot_2;
                break;
            case ElementKind::distance:
                ++counts.distance;
                break;
            default:
                break;
        }
    }
    return counts;
}

MarkdownTable table_7() {
    MarkdownTable table{
        "Table 7: basic constraints",
        "A point counts as three CD, a driven angle as a DP1.",
        {"mechanism", "CD ours", "CD paper", "DP1 ours", "DP1 paper", "DP2 ours", "DP2 paper", "D ours", "D paper"},
        {}};
    struct Published {
        const char *mechanism, *name;
        std::array<int, 4> counts;
    };
    for (const Published& known :
         {Published{"pendulum", "single pendulum", {3, 3, 0, 0}}, Published{"four_link", "four link", {12, 6, 0, 0}},
          Published{"slider_crank_haug", "slider-crank", {6, 7, 4, 1}}}) {
        const auto mechanism = mechanism::parse_mechanism(validation::mechanism_text(known.mechanism), known.mechanism);
        const Counts ours = counts_of(*mechanism);
        std::vector<std::string> row = {known.name};
        const std::array<int, 4> counted = {ours.coordinate_difference, ours.dot_1, ours.dot_2, ours.distance};
        for (std::size_t i = 0; i < 4; ++i) {
            row.push_back(std::to_string(counted[i]));
            row.push_back(std::to_string(known.counts[i]));
        }
        table.rows.push_back(row);
    }
    return table;
}

// Iterations and time of the three formulations.
std::array<Outcome, 3> formulations_of(const std::string& mechanism, Method method, double end_s,
                                       const Machine& machine) {
    std::array<Outcome, 3> outcomes{};
    for (std::size_t i = 0; i < charts.size(); ++i) {
        method.chart = charts[i];
        outcomes[i] = run_towards({mechanism, end_s, {"constraint_residual"}, {0.0}}, method, machine);
    }
    return outcomes;
}

struct SpeedUps {
    const char *mechanism, *name;
    double end_s;
    std::array<double, 4> paper;  // C1 rA, rE, C2 rA, rE
};

// Rows and, for the statements, the speed-ups of rA.
MarkdownTable speed_ups(const std::string& title, const std::string& text, const std::vector<SpeedUps>& published,
                        const Method& method, const Machine& machine, std::vector<double>& of_ra,
                        std::vector<double>& of_re) {
    MarkdownTable table{title,
                        text,
                        {"mechanism", "rA ours", "rA paper C1", "rA paper C2", "rE ours", "rE paper C1", "rE paper C2",
                         "ns per instance and step, rA", "rp", "rE"},
                        {}};
    for (const SpeedUps& known : published) {
        const auto [ra, rp, re] = formulations_of(known.mechanism, method, known.end_s, machine);
        const double up_ra = rp.ns_per_step / ra.ns_per_step, up_re = rp.ns_per_step / re.ns_per_step;
        of_ra.push_back(up_ra), of_re.push_back(up_re);
        table.rows.push_back({known.name, figure(up_ra), figure(known.paper[0]), figure(known.paper[2]), figure(up_re),
                              figure(known.paper[1]), figure(known.paper[3]), figure(ra.ns_per_step),
                              figure(rp.ns_per_step), figure(re.ns_per_step)});
    }
    return table;
}

MarkdownTable table_9(const Machine& machine, double& largest_difference) {
    MarkdownTable table{"Table 9: mean iterations of position analysis",
                        "Kinematics, step 1e-3 s, tolerance 1e-10, 3 s. The counts include the last correction, which "
                        "meets the tolerance.",
                        {"mechanism", "rp ours", "rp paper", "rA ours", "rA paper", "rE ours", "rE paper"},
                        {}};
    struct Published {
        const char *mechanism, *name;
        std::array<double, 3> rp_ra_re;
    };
    const Method method{.integrator = "kinematics", .step_s = 1e-3, .newton_tolerance = 1e-10};
    for (const Published& known : {Published{"pendulum", "single pendulum", {3.82, 3.80, 3.80}},
                                   Published{"four_link", "four link", {4.47, 4.50, 4.77}},
                                   Published{"slider_crank_haug", "slider-crank", {4.83, 4.70, 4.79}}}) {
        const auto [ra, rp, re] = formulations_of(known.mechanism, method, 3.0, machine);
        table.rows.push_back({known.name, figure(rp.iterations), figure(known.rp_ra_re[0]), figure(ra.iterations),
                              figure(known.rp_ra_re[1]), figure(re.iterations), figure(known.rp_ra_re[2])});
        for (const double other : {rp.iterations, re.iterations})
            if (!(std::abs(other - ra.iterations) <= largest_difference))
                largest_difference = std::abs(other - ra.iterations);
    }
    return table;
}

MarkdownTable iterations_against_step(const std::string& title, const std::string& text, const std::string& integrator,
                                      const Machine& machine, double& largest_ratio) {
    MarkdownTable table{title, text, {"step (s)"}, {}};
    for (const char* name : formulations) table.columns.push_back(name);
    const bool in_time = integrator != "kinematics";
    if (in_time) table.columns.push_back("rA, T_exp");
    for (const double step_s : {1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4}) {
        // The unit of the criterion is the position's: Theta h^2.
        const Method method{
            .integrator = integrator,
            .step_s = step_s,
            .newton_tolerance = 1e-11,
            .most_newton_iterations = 50,
            .start = in_time ? "published" : "",
        };
        const std::array<Outcome, 3> outcomes = formulations_of("four_link", method, 3.0, machine);
        std::vector<std::string> row = {figure(step_s)};
        double least = outcomes[0].iterations, most = least;
        for (const Outcome& outcome : outcomes) {
            row.push_back(figure(outcome.iterations));
            least = std::min(least, outcome.iterations), most = std::max(most, outcome.iterations);
        }
        if (step_s <= 1e-2) largest_ratio = std::max(largest_ratio, most / least);
        if (in_time) {
            Method exact = method;
            exact.chart = "rotation_vector", exact.tangent_operator = true;
            const Goal goal{"four_link", 3.0, {"constraint_residual"}, {0.0}};
            row.push_back(figure(run_towards(goal, exact, machine).iterations));
        }
        table.rows.push_back(row);
    }
    return table;
}

MarkdownTable figure_3(const Machine& machine, double& largest_ratio) {
    MarkdownTable table{
        "Figure 3: convergence of the double pendulum",
        "|z - z_ref| of the lower rod's centre of mass by implicit Euler; the reference is the converged "
        "motion, known to ten digits.",
        {"step (s)", "time (s)"},
        {}};
    for (const char* name : formulations) table.columns.push_back(name);
    struct Reference {
        double time_s, z;
    };
    namespace rods = reference_values::double_pendulum;
    for (const double step_s : {1e-2, 1e-3, 1e-4})
        for (const Reference& reference : {Reference{1.0, rods::rods_at_1_s[3]}, Reference{3.0, rods::rods_at_3_s[3]},
                                           Reference{5.0, rods::rods_at_5_s[3]}}) {
            std::vector<std::string> row = {figure(step_s), figure(reference.time_s)};
            double least = 0.0, most = 0.0;
            for (std::size_t i = 0; i < charts.size(); ++i) {
                const Outcome outcome = run_towards(
                    {"double_pendulum", reference.time_s, {"position.lower_rod.z"}, {reference.z}},
                    {.integrator = "implicit_euler", .step_s = step_s, .chart = charts[i], .start = "published"},
                    machine);
                row.push_back(figure(outcome.error, 5));
                least = i == 0 ? outcome.error : std::min(least, outcome.error);
                most = std::max(most, outcome.error);
            }
            largest_ratio = std::max(largest_ratio, most / least);
            table.rows.push_back(row);
        }
    return table;
}

std::string range_of(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return figure(*least) + " to " + figure(*most);
}

}  // namespace

MarkdownPage ra_paper() {
    const Machine machine = one_thread();
    MarkdownPage page;
    page.file = "ra_paper.md", page.title = "The rA paper: rA, rp and r-epsilon";
    page.text =
        "Kissel, Taves, Negrut 2021. All times are those of one thread with every lane of its vectors taken, in one "
        "run, "
        "the same integrator for all three formulations. Theirs are of two Python codes, C1 and C2; C2 uses another "
        "integrator for rp than for rA after the first step. Ours reaches rp and rE from rA's Jacobians by the chain "
        "rule, which makes them slower than rA by construction: the speed-ups below do not repeat the paper's "
        "comparison "
        "of separately derived formulations.\n\nMeasured on: " +
        machine.backend->device() + ".";
    page.tables.push_back(table_7());
    std::vector<double> kinematic_ra, kinematic_re, dynamic_ra, dynamic_re;
    page.tables.push_back(speed_ups("Table 8: speed-up over rp, kinematics", "Step 1e-3 s, tolerance 1e-10, 3 s.",
                                    {{"pendulum", "single pendulum", 3.0, {2.21, 1.40, 2.63, 1.27}},
                                     {"four_link", "four link", 3.0, {2.38, 1.23, 2.55, 1.10}},
                                     {"slider_crank_haug", "slider-crank", 3.0, {2.70, 1.47, 2.62, 1.23}}},
                                    {.integrator = "kinematics", .step_s = 1e-3, .newton_tolerance = 1e-10}, machine,
                                    kinematic_ra, kinematic_re));
    double iteration_difference = 0.0, iteration_ratio = 1.0, kinematic_iteration_ratio = 1.0, error_ratio = 1.0;
    page.tables.push_back(table_9(machine, iteration_difference));
    page.tables.push_back(speed_ups(
        "Table 10: speed-up over rp, dynamics", "Implicit Euler, step 1e-3 s, Theta = 1e-3 (Theta h^2 = 1e-9).",
        {{"pendulum", "single pendulum", 3.0, {2.43, 1.29, 2.46, 1.69}},
         {"double_pendulum", "double pendulum", 3.0, {2.63, 1.21, 2.39, 1.53}},
         {"four_link", "four link", 3.0, {2.62, 1.21, 2.41, 1.44}},
         {"slider_crank_haug", "slider-crank", 3.0, {2.93, 1.31, 2.29, 1.30}}},
        {.integrator = "implicit_euler", .step_s = 1e-3, .newton_tolerance = 1e-9, .start = "published"}, machine,
        dynamic_ra, dynamic_re));
    page.tables.push_back(iterations_against_step("Figure 2: mean iterations against the step, kinematics",
                                                  "Four link, tolerance 1e-11, 3 s. - where a run failed.",
                                                  "kinematics", machine, kinematic_iteration_ratio));
    page.tables.push_back(figure_3(machine, error_ratio));
    page.tables.push_back(iterations_against_step("Figure 4: mean iterations against the step, dynamics",
                                                  "Four link, implicit Euler, Theta h^2 = 1e-11, 3 s; T_exp: with the "
                                                  "tangent operator in the matrix. - where a run failed.",
                                                  "implicit_euler", machine, iteration_ratio));
    const auto all_above = [](const std::vector<double>& values, double bound) {
        return std::all_of(values.begin(), values.end(), [&](double value) { return value > bound; });
    };
    const auto verdict = [](bool holds) { return holds ? "holds" : "does not hold"; };
    page.statements = {
        {"rA is roughly twice as fast as rp (Tables 8 and 10)",
         all_above(kinematic_ra, 1.5) && all_above(dynamic_ra, 1.5)   ? "holds"
         : all_above(kinematic_ra, 1.0) && all_above(dynamic_ra, 1.0) ? "holds in part: faster, but by less"
                                                                      : "does not hold",
         "kinematics " + range_of(kinematic_ra) + ", dynamics " + range_of(dynamic_ra)},
        {"rE is faster than rp (Tables 8 and 10)", verdict(all_above(kinematic_re, 1.0) && all_above(dynamic_re, 1.0)),
         "kinematics " + range_of(kinematic_re) + ", dynamics " + range_of(dynamic_re)},
        {"the formulations need about as many iterations in position analysis (Table 9)",
         verdict(iteration_difference < 0.5), "largest difference from rA " + figure(iteration_difference)},
        {"iterations depend on the step but not significantly on the formulation (Figs. 2 and 4)",
         verdict(iteration_ratio < 1.25 && kinematic_iteration_ratio < 1.25),
         "for steps up to 0.01 s: largest ratio of two formulations " + figure(kinematic_iteration_ratio) +
             " in kinematics, " + figure(iteration_ratio) + " in dynamics"},
        {"the double pendulum's errors shrink with the step, nearly identically for all three (Fig. 3)",
         // Read off a logarithmic figure.
         verdict(error_ratio < 1.1), "largest ratio of two errors " + figure(error_ratio)},
    };
    return page;
}

}  // namespace myriad::bench
