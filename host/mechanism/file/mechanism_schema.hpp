// The JSON Schema (draft 2020-12) of a mechanism file, made from the tables that the reader itself uses. What a schema
// cannot say (a name that exists, a direction of a length above zero) only the reader checks.
#pragma once
#include <string>

namespace myriad::mechanism {

std::string mechanism_schema();

}  // namespace myriad::mechanism
