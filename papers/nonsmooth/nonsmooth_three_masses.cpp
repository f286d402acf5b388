// The model problem of the nonsmooth paper, sect. 2.8: three masses, the last one on a stiff spring (figs. 15, 16) or
// held by a constraint, on velocity level against acceleration level (figs. 17, 18).
//
// The reference is the Runge-Kutta method of order 4 with steps of 1e-5 s, which is modal analysis but for 1e-6 of the
// amplitude of the stiff spring.
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/systems/vector_coordinates.hpp"
#include "papers/nonsmooth/contact_run.hpp"
#include "papers/nonsmooth/nonsmooth.hpp"
#include "papers/nonsmooth/three_masses.hpp"

namespace myriad::bench {

namespace {

using Stiff = ThreeMasses<double, NoChart>;
using Held = ThreeMassesHeld<double, NoChart>;

constexpr double g = 9.81, stiff_spring_N_m = 1e7, span_s = 5.0;
const double two_pi = 2.0 * std::acos(-1.0);

using State = std::array<double, 6>;  // displacements, rates
State rates(const State& s) {
    return {s[3],
            s[4],
            s[5],
            g - 2.0 * s[0] + s[1],
            g + s[0] - 2.0 * s[1] + s[2],
            g + s[1] - (1.0 + stiff_spring_N_m) * s[2]};
}
State sum(const State& s, double h, const State& r) {
    State x = s;
    for (std::size_t i = 0; i < 6; ++i) x[i] += h * r[i];
    return x;
}
// Every `every_s`, with the start.
std::vector<State> reference(double every_s) {
    constexpr double h = 1e-5;
    const long steps = std::lround(every_s / h), rows = std::lround(span_s / every_s);
    std::vector<State> samples = {State{}};
    State s{};
    for (long row = 0; row < rows; ++row) {
        for (long i = 0; i < steps; ++i) {
            const State k1 = rates(s), k2 = rates(sum(s, 0.5 * h, k1)), k3 = rates(sum(s, 0.5 * h, k2)),
                        k4 = rates(sum(s, h, k3));
            for (std::size_t j = 0; j < 6; ++j) s[j] += h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]);
        }
        samples.push_back(s);
    }
    return samples;
}

// The swing of mass 3 about where the soft spring and its weight hold it, relative to its first one, g/k0; the largest
// in ten steps from the given one.
template <class Displacements>
double swing(const std::vector<Displacements>& run, std::size_t from) {
    double largest = 0.0;
    for (std::size_t i = from; i < from + 10; ++i) {
        const double held = (g + run[i][1]) / (1.0 + stiff_spring_N_m);
        largest = std::max(largest, std::abs(run[i][2] - held) * stiff_spring_N_m / g);
    }
    return largest;
}

struct SoftRow {
    std::string name;
    double soft_m, swing_after_50;
};
template <class Member>
SoftRow add_stiff(MarkdownTable& table, const std::string& name, double radius, const std::vector<State>& exact) {
    ContactRun<Member, Stiff> run(parameters_with<Stiff>({}), contact_schedule(1e-3, span_s, radius));
    std::vector<Vec<3, double>> displacements;
    run.run([&](const auto& now) { displacements.push_back(now.motion.q); });
    double soft = 0.0;
    const bool ended_well = run.reason == 0.0 && displacements.size() == exact.size();
    for (std::size_t i = 0; ended_well && i < exact.size(); ++i)
        for (std::size_t j = 0; j < 2; ++j)
            soft = std::max(soft, std::abs(displacements[i][static_cast<int>(j)] - exact[i][j]));
    // Beyond the size of the motion an error says nothing.
    const bool follows = ended_well && soft < 100.0;
    table.rows.push_back({name, follows ? figure(soft) : "unstable"});
    for (const std::size_t from : {1u, 10u, 20u, 50u, 100u, 1000u})
        table.rows.back().push_back(follows ? figure(swing(displacements, from)) : "-");
    return {name, follows ? soft : 1e300, follows ? swing(displacements, 50) : 1e300};
}

