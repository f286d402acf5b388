// Sums over the elements of a topology, for bodies and for the links of a tree alike: the energy of force elements,
// their power and that of drivers, the work
// of drivers by impulses, the largest residual of constraints.
//
//   energy    sum k phi^2 / 2
//   power     sum_constraints lambda phi_t + sum_laws (lambda phi_t - d phi'^2)
//   residual  |phi| or |phi'|, of rows that were removed as redundant too
//
// `rows_at`: Rows of an element in the state at hand; `frames`: the Bodies that it was taken at. SI units. Not handled:
// laws on coordinates of a tree.
#pragma once
#include "kernels/mechanism/certificate.hpp"
#include "kernels/mechanism/equations.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
struct Energies {
    Real kinetic, potential;
};

// Adds to `energy` what force elements store.
template <class Real, class T, class Equations, class RowsAt>
MYRIAD_HD void add_stored_energy(const T& topology, const Equations& equations, RowsAt rows_at, Real& energy) {
    const Real half(0.5);
    MYRIAD_EACH(e, topology, elements) {
        const Element& element = topology.element(e);
        if (!element.has_law) continue;
        const Rows<Real> rows = rows_at(element);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) energy =
            fma(half * equations.stiffness(element, k), rows.value[k] * rows.value[k], energy);
    }
}

MYRIAD_HD bool is_driver(const Element& element) { return !element.has_law && element.function >= 0; }

MYRIAD_HD constexpr bool has_power(const Element& element, PowerOf of) {
    if (element.has_law) return of != PowerOf::drivers;
    return element.function >= 0 && of != PowerOf::others;
}

// Whether something drives a row or a coordinate of the tree.
template <class T>
MYRIAD_HD bool has_drivers(const T& topology) {
    if constexpr (requires { topology.prescribed(); })
        if (topology.prescribed() > 0) return true;
    if (topology.functions() == 0) return false;
    bool some = false;
    MYRIAD_EACH(e, topology, elements) some |= is_driver(topology.element(e));
    return some;
}

// Adds to `power`, W; multipliers by the elements' rows.
template <class Real, PowerOf of, class T, class Equations, class Frames, class RowsAt>
MYRIAD_HD void add_element_power(const T& topology, const Equations& equations, const Frames& frames,
                                 const Real* multipliers, RowsAt rows_at, Real& power) {
    MYRIAD_EACH(e, topology, elements) {
        const Element& element = topology.element(e);
        if (!has_power(element, of)) continue;
        const Rows<Real> rows = rows_at(element);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
            if (element.row[k] < 0) continue;
            power = fma(multipliers[element.row[k]], rows.partial_rate[k], power);
            if (!element.has_law) continue;
            const Real rate = row_rate(element, rows, k, frames) + rows.partial_rate[k];
            power = fma(-equations.damping(element, k), rate * rate, power);
        }
    }
}

// Adds what drivers do that are rows: -Z . B v, J, by impulses Z of rows and the mean v of the rates before and after,
// of which `frames` are.
template <class Real, class T, class Frames, class RowsAt, class ImpulseOf>
MYRIAD_HD void add_work_of_driven_rows(const T& topology, const Frames& frames, RowsAt rows_at, ImpulseOf impulse_of,
                                       Real& work) {
    MYRIAD_EACH(e, topology, elements) {
        const Element& element = topology.element(e);
        if (!is_driver(element)) continue;
        const Rows<Real> rows = rows_at(element);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
            if (element.row[k] < 0) continue;
            work = fma(-impulse_of(element.row[k]), row_rate(element, rows, k, frames), work);
        }
    }
}

// lambda = k phi + d phi' of every row with a law.
template <class Real, class T, class Equations, class Frames, class RowsAt>
MYRIAD_HD void renew_multipliers_of_laws(const T& topology, const Equations& equations, const Frames& frames,
                                         RowsAt rows_at, Real* multipliers) {
    MYRIAD_EACH(e, topology, elements) {
        const Element& element = topology.element(e);
        if (!element.has_law) continue;
        const Rows<Real> rows = rows_at(element);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
            if (element.row[k] < 0) continue;
            const Real rate = row_rate(element, rows, k, frames) + rows.partial_rate[k];
            multipliers[element.row[k]] =
                fma(equations.stiffness(element, k), rows.value[k], equations.damping(element, k) * rate);
        }
    }
}

// The largest residual of the constraint rows, and the row: 1 + its number among those of the elements. A residual that
// is not a number is the largest.
template <class Real>
struct Residual {
    Real largest, row;

    MYRIAD_HD void keep(Real residual, int number) {
        const MaskOf<Real> is_less = residual <= largest, is_number = largest == largest;
        const MaskOf<Real> stays = is_less | !is_number;
        largest = select(stays, largest, residual);
        row = select(stays, row, Real(static_cast<double>(number)));
    }
};
// |phi| of a row that was removed as redundant, beyond 100 times that of the rows that are kept: m over the length
// scale in joint coordinates, m in body coordinates, and rad. More ends an instance.
template <class Real>
MYRIAD_HD Real largest_missed_row() {
    return constant<Real>(1e-6, 1e-3);
}
template <class Real, class T, class Frames, class RowsAt>
MYRIAD_HD Residual<Real> largest_residual_of(const T& topology, const Frames& frames, Level level, bool only_active,
                                             RowsAt rows_at) {
    Residual<Real> worst{Real(0.0), Real(0.0)};
    int number = 0;
    MYRIAD_EACH(e, topology, elements) {
        const Element& element = topology.element(e);
        if (element.has_law || element.is_sensor) continue;
        const Rows<Real> rows = rows_at(element);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
            ++number;
            if (only_active && element.row[k] < 0) continue;
            const Real residual = absolute(
                level == Level::position ? rows.value[k] : row_rate(element, rows, k, frames) + rows.partial_rate[k]);
            worst.keep(residual, number);
        }
    }
    return worst;
}

// The certificate of a state, from its energy and the largest residuals of its positions and velocities.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_HD Vec<System::invariant_count, Real> certificate_of(const Energies<Real>& energy, Real position, Real velocity,
                                                            const Memory& memory) {
    using Entry = MechanismCertificate;
    Vec<System::invariant_count, Real> all;
    all[Entry::energy_balance] = energy.kinetic + energy.potential - memory.work;
    all[Entry::constraint_residual] = position;
    all[Entry::velocity_residual] = velocity;
    all[Entry::newton_iterations] = memory.iterations;
    all[Entry::newton_iterations_in_a_step] = memory.most_iterations;
    all[Entry::assembly_correction] = memory.assembly_correction;
    all[Entry::velocity_correction] = memory.velocity_correction;
    all[Entry::kinetic_energy] = energy.kinetic;
    all[Entry::work] = memory.work;
    all[Entry::potential_rise] = energy.potential;
    all[Entry::potential_fall] = -energy.potential;
    return all;
}

}  // namespace myriad::inline MYRIAD_VARIANT
