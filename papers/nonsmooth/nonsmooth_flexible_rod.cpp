// The slider-crank with a flexible rod of the nonsmooth paper, sects. 4.1 to 4.3 and 4.5: elements, modes, frames, the
// rod that is almost rigid, and what its figures say of the schemes.
//
// The paper does not say how many elements its figures 21 to 29 take (figs. 30 to 32: 20), nor what the torque at the
// beam's root is: here the bending moment EI w'' there.
#include "papers/nonsmooth/flexible_rod_run.hpp"
#include "papers/nonsmooth/nonsmooth.hpp"

namespace myriad::bench {

namespace {

using namespace flexible_rod;

constexpr double clearance_m = 0.001;  // of Table 1

// Fig. 20.
void add_elements(MarkdownPage& page) {
    constexpr double step_s = 1e-5, end_s = 0.05;
    const std::array<Named, 5> rods{{{"1", runner<NonsmoothBathe, Elements<1>>()},
                                     {"2", runner<NonsmoothBathe, Elements<2>>()},
                                     {"4", runner<NonsmoothBathe, Elements<4>>()},
                                     {"8", runner<NonsmoothBathe, Elements<8>>()},
                                     {"16", runner<NonsmoothBathe, Elements<16>>()}}};
    std::vector<Outcome> free, clear;
    for (const Named& rod : rods) {
        free.push_back(rod.run(without_walls(table_1), step_s, 0.01));
        clear.push_back(rod.run(table_1, step_s, end_s));
    }
    MarkdownTable table{
        "Flexible rod: number of elements (Fig. 20)",
        "Table 1, Bathe, h = 1e-5 s, tangential frame; largest distance of the slider's centre from that of 16 "
        "elements: without walls for 0.01 s, up to the first contact, up to 0.01 s and up to 0.05 s.",
        {"elements", "without walls (m)", "to the first contact (m)", "to 0.01 s (m)", "to 0.05 s (m)",
         "first contact (s)", "impacts"},
        {}};
    const double contact_s = clear.back().first_contact_s;
    for (std::size_t i = 0; i < rods.size(); ++i)
        table.rows.push_back({rods[i].name, figure(slider_distance(free[i], free.back())),
                              figure(slider_distance(clear[i], clear.back(), contact_s)),
                              figure(slider_distance(clear[i], clear.back(), 0.01)),
                              figure(slider_distance(clear[i], clear.back())), figure(clear[i].first_contact_s, 4),
                              std::to_string(clear[i].impacts)});
    page.tables.push_back(table);
    const double smooth[] = {slider_distance(free[0], free.back()), slider_distance(free[1], free.back()),
                             slider_distance(free[2], free.back()), slider_distance(free[3], free.back())};
    const bool converges = smooth[1] < smooth[0] && smooth[2] < smooth[1] && smooth[3] < smooth[2],
               late = slider_distance(clear[3], clear.back()) < 0.1 * clearance_m;
    page.statements.push_back({"the slider's movement converges with the number of elements (Fig. 20)",
                               !converges ? "does not hold"
                               : late     ? "holds"
                                          : "holds in part: up to the first impacts",
                               "1, 2, 4, 8 elements against 16: without walls " + figure(smooth[0], 2) + ", " +
                                   figure(smooth[1], 2) + ", " + figure(smooth[2], 2) + ", " + figure(smooth[3], 2) +
                                   " m; with impacts up to 0.05 s " +
                                   figure(slider_distance(clear[0], clear.back()), 2) + " to " +
                                   figure(slider_distance(clear[3], clear.back()), 2) +
                                   " m: every impact makes the motions part further, clearance 0.001 m"});
}

// The mass against an impact on both lower corners at a crank angle of 0.3 rad: 1/(w^T M^-1 w), w the slider's rise.
template <class System>
double mass_at_slider() {
    const System system = System::prepare(parameters_with<System>({})).system;
    typename System::Configuration q{};
    q[0] = 0.3, q[1] = -std::asin(0.5 * std::sin(0.3));
    const auto contact = system.contact_state(q);
    const Vec<System::freedoms, double> rise = 0.5 * (contact.direction[0] + contact.direction[2]);
    SmallFactors<System::freedoms, double> factors;
    factors.factor(system.mass(q));
    return 1.0 / inner(rise, factors.solve(rise));
}

// Fig. 21.
void add_almost_rigid(MarkdownPage& page) {
    constexpr double step_s = 1e-5, end_s = 0.05;
    const Runner rigid_run = runner<NonsmoothBathe, Rigid>(), rod = runner<NonsmoothBathe, Elements<4>>();
    const Outcome rigid_free = rigid_run(without_walls(table_1), step_s, end_s),
                  rigid = rigid_run(table_1, step_s, end_s);
    MarkdownTable table{"Flexible rod against the rigid one (Fig. 21)",
                        "Table 1, Bathe, h = 1e-5 s, 4 elements; largest distance of the slider's centre from that of "
                        "the rigid mechanism, whose first contact is at " +
                            figure(rigid.first_contact_s, 4) + " s and which has " + std::to_string(rigid.impacts) +
                            " impacts.",
                        {"E (Pa)", "without walls, 0.05 s (m)", "to the first contact (m)", "to 0.01 s (m)",
                         "to 0.02 s (m)", "to 0.05 s (m)", "impacts"},
                        {}};
    double stiff = 0.0, contact = 0.0, early = 0.0;
    for (const double modulus : {2e11, 1e13, 1e15}) {
        const Outcome free = rod(of_modulus(without_walls(table_1), modulus), step_s, end_s),
                      clear = rod(of_modulus(table_1, modulus), step_s, end_s);
        stiff = slider_distance(free, rigid_free);
        contact = slider_distance(clear, rigid, rigid.first_contact_s), early = slider_distance(clear, rigid, 0.01);
        table.rows.push_back({figure(modulus), figure(stiff), figure(contact), figure(early),
                              figure(slider_distance(clear, rigid, 0.02)), figure(slider_distance(clear, rigid)),
                              std::to_string(clear.impacts)});
    }
    page.tables.push_back(table);
    const double own = mass_at_slider<Elements<4>>(), whole = mass_at_slider<Rigid>();
    page.statements.push_back(
        {"the almost rigid rod moves as the rigid mechanism (Fig. 21)",
         stiff > 1e-5                 ? "does not hold"
         : early < 0.01 * clearance_m ? "holds"
                                      : "holds in part: up to the first impact",
         "E = 1e15 Pa: " + figure(stiff, 2) + " m without walls; with them " + figure(contact, 2) +
             " m up to the first contact, then " + figure(early, 2) +
             " m up to 0.01 s, clearance 0.001 m; the mass that an impact on both lower corners meets at 0.3 rad is " +
             figure(own, 2) + " kg, of the rigid mechanism " + figure(whole, 2) + " kg"});
}

std::vector<Named> schemes() {
    return {{"generalized-alpha 0.8", runner<NonsmoothGeneralizedAlpha, Elements<8>>(0.8)},
            {"generalized-alpha 0.5", runner<NonsmoothGeneralizedAlpha, Elements<8>>(0.5)},
            {"generalized-alpha 0", runner<NonsmoothGeneralizedAlpha, Elements<8>>(0.0)},
            {"Bathe", runner<NonsmoothBathe, Elements<8>>()},
            {"ED-alpha 0", runner<NonsmoothEdAlpha, Elements<8>>(0.0)}};
}

MarkdownTable driven_table(const std::string& title, const std::string& text, const std::vector<Named>& all,
                           const std::vector<Outcome>& runs, const Outcome& against) {
    MarkdownTable table{title,
                        text,
                        {"scheme", "ended at (s)", "angles (rad)", "rates (rad/s)", "energy made (J)", "lost (J)",
                         "largest moment at the root (N m)", "its change per step (N m)", "largest normal force (N)",
                         "impacts", "switches"},
                        {}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Outcome& run = runs[i];
        table.rows.push_back({all[i].name, figure(run.ended_s, 4) + (run.ended_well ? "" : " (stalled)"),
                              figure(difference(run, against, &Sample::angle), 2),
                              figure(difference(run, against, &Sample::rate), 2), figure(run.energy_gain_J, 2),
                              figure(run.energy_loss_J, 2), figure(run.root_moment_N_m), figure(run.moment_step_N_m, 2),
                              figure(run.largest_force_N), std::to_string(run.impacts), std::to_string(run.switches)});
    }
    return table;
}

// Figs. 24 to 29.
void add_driven(MarkdownPage& page) {
    const std::vector<Named> all = schemes();
    std::vector<Outcome> fine, coarse;
    for (const Named& one : all)
        fine.push_back(one.run(table_2, 1e-5, 0.2)), coarse.push_back(one.run(table_2, 1e-4, 0.5));
    const Outcome reference = all.back().run(table_2, 2e-6, 0.2);
    const std::string columns =
        " Change per step: root mean square, of the bending moment at the root. Energy made and lost: by the scheme, "
        "beyond friction, impacts and the torque. Switches: steps after which another set of corners is closed.";
    page.tables.push_back(driven_table(
        "Flexible rod driven by a torque from rest, Table 2, h = 1e-5 s (Figs. 24 to 27)",
        "8 elements, tangential frame, 0.2 s; largest differences of angles and rates of crank and frame from ED-alpha "
        "with h = 2e-6 s, whose first contact is at " +
            figure(reference.first_contact_s, 4) + " s." + columns,
        all, fine, reference));
    const std::string motion = " By Bathe the crank turns " +
                               figure(coarse[3].samples.back().angle[0] / (2.0 * std::acos(-1.0))) +
                               " times and reaches " + figure(largest_rate(coarse[3], 0)) + " rad/s.";
    page.tables.push_back(driven_table("The same with h = 1e-4 s to 0.5 s (Figs. 28, 29)",
                                       "8 elements; largest differences from Bathe." + motion + columns, all, coarse,
                                       coarse[3]));

    // An unstable scheme makes energy. Not judged by the balance: the friction of generalized-alpha's swinging forces
    // is not its friction. The torque is 1 N m: its work is the angle.
    constexpr double allowed_share = 0.05;
    const Outcome steady = all[3].run(table_2, 1e-5, 0.5);
    const double work = steady.samples.back().angle[0];
    bool stable = true, together = true;
    std::string gains = "Bathe " + figure(steady.energy_left_J, 3), angles;
    for (std::size_t i = 0; i < all.size(); ++i) {
        together = together && difference(fine[i], reference, &Sample::angle) < 0.01;
        angles += (i > 0 ? ", " : "") + figure(difference(fine[i], reference, &Sample::angle), 1);
        if (i < 2) {
            const Outcome longer = all[i].run(table_2, 1e-5, 0.5);
            stable = stable && longer.ended_well && coarse[i].ended_well &&
                     longer.energy_left_J < steady.energy_left_J + allowed_share * work;
            gains += ", " + all[i].name + " " + figure(longer.energy_left_J, 3) + " (balance " +
                     figure(longer.energy_gain_J, 2) + ")";
        }
    }
    state(page, "the schemes give almost the same angles before and after the impact (Fig. 24)", together,
          "flexible rod, differences up to 0.2 s in the table's order: " + angles + " rad");
    page.statements.push_back({"generalized-alpha of radius 0.8 and 0.5 gets unstable soon after 0.05 s (sect. 4.2)",
                               stable ? "does not hold" : "holds",
                               std::string("8 elements, 0.5 s") + (stable ? ", no run stalls" : "") +
                                   ", h = 1e-5 s; energy less that at rest and the torque's work of " +
                                   figure(work, 3) + " J: " + gains + " J"});
    state(page, "without enough damping high frequencies corrupt the stresses (Fig. 26)",
          fine[0].moment_step_N_m > 2.0 * fine[1].moment_step_N_m && fine[1].moment_step_N_m > fine[2].moment_step_N_m,
          "change of the moment at the root per step at radius 0.8, 0.5, 0: " + figure(fine[0].moment_step_N_m, 2) +
              ", " + figure(fine[1].moment_step_N_m, 2) + ", " + figure(fine[2].moment_step_N_m, 2) + " N m; Bathe " +
              figure(fine[3].moment_step_N_m, 2) + ", ED-alpha " + figure(fine[4].moment_step_N_m, 2));
    page.statements.push_back(
        {"generalized-alpha makes the contact go on and off where Bathe keeps it closed (Fig. 27)",
         fine[2].switches > fine[3].switches   ? "holds"
         : fine[0].switches > fine[3].switches ? "holds in part: at radius 0.8"
                                               : "does not hold",
         "switches at radius 0.8, 0.5, 0: " + std::to_string(fine[0].switches) + ", " +
             std::to_string(fine[1].switches) + ", " + std::to_string(fine[2].switches) + "; Bathe " +
             std::to_string(fine[3].switches) + ", ED-alpha " + std::to_string(fine[4].switches)});
    const double rates = difference(coarse[4], coarse[3], &Sample::rate),
                 largest = std::max(largest_rate(coarse[3], 0), largest_rate(coarse[3], 1));
    page.statements.push_back({"ED-alpha and Bathe match perfectly in the angular velocities at h = 1e-4 s (Fig. 28)",
                               rates < 0.01 * largest  ? "holds"
                               : rates < 0.2 * largest ? "holds in part: to the eye, with a phase"
                                                       : "does not hold",
                               "0.5 s: they differ by up to " + figure(rates, 2) + " rad/s of " + figure(largest, 3) +
                                   ", the angles by " + figure(difference(coarse[4], coarse[3], &Sample::angle), 2) +
                                   " rad of " + figure(coarse[3].samples.back().angle[0], 3)});
}

// The moment at the root (Fig. 26), and the frame that carries the cross-sections' inertia.
void add_root_moment(MarkdownPage& page) {
    constexpr double step_s = 1e-5, end_s = 0.01;
    const std::array<Named, 4> rods{
        {{"2 elements", runner<NonsmoothBathe, Elements<2>>()},
         {"8 elements", runner<NonsmoothBathe, Elements<8>>()},
         {"16 elements", runner<NonsmoothBathe, Elements<16>>()},
         {"4 + 4 modes, clamped and free", runner<NonsmoothBathe, Modes<BeamEnds::clamped_free, 4>>()}}};
    MarkdownTable table{"Flexible rod: bending moment at the root",
                        "Table 1 without walls, 0.01 s, Bathe, h = 1e-5 s. As published: the inertia J_s of the rod's "
                        "cross-sections (half of its whole inertia) turns with the frame, which is fixed to the root; "
                        "the pin itself transmits no moment. Turning: bending turns the cross-sections (Rayleigh).",
                        {"rod", "largest moment, as published (N m)", "J_s times the frame's acceleration (N m)",
                         "largest moment, turning (N m)"},
                        {}};
    Outcome published, with_turning;
    for (const Named& rod : rods) {
        const Outcome own = rod.run(without_walls(table_1), step_s, end_s),
                      other = rod.run(turning(without_walls(table_1)), step_s, end_s);
        if (rod.name == "16 elements") published = own, with_turning = other;
        table.rows.push_back(
            {rod.name, figure(own.root_moment_N_m), figure(own.frame_moment_N_m), figure(other.root_moment_N_m)});
    }
    page.tables.push_back(table);
    state(page, "there is a torque at the beam's root (Fig. 26)",
          published.root_moment_N_m > 10.0 * with_turning.root_moment_N_m,
          "16 elements: " + figure(published.root_moment_N_m) + " N m as published, " +
              figure(with_turning.root_moment_N_m) +
              " N m where bending turns the cross-sections: it belongs to the inertia that eq. 134 gives to the frame");
}

// Figs. 30 to 32.
void add_modes(MarkdownPage& page) {
    constexpr double step_s = 1e-5, end_s = 0.05;
    const std::vector<Named> all{
        {"clamped and free, 1 + 1", runner<NonsmoothBathe, Modes<BeamEnds::clamped_free, 1>>()},
        {"clamped and free, 2 + 2", runner<NonsmoothBathe, Modes<BeamEnds::clamped_free, 2>>()},
        {"clamped and free, 4 + 4", runner<NonsmoothBathe, Modes<BeamEnds::clamped_free, 4>>()},
        {"pinned, 2 + 2", runner<NonsmoothBathe, Modes<BeamEnds::pinned_pinned, 2>>()},
        {"pinned, 4 + 4", runner<NonsmoothBathe, Modes<BeamEnds::pinned_pinned, 4>>()},
        {"articulated, 4 + 4", runner<NonsmoothBathe, Modes<BeamEnds::articulated_free, 4>>()},
        {"free at both ends, 2 + 2", runner<NonsmoothBathe, Modes<BeamEnds::free_free, 2>>()},
        {"free at both ends, 4 + 4", runner<NonsmoothBathe, Modes<BeamEnds::free_free, 4>>()},
        {"8 elements, pinned frame", runner<NonsmoothBathe, PinnedElements<8>>()}};
    const Runner elements = runner<NonsmoothBathe, Elements<16>>();
    const Values free = without_walls(table_1);
    const Outcome published = elements(free, step_s, 0.01), rayleigh = elements(turning(free), step_s, 0.01),
                  driven = elements(turning(table_2), step_s, end_s);
    MarkdownTable table{
        "Flexible rod: modes and frames (Figs. 30 to 32)",
        "Bathe, h = 1e-5 s; n + n: bending and axial modes, the latter fixed at the root and free in all rows; modes "
        "free at both ends (Fig. 44) in the frame of their mean axis; largest distance of the slider's centre from "
        "that of 16 elements in the tangential frame: Table 1 without walls for 0.01 s, with the published inertia and "
        "where bending turns the cross-sections; the latter with Table 2, before its first contact at " +
            figure(driven.first_contact_s, 4) + " s and up to 0.05 s.",
        {"shapes", "published (m)", "turning (m)", "Table 2, before contact (m)", "Table 2, 0.05 s (m)",
         "largest normal force (N)"},
        {}};
    std::vector<std::array<double, 3>> off;
    for (const Named& one : all) {
        const Outcome of_table_2 = one.run(turning(table_2), step_s, end_s);
        off.push_back({slider_distance(of_table_2, driven, driven.first_contact_s),
                       slider_distance(one.run(free, step_s, 0.01), published),
                       slider_distance(one.run(turning(free), step_s, 0.01), rayleigh)});
        table.rows.push_back({one.name, figure(off.back()[1]), figure(off.back()[2]), figure(off.back()[0]),
                              figure(slider_distance(of_table_2, driven)), figure(of_table_2.largest_force_N)});
    }
    const std::array<double, 3> frames = off.back();
    table.rows.push_back({"16 elements", "0", "0", "0", "0", figure(driven.largest_force_N)});
    page.tables.push_back(table);
    page.statements.push_back(
        {"clamped-free modes converge to the elements (Figs. 30, 31)",
         off[1][0] < 0.7 * off[0][0] && off[2][0] < 0.7 * off[1][0] ? "holds: slowly, and up to the first impacts"
                                                                    : "does not hold",
         "1, 2, 4 modes of each kind, before the first contact: " + figure(off[0][0], 2) + ", " + figure(off[1][0], 2) +
             ", " + figure(off[2][0], 2) + " m, orders " + figure(std::log2(off[0][0] / off[1][0]), 2) + " and " +
             figure(std::log2(off[1][0] / off[2][0]), 2) +
             "; 2 and 4 with pinned bending modes: " + figure(off[3][0], 2) + ", " + figure(off[4][0], 2) + " m"});
    page.statements.push_back(
        {"different boundary conditions vibrate differently, in the same general pattern (Fig. 32)",
         frames[1] > 10.0 * frames[2] ? "holds with the published inertia; not where bending turns the cross-sections"
                                      : "holds",
         "elements in the pinned frame against the tangential one: " + figure(frames[1], 2) +
             " m as published, where the inertia that eq. 134 gives to the frame makes another rod of each; " +
             figure(frames[2], 2) +
             " m with Rayleigh's. 4 + 4 modes against elements before the first contact, Table 2, Rayleigh: clamped " +
             figure(off[2][0], 2) + ", pinned " + figure(off[4][0], 2) + ", articulated " + figure(off[5][0], 2) +
             ", free " + figure(off[7][0], 2) + " m"});
}

}  // namespace

void nonsmooth_flexible_rod(MarkdownPage& page) {
    add_elements(page);
    add_almost_rigid(page);
    add_driven(page);
    add_root_moment(page);
    add_modes(page);
}

}  // namespace myriad::bench
