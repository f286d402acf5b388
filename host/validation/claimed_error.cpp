#include "host/validation/claimed_error.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>

#include "host/backends/backends.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/validation/expected_case.hpp"

namespace myriad::validation {

namespace {

bool is_of(const study::Study& study, const Claimed& claimed) {
    const std::string subject = study.mechanism ? study.mechanism->file.stem().string() : study.system->name;
    return subject == claimed.subject && study.integrator.name == claimed.integrator && study.chart == claimed.chart &&
           (!study.mechanism || study::name_of(study.coordinates) == claimed.coordinates);
}

// By its text: reading all studies of all runs takes seconds.
bool names(const ExpectedFile& file, const std::string& subject) {
    std::stringstream text(file.study_text);
    if (file.study_text.empty()) text << std::ifstream(file.study_file).rdbuf();
    return text.str().find('"' + subject + '"') != std::string::npos ||
           text.str().find('/' + subject + ".json\"") != std::string::npos;
}

std::vector<Row> rows_of(const Claimed& claimed, const Form& form) {
    const auto device = backends::make_backend(form.backend, {.kernels = form.kernels});
    std::vector<Row> rows;
    for (const ExpectedFile& file : bundled_claims()) {
        if (!names(file, claimed.subject) || !holds_for(file, form)) continue;
        for (Row& row : expected_rows(file, form, *device, [&](const auto& study) { return is_of(study, claimed); }))
            rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

ClaimedError claimed_error_of(const std::vector<Row>& rows) {
    ClaimedError error{rows.size(), 0.0, ""};
    for (const Row& row : rows) {
        const double off = std::abs(row.difference());
        const double share = off == 0.0 ? 0.0 : off / row.tolerance;
        if (share <= error.largest) continue;
        error.largest = std::isnan(share) ? std::numeric_limits<double>::infinity() : share;
        error.farthest = row.case_name + ", " + row.quantity;
    }
    return error;
}

const ClaimedError& claimed_error(const Claimed& claimed, const std::string& form) {
    static std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, ClaimedError> known;
    const auto key = std::tuple(claimed.subject, claimed.integrator, claimed.coordinates, claimed.chart, form);
    const auto [place, is_new] = known.try_emplace(key);
    if (is_new) place->second = claimed_error_of(rows_of(claimed, form_of(form)));
    return place->second;
}

}  // namespace myriad::validation
