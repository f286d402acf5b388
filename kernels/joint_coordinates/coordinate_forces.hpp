// Forces on coordinates of a tree that are functions of time and of any of its coordinates and rates.
//
//   force  F(t, q, q') on coordinate i             r_i -= F
//   H_ij  -= c_q dF/dq_j + c_v dF/dq'_j            entries in the pattern of the tree; the others are left out
//   power  F q'_i
//
// A force is a list of instructions, as functions of time are (kernels/mechanism/tape.hpp), on plain numbers; behind
// those of its value stand those of its partial derivatives, which the host has derived. What depends on time alone is
// a function of time. N or N m; coordinates in m or rad, over whole turns. Not handled: potentials, so all that such a
// force does is work.
#pragma once
#include "kernels/joint_coordinates/state.hpp"
#include "kernels/math/dual.hpp"
#include "kernels/mechanism/plain.hpp"
#include "kernels/mechanism/tape.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/tree/elimination.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The number that partial derivatives are computed with, and a result from its value and its slope.
template <class R>
struct WithoutSlope {
    using Real = R;
    static MYRIAD_HD R value(R x) { return x; }
    static MYRIAD_HD R slope(R) { return R(0.0); }
    static MYRIAD_HD R join(R value, R) { return value; }
    static constexpr bool has_slope = false;
};
template <class R>
struct WithSlope {
    using Real = R;
    static MYRIAD_HD R value(const Dual<R>& x) { return x.value; }
    static MYRIAD_HD R slope(const Dual<R>& x) { return x.slope; }
    static MYRIAD_HD Dual<R> join(R value, R slope) { return {value, slope}; }
    static constexpr bool has_slope = true;
};
template <class R>
struct SlopeOf : WithoutSlope<R> {};
template <class R>
struct SlopeOf<Dual<R>> : WithSlope<R> {};

template <class Real, class T>
struct CoordinateForceTape {
    using Slope = SlopeOf<Real>;
    using Number = typename Slope::Real;
    using Configuration = JointConfiguration<Real, T>;
    const T& topology;
    Plain<Number> registers[T::most_registers];

    // The registers stay uninitialised.
    MYRIAD_HD explicit CoordinateForceTape(const T& given) : topology(given) {}

    template <class P>
    MYRIAD_HD void run(const P& p, int first, int end, const Configuration& q, const TreeRates<Real, T>& v,
                       const Taylor<Real>* functions) {
        MYRIAD_UNROLL_PLAN for (int i = first; i < end; ++i) {
            const Instruction instruction = topology.coordinate_instruction(i);
            Plain<Number>& to = registers[instruction.to];
            switch (instruction.operation) {
                case Operation::coordinate:
                    to = {Slope::value(coordinate(q, instruction.a))};
                    break;
                case Operation::rate:
                    to = {Slope::value(v[instruction.a])};
                    break;
                case Operation::function:
                    to = {Slope::value(functions[instruction.a].value)};
                    break;
                default:
                    to = result_of(instruction, p, Number(0.0), registers, topology);
                    break;
            }
        }
    }
    // F, with the slope that those of the coordinates and rates give it.
    template <class P>
    MYRIAD_HD Real force(const P& p, const CoordinateForce& force, const Configuration& q, const TreeRates<Real, T>& v,
                         const Taylor<Real>* functions) {
        run(p, force.first, force.derivatives, q, v, functions);
        const Number value = registers[force.value].value;
        Number slope(0.0);
        if constexpr (Slope::has_slope) {
            run(p, force.derivatives, force.end, q, v, functions);
            MYRIAD_UNROLL_PLAN for (int i = force.first_partial; i < force.last_partial; ++i) {
                const PartialDerivative& partial = topology.partial_derivative(i);
                const Number by = Slope::slope(partial.by_rate ? v[partial.freedom] : coordinate(q, partial.freedom));
                slope = fma(registers[partial.result].value, by, slope);
            }
        }
        return Slope::join(value, slope);
    }
};

template <class Real, class T, class P>
MYRIAD_HD void add_coordinate_forces(const T& topology, const P& p, const JointConfiguration<Real, T>& q,
                                     const TreeRates<Real, T>& v, const Taylor<Real>* functions,
                                     TreeRates<Real, T>& forces) {
    if (topology.coordinate_forces() == 0) return;
    CoordinateForceTape<Real, T> tape(topology);
    MYRIAD_EACH(i, topology, coordinate_forces) {
        const CoordinateForce& force = topology.coordinate_force(i);
        forces[force.freedom] = forces[force.freedom] - tape.force(p, force, q, v, functions);
    }
}

// The upper triangle is there where the matrix is not symmetric.
template <class Real, class T, class P>
MYRIAD_HD void add_coordinate_forces_to_matrix(const T& topology, const P& p, const JointConfiguration<Real, T>& q,
                                               const TreeRates<Real, T>& v, const Taylor<Real>* functions, Real c_v,
                                               Real c_q, TreeMatrix<Real, T>& matrix) {
    if (topology.coordinate_forces() == 0) return;
    CoordinateForceTape<Real, T> tape(topology);
    MYRIAD_EACH(i, topology, coordinate_forces) {
        const CoordinateForce& force = topology.coordinate_force(i);
        tape.run(p, force.first, force.end, q, v, functions);
        MYRIAD_UNROLL_PLAN for (int k = force.first_partial; k < force.last_partial; ++k) {
            const PartialDerivative& partial = topology.partial_derivative(k);
            if (partial.place == PartialPlace::outside) continue;
            const bool is_above = partial.place == PartialPlace::above;
            const int entry = is_above ? topology.entry(partial.freedom, force.freedom)
                                       : topology.entry(force.freedom, partial.freedom);
            Real& to = is_above ? matrix.upper[entry] : matrix.lower[entry];
            const Real by(tape.registers[partial.result].value);
            to = fma(partial.by_rate ? -c_v : -c_q, by, to);
        }
    }
}

// W
template <class Real, class T, class P>
MYRIAD_HD void add_power_of_coordinate_forces(const T& topology, const P& p, const JointConfiguration<Real, T>& q,
                                              const TreeRates<Real, T>& v, const Taylor<Real>* functions, Real& power) {
    if (topology.coordinate_forces() == 0) return;
    CoordinateForceTape<Real, T> tape(topology);
    MYRIAD_EACH(i, topology, coordinate_forces) {
        const CoordinateForce& force = topology.coordinate_force(i);
        power = fma(tape.force(p, force, q, v, functions), v[force.freedom], power);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
