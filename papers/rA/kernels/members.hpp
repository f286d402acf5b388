// What the rA paper compares the rotation group with: Euler parameters (rp) and Euler angles (r-epsilon), with implicit
// methods. The LGIM paper has the first as EP.
#pragma once
#include "ensembles/catalog/mechanisms.hpp"
#include "papers/rA/kernels/euler_parameters.hpp"
#include "papers/rA/kernels/euler_zxz.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using ChartsOfRa = ChartList<EulerParameterChart, EulerZxzChart>;

using ImplicitBodiesOfRa = Family<Systems, ChartsOfRa, ImplicitIntegrators>;
using ImplicitMechanismsOfRa = Family<SystemList<TableMechanism>, ChartsOfRa, MechanismIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
