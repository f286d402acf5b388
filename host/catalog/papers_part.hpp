// The part of the catalog that papers/ adds, in a build that has it: charts, and forms of energy-momentum methods, that
// only comparisons with papers need; of the chart euler_parameters the implicit methods and the mechanisms.
#pragma once
#include "host/catalog/catalog_table.hpp"

namespace myriad::study {

// Its charts and members, of systems of the product's catalog. The build links either papers/papers_part.cpp or
// without_papers.cpp, where it is empty.
CatalogTable papers_part();

// In the order of lists, the names of papers/ and those of the product between which they stand. Every build knows
// them, so that it can say what would have them.
struct ListedName {
    const char* name;
    bool is_of_papers;
};
inline constexpr ListedName names_around_papers[] = {
    {"rotation", false},
    {"rotation_vector", true},
    {"euler_parameters", false},
    {"euler_zxz", true},
    {"cardan_xyz", true},
    {"cardan_xyz_body_rate", true},
    {"energy_momentum", false},
    {"energy_momentum_full", true},
    {"energy_momentum_null_space", true},
    {"energy_momentum_hamiltonian", true},
    {"livens_midpoint", false},
    {"hamiltonian_midpoint", true},
    {"energy_momentum_convective", false},
};

}  // namespace myriad::study
