// Whether the rows that stand for a loop still say all that the loop does, redundant rows included.
//
//   B_s = sum_k c_k B_k        a spare row s by the kept rows k, where the loop allows no more than the kept rows do
//   c_k passes through infinity and changes its sign   where the kept rows lose rank and with s in place of k do not
//   |phi_s| beyond the kept rows' own |phi|            where the motion has left the loop
//
// Rows in m count in length scales, and the coordinates' metric is that of relative lengths and angles. A pose in which
// the loop itself is singular (a dead point) keeps all c finite. Not handled: couplings as spare rows; a change of more
// than one in both c and 1 / c within a step, which is not seen.
#pragma once
#include "kernels/joint_coordinates/equations.hpp"
#include "kernels/math/control.hpp"
#include "kernels/mechanism/element_sums.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Beyond this a step that failed is laid to the kept rows.
constexpr double largest_share = 10.0;

template <class Real, class T>
struct LoopRows {
    Real share[T::most_spare_rows * T::most_rows];  // c, as long as there are kept rows
    Real kept, spare;                               // the largest |phi|
    Real constraint;                                // the number of the spare row that has it, among all constraints
    Real least_pivot;                               // of the kept rows, squared relative lengths
};

// A row's unit: 1 for an angle or a cosine, the reciprocal of the length scale for a length.
template <class Real>
MYRIAD_HD Real row_unit(ElementKind kind, Real inverse_length) {
    return (row_entries(kind, 0) & 7u) ? inverse_length : Real(1.0);
}

template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void look_at_loops(const System& system, const typename System::Configuration& q, Real time_s,
                                   typename System::Scratch& scratch, LoopRows<Real, typename System::Topology>& seen) {
    using Topology = typename System::Topology;
    const auto& topology = system.topology;
    const auto equations = system.equations();
    const Real zero(0.0), one(1.0), inverse_length = one / system.parameter(length_scale_parameter);
    const int rows = topology.rows();
    typename System::Velocity still;
    typename System::MultiplierVector none;
    system.set_still(still), none.fit(topology);
    MYRIAD_EACH(r, topology, rows) none[r] = zero;
    system.functions_at(time_s, scratch.functions);
    equations.evaluate(q, still, still, none.e, {zero, zero, one, Level::position, false, true, true}, scratch);
    scratch.system.factor();
    Real unit[Topology::most_rows];
    MYRIAD_EACH(r, topology, rows) unit[r] = one;
    MYRIAD_EACH(e, topology, elements) {
        const Element& element = topology.element(e);
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) if (element.row[k] >= 0) unit[element.row[k]] =
            row_unit(element.kind, inverse_length);
    }
    MYRIAD_EACH(i, topology, couplings) {
        const CoordinateCoupling& coupling = topology.coupling(i);
        if (coupling.row >= 0 && !topology.is_turn(coupling.freedom[1])) unit[coupling.row] = inverse_length;
    }
    seen.kept = seen.spare = zero, seen.constraint = Real(-1.0), seen.least_pivot = one;
    MYRIAD_EACH(r, topology, rows) {
        const Real error = unit[r] * absolute(scratch.row_solution[r]);
        seen.kept = select(seen.kept < error, error, seen.kept);
        seen.least_pivot = minimum(unit[r] * unit[r] * scratch.system.row_pivot(r), seen.least_pivot);
    }
    MYRIAD_EACH(s, topology, spare_rows) {
        const SpareRow& spare = topology.spare_row(s);
        const Element& element = topology.element(spare.element);
        const Rows<Real> of_element = equations.rows(element, scratch.frames, scratch.functions, q.turned);
        Real gradient[Topology::most_freedoms];
        equations.store_gradient(spare.element, element, of_element, spare.k, scratch, gradient);
        MYRIAD_EACH(i, topology, prescribed) gradient[topology.prescribed_coordinate(i).freedom] = zero;
        Real* const share = seen.share + s * rows;
        scratch.system.shares_of(gradient, share);
        const Real own_unit = row_unit(element.kind, inverse_length);
        MYRIAD_EACH(r, topology, rows) share[r] = share[r] * (own_unit / unit[r]);
        const Real error = own_unit * absolute(of_element.value[spare.k]);
        const MaskOf<Real> is_larger = seen.spare < error;
        seen.spare = select(is_larger, error, seen.spare);
        seen.constraint = select(is_larger, Real(static_cast<double>(spare.constraint)), seen.constraint);
    }
}

// How a step ended, as far as the rows of loops know: the lanes that are to end for a reason of theirs, and the place
// that the certificate names for it (worst_row of kernels/joint_coordinates/mechanism.hpp; a spare row by 1 + its
// number).
template <class Real>
struct LoopVerdict {
    MaskOf<Real> lost;    // the kept rows have lost rank
    MaskOf<Real> broken;  // a spare row is not met
    Real place;
};

// A step from `begin` to `end`. `taken`: lanes that have done it; `failed`: lanes that could not. `passes`: the method
// takes its steps across a pose in which the kept rows lose rank.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE LoopVerdict<Real> judge_loops(const System& system, const typename System::Configuration& begin,
                                              Real begin_s, const typename System::Configuration& end, Real end_s,
                                              bool passes, MaskOf<Real> taken, MaskOf<Real> failed) {
    using Topology = typename System::Topology;
    const auto& topology = system.topology;
    const Real zero(0.0), one(1.0), tolerance = largest_missed_row<Real>();
    const int rows = topology.rows(), freedoms = topology.freedoms();
    typename System::Scratch scratch;
    LoopRows<Real, Topology> before, after;
    LoopVerdict<Real> verdict{!true_mask<Real>(), !true_mask<Real>(), zero};
    Real largest(0.0);
    const auto lose = [&](MaskOf<Real> lanes, Real share, int row) {
        const MaskOf<Real> is_largest = lanes & (largest < share);
        largest = select(is_largest, share, largest);
        verdict.place = select(is_largest, Real(-1.0 - freedoms - row), verdict.place);
        verdict.lost = verdict.lost | lanes;
    };
    look_at_loops(system, begin, begin_s, scratch, before);
    MYRIAD_EACH(s, topology, spare_rows) MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) {
            const Real share = absolute(before.share[s * rows + r]);
            const MaskOf<Real> is_weak = Real(largest_share) < share;
            lose(failed & is_weak, share, r);
        }
    MYRIAD_WHEN(taken) {
        look_at_loops(system, end, end_s, scratch, after);
        if (!passes)
            MYRIAD_EACH(s, topology, spare_rows) MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) {
                    const Real was = before.share[s * rows + r], was_of = absolute(was);
                    const Real is = after.share[s * rows + r], is_of = absolute(is);
                    const MaskOf<Real> turns = was * is < zero, is_large = one < minimum(was_of, is_of);
                    lose(taken & turns & is_large, maximum(was_of, is_of), r);
                }
        const MaskOf<Real> is_apart = fma(Real(100.0), after.kept, tolerance) < after.spare;
        verdict.broken = taken & !verdict.lost & is_apart;
        verdict.place = select(verdict.broken, one + after.constraint, verdict.place);
    }
    return verdict;
}

}  // namespace myriad::inline MYRIAD_VARIANT
