// Mechanisms on the charts that the lgim and the rA paper compare, by implicit methods: traced, as all mechanisms are.
#pragma once
#include "ensembles/catalog/lists.hpp"
#include "papers/charts/kernels/implicit_on_chart.hpp"
#include "papers/charts/kernels/kinematics_on_chart.hpp"
#include "papers/charts/kernels/rotation_vector.hpp"
#include "papers/lgim/kernels/cardan_charts.hpp"
#include "papers/rA/kernels/euler_parameters.hpp"
#include "papers/rA/kernels/euler_zxz.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, template <class> class Chart>
using MechanismOnChart = ChartedMechanism<Real, JointTopology, Chart>;

using ChartsOfMechanisms = ChartList<RotationVectorChart, EulerParameterChart, EulerZxzChart, CardanChart>;
using MechanismsOnCharts =
    Family<SystemList<MechanismOnChart>, ChartsOfMechanisms,
           IntegratorList<ImplicitOnChart<GeneralizedAlpha>, ImplicitOnChart<ImplicitEuler>, KinematicsOnChart>>;

}  // namespace myriad::inline MYRIAD_VARIANT
