#include "host/program/list/list_mechanism.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/backends/reference/planar_contacts.hpp"
#include "host/catalog/system_description.hpp"
#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/assembly/initial_gaps.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/program/list/list_modes.hpp"
#include "host/program/list/list_steps.hpp"
#include "host/program/list/list_tables.hpp"
#include "host/program/list/list_tree.hpp"
#include "host/program/text/text_table.hpp"
#include "host/text/printable.hpp"
#include "host/text/user_error.hpp"

namespace myriad::program {

namespace {

using mechanism::Mechanism;
using mechanism::NamedChannels;
using mechanism::NamedContacts;
using mechanism::NamedElements;
using mechanism::Number;
using nlohmann::ordered_json;

constexpr std::size_t longest_paragraph = 10'000;  // bytes of a description

// The bodies of a joint, driver or force element: "crank, rod".
std::vector<std::string> bodies_of(const Mechanism& mechanism, const NamedElements& named) {
    if (named.element_count == 0 && named.joint >= 0)
        return bodies_of(mechanism, mechanism.joints[static_cast<std::size_t>(named.joint)]);
    if (named.element_count == 0) return {body_name(mechanism, mechanism.table.load[named.first_load].body)};
    const Element& element = mechanism.table.element[named.first_element];
    return {body_name(mechanism, element.body[0]), body_name(mechanism, element.body[1])};
}

std::vector<std::string> bodies_of(const Mechanism& mechanism, const NamedContacts& named) {
    const Contact& contact = mechanism.table.contact[named.first_contact];
    const int(&bodies)[2] = is_limit(contact.kind) ? mechanism.table.element[contact.element].body : contact.body;
    return {body_name(mechanism, bodies[0]), body_name(mechanism, bodies[1])};
}

// "ball", or "box.corner_1" and so on.
std::vector<std::string> contacts_of(const Mechanism& mechanism, const NamedContacts& named) {
    const auto first = mechanism.contact_names.begin() + named.first_contact;
    return {first, first + named.contact_count};
}

std::vector<double> initial_gaps(const Mechanism& mechanism) {
    return mechanism::initial_gaps(mechanism, mechanism.nominal_kernel_parameters());
}
double smallest_gap(const std::vector<double>& gaps, const NamedContacts& named) {
    const auto first = gaps.begin() + named.first_contact;
    return *std::min_element(first, first + named.contact_count);
}

const char* gap_unit(const Mechanism& mechanism, const NamedContacts& named) {
    return mechanism.is_limit_of_angle(named.first_contact) ? "rad" : "m";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

bool is_massless(const Mechanism& mechanism, std::size_t body) {
    return (mechanism.table.pinned[body] & planned_without_mass) != 0;
}
ordered_json massless_bodies(const Mechanism& mechanism) {
    ordered_json names = ordered_json::array();
    for (std::size_t b = 0; b < mechanism.body_names.size(); ++b)
        if (is_massless(mechanism, b)) names.push_back(mechanism.body_names[b]);
    return names;
}

int rows_of(const Mechanism& mechanism, const NamedElements& named) {
    int rows = 0;
    for (int e = named.first_element; e < named.first_element + named.element_count; ++e)
        rows += myriad::rows_of(mechanism.table.element[e].kind);
    return rows;
}

// "tip.{x y z norm}", "acceleration.rod.{x y z norm}"
std::string channel_address(const NamedChannels& channel) {
    return channel.name + (channel.body.empty() ? "" : "." + channel.body) + study::components_text(channel.components);
}

std::vector<std::string> warnings_of(const Mechanism& mechanism) {
    std::vector<std::string> warnings = mechanism.warnings;
    if (const auto warning = mechanism::warning_of_assembly(mechanism)) warnings.push_back(*warning);
    return warnings;
}

void print_elements(const Mechanism& mechanism, const char* title, const std::vector<NamedElements>& list,
                    bool with_freedoms) {
    if (list.empty()) return;
    TextTable table(with_freedoms ? std::vector<std::string>{title, "type", "bodies", "freedoms"}
                                  : std::vector<std::string>{title, "type", "bodies"});
    for (const NamedElements& named : list) {
        std::vector<std::string> row{"  " + named.name, named.type, joined(bodies_of(mechanism, named))};
        if (with_freedoms) row.push_back(std::to_string(6 - rows_of(mechanism, named)));
        table.add(row);
    }
    std::printf("%s\n", table.text(3).c_str());
}

std::string coordinate_text(const Mechanism& mechanism, const mechanism::CoupledCoordinate& of) {
    return mechanism.joints[static_cast<std::size_t>(of.joint)].name + "." + of.coordinate;
}
double number_at(const Mechanism& mechanism, const std::string& address) {
    return std::find_if(mechanism.numbers.begin(), mechanism.numbers.end(),
                        [&](const Number& number) { return number.address == address; })
        ->value;
}

void print_couplings(const Mechanism& mechanism) {
    if (mechanism.couplings.empty()) return;
    TextTable table({"couplings", "coordinate", "follows", "ratio", "offset"});
    for (const mechanism::NamedCoupling& coupling : mechanism.couplings)
        table.add({"  " + coupling.name, coordinate_text(mechanism, coupling.of[1]),
                   coordinate_text(mechanism, coupling.of[0]),
                   significant(number_at(mechanism, coupling.address() + ".ratio")),
                   significant(number_at(mechanism, coupling.address() + ".offset"))});
    std::printf("%s  No joint's reaction holds the force between teeth: a coupling acts along the coordinates.\n\n",
                table.text(3).c_str());
}

void print_contacts(const Mechanism& mechanism) {
    if (mechanism.contacts.empty()) return;
    const std::vector<double> gaps = initial_gaps(mechanism);
    TextTable table({"contacts", "type", "bodies", "which are", "smallest gap at the start"});
    for (const NamedContacts& named : mechanism.contacts) {
        const std::vector<std::string> all = contacts_of(mechanism, named);
        table.add({"  " + named.name, named.type, joined(bodies_of(mechanism, named)),
                   all.front() == named.name ? ""
                   : all.size() == 1         ? all.front()
                                             : all.front() + " to " + all.back(),
                   significant(smallest_gap(gaps, named)) + " " + gap_unit(mechanism, named)});
    }
    std::printf("%s", table.text(4).c_str());
    std::printf(
        "  Components of channels: normal, from the first body to the second, and two tangents, which\n"
        "  `myriad schema mechanism` describes at \"contacts\"; a limit has the normal alone.\n");
    if (const std::vector<std::string> idle = backends::contacts_with_an_idle_tangent(mechanism); !idle.empty())
        std::printf(
            "%s\n",
            wrapped("  Nothing moves along tangent_2 of " + joined(idle) + ": \"tangents\": 1 saves its rows.", "  ")
                .c_str());
    std::printf("\n");
}

void print_lines(const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    std::printf("%s\n", title);
    for (const std::string& line : lines)
        std::printf("%s\n", wrapped("  " + printable(line, longest_paragraph), "    ").c_str());
    std::printf("\n");
}

ordered_json elements_json(const Mechanism& mechanism, const std::vector<NamedElements>& list) {
    ordered_json json = ordered_json::array();
    for (const NamedElements& named : list) {
        ordered_json one{{"name", named.name}, {"type", named.type}, {"bodies", bodies_of(mechanism, named)}};
        if (named.section != "forces") one["rows"] = rows_of(mechanism, named);
        if (named.section == "joints") one["freedoms"] = 6 - rows_of(mechanism, named);
        json.push_back(one);
    }
    return json;
}

ordered_json couplings_json(const Mechanism& mechanism) {
    ordered_json json = ordered_json::array();
    for (const mechanism::NamedCoupling& coupling : mechanism.couplings)
        json.push_back({{"name", coupling.name},
                        {"coordinate", coordinate_text(mechanism, coupling.of[1])},
                        {"follows", coordinate_text(mechanism, coupling.of[0])},
                        {"ratio", number_at(mechanism, coupling.address() + ".ratio")},
                        {"offset", number_at(mechanism, coupling.address() + ".offset")}});
    return json;
}

ordered_json contacts_json(const Mechanism& mechanism) {
    const std::vector<double> gaps = initial_gaps(mechanism);
    ordered_json json = ordered_json::array();
    for (const NamedContacts& named : mechanism.contacts)
        json.push_back(
            {{"name", named.name},
             {"type", named.type},
             {"bodies", bodies_of(mechanism, named)},
             {"contacts", contacts_of(mechanism, named)},
             {std::string("smallest_initial_gap_") + gap_unit(mechanism, named), smallest_gap(gaps, named)}});
    return json;
}

// "z of its force, x y of its torque"
std::string components_text(const mechanism::UndeterminedReaction& reaction) {
    std::string text = reaction.force.empty() ? "" : reaction.force + " of its force";
    if (!reaction.torque.empty()) text += (text.empty() ? "" : ", ") + reaction.torque + " of its torque";
    return text;
}

void print_undetermined_reactions(const Mechanism& mechanism) {
    if (mechanism.undetermined_reactions.empty()) return;
    std::printf("reactions that the redundant rows share, and that are not determined (in the world)\n");
    for (const mechanism::UndeterminedReaction& reaction : mechanism.undetermined_reactions)
        std::printf("%s\n", wrapped("  " + reaction.joint + ": " + components_text(reaction), "    ").c_str());
}

ordered_json undetermined_json(const Mechanism& mechanism) {
    ordered_json json = ordered_json::array();
    for (const mechanism::UndeterminedReaction& reaction : mechanism.undetermined_reactions)
        json.push_back({{"joint", reaction.joint}, {"force", reaction.force}, {"torque", reaction.torque}});
    return json;
}

// The coordinates in which the mechanism runs where a study says nothing, and the reason if not in joint coordinates.
struct ListedCoordinates {
    std::string name, because;
};
ListedCoordinates coordinates_of(const Mechanism& mechanism, std::optional<mechanism::Coordinates> asked) {
    const bool is_body = asked.value_or(mechanism.coordinates) == mechanism::Coordinates::body;
    if (is_body && !mechanism.joint_coordinates_because.empty())
        throw UserError(ExitCode::usage_or_input, "--coordinates body",
                        "body coordinates do not take this mechanism: " + mechanism.joint_coordinates_because,
                        "leave out --coordinates");
    const std::string because =
        is_body ? (asked ? "the command asks for them" : "the file asks for them") : mechanism.body_coordinates_because;
    return {mechanism::coordinates_names[because.empty() ? 0 : 1], because};
}

void print_coordinates(const ListedCoordinates& coordinates) {
    const std::string because = coordinates.because.empty() ? "" : ", because " + coordinates.because;
    std::printf("\n%s\n", wrapped("coordinates: " + coordinates.name + because, "  ").c_str());
}

}  // namespace

void print_mechanism(const ListedMechanism& listed) {
    const Mechanism& mechanism = listed.mechanism;
    const auto paragraph = [](const std::string& text) { return printable(text, longest_paragraph); };
    const std::vector<std::string> warnings = warnings_of(mechanism);
    const ListedCoordinates coordinates = coordinates_of(mechanism, listed.asked);
    const auto print = [](const std::string& line) { std::printf("%s\n", wrapped(line, "  ").c_str()); };
    print(paragraph(mechanism.name) + ": " + paragraph(mechanism.title));
    if (!mechanism.description.empty()) print("  " + paragraph(mechanism.description));
    if (!mechanism.source.empty()) print("  source: " + paragraph(mechanism.source));
    std::printf("\n");
    print_lines("assumed, because no source has it", mechanism.assumed);
    print_lines("warnings", warnings);
    std::vector<std::string> bodies = mechanism.body_names;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (is_massless(mechanism, b)) bodies[b] += ", without mass";
    print_lines("bodies", bodies);
    print_elements(mechanism, "joints", mechanism.joints, true);
    print_elements(mechanism, "drivers", mechanism.drivers, false);
    print_couplings(mechanism);
    print_tables(mechanism);
    print_elements(mechanism, "forces", mechanism.forces, false);
    print_contacts(mechanism);
    std::printf("degrees of freedom: %d\n", mechanism.freedoms);
    std::printf("redundant rows: %zu%s\n", mechanism.redundant_rows.size(),
                mechanism.redundant_rows.empty() ? "" : ", watched but without a multiplier");
    for (const mechanism::RedundantRow& row : mechanism.redundant_rows) print("  " + row.joint + ": " + row.meaning);
    print_undetermined_reactions(mechanism);
    print_coordinates(coordinates);
    if (!mechanism.joint_coordinates_because.empty())
        print("body coordinates do not take it: " + mechanism.joint_coordinates_because);
    print_modes(mechanism);
    print_tree(mechanism, mechanism::spanning_tree_of(mechanism), listed.count_step);
    print_steps(listed.file);
    TextTable channels({"address", "unit", "frame", "meaning"});
    for (const study::DescribedChannel& channel : study::channels_of_bodies())
        channels.add({channel.name + ".<body>" + study::components_text(channel.components), channel.unit,
                      channel.frame, channel.meaning});
    for (const NamedChannels& channel : mechanism.channels)
        channels.add({channel_address(channel), channel.unit, channel.frame, channel.meaning});
    std::printf("\nchannels (to observe, or to reduce to quantities)\n%s\n", channels.text(4, "  ").c_str());
    TextTable numbers({"address", "unit", "value", "meaning"});
    for (const Number& number : mechanism.numbers)
        numbers.add({number.address, number.unit, significant(number.value, 9),
                     number.meaning + (number.expression.empty() ? "" : "; follows from " + number.expression)});
    std::printf("numbers (a study sets or varies each by its address)\n%s", numbers.text(4, "  ").c_str());
}

ordered_json mechanism_json(const ListedMechanism& listed) {
    const Mechanism& mechanism = listed.mechanism;
    const ListedCoordinates coordinates = coordinates_of(mechanism, listed.asked);
    ordered_json json{{"name", mechanism.name},
                      {"title", mechanism.title},
                      {"description", mechanism.description},
                      {"source", mechanism.source},
                      {"assumed", mechanism.assumed},
                      {"warnings", warnings_of(mechanism)},
                      {"bodies", mechanism.body_names},
                      {"bodies_without_mass", massless_bodies(mechanism)},
                      {"joints", elements_json(mechanism, mechanism.joints)},
                      {"drivers", elements_json(mechanism, mechanism.drivers)},
                      {"couplings", couplings_json(mechanism)},
                      {"tables", tables_json(mechanism)},
                      {"forces", elements_json(mechanism, mechanism.forces)},
                      {"contacts", contacts_json(mechanism)},
                      {"degrees_of_freedom", mechanism.freedoms},
                      {"redundant_rows", ordered_json::array()},
                      {"undetermined_reactions", undetermined_json(mechanism)},
                      {"coordinates", coordinates.name},
                      {"because", coordinates.because},
                      {"body_coordinates_refused_because", mechanism.joint_coordinates_because},
                      {"start", mechanism::mechanism_start_names[mechanism.starts_at_equilibrium ? 1 : 0]},
                      {"equilibrium", modes_json(mechanism)},
                      {"tree", tree_json(mechanism, mechanism::spanning_tree_of(mechanism), listed.count_step)},
                      {"traced_steps", steps_json(listed.file)},
                      {"channels", ordered_json::array()},
                      {"numbers", ordered_json::array()}};
    for (const mechanism::RedundantRow& row : mechanism.redundant_rows)
        json["redundant_rows"].push_back({{"joint", row.joint}, {"meaning", row.meaning}});
    for (const NamedChannels& channel : mechanism.channels) {
        const std::string address = channel.name + (channel.body.empty() ? "" : "." + channel.body);
        json["channels"].push_back({{"address", address},
                                    {"components", channel.components},
                                    {"unit", channel.unit},
                                    {"frame", channel.frame},
                                    {"meaning", channel.meaning}});
    }
    for (const Number& number : mechanism.numbers) {
        ordered_json one{{"address", number.address}, {"unit", number.unit}, {"value", number.value}};
        if (!number.expression.empty()) one["expression"] = number.expression;
        one["meaning"] = number.meaning;
        json["numbers"].push_back(one);
    }
    return json;
}

}  // namespace myriad::program
