// The places of a study that errors of sampling name.
#pragma once
#include <string>

namespace myriad::study {

inline const std::string study_place = "study.json", design_place = "study.json: /design",
                         correlation_place = "study.json: /correlation",
                         distribution_place = "study.json: /parameters/mass_kg";

}  // namespace myriad::study
