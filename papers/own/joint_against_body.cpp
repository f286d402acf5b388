#include "papers/own/joint_against_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "bench/operations/mechanism_operations.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/validation/runs/driven_motions.hpp"
#include "host/validation/runs/reference_values.hpp"

namespace myriad::bench {

namespace {

using validation::Method;
constexpr int timed_in_turn = 4;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> point_of(const std::string& channel, const std::string& body) {
    std::vector<std::string> channels;
    for (const char* axis : {"x", "y", "z"}) channels.push_back(channel + "." + body + "." + axis);
    return channels;
}

template <class Values>
std::vector<double> listed(const Values& values) {
    return {values.begin(), values.end()};
}

template <class Row>
void append(std::vector<Row>& all, const std::vector<Row>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

struct Step {
    const char* integrator;
    double largest_s;
};

// Mechanisms with freedoms.
struct Free {
    Goal goal;
    const char* quantity;
    double digits;
    std::vector<Step> steps;
};

std::vector<Free> free_motions(const Machine& machine) {
    namespace known = reference_values;
    Goal bars{"four_bar_loop", 1.0, point_of("position", "bar_1"), listed(known::four_bar_loop::bar_1_at_1_s)};
    append(bars.channels, point_of("position", "bar_2"));
    append(bars.values, listed(known::four_bar_loop::bar_2_at_1_s));

    const std::vector<std::string> of_robot = {"angle_1", "angle_2", "angle_3", "angle_4", "angle_5", "angle_6"};
    Goal rotor{"high_speed_rotor", 0.5, {"left_end.x", "left_end.y", "left_end.z"}, {}};
    rotor.values = values_by(rotor, {.integrator = "rk67", .step_s = 1e-5}, machine);

    return {
        {{"double_pendulum",
          1.0,
          {"position.upper_rod.y", "position.upper_rod.z", "position.lower_rod.y", "position.lower_rod.z"},
          listed(known::double_pendulum::rods_at_1_s)},
         "both rods' centres of mass at 1 s (m)",
         1e-9,
         {{"generalized_alpha", 1e-3}, {"implicit_euler", 1e-3}, {"rk4", 2e-2}}},
        {{"heavy_top", 1.0, point_of("position", "top"), listed(known::heavy_top::position_at_1_s)},
         "centre of mass at 1 s (m)",
         3e-10,
         {{"generalized_alpha", 1e-4}, {"implicit_euler", 1e-5}, {"rk4", 5e-4}}},
        {rotor, "left end at 0.5 s (m)", 1e-12, {{"generalized_alpha", 1e-4}, {"implicit_euler", 1e-5}, {"rk4", 5e-4}}},
        {{"puma560", 0.5, of_robot, listed(known::puma560::angles_at_0_5_s)},
         "six angles at 0.5 s (rad)",
         1e-9,
         {{"generalized_alpha", 2e-4}, {"rk4", 1e-3}}},
        // At 0.5 s, where its path turns from speeding up to slowing down, an error of first order all but cancels.
        {{"puma560", 1.0, of_robot, listed(known::puma560::angles_at_1_s)},
         "six angles at 1 s (rad)",
         1e-9,
         {{"implicit_euler", 5e-5}}},
        {{"slider_crank_iftomm", 0.5, {"crank_angle"}, {known::slider_crank_iftomm::motion_at_0_5_s[1]}},
         "angle of the crank at 0.5 s (rad)",
         1e-9,
         {{"generalized_alpha", 1e-3}, {"implicit_euler", 2e-4}}},
        {bars, "centres of mass of two bars at 1 s (m)", 1e-8, {{"generalized_alpha", 1e-2}, {"implicit_euler", 1e-3}}},
    };
}

struct Driven {
    const char *mechanism, *body;
    validation::PointMotion (*motion)(double);
};
constexpr Driven driven_motions[] = {{"pendulum", "rod", validation::pendulum_rod},
                                     {"slider_crank_haug", "slider", validation::slider_crank_slider},
                                     {"four_link", "rocker", validation::four_link_rocker}};
// Of the closed forms: the round-off of rates of some 10 rad/s on lengths up to 12 m.
constexpr double driven_digits = 1e-12;

void add_driven(const Driven& driven, std::vector<CoordinatesCase>& cases) {
    const double end_s = 3.0;
    const validation::PointMotion at_end = driven.motion(end_s);
    const Goal position{driven.mechanism, end_s, point_of("position", driven.body), listed(at_end.position_m)},
        velocity{driven.mechanism, end_s, point_of("velocity", driven.body), listed(at_end.velocity_m_s)};
    const std::string body = driven.body;
    cases.push_back({position, body + "'s centre of mass at 3 s (m)", driven_digits, "kinematics", 1e-2});
    for (const char* integrator : {"generalized_alpha", "implicit_euler"})
        cases.push_back({velocity, body + "'s velocity at 3 s (m/s)", driven_digits, integrator, 2e-3});
}

}  // namespace

UnknownsInBoth unknowns_in_both(const std::string& mechanism) {
    const auto parsed = mechanism::parse_mechanism(validation::mechanism_text(mechanism), mechanism);
    const mechanism::SpanningTree tree = mechanism::spanning_tree_of(*parsed);
    const mechanism::Unknowns joint = mechanism::unknowns_in_joint_coordinates(*parsed, tree);
    return {mechanism,   static_cast<int>(parsed->body_names.size()),           joint.freedoms, joint.prescribed,
            joint.all(), mechanism::unknowns_in_body_coordinates(*parsed).all()};
}

std::vector<CoordinatesCase> coordinates_cases(const Machine& machine) {
    std::vector<CoordinatesCase> cases;
    for (const Driven& driven : driven_motions) add_driven(driven, cases);
    for (const Free& known : free_motions(machine))
        for (const Step& step : known.steps)
            cases.push_back({known.goal, known.quantity, known.digits, step.integrator, step.largest_s,
                             std::string(step.integrator) != "rk4" || known.goal.mechanism == "high_speed_rotor"});
    return cases;
}

bool has_choice_of_matrix(const CoordinatesCase& compared) {
    return compared.integrator == "generalized_alpha" || compared.integrator == "implicit_euler";
}

std::vector<Variant> coordinates_of(const CoordinatesCase& compared) {
    std::vector<Variant> variants;
    for (const char* coordinates : {"joint", "body"})
        if (compared.takes_body || coordinates == std::string_view("joint"))
            variants.push_back({coordinates, {.integrator = compared.integrator, .coordinates = coordinates}});
    return variants;
}

CoordinatesResult run_in_both(const CoordinatesCase& compared, int steps, const Machine& machine) {
    const std::vector<Variant> variants = coordinates_of(compared);
    CoordinatesResult result;
    result.made = sweep(compared.goal, variants, halved(compared.largest_step_s, steps), machine);
    Method exact = variants.front().method;
    exact.step_s = compared.largest_step_s, exact.iteration_matrix = "exact";
    if (has_choice_of_matrix(compared)) result.exact = run_towards(compared.goal, exact, machine);
    // In turn, so that what else the machine does meets all alike; the fastest counts.
    const auto again = [&](Outcome& outcome, Method method) {
        method.step_s = compared.largest_step_s;
        outcome.ns_per_step = std::min(outcome.ns_per_step, run_towards(compared.goal, method, machine).ns_per_step);
    };
    for (int i = 1; i < timed_in_turn; ++i) {
        for (std::size_t v = 0; v < variants.size(); ++v) again(result.made.outcomes.front()[v], variants[v].method);
        if (has_choice_of_matrix(compared)) again(result.exact, exact);
    }
    result.joint_flops = flops_of(compared, "joint");
    if (compared.takes_body) result.body_flops = flops_of(compared, "body");
    return result;
}

long long flops_of(const CoordinatesCase& compared, const std::string& coordinates) {
    const Method counted{.integrator = compared.integrator,
                         .step_s = compared.largest_step_s,
                         .end_s = compared.goal.end_s,
                         .coordinates = coordinates};
    return count_mechanism_step(study::parse_study(validation::mechanism_study_text(compared.goal.mechanism, counted),
                                                   "own page", std::filesystem::path()))
        .flops;
}

double order_of(const CoordinatesCase& compared, const Sweep& made, const std::string& variant) {
    for (std::size_t i = made.steps_s.size(); i-- > 1;) {
        const double fine = made.at(i, variant).error, coarse = made.at(i - 1, variant).error;
        // A tenth of the smaller error moves the order by 0.15.
        if (!(fine <= 10.0 * compared.digits)) return std::log2(coarse / fine);
    }
    return nan;
}

LargestStep largest_step(const Goal& goal, Method method, double error, const Machine& machine, long long most_steps) {
    const auto with_steps = [&](long long steps) {
        method.step_s = goal.end_s / static_cast<double>(steps);
        const Outcome outcome = run_towards(goal, method, machine);
        return LargestStep{method.step_s, outcome.error, 1e-6 * outcome.ns_per_step * static_cast<double>(steps)};
    };
    long long enough = 64;
    LargestStep found = with_steps(enough);
    while (!(found.error <= error)) {
        if ((enough *= 2) > most_steps) return {nan, nan, nan};
        found = with_steps(enough);
    }
    for (long long too_few = enough / 2; enough - too_few > 1 + enough / 100;) {
        const long long middle = (enough + too_few) / 2;
        const LargestStep tried = with_steps(middle);
        if (tried.error <= error)
            enough = middle, found = tried;
        else
            too_few = middle;
    }
    for (int i = 1; i < timed_in_turn; ++i)
        found.ms_per_instance = std::min(found.ms_per_instance, with_steps(enough).ms_per_instance);
    return found;
}

Goal rods_at_3_s() {
    return {"double_pendulum",
            3.0,
            {"position.upper_rod.y", "position.upper_rod.z", "position.lower_rod.y", "position.lower_rod.z"},
            listed(reference_values::double_pendulum::rods_at_3_s)};
}

}  // namespace myriad::bench
