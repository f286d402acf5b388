// Contact as the reference path observes it, by the names of the kernels' channels and certificate.
#pragma once
#include "host/reference/contact/nonsmooth_integrator.hpp"

namespace myriad::reference {

bool is_nonsmooth_method(const std::string& integrator);

// Gaps, velocities, forces and impulses of each contact, and the totals. Its contact problems are solved by
// enumeration: residuals and iterations are zero.
void add_contact_observables(const NonsmoothSystem& system, const NonsmoothIntegrator& integrator,
                             Observables& observables);

}  // namespace myriad::reference
