// The linear analysis of the nonsmooth paper on the amplification matrices of the code: figs. 6 to 12, appendices A, B.
#include <algorithm>
#include <functional>
#include <vector>

#include "papers/nonsmooth/amplification.hpp"
#include "papers/nonsmooth/nonsmooth.hpp"

namespace myriad::bench {

namespace {

const double two_pi = 2.0 * std::acos(-1.0);

// A scheme as its spectrum over the step times the angular frequency.
struct Analyzed {
    std::string name;
    std::function<Spectrum(double)> at;
};
template <class Member>
Analyzed analyzed(const std::string& name, const Schedule& settings) {
    return {name,
            [settings](double w) { return spectrum_of(eigenvalues_of(amplification_of<Member>(w, settings)), w); }};
}
Analyzed generalized_alpha(double radius) {
    return analyzed<NonsmoothGeneralizedAlpha>("generalized-alpha " + figure(radius), unit_step(radius));
}
Analyzed with_alphas(double alpha_m, double alpha_f) {
    return analyzed<NonsmoothGeneralizedAlpha>("", free_alphas(alpha_m, alpha_f));
}
Analyzed bathe() { return analyzed<NonsmoothBathe>("Bathe", unit_step(0.0)); }
Analyzed ed_alpha(double radius, double ratio = 1.0 / 6.0) {
    Schedule settings = unit_step(radius);
    settings.ed_alpha_ratio = ratio;
    return analyzed<NonsmoothEdAlpha>("ED-alpha " + figure(radius), settings);
}

std::vector<double> steps_from(double first, double last) {
    std::vector<double> steps;
    for (double w = first; w <= last; w *= 1.06) steps.push_back(w);
    return steps;
}

// Roots of multiplicity three have a third of the digits.
constexpr double radius_tolerance = 1e-4;

double largest_radius(const Analyzed& scheme) {
    double largest = 0.0;
    for (const double w : steps_from(1e-2, 1e4)) largest = std::max(largest, scheme.at(w).radius);
    return largest;
}
// By how much the radius grows again after it has fallen, and the step from which it does.
struct Rise {
    double size = 0.0, from_step_per_period = 0.0;
};
Rise rise_of(const Analyzed& scheme) {
    Rise rise;
    double least = 1e300, least_at = 0.0;
    for (const double w : steps_from(1e-2, 1e4)) {
        const double radius = scheme.at(w).radius;
        if (radius < least) least = radius, least_at = w / two_pi;
        if (radius - least > rise.size) rise = {radius - least, least_at};
    }
    return rise;
}

double order_of(const Analyzed& scheme) {
    const auto error = [&](double w) { return std::abs(scheme.at(w).principal - std::polar(1.0, w)); };
    return std::log2(error(0.02) / error(0.01)) - 1.0;
}

double difference(const Amplification& a, const Amplification& b) {
    double largest = 0.0, size = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            largest = std::max(largest, std::abs(a[i][j] - b[i][j]));
            size = std::max(size, std::abs(b[i][j]));
        }
    }
    return largest / size;
}

void add_matrices(MarkdownPage& page) {
    double generalized = 0.0, bathe_difference = 0.0, printed = 0.0, corrected = 0.0;
    for (const double w : {0.01, 0.3, 1.0, 7.0, 100.0}) {
        for (const double radius : {0.0, 0.5, 0.8, 1.0}) {
            const double m = (2.0 * radius - 1.0) / (radius + 1.0), f = radius / (radius + 1.0);
            generalized =
                std::max(generalized, difference(amplification_of<NonsmoothGeneralizedAlpha>(w, unit_step(radius)),
                                                 published_generalized_alpha(m, f, w)));
            corrected = std::max(corrected, difference(amplification_of<NonsmoothEdAlpha>(w, unit_step(radius)),
                                                       published_ed_alpha(radius, 1.0, w, false)));
        }
        generalized =
            std::max(generalized, difference(amplification_of<NonsmoothGeneralizedAlpha>(w, free_alphas(0.0, 0.2)),
                                             published_generalized_alpha(0.0, 0.2, w)));
        bathe_difference = std::max(
            bathe_difference, difference(amplification_of<NonsmoothBathe>(w, unit_step(0.0)), published_bathe(w)));
    }
    for (const double h : {0.1, 0.01})
        printed = std::max(printed, difference(published_ed_alpha(0.5, h, 1.0, true),
                                               amplification_of<NonsmoothEdAlpha>(h, unit_step(0.5))));
    constexpr double round_off = 1e-11;
    state(page, "eq. 96: amplification matrix of generalized-alpha (radii 0, 0.5, 0.8, 1, and HHT 0.2)",
          generalized < round_off, "largest relative difference " + figure(generalized));
    state(page, "eq. 106: amplification matrix of Bathe's method", bathe_difference < round_off,
          "with its rows read as (h^2 a, h v, q) and its columns as (q, h v, h^2 a): largest relative difference " +
              figure(bathe_difference));

    // Error at t = 1 of q = cos t.
    const auto error = [](double radius, int steps, bool as_printed) {
        const double h = 1.0 / steps;
        const Amplification a = published_ed_alpha(radius, h, 1.0, as_printed);
        std::array<double, 3> x{1.0, 0.0, -h * h};
        for (int i = 0; i < steps; ++i) {
            std::array<double, 3> next{};
            for (std::size_t row = 0; row < 3; ++row)
                for (std::size_t column = 0; column < 3; ++column) next[row] += a[row][column] * x[column];
            x = next;
        }
        return std::abs(x[0] - std::cos(1.0));
    };
    const auto both_errors = [&](bool as_printed) {
        return figure(error(0.5, 100, as_printed)) + " and " + figure(error(0.5, 200, as_printed));
    };
    state(page, "eq. 90: coefficients of ED-alpha", printed < round_off,
          "as printed, radius 0.5: q = cos t at t = 1 is off by " + both_errors(true) +
              " in 100 and 200 steps; with the missing step in c_7 and c_14 by " + both_errors(false) +
              ", and the matrix is that of eqs. 77 to 82 to " + figure(corrected));
}

