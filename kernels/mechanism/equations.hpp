// One evaluation of a mechanism's equations: residual and, where asked for, the matrix of a Newton correction.
//
//   m a - m g + sum +-D^T lambda - F = 0              world frame                     rA paper eq. 40, lgim eq. 39
//   J w' + w x J w + sum g^T lambda - T = 0           body frame; inertia about the centre of mass
//   constraint: phi = 0 (or phi' = 0, phi'' = 0)      law: lambda - k phi - d phi' = 0
//
// The unknown z of a body is (x, z_theta) with r += c_q x, v += c_v x, a += c_a x, R -> R exp(c_q z_theta), w += V
// z_theta, w' += A z_theta (implicit_chart.hpp); constraint rows are divided by c_q, so that every block is of order
// one whatever the step (Bottasso's scaling). A row's stiffness is kept in the block of the body that it acts on. Its
// coupling between two bodies is left out: that changes the number of iterations, not their limit.
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

// The variables of a Newton correction. Uniform over lanes: all instances take the same step.
template <class Real>
struct Linearization {
    Real acceleration, velocity, position;  // c_a, c_v, c_q
    Real inverse_position;                  // 1 / c_q, or 1 where no position changes
    Level level;
    bool forces;     // false: the bodies' equations are those of the nearest consistent state, M dz = 0
    bool pinned;     // true: bodies stay where the file pins them; of velocities, given ones weigh more
    bool full_maps;  // false: A = c_a I and V = c_v I for every body
    bool with_matrix;
};

// A body's block of the matrix, without the mass of its translation.
template <class Real>
struct BodyStiffness {
    Mat3<Real> rotation, translation, translation_rotation, rotation_translation;
};

// All that one evaluation reads and writes beside parameters; sized by the topology's capacities.
template <class Real, class Topology>
struct Evaluation {
    static constexpr int body_capacity = Topology::most_bodies, row_capacity = Topology::most_rows;
    Bodies<Real, body_capacity> bodies;
    Vec<3, Real> acceleration[body_capacity], angular_acceleration[body_capacity];
    Mat3<Real> acceleration_map[body_capacity], velocity_map[body_capacity];  // A, V; read where full_maps
    Vec<3, Real> moved[body_capacity], turned[body_capacity];                 // by assembly so far, m and rad
    Real right_hand_side[6 * body_capacity + row_capacity];
    Real solution[6 * body_capacity + row_capacity];
};

MYRIAD_HD constexpr int parameters_of_body(int b) { return first_body_parameter + b * body_parameters; }

template <class R, class Topology, class Parameters>
struct Equations {
    using Real = R;
    using Work = Evaluation<Real, Topology>;
    static constexpr unsigned kinds = element_kinds<Topology>();
    Topology topology;
    const Parameters& p;
    const Taylor<Real>* functions;

    MYRIAD_HD Taylor<Real> function(int index) const {
        return index < 0 ? Taylor<Real>{Real(0.0), Real(0.0), Real(0.0)} : functions[index];
    }
    // The rows for all but the hot path, which has its own copy of rows_at.
    MYRIAD_NOINLINE Rows<Real> rows(const Element& e, const Bodies<Real, Topology::most_bodies>& bodies,
                                    const Real* turned) const {
        return rows_at<kinds>(e, bodies, p, function(e.function), e.angle < 0 ? Real(0.0) : turned[e.angle]);
    }
    MYRIAD_HD Real stiffness(const Element& e, int k) const { return p[e.parameter + geometry_parameters(e.kind) + k]; }
    MYRIAD_HD Real damping(const Element& e, int k) const {
        return p[e.parameter + geometry_parameters(e.kind) + rows_of(e.kind) + k];
    }

