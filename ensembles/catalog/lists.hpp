// The catalog is made of these: lists of systems, charts and integrators as types, and families of their combinations.
#pragma once
#include "kernels/orientation/orientation.hpp"
#include "kernels/run/advance.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <template <class, template <class> class> class... System>
struct SystemList {};
template <template <class> class... Chart>
struct ChartList {};
template <class... Integrator>
struct IntegratorList {};

template <class... Lists>
struct Joined;
template <class... Integrator>
struct Joined<IntegratorList<Integrator...>> {
    using List = IntegratorList<Integrator...>;
};
template <class... First, class... Second, class... Rest>
struct Joined<IntegratorList<First...>, IntegratorList<Second...>, Rest...>
    : Joined<IntegratorList<First..., Second...>, Rest...> {};
template <class... Lists>
using Together = typename Joined<Lists...>::List;

// Every system with every chart and every integrator. A family is compiled apart: the build knows it by its name.
template <class Systems, class Charts, class Integrators>
struct Family {};
template <class... Families>
struct FamilyList {};

using RotationAlone = ChartList<RotationGroup>;

// Whether a member is compiled in single precision, too: mechanisms, and other systems with methods that add nothing to
// the certificate (explicit ones, generalized_alpha, implicit_euler), on the rotation group.
template <class Integrator, template <class, template <class> class> class System, template <class> class Chart>
constexpr bool is_in_single_precision = is_rotation_group<Chart<double>> &&
                                        (has_topology<System<double, Chart>> ||
                                         CertificateSize<Integrator, System<double, Chart>>::own ==
                                             System<double, Chart>::invariant_count);

}  // namespace myriad::inline MYRIAD_VARIANT
