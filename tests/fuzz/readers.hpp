// The readers of what users write or bring, each with all that has to hold for any bytes: they are taken, or refused
// with a UserError that says where and what; nothing else is thrown, and what is taken is the same when it is read
// again.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace myriad::fuzz {

struct Reader {
    const char* name;
    // Returns what is wrong with the reader, or an empty text.
    std::string (*objection_to)(std::string_view text);
    // Texts to begin with, of the project's own files.
    std::vector<std::string> (*seeds)();
};

// expression, mechanism, study, table
std::span<const Reader> text_readers();
// result
std::span<const Reader> file_readers();
// code: no reader of text; bytes make code that is traced
std::span<const Reader> code_readers();

}  // namespace myriad::fuzz
