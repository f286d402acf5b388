// Contact as the reference path observes it, by the names of the kernels' channels and certificate.
#pragma once
#include "host/reference/contact/contact_formula.hpp"

namespace myriad::reference {

// Gaps, velocities, forces and impulses of each contact, and the totals. Its contact problems are solved by
// enumeration: residuals and iterations are zero.
void add_contact_observables(const NonsmoothSystem& system, const ContactFormula& integrator, Observables& observables);

}  // namespace myriad::reference
