// The whole derivative of the equations in joint coordinates, column by column: the equations themselves on dual
// numbers (kernels/math/dual.hpp), and its solution.
//
//   [dr/dz  dr/dlambda; -dg/dz  -dg/dlambda] (z, x) = (-r, g),   dv' = z, dv = c_v z, dq: local coordinates u + c_q z
//
// r: the residual of the freedoms, g: the right-hand sides of the rows (equations.hpp). An orientation turns by
// T_exp(u) c_q z. The matrix is eliminated without exchanges, freedoms from the leaves first. It costs as many
// evaluations as there are unknowns. Not handled: sparsity.
#pragma once
#include "kernels/joint_coordinates/equations.hpp"
#include "kernels/math/dual.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Gives the orientation at `field` the slope of a rotation by twice `half` in its own axes, rad.
template <class Real, class T>
MYRIAD_HD void turn_orientation(const JointConfiguration<Real, T>& q, int field, const Vec<3, Real>& half,
                                JointConfiguration<Dual<Real>, T>& dual) {
    const Rotation<Real> slope = q.rotation(field) * Rotation<Real>{Real(0.0), half[0], half[1], half[2]};
    dual[field].slope = slope.w, dual[field + 1].slope = slope.x;
    dual[field + 2].slope = slope.y, dual[field + 3].slope = slope.z;
}

// Slopes of the state at the end of a step, by local coordinates u, along the unknown of a freedom.
template <class R, class T>
struct StepSlopes {
    using Real = R;
    using D = Dual<Real>;
    const T& topology;
    const JointConfiguration<Real, T>& q;
    const TreeRates<Real, T>& u;
    Real velocity, position;  // c_v, c_q

    // Gives the state the slopes of `size` times the unknown; 0 takes them back.
    MYRIAD_HD void set(int freedom, Real size, JointConfiguration<D, T>& dual_q, TreeRates<D, T>& dual_v,
                       TreeRates<D, T>& dual_a) const {
        turn(size * position, freedom, dual_q);
        dual_v[freedom].slope = size * velocity, dual_a[freedom].slope = size;
    }

  private:
    // Gives the fields of a freedom the slope of a displacement by `size` along it.
    MYRIAD_HD void turn(Real size, int freedom, JointConfiguration<D, T>& dual) const {
        const TreeLink& link = topology.link(topology.link_of_freedom(freedom));
        const int part = freedom - link.freedom - link.slides;
        if (part < 0 || link.turning == TreeTurning::about_z) {
            dual[topology.field_of(freedom)].slope = size;
            return;
        }
        const int field = link.field + link.slides;
        turn_orientation(q, field,
                         tangent(u.turning(link.freedom + link.slides), (Real(0.5) * size) * unit_vector<Real>(part)),
                         dual);
    }
};

template <class R, class T, class P>
struct ExactMatrix {
    using Real = R;
    using Scratch = JointScratch<Real, T>;
    using Rates = TreeRates<Real, T>;
    using Configuration = JointConfiguration<Real, T>;
    static constexpr int most = T::most_freedoms + T::most_rows;
    const JointEquations<Real, T, P>& equations;
    Real entries[most * most];  // as long as there are unknowns

    MYRIAD_HD explicit ExactMatrix(const JointEquations<Real, T, P>& given) : equations(given) {}

    // s.solution and s.row_solution become z and x. u: the step's local coordinates. Returns the place of the first
    // weak pivot, as SaddlePoint::factor does.
    MYRIAD_NOINLINE Real solve(const Configuration& q, const Rates& v, const Rates& a, const Rates& u,
                               const Real* multipliers, const JointLinearization<Real>& by, Scratch& s) {
        fill(q, v, a, multipliers, by, s, StepSlopes<Real, T>{equations.topology, q, u, by.velocity, by.position});
        return eliminate(s);
    }
    // The same of residuals without rates. Also tells where the symmetric part is positive along all that the rows
    // leave free.
    MYRIAD_NOINLINE MaskOf<Real> solve_at_rest(const Configuration& q, const Rates& still, const Real* multipliers,
                                               const JointLinearization<Real>& by, Scratch& s) {
        fill(q, still, still, multipliers, by, s,
             StepSlopes<Real, T>{equations.topology, q, still, by.velocity, by.position});
        const MaskOf<Real> positive = is_positive();
        eliminate(s);
        return positive;
    }

    MYRIAD_HD int freedoms() const { return equations.topology.freedoms(); }
    MYRIAD_HD int unknowns() const { return freedoms() + equations.topology.rows(); }
    // Equation and unknown k in the order of elimination
    MYRIAD_HD int in_order(int k) const { return k < freedoms() ? freedoms() - 1 - k : k; }
    MYRIAD_HD Real& at(int row, int column) { return entries[row * unknowns() + column]; }

