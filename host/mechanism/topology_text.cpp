#include "host/mechanism/topology_text.hpp"

#include <algorithm>
#include <vector>

#include "host/mechanism/elimination/elimination_text.hpp"

namespace myriad::mechanism {

namespace {

// Beyond this many entries of its matrix a mechanism is rolled; they count once more for each contact, which solves
// with it in three directions.
constexpr int most_unrolled_slots = 400;

std::string spelled(int value) { return std::to_string(value); }
std::string spelled(bool value) { return value ? "true" : "false"; }
template <class Enumeration>
std::string spelled(const char* type, Enumeration value) {
    return std::string("static_cast<") + type + ">(" + spelled(static_cast<int>(value)) + ")";
}
template <class Values>
std::string list(const Values& values) {
    std::string text = "{";
    for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + spelled(static_cast<int>(value));
    return text + "}";
}

// A constant array of at least one entry.
std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& entries) {
    std::string text = "MYRIAD_TABLE " + type + " " + name + "[] = {";
    for (const std::string& entry : entries) text += "\n    " + entry + ",";
    return text + (entries.empty() ? "{}};\n" : "\n};\n");
}
std::string table_of_numbers(const std::string& type, const std::string& name, const std::vector<int>& values) {
    std::string text = "MYRIAD_TABLE " + type + " " + name + "[] = {";
    for (std::size_t i = 0; i < values.size(); ++i) text += (i % 24 == 0 ? "\n    " : " ") + spelled(values[i]) + ",";
    return text + (values.empty() ? "0};\n" : "\n};\n");
}

std::string spelled(const Element& e) {
    return "{" + spelled("ElementKind", e.kind) + ", " + spelled(e.has_law) + ", " + spelled(e.is_sensor) + ", " +
           list(e.body) + ", " + spelled(e.parameter) + ", " + spelled(e.function) + ", " + spelled(e.angle) + ", " +
           list(e.row) + "}";
}
std::string spelled(const Load& l) {
    return "{" + spelled("LoadKind", l.kind) + ", " + spelled(l.body) + ", " + spelled(l.parameter) + ", " +
           list(l.function) + "}";
}
std::string spelled(const Contact& c) {
    return "{" + spelled("ContactKind", c.kind) + ", " + list(c.body) + ", " + spelled(c.parameter) + ", " +
           list(c.radius) + ", " + spelled(c.play) + ", " + spelled(c.law) + "}";
}
std::string spelled(const Instruction& i) {
    return "{" + spelled("Operation", i.operation) + ", " + spelled(i.to) + ", " + spelled(i.a) + ", " + spelled(i.b) +
           ", " + spelled(i.c) + "}";
}
std::string spelled(const Channel& c) {
    return "{" + spelled("ChannelKind", c.kind) + ", " + spelled(c.a) + ", " + spelled(c.b) + ", " + spelled(c.c) + "}";
}
template <class Entry>
std::vector<std::string> spelled(const Entry* entries, int count) {
    std::vector<std::string> text;
    for (int i = 0; i < count; ++i) text.push_back(spelled(entries[i]));
    return text;
}

std::string tables(const MechanismTable& m) {
    const Elimination& by = m.elimination;
    std::vector<int> pinned(m.pinned, m.pinned + m.bodies), start_angles(m.start_angle, m.start_angle + m.angles),
        registers(m.function_register, m.function_register + m.functions);
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
    return table("Element", "elements", spelled(m.element, m.elements)) +
           table("Load", "loads", spelled(m.load, m.loads)) +
           table("Contact", "contact_list", spelled(m.contact, m.contacts)) +
           table("Instruction", "instructions", spelled(m.instruction, m.instructions)) +
           table("Channel", "channels", spelled(m.channel, m.channels)) + table_of_numbers("short", "pinned", pinned) +
           table_of_numbers("short", "start_angles", start_angles) +
           table_of_numbers("short", "function_registers", registers) +
           table_of_numbers("short", "body_slots", body_slots) + table_of_numbers("short", "row_slots", row_slots) +
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

int registers_of(const MechanismTable& m) {
    int count = 0;
    for (int i = 0; i < m.instructions; ++i) count = std::max(count, m.instruction[i].to + 1);
    return count;
}

std::string capacity(const char* name, int count) {
    return std::string("    static constexpr int ") + name + " = " + spelled(std::max(count, 1)) + ";\n";
}
std::string size(const char* name, int count) {
    return std::string("    static MYRIAD_HD constexpr int ") + name + "() { return " + spelled(count) + "; }\n";
}
}  // namespace

TopologyForm topology_form(const MechanismTable& table) {
    return (1 + table.contacts) * table.elimination.slots <= most_unrolled_slots ? TopologyForm::unrolled
                                                                                 : TopologyForm::rolled;
}

std::string topology_settings(TopologyForm form) {
    return form == TopologyForm::rolled ? "#define MYRIAD_ROLLED\n" : "";
}

std::string topology_text(const MechanismTable& m, bool keeps_factors, TopologyForm form, const std::string& name,
                          const std::string& plan) {
    const Elimination& by = m.elimination;
    const bool rolled = form == TopologyForm::rolled;
    const std::string tables_at = name + "_tables", elimination_at = name + "_elimination";
    std::string text;
    if (!rolled) {
        const std::string elimination = elimination_text(by, elimination_at);
        text += elimination.substr(elimination.find("namespace"));  // its includes are there already
    }
    text += "namespace myriad::inline MYRIAD_VARIANT {\nnamespace " + tables_at + " {\n\n" + tables(m) +
            (rolled ? programs(by) : "") + "\n}  // namespace " + tables_at + "\n\nstruct " + name + " {\n";
    text += capacity("most_bodies", m.bodies) + capacity("most_elements", m.elements) + capacity("most_rows", m.rows) +
            capacity("most_loads", m.loads) + capacity("most_functions", m.functions) +
            capacity("most_instructions", m.instructions) + capacity("most_registers", registers_of(m)) +
            capacity("most_angles", m.angles) + capacity("most_mechanism_channels", m.channels) +
            capacity("most_matrix_entries", by.slots) + capacity("most_kept_entries", keeps_factors ? by.slots : 0) +
            capacity("most_parameters", m.parameters) + capacity("most_contacts", m.contacts) +
            "    static constexpr bool lists_contacts = " + spelled(rolled) + ";\n" +
            "    template <class Real>\n    using Parameters = " +
            (rolled ? "ParametersOnUse<Real, " + plan + ">" : std::string("Vec<most_parameters, Real>")) + ";\n\n";
    text += size("bodies", m.bodies) + size("elements", m.elements) + size("rows", m.rows) + size("loads", m.loads) +
            size("functions", m.functions) + size("instructions", m.instructions) +
            size("constraint_rows", m.constraint_rows) + size("kept_slots", keeps_factors ? by.slots : 0) +
            size("angles", m.angles) + size("channels", m.channels) + size("parameters", m.parameters) +
            size("slots", by.slots) + size("contacts", m.contacts) + size("open_start_row", m.open_start_row);
    const auto lookup = [&](const char* type, const char* function, const char* arguments, const char* entry) {
        return std::string("    static MYRIAD_HD ") + type + " " + function + "(" + arguments + ") { return " +
               tables_at + "::" + entry + "; }\n";
    };
    text += lookup("int", "pinned", "int body", "pinned[body]") +
            lookup("int", "start_angle", "int i", "start_angles[i]") +
            lookup("const Element&", "element", "int i", "elements[i]") +
            lookup("const Load&", "load", "int i", "loads[i]") +
            lookup("const Contact&", "contact", "int i", "contact_list[i]") +
            lookup("int", "function_register", "int i", "function_registers[i]") +
            lookup("const Instruction&", "instruction", "int i", "instructions[i]") +
            lookup("const Channel&", "channel", "int i", "channels[i]") +
            lookup("int", "body_slot", "int body, int i, int j", "body_slots[(6 * body + i) * 6 + j]") +
            lookup("int", "row_slot", "int row, int side, int i", "row_slots[(2 * row + side) * 6 + i]") +
            lookup("int", "column_slot", "int row, int side, int i", "column_slots[(2 * row + side) * 6 + i]") +
            lookup("int", "diagonal_slot", "int row", "diagonal_slots[row]");
    const std::string factor = rolled ? "myriad::factor(programs(), matrix)" : elimination_at + "::factor(matrix)";
    const std::string solve = rolled ? "myriad::solve(programs(), matrix, right_hand_side, solution)"
                                     : elimination_at + "::solve(matrix, right_hand_side, solution)";
    text +=
        "    template <class Real>\n    static MYRIAD_NOINLINE MaskOf<Real> factor(Real* matrix) {\n        return " +
        factor +
        ";\n    }\n    template <class Real>\n"
        "    static MYRIAD_NOINLINE void solve(const Real* matrix, Real* right_hand_side, Real* solution) {\n        " +
        solve + ";\n    }\n";
    if (rolled) {
        const auto program = [&](const std::string& which, int length) {
            return "        by." + which + "_program = " + tables_at + "::" + which + "_program, by." + which +
                   "_length = " + spelled(length) + ";\n";
        };
        text += "    static MYRIAD_HD Elimination programs() {\n        Elimination by;\n" +
                program("factor", by.factor_length) + program("forward", by.forward_length) +
                program("backward", by.backward_length) + "        return by;\n    }\n";
    }
    return text + "};\n\n}  // namespace myriad::inline MYRIAD_VARIANT\n";
}

}  // namespace myriad::mechanism
