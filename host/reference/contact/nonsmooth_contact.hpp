// Contact problems by enumeration: every contact is open, sticks or slides, and each combination is a set of equations.
//
//   u = G l + b;   open: l = 0, u_N >= 0;   stick: u = 0, l_N >= 0, |l_T| <= mu l_N;
//   slide: u_N = 0, l_N >= 0, l_T = -mu l_N u_T / |u_T|       (Coulomb's law as nonsmooth eqs. 1 and 2 state it)
//   a bounded row, of dry friction:  -l in b Sgn(u), so |l| <= b;   0 where it cannot move and does not
//
// In a plane sliding has two directions and all equations are linear; in space its direction is found by Newton's
// method on the equations of that one combination. Dependent equations are left out, with the impulses they would have
// determined at zero: another combination is then the same with other contacts. Numbers are long double. Not
// enumerated: bounded rows, contacts with fewer tangents than the problem has, more than about eight contacts, whose
// combinations are too many.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <vector>

namespace myriad::reference {

struct ContactLaw {
    double friction = 0.0, normal_restitution = 0.0, tangential_restitution = 0.0;
    bool held = false;    // bilateral and always closed
    bool unused = false;  // never closed
};

// Shares of a straight way.
struct ContactPass {
    double touch, closest;
};

struct LocalContact {
    double friction = 0.0;
    bool closed = true;      // an open one has no impulse
    bool bilateral = false;  // u_N = 0 with l_N of either sign; friction by |l_N|
    int tangents = 2;        // the first of the problem's; rows of the others play no part, and their impulses are 0
};

struct LocalProblem {
    int tangents = 1;               // 0, 1 or 2 directions per contact; rows: normal, tangents, contact by contact
    Eigen::MatrixXd delassus;       // G
    Eigen::VectorXd free_velocity;  // b
    std::vector<LocalContact> contacts;
    std::vector<double> bounds;  // of bounded rows, one each, behind those of the contacts

    int tangents_of(const LocalContact& contact) const { return std::min(contact.tangents, tangents); }
    Eigen::Index contact_rows() const { return (1 + tangents) * static_cast<Eigen::Index>(contacts.size()); }
};

enum class ContactState { open, stick, slide_forward, slide_backward };

struct LocalSolution {
    Eigen::VectorXd impulse;
    std::vector<ContactState> states;
};

// Nothing where no combination meets the laws. `first` is tried before the others. Throws std::logic_error for what is
// not enumerated but for the number of contacts.
std::optional<LocalSolution> enumerate_contacts(const LocalProblem& problem,
                                                const std::vector<ContactState>& first = {});

// The violation of the laws by the impulses, in m/s and kg m/s alike: the largest violation of an inequality, product
// or direction, relative to the sizes of the velocities and impulses in the problem.
double contact_law_violation(const LocalProblem& problem, const Eigen::VectorXd& impulse);

}  // namespace myriad::reference
