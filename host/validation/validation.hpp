// Ours against independent knowledge: published values, closed forms, the reference path, the orders of the methods.
// Each case, a file of ensembles/expected/ or code, computes rows; a row passes where the difference is within a
// tolerance that has a reason.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace myriad::validation {

struct Row {
    std::string case_name, quantity;
    double ours, expected, tolerance;
    std::string source, tolerance_reason;

    double difference() const { return ours - expected; }
    // A NaN anywhere fails.
    bool passed() const;
};

// Those that claim something of this form (forms.hpp); of any, where it is empty.
std::vector<std::string> validation_cases(const std::string& form = {});

// Runs the case, or the file of claims of this path, in this form. Throws UserError for an unknown case or form.
std::vector<Row> run_validation(const std::string& case_name, const std::string& form);

// Several cases, as they are named, so many side by side: 1 on the cpu backend, whose threads serve one run at a time.
// `ended` is told of each as it ends, one at a time. `drifted`: systems and methods in whose runs the energy drifted so
// far that `run` would warn; cases try coarse steps and methods that damp, too.
using CaseEnded = std::function<void(const std::string& case_name, const std::vector<Row>& rows,
                                     const std::set<std::string>& drifted)>;
std::vector<Row> run_validations(const std::vector<std::string>& case_names, const std::string& form, int at_once,
                                 const CaseEnded& ended = {});

}  // namespace myriad::validation