void add_stiff_spring(MarkdownPage& page) {
    const std::vector<State> exact = reference(1e-3);
    MarkdownTable table{
        "Three masses, the last one on a stiff spring (Figs. 15, 16)",
        "Step 1e-3 s, 5 s, from rest in the unstressed position (the paper does not say; k1 = k2 = k3 "
        "= 1 N/m). Largest error of masses 1 and 2, which move by 20 m, and the swing of mass 3 about "
        "its place of rest relative to g/k0, the largest in ten steps from step 1, 10, ... on: two samples "
        "per period, so that even the reference beats.",
        {"scheme", "masses 1, 2 (m)", "1", "10", "20", "50", "100", "1000"},
        {}};
    table.rows.push_back({"reference", "0"});
    for (const std::size_t from : {1u, 10u, 20u, 50u, 100u, 1000u})
        table.rows.back().push_back(figure(swing(exact, from)));
    const SoftRow weak = add_stiff<NonsmoothGeneralizedAlpha>(table, "generalized-alpha 0.8", 0.8, exact),
                  half = add_stiff<NonsmoothGeneralizedAlpha>(table, "generalized-alpha 0.5", 0.5, exact),
                  strong = add_stiff<NonsmoothGeneralizedAlpha>(table, "generalized-alpha 0", 0.0, exact),
                  bathe = add_stiff<NonsmoothBathe>(table, "Bathe", 0.0, exact),
                  ed = add_stiff<NonsmoothEdAlpha>(table, "ED-alpha 0", 0.0, exact);
    add_stiff<MoreauMidpoint>(table, "Moreau", 0.0, exact);
    add_stiff<HalfExplicit>(table, "half-explicit", 0.0, exact);
    page.tables.push_back(table);
    const double worst = std::max({weak.soft_m, half.soft_m, strong.soft_m, bathe.soft_m, ed.soft_m});
    state(page, "the soft masses follow the reference by every scheme; ED-alpha's phase is the best (Fig. 15)",
          worst < 1e-3 && ed.soft_m < std::min({weak.soft_m, half.soft_m, strong.soft_m, bathe.soft_m}),
          "of motions of 20 m ED-alpha is off by " + figure(ed.soft_m) + " m, Bathe by " + figure(bathe.soft_m) +
              ", generalized-alpha (0.8) by " + figure(weak.soft_m));
    const bool represented = weak.swing_after_50 > 0.2,
               damped = std::max({half.swing_after_50, strong.swing_after_50, bathe.swing_after_50,
                                  ed.swing_after_50}) < 0.05;
    page.statements.push_back(
        {"generalized-alpha of radius 0.8 represents the vibration of mass 3, the others damp it in a few steps "
         "(Fig. 16)",
         represented && damped   ? "holds"
         : represented || damped ? "holds in part"
                                 : "does not hold",
         "of the first swing " + figure(weak.swing_after_50) + " is left after 50 steps at radius 0.8, " +
             figure(half.swing_after_50, 1) + " at 0.5, " + figure(bathe.swing_after_50, 1) + " by Bathe, " +
             figure(ed.swing_after_50, 1) + " by ED-alpha (0)"});
    const double fastest_Hz = std::sqrt(stiff_spring_N_m + 1.0) / two_pi;
    state(page, "the highest frequency with the stiff spring is 503.3 Hz", std::abs(fastest_Hz - 503.3) < 0.05,
          figure(fastest_Hz, 4) + " Hz");
    // The held chain: eigenvalues k/m and 3 k/m.
    const double held_Hz = std::sqrt(3.0) / two_pi;
    constexpr double stated_Hz = 0.8717, stated_step_per_period = 0.0436;
    state(page, "the highest frequency with the constraint is 0.8717 Hz, and h/T = 0.0436",
          std::abs(held_Hz - stated_Hz) < 0.00005,
          "it is sqrt(3 k/m)/(2 pi): " + figure(held_Hz, 4) + " Hz with the stated 1 N/m; " + figure(stated_Hz, 4) +
              " Hz takes " + figure(std::pow(stated_Hz / held_Hz, 2)) + " N/m, and this h/T then a step of " +
              figure(stated_step_per_period / stated_Hz) + " s");
}

// Held runs with the first acceleration as printed in eq. 25, without the contact force, or as it should be.
struct HeldRun {
    std::vector<double> place, rate, force_error;  // of mass 3, by step
};
template <class Member>
HeldRun held_run(double spring_N_m, double h, double radius, bool as_printed) {
    CompiledContactRun<Member, Held> run(
        parameters_with<Held>(
            {{"stiffness_1_N_m", spring_N_m}, {"stiffness_2_N_m", spring_N_m}, {"stiffness_3_N_m", spring_N_m}}),
        contact_schedule(h, span_s, radius));
    if (as_printed)
        for (int i = 0; i < 3; ++i) run.memory.acceleration[i] = run.memory.algorithmic[i] = g;
    HeldRun made;
    run.run([&](const auto& now) {
        made.place.push_back(now.motion.q[2]), made.rate.push_back(now.motion.v[2]);
        // l = k3 (q3 - q2) - m g
        made.force_error.push_back(now.memory.force[0] + spring_N_m * (now.motion.q[1] - now.motion.q[2]) + g);
    });
    return made;
}

