// What the catalog is made of: lists of systems, charts and integrators as types, and families of their combinations.
#pragma once
#include "kernels/advance.hpp"
#include "kernels/orientation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <template <class, template <class> class> class... System>
struct SystemList {};
template <template <class> class... Chart>
struct ChartList {};
template <class... Integrator>
struct IntegratorList {};

// Every system with every chart and every integrator. A family is compiled apart: the build knows it by its name.
template <class Systems, class Charts, class Integrators>
struct Family {};
template <class... Families>
struct FamilyList {};

using RotationAlone = ChartList<RotationGroup>;

template <class First, class Second>
constexpr bool are_same = false;
template <class Same>
constexpr bool are_same<Same, Same> = true;

// Whether a member is compiled in single precision, too: mechanisms, and other systems with methods that add nothing to
// the certificate (explicit ones, generalized_alpha, implicit_euler), on the rotation group.
template <class Integrator, template <class, template <class> class> class System, template <class> class Chart>
constexpr bool is_in_single_precision = are_same<Chart<double>, RotationGroup<double>> &&
                                        (has_topology<System<double, Chart>> ||
                                         CertificateSize<Integrator, System<double, Chart>>::own == 0);

}  // namespace myriad::inline MYRIAD_VARIANT