    // The entries, row by row. `slopes`: a StepSlopes, or how the unknowns of another chart change the state.
    template <class Slopes>
    MYRIAD_HD void fill(const Configuration& q, const Rates& v, const Rates& a, const Real* multipliers,
                        const JointLinearization<Real>& by, const Scratch& s, const Slopes& slopes) {
        using D = Dual<Real>;
        const T& topology = equations.topology;
        const Real zero(0.0), one(1.0);
        const JointEquations<D, T, P> dual{topology, equations.p};
        JointConfiguration<D, T> dual_q;
        TreeRates<D, T> dual_v, dual_a;
        D dual_multipliers[T::most_rows];
        JointScratch<D, T> dual_s;
        dual_q.fit(topology), dual_v.fit(topology), dual_a.fit(topology);
        for (int i = 0; i < topology.fields(); ++i) dual_q[i] = {q[i], zero};
        for (int i = 0; i < topology.angles(); ++i) dual_q.turned[i] = {q.turned[i], zero};
        for (int i = 0; i < freedoms(); ++i) dual_v[i] = {v[i], zero}, dual_a[i] = {a[i], zero};
        for (int r = 0; r < topology.rows(); ++r) dual_multipliers[r] = {multipliers[r], zero};
        for (int i = 0; i < topology.functions(); ++i) {
            const Taylor<Real>& f = s.functions[i];
            dual_s.functions[i] = {{f.value, zero}, {f.rate, zero}, {f.acceleration, zero}};
        }
        const JointLinearization<D> dual_by{
            {by.velocity, zero}, {by.position, zero}, {by.inverse_position, zero}, by.level, by.forces, false};
        for (int column = 0; column < unknowns(); ++column) {
            if (column < freedoms()) {
                slopes.set(column, one, dual_q, dual_v, dual_a);
            } else {
                dual_multipliers[column - freedoms()].slope = one;
            }
            dual.evaluate(dual_q, dual_v, dual_a, dual_multipliers, dual_by, dual_s);
            for (int i = 0; i < freedoms(); ++i) at(i, column) = dual_s.forces[i].slope;
            for (int r = 0; r < topology.rows(); ++r) at(freedoms() + r, column) = -dual_s.row_solution[r].slope;
            if (column < freedoms()) {
                slopes.set(column, zero, dual_q, dual_v, dual_a);
            } else {
                dual_multipliers[column - freedoms()].slope = zero;
            }
        }
        for (int i = 0; i < topology.prescribed(); ++i) {
            const int held = topology.prescribed_coordinate(i).freedom;
            for (int k = 0; k < unknowns(); ++k) at(held, k) = at(k, held) = Real(k == held ? 1.0 : 0.0);
        }
    }

  private:
    // Where pivots below zero are round-off, as a share of their rows.
    static MYRIAD_HD Real least_negative_pivot() { return constant<Real>(1e-9, 1e-4); }

    // By Sylvester's law of inertia each row has one negative pivot then, and nothing else has.
    MYRIAD_HD MaskOf<Real> is_positive() const {
        const int count = unknowns(), from = freedoms();
        ExactMatrix part(equations);
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < count; ++k)
                part.at(i, k) = i < from && k < from ? Real(0.5) * (entries[i * count + k] + entries[k * count + i])
                                                     : entries[i * count + k];
        Real negative(0.0);
        for (int step = 0; step < count; ++step) {
            const int k = in_order(step);
            Real size(0.0);
            for (int c = 0; c < count; ++c) size = maximum(absolute(part.at(k, c)), size);
            const Real least = k < from ? least_negative_pivot() * size : Real(0.0);
            negative = negative + select(part.at(k, k) < -least, Real(1.0), Real(0.0));
            const Real reciprocal = Real(1.0) / part.at(k, k);
            for (int below = step + 1; below < count; ++below) {
                const int i = in_order(below);
                const Real factor = part.at(i, k) * reciprocal;
                for (int beside = step + 1; beside < count; ++beside) {
                    const int j = in_order(beside);
                    part.at(i, j) = fma(-factor, part.at(k, j), part.at(i, j));
                }
            }
        }
        return negative <= Real(static_cast<double>(count - from));
    }

    MYRIAD_HD Real eliminate(Scratch& s) {
        const int count = unknowns(), from = freedoms();
        Real weak(-1.0);
        const auto right = [&](int k) -> Real& { return k < from ? s.solution[k] : s.row_solution[k - from]; };
        for (int step = 0; step < count; ++step) {
            const int k = in_order(step);
            Real size(0.0);
            for (int c = 0; c < count; ++c) size = maximum(absolute(at(k, c)), size);
            weak = first_weak_pivot(k, weakest_pivot<Real>() * size < absolute(at(k, k)), weak);
            const Real reciprocal = Real(1.0) / at(k, k);
            for (int below = step + 1; below < count; ++below) {
                const int i = in_order(below);
                const Real factor = at(i, k) * reciprocal;
                for (int beside = step + 1; beside < count; ++beside) {
                    const int j = in_order(beside);
                    at(i, j) = fma(-factor, at(k, j), at(i, j));
                }
                right(i) = fma(-factor, right(k), right(i));
            }
        }
        for (int step = count - 1; step >= 0; --step) {
            const int k = in_order(step);
            Real sum = right(k);
            for (int beside = step + 1; beside < count; ++beside)
                sum = fma(-at(k, in_order(beside)), right(in_order(beside)), sum);
            right(k) = sum / at(k, k);
        }
        return weak;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
