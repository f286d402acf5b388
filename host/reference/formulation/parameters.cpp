#include "host/reference/formulation/parameters.hpp"

#include <algorithm>

#include "host/text/user_error.hpp"

namespace myriad::reference {

// An eigenvalue this far below zero, as a share of the largest, is round-off of a tensor that was rotated into place.
constexpr double negative_eigenvalue_share = 1e-12;

ParameterReader::ParameterReader(std::string system_name, const Parameters& parameters)
    : system_name_(std::move(system_name)), parameters_(parameters) {}

double ParameterReader::required(const std::string& name) {
    if (!parameters_.contains(name))
        throw UserError(ExitCode::usage_or_input, "system " + system_name_, "parameter " + name + " is missing",
                        "give it a value; it has no default");
    return optional(name, 0.0);
}

double ParameterReader::optional(const std::string& name, double default_value) {
    known_names_.push_back(name);
    const auto found = parameters_.find(name);
    const double value = found == parameters_.end() ? default_value : found->second;
    if (!std::isfinite(value)) throw InvalidParameter(name + " is not finite");
    return value;
}

Eigen::Vector3d ParameterReader::required_vector(const std::string& name) {
    return {required(name + "[0]"), required(name + "[1]"), required(name + "[2]")};
}

Eigen::Vector3d ParameterReader::optional_vector(const std::string& name, const Eigen::Vector3d& default_value) {
    return {optional(name + "[0]", default_value[0]), optional(name + "[1]", default_value[1]),
            optional(name + "[2]", default_value[2])};
}

double ParameterReader::mass() {
    const double mass = required("mass_kg");
    if (!(mass > 0.0)) throw InvalidParameter("mass_kg is not positive");
    return mass;
}

Eigen::Matrix3d ParameterReader::inertia() {
    const double xx = required("inertia_kg_m2.xx"), yy = required("inertia_kg_m2.yy"),
                 zz = required("inertia_kg_m2.zz"), xy = optional("inertia_kg_m2.xy", 0.0),
                 xz = optional("inertia_kg_m2.xz", 0.0), yz = optional("inertia_kg_m2.yz", 0.0);
    Eigen::Matrix3d tensor;
    tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const Eigen::Vector3d eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor).eigenvalues();
    if (!(eigenvalues.minCoeff() >= -negative_eigenvalue_share * eigenvalues.cwiseAbs().maxCoeff()))
        throw InvalidParameter("inertia_kg_m2 is not positive semidefinite");
    return tensor;
}

void ParameterReader::refuse_unknown_names() const {
    for (const auto& [name, value] : parameters_) {
        if (std::find(known_names_.begin(), known_names_.end(), name) != known_names_.end()) continue;
        std::string list;
        for (const std::string& known : known_names_) list += (list.empty() ? "" : ", ") + known;
        throw UserError(ExitCode::usage_or_input, "system " + system_name_, "there is no parameter " + name,
                        "the parameters are: " + list);
    }
}

}  // namespace myriad::reference
