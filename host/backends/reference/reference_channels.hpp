// The channels of the kernels, and their certificate, from samples of the reference path. SI units.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "host/backends/reference/reference_model.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// Channel `index` of the mechanism: 13 of each body, then the channels of the table. `model` is the reference_model.
double reference_channel(const MechanismTable& table, std::span<const double> parameters,
                         const reference::MechanismModel& model, const reference::MechanismSample& sample, int index);

// The values of the certificate's entries in a sample (MechanismCertificate), those of the step where they count
// over all; then those that the integrator adds: a method with contact its own, any other those of energy-momentum
// methods.
std::vector<double> certificate_of(const reference::MechanismSample& sample, const std::string& integrator);

}  // namespace myriad::backends
