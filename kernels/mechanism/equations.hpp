// The saddle point that puts bodies together: the nearest state that meets the rows, in the norm of the masses.
//
//   [M B^T; B 0] (z, mu) = -(M Z, phi)      positions; Z: the change so far
//   [M B^T; B 0] (z, mu) = -(0, phi')       velocities
//
// The unknown z of a body is (x, z_theta) with r += x, R -> R exp(z_theta), or v += x, w += z_theta. Rows with a law
// are held by mu = 0. World frame; rotations and inertia in the body's, about the centre of mass. Rows: rows.hpp.
#pragma once
#include "kernels/mechanism/elimination.hpp"
#include "kernels/mechanism/reaction_stiffness.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The derivative of the constraints that is to vanish
enum class Level { position, velocity, acceleration };

// Weight of a held velocity's mass. Corrections leave the velocity as it is; by each the open rows fall by about this
// factor.
constexpr double weight_of_held = 1e6;
// Assembly takes a body for no lighter than this share of the heaviest one: pivots of much lighter ones cancel.
constexpr double lightest_share = 1e-5;

// All that one evaluation reads and writes beside parameters; sized by the topology's capacities.
template <class Real, class Topology>
struct Evaluation {
    static constexpr int body_capacity = Topology::most_bodies, row_capacity = Topology::most_rows;
    Bodies<Real, body_capacity> bodies;
    Vec<3, Real> moved[body_capacity], turned[body_capacity];  // by assembly so far, m and rad
    Real right_hand_side[6 * body_capacity + row_capacity];
    Real solution[6 * body_capacity + row_capacity];
};

MYRIAD_HD constexpr int parameters_of_body(int b) { return first_body_parameter + b * body_parameters; }

template <class R, class Topology, class Parameters>
struct Equations {
    using Real = R;
    using Work = Evaluation<Real, Topology>;
    Topology topology;
    const Parameters& p;
    const Taylor<Real>* functions;

    MYRIAD_HD Taylor<Real> function(int index) const {
        return index < 0 ? Taylor<Real>{Real(0.0), Real(0.0), Real(0.0)} : functions[index];
    }
    MYRIAD_NOINLINE Rows<Real> rows(const Element& e, const Bodies<Real, Topology::most_bodies>& bodies,
                                    const Real* turned) const {
        return rows_at(e, bodies, p, function(e.function), e.angle < 0 ? Real(0.0) : turned[e.angle]);
    }
    MYRIAD_HD Real stiffness(const Element& e, int k) const { return p[e.parameter + geometry_parameters(e.kind) + k]; }
    MYRIAD_HD Real damping(const Element& e, int k) const {
        return p[e.parameter + geometry_parameters(e.kind) + rows_of(e.kind) + k];
    }

    // Fills work.right_hand_side and the matrix, of positions or velocities. `pinned`: bodies stay where the file pins
    // them; of velocities, given ones weigh more.
    MYRIAD_NOINLINE void evaluate(Work& work, Level level, bool pinned, const Real* turned, Real* matrix) const {
        const int bodies = topology.bodies();
        const Real heaviest = heaviest_mass();
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) store_body(work, level, pinned, b, heaviest, matrix);
        MYRIAD_EACH(e, topology, elements) add_element(work, level, pinned, topology.element(e), turned, matrix);
    }

    MYRIAD_HD Real heaviest_mass() const {
        Real heaviest(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) heaviest =
            maximum(p[parameters_of_body(b) + body_mass], heaviest);
        return heaviest;
    }
    // What mass and inertia of a body are multiplied by in the norm of assembly.
    MYRIAD_HD Real share_in_norm(int b, Real heaviest) const {
        const Real mass = p[parameters_of_body(b) + body_mass], least = Real(lightest_share) * heaviest;
        return select((Real(0.0) < mass) & (mass < least), least / mass, Real(1.0));
    }

  private:
    MYRIAD_HD void store_body(Work& work, Level level, bool pinned, int b, Real heaviest, Real* matrix) const {
        const int at = parameters_of_body(b);
        const Real mass = p[at + body_mass], share = share_in_norm(b, heaviest);
        const Symmetric3<Real> inertia = symmetric_at<Real>(p, at + body_inertia);
        // Rows of velocities are linear: their corrections are least together without knowing of earlier ones.
        const Real before = level == Level::velocity ? Real(0.0) : share;
        const Vec<3, Real> force = (before * mass) * work.moved[b], torque = before * (inertia * work.turned[b]);
        const auto weight = [&](int bit) {
            const bool holds = pinned && level == Level::velocity && (topology.pinned(b) & bit) != 0;
            return holds ? Real(weight_of_held) * share : share;
        };
        const Mat3<Real> block = fma(weight(holds_angular_velocity), matrix_of(inertia), zero_matrix<Real>());
        const Real translation = weight(holds_velocity) * mass, zero(0.0);
        const bool full = topology.body_slot(b, 0, 1) >= 0;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            work.right_hand_side[6 * b + i] = -force[i];
            work.right_hand_side[6 * b + 3 + i] = -torque[i];
            MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                matrix[topology.body_slot(b, 3 + i, 3 + k)] = block.e[i][k];
                if (full) {
                    matrix[topology.body_slot(b, i, k)] = i == k ? translation : zero;
                    matrix[topology.body_slot(b, i, 3 + k)] = matrix[topology.body_slot(b, 3 + i, k)] = zero;
                } else if (i == k) {
                    matrix[topology.body_slot(b, i, i)] = translation;
                }
            }
        }
    }

    MYRIAD_HD void add_element(Work& work, Level level, bool pinned, const Element& e, const Real* turned,
                               Real* matrix) const {
        if (e.row[0] < 0 && e.row[1] < 0 && e.row[2] < 0) return;
        const Rows<Real> at_rows = rows(e, work.bodies, turned);
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            const int row = e.row[k];
            if (k >= rows_of(e.kind) || row < 0) continue;
            MYRIAD_UNROLL for (int side = 0; side < 2; ++side) if (e.body[side] >= 0)
                store_row(level, pinned, e, at_rows, k, side, matrix);
            Real& right = work.right_hand_side[6 * topology.bodies() + row];
            if (e.has_law)
                right = Real(0.0), matrix[topology.diagonal_slot(row)] = Real(-1.0);
            else if (level == Level::position)
                right = -at_rows.value[k];
            else
                right = -(row_rate(e, at_rows, k, work.bodies) + at_rows.partial_rate[k]);
        }
    }

    // The entries of row k at one of its bodies.
    MYRIAD_HD void store_row(Level level, bool pinned, const Element& e, const Rows<Real>& at_rows, int k, int side,
                             Real* matrix) const {
        const int row = e.row[k], held = pinned && level == Level::position ? topology.pinned(e.body[side]) : 0;
        const Real zero(0.0), sign(side == 0 ? -1.0 : 1.0);
        const auto store = [&](int i, const Real& entry, bool is_held) MYRIAD_INLINE {
            const Real kept = is_held ? zero : entry;
            matrix[topology.column_slot(row, side, i)] = kept;
            matrix[topology.row_slot(row, side, i)] = e.has_law ? zero : kept;
        };
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            if (row_entries(e.kind, k) >> i & 1u) store(i, sign * at_rows.direction[k][i], (held & 1) != 0);
            store(3 + i, at_rows.turn[side][k][i], (held & 2) != 0);
        }
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
