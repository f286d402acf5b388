// An error that the user can mend: what is wrong, where, and what to do about it. It ends the program with its exit
// code.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

#include "host/text/printable.hpp"

namespace myriad {

enum class ExitCode { done = 0, usage_or_input = 1, too_many_failed = 2, device = 3, output = 4 };

class UserError : public std::runtime_error {
  public:
    // `where` is a file, a JSON path ("study.json: /parameters/mass_kg") or an instance; `remedy` says what to do, in
    // one or more lines. Whatever files they quote, all three are kept printable.
    UserError(ExitCode exit_code, const std::string& where, const std::string& what_is_wrong, const std::string& remedy)
        : UserError(exit_code, Parts{printable(where), printable(what_is_wrong), printable_lines(remedy)}) {}

    ExitCode exit_code() const { return exit_code_; }
    const std::string& where() const { return parts_.where; }
    const std::string& what_is_wrong() const { return parts_.what_is_wrong; }
    const std::string& remedy() const { return parts_.remedy; }

  private:
    struct Parts {
        std::string where, what_is_wrong, remedy;
    };
    UserError(ExitCode exit_code, Parts parts)
        : std::runtime_error(parts.where + ": " + parts.what_is_wrong +
                             (parts.remedy.empty() ? "" : "\n  " + parts.remedy)),
          exit_code_(exit_code),
          parts_(std::move(parts)) {}

    ExitCode exit_code_;
    Parts parts_;
};

// Refuses what a user gave.
[[noreturn]] inline void refuse_at(const std::string& where, const std::string& what_is_wrong,
                                   const std::string& remedy) {
    throw UserError(ExitCode::usage_or_input, where, what_is_wrong, remedy);
}

}  // namespace myriad