struct HeldRow {
    double residual_rate, place_after_1_s, place_at_end, second_force, late_force;
    bool alternates;
};
// Without the digits of round-off.
std::string above_round_off(double value, int digits) { return std::abs(value) < 1e-10 ? "0" : figure(value, digits); }

HeldRow add_held(MarkdownTable& table, const std::string& name, double spring_N_m, double h, bool as_printed,
                 const HeldRun& run) {
    const auto after_1_s = static_cast<std::size_t>(std::lround(1.0 / h));
    const std::vector<double>& f = run.force_error;
    HeldRow row{run.rate.back(), run.place[after_1_s], run.place.back(), f[2], std::abs(f[50]), f[1] * f[2] < 0.0};
    table.rows.push_back({name, figure(spring_N_m), figure(h), as_printed ? "as printed" : "with contact",
                          above_round_off(row.residual_rate, 2), above_round_off(row.place_after_1_s, 2),
                          above_round_off(row.place_at_end, 2), above_round_off(f[1], 3), above_round_off(f[2], 3),
                          above_round_off(f[3], 3), above_round_off(f[50], 2)});
    return row;
}

void add_constraint(MarkdownPage& page) {
    MarkdownTable table{
        "Three masses, the last one held: velocity level against acceleration level (Figs. 17, 18)",
        "5 s. Rate of mass 3 at the end, its place after 1 s and at the end; error of the constraint force (N) against "
        "k3 (q3 - q2) - m g after 1, 2, 3 and 50 steps. First acceleration as printed in eq. 25, without the contact "
        "force, or with it. 10 N/m and 0.05 s are what the frequency stated in the paper means.",
        {"scheme", "spring (N/m)", "step (s)", "first acceleration", "rate (m/s)", "place, 1 s (m)", "place, 5 s (m)",
         "1", "2", "3", "50"},
        {}};
    bool drifts = true, constant = true, oscillates = true, damping_helps = true;
    double ringing = 0.0, drift = 0.0, off = 0.0;
    std::string acceleration_text, velocity_text, damping_text;
    for (const auto& setting : {std::pair{1.0, 1e-3}, std::pair{10.0, 0.05}}) {
        const double spring = setting.first, h = setting.second;
        for (const bool as_printed : {true, false}) {
            const auto add = [&](const std::string& name, const HeldRun& run) {
                return add_held(table, name, spring, h, as_printed, run);
            };
            const HeldRow acceleration = add("generalized-alpha 0.8, acceleration level",
                                             held_run<GeneralizedAlphaOnAcceleration>(spring, h, 0.8, as_printed));
            const HeldRow weak = add("generalized-alpha 0.95, velocity level",
                                     held_run<NonsmoothGeneralizedAlpha>(spring, h, 0.95, as_printed)),
                          middle = add("generalized-alpha 0.8, velocity level",
                                       held_run<NonsmoothGeneralizedAlpha>(spring, h, 0.8, as_printed)),
                          strong = add("generalized-alpha 0, velocity level",
                                       held_run<NonsmoothGeneralizedAlpha>(spring, h, 0.0, as_printed)),
                          bathe = add("Bathe, velocity level", held_run<NonsmoothBathe>(spring, h, 0.0, as_printed)),
                          ed =
                              add("ED-alpha 0, velocity level", held_run<NonsmoothEdAlpha>(spring, h, 0.0, as_printed));
            if (!as_printed) {
                for (const HeldRow& row : {acceleration, weak, middle, strong, bathe, ed})
                    drift = std::max(drift, std::abs(row.place_at_end)),
                    off = std::max(off, std::abs(row.second_force));
                continue;
            }
            drifts = drifts && std::abs(acceleration.residual_rate) > 1e-6 &&
                     std::abs(acceleration.place_at_end / acceleration.place_after_1_s - 5.0) < 0.3;
            constant = constant && std::abs(weak.place_at_end) > 1e-9 && std::abs(weak.residual_rate) < 1e-9 &&
                       std::abs(middle.place_at_end - middle.place_after_1_s) < 1e-2 * std::abs(middle.place_at_end);
            oscillates = oscillates && weak.alternates && middle.alternates;
            damping_helps = damping_helps && middle.late_force < weak.late_force && strong.late_force < 1e-6;
            ringing = std::max({ringing, bathe.late_force, ed.late_force});
            acceleration_text += (acceleration_text.empty() ? "" : "; ") + figure(acceleration.residual_rate, 2) +
                                 " m/s and " + figure(acceleration.place_at_end, 2) +
                                 " m after 5 s at h = " + figure(h);
            velocity_text +=
                (velocity_text.empty() ? "" : "; ") + figure(middle.place_at_end, 2) + " m at h = " + figure(h);
            damping_text += (damping_text.empty() ? "" : "; ") + figure(weak.late_force, 2) + ", " +
                            figure(middle.late_force, 2) + " and " + figure(strong.late_force, 1) +
                            " N at h = " + figure(h);
        }
    }
    page.tables.push_back(table);
    state(page, "on acceleration level a velocity of mass 3 stays, and its place drifts linearly (Fig. 17)", drifts,
          "from eq. 25 as printed, radius 0.8: " + acceleration_text);
    state(page, "on velocity level its place is off by a constant (Fig. 17)", constant,
          "from eq. 25 as printed, radius 0.8: " + velocity_text);
    state(page, "on velocity level acceleration and contact force oscillate (Fig. 18)", oscillates,
          "from eq. 25 as printed: the error changes its sign with every step at radius 0.8 and 0.95");
    state(page, "numerical damping makes the contact force better", damping_helps,
          "error after 50 steps at radius 0.95, 0.8 and 0: " + damping_text);
    state(page, "Bathe and ED-alpha give forces like generalized-alpha of radius 0", ringing < 1e-6,
          "largest error after 50 steps " + figure(ringing, 1) + " N");
    state(
        page, "both effects belong to the levels (sect. 2.8)", drift > 1e-9 || off > 1e-6,
        "with the first acceleration solved with contact instead of eq. 25 as printed, on both levels: place after 5 s "
        "off by at most " +
            figure(drift, 1) + " m, force in the second step by at most " + figure(off, 1) + " N");
}

