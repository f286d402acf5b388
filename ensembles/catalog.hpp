// The catalog: every system, chart and integrator that a study can name. To add one, write its file and add it to its
// family in ensembles/catalog/.
//
// Backends, tests, benches and the program's lists are generated from these lists. Each entry has a `name`, as in
// studies, and a `type_name`, as in the source of a GPU kernel. A system and an integrator also need a reference
// implementation of the same name in host/reference/: the tests of the catalog refuse an entry without it. A family is
// compiled apart, so that a change in the kernels of one leaves the others as they are.
#pragma once
#include "ensembles/catalog/chains.hpp"
#include "ensembles/catalog/energy_momentum.hpp"
#include "ensembles/catalog/flexible_rods.hpp"
#include "ensembles/catalog/mechanism_contact.hpp"
#include "ensembles/catalog/mechanism_energy_momentum.hpp"
