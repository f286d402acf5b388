// The start of a mechanism whose joints' coordinates are coupled, and what of the given start contradicts a coupling.
#pragma once
#include <vector>

#include "host/mechanism/assembly/nominal.hpp"
#include "host/mechanism/assembly/nominal_instance.hpp"

namespace myriad::mechanism {

inline constexpr const char* remedy_for_velocities = "leave out what follows from the other velocities, or correct it";

// A start rate of a joint that couplings do not leave.
struct ChangedRate {
    std::string coordinate;  // "gear.angle"
    bool turns;
    double given, now;
};

struct CouplingReport {
    std::string what, remedy;  // of all couplings that are contradicted by more than 1e-3 of what they relate
    std::string entry;         // the first of them: "couplings.gear"
    std::vector<ChangedRate> rates;
};

// Takes an instance that assembly has put together to the start in which its couplings hold. Contradictions: poses of
// bodies that the file places, where no start value says what is to move, and given velocities.
CouplingReport couple_start(const Mechanism& mechanism, NominalInstance& assembled);

// Calls `refuse` where no start meets the couplings at the numbers of the file. For a mechanism in joint coordinates
// whose rows have their numbers.
void check_coupled_start(const Mechanism& mechanism, const Refusal& refuse);

}  // namespace myriad::mechanism
