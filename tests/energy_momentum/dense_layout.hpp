// Where the equations of a step lie in these tests: in a dense matrix, of bodies one after the other and rows behind.
#pragma once
#include <Eigen/Dense>

#include "kernels/mechanism/energy_momentum/energy_momentum.hpp"
#include "tests/energy_momentum/two_bodies.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <>
struct DiscreteLayout<mechanism::TwoBodies::System> {
    using System = mechanism::TwoBodies::System;
    using Topology = System::Topology;
    static constexpr int most_bodies = Topology::most_bodies;
    struct Room {
        Eigen::MatrixXd matrix;
        Eigen::VectorXd right_hand_side;
    };
    const System& system;
    System::Scratch& solver;
    Room& room;

    static int bodies(const Topology& topology) { return topology.bodies(); }
    static double mass(const System& system, int b) { return system.parameter(parameters_of_body(b) + body_mass); }
    static Symmetric3<double> inertia(const System& system, int b) {
        return symmetric_at<double>(*system.parameters, parameters_of_body(b) + body_inertia);
    }
    static Vec<3, double> position(const System::Configuration& q, int b) { return q.position[b]; }
    static Rotation<double> orientation(const System::Configuration& q, int b) { return q.orientation[b]; }
    static void set_pose(System::Configuration& q, int b, const Vec<3, double>& position,
                         const Rotation<double>& orientation) {
        q.position[b] = position, q.orientation[b] = orientation;
    }
    static Vec<3, double> linear(const System::Velocity& v, int b) { return v.linear(b); }
    static Vec<3, double> turning(const System::Velocity& v, int b) { return v.turning(b); }

    Bodies<double, most_bodies>& places() const { return solver.work.bodies; }
    double stiffness(const Element& e, int k) const { return system.equations(solver.functions).stiffness(e, k); }
    double damping(const Element& e, int k) const { return system.equations(solver.functions).damping(e, k); }

    int row_of(int r) const { return 6 * system.topology.bodies() + r; }
    void clear() const {
        const int unknowns = row_of(system.topology.rows());
        room.matrix = Eigen::MatrixXd::Zero(unknowns, unknowns), room.right_hand_side = Eigen::VectorXd::Zero(unknowns);
    }
    static bool has_full_block(int) { return true; }
    void set_entry(int b, int row, int column, double value) const { room.matrix(6 * b + row, 6 * b + column) = value; }
    void set_forces(int b, const Vec<3, double>& force, const Vec<3, double>& torque) const {
        for (int k = 0; k < 3; ++k)
            room.right_hand_side[6 * b + k] = -force[k], room.right_hand_side[6 * b + 3 + k] = -torque[k];
    }
    void set_row(int r, double right_hand_side) const { room.right_hand_side[row_of(r)] = right_hand_side; }
    void set_law(int r) const { room.matrix(row_of(r), row_of(r)) = -1.0; }
    void store_column(const Element& e, int r, int side, const Vec<3, double>& direction,
                      const Vec<3, double>& torque) const {
        for (int i = 0; i < 3; ++i) {
            room.matrix(6 * e.body[side] + i, row_of(r)) = direction[i];
            room.matrix(6 * e.body[side] + 3 + i, row_of(r)) = torque[i];
        }
    }
    void store_row(const Element& e, int r, int side, const Vec<3, double>& direction,
                   const Vec<3, double>& turn) const {
        for (int i = 0; i < 3; ++i) {
            room.matrix(row_of(r), 6 * e.body[side] + i) = direction[i];
            room.matrix(row_of(r), 6 * e.body[side] + 3 + i) = turn[i];
        }
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
