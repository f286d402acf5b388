// Readers of texts, compiled so that each branch that they take is counted, and each byte that they copy or search.
#pragma once
#include <cstdint>
#include <string>

namespace myriad::tests {

// What reading, or refusing, a text takes: branches and bytes. It is the same on every machine and under every load.
std::uint64_t work_of_json(const std::string& text);
std::uint64_t work_of_table(const std::string& text);
// Of the suggestion for a word among as many known names.
std::uint64_t work_of_suggestion(const std::string& word, int known);

// Counted so far; called by the compiler's instructions, and by those that the linker puts in place of the library's.
extern std::uint64_t counted_work;

}  // namespace myriad::tests
