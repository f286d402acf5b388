// Texts of a mechanism and of studies of it: a rod on a hinge, free or driven, whose mass and inertia follow from its
// length.
#pragma once
#include "tests/mechanisms/example.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {

inline nlohmann::json pendulum_json() { return example_mechanism("pendulum"); }

inline nlohmann::json driven_pendulum_json() {
    nlohmann::json mechanism = pendulum_json();
    mechanism["drivers"]["motor"] = {{"type", "angle"}, {"joint", "hinge"}, {"value_rad", "0.5 * sin(2 * t)"}};
    return mechanism;
}

// A study of the pendulum, in body coordinates, in which it has constraint rows, with the keys of `keys`, an object,
// put over its own; null takes a key away.
inline std::string pendulum_study(const std::string& keys, const nlohmann::json& mechanism = pendulum_json()) {
    nlohmann::json study = nlohmann::json::parse(changed(R"({"system": null,
        "integrator": {"name": "generalized_alpha", "step_s": 0.01, "end_s": 1}})"));
    study["mechanism"] = mechanism, study["coordinates"] = "body";
    const nlohmann::json own_keys = nlohmann::json::parse(keys);
    for (const auto& [key, value] : own_keys.items()) {
        if (value.is_null())
            study.erase(key);
        else
            study[key] = value;
    }
    return study.dump();
}

}  // namespace myriad::study