void add_stability(MarkdownPage& page) {
    double largest = 0.0, limit = 0.0;
    for (const double radius : {0.0, 0.3, 0.5, 0.8, 1.0}) {
        for (const Analyzed& scheme : {generalized_alpha(radius), ed_alpha(radius)}) {
            largest = std::max(largest, largest_radius(scheme));
            limit = std::max(limit, std::abs(scheme.at(1e6).radius - radius));
        }
    }
    state(page, "generalized-alpha and ED-alpha are unconditionally stable; far out their radius is the chosen one",
          largest < 1.0 + radius_tolerance && limit < 2.0 * radius_tolerance,
          "radii 0 to 1: largest spectral radius 1 + " + figure(std::max(0.0, largest - 1.0), 1) + ", at most " +
              figure(limit) + " from the chosen one at h/T = 1.6e5");
    const double largest_bathe = largest_radius(bathe()), far = bathe().at(1e6).radius;
    state(page, "Bathe's method is unconditionally stable and annihilates high frequencies",
          largest_bathe < 1.0 + radius_tolerance && far < radius_tolerance,
          "largest radius " + figure(largest_bathe) + ", at h/T = 1.6e5 " + figure(far, 1));
    const Analyzed explicit_rule = analyzed<HalfExplicit>("", unit_step(0.0));
    state(page, "the half-explicit base scheme may get unstable without additional damping (sect. 1)",
          explicit_rule.at(0.5).radius > 1.0,
          "without damping its radius is above 1 at every step: 1 + " +
              figure(explicit_rule.at(0.1 * two_pi).radius - 1.0) + " at h/T = 0.1, " +
              figure(explicit_rule.at(two_pi).radius) + " at h/T = 1; ours, from its definition");
}

void add_cusps(MarkdownPage& page) {
    std::string with, without;
    bool holds = true;
    for (const double alpha_f : {0.1, 0.2, 0.3, 1.0 / 3.0, 0.36, 0.4, 0.5}) {
        const Rise rise = rise_of(with_alphas(0.0, alpha_f));
        const bool has_cusp = rise.size > radius_tolerance;
        std::string& list = has_cusp ? with : without;
        list +=
            (list.empty() ? "" : ", ") + figure(alpha_f, 2) + (has_cusp ? " (by " + figure(rise.size, 2) + ")" : "");
        holds = holds && has_cusp == (alpha_f > 1.0 / 3.0);
    }
    state(page, "HHT (alpha_m = 0) has a cusp once alpha_f passes point E, 1/3 (Fig. 7)", holds,
          "the radius rises again for alpha_f " + with + "; not for " + without);
    double worst = 0.0;
    for (const double radius : {0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0})
        worst = std::max(worst, rise_of(generalized_alpha(radius)).size);
    state(page, "generalized-alpha by eq. 26 goes smoothly from no dissipation to annihilation (Fig. 8)",
          worst < radius_tolerance, "the radius never rises by more than " + figure(worst, 1));

    const double far = 1e6;
    const Analyzed a = with_alphas(-1.0, 0.5), c = with_alphas(-1.0, -0.5);
    const double radius_a = a.at(far).radius, radius_c = c.at(far).radius;
    const Rise of_a = rise_of(a), of_c = rise_of(c);
    const double smooth =
        std::max(rise_of(generalized_alpha(std::min(1.0, radius_a))).size, rise_of(generalized_alpha(radius_c)).size);
    page.statements.push_back(
        {"points A (-1, 1/2) and C (-1, -1/2) may have a cusp; on the line alpha_f = (alpha_m + 1)/3 the same radius "
         "is "
         "reached smoothly (Fig. 9)",
         smooth > radius_tolerance                                      ? "does not hold"
         : of_a.size > radius_tolerance && of_c.size > radius_tolerance ? "holds"
                                                                        : "holds in part",
         "A: rises by " + figure(of_a.size) + " to " + figure(radius_a) + "; C: by " + figure(of_c.size, 1) + ", at " +
             figure(radius_c) + " far out; on the line by " + figure(smooth, 1)});
}

