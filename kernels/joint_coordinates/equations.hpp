// One evaluation of a mechanism's equations in joint coordinates: residuals and, where asked for, the matrix of a
// correction.
//
//   r = M(q) v' + h(q, v) + B^T lambda - loads + sum of coordinate laws (k phi + d phi')
//       + friction + rotors - forces F(t, q, q') = 0
//                                           inverse dynamics along the tree; kernels/tree/dynamics.hpp
//   row: phi = 0 (or phi' = 0, phi'' = 0); with a law lambda - k phi - d phi' = 0             rows.hpp, on link frames
//   coupling: the row phi = q_1 - ratio q_0 - offset, whose gradient is e_1 - ratio e_0
//   B   : a row's force and moment on its two links, walked inward to the last link that both hang on
//   H   = M + c_v D + c_q K of coordinate laws, friction and F + c_v D of the gyroscopic moments of orientations
//       + c_q K of constraints' reactions on bodies that no joint of the tree holds (reaction_stiffness.hpp)
//   friction, rotors, forces F, drivers: friction.hpp, rotors.hpp, coordinate_forces.hpp, driver_power.hpp
//
// A multiplier acts on its two links as a wrench, so that the residual needs no gradient. H leaves out all other change
// of inertial forces, loads and multipliers with the configuration, which changes the number of iterations, not their
// limit. World axes, link axes as rows.hpp says; SI units.
#pragma once
#include "kernels/joint_coordinates/coordinate_forces.hpp"
#include "kernels/joint_coordinates/driver_power.hpp"
#include "kernels/joint_coordinates/friction.hpp"
#include "kernels/joint_coordinates/rotors.hpp"
#include "kernels/joint_coordinates/state.hpp"
#include "kernels/mechanism/equations.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/tree/dynamics.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The variables of a correction: v += c_v z, q += c_q z, v' += z.
template <class Real>
struct JointLinearization {
    Real velocity, position;  // c_v, c_q
    Real inverse_position;    // 1 / c_q, or 1 where no position changes
    Level level;
    bool forces;  // false: r is nought
    bool with_matrix;
    bool by_length = false;  // H is diagonal and measures relative lengths and angles: where rows alone decide
    static constexpr bool with_rows = true;
    MYRIAD_HD bool turns_reactions() const { return with_matrix && forces && level == Level::position; }
};

// In its place where the forces of the coordinates and the wrenches of the joints alone are asked for: constants, so
// that no code is made for more.
struct Transmission {
    static constexpr Level level = Level::position;
    static constexpr bool forces = true, with_rows = false, with_matrix = false;
    static MYRIAD_HD bool turns_reactions() { return false; }
};

// Work space of one evaluation and one solve.
template <class Real, class T>
struct JointScratch {
    TreePlaces<Real, T> places;
    LinkMotion<Real> motions[T::most_links];
    Screw<Real> wrenches[T::most_links];  // loads on links; after an evaluation what the joints do to their links
    LinkMass<Real> composites[T::most_links];
    Mat3<Real> reaction_stiffness[T::most_links];
    Bodies<Real, T::most_links> frames;
    Taylor<Real> functions[T::most_functions];
    TreeRates<Real, T> forces;        // r
    TreeRates<Real, T> solution;      // -r of free coordinates, then z
    Real row_solution[T::most_rows];  // right-hand sides of rows, then the corrections of multipliers
    SaddlePoint<Real, T> system;
    SeenFriction<Real, T> friction;
    DriverPower<Real, T> drivers;
    Real weak_place;  // the first one that factors of a step or of a state met, as SaddlePoint::factor says
};

template <class R, class T, class P>
struct JointEquations {
    using Real = R;
    using Scratch = JointScratch<Real, T>;
    using Configuration = JointConfiguration<Real, T>;
    using Rates = TreeRates<Real, T>;
    static constexpr unsigned kinds = all_element_kinds;
    T topology;
    const P& p;

    MYRIAD_HD TreeLinks<Real, T, P> links() const { return {topology, &p, topology.link_parameter()}; }
    MYRIAD_HD Vec<3, Real> gravity() const { return vector_at<Real>(p, gravity_parameter); }
    static MYRIAD_HD Taylor<Real> function(const Taylor<Real>* functions, int index) {
        const Taylor<Real> none{Real(0.0), Real(0.0), Real(0.0)};
        return index < 0 ? none : functions[index];
    }
    MYRIAD_NOINLINE Rows<Real> rows(const Element& e, const Bodies<Real, T::most_links>& frames,
                                    const Taylor<Real>* functions, const Real* turned) const {
        return rows_at<kinds>(e, frames, p, function(functions, e.function), e.angle < 0 ? Real(0.0) : turned[e.angle]);
    }
    // Positions of constraints need none.
    MYRIAD_HD bool needs_rates() const {
        bool needed = topology.loads() > 0;
        MYRIAD_EACH(e, topology, elements) needed |= topology.element(e).has_law;
        return needed;
    }
    MYRIAD_HD bool has_frames() const { return topology.elements() > 0 || topology.loads() > 0; }

