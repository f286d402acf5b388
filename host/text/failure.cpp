#include "host/text/failure.hpp"

#include <new>

#include "host/text/printable.hpp"
#include "host/text/user_error.hpp"

namespace myriad {

Failure failure_of(const std::exception_ptr& thrown) {
    constexpr int usage_or_input = static_cast<int>(ExitCode::usage_or_input);
    try {
        std::rethrow_exception(thrown);
    } catch (const UserError& error) {
        return {static_cast<int>(error.exit_code()), error.what()};
    } catch (const std::bad_alloc&) {
        return {usage_or_input, "out of memory\n  use a smaller --chunk, or observe fewer channels or rows"};
    } catch (const std::exception& error) {
        return {usage_or_input,
                "internal error: " + printable(error.what()) + "\n  please report it with the command and the study"};
    }
}

}  // namespace myriad
