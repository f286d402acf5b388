#include "host/mechanism/tree/joint_topology_text.hpp"

#include <algorithm>
#include <vector>

#include "host/mechanism/source_text.hpp"
#include "kernels/joint_coordinates/topology.hpp"

namespace myriad::mechanism {

using namespace source;

namespace {

// Beyond this many freedoms and rows together a mechanism is rolled.
constexpr int most_unrolled_unknowns = 16;

std::string spelled_link(const TreeLink& l) {
    return braced(spelled(l.parent), spelled(l.body), spelled(l.slides), spelled(l.first_axis),
                  spelled("TreeTurning", l.turning), spelled(l.field), spelled(l.freedom), spelled(l.last_child));
}
std::string spelled_law(const CoordinateLaw& l) {
    return braced(spelled(l.freedom), spelled(l.parameter), spelled(l.function));
}
std::string spelled_prescribed(const PrescribedCoordinate& p) {
    return braced(spelled(p.freedom), spelled(p.function));
}
std::string spelled_coupling(const CoordinateCoupling& c) {
    return braced(list(c.freedom), spelled(c.parameter), spelled(c.row));
}
std::string spelled_friction(const CoordinateFriction& f) {
    return braced(spelled(f.freedom), spelled(f.parameter), spelled(f.bearing));
}
std::string spelled_force(const CoordinateForce& f) {
    return braced(spelled(f.freedom), spelled(f.first), spelled(f.derivatives), spelled(f.end), spelled(f.value),
                  spelled(f.first_partial), spelled(f.last_partial));
}
std::string spelled_partial(const PartialDerivative& p) {
    return braced(spelled(p.freedom), spelled(p.by_rate), spelled(p.result), spelled("PartialPlace", p.place));
}
std::string spelled_rotor(const CoordinateRotor& r) { return braced(spelled(r.freedom), spelled(r.parameter)); }
std::string spelled_spare_row(const SpareRow& s) {
    return braced(spelled(s.element), spelled(s.k), spelled(s.constraint));
}
std::string spelled_joint(const TreeJointRows& j) {
    return braced(spelled(j.link), spelled(j.first), spelled(j.last), spelled(j.is_backwards));
}
std::string spelled_multiplier(const MultiplierPlace& p) {
    return braced(spelled("MultiplierSource", p.source), spelled(p.index));
}
std::string numbers(const char* name, const int* values, int count) {
    return table_of_numbers("short", name, std::vector<int>(values, values + count));
}

// Each freedom hangs on the one before it. Compilers count the turns of a walk to the root where this is a formula;
// where it is a table they find out too late to keep a large matrix in registers.
bool is_chain(const TreeTable& tree) {
    for (int freedom = 0; freedom < tree.freedoms; ++freedom)
        if (tree.freedom_parent[freedom] != freedom - 1) return false;
    return true;
}

bool any_link(const TreeTable& tree, bool (*is_so)(const TreeLink&)) {
    return std::any_of(tree.link, tree.link + tree.links, is_so);
}

// As a table: a compiler that has to walk to the ground leaves the frames of links in memory.
std::vector<int> common_links_of_contacts(const MechanismTable& m) {
    const JointTopology topology(&m);
    std::vector<int> links;
    for (int c = 0; c < m.contacts; ++c)
        links.push_back(is_limit(m.contact[c].kind) ? -1 : topology.common_link_of_contact(c));
    return links;
}

std::string tables(const MechanismTable& m, const short* axes_codes) {
    const JointTable& j = m.joint;
    const TreeTable& tree = j.tree;
    std::vector<int> bodies(static_cast<std::size_t>(tree.links), -1);
    for (int body = 0; body < m.bodies; ++body) bodies[static_cast<std::size_t>(j.link_of_body[body])] = body;
    return table("TreeLink", "links", entries(tree.link, tree.links, spelled_link)) +
           table("Element", "elements", entries(j.element, j.elements + j.watched_angles, spelled_element)) +
           table("SpareRow", "spare_row_list", entries(j.spare_row, j.spare_rows, spelled_spare_row)) +
           table("Load", "loads", entries(j.load, j.loads, spelled_load)) +
           table("CoordinateLaw", "laws", entries(j.law, j.laws, spelled_law)) +
           table("PrescribedCoordinate", "prescribed",
                 entries(j.prescribed_coordinate, j.prescribed, spelled_prescribed)) +
           table("CoordinateCoupling", "couplings_of_freedoms", entries(j.coupling, j.couplings, spelled_coupling)) +
           table("CoordinateFriction", "frictions", entries(j.friction, j.frictions, spelled_friction)) +
           table("CoordinateRotor", "rotors", entries(j.rotor, j.rotors, spelled_rotor)) +
           table("CoordinateForce", "coordinate_force_list",
                 entries(j.coordinate_force, j.coordinate_forces, spelled_force)) +
           table("Instruction", "coordinate_instructions",
                 entries(j.coordinate_instruction, j.coordinate_instructions, spelled_instruction)) +
           table("PartialDerivative", "partial_derivatives",
                 entries(j.partial_derivative, j.partial_derivatives, spelled_partial)) +
           table("TreeJointRows", "joints", entries(j.joint, j.joints, spelled_joint)) +
           table("MultiplierPlace", "multipliers", entries(j.multiplier, m.rows, spelled_multiplier)) +
           table_of_numbers("short", "axes_codes", std::vector<int>(axes_codes, axes_codes + tree.links)) +
           numbers("links_of_bodies", j.link_of_body, m.bodies) + table_of_numbers("short", "bodies_of_links", bodies) +
           numbers("links_of_freedoms", tree.link_of_freedom, tree.freedoms) +
           (is_chain(tree) ? std::string() : numbers("freedom_parents", tree.freedom_parent, tree.freedoms)) +
           numbers("freedom_rows", tree.freedom_row, tree.freedoms) +
           numbers("freedom_depths", tree.freedom_depth, tree.freedoms) +
           numbers("common_links", j.common_link, j.elements) +
           table_of_numbers("short", "common_links_of_contacts", common_links_of_contacts(m)) +
           numbers("freedoms_of_elements", j.freedom_of_element, m.elements) +
           numbers("counters_of_angles", j.counter_of_angle, m.angles) +
           numbers("freedoms_of_angles", j.freedom_of_angle, m.angles);
}

}  // namespace

TopologyForm joint_topology_form(const MechanismTable& table) {
    return table.joint.tree.freedoms + table.joint.rows <= most_unrolled_unknowns ? TopologyForm::unrolled
                                                                                  : TopologyForm::rolled;
}

std::string joint_topology_text(const MechanismTable& m, const short* axes_codes, TopologyForm form,
                                const std::string& name, const std::string& plan) {
    const JointTable& j = m.joint;
    const TreeTable& tree = j.tree;
    const std::string body_form = name + "BodyForm", tables_at = name + "_tables";
    const int set_frictions = j.friction_is_set ? j.frictions : 0;
    std::string text = topology_text(m, {body_form, form, plan, false, false}) +
                       "\nnamespace myriad::inline MYRIAD_VARIANT {\nnamespace " + tables_at + " {\n\n" +
                       tables(m, axes_codes) + "\n}  // namespace " + tables_at + "\n\nstruct " + name + " : " +
                       body_form + " {\n    using BodyForm = " + body_form + ";\n";
    text +=
        capacity("most_links", tree.links) + capacity("most_freedoms", tree.freedoms) +
        capacity("most_fields", tree.fields) + capacity("most_entries", tree.entries) + capacity("most_rows", j.rows) +
        capacity("most_spare_rows", j.spare_rows) + capacity("most_elements", j.elements) +
        capacity("most_angles", j.angles) + "    static constexpr int most_set_frictions = " + spelled(set_frictions) +
        ";\n" + "    static constexpr bool slides = " +
        spelled(any_link(tree, [](const TreeLink& l) { return l.slides > 0; })) +
        ", turns_freely = " + spelled(any_link(tree, [](const TreeLink& l) { return l.turning == TreeTurning::any; })) +
        ";\n" + "    static constexpr int most_contact_rows = " + body_form +
        "::most_contact_rows + most_set_frictions;\n" +
        "    static constexpr int even_tangents = most_set_frictions > 0 ? -1 : " + body_form + "::even_tangents;\n" +
        "    template <class Real>\n    using Parameters = ParametersOfConstants<Real, " + plan +
        ", most_parameters>;\n\n" + "    static MYRIAD_HD BodyForm body_form() { return {}; }\n";
    text += size("links", tree.links) + size("freedoms", tree.freedoms) + size("fields", tree.fields) +
            size("entries", tree.entries) + size("is_symmetric", j.is_symmetric) +
            size("link_parameter", j.link_parameter) + size("elements", j.elements) + size("rows", j.rows) +
            size("constraint_rows", j.constraint_rows) + size("spare_rows", j.spare_rows) + size("loads", j.loads) +
            size("angles", j.angles) + size("watched_angles", j.watched_angles) + size("laws", j.laws) +
            size("prescribed", j.prescribed) + size("couplings", j.couplings) + size("frictions", j.frictions) +
            "    static MYRIAD_HD constexpr bool friction_is_set() { return " + spelled(j.friction_is_set) + "; }\n" +
            size("set_frictions", set_frictions) + size("friction_follows_reactions", j.friction_follows_reactions) +
            size("rotors", j.rotors) + size("coordinate_forces", j.coordinate_forces) + size("joints", j.joints);
    const auto look = [&](const char* type, const char* function, const char* arguments, const char* entry) {
        text += lookup(tables_at, type, function, arguments, entry);
    };
    look("const TreeLink&", "link", "int l", "links[l]");
    look("int", "axes_code", "int l", "axes_codes[l]");
    look("int", "link_of_body", "int body", "links_of_bodies[body]");
    look("int", "body_of_link", "int l", "bodies_of_links[l]");
    look("int", "link_of_freedom", "int freedom", "links_of_freedoms[freedom]");
    if (is_chain(tree))
        text += "    static MYRIAD_HD int freedom_parent(int freedom) { return freedom - 1; }\n";
    else
        look("int", "freedom_parent", "int freedom", "freedom_parents[freedom]");
    text += "    static MYRIAD_HD int entry(int row, int column) {\n        return " + tables_at +
            "::freedom_rows[row] + " + tables_at + "::freedom_depths[column];\n    }\n";
    look("const Element&", "element", "int i", "elements[i]");
    look("int", "common_link", "int element", "common_links[element]");
    look("int", "common_link_of_contact", "int contact", "common_links_of_contacts[contact]");
    look("const SpareRow&", "spare_row", "int i", "spare_row_list[i]");
    look("const Load&", "load", "int i", "loads[i]");
    look("const CoordinateLaw&", "law", "int i", "laws[i]");
    look("const PrescribedCoordinate&", "prescribed_coordinate", "int i", "prescribed[i]");
    look("const CoordinateCoupling&", "coupling", "int i", "couplings_of_freedoms[i]");
    look("const CoordinateFriction&", "friction", "int i", "frictions[i]");
    look("const CoordinateRotor&", "rotor", "int i", "rotors[i]");
    look("const CoordinateForce&", "coordinate_force", "int i", "coordinate_force_list[i]");
    look("const Instruction&", "coordinate_instruction", "int i", "coordinate_instructions[i]");
    look("const PartialDerivative&", "partial_derivative", "int i", "partial_derivatives[i]");
    look("const TreeJointRows&", "joint", "int i", "joints[i]");
    look("int", "freedom_of_element", "int element", "freedoms_of_elements[element]");
    look("const MultiplierPlace&", "multiplier", "int row", "multipliers[row]");
    look("int", "counter_of_angle", "int angle", "counters_of_angles[angle]");
    look("int", "freedom_of_angle", "int angle", "freedoms_of_angles[angle]");
    text +=
        "    static MYRIAD_HD int field_of(int freedom) {\n"
        "        const TreeLink& on = link(link_of_freedom(freedom));\n"
        "        return on.field + (freedom - on.freedom);\n    }\n"
        "    static MYRIAD_HD bool is_turn(int freedom) {\n"
        "        const TreeLink& on = link(link_of_freedom(freedom));\n"
        "        return freedom - on.freedom >= on.slides;\n    }\n";
    return text + "};\n\n}  // namespace myriad::inline MYRIAD_VARIANT\n";
}

}  // namespace myriad::mechanism
