// The value of a formula of an expected file: of definitions of the file, numbers of the instance's study by address,
// oracles, published values, settings of the run, channels at a time, and the time t.
//
//   bodies.rod.mass_kg           a number of the study; gravity_m_s2.z is the element gravity_m_s2[2], length_m alone
//                                the parameter parameters.length_m
//   published.heavy_top.energy   a constant of docs/reference_values.json, of a list by .first to .sixth
//   rounding                     in a tolerance: half a unit of the last decimal of the constant that the claim names
//   four_link.rocker.velocity.x  an oracle (oracles.hpp)
//   certificate.energy           an entry of the certificate; energy_drift_share is one, too
//   step_s end_s steps           of the run; steps of the instance
//   epsilon                      2^-52
#pragma once
#include <string_view>

#include "host/validation/expected_file.hpp"
#include "host/validation/runs/finished_run.hpp"
#include "host/validation/runs/reference_values.hpp"

namespace myriad::validation {

struct Moment {
    const ExpectedFile& file;
    const FinishedRun& run;
    std::uint64_t instance;
    double time_s;
};
// Throws UserError at the formula for a name that means nothing.
double value_of(const Formula& formula, const Moment& moment, double rounding = 0.0);

// An entry of the certificate: the largest drift or value over the run.
double certificate_of(const FinishedRun& run, const std::string& entry, std::uint64_t instance);
std::vector<std::string> certificate_entries(const study::Study& study);

// The constant, or the list with the number, that a formula is the name of; null for any other formula.
const reference_values::NamedValue* published_value(const Expression& formula);
// The same of a whole list.
const reference_values::NamedValue* published_list(const Expression& formula);

struct ReadChannel {
    std::string address, where;
};
// The channels that formulas read: names that are neither numbers of the study nor anything of the file.
void add_channels(const Formula& formula, const ExpectedFile& file, const study::Study& study,
                  std::vector<ReadChannel>& channels);

}  // namespace myriad::validation
