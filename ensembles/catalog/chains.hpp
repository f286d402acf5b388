// Systems in coordinates of their own, on which a chart has no influence: members on `rotation` alone.
#pragma once
#include "ensembles/catalog/bodies.hpp"
#include "kernels/systems/puma560.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using ChainSystems = SystemList<Puma560>;
using ChainIntegrators = Together<Integrators, ImplicitIntegrators>;

using Chains = Family<ChainSystems, RotationAlone, ChainIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
