// The other forms of energy-momentum methods that the Livens paper compares:
//
//   energy_momentum_full          energy_momentum with (q+, v+, p+, lambda)              livens eqs. 72, 86
//   energy_momentum_null_space    the same with an incremental rotation, 3 unknowns      livens remark 4.11
//   energy_momentum_hamiltonian   Hamilton's equations, regularised mass: EMH            livens app. D; 3 unknowns
//   hamiltonian_midpoint          the midpoint rule on these: MPH
#pragma once
#include "ensembles/catalog/energy_momentum.hpp"
#include "papers/livens/kernels/hamiltonian_incremental.hpp"
#include "papers/livens/kernels/hamiltonian_step.hpp"
#include "papers/livens/kernels/livens_full_step.hpp"
#include "papers/livens/kernels/livens_null_space_step.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct LivensFull {
    static constexpr const char* name = "energy_momentum_full";
    static constexpr const char* summary = "energy_momentum with rates and momenta as unknowns, for comparison";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true, .parasitic_mode = true};
    template <class System>
    using Step = LivensFullStep<System, false>;
};
struct LivensNullSpace {
    static constexpr const char* name = "energy_momentum_null_space";
    static constexpr const char* summary =
        "energy_momentum in an incremental rotation: three unknowns, the cheapest form";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true, .parasitic_mode = true};
    template <class System>
    using Step = LivensIncrementalStep<System>;
};

struct HamiltonianEnergy {
    static constexpr const char* name = "energy_momentum_hamiltonian";
    static constexpr const char* summary =
        "implicit, Hamiltonian on a regularised mass: keeps energy and momenta exactly";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true};
    template <class System>
    using Step = HamiltonianIncrementalStep<System>;
};
struct HamiltonianMidpoint {
    static constexpr const char* name = "hamiltonian_midpoint";
    static constexpr const char* summary =
        "implicit, midpoint rule on Hamilton's equations with an inverse mass that assumes unit length";
    static constexpr MethodTraits traits{.implicit = true, .energy_momentum = true};
    template <class System>
    using Step = HamiltonianStep<System, true>;
};

using BodyMomentumForms = IntegratorList<EnergyMomentum<LivensFull>, EnergyMomentum<LivensNullSpace>,
                                         EnergyMomentum<HamiltonianEnergy>, EnergyMomentum<HamiltonianMidpoint>>;
using LagrangianForms = IntegratorList<EnergyMomentum<LivensFull>>;

using MomentumBodiesOfLivens = Family<Systems, RotationAlone, BodyMomentumForms>;
using LagrangiansOfLivens = Family<LagrangianSystems, RotationAlone, LagrangianForms>;

}  // namespace myriad::inline MYRIAD_VARIANT
