// Any exception that ends a command, as an exit code and the words for it.
#pragma once
#include <exception>
#include <string>

namespace myriad {

struct Failure {
    int exit_code = 0;
    std::string text;  // one or more lines, without the name of the program
};

// What std::current_exception() gives in a handler. Throws on what is no std::exception.
Failure failure_of(const std::exception_ptr& thrown);

}  // namespace myriad
