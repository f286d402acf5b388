// Claims of ensembles/expected/ about one subject by one method, and how far this form of a step is from them.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "host/validation/validation.hpp"

namespace myriad::validation {

struct Claimed {
    std::string subject;  // a mechanism of ensembles/mechanisms/, or a system
    std::string integrator;
    std::string coordinates = {};  // of a mechanism: "joint" or "body"
    std::string chart = "rotation";
};

struct ClaimedError {
    std::size_t claims = 0;
    double largest = 0.0;  // over the tolerance; infinite where an instance failed or a count is wrong
    std::string farthest;  // that row: its case and what it measures

    bool failed() const { return !(largest <= 1.0); }
};
ClaimedError claimed_error_of(const std::vector<Row>& rows);

// Each once in a process. `form`: of forms.hpp.
const ClaimedError& claimed_error(const Claimed& claimed, const std::string& form);

}  // namespace myriad::validation
