// The key "results" of a study: what its result file holds, how precisely, and whether compressed.
#pragma once
#include "host/study/study.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

// Fills `study.results`, and `canonical` where the study asks for anything but the defaults. Precision, integrator,
// observation and quantities stand already. What is not kept is not observed either, unless the steps would differ.
void read_results(const JsonValue& root, Study& study, Json& canonical);

}  // namespace myriad::study
