#include "host/study/study_quantities.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/study/study_keys.hpp"
#include "host/study/study_modes.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "kernels/contact/channels.hpp"
#include "kernels/math/norm.hpp"
#include "kernels/system/description.hpp"

namespace myriad::study {

namespace {

// The one reduction among the members of a quantity.
std::pair<const ReductionDescription*, JsonValue> read_reduction(const JsonValue& value) {
    std::vector<std::string> known = names_of(reductions);
    for (const std::string& key : names_of(linear_quantities)) known.push_back(key);
    for (const std::string& key : names_of(quantity_keys)) known.push_back(key);
    value.require_keys(known);
    std::vector<std::pair<const ReductionDescription*, JsonValue>> found;
    for (const auto& [key, argument] : value.members())
        for (const ReductionDescription& reduction : reductions)
            if (key == reduction.name) found.emplace_back(&reduction, argument);
    if (found.size() != 1)
        value.refuse("a quantity has one reduction, found " + std::to_string(found.size()),
                     "write {\"max\": \"position.top.z\"}; the reductions are: " + list_of(names_of(reductions)) +
                         ", and of a mode: " + list_of(names_of(linear_quantities)));
    return found.front();
}

// A span that is a multiple of the step ends at it but for round-off.
bool is_later(double time_s, double end_s) { return time_s > end_s * (1.0 + 1e-9); }

std::optional<TimeWindow> read_window(const JsonValue& value, double span_s) {
    const auto from = value.find("from_s"), to = value.find("to_s");
    TimeWindow window{from ? from->number() : 0.0, to ? to->positive_number() : span_s};
    if (window.from_s < 0.0)
        from->refuse("from_s is " + number_text(window.from_s) + ", but a run begins at 0", "give 0 or more");
    if (is_later(window.to_s, span_s))
        to->refuse("to_s is " + number_text(window.to_s) + ", behind the end at " + number_text(span_s) + " s",
                   "give at most " + number_text(span_s) + ", or leave to_s out");
    if (window.from_s >= window.to_s)
        from->refuse(
            "the window from " + number_text(window.from_s) + " s to " + number_text(window.to_s) + " s is empty",
            "give a from_s before " + number_text(window.to_s));
    if (window.from_s == 0.0 && window.to_s >= span_s) return std::nullopt;
    return window;
}

std::optional<Event> read_event(const JsonValue& value) {
    const auto probability = value.find("probability");
    if (!probability) return std::nullopt;
    constexpr const char* example = "write {\"above\": 650} or {\"below\": 0.1}";
    if (!probability->is_object())
        probability->refuse("\"probability\" needs a threshold, found " + probability->found(), example);
    probability->require_keys(names_of(event_keys));
    const auto members = probability->members();
    if (members.size() != 1)
        probability->refuse("\"probability\" has one threshold, found " + std::to_string(members.size()), example);
    return Event{members.front().first == "above", members.front().second.number()};
}

Quantity read_quantity(const std::string& name, const JsonValue& value, const Study& study) {
    const SystemDescription& system = *study.system;
    const double span_s = study.end_s;
    const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
    });
    if (name.empty() || !is_plain)
        value.refuse("\"" + name + "\" cannot name a quantity", "use letters, digits, _ and -: largest_tilt_rad");
    if (auto of_mode = read_quantity_of_mode(value, study)) {
        of_mode->name = name;
        of_mode->event = read_event(value);
        return *of_mode;
    }
    const auto [reduction, argument] = read_reduction(value);
    const std::string key = reduction->name;
    Quantity quantity;
    quantity.name = name;
    quantity.reduction = static_cast<Reduction>(reduction - reductions.data());
    std::optional<JsonValue> channel = argument;
    if (reduction->has_threshold) {
        if (!argument.is_object())
            argument.refuse("\"" + key + "\" needs a channel and a threshold, found " + argument.found(),
                            "write {\"" + key + "\": {\"channel\": \"energy\", \"threshold\": 1.5}}");
        argument.require_keys(names_of(threshold_keys));
        quantity.threshold = argument.member("threshold", "a number").number();
        channel = argument.member("channel", "the address of a channel");
    } else if (argument.is_object() && argument.find("channel")) {
        argument.refuse("\"" + key + "\" takes the address alone, without a threshold",
                        "write {\"" + key + "\": \"energy\"}");
    }
    quantity.channel_address = channel->string();
    quantity.channel = system.scalar_channel(quantity.channel_address, channel->where());
    quantity.unit = reduction->is_time ? "s" : system.channel_of(quantity.channel).unit;
    quantity.window = read_window(value, span_s);
    if (const auto between = value.find("between"))
        quantity.is_at_steps = between->one_of(names_of(between_names), "value between steps") == 1;
    quantity.event = read_event(value);
    return quantity;
}

