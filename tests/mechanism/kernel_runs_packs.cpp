#include "tests/mechanism/kernel_runs_of.hpp"

namespace myriad::mechanism {

std::vector<InstanceEnd> run_in_packs(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                      const RunSetup& setup) {
    using Four = Pack<double, 4>;
    using Alpha = Implicit<GeneralizedAlpha>;
    if (setup.method == Method::generalized_alpha && setup.chart == OrientationChart::cardan_xyz)
        return run_on<Four, Alpha, CardanChart>(mechanism, parameters, setup);
    if (setup.chart != OrientationChart::rotation) throw std::logic_error("this chart is not compiled for this method");
    if (setup.method == Method::generalized_alpha)
        return run_on<Four, Alpha, RotationGroup>(mechanism, parameters, setup);
    if (setup.method == Method::kinematics)
        return run_on<Four, Kinematics, RotationGroup>(mechanism, parameters, setup);
    return run_on<Four, Implicit<ImplicitEuler>, RotationGroup>(mechanism, parameters, setup);
}

}  // namespace myriad::mechanism
