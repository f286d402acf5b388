// An error that the user can mend: what is wrong, where, and what to do about it. It ends the program with its exit
// code.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace myriad {

enum class ExitCode { done = 0, usage_or_input = 1, too_many_failed = 2, device = 3, output = 4 };

class UserError : public std::runtime_error {
  public:
    // `where` is a file, a JSON path ("study.json: /parameters/mass_kg") or an instance; `remedy` says what to do.
    UserError(ExitCode exit_code, std::string where, std::string what_is_wrong, std::string remedy)
        : std::runtime_error(where + ": " + what_is_wrong + (remedy.empty() ? "" : "\n  " + remedy)),
          exit_code_(exit_code),
          where_(std::move(where)),
          what_is_wrong_(std::move(what_is_wrong)),
          remedy_(std::move(remedy)) {}

    ExitCode exit_code() const { return exit_code_; }
    const std::string& where() const { return where_; }
    const std::string& what_is_wrong() const { return what_is_wrong_; }
    const std::string& remedy() const { return remedy_; }

  private:
    ExitCode exit_code_;
    std::string where_, what_is_wrong_, remedy_;
};

}  // namespace myriad
