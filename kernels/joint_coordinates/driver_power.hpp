// The power of drivers that prescribe coordinates of the tree, found beside a correction instead of by another
// evaluation.
//
//   P = sum f' r          r: what a driver exerts along its coordinate, the residual of its equation; f': its rate
//   P + c z + d x         after a correction by z and x of v' and the multipliers: c = sum f' H, d = sum f' B
//
// c and d are of the rows of H and the columns of B that belong to drivers, before these are taken out of the equations
// (SaddlePoint::hold). P is exact where r is linear, as in accelerations. An implicit step's last correction times what
// H leaves out stays: second order in the step. W. Not handled: contacts, which act on drivers, too; the exact matrix.
#pragma once
#include "kernels/joint_coordinates/saddle_point.hpp"
#include "kernels/mechanism/taylor.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, class T>
struct DriverPower {
    Real power_W;
    Real of_rates[T::most_freedoms], of_rows[T::most_rows];  // c, d
};

// `functions`: those of time, at the state that H and B are of.
template <class Real, class T>
MYRIAD_HD void note_drivers(const T& topology, const Taylor<Real>* functions, const SaddlePoint<Real, T>& system,
                            DriverPower<Real, T>& drivers) {
    if (topology.prescribed() == 0) return;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) drivers.of_rates[i] = Real(0.0);
    MYRIAD_EACH(r, topology, rows) drivers.of_rows[r] = Real(0.0);
    MYRIAD_EACH(k, topology, prescribed) {
        const PrescribedCoordinate& driven = topology.prescribed_coordinate(k);
        const Real rate = functions[driven.function].rate;
        system.each_of_row(driven.freedom, [&](int column, const Real& entry) MYRIAD_INLINE {
            drivers.of_rates[column] = fma(rate, entry, drivers.of_rates[column]);
        });
        MYRIAD_EACH(r, topology, rows)
            drivers.of_rows[r] = fma(rate, system.gradient_of(r)[driven.freedom], drivers.of_rows[r]);
    }
}

// In lanes that take the correction by `z` and `x` of a state with the residual `r`.
template <class Real, class T>
MYRIAD_HD void follow_drivers(const T& topology, const Taylor<Real>* functions, const TreeRates<Real, T>& r,
                              const TreeRates<Real, T>& z, const Real* x, MaskOf<Real> lanes,
                              DriverPower<Real, T>& drivers) {
    if (topology.prescribed() == 0) return;
    Real power(0.0);
    MYRIAD_EACH(k, topology, prescribed) {
        const PrescribedCoordinate& driven = topology.prescribed_coordinate(k);
        power = fma(r[driven.freedom], functions[driven.function].rate, power);
    }
    MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) power = fma(drivers.of_rates[i], z[i], power);
    MYRIAD_EACH(i, topology, rows) power = fma(drivers.of_rows[i], x[i], power);
    drivers.power_W = select(lanes, power, drivers.power_W);
}

}  // namespace myriad::inline MYRIAD_VARIANT
