// The catalog: every system, chart and integrator that a study can name. To add one, write its file and add it to its
// family in ensembles/catalog/.
//
// Backends, tests, benches and the program's lists are generated from these lists; each entry describes itself in its
// own struct, by `name`, `summary` and the like. A system and an integrator also bring an Eigen twin of the same name
// in host/reference/: a missing one is refused by the tests of the catalog. A family is compiled apart, so that a
// change in the kernels of one leaves the others as they are.
#pragma once
#include "ensembles/catalog/energy_momentum.hpp"
#include "ensembles/catalog/flexible_rods.hpp"
#include "ensembles/catalog/joint_contact.hpp"
#include "ensembles/catalog/joint_mechanisms.hpp"
#include "ensembles/catalog/mechanism_energy_momentum.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Every family, in the order in which systems, charts and integrators are listed.
using Catalog =
    FamilyList<ExplicitBodies, JointMechanisms, MomentumMechanisms, JointContacts, ImplicitBodies, MomentumBodies,
               Lagrangians, ExplicitContacts, OneStageContacts, TwoStageContacts, FlexibleRods>;

}  // namespace myriad::inline MYRIAD_VARIANT
