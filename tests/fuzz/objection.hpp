// What has to hold for any input of any reader.
#pragma once
#include <string>
#include <string_view>

#include "host/text/user_error.hpp"

namespace myriad::fuzz {

// What a message quotes of a text is cut to a part that a person can read.
inline constexpr std::size_t longest_message = 20'000;

inline std::string objection_to_error(const UserError& error) {
    if (error.exit_code() != ExitCode::usage_or_input) return "another exit code than that of input";
    if (error.where().empty()) return "an error without a place";
    if (error.what_is_wrong().empty()) return "an error that says nothing";
    if (std::string_view(error.what()).size() > longest_message) return "an error longer than a screen";
    return {};
}

// `read` returns its own objection, or an empty text. What it throws beside a UserError ends the process.
template <class Read>
std::string objection(Read read) {
    try {
        return read();
    } catch (const UserError& error) {
        return objection_to_error(error);
    }
}

}  // namespace myriad::fuzz
