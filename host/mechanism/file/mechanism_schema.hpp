// The JSON Schema (draft 2020-12) of a mechanism file, made from the tables that the reader itself uses. Only the
// reader checks conditions that a schema cannot state (a name that exists, a direction of a length above zero).
#pragma once
#include <string>

namespace myriad::mechanism {

std::string mechanism_schema();

}  // namespace myriad::mechanism
