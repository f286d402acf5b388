// What the rA paper compares the rotation group with: Euler parameters (rp) and Euler angles (r-epsilon), with implicit
// methods, of bodies as formulas. The LGIM paper has the first as EP. Mechanisms: papers/charts/.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "papers/rA/kernels/euler_parameters.hpp"
#include "papers/rA/kernels/euler_zxz.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using ChartsOfRa = ChartList<EulerParameterChart, EulerZxzChart>;

using ImplicitBodiesOfRa = Family<Systems, ChartsOfRa, ImplicitIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
