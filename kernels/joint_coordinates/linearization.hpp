// The linear equations of a mechanism in joint coordinates about its equilibrium q, at rest.
//
//   M u'' + D u' + K u + J^T mu = 0,  J u = 0        u: small displacements along the freedoms of the tree
//   M, D, K = dr/dv', dr/dv, dr/du,  J = dphi/du     r(q, v, v', lambda), phi: equations.hpp, lambda: those at rest
//   row with a law, lambda = k phi + d phi':  K += B^T dlambda/du,  D += B^T dlambda/dv
//
// The derivatives are exact: the equations on dual numbers (kernels/math/dual.hpp), one evaluation for a column of
// each matrix. K has the geometric stiffness of all forces and rows. Functions of time stand still at time 0, and what
// a driver prescribes does not move: its rows and columns are those of the identity in M and zero in all else. Units:
// those of the freedoms, m or rad, and of the forces along them. Not handled: motions about a state that is not at
// rest.
#pragma once
#include "kernels/joint_coordinates/equilibrium.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// By rows; large, hence never on the stack.
template <class System>
struct JointLinearEquations {
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    static constexpr int most_freedoms = Topology::most_freedoms, most_rows = Topology::most_rows;

    // [freedom][freedom], and of constraints [row][freedom]
    Real mass[most_freedoms * most_freedoms], damping[most_freedoms * most_freedoms],
        stiffness[most_freedoms * most_freedoms], gradient[most_rows * most_freedoms];
    int freedoms = 0, constraints = 0;

    // False in lanes where the forces and rows at q have no finite solution.
    MYRIAD_NOINLINE MaskOf<Real> linearize(const System& system, typename System::Scratch& scratch,
                                           const typename System::Configuration& q) {
        const Topology& topology = system.topology;
        const auto equations = system.equations();
        const Real zero(0.0), one(1.0);
        freedoms = topology.freedoms();
        still_functions(system, scratch);
        typename System::Velocity still;
        system.set_still(still);
        Real multipliers[most_rows];
        for (int r = 0; r < topology.rows(); ++r) multipliers[r] = zero;
        equations.evaluate(q, still, still, multipliers, {zero, zero, one, Level::acceleration, true, true}, scratch);
        const Real weak = scratch.system.factor();
        scratch.system.solve(scratch.solution.e, scratch.row_solution);
        Real sum(0.0);
        for (int r = 0; r < topology.rows(); ++r)
            multipliers[r] = scratch.row_solution[r], sum = sum + absolute(multipliers[r]);
        find_laws(topology);
        differentiate(system, scratch, q, multipliers);
        for (int i = 0; i < freedoms * freedoms; ++i)
            sum = sum + absolute(mass[i]) + absolute(damping[i]) + absolute(stiffness[i]);
        return (weak < zero) & is_finite(sum);
    }

  private:
    using D = Dual<Real>;

    JointConfiguration<D, Topology> dual_q_;
    TreeRates<D, Topology> dual_v_, dual_a_;
    D dual_multipliers_[most_rows];
    JointScratch<D, Topology> dual_scratch_;
    bool has_law_[most_rows];
    Real by_law_[most_freedoms * most_rows];  // [freedom][row]: dr/dlambda

    void find_laws(const Topology& topology) {
        constraints = 0;
        for (int r = 0; r < topology.rows(); ++r) has_law_[r] = false;
        for (int e = 0; e < topology.elements(); ++e)
            for (int k = 0; k < rows_of(topology.element(e).kind); ++k)
                if (topology.element(e).row[k] >= 0) has_law_[topology.element(e).row[k]] = topology.element(e).has_law;
        for (int r = 0; r < topology.rows(); ++r) constraints += has_law_[r] ? 0 : 1;
    }

