// Contact problems in space with any number of contacts and bounded rows: sweeps over both or a splitting, then
// Newton's method.
//
//   a sweep    each contact alone, the others' impulses held: it opens, or sticks, or slides in the one direction
//              w(angle) in which l_T = -mu l_N w, u_N = 0 and u_T points along w; the angle by bisection. With one
//              tangent w is along it or against it. A bounded row alone: l = -c / a, or the bound that is nearest
//   splitting  where sweeps stall, as those of two coupled stages do: by Douglas and Rachford, laws and equations by
//              turns
//   Newton     on the equations of given states (nonsmooth_contact.hpp), with least norm corrections: dependent
//              contacts share their load; for the states of a sweep, and for those that the last correction leads to
//
// The best impulses found are returned with the size of their violation of the laws. Numbers are long double. Where
// there are many solutions, one is returned: of one contact on one freedom that with the least force. Impulses that
// cancel each other by more than eight digits are none. Not handled: bilateral contacts, problems in a plane (their
// tangents must be 2, those of a contact may be fewer).
#pragma once
#include "host/reference/contact/nonsmooth_contact.hpp"

namespace myriad::reference {

struct SweptSolution {
    Eigen::VectorXd impulse;
    double violation = 0.0;  // contact_law_violation()
    int sweeps = 0;
};

// Throws std::logic_error for a problem of other than two tangents.
SweptSolution sweep_contacts(const LocalProblem& problem, const Eigen::VectorXd& guess);

}  // namespace myriad::reference
