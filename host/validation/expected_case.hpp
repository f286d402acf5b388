// The rows of a file of ensembles/expected/, in one form of execution.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "host/study/study.hpp"
#include "host/validation/expected_file.hpp"
#include "host/validation/forms.hpp"
#include "host/validation/validation.hpp"

namespace myriad::validation {

// UserError for an unknown name.
const Form& form_of(const std::string& name);

// The files of bundled_expected_files(), read once.
const std::vector<ExpectedFile>& bundled_claims();

// Whether it claims anything of this form in this build.
bool holds_for(const ExpectedFile& file, const Form& form);

// Of the runs whose study is chosen; of all without a choice.
using ChooseStudy = std::function<bool(const study::Study&)>;
std::vector<Row> expected_rows(const ExpectedFile& file, const Form& form, backends::Backend& device,
                               const ChooseStudy& chosen = {});

}  // namespace myriad::validation
