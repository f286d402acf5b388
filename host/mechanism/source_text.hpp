// Pieces of C++ source text for the kernels: values, constant arrays, and constant functions of a type.
#pragma once
#include <string>
#include <vector>

#include "kernels/mechanism/elements.hpp"
#include "kernels/mechanism/instructions.hpp"

namespace myriad::mechanism::source {

std::string spelled(int value);
std::string spelled(bool value);
std::string spelled(double value);  // finite: all its bits
template <class Enumeration>
std::string spelled(const char* type, Enumeration value) {
    return std::string("static_cast<") + type + ">(" + spelled(static_cast<int>(value)) + ")";
}
// {1, 2, 3}
template <class Values>
std::string list(const Values& values) {
    std::string text = "{";
    for (const auto& value : values) text += (text.size() > 1 ? ", " : "") + spelled(static_cast<int>(value));
    return text + "}";
}
template <class... Parts>
std::string braced(const Parts&... parts) {
    std::string text = "{";
    ((text += (text.size() > 1 ? ", " : "") + std::string(parts)), ...);
    return text + "}";
}
std::string spelled_element(const Element& element);
std::string spelled_load(const Load& load);
std::string spelled_instruction(const Instruction& instruction);
template <class Entry, class Spell>
std::vector<std::string> entries(const Entry* first, int count, Spell spell) {
    std::vector<std::string> text;
    for (int i = 0; i < count; ++i) text.push_back(spell(first[i]));
    return text;
}

// A constant array of at least one entry; a long one may be larger than a GPU's constant memory.
std::string long_table(const std::string& type, const std::string& name, const std::vector<std::string>& entries);
std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& entries);
std::string table_of_numbers(const std::string& type, const std::string& name, const std::vector<int>& values);

// Members of a type: a capacity of at least 1, a count, and a function that reads a table of `tables`.
std::string capacity(const char* name, int count);
std::string size(const char* name, int count);
std::string lookup(const std::string& tables, const char* type, const char* function, const char* arguments,
                   const char* entry);

}  // namespace myriad::mechanism::source
