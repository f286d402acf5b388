// A mechanism of the kernels as the reference path sees it, and the channels of the kernels from its samples: the only
// place that knows both. Parameters are those of the kernel (kernels/mechanism/topology.hpp), SI units.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "host/reference/run_reference_mechanism.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// Whether all parameters are finite, all masses positive (`of_tree`: or 0), all inertias positive semidefinite and all
// contacts' laws and sizes in their bounds.
bool describes_mechanism(const MechanismTable& table, std::span<const double> parameters, bool of_tree);

reference::MechanismModel reference_model(const MechanismTable& table, std::span<const double> parameters);

// Channel `index` of the mechanism: 13 of each body, then those of the table. `model` is the reference_model.
double reference_channel(const MechanismTable& table, std::span<const double> parameters,
                         const reference::MechanismModel& model, const reference::MechanismSample& sample, int index);

// The values of the certificate's entries in a sample (MechanismCertificate), those of the step where they count
// over all; then those that the integrator adds: a method with contact its own, any other those of energy-momentum
// methods.
std::vector<double> certificate_of(const reference::MechanismSample& sample, const std::string& integrator);

}  // namespace myriad::backends