void add_comparisons(MarkdownPage& page) {
    const Analyzed newmark = generalized_alpha(1.0), zero = generalized_alpha(0.0), of_bathe = bathe(),
                   ed = ed_alpha(0.0);
    bool preserved = true, period = true, ed_period = true;
    for (const double step_per_period : {0.02, 0.05, 0.1, 0.15, 0.2}) {
        const double w = step_per_period * two_pi;
        const Spectrum b = of_bathe.at(w), g = zero.at(w), n = newmark.at(w), e = ed.at(w);
        preserved = preserved && b.radius > g.radius;
        period = period && b.period_elongation < g.period_elongation && b.period_elongation < n.period_elongation;
        ed_period = ed_period && std::abs(e.period_elongation) < b.period_elongation;
    }
    const double w = 0.1 * two_pi;
    const Spectrum b = of_bathe.at(w), g = zero.at(w), n = newmark.at(w), e = ed.at(w);
    state(
        page, "Bathe preserves low frequencies better than generalized-alpha of radius 0 (Fig. 10)", preserved,
        "radius at h/T = 0.1: " + figure(b.radius, 5) + " against " + figure(g.radius, 5) + "; at 0.02 to 0.2 as well");
    state(page, "Bathe's period error is smaller than that of generalized-alpha (0) and of Newmark (Fig. 10)", period,
          "at h/T = 0.1: " + figure(b.period_elongation) + " against " + figure(g.period_elongation) + " and " +
              figure(n.period_elongation) + "; at 0.02 to 0.2 as well");
    state(page, "ED-alpha of radius 0 has a smaller period error than Bathe (Fig. 11)", ed_period,
          "at h/T = 0.1: " + figure(e.period_elongation) + "; but it damps more there: radius " + figure(e.radius, 5));
    bool ed_phase = true;
    std::string keeps_more;
    for (const double radius : {0.0, 0.5, 0.8}) {
        bool ed_keeps_more = true;
        for (const double step_per_period : {0.02, 0.05, 0.1, 0.2}) {
            const Spectrum x = ed_alpha(radius).at(step_per_period * two_pi),
                           y = generalized_alpha(radius).at(step_per_period * two_pi);
            ed_phase = ed_phase && std::abs(x.period_elongation) < std::abs(y.period_elongation);
            ed_keeps_more = ed_keeps_more && x.radius > y.radius;
        }
        if (ed_keeps_more) keeps_more += (keeps_more.empty() ? "" : " and ") + figure(radius);
    }
    const double large = 0.2 * two_pi;
    state(page, "at the same radius far out ED-alpha has a smaller period error than generalized-alpha (Fig. 12)",
          ed_phase,
          "radii 0, 0.5, 0.8 at h/T = 0.02 to 0.2; it preserves more at all these steps for radius " +
              (keeps_more.empty() ? "none" : keeps_more) +
              "; at radius 0.8 and h/T = 0.2: " + figure(ed_alpha(0.8).at(large).radius, 4) + " against " +
              figure(generalized_alpha(0.8).at(large).radius, 4));

    const auto elongation = [](double ratio) { return std::abs(ed_alpha(0.0, ratio).at(0.2).period_elongation); };
    bool smallest = true;
    double limit = 0.0;
    for (const double ratio : {0.05, 0.1, 0.14, 0.2, 0.3, 0.5}) {
        smallest = smallest && elongation(1.0 / 6.0) < elongation(ratio);
        limit = std::max(limit, ed_alpha(0.0, ratio).at(1e6).radius);
    }
    state(page, "alpha_AR moves the cut-off and the period error, least at 1/6, but not the limit of the radius",
          smallest && limit < radius_tolerance,
          "ratios 0.05 to 0.5: far out at most " + figure(limit, 1) + "; period error at W = 0.2 " +
              figure(elongation(1.0 / 6.0)) + " at 1/6, " + figure(elongation(0.14)) + " at 0.14, " +
              figure(elongation(0.2)) + " at 0.2");
    double conserving = 0.0;
    for (const double w_step : steps_from(1e-2, 1e4)) {
        conserving = std::max(conserving, std::abs(ed_alpha(1.0).at(w_step).radius - 1.0));
        if (w_step < 100.0) conserving = std::max(conserving, std::abs(ed_alpha(0.0, 1e-9).at(w_step).radius - 1.0));
    }
    state(page, "alpha_AR = 0 or alpha = 0 makes ED-alpha conserving", conserving < radius_tolerance,
          "radius 1 to " + figure(conserving, 1) + " (alpha_AR = 1e-9 and steps up to W = 100 for the first)");
}

