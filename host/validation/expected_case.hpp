// The rows of a file of ensembles/expected/, in one form of execution.
#pragma once
#include <string>
#include <vector>

#include "host/validation/expected_file.hpp"
#include "host/validation/forms.hpp"
#include "host/validation/validation.hpp"

namespace myriad::validation {

// Whether it claims anything of this form in this build.
bool holds_for(const ExpectedFile& file, const Form& form);

std::vector<Row> expected_rows(const ExpectedFile& file, const Form& form, backends::Backend& device);

}  // namespace myriad::validation