    // `s.functions` hold the functions of time. Fills s.forces, s.solution = -s.forces of free coordinates, the
    // right-hand sides of rows and, where asked for, s.system, not factored. `by`: a JointLinearization, or a
    // Transmission, with which no rows are filled. `applied`: more loads on the links; may be null.
    template <class By = JointLinearization<Real>>
    MYRIAD_NOINLINE void evaluate(const Configuration& q, const Rates& v, const Rates& a, const Real* multipliers,
                                  const By& by, Scratch& s, const Screw<Real>* applied = nullptr) const {
        const Real zero(0.0);
        const Vec<3, Real> none{zero, zero, zero};
        place_links(links(), q, s.places);
        if (by.level == Level::acceleration || by.forces) move_links(links(), s.places, v, a, gravity(), s.motions);
        if (has_frames()) {
            pose_links(links(), s.places, s.frames.of);
            if (by.level != Level::position || (by.forces && needs_rates()))
                rate_links(links(), s.places, v, s.frames.of);
        }
        const bool loaded = has_frames() || applied != nullptr;
        if (loaded)
            MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) s.wrenches[l] =
                applied == nullptr ? Screw<Real>{none, none} : applied[l];
        if (by.forces)
            MYRIAD_EACH(i, topology, loads) add_load(topology.load(i), s);
        s.system.matrix.topology = topology;
        if (by.turns_reactions() && topology.constraint_rows() > 0)
            MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) s.reaction_stiffness[l] = zero_matrix<Real>();
        MYRIAD_EACH(e, topology, elements) add_element(e, q, multipliers, by, s);
        s.forces.fit(topology), s.solution.fit(topology);
        if (by.forces) {
            take_motions(links(), s.motions, loaded, s.wrenches);
            inverse_dynamics(links(), s.places, s.wrenches, s.forces);
            MYRIAD_EACH(i, topology, laws) {
                const CoordinateLaw law = topology.law(i);
                s.forces[law.freedom] = s.forces[law.freedom] + law_force(law, q, v, s);
            }
            MYRIAD_EACH(i, topology, couplings) add_coupling_force(topology.coupling(i), multipliers, s.forces);
            add_coordinate_forces(topology, p, q, v, s.functions, s.forces);
            add_rotors(topology, p, a, s.forces);
            add_friction(topology, p, v, s.friction, s.forces);
        } else {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) s.forces[i] = zero;
        }
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) s.solution[i] = -s.forces[i];
        MYRIAD_EACH(i, topology, prescribed) s.solution[topology.prescribed_coordinate(i).freedom] = zero;
        if constexpr (By::with_rows) {
            MYRIAD_EACH(i, topology, couplings) add_coupling_row(topology.coupling(i), q, v, a, by, s);
            if (by.with_matrix) make_matrix(q, v, by, s);
        }
    }

    // The wrenches of an impact that changes the rates by `jump`, where `multipliers` and `applied` are impulses: what
    // the joints do to their links. Fills s.wrenches and s.forces.
    MYRIAD_NOINLINE void transmit_impact(const Configuration& q, const Rates& jump, const Real* multipliers,
                                         const Screw<Real>* applied, Scratch& s) const {
        const Real zero(0.0);
        Rates still;
        still.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) still[i] = zero;
        place_links(links(), q, s.places);
        move_links(links(), s.places, still, jump, Vec<3, Real>{zero, zero, zero}, s.motions);
        pose_links(links(), s.places, s.frames.of);
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) s.wrenches[l] = applied[l];
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (element.row[0] < 0 && element.row[1] < 0 && element.row[2] < 0) continue;
            add_multipliers(element, rows(element, s.frames, s.functions, q.turned), multipliers, s);
        }
        take_motions(links(), s.motions, true, s.wrenches);
        inverse_dynamics(links(), s.places, s.wrenches, s.forces);
    }
    // The constraint rows on velocity level in another configuration, over those of an evaluation: what they are to
    // change, and B. Force elements keep their rows.
    MYRIAD_NOINLINE void hold_rows(const Configuration& q, const Rates& v, Scratch& s) const {
        if (topology.rows() == 0) return;
        const JointLinearization<Real> by{Real(0.0), Real(0.0), Real(1.0), Level::velocity, false, true};
        place_links(links(), q, s.places);
        pose_links(links(), s.places, s.frames.of);
        rate_links(links(), s.places, v, s.frames.of);
        MYRIAD_EACH(e, topology, elements)
            if (!topology.element(e).has_law) add_element(e, q, nullptr, by, s);
        MYRIAD_EACH(i, topology, couplings) add_coupling_row(topology.coupling(i), q, v, v, by, s);
        MYRIAD_EACH(r, topology, rows)
            MYRIAD_EACH(i, topology, prescribed)
                s.system.gradient_of(r)[topology.prescribed_coordinate(i).freedom] = Real(0.0);
    }
    // Adds the components of a wrench on link `outer`, about its origin in its axes, along the freedoms up to the link
    // `common`.
    MYRIAD_HD void add_components(int outer, int common, Screw<Real> wrench, const TreePlaces<Real, T>& places,
                                  Real* components) const {
        MYRIAD_UNROLL_PLAN for (int l = outer; l != common; l = topology.link(l).parent) {
            const TreeLink& link = topology.link(l);
            const int freedom = link.freedom + link.slides;
            if (link.turning == TreeTurning::about_z) components[freedom] = components[freedom] + wrench.angular[2];
            if (link.turning == TreeTurning::any)
                MYRIAD_UNROLL for (int i = 0; i < 3; ++i) components[freedom + i] =
                    components[freedom + i] + wrench.angular[i];
            if (link.slides == 0 && link.parent == common) break;
            const Screw<Real> at_joint = to_joint(l, links(), places, wrench);
            each_slide(link, [&](int i) MYRIAD_INLINE {
                components[link.freedom + i] = components[link.freedom + i] + at_joint.linear[link.first_axis + i];
            });
            wrench = to_parent(l, links(), places, at_joint);
        }
    }

    // Row k of an element in joint coordinates.
    MYRIAD_NOINLINE void store_gradient(int number, const Element& e, const Rows<Real>& rows, int k, const Scratch& s,
                                        Real* gradient) const {
        const Real zero(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) gradient[i] = zero;
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int outer = e.body[side], common = topology.common_link(number);
            if (outer < 0) continue;
            Screw<Real> wrench{rows.turn[side][k], {zero, zero, zero}};
            if (row_entries(e.kind, k) & 7u) {
                const Vec<3, Real> along = s.frames.to_body(outer, rows.direction[k]);
                wrench.linear = side == 0 ? -along : along;
            }
            add_components(outer, common, wrench, s.places, gradient);
        }
    }

    // k phi + d phi' of a coordinate law
    MYRIAD_HD Real law_force(const CoordinateLaw& law, const Configuration& q, const Rates& v, const Scratch& s) const {
        const Taylor<Real> f = function(s.functions, law.function);
        return fma(p[law.parameter], coordinate(q, law.freedom) - f.value,
                   p[law.parameter + 1] * (v[law.freedom] - f.rate));
    }

    // phi and phi' of a coupling. The whole turns of two angles that follow each other nearly cancel, in one rounding,
    // so that phi is as exact after a thousand turns as in the first.
    MYRIAD_HD Real coupling_value(const CoordinateCoupling& c, const Configuration& q) const {
        const Real ratio = p[c.parameter], offset = p[c.parameter + 1];
        const int followed = topology.field_of(c.freedom[0]), own = topology.field_of(c.freedom[1]);
        const Real followed_turns = topology.is_turn(c.freedom[0]) ? q[followed + 1] : Real(0.0),
                   own_turns = topology.is_turn(c.freedom[1]) ? q[own + 1] : Real(0.0);
        const Real turns = fma(-ratio, followed_turns, own_turns);
        return fma(turns, full_turn<Real>(), fma(-ratio, q[followed], q[own])) - offset;
    }
    // Or phi'', of accelerations.
    MYRIAD_HD Real coupling_rate(const CoordinateCoupling& c, const Rates& v) const {
        const Real ratio = p[c.parameter];
        return fma(-ratio, v[c.freedom[0]], v[c.freedom[1]]);
    }

    MYRIAD_HD Real stiffness(const Element& e, int k) const { return p[e.parameter + geometry_parameters(e.kind) + k]; }
    MYRIAD_HD Real damping(const Element& e, int k) const {
        return p[e.parameter + geometry_parameters(e.kind) + rows_of(e.kind) + k];
    }

  private:
    // A load on a link. What the file gives in body axes is turned into the link's.
    MYRIAD_HD void add_load(const Load& load, Scratch& s) const {
        const int l = load.body;
        const Vec<3, Real> given{function(s.functions, load.function[0]).value,
                                 function(s.functions, load.function[1]).value,
                                 function(s.functions, load.function[2]).value};
        const bool in_body = load.kind == LoadKind::force_body || load.kind == LoadKind::torque_body;
        const Vec<3, Real> in_link = in_body ? links().body_axes(l) * given : s.frames.to_body(l, given);
        if (load.kind == LoadKind::torque_body || load.kind == LoadKind::torque_world) {
            s.wrenches[l].angular = s.wrenches[l].angular + in_link;
        } else {
            s.wrenches[l].linear = s.wrenches[l].linear + in_link;
            s.wrenches[l].angular = add_cross(vector_at<Real>(p, load.parameter), in_link, s.wrenches[l].angular);
        }
    }

    MYRIAD_HD void add_coupling_force(const CoordinateCoupling& c, const Real* multipliers, Rates& forces) const {
        if (c.row < 0) return;
        const Real ratio = p[c.parameter];
        forces[c.freedom[0]] = fma(-ratio, multipliers[c.row], forces[c.freedom[0]]);
        forces[c.freedom[1]] = forces[c.freedom[1]] + multipliers[c.row];
    }
    MYRIAD_HD void add_coupling_row(const CoordinateCoupling& c, const Configuration& q, const Rates& v, const Rates& a,
                                    const JointLinearization<Real>& by, Scratch& s) const {
        if (c.row < 0) return;
        s.row_solution[c.row] = by.level == Level::position   ? -(by.inverse_position * coupling_value(c, q))
                                : by.level == Level::velocity ? -coupling_rate(c, v)
                                                              : -coupling_rate(c, a);
        if (!by.with_matrix) return;
        Real* const gradient = s.system.gradient_of(c.row);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) gradient[i] = Real(0.0);
        gradient[c.freedom[0]] = -Real(p[c.parameter]), gradient[c.freedom[1]] = Real(1.0);
        s.system.compliance[c.row] = Real(0.0), s.system.scale[c.row] = Real(1.0);
    }

    // The wrenches of an element's multipliers on its links.
    MYRIAD_HD void add_multipliers(const Element& e, const Rows<Real>& rows, const Real* multipliers,
                                   Scratch& s) const {
        const Real zero(0.0);
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int l = e.body[side];
            if (l < 0) continue;
            Vec<3, Real> force{zero, zero, zero}, moment = s.wrenches[l].angular;
            MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
                if (k >= rows_of(e.kind) || e.row[k] < 0) continue;
                const Real lambda = multipliers[e.row[k]];
                moment = fma(-lambda, rows.turn[side][k], moment);
                if (row_entries(e.kind, k) & 7u) force = fma(side == 0 ? lambda : -lambda, rows.direction[k], force);
            }
            s.wrenches[l].angular = moment;
            if (row_entries(e.kind, 0) & 7u) s.wrenches[l].linear = s.wrenches[l].linear + s.frames.to_body(l, force);
        }
    }
    MYRIAD_HD bool is_free(int link) const {
        return link >= 0 && topology.link(link).turning == TreeTurning::any && topology.link(link).slides == 3;
    }
    MYRIAD_HD void turn_reactions(const Element& e, const Rows<Real>& rows, const Real* multipliers, Scratch& s) const {
        const Real zero(0.0);
        Vec<3, Real> lambda{zero, zero, zero};
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            if (k < rows_of(e.kind) && e.row[k] >= 0) lambda[k] = multipliers[e.row[k]];
        }
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int l = e.body[side];
            if (is_free(l))
                add_reaction_stiffness<kinds>(e, side, rows, lambda, p, s.frames.of[l].matrix, s.reaction_stiffness[l]);
        }
    }
    template <class By>
    MYRIAD_HD void add_element(int number, const Configuration& q, const Real* multipliers, const By& by,
                               Scratch& s) const {
        const Element& e = topology.element(number);
        if (e.row[0] < 0 && e.row[1] < 0 && e.row[2] < 0) return;
        const Rows<Real> rows = this->rows(e, s.frames, s.functions, q.turned);
        if (by.forces) add_multipliers(e, rows, multipliers, s);
        if (by.turns_reactions() && !e.has_law) turn_reactions(e, rows, multipliers, s);
        if constexpr (By::with_rows) add_rows(number, e, rows, multipliers, by, s);
    }
    MYRIAD_HD void add_rows(int number, const Element& e, const Rows<Real>& rows, const Real* multipliers,
                            const JointLinearization<Real>& by, Scratch& s) const {
        const Real zero(0.0);
        const int count = rows_of(e.kind);
        const Taylor<Real> f = function(s.functions, e.function);
        const Vec<3, Real> bias = by.level == Level::acceleration && !e.has_law ? row_bias<kinds>(e, s.frames, p, f)
                                                                                : Vec<3, Real>{zero, zero, zero};
        MYRIAD_UNROLL for (int k = 0; k < 3; ++k) {
            const int row = e.row[k];
            if (k >= count || row < 0) continue;
            s.row_solution[row] = e.has_law ? law_right_hand_side(e, rows, k, by, multipliers[row], s)
                                            : constraint_right_hand_side(e, rows, bias, k, by, s);
            if (!by.with_matrix) continue;
            store_gradient(number, e, rows, k, s, s.system.gradient_of(row));
            const bool acts = e.has_law && by.forces;
            s.system.compliance[row] = Real(e.has_law ? 1.0 : 0.0);
            s.system.scale[row] =
                acts ? fma(by.position, stiffness(e, k), by.velocity * damping(e, k)) : Real(e.has_law ? 0.0 : 1.0);
        }
    }

    MYRIAD_HD Real constraint_right_hand_side(const Element& e, const Rows<Real>& rows, const Vec<3, Real>& bias, int k,
                                              const JointLinearization<Real>& by, const Scratch& s) const {
        if (by.level == Level::position) return -(by.inverse_position * rows.value[k]);
        if (by.level == Level::velocity) return -(row_rate(e, rows, k, s.frames) + rows.partial_rate[k]);
        Real second = bias[k];
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            const int l = e.body[side];
            if (l < 0) continue;
            const Vec<3, Real> along = s.frames.of[l].matrix * s.motions[l].acceleration + gravity();
            second = fma(Real(side == 0 ? -1.0 : 1.0), dot(rows.direction[k], along),
                         second + dot(rows.turn[side][k], s.motions[l].angular_acceleration));
        }
        return Real(0.0) - second;
    }
    MYRIAD_HD Real law_right_hand_side(const Element& e, const Rows<Real>& rows, int k,
                                       const JointLinearization<Real>& by, Real lambda, const Scratch& s) const {
        if (!by.forces) return Real(0.0);
        const Real rate = row_rate(e, rows, k, s.frames) + rows.partial_rate[k];
        return lambda - fma(stiffness(e, k), rows.value[k], damping(e, k) * rate);
    }

    MYRIAD_HD void make_matrix(const Configuration& q, const Rates& v, const JointLinearization<Real>& by,
                               Scratch& s) const {
        if (by.by_length)
            measure_lengths(s.system.matrix);
        else
            measure_masses(q, v, by, s);
        note_drivers(topology, s.functions, s.system, s.drivers);
        MYRIAD_EACH(i, topology, prescribed) s.system.hold(topology.prescribed_coordinate(i).freedom);
    }
    MYRIAD_HD void measure_masses(const Configuration& q, const Rates& v, const JointLinearization<Real>& by,
                                  Scratch& s) const {
        mass_matrix(links(), s.places, s.composites, s.system.matrix);
        if (by.forces)
            MYRIAD_EACH(i, topology, laws) {
                const CoordinateLaw law = topology.law(i);
                Real& entry = s.system.matrix.at(law.freedom, law.freedom);
                entry = fma(by.position, p[law.parameter], fma(by.velocity, p[law.parameter + 1], entry));
            }
        add_rotors_to_diagonal(topology, p, s.system.matrix);
        if (by.forces) add_friction_to_diagonal(topology, p, by.velocity, s.friction, s.system.matrix);
        if (!topology.is_symmetric()) {
            mirror(s.system.matrix);
            if (by.forces) add_gyroscopic_blocks(v, s.composites, s.motions, by.velocity, s.system.matrix);
            if (by.turns_reactions()) add_reaction_blocks(by.position, s);
        }
        if (by.forces)
            add_coordinate_forces_to_matrix(topology, p, q, v, s.functions, by.velocity, by.position, s.system.matrix);
    }
    MYRIAD_HD void add_reaction_blocks(Real c_q, Scratch& s) const {
        if (topology.constraint_rows() == 0) return;
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
            if (is_free(l)) add_block_of_orientation(topology.link(l), c_q, s.reaction_stiffness[l], s.system.matrix);
        }
    }
    MYRIAD_HD void measure_lengths(TreeMatrix<Real, T>& matrix) const {
        const Real inverse_length = Real(1.0) / p[length_scale_parameter];
        matrix.topology = topology;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.entries(); ++i) matrix.lower[i] = Real(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) matrix.at(i, i) =
            topology.is_turn(i) ? Real(1.0) : inverse_length * inverse_length;
        if (!topology.is_symmetric()) mirror(matrix);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