    // Fills work.right_hand_side, minus the residual, and the matrix. `of_step`: the caller vouches for a step's
    // equations (forces, position level, nothing pinned), and the code need not ask.
    template <bool of_step = false>
    MYRIAD_NOINLINE void evaluate(Work& work, const Linearization<Real>& given, const Real* multiplier,
                                  const Real* turned, Real* matrix) const {
        Linearization<Real> by = given;
        if (of_step) by.level = Level::position, by.forces = true, by.pinned = false;
        // A copy that no store of a Real can change, as far as the compiler knows.
        const Equations here = *this;
        here.template fill<of_step>(work, by, multiplier, turned, matrix);
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
    template <bool of_step>
    MYRIAD_HD void fill(Work& work, const Linearization<Real>& by, const Real* multiplier, const Real* turned,
                        Real* matrix) const {
        const int bodies = topology.bodies(), elements = topology.elements();
        Vec<3, Real> force[Work::body_capacity], torque[Work::body_capacity];  // the residuals
        BodyStiffness<Real> stiff[Work::body_capacity];
        const Real heaviest = by.forces ? Real(0.0) : heaviest_mass();
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b)
            start_body(work, by, b, heaviest, force[b], torque[b], stiff[b]);
        if (by.forces)
            MYRIAD_EACH(l, topology, loads) add_load(work, topology.load(l), force, torque, stiff);
        MYRIAD_UNROLL_PLAN for (int e = 0; e < elements; ++e)
            add_element<of_step>(work, by, topology.element(e), multiplier, turned, force, torque, stiff, matrix);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
                work.right_hand_side[6 * b + i] = -force[b][i];
                work.right_hand_side[6 * b + 3 + i] = -torque[b][i];
            }
            if (by.with_matrix) store_body(work, by, b, heaviest, stiff[b], matrix);
        }
    }

    MYRIAD_HD bool has_full_block(int b) const { return topology.body_slot(b, 0, 1) >= 0; }

    MYRIAD_HD void start_body(const Work& work, const Linearization<Real>& by, int b, Real heaviest,
                              Vec<3, Real>& force, Vec<3, Real>& torque, BodyStiffness<Real>& stiff) const {
        const int at = parameters_of_body(b);
        const Real mass = p[at + body_mass];
        const Symmetric3<Real> inertia = symmetric_at<Real>(p, at + body_inertia);
        if (by.forces) {
            const Vec<3, Real> w = work.bodies.of[b].angular_velocity;
            force = mass * (work.acceleration[b] - vector_at<Real>(p, gravity_parameter));
            torque = add_cross(w, inertia * w, inertia * work.angular_acceleration[b]);
        } else {
            // Rows of velocities are linear: their corrections are least together without knowing of earlier ones.
            const Real share = by.level == Level::velocity ? Real(0.0) : share_in_norm(b, heaviest);
            force = (share * mass) * work.moved[b], torque = share * (inertia * work.turned[b]);
        }
        if (!by.with_matrix) return;
        stiff.rotation = zero_matrix<Real>();
        if (has_full_block(b))
            stiff.translation = stiff.translation_rotation = stiff.rotation_translation = zero_matrix<Real>();
    }

    MYRIAD_HD void store_body(const Work& work, const Linearization<Real>& by, int b, Real heaviest,
                              const BodyStiffness<Real>& stiff, Real* matrix) const {
        const int at = parameters_of_body(b);
        const Symmetric3<Real> inertia = symmetric_at<Real>(p, at + body_inertia);
        const Vec<3, Real> w = work.bodies.of[b].angular_velocity;
        const Mat3<Real> j = matrix_of(inertia);
        Mat3<Real> gyroscopic;  // d(w x J w)/dw = w~ J - (J w)~
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            const Vec<3, Real> column = cross(w, row_of(j, k));
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) gyroscopic.e[i][k] = column[i];
        }
        add_skew(gyroscopic, Real(-1.0), inertia * w);
        Mat3<Real> block;
        if (by.full_maps)
            block = fma(Real(1.0), j * work.acceleration_map[b], gyroscopic * work.velocity_map[b]);
        else
            block = fma(by.velocity, gyroscopic, fma(by.acceleration, j, zero_matrix<Real>()));
        Real translation = by.acceleration * p[at + body_mass];
        if (!by.forces) {
            const bool holds = by.pinned && by.level == Level::velocity;
            const auto weight = [&](int bit) {
                const Real share = share_in_norm(b, heaviest);
                return holds && (topology.pinned(b) & bit) ? Real(weight_of_held) * share : share;
            };
            block = fma(weight(holds_angular_velocity), j, zero_matrix<Real>());
            translation = weight(holds_velocity) * translation;
        }
        const bool full = has_full_block(b);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            matrix[topology.body_slot(b, 3 + i, 3 + k)] = fma(by.position, stiff.rotation.e[i][k], block.e[i][k]);
            if (full) {
                const Real inertial = i == k ? translation : Real(0.0);
                matrix[topology.body_slot(b, i, k)] = fma(by.position, stiff.translation.e[i][k], inertial);
                matrix[topology.body_slot(b, i, 3 + k)] = by.position * stiff.translation_rotation.e[i][k];
                matrix[topology.body_slot(b, 3 + i, k)] = by.position * stiff.rotation_translation.e[i][k];
            } else if (i == k) {
                matrix[topology.body_slot(b, i, i)] = translation;
            }
        }
    }

    MYRIAD_HD void add_load(const Work& work, const Load& load, Vec<3, Real>* force, Vec<3, Real>* torque,
                            BodyStiffness<Real>* stiff) const {
        const int b = load.body;
        const Vec<3, Real> given{function(load.function[0]).value, function(load.function[1]).value,
                                 function(load.function[2]).value};
        const Mat3<Real>& orientation = work.bodies.of[b].matrix;
        if (load.kind == LoadKind::torque_body) {
            torque[b] = torque[b] - given;
        } else if (load.kind == LoadKind::torque_world) {
            const Vec<3, Real> in_body = transposed_times(orientation, given);
            torque[b] = torque[b] - in_body;
            add_skew(stiff[b].rotation, Real(-1.0), in_body);
        } else {
            const Vec<3, Real> lever = vector_at<Real>(p, load.parameter);
            if (load.kind == LoadKind::force_world) {
                const Vec<3, Real> in_body = transposed_times(orientation, given);
                force[b] = force[b] - given;
                torque[b] = torque[b] - cross(lever, in_body);
                add_lever_stiffness(stiff[b].rotation, Real(-1.0), lever, in_body);
            } else {
                force[b] = force[b] - orientation * given;
                torque[b] = torque[b] - cross(lever, given);
                stiff[b].translation_rotation =
                    fma(Real(1.0), orientation * skew(given), stiff[b].translation_rotation);
            }
        }
    }

    // lambda d(B^T)/dq on the body itself.
    MYRIAD_HD void add_stiffness(const Element& e, int side, const Rows<Real>& rows, const Vec<3, Real>& lambda,
                                 const Mat3<Real>& orientation, BodyStiffness<Real>& stiff) const {
        add_reaction_stiffness<kinds>(e, side, rows, lambda, p, orientation, stiff.rotation);
        if (is_among(kinds, ElementKind::dot_2) && e.kind == ElementKind::dot_2 && side == 0) {
            const Mat3<Real> turned = orientation * skew(lambda[0] * rows.vector[0]);
            stiff.translation_rotation = fma(Real(1.0), turned, stiff.translation_rotation);
            stiff.rotation_translation = fma(Real(1.0), transpose(turned), stiff.rotation_translation);
        }
        if (is_among(kinds, ElementKind::distance) && e.kind == ElementKind::distance) {
            const Mat3<Real> across = across_distance(rows, lambda[0]);
            const Mat3<Real> coupled = across * (orientation * skew(rows.vector[side]));
            stiff.translation = fma(Real(1.0), across, stiff.translation);
            stiff.translation_rotation = fma(Real(-1.0), coupled, stiff.translation_rotation);
            stiff.rotation_translation = fma(Real(-1.0), transpose(coupled), stiff.rotation_translation);
        }
    }

    // In a step on a CPU each kind of element is compiled twice, with a law and without. This code never tests what the
    // kind does not have. On a GPU an element is a constant, or the code is to be small.
    template <bool of_step>
    MYRIAD_HD void add_element(Work& work, const Linearization<Real>& by, const Element& e, const Real* multiplier,
                               const Real* turned, Vec<3, Real>* force, Vec<3, Real>* torque,
                               BodyStiffness<Real>* stiff, Real* matrix) const {
        if (e.row[0] < 0 && e.row[1] < 0 && e.row[2] < 0) return;
#if !defined(__CUDACC_RTC__)
        if constexpr (of_step) {
            with_kind(e.kind, [&](auto kind) MYRIAD_INLINE {
                Element same = e;
                same.kind = decltype(kind)::value, same.has_law = true;
                if (e.has_law) return add_rows(work, by, same, multiplier, turned, force, torque, stiff, matrix);
                same.has_law = false;
                add_rows(work, by, same, multiplier, turned, force, torque, stiff, matrix);
            });
            return;
        }
#endif
        add_rows(work, by, e, multiplier, turned, force, torque, stiff, matrix);
    }

    MYRIAD_HD void add_rows(Work& work, const Linearization<Real>& by, const Element& e, const Real* multiplier,
                            const Real* turned, Vec<3, Real>* force, Vec<3, Real>* torque, BodyStiffness<Real>* stiff,
                            Real* matrix) const {
        const int count = rows_of(e.kind);
        const Rows<Real> at_rows =
            rows_at<kinds>(e, work.bodies, p, function(e.function), e.angle < 0 ? Real(0.0) : turned[e.angle]);
        Vec<3, Real> lambda{};
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            if (by.forces && k < count && e.row[k] >= 0) lambda[k] = multiplier[e.row[k]];
        }
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            if (by.forces) {
                Vec<3, Real> pushed = force[b], turning = torque[b];
                MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                    if (k >= count || e.row[k] < 0) continue;
                    turning = fma(lambda[k], at_rows.turn[side][k], turning);
                    add_direction(e.kind, k, side == 0 ? -lambda[k] : lambda[k], at_rows.direction[k], pushed);
                }
                torque[b] = turning;
                if (row_entries(e.kind, 0) & 7u) force[b] = pushed;
                if (by.with_matrix) add_stiffness(e, side, at_rows, lambda, work.bodies.of[b].matrix, stiff[b]);
            }
            if (by.with_matrix)
                MYRIAD_UNROLL for (int k = 0; k < 3; ++k) if (k < count && e.row[k] >= 0)
                    store_row(work, by, e, at_rows, k, side, matrix);
        }
        const Vec<3, Real> bias = by.level == Level::acceleration && !e.has_law
                                      ? row_bias<kinds>(e, work.bodies, p, function(e.function))
                                      : Vec<3, Real>{};
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            const int row = e.row[k];
            if (k >= count || row < 0) continue;
            work.right_hand_side[6 * topology.bodies() + row] =
                e.has_law ? law_right_hand_side(work, by, e, at_rows, k, lambda[k])
                          : constraint_right_hand_side(work, by, e, at_rows, bias, k);
            if (e.has_law && by.with_matrix) matrix[topology.diagonal_slot(row)] = Real(-1.0);
        }
    }

    // force + scale * direction; the axes of a point row and the absent directions of angles cost nothing.
    static MYRIAD_HD void add_direction(ElementKind kind, int k, Real scale, const Vec<3, Real>& direction,
                                        Vec<3, Real>& force) {
        if (kind == ElementKind::point)
            force[k] = force[k] + scale;
        else if (row_entries(kind, k) & 7u)
            force = fma(scale, direction, force);
    }

    MYRIAD_HD Real constraint_right_hand_side(const Work& work, const Linearization<Real>& by, const Element& e,
                                              const Rows<Real>& at_rows, const Vec<3, Real>& bias, int k) const {
        if (by.level == Level::position) return -(by.inverse_position * at_rows.value[k]);
        if (by.level == Level::velocity) return -(row_rate(e, at_rows, k, work.bodies) + at_rows.partial_rate[k]);
        Real second = bias[k];
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int b = e.body[side];
            if (b < 0) continue;
            const Real sign(side == 0 ? -1.0 : 1.0);
            second = fma(sign, dot(at_rows.direction[k], work.acceleration[b]),
                         second + dot(at_rows.turn[side][k], work.angular_acceleration[b]));
        }
        return -second;
    }

    // The right-hand side of  k_c B z - delta lambda = lambda - k phi - d phi'
    MYRIAD_HD Real law_right_hand_side(const Work& work, const Linearization<Real>& by, const Element& e,
                                       const Rows<Real>& at_rows, int k, Real lambda) const {
        if (!by.forces) return Real(0.0);
        const Real rate = row_rate(e, at_rows, k, work.bodies) + at_rows.partial_rate[k];
        return lambda - fma(stiffness(e, k), at_rows.value[k], damping(e, k) * rate);
    }

    // The entries of row k at one of its bodies.
    MYRIAD_HD void store_row(const Work& work, const Linearization<Real>& by, const Element& e,
                             const Rows<Real>& at_rows, int k, int side, Real* matrix) const {
        const int row = e.row[k], b = e.body[side];
        const bool acts = e.has_law && by.forces;
        const Real spring = acts ? by.position * stiffness(e, k) : Real(0.0);
        const Real damper = acts ? damping(e, k) : Real(0.0);
        const Real sign(side == 0 ? -1.0 : 1.0);
        const bool holds = by.pinned && by.level == Level::position && (topology.pinned(b) & 3) != 0;
        const Real translation_free((holds && (topology.pinned(b) & 1)) ? 0.0 : 1.0);
        const Real rotation_free((holds && (topology.pinned(b) & 2)) ? 0.0 : 1.0);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            if (!(row_entries(e.kind, k) >> i & 1u)) continue;
            Real entry = sign * at_rows.direction[k][i];
            if (holds) entry = translation_free * entry;
            matrix[topology.column_slot(row, side, i)] = entry;
            matrix[topology.row_slot(row, side, i)] = e.has_law ? fma(damper, by.velocity, spring) * entry : entry;
        }
        Vec<3, Real> turn = at_rows.turn[side][k];
        if (holds) turn = rotation_free * turn;
        Vec<3, Real> across = turn;
        if (e.has_law) {
            const Vec<3, Real> rate_gradient =
                by.full_maps ? transposed_times(work.velocity_map[b], turn) : by.velocity * turn;
            across = fma(spring, turn, damper * rate_gradient);
            if (e.kind == ElementKind::angle) {
                // d(g . w)/dtheta: the axis n and the rates as each body sees them turn with it
                const Vec<3, Real> seen = side == 0 ? cross(at_rows.vector[0], at_rows.seen[0])
                                                    : cross(work.bodies.of[b].angular_velocity, turn);
                across = fma(damper * by.position, seen, across);
            }
        }
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            matrix[topology.column_slot(row, side, 3 + i)] = turn[i];
            matrix[topology.row_slot(row, side, 3 + i)] = across[i];
        }
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
