// The lists that the catalog's families are made of: systems, charts and integrators as types.
#pragma once
#include "kernels/advance.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <template <class, template <class> class> class... System>
struct SystemList {};
template <template <class> class... Chart>
struct ChartList {};
template <class... Integrator>
struct IntegratorList {};

}  // namespace myriad::inline MYRIAD_VARIANT
