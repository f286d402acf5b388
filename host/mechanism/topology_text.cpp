#include "host/mechanism/topology_text.hpp"

#include <algorithm>
#include <vector>

#include "host/mechanism/elimination/elimination_text.hpp"
#include "host/mechanism/source_text.hpp"

namespace myriad::mechanism {

using namespace source;

namespace {

// Beyond this many entries of its matrix a mechanism is rolled; they count once more for each contact, which solves
// with it in three directions.
constexpr int most_unrolled_slots = 400;

std::string spelled_contact(const Contact& c) {
    return braced(spelled("ContactKind", c.kind), list(c.body), spelled(c.parameter), list(c.radius), spelled(c.play),
                  spelled(c.law), spelled(c.element), spelled(c.tangents), spelled(c.size));
}
std::string spelled_interpolant(const PiecewisePolynomial& p) {
    return braced(spelled(p.first), spelled(p.count), spelled(p.ends), spelled("Corners", p.corners));
}
std::string spelled_piece(const PolynomialPiece& p) {
    return braced(spelled(p.start), spelled(p.from),
                  braced(spelled(p.c[0]), spelled(p.c[1]), spelled(p.c[2]), spelled(p.c[3])));
}
std::string spelled_channel(const Channel& c) {
    return braced(spelled("ChannelKind", c.kind), spelled(c.a), spelled(c.b), spelled(c.c));
}
std::string tables(const MechanismTable& m) {
    const std::vector<int> pinned(m.pinned, m.pinned + m.bodies), start_angles(m.start_angle, m.start_angle + m.angles),
        registers(m.function_register, m.function_register + m.functions);
    std::vector<int> motions;
    for (int i = 0; i < m.bodies; ++i)
        motions.insert(motions.end(), std::begin(m.start_motion[i]), std::end(m.start_motion[i]));
    return table("Element", "elements", entries(m.element, m.elements, spelled_element)) +
           table("Load", "loads", entries(m.load, m.loads, spelled_load)) +
           table("Contact", "contact_list", entries(m.contact, m.contacts, spelled_contact)) +
           table("Instruction", "instructions", entries(m.instruction, m.instructions, spelled_instruction)) +
           table("PiecewisePolynomial", "interpolants", entries(m.interpolant, m.interpolants, spelled_interpolant)) +
           long_table("PolynomialPiece", "pieces", entries(m.piece, m.pieces, spelled_piece)) +
           table("Channel", "channels", entries(m.channel, m.channels, spelled_channel)) +
           table_of_numbers("short", "pinned", pinned) + table_of_numbers("short", "start_angles", start_angles) +
           table_of_numbers("short", "start_motions_of_bodies", motions) +
           table_of_numbers("short", "function_registers", registers);
}
std::string elimination_tables(const MechanismTable& m) {
    const Elimination& by = m.elimination;
    std::vector<int> body_slots, row_slots, column_slots, diagonal_slots;
    for (int b = 0; b < m.bodies; ++b)
        for (const auto& row : by.body_slot[b]) body_slots.insert(body_slots.end(), std::begin(row), std::end(row));
    for (int r = 0; r < m.rows; ++r) {
        for (int side = 0; side < 2; ++side) {
            row_slots.insert(row_slots.end(), std::begin(by.row_slot[r][side]), std::end(by.row_slot[r][side]));
            column_slots.insert(column_slots.end(), std::begin(by.column_slot[r][side]),
                                std::end(by.column_slot[r][side]));
        }
        diagonal_slots.push_back(by.diagonal_slot[r]);
    }
    return table_of_numbers("short", "body_slots", body_slots) + table_of_numbers("short", "row_slots", row_slots) +
           table_of_numbers("short", "column_slots", column_slots) +
           table_of_numbers("short", "diagonal_slots", diagonal_slots);
}

std::string programs(const Elimination& by) {
    const auto program = [](const char* name, const unsigned short* words, int count) {
        return table_of_numbers("unsigned short", name, std::vector<int>(words, words + count));
    };
    return program("factor_program", by.factor_program, by.factor_length) +
           program("forward_program", by.forward_program, by.forward_length) +
           program("backward_program", by.backward_program, by.backward_length);
}

std::string elimination_lookups(const std::string& tables_at) {
    return lookup(tables_at, "int", "body_slot", "int body, int i, int j", "body_slots[(6 * body + i) * 6 + j]") +
           lookup(tables_at, "int", "row_slot", "int row, int side, int i", "row_slots[(2 * row + side) * 6 + i]") +
           lookup(tables_at, "int", "column_slot", "int row, int side, int i",
                  "column_slots[(2 * row + side) * 6 + i]") +
           lookup(tables_at, "int", "diagonal_slot", "int row", "diagonal_slots[row]");
}
std::string elimination_functions(const std::string& factor, const std::string& solve) {
    return "    template <class Real>\n    static MYRIAD_NOINLINE MaskOf<Real> factor(Real* matrix) {\n        "
           "return " +
           factor +
           ";\n    }\n    template <class Real>\n"
           "    static MYRIAD_NOINLINE void solve(const Real* matrix, Real* right_hand_side, Real* solution) {\n"
           "        " +
           solve + ";\n    }\n";
}
std::string program_function(const Elimination& by, const std::string& tables_at) {
    const auto program = [&](const std::string& which, int length) {
        return "        by." + which + "_program = " + tables_at + "::" + which + "_program, by." + which +
               "_length = " + spelled(length) + ";\n";
    };
    return "    static MYRIAD_HD Elimination programs() {\n        Elimination by;\n" +
           program("factor", by.factor_length) + program("forward", by.forward_length) +
           program("backward", by.backward_length) + "        return by;\n    }\n";
}

// Bit i: an instruction of the mechanism does operation i.
unsigned long long operations_of(const MechanismTable& m) {
    unsigned long long operations = 0;
    const auto add = [&](const Instruction& i) { operations |= 1ull << static_cast<int>(i.operation); };
    std::for_each(m.instruction, m.instruction + m.instructions, add);
    return operations;
}

// As in element_kinds() of kernels/mechanism/rows.hpp.
unsigned kinds_of_elements(const MechanismTable& m) {
    unsigned kinds = 0;
    const auto add = [&](const Element& e) { kinds |= 1u << static_cast<int>(e.kind); };
    std::for_each(m.element, m.element + m.elements, add);
    return kinds;
}

}  // namespace

int even_tangents(const MechanismTable& m) {
    for (int c = 1; c < m.contacts; ++c)
        if (m.contact[c].tangents != m.contact[0].tangents) return -1;
    return m.contacts > 0 ? m.contact[0].tangents : 2;
}

int registers_of(const MechanismTable& table) {
    int count = 0;
    for (int i = 0; i < table.instructions; ++i) count = std::max(count, table.instruction[i].to + 1);
    for (int i = 0; i < table.joint.coordinate_instructions; ++i)
        count = std::max(count, table.joint.coordinate_instruction[i].to + 1);
    return count;
}

TopologyForm topology_form(const MechanismTable& table) {
    return (1 + table.contacts) * table.elimination.slots <= most_unrolled_slots ? TopologyForm::unrolled
                                                                                 : TopologyForm::rolled;
}

std::string topology_settings(TopologyForm form) {
    return form == TopologyForm::rolled ? "#define MYRIAD_ROLLED\n" : "";
}

std::string topology_text(const MechanismTable& m, const TopologyType& type) {
    const Elimination& by = m.elimination;
    const bool rolled = type.form == TopologyForm::rolled;
    const int slots = by.slots, kept_slots = type.keeps_factors ? slots : 0;
    const std::string tables_at = type.name + "_tables", elimination_at = type.name + "_elimination";
    int contact_rows = 0;
    for (int c = 0; c < m.contacts; ++c) contact_rows += 1 + m.contact[c].tangents;
    std::string text;
    if (!rolled) {
        const std::string elimination = elimination_text(by, elimination_at);
        text += elimination.substr(elimination.find("namespace"));  // its includes are there already
    }
    text += "namespace myriad::inline MYRIAD_VARIANT {\nnamespace " + tables_at + " {\n\n" + tables(m) +
            elimination_tables(m) + (rolled ? programs(by) : "") + "\n}  // namespace " + tables_at + "\n\nstruct " +
            type.name + " {\n";
    text +=
        capacity("most_bodies", m.bodies) + capacity("most_elements", m.elements) + capacity("most_rows", m.rows) +
        capacity("most_loads", m.loads) + capacity("most_functions", m.functions) +
        capacity("most_registers", registers_of(m)) + capacity("most_angles", m.angles) +
        capacity("most_matrix_entries", slots) + capacity("most_kept_entries", kept_slots) +
        capacity("most_parameters", m.parameters) + capacity("most_contacts", m.contacts) +
        capacity("most_contact_rows", contact_rows) +
        "    static constexpr int most_set_frictions = 0, directions = contact_directions;\n" +
        "    static constexpr int most_corners = " + spelled(m.corners) + ";\n" +
        "    static constexpr int even_tangents = " + spelled(rolled ? -1 : even_tangents(m)) + ";\n" +
        "    static constexpr bool lists_contacts = " + spelled(rolled) + ";\n" +
        "    static constexpr unsigned long long operations = " + std::to_string(operations_of(m)) + ";\n" +
        "    static constexpr unsigned kinds_of_elements = " + std::to_string(kinds_of_elements(m)) + ";\n" +
        "    template <class Real>\n    using Parameters = " +
        (rolled ? "ParametersOfConstants<Real, " + type.plan + ", most_parameters>" : "Vec<most_parameters, Real>") +
        ";\n\n";
    text += size("bodies", m.bodies) + size("elements", m.elements) + size("rows", m.rows) + size("loads", m.loads) +
            size("functions", m.functions) + size("instructions", m.instructions) + size("corners", m.corners) +
            size("constraint_rows", m.constraint_rows) + size("kept_slots", kept_slots) + size("angles", m.angles) +
            size("channels", m.channels) + size("parameters", m.parameters) + size("slots", slots) +
            size("contacts", m.contacts) + size("set_frictions", 0) + size("open_start_row", m.open_start_row) +
            size("start_motions", m.bodies) + size("moves_at_start", m.moves_at_start ? 1 : 0) +
            size("starts_together", m.starts_together ? 1 : 0);
    text += lookup(tables_at, "int", "pinned", "int body", "pinned[body]") +
            lookup(tables_at, "int", "start_angle", "int i", "start_angles[i]") +
            lookup(tables_at, "int", "start_motion", "int i, int entry",
                   "start_motions_of_bodies[StartMotion::count * i + entry]") +
            lookup(tables_at, "const Element&", "element", "int i", "elements[i]") +
            lookup(tables_at, "const Load&", "load", "int i", "loads[i]") +
            lookup(tables_at, "const Contact&", "contact", "int i", "contact_list[i]") +
            lookup(tables_at, "int", "function_register", "int i", "function_registers[i]") +
            lookup(tables_at, "const Instruction&", "instruction", "int i", "instructions[i]") +
            lookup(tables_at, "const PiecewisePolynomial&", "interpolant", "int i", "interpolants[i]") +
            lookup(tables_at, "const PolynomialPiece&", "piece", "int i", "pieces[i]") +
            lookup(tables_at, "const Channel&", "channel", "int i", "channels[i]");
    text += elimination_lookups(tables_at) +
            elimination_functions(rolled ? "myriad::factor(programs(), matrix)" : elimination_at + "::factor(matrix)",
                                  rolled ? "myriad::solve(programs(), matrix, right_hand_side, solution)"
                                         : elimination_at + "::solve(matrix, right_hand_side, solution)");
    if (rolled) text += program_function(by, tables_at);
    return text + "};\n\n}  // namespace myriad::inline MYRIAD_VARIANT\n";
}

}  // namespace myriad::mechanism
