// A page of our own: what joint coordinates save beside body coordinates, and whether they are as accurate.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "papers/own/joint_against_body.hpp"
#include "papers/pages.hpp"

namespace myriad::bench {

namespace {

constexpr int steps_of_a_case = 3;  // two ratios of errors; the last is printed as the order
constexpr double wanted_error_m = 1e-6;

struct MeasuredCase {
    CoordinatesCase compared;
    CoordinatesResult result;

    bool is_in_both() const { return compared.takes_body; }
    std::string name() const { return compared.goal.mechanism + " by " + compared.integrator; }
};

struct NamedNumber {
    double number;
    std::string name;
};

// "1.5 (four_link by kinematics) to 8.2 (puma560 by rk4)".
std::string range_text(std::vector<NamedNumber> numbers) {
    std::erase_if(numbers, [](const NamedNumber& one) { return std::isnan(one.number); });
    if (numbers.empty()) return "-";
    const auto [least, most] = std::minmax_element(
        numbers.begin(), numbers.end(), [](const NamedNumber& a, const NamedNumber& b) { return a.number < b.number; });
    return figure(least->number) + " (" + least->name + ") to " + figure(most->number) + " (" + most->name + ")";
}

// Of the cases that run in both coordinates.
template <class Number>
std::vector<NamedNumber> over_cases(const std::vector<MeasuredCase>& all, Number number) {
    std::vector<NamedNumber> numbers;
    for (const MeasuredCase& one : all)
        if (one.is_in_both()) numbers.push_back({number(one), one.name()});
    return numbers;
}

const Outcome& at_largest_step(const MeasuredCase& one, const char* coordinates) {
    return one.result.made.at(0, coordinates);
}
double flops_ratio(const MeasuredCase& one) {
    return static_cast<double>(one.result.body_flops) / static_cast<double>(one.result.joint_flops);
}
double time_ratio(const MeasuredCase& one) {
    return at_largest_step(one, "body").ns_per_step / at_largest_step(one, "joint").ns_per_step;
}
double iteration_difference(const MeasuredCase& one) {
    return at_largest_step(one, "joint").iterations - at_largest_step(one, "body").iterations;
}

// NaN where the digits of the known values hide one of the errors.
double error_ratio(const MeasuredCase& one) {
    const Sweep& made = one.result.made;
    const double joint = made.at(made.steps_s.size() - 1, "joint").error,
                 body = made.at(made.steps_s.size() - 1, "body").error;
    return std::min(joint, body) > one.compared.digits ? joint / body : std::numeric_limits<double>::quiet_NaN();
}

MarkdownTable unknowns_table() {
    MarkdownTable table{"Unknowns",
                        "",
                        {"mechanism", "bodies", "freedoms of the tree", "prescribed by drivers",
                         "rows in joint coordinates", "unknowns, joint", "unknowns, body"},
                        {}};
    std::vector<NamedNumber> ratios;
    for (const char* mechanism : mechanisms_in_both_coordinates) {
        const UnknownsInBoth of = unknowns_in_both(mechanism);
        if (of.joint > 0) ratios.push_back({static_cast<double>(of.body) / of.joint, mechanism});
        table.rows.push_back({mechanism, std::to_string(of.bodies), std::to_string(of.freedoms),
                              std::to_string(of.prescribed), std::to_string(of.joint - of.freedoms + of.prescribed),
                              std::to_string(of.joint), std::to_string(of.body)});
    }
    table.text =
        "An implicit step solves for the freedoms of the tree that no driver prescribes and for one multiplier of each "
        "row; in body coordinates for six of each body and the rows of every joint. Body coordinates have " +
        range_text(ratios) + " times as many unknowns.";
    return table;
}

MarkdownTable step_table(const std::vector<MeasuredCase>& all) {
    MarkdownTable table{"A step",
                        "At the largest step of each method in the table of accuracy. Iterations: Newton's, mean over "
                        "the run, the last correction included; - of explicit methods. Operations: counted over 16 "
                        "steps after the first 16, an fma being two. Time: of one instance and step, certificate and "
                        "status included. -: in body coordinates the joints are rows, which explicit methods do not "
                        "take.",
                        {"mechanism", "method", "step (s)", "iterations, joint", "body", "operations, joint", "body",
                         "body / joint", "ns, joint", "body", "body / joint"},
                        {}};
    for (const MeasuredCase& one : all) {
        const bool is_explicit = one.compared.integrator == "rk4";
        const Outcome& joint = at_largest_step(one, "joint");
        const auto iterations = [&](const Outcome& outcome) { return is_explicit ? "-" : figure(outcome.iterations); };
        std::vector<std::string> row = {one.compared.goal.mechanism, one.compared.integrator,
                                        figure(one.compared.largest_step_s), iterations(joint), "-"};
        if (one.is_in_both()) row.back() = iterations(at_largest_step(one, "body"));
        row.push_back(std::to_string(one.result.joint_flops));
        row.push_back(one.is_in_both() ? std::to_string(one.result.body_flops) : "-");
        row.push_back(one.is_in_both() ? figure(flops_ratio(one)) : "-");
        row.push_back(figure(joint.ns_per_step));
        row.push_back(one.is_in_both() ? figure(at_largest_step(one, "body").ns_per_step) : "-");
        row.push_back(one.is_in_both() ? figure(time_ratio(one)) : "-");
        table.rows.push_back(row);
    }
    return table;
}

MarkdownTable accuracy_table(const std::vector<MeasuredCase>& all) {
    MarkdownTable table{"Accuracy",
                        "Error: distance from the known values, over three steps, each half of the one before. Order: "
                        "log2 of the ratio of the last two that the digits of the known values do not hide. "
                        "- where a run failed.",
                        {"mechanism", "method", "quantity", "step (s)", "error, joint", "body", "order, joint", "body"},
                        {}};
    for (const MeasuredCase& one : all) {
        const Sweep& made = one.result.made;
        for (std::size_t i = 0; i < made.steps_s.size(); ++i) {
            const bool is_last = i + 1 == made.steps_s.size();
            const auto order = [&](const char* coordinates) {
                return is_last ? figure(order_of(one.compared, made, coordinates)) : "";
            };
            table.rows.push_back({one.compared.goal.mechanism, one.compared.integrator, one.compared.quantity,
                                  figure(made.steps_s[i]), figure(made.at(i, "joint").error),
                                  one.is_in_both() ? figure(made.at(i, "body").error) : "-", order("joint"),
                                  one.is_in_both() ? order("body") : "-"});
        }
    }
    return table;
}

MarkdownTable matrix_table(const std::vector<MeasuredCase>& all) {
    MarkdownTable table{"The iteration matrix of joint coordinates",
                        "At the largest step, with \"iteration_matrix\": simplified, the default, is made once a step; "
                        "exact is made anew for every iteration. - where a run failed.",
                        {"mechanism", "method", "step (s)", "iterations, simplified", "exact", "ns, simplified",
                         "exact", "exact / simplified"},
                        {}};
    for (const MeasuredCase& one : all) {
        if (!has_choice_of_matrix(one.compared)) continue;
        const Outcome &simplified = at_largest_step(one, "joint"), &exact = one.result.exact;
        table.rows.push_back({one.compared.goal.mechanism, one.compared.integrator, figure(one.compared.largest_step_s),
                              figure(simplified.iterations), figure(exact.iterations), figure(simplified.ns_per_step),
                              figure(exact.ns_per_step), figure(exact.ns_per_step / simplified.ns_per_step)});
    }
    return table;
}

MarkdownTable equal_error_table(const Machine& machine) {
    MarkdownTable table{"The double pendulum to a millionth of a metre",
                        "2-norm of the errors of both rods' centres of mass after 3 s. The largest step, to one "
                        "percent, by which the error is at most " +
                            figure(wanted_error_m) + " m, and the time of one instance on one core.",
                        {"method", "coordinates", "step (s)", "error (m)", "ms per instance"},
                        {}};
    struct Form {
        const char *integrator, *coordinates;
    };
    for (const Form& form : {Form{"rk4", "joint"}, Form{"rk67", "joint"}, Form{"generalized_alpha", "joint"},
                             Form{"generalized_alpha", "body"}}) {
        const LargestStep found = largest_step(
            rods_at_3_s(), {.integrator = form.integrator, .coordinates = form.coordinates}, wanted_error_m, machine);
        table.rows.push_back({form.integrator, form.coordinates, figure(found.step_s), figure(found.error),
                              figure(found.ms_per_instance)});
    }
    return table;
}

// The cases in both coordinates of which a claim holds.
template <class Claim>
std::string named_text(const std::vector<MeasuredCase>& all, Claim claim) {
    std::string text;
    for (const MeasuredCase& one : all)
        if (one.is_in_both() && claim(one)) text += (text.empty() ? "" : ", ") + one.name();
    return text.empty() ? "none" : text;
}

// "12 of 22".
template <class Claim>
std::string share_text(const std::vector<MeasuredCase>& all, Claim claim) {
    int holds = 0, of = 0;
    for (const MeasuredCase& one : all)
        if (one.is_in_both()) ++of, holds += claim(one);
    return std::to_string(holds) + " of " + std::to_string(of);
}

std::string orders_text(const std::vector<MeasuredCase>& all, std::string_view integrator, const char* coordinates) {
    std::vector<NamedNumber> orders;
    for (const MeasuredCase& one : all)
        if (one.compared.integrator == integrator && (one.is_in_both() || coordinates == std::string_view("joint")))
            orders.push_back({order_of(one.compared, one.result.made, coordinates), one.compared.goal.mechanism});
    return range_text(orders);
}

std::string failed_text(const std::vector<MeasuredCase>& all) {
    std::string text;
    for (const MeasuredCase& one : all)
        for (std::size_t i = 0; one.is_in_both() && i < one.result.made.steps_s.size(); ++i) {
            if (!std::isnan(one.result.made.at(i, "joint").error) || std::isnan(one.result.made.at(i, "body").error))
                continue;
            text += (text.empty() ? "" : ", ") + one.name() + " at " + figure(one.result.made.steps_s[i]) + " s";
        }
    return text.empty() ? "none" : text;
}

std::string seen_text(const std::vector<MeasuredCase>& all) {
    std::string text = "Of the pairs of runs that both coordinates take, at the largest step of each:\n\n";
    text += "- operations, body over joint: " + range_text(over_cases(all, flops_ratio)) + ";\n";
    text += "- more operations in joint coordinates: " +
            named_text(all, [](const MeasuredCase& one) { return flops_ratio(one) < 1.0; }) + ";\n";
    text += "- time, body over joint: " + range_text(over_cases(all, time_ratio)) +
            "; joint coordinates are faster in " +
            share_text(all, [](const MeasuredCase& one) { return time_ratio(one) > 1.0; }) + ";\n";
    text += "- Newton iterations per step, joint less body: " + range_text(over_cases(all, iteration_difference)) +
            "; the methods in time keep one simplified matrix for a step of joint coordinates, and make that of body "
            "coordinates anew for each iteration;\n";
    text += "- runs that fail in joint coordinates and end well in body coordinates: " + failed_text(all) + ";\n";
    text += "- error at the smallest step, joint over body: " + range_text(over_cases(all, error_ratio)) +
            ".\n\nMeasured orders:\n\n";
    for (const char* integrator : {"generalized_alpha", "implicit_euler"})
        text += std::string("- ") + integrator + ": joint " + orders_text(all, integrator, "joint") + "; body " +
                orders_text(all, integrator, "body") + ";\n";
    return text + "- rk4: joint " + orders_text(all, "rk4", "joint") + ".";
}

}  // namespace

MarkdownPage own_page() {
    const Machine machine = one_thread();
    std::vector<MeasuredCase> all;
    for (const CoordinatesCase& compared : coordinates_cases(machine))
        all.push_back({compared, run_in_both(compared, steps_of_a_case, machine)});
    MarkdownPage page;
    page.file = "own.md", page.title = "Joint beside body coordinates";
    page.text =
        "The bundled mechanisms that joint coordinates take, run in both coordinates by the same methods at the same "
        "steps, everything else at its default. In body coordinates every joint is rows and a step solves for six "
        "unknowns of each body and for all multipliers; in joint coordinates the bodies hang on a tree of joints, and "
        "only joints that close a loop are rows. All times are those of one thread with every lane of its vectors "
        "taken, in one run, joint and body in turn: the fastest of four times 20 ms. The known values are converged "
        "ones "
        "of independent integrations, closed forms of the driven mechanisms, and of the rotor a run of rk67 in body "
        "coordinates with the step 1e-5 s.\n\nMeasured on: " +
        machine.backend->device() + ".\n\n## What is seen\n\n" + seen_text(all);
    page.tables = {unknowns_table(), step_table(all), matrix_table(all), accuracy_table(all),
                   equal_error_table(machine)};
    return page;
}

}  // namespace myriad::bench
