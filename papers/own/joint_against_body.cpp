#include "papers/own/joint_against_body.hpp"

#include <cmath>
#include <limits>

#include "bench/operations/mechanism_operations.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/validation/runs/driven_motions.hpp"
#include "host/validation/runs/reference_values.hpp"

namespace myriad::bench {

namespace {

using validation::Method;
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
        {{"puma560",
          0.5,
          {"angle_1", "angle_2", "angle_3", "angle_4", "angle_5", "angle_6"},
          listed(known::puma560::angles_at_0_5_s)},
         "six angles at 0.5 s (rad)",
         1e-9,
         {{"generalized_alpha", 2e-4}, {"implicit_euler", 5e-5}, {"rk4", 1e-3}}},
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

long long flops_of(const Goal& goal, Method method, const std::string& coordinates) {
    method.end_s = goal.end_s, method.coordinates = coordinates;
    return count_mechanism_step(study::parse_study(validation::mechanism_study_text(goal.mechanism, method), "own page",
                                                   std::filesystem::path()))
        .flops;
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

CoordinatesResult run_in_both(const CoordinatesCase& compared, int steps, const Machine& machine) {
    const Method in_joint{.integrator = compared.integrator, .coordinates = "joint"},
        in_body{.integrator = compared.integrator, .coordinates = "body"};
    std::vector<Variant> variants = {{"joint", in_joint}};
    if (compared.takes_body) variants.push_back({"body", in_body});
    CoordinatesResult result;
    result.made = sweep(compared.goal, variants, halved(compared.largest_step_s, steps), machine);
    if (has_choice_of_matrix(compared)) {
        Method exact = in_joint;
        exact.step_s = compared.largest_step_s, exact.iteration_matrix = "exact";
        result.exact = run_towards(compared.goal, exact, machine);
    }
    const Method counted{.integrator = compared.integrator, .step_s = compared.largest_step_s};
    result.joint_flops = flops_of(compared.goal, counted, "joint");
    if (compared.takes_body) result.body_flops = flops_of(compared.goal, counted, "body");
    return result;
}

double order_of(const CoordinatesCase& compared, const Sweep& made, const std::string& variant) {
    for (std::size_t i = made.steps_s.size(); i-- > 1;) {
        const double fine = made.at(i, variant).error, coarse = made.at(i - 1, variant).error;
        // A tenth of the smaller error moves the order by 0.15.
        if (!(fine <= 10.0 * compared.digits)) return std::log2(coarse / fine);
    }
    return nan;
}

LargestStep largest_step(const Goal& goal, Method method, double error, const Machine& machine) {
    const auto with_steps = [&](long long steps) {
        method.step_s = goal.end_s / static_cast<double>(steps);
        const Outcome outcome = run_towards(goal, method, machine);
        return LargestStep{method.step_s, outcome.error, 1e-6 * outcome.ns_per_step * static_cast<double>(steps)};
    };
    constexpr long long most = 1 << 20;
    long long enough = 64;
    LargestStep found = with_steps(enough);
    while (!(found.error <= error)) {
        if ((enough *= 2) > most) return {nan, nan, nan};
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
    return found;
}

Goal rods_at_3_s() {
    return {"double_pendulum",
            3.0,
            {"position.upper_rod.y", "position.upper_rod.z", "position.lower_rod.y", "position.lower_rod.z"},
            listed(reference_values::double_pendulum::rods_at_3_s)};
}

}  // namespace myriad::bench
