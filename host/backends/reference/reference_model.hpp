// A mechanism as the reference path sees it: definitions of the file and the numbers of an instance, with the choices
// that the host has made for both paths. These are given, not found again, because either path may choose otherwise and
// be right: rows, drivers and couplings that are redundant, the order in which bodies are placed, and the values that a
// start keeps. The solver of start values of joints gives the poses, velocities and angles that it has found. SI units.
#pragma once
#include <span>

#include "host/mechanism/mechanism.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::backends {

// `numbers`: the Mechanism::numbers of the instance with these parameters; by default the numbers of the file.
reference::MechanismModel reference_model(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                                          std::span<const double> numbers);
reference::MechanismModel reference_model(const mechanism::Mechanism& mechanism, std::span<const double> parameters);

// Whether all parameters are finite, all masses positive (`of_tree`: or 0), all inertias positive semidefinite and all
// contacts' laws and sizes in their bounds. `model` is the reference_model.
bool describes_mechanism(const mechanism::Mechanism& mechanism, std::span<const double> parameters,
                         std::span<const double> numbers, const reference::MechanismModel& model, bool of_tree);
// Whether every inertia has an inverse, which livens_midpoint takes.
bool has_regular_inertias(const reference::MechanismModel& model);

}  // namespace myriad::backends
