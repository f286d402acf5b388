// Sensors, and the channels that every mechanism has. A sensor on a joint is an element that exerts nothing: it has a
// law without stiffness and damping, and no rows in the system of equations (row = -1).
#include <algorithm>

#include "host/mechanism/file/constraints.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/words.hpp"
#include "kernels/contact/channels.hpp"

namespace myriad::mechanism {

namespace {

constexpr const char* three_components = "x y z";

std::vector<std::string> names_of_contact_channels() {
    std::vector<std::string> names = names_of(contact_entries), record = names_of(contact_record_entries);
    names.insert(names.end(), record.begin(), record.end());
    return names;
}

// One group of channels under one name: a channel for each component.
template <class Add>
void add_group(Mechanism& mechanism, const NamedChannels& description, const Channel& first, const Add& add) {
    NamedChannels group = description;
    group.first_channel = mechanism.table.channels;
    group.count = std::max(1, static_cast<int>(words_of(group.components).size()));
    for (int component = 0; component < group.count; ++component)
        add(Channel{first.kind, first.a, first.b + component, first.c});
    mechanism.channels.push_back(group);
}
void add_group(Builder& builder, const JsonValue& at, const NamedChannels& description, const Channel& first) {
    add_group(builder.mechanism, description, first, [&](const Channel& channel) { builder.add_channel(at, channel); });
}
// The record of all contacts and of what friction took. `add(description, first)` adds a group.
template <class AddGroup>
void add_record(const AddGroup& add) {
    for (int i = 0; i < contact_record_count; ++i) {
        const ChannelDescription& entry = contact_record_entries[i];
        add(NamedChannels{entry.name, entry.unit, "", "", entry.meaning, "", 0, 0},
            Channel{ChannelKind::contact_record, i, 0, 0});
    }
}

// The elements of a joint, or of a driver.
const NamedElements& find_elements(const Builder& builder, const Entry& entry) {
    const JsonValue value = entry.value.member(joint_key.name, joint_key.meaning);
    const std::string name = value.string();
    std::vector<std::string> known;
    for (const auto* list : {&builder.mechanism.joints, &builder.mechanism.drivers})
        for (const NamedElements& one : *list) {
            if (one.name == name) return one;
            known.push_back(one.name);
        }
    for (const NamedCoupling& coupling : builder.mechanism.couplings)
        if (coupling.name == name)
            value.refuse("\"" + name + "\" is a coupling, which has no reaction",
                         "observe the channel multiplier." + name + ", its torque or force along the coordinates");
    value.refuse("the joint \"" + name + "\" is unknown",
                 known.empty() ? "the mechanism has no joints" : suggestion(name, known, "joints and drivers"));
}

// The second angle of a universal joint is counted from B to A: the second body of its driver is A.
bool begins_with_body_b(const Builder& builder, const NamedElements& elements) {
    if (elements.joint < 0) return false;
    const NamedElements& joint = builder.mechanism.joints[static_cast<std::size_t>(elements.joint)];
    return builder.mechanism.table.element[elements.first_element].body[0] != builder.joints.at(joint.name).body[0];
}

// The spring, damper, bushing or controller that a sensor looks at.
const NamedElements& find_force(const Builder& builder, const Entry& entry) {
    const JsonValue value = entry.value.member(force_name_key.name, force_name_key.meaning);
    const std::string name = value.string();
    std::vector<std::string> known;
    for (const NamedElements& one : builder.mechanism.forces) {
        if (one.name == name && one.element_count == 0)
            value.refuse("\"" + name + "\" is a " + one.type + ", which has no sensor",
                         "name a spring, a damper, a bushing or a controller");
        if (one.name == name) return one;
        if (one.element_count > 0) known.push_back(one.name);
    }
    value.refuse("the force element \"" + name + "\" is unknown",
                 known.empty() ? "the mechanism has no springs, dampers, bushings or controllers"
                               : suggestion(name, known, "force elements"));
}

// The contacts of an entry, or one of them: first .. last - 1.
struct ContactRange {
    int first, last;
};
ContactRange find_contacts(const Builder& builder, const Entry& entry) {
    const Mechanism& mechanism = builder.mechanism;
    const JsonValue value = entry.value.member(contact_name_key.name, contact_name_key.meaning);
    const std::string name = value.string();
    std::vector<std::string> known;
    ContactRange found{-1, -1};
    for (const NamedContacts& one : mechanism.contacts) {
        known.push_back(one.name);
        if (one.name == name) found = {one.first_contact, one.first_contact + one.contact_count};
    }
    for (int c = 0; c < mechanism.table.contacts; ++c) {
        const std::string& own = mechanism.contact_names[static_cast<std::size_t>(c)];
        if (own == name) found = {c, c + 1};
        if (std::find(known.begin(), known.end(), own) == known.end()) known.push_back(own);
    }
    if (found.first < 0)
        value.refuse("the contact \"" + name + "\" is unknown",
                     known.empty() ? "the mechanism has no contacts" : suggestion(name, known, "contacts"));
    if (is_limit(mechanism.table.contact[found.first].kind))
        value.refuse(
            "\"" + name + "\" is a limit, which exerts along the coordinate of a joint",
            "observe the channel contact_force." + mechanism.contact_names[static_cast<std::size_t>(found.first)]);
    return found;
}

// On the element's second body; b - 3: on its first one.
int first_component_on_b(const Builder& builder, const NamedElements& elements) {
    return begins_with_body_b(builder, elements) ? 3 : 0;
}

std::string body_or_ground(const Builder& builder, int body) {
    return body < 0 ? ground_name : builder.mechanism.body_names[static_cast<std::size_t>(body)];
}

void read_sensor(Builder& builder, const Entry& entry, const std::string& name, const Kind& kind) {
    const std::string type = kind.name, meaning = kind.meaning;
    NamedChannels channels{name, "", "", "", meaning, "", 0, 0};
    Channel first{};
    const Law nothing;
    if (type == "point" || type == "point_velocity") {
        const PointNumbers point{builder.body(entry), builder.vector(entry, sensor_point_key)};
        const bool is_position = type == "point";
        first = {is_position ? ChannelKind::point_position : ChannelKind::point_velocity, point.body, 0,
                 builder.add_parameters(3, point_part(point).write)};
        channels.unit = is_position ? "m" : "m/s";
        channels.frame = "world", channels.components = three_components;
    } else if (type.starts_with("reaction_")) {
        const NamedElements& elements = find_elements(builder, entry);
        const bool in_impacts = type.ends_with("impulse");
        if (in_impacts && builder.mechanism.table.contacts == 0)
            entry.value.member(type_key.name, "")
                .refuse("\"" + type + "\" belongs to impacts, and without contacts there are none",
                        "take \"reaction_force\" or \"reaction_torque\"");
        struct Reaction {
            ChannelKind kind;
            const char *name, *unit;
        };
        constexpr Reaction reactions[] = {{ChannelKind::joint_force, "reaction_force", "N"},
                                          {ChannelKind::joint_torque, "reaction_torque", "N m"},
                                          {ChannelKind::joint_impulse, "reaction_impulse", "N s"},
                                          {ChannelKind::joint_angular_impulse, "reaction_angular_impulse", "N m s"}};
        const Reaction& reaction = *std::find_if(std::begin(reactions), std::end(reactions),
                                                 [&](const Reaction& one) { return type == one.name; });
        first = {reaction.kind, elements.first_element, first_component_on_b(builder, elements),
                 elements.first_element + elements.element_count};
        channels.unit = reaction.unit;
        channels.frame = "world", channels.components = three_components;
    } else if (type.starts_with("contact_")) {
        const ContactRange contacts = find_contacts(builder, entry);
        const bool is_force = type == "contact_force";
        first = {is_force ? ChannelKind::contact_force_vector : ChannelKind::contact_impulse_vector, contacts.first, 0,
                 contacts.last};
        channels.unit = is_force ? "N" : "N s";
        channels.frame = "world", channels.components = three_components;
    } else if (type.starts_with("exerted_")) {
        const NamedElements& elements = find_force(builder, entry);
        const bool is_force = type == "exerted_force";
        first = {is_force ? ChannelKind::joint_force : ChannelKind::joint_torque, elements.first_element,
                 first_component_on_b(builder, elements), elements.first_element + elements.element_count};
        channels.unit = is_force ? "N" : "N m";
        channels.frame = "world", channels.components = three_components;
    } else if (type == "tension") {
        const NamedElements& elements = find_force(builder, entry);
        const Element& element = builder.mechanism.table.element[elements.first_element];
        if (elements.type == "bushing")
            entry.value.member(force_name_key.name, "")
                .refuse("a bushing pulls along several axes", "take \"exerted_force\" and \"exerted_torque\"");
        builder.tensions[builder.mechanism.table.channels] = elements.first_element;
        first = {ChannelKind::multiplier, 0, 0, 0};
        channels.unit = element.kind == ElementKind::angle ? "N m" : "N";
    } else if (type == "orientation" || type == "angular_velocity") {
        const JointRecord& joint = builder.joint_that(entry, coordinate_of_sensor(type));
        const auto& [a, b] = joint.body;
        const bool is_orientation = type == "orientation";
        first = {is_orientation ? ChannelKind::joint_orientation : ChannelKind::joint_angular_velocity,
                 builder.mechanism.joints[static_cast<std::size_t>(joint.place)].first_element, 0, 0};
        channels.unit = is_orientation ? "1" : "rad/s";
        channels.frame = body_or_ground(builder, b) + (is_orientation ? " to " + body_or_ground(builder, a) : "");
        channels.components = is_orientation ? "w x y z" : three_components;
    } else if (type == "distance") {
        model::Joint between{"D", builder.two_bodies(entry)};
        builder.read_points(entry, between, false);
        first = {ChannelKind::element_value, builder.add(entry.value, model::Element{-1, {}, between, {}, nothing}), 0,
                 0};
        channels.unit = "m";
    } else {
        const bool is_rate = type.find("rate") != std::string::npos, turns = !type.starts_with("displacement");
        const std::string coordinate = coordinate_of_sensor(type);
        JointRecord& joint = builder.joint_that(entry, coordinate);
        const auto measured = joint.elements_of.find(coordinate);
        const int element = measured != joint.elements_of.end()
                                ? measured->second.front()
                                : builder.add_coordinate(entry.value, joint, coordinate, -1, nothing);
        first = {is_rate ? ChannelKind::element_rate : ChannelKind::element_value, element, 0, 0};
        channels.unit = std::string(turns ? "rad" : "m") + (is_rate ? "/s" : "");
    }
    add_group(builder, entry.value, channels, first);
}

}  // namespace

void read_sensors(Builder& builder, const JsonValue& root) {
    const auto section = root.find(sensors_section_key.name);
    if (!section) return;
    builder.require_count(*section, most_mechanism_channels, "channels");
    const std::vector<std::string> of_all = names_of(channel_names), of_contacts = names_of_contact_channels();
    const auto is_in = [](const std::vector<std::string>& taken, const std::string& name) {
        return std::find(taken.begin(), taken.end(), name) != taken.end();
    };
    for (const auto& [name, value] : section->members()) {
        require_name(name, value, "sensor");
        if (is_in(of_all, name))
            value.refuse("\"" + name + "\" is a channel that every mechanism has", "choose another name");
        if ((builder.mechanism.table.contacts > 0 || !builder.frictions.empty()) && is_in(of_contacts, name))
            value.refuse("\"" + name + "\" is a channel that every mechanism with contacts or friction of joints has",
                         "choose another name");
        const Entry entry{value, std::string(sensors_section_key.name) + "." + name};
        read_sensor(builder, entry, name, builder.kind(entry, sensor_kinds, "sensor"));
    }
}

namespace {

void add_contact_channels(Builder& builder, const JsonValue& root) {
    const Mechanism& mechanism = builder.mechanism;
    constexpr const char* units_of_angles[] = {"rad", "rad/s", "N m", "N m s"};
    constexpr const char* meanings_of_limits[] = {"way to the limit; negative beyond it", "rate of that way",
                                                  "force of the limit at the end of the step, away from it",
                                                  "impulse of the limit at the end of the step, or 0"};
    constexpr ChannelKind kinds[] = {ChannelKind::contact_gap, ChannelKind::contact_velocity,
                                     ChannelKind::contact_force, ChannelKind::contact_impulse};
    for (std::size_t k = 0; k < std::size(kinds); ++k) {
        const ChannelDescription& entry = contact_entries[k];
        for (int contact = 0; contact < mechanism.table.contacts; ++contact) {
            const std::string name = entry.name + ("." + mechanism.contact_names[static_cast<std::size_t>(contact)]);
            const bool is_limit = myriad::is_limit(mechanism.table.contact[contact].kind),
                       is_one = is_limit || kinds[k] == ChannelKind::contact_gap;
            add_group(builder, root,
                      {name, mechanism.is_limit_of_angle(contact) ? units_of_angles[k] : entry.unit,
                       is_one ? "" : "contact", is_one ? "" : contact_components[contact_directions - 1],
                       is_limit ? meanings_of_limits[k] : entry.meaning, "", 0, 0},
                      {kinds[k], contact, 0, 0});
        }
    }
    add_record(
        [&](const NamedChannels& description, const Channel& first) { add_group(builder, root, description, first); });
}

}  // namespace

std::shared_ptr<const Mechanism> with_sticking_joints(const Mechanism& mechanism) {
    const auto sticking = std::make_shared<Mechanism>(mechanism);
    MechanismTable& table = sticking->table;
    table.joint.friction_is_set = true;
    if (table.contacts > 0) return sticking;
    if (table.channels + contact_record_count > most_mechanism_channels) return nullptr;
    add_record([&](const NamedChannels& description, const Channel& first) {
        add_group(*sticking, description, first,
                  [&](const Channel& channel) { table.channel[table.channels++] = channel; });
    });
    return sticking;
}

void add_channels(Builder& builder, const JsonValue& root) {
    Mechanism& mechanism = builder.mechanism;
    for (const auto& [channel, element] : builder.tensions)
        mechanism.table.channel[channel].a = mechanism.table.element[element].row[0];
    const auto of_body = [&](const std::string& name, const std::string& unit, const std::string& frame,
                             const std::string& meaning, ChannelKind kind) {
        for (int body = 0; body < mechanism.table.bodies; ++body)
            add_group(builder, root,
                      {name, unit, frame, three_components, meaning,
                       mechanism.body_names[static_cast<std::size_t>(body)], 0, 0},
                      {kind, body, 0, 0});
    };
    of_body("acceleration", "m/s^2", "world", "acceleration of the centre of mass", ChannelKind::acceleration);
    of_body("angular_acceleration", "rad/s^2", "body", "rate of the angular velocity",
            ChannelKind::angular_acceleration);
    const auto scalar = [&](const std::string& name, const std::string& unit, const std::string& meaning,
                            ChannelKind kind) {
        add_group(builder, root, {name, unit, "", "", meaning, "", 0, 0}, {kind, 0, 0, 0});
    };
    scalar("energy", "J", "kinetic and potential energy", ChannelKind::total_energy);
    scalar("kinetic_energy", "J", "kinetic energy", ChannelKind::kinetic_energy);
    scalar("potential_energy", "J", "potential energy of gravity and springs", ChannelKind::potential_energy);
    scalar("work", "J", "done by loads, drivers and dampers since the start", ChannelKind::work);
    scalar("constraint_residual", "", "largest |phi| of all constraint rows, m or without unit",
           ChannelKind::constraint_residual);
    scalar("velocity_residual", "", "largest |phi'|", ChannelKind::velocity_residual);
    scalar("newton_iterations", "", "Newton iterations of the last step", ChannelKind::newton_iterations);
    scalar("assembly_correction", "", "how far assembly moved the initial state, m and rad",
           ChannelKind::assembly_correction);
    for (const auto* list : {&mechanism.joints, &mechanism.drivers})
        for (const NamedElements& named : *list) {
            NamedChannels group{"multiplier." + named.name, "", "", "", "Lagrange multipliers of the rows", "",
                                mechanism.table.channels,   0};
            if (list == &mechanism.joints && builder.joints_along_a.contains(named.name))
                group.meaning += "; of its point, 0 to 2, along axes of body A";
            int row = 0;
            for (int e = named.first_element; e < named.first_element + named.element_count; ++e)
                for (int k = 0; k < rows_of(mechanism.table.element[e].kind); ++k, ++row) {
                    if (mechanism.table.element[e].row[k] < 0) continue;
                    builder.add_channel(root, {ChannelKind::multiplier, mechanism.table.element[e].row[k], 0, 0});
                    group.components += (group.components.empty() ? "" : " ") + std::to_string(row);
                    ++group.count;
                }
            mechanism.channels.push_back(group);
        }
    for (std::size_t c = 0; c < mechanism.couplings.size(); ++c) {
        const NamedCoupling& coupling = mechanism.couplings[c];
        const int row = mechanism.table.joint.coupling[c].row;
        const NamedElements& joint = mechanism.joints[static_cast<std::size_t>(coupling.of[1].joint)];
        const auto coordinates = coordinates_of(joint.type);
        const bool turns = std::find_if(coordinates.begin(), coordinates.end(), [&](const JointCoordinate& one) {
                               return coupling.of[1].coordinate == one.name;
                           })->turns;
        if (row >= 0)
            add_group(builder, root,
                      {"multiplier." + coupling.name, turns ? "N m" : "N", "", "",
                       "Lagrange multiplier of the coupling: minus what it exerts on " + joint.name + "." +
                           coupling.of[1].coordinate,
                       "", 0, 0},
                      {ChannelKind::coupling_multiplier, row, 0, 0});
    }
    if (mechanism.table.contacts > 0) add_contact_channels(builder, root);
}

}  // namespace myriad::mechanism
