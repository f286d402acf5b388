// Where an energy-momentum step finds its bodies, and where its equations lie: of a mechanism in body coordinates. That
// of a tree whose joints are all cut: kernels/joint_coordinates/energy_momentum_layout.hpp.
//
// A body's six unknowns are (acceleration of the centre, rotation); rows of constraints and laws come behind. Their
// gradients by columns and by rows differ. SI units.
#pragma once
#include "kernels/mechanism/mechanism.hpp"
#include "kernels/mechanism/observe.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System, bool = has_tree<System>>
struct DiscreteLayout {
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Configuration = typename System::Configuration;
    using Velocity = typename System::Velocity;
    using Scratch = typename System::Scratch;
    static constexpr int most_bodies = Topology::most_bodies;
    struct Room {};  // beside the scratch
    const System& system;
    Scratch& solver;
    Room& room;

    static MYRIAD_HD int bodies(const Topology& topology) { return topology.bodies(); }
    static MYRIAD_HD Real mass(const System& system, int b) {
        return system.parameter(parameters_of_body(b) + body_mass);
    }
    static MYRIAD_HD Symmetric3<Real> inertia(const System& system, int b) {
        return symmetric_at<Real>(*system.parameters, parameters_of_body(b) + body_inertia);
    }
    static MYRIAD_HD Vec<3, Real> position(const Configuration& q, int b) { return q.position[b]; }
    static MYRIAD_HD Rotation<Real> orientation(const Configuration& q, int b) { return q.orientation[b]; }
    static MYRIAD_HD void set_pose(Configuration& q, int b, const Vec<3, Real>& position,
                                   const Rotation<Real>& orientation) {
        q.position[b] = position, q.orientation[b] = orientation;
    }
    static MYRIAD_HD Vec<3, Real> linear(const Velocity& v, int b) { return v.linear(b); }
    static MYRIAD_HD Vec<3, Real> turning(const Velocity& v, int b) { return v.turning(b); }
    static MYRIAD_HD void set_rates(Velocity& v, int b, const Vec<3, Real>& linear, const Vec<3, Real>& turning) {
        v.set(b, linear, turning);
    }

    static MYRIAD_NOINLINE Energies<Real> energies_at(const System& system, const Motion<System>& motion, Real time_s) {
        typename System::Places work;
        Taylor<Real> functions[Topology::most_functions];
        system.functions_at(time_s, functions);
        system.place(motion.q, motion.v, work.bodies);
        return energies(system, work.bodies, functions, motion.q.turned);
    }

    // The bodies at the end of the step.
    MYRIAD_HD Bodies<Real, most_bodies>& places() const { return solver.work.bodies; }
    MYRIAD_HD auto stiffness(const Element& e, int k) const {
        return system.equations(solver.functions).stiffness(e, k);
    }
    MYRIAD_HD auto damping(const Element& e, int k) const { return system.equations(solver.functions).damping(e, k); }

    MYRIAD_HD void clear() const {}
    // False: the block has no entries between translation and rotation, and of translation the diagonal alone.
    MYRIAD_HD bool has_full_block(int b) const { return system.topology.body_slot(b, 0, 1) >= 0; }
    MYRIAD_HD void set_entry(int b, int row, int column, Real value) const {
        solver.matrix[system.topology.body_slot(b, row, column)] = value;
    }
    MYRIAD_HD void set_forces(int b, const Vec<3, Real>& force, const Vec<3, Real>& torque) const {
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            solver.work.right_hand_side[6 * b + k] = -force[k];
            solver.work.right_hand_side[6 * b + 3 + k] = -torque[k];
        }
    }
    MYRIAD_HD void set_row(int r, Real right_hand_side) const {
        solver.work.right_hand_side[6 * system.topology.bodies() + r] = right_hand_side;
    }
    MYRIAD_HD void set_law(int r) const { solver.matrix[system.topology.diagonal_slot(r)] = Real(-1.0); }
    MYRIAD_HD void store_column(const Element&, int r, int side, const Vec<3, Real>& direction,
                                const Vec<3, Real>& torque) const {
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            const int linear = system.topology.column_slot(r, side, i),
                      angular = system.topology.column_slot(r, side, 3 + i);
            if (linear >= 0) solver.matrix[linear] = direction[i];
            if (angular >= 0) solver.matrix[angular] = torque[i];
        }
    }
    // The gradient of phi at the end.
    MYRIAD_HD void store_row(const Element&, int r, int side, const Vec<3, Real>& direction,
                             const Vec<3, Real>& turn) const {
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            const int linear = system.topology.row_slot(r, side, i), angular = system.topology.row_slot(r, side, 3 + i);
            if (linear >= 0) solver.matrix[linear] = direction[i];
            if (angular >= 0) solver.matrix[angular] = turn[i];
        }
    }

    // The configuration and the unknowns that it belongs to serve a tree alone. c_q: of increments.
    MYRIAD_HD Correction<Real> solve(const Configuration&, const Velocity&, Real c_q, bool single_precision) const {
        Correction<Real> correction;
        if (single_precision) {
            correction.perturbed = system.solve_in_single_precision(solver);
        } else {
            correction.perturbed = system.topology.template factor<Real>(solver.matrix);
            system.solve(solver.work, solver.matrix);
        }
        correction.square = system.square_of(solver.work, c_q);
        return correction;
    }
    MYRIAD_HD Vec<3, Real> solved_translation(int b) const { return system.solved_translation(solver.work, b); }
    MYRIAD_HD Vec<3, Real> solved_rotation(int b) const { return system.solved_rotation(solver.work, b); }
    MYRIAD_HD Real solved_multiplier(int r) const { return solver.work.solution[6 * system.topology.bodies() + r]; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