// A mass of 1 kg at rest on the ground.
struct RestingMass : VectorCoordinates<1, double> {
    static constexpr int contacts = 1, tangents = 0, parameter_count = 1;
    static constexpr ParameterDescription parameters[parameter_count] = {{"normal_restitution", "1", 0.0, ""}};

    double restitution;

    static Prepared<RestingMass> prepare(const Vec<parameter_count, double>& p) { return {{{}, p[0]}, 0.0, 0.0}; }
    static void start(const Vec<parameter_count, double>&, Configuration& q, Velocity& v) { q[0] = v[0] = 0.0; }
    SquareMatrix<1, double> mass(const Configuration&) const { return {{{1.0}}}; }
    Velocity force(const Configuration&, const Velocity&, double) const { return {-g}; }
    TangentMatrices<1, double> tangents_of(const Configuration&, const Velocity&, const Velocity&, double) const {
        return {zero_matrix<1, double>(), zero_matrix<1, double>()};
    }
    ContactState<1, 1, 0, double> contact_state(const Configuration& q) const { return {{q[0]}, {{1.0}}}; }
    ContactLaw<double> law(int) const { return {0.0, restitution, 0.0}; }
    bool held(int) const { return false; }
    bool unused(int) const { return false; }
    double energy(const Configuration& q, const Velocity& v) const { return 0.5 * v[0] * v[0] + g * q[0]; }
};

// The contact forces of its first steps of 1e-3 s.
std::vector<double> resting_forces(bool as_printed, double restitution) {
    CompiledContactRun<NonsmoothGeneralizedAlpha, RestingMass> run(
        parameters_with<RestingMass>({{"normal_restitution", restitution}}), contact_schedule(1e-3, 5e-3, 0.8));
    if (as_printed) run.memory.acceleration[0] = run.memory.algorithmic[0] = -g;
    std::vector<double> forces;
    run.run([&](const auto& now) { forces.push_back(now.memory.force[0]); });
    forces.erase(forces.begin());
    return forces;
}
void add_resting_mass(MarkdownPage& page) {
    const auto text = [](const std::vector<double>& forces) {
        std::string all;
        for (const double force : forces) all += (all.empty() ? "" : ", ") + figure(force);
        return all;
    };
    const std::vector<double> plastic = resting_forces(true, 0.0), elastic = resting_forces(true, 0.5),
                              solved = resting_forces(false, 0.5);
    const auto is_weight = [](double force) { return std::abs(force - g) < 1e-6 * g; };
    const bool rests = std::all_of(plastic.begin(), plastic.end(), is_weight);
    state(page, "eq. 25: the first acceleration has no contact force", rests,
          "a mass of 1 kg at rest on the ground, radius 0.8: contact forces as printed " + text(plastic) +
              ", ... N with restitution 0, " + text(elastic) + ", ... N with 0.5; with contact " + text(solved) + " N");
}

}  // namespace

void nonsmooth_three_masses(MarkdownPage& page) {
    add_stiff_spring(page);
    add_constraint(page);
    add_resting_mass(page);
}

}  // namespace myriad::bench
