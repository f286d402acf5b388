#include "host/study/study_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/study/study_contact.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/study/study_keys.hpp"
#include "host/study/study_mechanism.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::study {

namespace {

using backends::Precision;
using json = Json;

// A backend holds a number of rows in an int.
constexpr double most_rows = 2'147'483'647.0;

constexpr double large_trajectory_bytes = 16e9;

void read_dexp_inverse(const JsonValue& integrator, Study& study, json& canonical) {
    const bool is_chosen = !study.mechanism && study.system->has_orientation && study.chart == defaults::chart;
    const auto given = integrator.find("dexp_inverse");
    if (given && !is_chosen)
        given->refuse("\"dexp_inverse\" is a choice of systems on the chart \"" + std::string(defaults::chart) +
                          "\": " +
                          (study.mechanism                  ? "mechanisms take it in full"
                           : !study.system->has_orientation ? kind_and_name(*study.system) + " has no orientation"
                                                            : "the chart \"" + study.chart + "\" has none"),
                      "leave it out");
    if (!is_chosen) return;
    const std::size_t chosen = given ? given->one_of(names_of(dexp_inverse_names), "form of dexp^-1") : 0;
    study.full_dexp_inverse = chosen == 1;
    canonical["dexp_inverse"] = dexp_inverse_names[chosen];
}

// Those that the system can be run with and that choose their own steps, or do not.
std::vector<std::string> integrator_names(const SystemDescription& system, bool adaptive) {
    std::vector<std::string> names;
    for (const IntegratorDescription& integrator : integrators_of(system))
        if (integrator.adaptive == adaptive) names.push_back(integrator.name);
    return names;
}

bool has(const std::vector<std::string>& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void require_fitting_keys(const JsonValue& integrator, const IntegratorDescription& method,
                          const SystemDescription& system) {
    const std::vector<std::string> fixed = names_of(fixed_step_keys), adaptive = names_of(adaptive_step_keys);
    const std::vector<std::string> own = names_of(keys_of(method)), &other = method.adaptive ? fixed : adaptive;
    for (const auto& [key, value] : integrator.members()) {
        if (has(own, key)) continue;
        const std::string what = "\"" + key + "\" does not fit the integrator \"" + method.name + "\"";
        if (has(other, key))
            value.refuse(what + ", which " + (method.adaptive ? "chooses its own steps" : "takes fixed steps"),
                         "leave it out, or use one of: " + list_of(integrator_names(system, !method.adaptive)));
        std::vector<std::string> users;
        for (const IntegratorDescription& one : all_integrators())
            if (has(names_of(keys_of(one)), key)) users.push_back(one.name);
        if (!users.empty()) value.refuse(what, "leave it out; it belongs to: " + list_of(users));
    }
    integrator.require_keys(own);
}

void read_fixed_steps(const JsonValue& integrator, Study& study, json& canonical) {
    const JsonValue step = integrator.member("step_s", "the time step, for example 1e-4");
    study.fixed.step_s = canonical["step_s"] = step.positive_number();
    const double steps = study.end_s / study.fixed.step_s;
    if (divided(study.end_s, study.fixed.step_s, Precision::fp64).whole == 0)
        step.refuse("the step " + number_text(study.fixed.step_s) + " s is larger than the span " +
                        number_text(study.end_s) + " s",
                    "give a step of at most end_s");
    if (!(steps <= largest_count(study.precision)))
        step.refuse(
            "these are " + rounded_number_text(steps, 6) + " steps, but " + name_of(study.precision) + " counts to " +
                std::to_string(static_cast<std::uint64_t>(largest_count(study.precision))),
            study.precision == Precision::fp32 ? "take larger steps, or \"precision\": \"fp64\"" : "take larger steps");
}

void read_adaptive_steps(const JsonValue& integrator, Study& study, json& canonical) {
    AdaptiveSteps& steps = study.adaptive;
    const bool is_fp32 = study.precision == Precision::fp32;
    const JsonValue relative = integrator.member("relative_tolerance", "a number such as 1e-8");
    steps.relative_tolerance = canonical["relative_tolerance"] = relative.number();
    if (steps.relative_tolerance < 0.0)
        relative.refuse("the relative tolerance " + number_text(steps.relative_tolerance) + " is negative",
                        "give 0 or more");
    const JsonValue absolute = integrator.member("absolute_tolerance", "a number such as 1e-10");
    steps.absolute_tolerance = canonical["absolute_tolerance"] = absolute.positive_number();
    if (is_fp32 && steps.relative_tolerance < smallest_fp32_tolerance)
        study.warnings.push_back(relative.where() + ": fp32 resolves 6e-8 of a number, so a relative tolerance of " +
                                 number_text(steps.relative_tolerance) + " is rarely met");

    const auto initial = integrator.find("initial_step_s"), smallest = integrator.find("smallest_step_s");
    steps.initial_step_s = initial ? initial->positive_number() : study.end_s;
    if (steps.initial_step_s > study.end_s)
        initial->refuse("the first step " + number_text(steps.initial_step_s) + " s is larger than the span " +
                            number_text(study.end_s) + " s",
                        "give at most end_s, or leave it out");
    steps.smallest_step_s =
        smallest ? smallest->positive_number()
                 : study.end_s * (is_fp32 ? defaults::smallest_step_share_fp32 : defaults::smallest_step_share_fp64);
    if (steps.smallest_step_s > steps.initial_step_s)
        (smallest ? *smallest : *initial)
            .refuse("the smallest step " + number_text(steps.smallest_step_s) + " s is larger than the first one, " +
                        number_text(steps.initial_step_s) + " s",
                    "lower smallest_step_s, or raise initial_step_s");
    if (const auto largest_step = integrator.find("largest_step_s")) {
        steps.largest_step_s = canonical["largest_step_s"] = largest_step->positive_number();
        if (steps.largest_step_s < steps.smallest_step_s || (initial && steps.largest_step_s < steps.initial_step_s))
            largest_step->refuse("the largest step " + number_text(steps.largest_step_s) + " s is smaller than the " +
                                     (initial ? "first" : "smallest") + " one",
                                 "raise largest_step_s, or leave it out");
    }
    const auto most = integrator.find("most_attempts");
    const auto largest = static_cast<std::uint64_t>(largest_count(study.precision));
    steps.most_attempts = most ? most->whole_number() : std::min(defaults::most_attempts, largest);
    if (steps.most_attempts == 0 || steps.most_attempts > largest)
        most->refuse("most_attempts is " + std::to_string(steps.most_attempts),
                     "give a number from 1 to " + std::to_string(largest) + ", which is what " +
                         name_of(study.precision) + " counts to");
    canonical["initial_step_s"] = steps.initial_step_s;
    canonical["smallest_step_s"] = steps.smallest_step_s;
    canonical["most_attempts"] = steps.most_attempts;
}

[[noreturn]] void refuse_long_interval(const JsonValue& interval, const std::string& text, const Study& study) {
    interval.refuse(
        "the observation interval of " + text + " is longer than the span " + number_text(study.end_s) + " s",
        "give a shorter one; to keep the final state only, leave \"observe\" out");
}

// Rows of a fixed-step method: every so many whole steps.
void read_row_steps(const JsonValue& observe, Study& study) {
    Observation& observation = study.observation;
    const double step_s = study.fixed.step_s;
    const auto steps = observe.find("every_steps"), seconds = observe.find("every_s");
    if (steps && seconds)
        seconds->refuse("the interval is given twice, in steps and in seconds", "keep every_steps or every_s");
    if (!steps && !seconds) observe.member("every_steps", "a number of steps, or \"every_s\": an interval");
    if (steps) {
        observation.every_steps = steps->whole_number();
        if (observation.every_steps == 0) steps->refuse("every_steps is 0", "give at least 1");
        observation.every_s = static_cast<double>(observation.every_steps) * step_s;
    } else {
        observation.every_s = seconds->positive_number();
        const Division division = divided(observation.every_s, step_s, Precision::fp64);
        if (division.has_remainder || division.whole == 0) {
            const double nearest = std::max(1.0, std::round(observation.every_s / step_s)) * step_s;
            seconds->refuse("the observation interval " + number_text(observation.every_s) +
                                " s is no multiple of the step " + number_text(step_s) + " s",
                            "give a multiple, for example " + rounded_number_text(nearest, 12) +
                                ", or use an adaptive method: " + list_of(integrator_names(*study.system, true)));
        }
        observation.every_steps = division.whole;
    }
    const std::uint64_t all_steps = divided(study.end_s, step_s, Precision::fp64).whole;
    if (observation.every_steps > all_steps)
        refuse_long_interval(
            steps ? *steps : *seconds,
            steps ? std::to_string(observation.every_steps) + " steps" : number_text(observation.every_s) + " s",
            study);
    observation.rows = all_steps / observation.every_steps + 1;
}

void read_row_seconds(const JsonValue& observe, Study& study) {
    if (const auto steps = observe.find("every_steps"))
        steps->refuse("\"every_steps\" does not fit the integrator \"" + study.integrator.name +
                          "\", whose instances each choose their own steps",
                      "give every_s instead");
    const JsonValue seconds = observe.member("every_s", "an interval in seconds");
    study.observation.every_s = seconds.positive_number();
    const double count = study.end_s / study.observation.every_s;
    if (!(count < most_rows))
        seconds.refuse("these are " + rounded_number_text(count, 6) + " rows", "give a longer interval");
    const Division division = divided(study.end_s, study.observation.every_s, study.precision);
    if (division.whole == 0) refuse_long_interval(seconds, number_text(study.observation.every_s) + " s", study);
    study.observation.rows = division.whole + 1;
}

void read_channels(const JsonValue& channels, Study& study) {
    std::vector<std::string> seen;
    for (const JsonValue& channel : channels.elements()) {
        ChannelGroup group = study.system->channel_group(channel.string(), channel.where());
        for (const std::string& scalar : group.addresses) {
            if (std::find(seen.begin(), seen.end(), scalar) != seen.end())
                channel.refuse(scalar + " is observed twice", "name it once");
            seen.push_back(scalar);
        }
        study.observation.groups.push_back(std::move(group));
    }
    if (seen.empty()) channels.refuse("no channel is named", "name one, or leave \"observe\" out");
    if (seen.size() > most_channels)
        channels.refuse("these are " + std::to_string(seen.size()) + " scalars, but at most " +
                            std::to_string(most_channels) + " can be observed",
                        "observe fewer channels");
}

void require_fitting_chart(const JsonValue& name, const Study& study) {
    const IntegratorDescription& method = study.integrator;
    const ChartDescription& chosen = find_chart(study.chart, name.where());
    if (takes(*study.system, method, chosen)) return;
    const auto can_run = [&](const IntegratorDescription& other) {
        if (!study.mechanism) return true;
        if (study.mechanism->table.contacts > 0 && !other.contact) return false;
        return !(other.kinematic && study.mechanism->freedoms > 0);
    };
    std::vector<std::string> charts, methods;
    for (const ChartDescription& chart : charts_of(*study.system))
        if (takes(*study.system, method, chart)) charts.push_back(chart.name);
    for (const IntegratorDescription& other : integrators_of(*study.system))
        if (takes(*study.system, other, chosen) && can_run(other)) methods.push_back(other.name);
    if (method.energy_momentum)
        name.refuse(
            "\"" + method.name + "\" holds orientations as unit quaternions, and the chart is \"" + study.chart + "\"",
            "take the chart \"rotation\", whose coordinates these are" +
                (methods.empty() ? "" : ", or one of the integrators " + list_of(methods)));
    if (method.contact)
        name.refuse(
            "\"" + method.name + "\" steps on the rotation group itself, and the chart is \"" + study.chart + "\"",
            "take the chart \"rotation\"" + (methods.empty() ? "" : ", or one of the integrators " + list_of(methods)));
    name.refuse("the chart \"" + study.chart + "\" is for " + (method.implicit ? "explicit" : "implicit") +
                    " methods, which " + method.name + " is not",
                "take one of the charts " + list_of(charts) +
                    (methods.empty() ? "" : ", or one of the integrators " + list_of(methods)));
}

// Energy-momentum methods without a parasitic mode.
std::vector<std::string> methods_for_long_runs(const Study& study) {
    std::vector<std::string> names;
    for (const IntegratorDescription& method : integrators_of(*study.system))
        if (method.energy_momentum && !method.has_parasitic_mode) names.push_back(method.name);
    return names;
}

}  // namespace

std::vector<Key> keys_of(const IntegratorDescription& method) {
    std::vector<Key> keys;
    const auto add = [&](std::span<const Key> more) { keys.insert(keys.end(), more.begin(), more.end()); };
    if (method.adaptive)
        add(adaptive_step_keys);
    else
        add(fixed_step_keys);
    if (method.contact) add(contact_keys);
    if (method.implicit && method.contact) add(contact_newton_keys);
    if (method.implicit && !method.contact) add(newton_keys);
    if (method.may_cut_dexp_inverse()) add(dexp_inverse_keys);
    if (method.has_matrix_options()) add(implicit_step_keys);
    if (method.has_spectral_radius) add(spectral_radius_keys);
    if (method.has_free_alphas) add(free_alpha_keys);
    if (method.has_ed_alpha_ratio) add(ed_alpha_keys);
    return keys;
}

Division divided(double span, double interval, Precision precision) {
    const double epsilon =
        precision == Precision::fp32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    const double ratio = span / interval, nearest = std::round(ratio);
    if (!(ratio < largest_count(Precision::fp64))) return {static_cast<std::uint64_t>(largest_count(Precision::fp64))};
    // Span, interval and quotient carry half an epsilon each; the other half is a margin.
    const double round_off = std::max(1e-9, 2.0 * epsilon * ratio);
    const bool is_whole = std::abs(ratio - nearest) <= round_off;
    return {static_cast<std::uint64_t>(is_whole ? nearest : std::floor(ratio)), !is_whole};
}

void require_precision(const JsonValue& precision, const Study& study) {
    const ChartDescription &chosen = find_chart(study.chart, precision.where()),
                           &rotation = find_chart("rotation", precision.where());
    if (study.precision == Precision::fp64 || takes_fp32(*study.system, chosen, study.integrator)) return;
    std::vector<std::string> methods;
    for (const IntegratorDescription& other : integrators_of(*study.system))
        if (takes_fp32(*study.system, rotation, other)) methods.push_back(other.name);
    const bool is_for_chart = takes_fp32(*study.system, rotation, study.integrator);
    precision.refuse(
        (is_for_chart
             ? "there are no fp32 kernels on the chart \"" + chosen.name + "\""
             : "there are no fp32 kernels of \"" + study.integrator.name + "\" for " + kind_and_name(*study.system)),
        "take \"precision\": \"fp64\"" + (is_for_chart      ? ", or the chart \"rotation\""
                                          : methods.empty() ? "; fp32 is for mechanisms and for systems without contact"
                                                            : ", or one of the integrators " + list_of(methods)));
}

void read_integrator(const JsonValue& integrator, bool takes_steps, Study& study, json& canonical) {
    integrator.members();
    const JsonValue name = integrator.member("name", "one of: " + list_of(names_of(integrators_of(*study.system))));
    if (study.mechanism && takes_steps) require_method_for_contacts(name, study);
    study.integrator = find_integrator_for(*study.system, name.string(), name.where());
    if (takes_steps) require_fitting_keys(integrator, study.integrator, *study.system);
    choose_coordinates(integrator, takes_steps, study);
    if (study.mechanism && takes_steps) require_fitting_method(name, study);
    if (takes_steps) require_fitting_chart(name, study);
    study.end_s = integrator.member("end_s", "the span in seconds").positive_number();
    canonical["name"] = study.integrator.name;
    canonical["end_s"] = study.end_s;
    if (study.integrator.adaptive)
        read_adaptive_steps(integrator, study, canonical);
    else
        read_fixed_steps(integrator, study, canonical);
    if (study.integrator.contact)
        read_contact(integrator, study, canonical);
    else if (study.integrator.implicit && takes_steps)
        read_newton(integrator, study, canonical);
    if (study.integrator.may_cut_dexp_inverse()) read_dexp_inverse(integrator, study, canonical);
    if (study.integrator.has_parasitic_mode && study.system->has_orientation)
        study.warnings.push_back(
            name.where() + ": these are " + rounded_number_text(study.end_s / study.fixed.step_s, 6) + " steps; \"" +
            study.integrator.name +
            "\" keeps p . v - T + V, but a parasitic mode grows from step to step and with it the error of the energy "
            "(momentum_defect in the certificate): for long runs take one of " +
            list_of(methods_for_long_runs(study)));
}

// A last step h' < h turns the error of h in rows that hold positions into h^2/h' in accelerations and multipliers, and
// in rows that hold velocities h into h/h'. Kinematic analysis has no error of the step, and explicit methods solve for
// accelerations.
void make_steps_equal(const JsonValue& root, Study& study, json& canonical_integrator) {
    if (study.constraint_rows() == 0 || !study.integrator.implicit || study.integrator.kinematic ||
        !divided(study.end_s, study.fixed.step_s, Precision::fp64).has_remainder)
        return;
    const std::string span = number_text(study.end_s) + " s", given = number_text(study.fixed.step_s) + " s";
    double interval = study.end_s;
    const auto observe = root.find("observe");
    const auto seconds = observe ? observe->find("every_s") : std::nullopt;
    if (seconds && seconds->positive_number() <= study.end_s) {
        interval = seconds->positive_number();
        const Division rows = divided(study.end_s, interval, Precision::fp64);
        const double before = static_cast<double>(rows.whole) * interval;
        if (rows.has_remainder)
            seconds->refuse("the span " + span + " is no multiple of the step " + given +
                                " and none of the observation interval " + number_text(interval) +
                                " s: no equal steps meet both",
                            "end at " + rounded_number_text(before, 12) + " or " +
                                rounded_number_text(before + interval, 12) + " s, or give every_steps");
    }
    const Division steps = divided(interval, study.fixed.step_s, Precision::fp64);
    study.fixed.step_s = interval / static_cast<double>(steps.whole + (steps.has_remainder ? 1 : 0));
    canonical_integrator["step_s"] = study.fixed.step_s;
    study.warnings.push_back(root.member("integrator", "").member("step_s", "").where() + ": the span " + span +
                             " is no multiple of the step " + given +
                             ", and a shorter last step would spoil accelerations and reactions; taken are " +
                             rounded_number_text(study.end_s / study.fixed.step_s, 12) + " equal steps of " +
                             rounded_number_text(study.fixed.step_s, 12) + " s");
}

void read_observation(const JsonValue& observe, Study& study, json& canonical) {
    observe.require_keys(names_of(observe_keys));
    if (study.integrator.adaptive)
        read_row_seconds(observe, study);
    else
        read_row_steps(observe, study);
    Observation& observation = study.observation;
    const double rows = static_cast<double>(observation.rows);
    if (rows > std::min(most_rows, largest_count(study.precision)))
        observe.refuse("these are " + rounded_number_text(rows, 6) + " rows", "observe less often");
    read_channels(observe.member("channels", "for example [\"position\", \"energy\"]"), study);

    if (study.integrator.adaptive)
        canonical["every_s"] = observation.every_s;
    else
        canonical["every_steps"] = observation.every_steps;
    std::size_t scalars = 0;
    for (const ChannelGroup& group : observation.groups) {
        canonical["channels"].push_back(group.address);
        scalars += group.channels.size();
    }
    const double bytes = static_cast<double>(study.instances) * rows * static_cast<double>(scalars) * sizeof(double);
    if (bytes > large_trajectory_bytes)
        study.warnings.push_back(observe.where() + ": the trajectories take " + rounded_number_text(bytes / 1e9, 3) +
                                 " GB (" + std::to_string(study.instances) + " instances x " +
                                 std::to_string(observation.rows) + " rows x " + std::to_string(scalars) +
                                 " channels x 8 bytes); observe fewer instances or channels, or less often");
}

// Where the local error is 0, a step may be the whole span. Quantities are read at the ends of steps, and between them
// by polynomials, which know nothing of a minimum within a long one.
double largest_step_s(const Study& study) {
    constexpr double steps_that_quantities_see = 256.0;
    if (study.adaptive.largest_step_s > 0.0) return study.adaptive.largest_step_s;
    const bool sees_steps = std::ranges::any_of(study.quantities, [](const Quantity& quantity) {
        return !quantity.of_mode && Reductions::looks_at_steps(quantity.reduction, quantity.window.has_value());
    });
    return sees_steps ? study.end_s / steps_that_quantities_see : study.end_s;
}

Schedule schedule_of(const Study& study) {
    Schedule schedule{};
    schedule.end_s = study.end_s;
    schedule.full_dexp_inverse = study.full_dexp_inverse ? 1.0 : 0.0;
    schedule.rows = static_cast<double>(study.observation.rows);
    if (!study.integrator.adaptive) {
        const Division division = divided(study.end_s, study.fixed.step_s, Precision::fp64);
        schedule.step_s = study.fixed.step_s;
        schedule.full_steps = static_cast<double>(division.whole);
        if (division.has_remainder) schedule.last_step_s = study.end_s - schedule.full_steps * schedule.step_s;
        schedule.total_steps = schedule.full_steps + (division.has_remainder ? 1.0 : 0.0);
        schedule.observe_steps = static_cast<double>(study.observation.every_steps);
        schedule.most_attempts = schedule.total_steps;
        if (study.integrator.implicit) {
            const auto flag = [](bool set) { return set ? 1.0 : 0.0; };
            schedule.spectral_radius = study.newton.spectral_radius;
            schedule.newton_tolerance = study.newton.tolerance;
            schedule.most_newton_iterations = static_cast<double>(study.newton.most_iterations);
            schedule.tangent_operator = flag(study.newton.tangent_operator);
            schedule.published_start = flag(study.newton.published_start);
            schedule.exact_matrix = flag(study.newton.exact_matrix);
        }
        if (study.integrator.contact) set_contact(study.contact, schedule);
        return schedule;
    }
    schedule.relative_tolerance = study.adaptive.relative_tolerance;
    schedule.absolute_tolerance = study.adaptive.absolute_tolerance;
    schedule.largest_step_s = largest_step_s(study);
    schedule.initial_step_s = std::min(study.adaptive.initial_step_s, schedule.largest_step_s);
    schedule.smallest_step_s = std::min(study.adaptive.smallest_step_s, schedule.initial_step_s);
    schedule.most_attempts = static_cast<double>(study.adaptive.most_attempts);
    schedule.observe_s = study.observation.every_s;
    const bool rows_reach_the_end =
        study.observation.rows > 0 && !divided(study.end_s, schedule.observe_s, study.precision).has_remainder;
    // A kernel meets a row where its time equals row * observe_s as it computes that; the last one must be the end.
    if (rows_reach_the_end && study.precision == Precision::fp32)
        schedule.end_s = static_cast<float>(schedule.rows - 1.0) * static_cast<float>(schedule.observe_s);
    else if (rows_reach_the_end)
        schedule.end_s = (schedule.rows - 1.0) * schedule.observe_s;
    return schedule;
}

}  // namespace myriad::study
