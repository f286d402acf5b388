// What a study asks for beyond states: quantities, each one reduction of a channel or a number of a mode, and what its
// results say of them over all instances.
#pragma once
#include "host/study/study.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

// Fill the study and `canonical` from the keys "quantities" and "statistics" of its root. System, steps and times of
// the study are read before. Throw UserError at what they cannot take.
void read_quantities(const JsonValue& root, Study& study, Json& canonical);
void read_statistics(const JsonValue& root, Study& study, Json& canonical);

// How the kernels see the channel of a quantity between states, the number of its rate, and that of the channel, which
// of a distance is the norm of a line (kernels/system/reduction.hpp).
struct Watched {
    Between between = Between::steps;
    int rate = 0, channel = 0;
};
Watched watched(const Study& study, const Quantity& quantity);

}  // namespace myriad::study
