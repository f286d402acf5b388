// A mechanism as the reference path sees it, and the channels of the kernels from its samples: the only place that
// knows both. All that moves and acts comes from the definitions of the file and its numbers. From the kernels' table
// and its parameters (kernels/mechanism/topology.hpp) come poses, velocities and angles before assembly, the order of
// placement, the scale of lengths and which rows are redundant. SI units.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "host/reference/run_reference_mechanism.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::backends {

// Whether all parameters are finite, all masses positive (`of_tree`: or 0), all inertias positive semidefinite and all
// contacts' laws and sizes in their bounds. `model` is the reference_model.
bool describes_mechanism(const MechanismTable& table, std::span<const double> parameters,
                         const reference::MechanismModel& model, bool of_tree);
// Whether every inertia has an inverse, which livens_midpoint takes.
bool has_regular_inertias(const reference::MechanismModel& model);

// `numbers`: the Mechanism::numbers of the instance whose parameters these are; by default the numbers of the file.
reference::MechanismModel reference_model(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                                          std::span<const double> numbers);
reference::MechanismModel reference_model(const mechanism::Mechanism& mechanism, std::span<const double> parameters);

// Channel `index` of the mechanism: 13 of each body, then the channels of the table. `model` is the reference_model.
double reference_channel(const MechanismTable& table, std::span<const double> parameters,
                         const reference::MechanismModel& model, const reference::MechanismSample& sample, int index);

// The values of the certificate's entries in a sample (MechanismCertificate), those of the step where they count
// over all; then those that the integrator adds: a method with contact its own, any other those of energy-momentum
// methods.
std::vector<double> certificate_of(const reference::MechanismSample& sample, const std::string& integrator);

}  // namespace myriad::backends