void add_orders(MarkdownPage& page) {
    MarkdownTable table{
        "Orders of the linear problem", "From the principal eigenvalue at W = 0.02 and 0.01.", {"scheme", "order"}, {}};
    const auto order = [&](const Analyzed& scheme, const std::string& name) {
        const double value = order_of(scheme);
        table.rows.push_back({name, figure(value)});
        return value;
    };
    constexpr double next_term = 0.05;
    bool second = true, third = true;
    for (const double radius : {0.0, 0.5, 0.8}) {
        const Analyzed scheme = generalized_alpha(radius);
        second = std::abs(order(scheme, scheme.name) - 2.0) < next_term && second;
    }
    second = std::abs(order(bathe(), "Bathe") - 2.0) < next_term && second;
    for (const double radius : {0.0, 0.5, 0.8}) {
        const Analyzed scheme = ed_alpha(radius);
        third = std::abs(order(scheme, scheme.name) - 3.0) < next_term && third;
    }
    second = std::abs(order(ed_alpha(0.0, 0.3), "ED-alpha 0, alpha_AR = 0.3") - 2.0) < next_term && second;
    const double moreau = order(analyzed<MoreauMidpoint>("", unit_step(0.0)), "Moreau"),
                 half = order(analyzed<HalfExplicit>("", unit_step(0.0)), "half-explicit");
    page.tables.push_back(table);
    state(page, "generalized-alpha and Bathe are of order 2; ED-alpha of order 2, and 3 here with alpha_AR = 1/6",
          second && third, "see the orders of the linear problem");
    state(page, "classic timestepping schemes are of order 1 in both kinds of periods (sect. 1)", moreau < 1.5,
          "Moreau's rule is of order " + figure(moreau) + " where no force depends on the velocity (half-explicit " +
              figure(half) + "), of order 1 on the slider-crank (Table 4)");
}

void add_tables(MarkdownPage& page) {
    const std::vector<Analyzed> schemes = {
        generalized_alpha(1.0),
        generalized_alpha(0.8),
        generalized_alpha(0.5),
        generalized_alpha(0.0),
        bathe(),
        ed_alpha(0.8),
        ed_alpha(0.5),
        ed_alpha(0.0),
        analyzed<MoreauMidpoint>("Moreau", unit_step(0.0)),
        analyzed<HalfExplicit>("half-explicit", unit_step(0.0)),
    };
    MarkdownTable radii{"Spectral radius over h/T",
                        "Figs. 8, 10, 12. Measured: one step of the code from each unit state.",
                        {"h/T"},
                        {}},
        periods{"Period elongation over h/T", "Figs. 8, 10, 11.", {"h/T"}, {}};
    for (const Analyzed& scheme : schemes) radii.columns.push_back(scheme.name), periods.columns.push_back(scheme.name);
    const auto fill = [&](MarkdownTable& table, const std::vector<double>& steps, double Spectrum::*value) {
        for (const double step_per_period : steps) {
            std::vector<std::string>& row = table.rows.emplace_back();
            row.push_back(figure(step_per_period));
            for (const Analyzed& scheme : schemes) row.push_back(figure(scheme.at(step_per_period * two_pi).*value, 4));
        }
    };
    fill(radii, {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000}, &Spectrum::radius);
    fill(periods, {0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3}, &Spectrum::period_elongation);
    page.tables.push_back(radii);
    page.tables.push_back(periods);
}

}  // namespace

void nonsmooth_linear_analysis(MarkdownPage& page) {
    add_matrices(page);
    add_stability(page);
    add_cusps(page);
    add_comparisons(page);
    add_orders(page);
    add_tables(page);
}

}  // namespace myriad::bench
