// A mechanism of the catalog run by a method: what the validation cases and the tables of the papers are made of.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

// The text of ensembles/mechanisms/<name>.json, as it was when the program was built. std::logic_error for an unknown
// name.
std::string_view mechanism_text(std::string_view name);

// Of Newton's method: the correction that meets it has been applied, and with the tangent operator leaves less than
// round-off. Without it a share h w of the correction stays, which may be many round-offs.
inline constexpr double newton_tolerance_at_round_off = 1e-13;

// That implicit methods and kinematics take.
inline constexpr const char* mechanism_charts[] = {"rotation", "euler_parameters", "euler_zxz", "cardan_xyz"};

// Keys of a study; what is empty or negative is left to its default.
struct Method {
    std::string integrator = {};
    double step_s = 0.0, end_s = 0.0;
    std::string chart = "rotation";
    double spectral_radius = -1.0, newton_tolerance = -1.0;
    int most_newton_iterations = -1;
    std::string newton = {};  // "full" or "modified"
    bool tangent_operator = false;
    std::string start = {};         // "shifted" or "published"
    std::string dexp_inverse = {};  // of a system on rotation: "cut" or "full"
    std::string strikes = {};       // of contacts: "within_step" or "published"
    // Of a mechanism. Values that are published at a finite step, and charts, are those of body coordinates.
    std::string coordinates = "body";
    std::string iteration_matrix = {};  // of joint coordinates: "simplified" or "exact"
};

struct Observed {
    double every_s = 0.0;  // 0: nothing
    std::vector<std::string> channels;
};

// The part of a study that names its mechanism, or a system: "mechanism": {...}, "system": "heavy_top".
std::string mechanism_subject(std::string_view name, const std::string& coordinates = "body");
std::string study_text(const std::string& subject, const Method& method, const Observed& observed = {},
                       const std::string& parameters = "", int instances = 1);
// The study of run_mechanism().
std::string mechanism_study_text(std::string_view mechanism, const Method& method, const Observed& observed = {},
                                 const std::string& parameters = "", int instances = 1);
// `instances` equal ones, to fill the lanes where time is measured. `parameters`: of the study, as JSON, "" for none.
FinishedRun run_mechanism(std::string_view mechanism, const Method& method, backends::Backend& backend,
                          const Observed& observed = {}, const std::string& parameters = "", int instances = 1);

// Newton iterations per step, all steps together; NaN where the run did not end well.
double mean_newton_iterations(const FinishedRun& run);

}  // namespace myriad::validation
