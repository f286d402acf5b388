// The parts of a study file that say how time passes: integrator and observation.
#pragma once
#include <cstdint>

#include "host/study/study.hpp"
#include "host/study/study_keys.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

// How often an interval fits into a span. A remainder below 1e-9 of the interval is round-off of decimal fractions and
// counts as none; so does one below what the division of two numbers of this precision resolves.
struct Division {
    std::uint64_t whole = 0;
    bool has_remainder = false;
};
Division divided(double span, double interval, backends::Precision precision);

// Settings that may stand beside the name of a method.
std::vector<Key> keys_of(const IntegratorDescription& method);

// Fill `integrator`, `end_s` and `fixed` or `adaptive`; `observation`. The system and the precision stand already.
// Throw UserError at the place of what makes no sense, and of what no step takes where steps are taken.
void read_integrator(const JsonValue& integrator, bool takes_steps, Study& study, Json& canonical);

// Refuses fp32 where the catalog has no kernels in it for the study's system, chart and integrator.
void require_precision(const JsonValue& precision, const Study& study);
// Where a mechanism has constraint rows and its span is no multiple of the step: the step becomes the largest that is
// not larger and divides the span, or the interval of rows in seconds; says so among the warnings. Between the two.
void make_steps_equal(const JsonValue& root, Study& study, Json& canonical_integrator);
void read_observation(const JsonValue& observe, Study& study, Json& canonical);

// As kernels/system/launch.hpp documents it.
Schedule schedule_of(const Study& study);
// The largest step of adaptive methods: the one of the study, or its default.
double largest_step_s(const Study& study);

}  // namespace myriad::study
