#include "host/mechanism/source_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace myriad::mechanism::source {

std::string spelled(int value) { return std::to_string(value); }
std::string spelled(bool value) { return value ? "true" : "false"; }
std::string spelled(double value) {
    std::array<char, 40> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific);
    return {digits.data(), end.ptr};
}
std::string spelled_element(const Element& e) {
    return braced(spelled("ElementKind", e.kind), spelled(e.has_law), spelled(e.is_sensor), list(e.body),
                  spelled(e.parameter), spelled(e.function), spelled(e.angle), list(e.row));
}
std::string spelled_instruction(const Instruction& i) {
    return braced(spelled("Operation", i.operation), spelled(i.to), spelled(i.a), spelled(i.b), spelled(i.c));
}
std::string spelled_load(const Load& l) {
    return braced(spelled("LoadKind", l.kind), spelled(l.body), spelled(l.parameter), list(l.function));
}

namespace {

std::string array(const std::string& storage, const std::string& type, const std::string& name,
                  const std::vector<std::string>& entries) {
    std::string text = storage + " " + type + " " + name + "[] = {";
    for (const std::string& entry : entries) text += "\n    " + entry + ",";
    return text + (entries.empty() ? "{}};\n" : "\n};\n");
}

}  // namespace

std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& entries) {
    return array("MYRIAD_TABLE", type, name, entries);
}
std::string long_table(const std::string& type, const std::string& name, const std::vector<std::string>& entries) {
    return array("MYRIAD_LONG_TABLE", type, name, entries);
}
std::string table_of_numbers(const std::string& type, const std::string& name, const std::vector<int>& values) {
    std::string text = "MYRIAD_TABLE " + type + " " + name + "[] = {";
    for (std::size_t i = 0; i < values.size(); ++i) text += (i % 24 == 0 ? "\n    " : " ") + spelled(values[i]) + ",";
    return text + (values.empty() ? "0};\n" : "\n};\n");
}

std::string capacity(const char* name, int count) {
    return std::string("    static constexpr int ") + name + " = " + spelled(std::max(count, 1)) + ";\n";
}
std::string size(const char* name, int count) {
    return std::string("    static MYRIAD_HD constexpr int ") + name + "() { return " + spelled(count) + "; }\n";
}
std::string lookup(const std::string& tables, const char* type, const char* function, const char* arguments,
                   const char* entry) {
    return std::string("    static MYRIAD_HD ") + type + " " + function + "(" + arguments + ") { return " + tables +
           "::" + entry + "; }\n";
}

}  // namespace myriad::mechanism::source
