#include "host/mechanism/file/mechanism_file.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/assembly/coupled_start.hpp"
#include "host/mechanism/assembly/joint_errors.hpp"
#include "host/mechanism/assembly/nominal.hpp"
#include "host/mechanism/assembly/start_motion.hpp"
#include "host/mechanism/driver_corners.hpp"
#include "host/mechanism/file/builder.hpp"
#include "host/mechanism/table_arguments.hpp"
#include "host/mechanism/tree/joint_coordinates.hpp"
#include "host/mechanism/tree/rows_along_bodies.hpp"
#include "host/mechanism/tree/spare_rows.hpp"

namespace myriad::mechanism {

namespace {

std::string text_or_nothing(const JsonValue& root, const std::string& key) {
    const auto value = root.find(key);
    return value ? value->string() : "";
}

// The order of entries counts: bodies, rows and channels are numbered by it. That of keys does not.
std::string canonical_text(const JsonValue& root, const Tables& tables) {
    Json canonical = with_sorted_keys(root.json());
    canonical.erase(schema_key.name);
    for (const Key& key : mechanism_keys) {
        const auto section = root.find(key.name);
        if (key.type != KeyType::structure || !section) continue;
        Json& entries = canonical[key.name] = section->json();
        if (key.name == tables_section_key.name) entries = with_points(entries, tables);
        for (Json& entry : entries) entry = with_sorted_keys(entry);
    }
    return canonical.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void read_texts(const JsonValue& root, Mechanism& mechanism) {
    mechanism.title = text_or_nothing(root, "title");
    mechanism.description = text_or_nothing(root, "description");
    mechanism.source = text_or_nothing(root, "source");
    if (const auto assumed = root.find("assumed"))
        for (const JsonValue& one : assumed->elements()) mechanism.assumed.push_back(one.string());
    mechanism.text = canonical_text(root, *mechanism.tables);
}

// Refuses numbers that the sections' own checks cannot foresee.
void require_finite(const Mechanism& mechanism, const JsonValue& root) {
    for (double parameter : mechanism.nominal_kernel_parameters())
        if (!is_finite(parameter))
            root.refuse("the geometry has no finite value at the numbers of the file",
                        "look for numbers that are far too large");
}

std::string name_of(const JsonText& text) { return std::filesystem::path(text.name()).stem().string(); }

bool asks_for_equilibrium(const JsonValue& start) {
    return start.one_of(names_of(mechanism_start_names), "start") == 1;
}

void require_joint_coordinates_for_equilibrium(const Mechanism& mechanism, const JsonValue& start) {
    const std::string because =
        mechanism.coordinates == Coordinates::body ? "the file asks for these" : mechanism.body_coordinates_because;
    if (mechanism.table.contacts > 0)
        start.refuse("an equilibrium is found without the forces of contacts, and this mechanism has contacts",
                     "take \"start\": \"assembled\", and let the mechanism come to rest");
    if (!because.empty())
        start.refuse(
            "an equilibrium is found in joint coordinates, and this mechanism runs in body coordinates: " + because,
            "take \"start\": \"assembled\", or leave out what joint coordinates do not take");
}

void require_zeros(const Mechanism& mechanism, const Refusal& refuse) {
    const std::vector<unsigned char> given(mechanism.numbers.size(), 0);
    if (const auto unknown = unknown_zero(mechanism, mechanism.nominal_numbers(), given))
        refuse(unknown->entry, unknown->what, unknown->remedy);
}

using LastStage = void (*)(Mechanism&, const Refusal&);

void require_values_at_start(const Mechanism& mechanism, const JsonValue& root) {
    const auto missing = missing_value(mechanism.table, *mechanism.tables, mechanism.nominal_kernel_parameters(), 0.0);
    if (!missing) return;
    const std::string& table = mechanism.tables->all()[static_cast<std::size_t>(missing->table)].name;
    root.member(tables_section_key.name, "").member(table, "").refuse(missing->text, missing_value_remedy);
}

// `joints_along_a`, `cuts_joints`: as in Builder. Without the first, the joints that need it are found, and the file is
// read a second time.
std::shared_ptr<Mechanism> parse(const JsonValue& root, const std::string& name, LastStage last_stage,
                                 const std::optional<std::filesystem::path>& folder = {}, bool cuts_joints = false,
                                 const std::optional<std::set<std::string>>& joints_along_a = {}) {
    const auto mechanism = std::make_shared<Mechanism>();
    if (root.is_object() && root.find("integrator"))
        root.refuse("this is a study, and a mechanism is asked for",
                    "a study is for `myriad run`; the mechanism is what stands under its key \"mechanism\"");
    root.require_keys(names_of(mechanism_keys));
    mechanism->name = name;
    Builder builder(*mechanism);
    builder.joints_along_a = joints_along_a.value_or(std::set<std::string>()), builder.cuts_joints = cuts_joints;
    read_tables(builder, root, folder);
    read_texts(root, *mechanism);
    if (const auto assembly = root.find(assembly_key.name)) mechanism->assembly = assembly_policy(*assembly);
    if (const auto coordinates = root.find(coordinates_key.name)) mechanism->coordinates = coordinates_of(*coordinates);
    if (const auto start = root.find(start_key.name)) mechanism->starts_at_equilibrium = asks_for_equilibrium(*start);
    if (const auto parameters = root.find(parameters_key.name)) builder.numbers.read_parameters(*parameters);
    read_bodies(builder, root);
    read_joints(builder, root);
    read_drivers(builder, root);
    read_couplings(builder, root);
    read_forces(builder, root);
    read_contacts(builder, root);
    read_sensors(builder, root);
    measure_coordinates(builder);
    plan_start(builder);
    builder.require_limit(root, mechanism->table.parameters, most_mechanism_parameters, "numbers in the kernels");
    add_joint_coordinates(builder);
    mechanism->body_start_is_solved = builder.start.is_solved;
    find_start_motion(*mechanism);
    check_couplings(builder, root);
    builder.finish();
    require_finite(*mechanism, root);
    require_values_at_start(*mechanism, root);
    check_start(builder, root);
    const Refusal refuse = [&](const std::string& address, const std::string& what, const std::string& remedy) {
        entry_at(root, address).refuse(what, remedy);
    };
    if (const auto driver = driver_without_value(*mechanism, mechanism->nominal_kernel_parameters(), 0.0))
        refuse("drivers." + mechanism->drivers[driver->driver].name, driver->what, driver->remedy);
    refuse_opposed_axes(*mechanism, refuse);
    last_stage(*mechanism, refuse);
    number_rows_of_joint_coordinates(*mechanism);
    find_spare_rows(*mechanism);
    if (!joints_along_a && !mechanism->redundant_rows.empty()) {
        const std::set<std::string> found = joints_with_rows_along_a(*mechanism);
        if (!found.empty()) return parse(root, name, last_stage, folder, cuts_joints, found);
    }
    if (mechanism->starts_at_equilibrium)
        require_joint_coordinates_for_equilibrium(*mechanism, root.member(start_key.name, ""));
    mechanism->table.joint.starts_at_equilibrium = mechanism->starts_at_equilibrium;
    if (!mechanism->couplings.empty()) {
        check_couplings(builder, root);
        if (last_stage == complete) check_coupled_start(*mechanism, refuse);
    }
    if (last_stage == complete) require_zeros(*mechanism, refuse);
    require_joint_coordinates(builder, root);
    add_channels(builder, root);
    return mechanism;
}

// All rows that may take part are active.
void number_rows(Mechanism& mechanism, const Refusal&) {
    MechanismTable& table = mechanism.table;
    table.rows = table.constraint_rows = 0;
    for (int e = 0; e < table.elements; ++e)
        for (int& row : table.element[e].row) {
            if (row < 0) continue;
            row = table.rows++;
            if (!table.element[e].has_law) ++table.constraint_rows;
        }
    mechanism.freedoms = 6 * table.bodies - table.constraint_rows - static_cast<int>(mechanism.couplings.size());
}

}  // namespace

JsonValue entry_at(const JsonValue& root, const std::string& address) {
    const std::size_t dot = address.find('.');
    const auto section = root.find(address.substr(0, dot));
    return dot == std::string::npos || !section ? root : section->find(address.substr(dot + 1)).value_or(root);
}

AssemblyPolicy assembly_policy(const JsonValue& value) {
    return static_cast<AssemblyPolicy>(value.one_of(names_of(assembly_names), "answer to poses that contradict"));
}

Coordinates coordinates_of(const JsonValue& value) {
    return static_cast<Coordinates>(value.one_of(names_of(coordinates_names), "kind of coordinates"));
}

std::shared_ptr<const Mechanism> with_start(std::shared_ptr<const Mechanism> mechanism, const JsonValue& start,
                                            Coordinates coordinates) {
    const bool at_equilibrium = asks_for_equilibrium(start);
    if (at_equilibrium == mechanism->starts_at_equilibrium) return mechanism;
    const auto copy = std::make_shared<Mechanism>(*mechanism);
    Json text = Json::parse(copy->text);
    std::string& because = copy->joint_coordinates_because;
    if (at_equilibrium) {
        if (copy->coordinates != coordinates)
            text[coordinates_key.name] = coordinates_names[static_cast<int>(coordinates)];
        copy->coordinates = coordinates;
        require_joint_coordinates_for_equilibrium(*copy, start);
        if (because.empty()) because = equilibrium_needs_joint_coordinates;
    } else if (because == equilibrium_needs_joint_coordinates) {
        because.clear();
    }
    copy->starts_at_equilibrium = copy->table.joint.starts_at_equilibrium = at_equilibrium;
    text[start_key.name] = mechanism_start_names[at_equilibrium ? 1 : 0];
    const JsonText changed(text.dump(), copy->name);
    copy->text = canonical_text(changed.root(), *copy->tables);
    return copy;
}

std::shared_ptr<const Mechanism> with_joints_cut(std::shared_ptr<const Mechanism> mechanism) {
    if (mechanism->joints.empty()) return mechanism;
    const JsonText text(mechanism->text, mechanism->name);
    std::set<std::string> along_a;
    for (std::size_t j = 0; j < mechanism->joints.size(); ++j)
        if (mechanism->model.joints[j].points_along_a) along_a.insert(mechanism->joints[j].name);
    const std::shared_ptr<Mechanism> cut = parse(text.root(), mechanism->name, complete, {}, true, along_a);
    cut->file = mechanism->file;
    return cut;
}

std::shared_ptr<const Mechanism> read_mechanism(const std::filesystem::path& file) {
    const JsonText text = JsonText::read(file);
    const std::shared_ptr<Mechanism> mechanism = parse(text.root(), name_of(text), complete, file.parent_path());
    mechanism->file = file;
    return mechanism;
}

std::shared_ptr<const Mechanism> parse_mechanism(std::string_view given, const std::string& name,
                                                 const std::optional<std::filesystem::path>& folder) {
    const JsonText text(given, name);
    return parse(text.root(), name_of(text), complete, folder);
}

std::shared_ptr<const Mechanism> mechanism_of(const JsonValue& value, const std::string& name,
                                              const std::optional<std::filesystem::path>& folder) {
    return parse(value, name, complete, folder);
}

std::shared_ptr<const Mechanism> parse_unassembled(std::string_view given, const std::string& name) {
    const JsonText text(given, name);
    return parse(text.root(), name_of(text), number_rows);
}

}  // namespace myriad::mechanism
