// Reads the parameters of a system by name, with the errors a caller meets: a name the system does not have, a name
// that is missing (UserError), a number that is not finite or describes no body (InvalidParameter).
#pragma once
#include <string>
#include <vector>

#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

class ParameterReader {
  public:
    ParameterReader(std::string system_name, const Parameters& parameters);

    // A parameter with a default may be left out.
    double required(const std::string& name);
    double optional(const std::string& name, double default_value);
    // name[0], name[1], name[2].
    Eigen::Vector3d required_vector(const std::string& name);
    Eigen::Vector3d optional_vector(const std::string& name, const Eigen::Vector3d& default_value);
    // A positive number, kg.
    double mass();
    // inertia_kg_m2.xx .yy .zz (required), .xy .xz .yz (0): the entries of the symmetric tensor about the centre of
    // mass in body axes, off-diagonal entries as they stand in the matrix. Positive semidefinite.
    Eigen::Matrix3d inertia();

    // To be called when all has been read: whatever is left is a name the system does not have.
    void refuse_unknown_names() const;

  private:
    std::string system_name_;
    const Parameters& parameters_;
    std::vector<std::string> known_names_;
};

}  // namespace myriad::reference
