// The matrices in body coordinates of a mechanism at its nominal numbers, on which the reader of its file plans their
// elimination.
#pragma once
#include <vector>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/mechanism/elimination/elimination_plan.hpp"

namespace myriad::mechanism {

// Bodies and rows as elimination sees them, without matrices. The rows of the table have their numbers.
EliminationProblem problem_of(const Mechanism& mechanism);

// Slots one after the other for every entry that may be nonzero, without any program: enough to evaluate the matrix.
void number_slots(const EliminationProblem& problem, MechanismTable& table);

// [unknowns, unknowns] in the state as it stands, by the slots of `numbered`: of a step's Newton correction, and of
// assembly, where forces are left out.
std::vector<double> assembly_matrix(const MechanismTable& numbered, NominalInstance& nominal);

}  // namespace myriad::mechanism
