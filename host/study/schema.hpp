// The JSON Schema (draft 2020-12) of a study file, made from the tables that the reader itself uses. Only the reader
// checks conditions that a schema cannot state (an interval that is a multiple of the step, a bound above another).
#pragma once
#include <string>

namespace myriad::study {

std::string study_schema();

}  // namespace myriad::study
