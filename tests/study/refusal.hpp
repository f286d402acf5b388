// Asks for the message of the UserError that something throws.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "host/text/json_text.hpp"
#include "host/text/user_error.hpp"

namespace myriad::study {

template <class Action>
std::string refusal(const Action& action) {
    try {
        action();
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::usage_or_input);
        EXPECT_FALSE(error.remedy().empty()) << "no remedy: " << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
}

// The message about a text that is no JSON that can be read.
inline std::string refused_json(const std::string& text) {
    return refusal([&] { JsonText(text, "a.json"); });
}

// Every part, each a std::string.
template <class... Part>
auto has(const Part&... parts) {
    return ::testing::AllOf(::testing::HasSubstr(parts)...);
}

}  // namespace myriad::study
