// Where an energy-momentum step finds its bodies, and where its equations lie, on a tree whose joints are all cut: each
// link is a body with six freedoms, its frame at the centre of mass along the body's axes.
//
// H has a block for each link. Gradients by columns stand in the saddle point first; those by rows take their place
// once the columns are eliminated (saddle_point.hpp). SI units. Not handled: links that a joint holds.
#pragma once
#include "kernels/joint_coordinates/mechanism.hpp"
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
struct DiscreteLayout {
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Configuration = typename System::Configuration;
    using Velocity = typename System::Velocity;
    using Scratch = typename System::Scratch;
    static constexpr int most_bodies = Topology::most_links;
    struct Room {
        Real by_rows[Topology::most_rows * Topology::most_freedoms];  // as long as the tree has freedoms
    };
    const System& system;
    Scratch& solver;
    Room& room;

    static MYRIAD_HD int bodies(const Topology& topology) { return topology.links(); }
    static MYRIAD_HD Real mass(const System& system, int b) { return system.equations().links().mass(b).mass; }
    static MYRIAD_HD Symmetric3<Real> inertia(const System& system, int b) {
        return system.equations().links().mass(b).inertia;
    }
    static MYRIAD_HD Vec<3, Real> position(const Configuration& q, int b) {
        const int field = q.topology.link(b).field;
        return {q[field], q[field + 1], q[field + 2]};
    }
    static MYRIAD_HD Rotation<Real> orientation(const Configuration& q, int b) {
        return q.rotation(q.topology.link(b).field + 3);
    }
    static MYRIAD_HD void set_pose(Configuration& q, int b, const Vec<3, Real>& position,
                                   const Rotation<Real>& orientation) {
        const int field = q.topology.link(b).field;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) q[field + i] = position[i];
        q.set_rotation(field + 3, orientation);
    }
    static MYRIAD_HD Vec<3, Real> linear(const Velocity& v, int b) {
        return v.turning(v.topology.link(b).freedom);  // three numbers, whatever they mean
    }
    static MYRIAD_HD Vec<3, Real> turning(const Velocity& v, int b) {
        return v.turning(v.topology.link(b).freedom + 3);
    }
    static MYRIAD_HD void set_rates(Velocity& v, int b, const Vec<3, Real>& linear, const Vec<3, Real>& turning) {
        const int freedom = v.topology.link(b).freedom;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) v[freedom + i] = linear[i], v[freedom + 3 + i] = turning[i];
    }

    static MYRIAD_NOINLINE Energies<Real> energies_at(const System& system, const Motion<System>& motion, Real time_s) {
        SeenLinks<Real, Topology> seen;
        seen.look(system, motion.q, motion.v, time_s);
        return joint_energies(system, motion.q, motion.v, seen);
    }

    MYRIAD_HD Bodies<Real, most_bodies>& places() const { return solver.frames; }
    MYRIAD_HD auto stiffness(const Element& e, int k) const { return system.equations().stiffness(e, k); }
    MYRIAD_HD auto damping(const Element& e, int k) const { return system.equations().damping(e, k); }

    MYRIAD_HD void clear() const {
        const Topology& topology = system.topology;
        const Real zero(0.0);
        solver.system.matrix.topology = topology, solver.solution.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.entries(); ++i) solver.system.matrix.lower[i] =
            solver.system.matrix.upper[i] = zero;
        MYRIAD_EACH(r, topology, rows) {
            solver.system.scale[r] = Real(1.0), solver.system.compliance[r] = zero;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) solver.system.gradient_of(r)[i] =
                by_rows(r)[i] = zero;
        }
    }
    static MYRIAD_HD bool has_full_block(int) { return true; }
    MYRIAD_HD void set_entry(int b, int row, int column, Real value) const {
        const int freedom = system.topology.link(b).freedom;
        auto& matrix = solver.system.matrix;
        if (column <= row)
            matrix.lower[system.topology.entry(freedom + row, freedom + column)] = value;
        else
            matrix.upper[system.topology.entry(freedom + column, freedom + row)] = value;
    }
    MYRIAD_HD void set_forces(int b, const Vec<3, Real>& force, const Vec<3, Real>& torque) const {
        set_rates(solver.solution, b, -force, -torque);
    }
    MYRIAD_HD void set_row(int r, Real right_hand_side) const { solver.row_solution[r] = right_hand_side; }
    MYRIAD_HD void set_law(int r) const { solver.system.compliance[r] = Real(1.0); }
    MYRIAD_HD void store_column(const Element& e, int r, int side, const Vec<3, Real>& direction,
                                const Vec<3, Real>& torque) const {
        store(solver.system.gradient_of(r) + system.topology.link(e.body[side]).freedom, direction, torque);
    }
    MYRIAD_HD void store_row(const Element& e, int r, int side, const Vec<3, Real>& direction,
                             const Vec<3, Real>& turn) const {
        store(by_rows(r) + system.topology.link(e.body[side]).freedom, direction, turn);
    }

    // q, a: the end of the step and the unknowns that it belongs to; c_q: of increments.
    MYRIAD_HD Correction<Real> solve(const Configuration& q, const Velocity& a, Real c_q) const {
        const Topology& topology = system.topology;
        const Real zero(0.0), weak_column = solver.system.factor_columns();
        MYRIAD_EACH(r, topology, rows)
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) solver.system.gradient_of(r)[i] =
                by_rows(r)[i];
        const Real weak = solver.system.factor_rows(weak_column);
        solver.system.solve(solver.solution.e, solver.row_solution);
        Correction<Real> correction{zero, zero <= weak};
        system.measure(q, a, solver.solution, c_q, correction);
        correction.by_older_matrix = !true_mask<Real>();
        correction.leave_out_round_off();
        return correction;
    }
    MYRIAD_HD Vec<3, Real> solved_translation(int b) const { return linear(solver.solution, b); }
    MYRIAD_HD Vec<3, Real> solved_rotation(int b) const { return turning(solver.solution, b); }
    MYRIAD_HD Real solved_multiplier(int r) const { return solver.row_solution[r]; }

  private:
    MYRIAD_HD Real* by_rows(int r) const { return room.by_rows + r * system.topology.freedoms(); }
    static MYRIAD_HD void store(Real* entries, const Vec<3, Real>& direction, const Vec<3, Real>& turn) {
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) entries[i] = direction[i], entries[3 + i] = turn[i];
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