    void differentiate(const System& system, const typename System::Scratch& scratch,
                       const typename System::Configuration& q, const Real* multipliers) {
        const Topology& topology = system.topology;
        const Real zero(0.0), one(1.0);
        dual_q_.fit(topology), dual_v_.fit(topology), dual_a_.fit(topology);
        for (int i = 0; i < topology.fields(); ++i) dual_q_[i] = {q[i], zero};
        for (int i = 0; i < topology.angles(); ++i) dual_q_.turned[i] = {q.turned[i], zero};
        for (int i = 0; i < freedoms; ++i) dual_v_[i] = dual_a_[i] = {zero, zero};
        for (int r = 0; r < topology.rows(); ++r) dual_multipliers_[r] = {multipliers[r], zero};
        for (int i = 0; i < topology.functions(); ++i)
            dual_scratch_.functions[i] = {{scratch.functions[i].value, zero}, {zero, zero}, {zero, zero}};
        for (int r = 0; r < topology.rows(); ++r) {
            if (!has_law_[r]) continue;
            dual_multipliers_[r].slope = one;
            evaluate(system);
            for (int i = 0; i < freedoms; ++i) by_law_[i * most_rows + r] = dual_scratch_.forces[i].slope;
            dual_multipliers_[r].slope = zero;
        }
        for (int column = 0; column < freedoms; ++column) {
            dual_a_[column].slope = one;
            evaluate(system);
            take(topology, column, mass, false);
            dual_a_[column].slope = zero, dual_v_[column].slope = one;
            evaluate(system);
            take(topology, column, damping, false);
            dual_v_[column].slope = zero;
            displace(q, column, one);
            evaluate(system);
            take(topology, column, stiffness, true);
            displace(q, column, zero);
        }
        for (int i = 0; i < topology.prescribed(); ++i) {
            const int held = topology.prescribed_coordinate(i).freedom;
            for (int k = 0; k < freedoms; ++k) {
                mass[held * freedoms + k] = mass[k * freedoms + held] = Real(k == held ? 1.0 : 0.0);
                for (Real* matrix : {damping, stiffness})
                    matrix[held * freedoms + k] = matrix[k * freedoms + held] = zero;
            }
            for (int r = 0; r < constraints; ++r) gradient[r * freedoms + held] = zero;
        }
    }

    void evaluate(const System& system) {
        const JointEquations<D, Topology, typename System::Parameters> dual{system.topology, *system.parameters};
        dual.evaluate(dual_q_, dual_v_, dual_a_, dual_multipliers_,
                      {D(0.0), D(1.0), D(1.0), Level::position, true, false}, dual_scratch_);
    }

    // A column of a matrix, with what rows with a law answer; the right-hand sides of rows are -phi and
    // lambda - k phi - d phi'.
    void take(const Topology& topology, int column, Real* matrix, bool with_gradient) {
        for (int i = 0; i < freedoms; ++i) {
            Real sum = dual_scratch_.forces[i].slope;
            for (int r = 0; r < topology.rows(); ++r)
                if (has_law_[r]) sum = fma(-by_law_[i * most_rows + r], dual_scratch_.row_solution[r].slope, sum);
            matrix[i * freedoms + column] = sum;
        }
        if (!with_gradient) return;
        for (int r = 0, place = 0; r < topology.rows(); ++r)
            if (!has_law_[r]) gradient[place++ * freedoms + column] = -dual_scratch_.row_solution[r].slope;
    }

    // Gives the fields of a freedom the slope of a displacement by `size` along it.
    void displace(const typename System::Configuration& q, int freedom, const Real& size) {
        const Topology& topology = q.topology;
        const TreeLink& link = topology.link(topology.link_of_freedom(freedom));
        const int part = freedom - link.freedom - link.slides, field = link.field + link.slides;
        if (part < 0 || link.turning == TreeTurning::about_z) {
            dual_q_[topology.field_of(freedom)].slope = size;
            return;
        }
        const Vec<3, Real> half = (Real(0.5) * size) * unit_vector<Real>(part);
        const Rotation<Real> slope = q.rotation(field) * Rotation<Real>{Real(0.0), half[0], half[1], half[2]};
        dual_q_[field].slope = slope.w, dual_q_[field + 1].slope = slope.x;
        dual_q_[field + 2].slope = slope.y, dual_q_[field + 3].slope = slope.z;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