// Of a mechanism's channel behind those of its bodies. By methods for contact forces jump where contacts open.
Watched watched(const Study& study, const Channel& channel, int index, bool has_accelerations) {
    const bool knows_course = !is_of_papers(study);
    const Watched by_rate{Between::cubic, rates_of_channels + index}, by_line{Between::line, 0};
    switch (channel.kind) {
        case ChannelKind::element_value:
            if (study.mechanism->table.element[channel.a].kind != ElementKind::distance) return by_rate;
            return {Between::cubic, rates_of_vectors + 3 * index, norm_channel(vectors_of_channels + 3 * index, 3)};
        case ChannelKind::point_position:
        case ChannelKind::contact_gap:
            return by_rate;
        case ChannelKind::element_rate: {
            const auto& tree = study.mechanism->table.joint;
            return knows_course && has_accelerations && tree.freedom_of_element[channel.a] >= 0 ? by_rate : by_line;
        }
        case ChannelKind::point_velocity:
            return knows_course && has_accelerations ? by_rate : by_line;
        case ChannelKind::joint_force:
        case ChannelKind::joint_torque:
        case ChannelKind::multiplier:
        case ChannelKind::coupling_multiplier:
        case ChannelKind::acceleration:
        case ChannelKind::angular_acceleration:
            return study.integrator.contact ? Watched{} : by_line;
        case ChannelKind::total_energy:
        case ChannelKind::kinetic_energy:
        case ChannelKind::potential_energy:
        case ChannelKind::work:
        case ChannelKind::joint_angular_velocity:
        case ChannelKind::contact_velocity:
            return by_line;
        default:  // whole numbers, records, forces and impulses of contacts, an orientation of either sign
            return {};
    }
}

// The first channel of a kind.
int find_channel(const MechanismTable& table, ChannelKind kind, int a) {
    for (int i = 0; i < table.channels; ++i)
        if (table.channel[i].kind == kind && table.channel[i].a == a) return table.bodies * body_channels + i;
    return -1;
}

bool is_of_contact(const std::string& name) {
    const auto is_named = [&](const ChannelDescription& entry) { return name == entry.name; };
    return std::ranges::any_of(contact_record_entries, is_named) || name.starts_with("contact_force") ||
           name.starts_with("contact_impulse");
}

Watched watched_channel(const Study& study, int channel) {
    // Methods for contact and for energy and momentum have none at the ends of steps.
    const bool has_accelerations = !study.integrator.contact && !study.integrator.energy_momentum;
    const int first = is_norm(channel) ? first_of_norm(channel) : channel,
              of_bodies = static_cast<int>(study.system->body_names.size()) * body_channels,
              part = first % body_channels;
    if (first >= of_bodies) {
        if (study.mechanism)
            return watched(study, study.mechanism->table.channel[first - of_bodies], first, has_accelerations);
        return is_of_contact(study.system->channel_of(channel).name) ? Watched{} : Watched{Between::line, 0};
    }
    if (part < orientation_channel) return {Between::cubic, first + velocity_channel};
    if (part < velocity_channel) return {Between::cubic, rate_of_orientation};
    if (!study.mechanism || !has_accelerations) return {Between::line, 0};
    const bool turns = part >= angular_velocity_channel;
    const int component = part - (turns ? angular_velocity_channel : velocity_channel);
    return {Between::cubic,
            component + find_channel(study.mechanism->table,
                                     turns ? ChannelKind::angular_acceleration : ChannelKind::acceleration,
                                     first / body_channels)};
}

}  // namespace

Watched watched(const Study& study, const Quantity& quantity) {
    const bool is_of_the_last_state = quantity.reduction == Reduction::final && !quantity.window;
    Watched found;
    if (!quantity.is_at_steps && !is_of_the_last_state) found = watched_channel(study, quantity.channel);
    // A mean of lines is that of the states.
    if (found.between == Between::line && quantity.reduction == Reduction::mean) found = {};
    if (found.channel == 0) found.channel = quantity.channel;
    if (found.between == Between::cubic && is_norm(found.channel)) found.between = Between::norm;
    return found;
}

void read_quantities(const JsonValue& root, Study& study, Json& canonical) {
    const auto quantities = root.find("quantities");
    if (!quantities) return;
    if (quantities->is_object() && quantities->json().size() > most_quantities)
        quantities->refuse("these are " + std::to_string(quantities->json().size()) + " quantities, but at most " +
                               std::to_string(most_quantities) + " can be reduced in one run",
                           "leave some out, or run the study twice");
    for (const auto& [name, value] : quantities->members()) {
        study.quantities.push_back(read_quantity(name, value, study));
        const Quantity& quantity = study.quantities.back();
        Json& own = canonical[name] = with_sorted_keys(value.json());
        if (!quantity.of_mode && own[name_of(quantity.reduction)].is_object())
            own[name_of(quantity.reduction)]["threshold"] = quantity.threshold;
        for (const char* key : {"between", "from_s", "to_s"}) own.erase(key);
        if (!quantity.of_mode) own["between"] = between_names[quantity.is_at_steps ? 1 : 0];
        if (quantity.window) own["from_s"] = quantity.window->from_s, own["to_s"] = quantity.window->to_s;
        if (quantity.event)
            own["probability"] = {{quantity.event->above ? "above" : "below", quantity.event->threshold}};
    }
}

void read_statistics(const JsonValue& root, Study& study, Json& canonical) {
    if (const auto statistics = root.find("statistics")) {
        statistics->require_keys(names_of(statistics_keys));
        if (const auto quantiles = statistics->find("quantiles")) {
            if (quantiles->json().size() > most_quantiles)
                quantiles->refuse("these are " + std::to_string(quantiles->json().size()) + " quantiles",
                                  "give at most " + std::to_string(most_quantiles));
            study.statistics.quantiles.clear();
            for (const JsonValue& quantile : quantiles->elements())
                study.statistics.quantiles.push_back(quantile.number());
        }
        if (const auto confidence = statistics->find("confidence")) study.statistics.confidence = confidence->number();
        if (const auto sensitivity = statistics->find("sensitivity"))
            study.statistics.sensitivity = sensitivity->boolean();
        require_valid(study.statistics, statistics->where());
    }
    canonical["quantiles"] = study.statistics.quantiles;
    canonical["confidence"] = study.statistics.confidence;
    canonical["sensitivity"] = study.statistics.sensitivity;
}

}  // namespace myriad::study
