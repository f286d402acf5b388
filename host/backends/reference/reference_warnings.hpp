// Warnings of an instance by the reference path: bits of Warning (kernels/system/status.hpp).
//
//   impacts may gain energy    friction and different restitutions
//   inertia of no body         a principal moment above the sum of both others
//   velocity projected         rates of mass_spring that pull mass 1 and spring 2 apart
#pragma once
#include <cstdint>

#include "host/reference/formulation/system.hpp"
#include "host/reference/mechanism/mechanism_model.hpp"

namespace myriad::backends {

std::int32_t warnings_of_mechanism(const reference::MechanismModel& model);
std::int32_t warnings_of_formula(const reference::Parameters& parameters);

}  // namespace myriad::backends
