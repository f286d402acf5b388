#include "host/validation/runs/mechanism_run.hpp"

#include <limits>
#include <stdexcept>

#include "host/validation/runs/embedded_mechanisms.hpp"

namespace myriad::validation {

namespace {

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string method_text(const Method& method) {
    std::string text = R"({"name": )" + quoted(method.integrator) + R"(, "step_s": )" + json_number(method.step_s) +
                       R"(, "end_s": )" + json_number(method.end_s);
    const auto add = [&](const char* key, const std::string& value) {
        text += std::string(", \"") + key + "\": " + value;
    };
    if (method.spectral_radius >= 0.0) add("spectral_radius", json_number(method.spectral_radius));
    if (method.newton_tolerance >= 0.0) add("newton_tolerance", json_number(method.newton_tolerance));
    if (method.most_newton_iterations >= 0)
        add("most_newton_iterations", std::to_string(method.most_newton_iterations));
    if (!method.newton.empty()) add("newton", quoted(method.newton));
    if (method.tangent_operator) add("tangent_operator", "true");
    if (!method.iteration_matrix.empty()) add("iteration_matrix", quoted(method.iteration_matrix));
    if (!method.start.empty()) add("start", quoted(method.start));
    if (!method.dexp_inverse.empty()) add("dexp_inverse", quoted(method.dexp_inverse));
    if (!method.strikes.empty()) add("strikes", quoted(method.strikes));
    return text + "}";
}

}  // namespace

std::string_view mechanism_text(std::string_view name) {
    const std::string file = "ensembles/mechanisms/" + std::string(name) + ".json";
    for (int i = 0; i < embedded_mechanism_file_count; ++i)
        if (file == embedded_mechanism_files[i].name) return embedded_mechanism_files[i].text;
    throw std::logic_error("validation: there is no " + file);
}

std::string mechanism_subject(std::string_view name, const std::string& coordinates) {
    return R"("mechanism": )" + std::string(mechanism_text(name)) + R"(, "coordinates": )" + quoted(coordinates);
}

std::string study_text(const std::string& subject, const Method& method, const Observed& observed,
                       const std::string& parameters, int instances) {
    std::string study = "{" + subject + R"(, "integrator": )" + method_text(method) + R"(, "chart": )" +
                        quoted(method.chart) + R"(, "instances": )" + std::to_string(instances);
    if (!parameters.empty()) study += R"(, "parameters": )" + parameters;
    if (observed.every_s > 0.0) {
        study += R"(, "observe": {"every_s": )" + json_number(observed.every_s) + R"(, "channels": [)";
        for (std::size_t i = 0; i < observed.channels.size(); ++i)
            study += (i == 0 ? "" : ", ") + quoted(observed.channels[i]);
        study += "]}";
    }
    return study + "}";
}

std::string mechanism_study_text(std::string_view mechanism, const Method& method, const Observed& observed,
                                 const std::string& parameters, int instances) {
    return study_text(mechanism_subject(mechanism, method.coordinates), method, observed, parameters, instances);
}

FinishedRun run_mechanism(std::string_view mechanism, const Method& method, backends::Backend& backend,
                          const Observed& observed, const std::string& parameters, int instances) {
    return run_text(mechanism_study_text(mechanism, method, observed, parameters, instances), backend);
}

double mean_newton_iterations(const FinishedRun& run) {
    if (!run.ok()) return std::numeric_limits<double>::quiet_NaN();
    return run.invariant_drift("newton_iterations") / static_cast<double>(run.chunk.steps.front());
}

}  // namespace myriad::validation
