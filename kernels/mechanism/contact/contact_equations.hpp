// What methods with contact ask of a mechanism, in body coordinates: contact/equations.hpp.
//
//   S (z, x) = f + W l,   u = W^T z       z: of rates, x: of multipliers, l: of contacts
//
// of_step, of_velocities, of_impulses, of_accelerations and of_positions each fill and factor S and fill f; they return
// the lanes in which a pivot was lost. Scratch holds the functions of time. The same for joint coordinates, with the
// same names: kernels/joint_coordinates/contact_equations.hpp. SI units. Not handled: charts other than the rotation
// group.
#pragma once
#include "kernels/contact/equations.hpp"
#include "kernels/mechanism/assembly.hpp"
#include "kernels/mechanism/contact/free_turning.hpp"
#include "kernels/mechanism/contact/joint_impulses.hpp"
#include "kernels/mechanism/contacts.hpp"
#include "kernels/mechanism/observe.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// What both coordinates of a mechanism have in common: its contacts are unilateral.
template <class S>
struct MechanismContactEquations {
    using System = S;
    using Real = typename System::Real;
    static constexpr bool has_joints = true, has_surfaces = true;
    const System& system;
    typename System::Scratch scratch;

    // The scratch is large and stays uninitialised.
    MYRIAD_HD explicit MechanismContactEquations(const System& given) : system(given) {}

    MYRIAD_HD void set_time(Real at_s) { system.functions_at(at_s, scratch.functions); }

    MYRIAD_HD ContactLaw<Real> law(int c) const {
        return contact_law<Real>(system.topology.contact(c), *system.parameters);
    }
    // Bilateral contacts, which only formulas have, are held, and always closed unless they are not used.
    static MYRIAD_HD MaskOf<Real> is_held(int) { return !true_mask<Real>(); }
    template <class T>
    static MYRIAD_HD T unless_held(int, const T& x, const T&) {
        return x;
    }
    static MYRIAD_HD MaskOf<Real> closes(int, MaskOf<Real> touches) { return touches; }
    static MYRIAD_HD MaskOf<Real> is_unilateral(int) { return true_mask<Real>(); }
    static MYRIAD_HD Real if_unilateral(int, Real x, Real) { return x; }
    MYRIAD_HD bool is_round(int c) const { return myriad::is_round(system.topology.contact(c).kind); }
    MYRIAD_HD Passing<Real> passing(int c, const Vec<3, Real>& from, const Vec<3, Real>& to) const {
        return contact_passing(system.topology.contact(c), *system.parameters, from, to);
    }
    MYRIAD_HD bool has_size(int c) const { return !is_limit(system.topology.contact(c).kind); }
    MYRIAD_HD Real size(int c) const {
        const int offset = system.topology.contact(c).size;
        // Points in centres of mass have no size.
        const Real scale = length_scale(), none = infinity<Real>(),
                   of_points = select(Real(least_length_scale_m) < scale, scale, none);
        if (offset < 0) return of_points;
        const Real given = system.parameter(offset);
        return select(Real(0.0) < given, given, of_points);
    }
    // m, over which positions are relative to Newton's tolerance
    MYRIAD_HD Real length_scale() const { return system.parameter(length_scale_parameter); }
};

template <class S>
struct ContactEquations<S, SystemKind::body_coordinates> : MechanismContactEquations<S> {
    using System = S;
    using Common = MechanismContactEquations<S>;
    using Common::scratch;
    using Common::system;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Topology = typename System::Topology;
    using Configuration = typename System::Configuration;
    using Velocity = typename System::Velocity;
    using MultiplierVector = typename System::MultiplierVector;
    using Places = ContactPlaces<Real, Topology>;
    static constexpr int most_unknowns = 6 * Topology::most_bodies + Topology::most_rows;

    MYRIAD_HD explicit ContactEquations(const System& given) : Common(given) {}

    // The contacts at q; `here`: where the equations were made, which is q as well.
    MYRIAD_HD void find(const Configuration& q, Places& places) {
        system.place(q, scratch.work.bodies);
        find_here(q, places);
    }
    // The gaps alone; then the directions there of contacts that `sees(c)`.
    MYRIAD_HD void find_gaps(const Configuration& q, Places& places) {
        system.place(q, scratch.work.bodies);
        find_gaps_here(q, places);
    }
    MYRIAD_HD void find_gaps_here(const Configuration&, Places& places) {
        places.find_gaps(system.topology, scratch.work.bodies, *system.parameters);
    }
    template <class Sees>
    MYRIAD_HD void find_directions(Places& places, const Sees& sees) {
        places.see(sees);
        places.find_directions(scratch.work.bodies, *system.parameters);
    }
    template <class Sees>
    MYRIAD_HD void find_directions_here(const Configuration&, Places& places, const Sees& sees) {
        find_directions(places, sees);
    }
    MYRIAD_HD void find_here(const Configuration&, Places& places) {
        places.find(system.topology, scratch.work.bodies, *system.parameters);
    }

    // Drivers are rows here.
    MYRIAD_HD void prescribe(Configuration&, Velocity&) const {}
    MYRIAD_HD void prescribe_acceleration(Velocity&) const {}

    // A correction of a step: v' += z, v += c_v z, q += c_q z, multipliers += x.
    MYRIAD_HD Mask of_step(const Configuration& q, const Velocity& v, const Velocity& a,
                           const MultiplierVector& multipliers, Real c_v, Real c_q, Mask) {
        system.place(q, v, a, scratch.work);
        const Linearization<Real> by{Real(1.0), c_v, c_q, Real(1.0) / c_q, Level::position, true, false, false, true};
        system.equations(scratch.functions)
            .template evaluate<true>(scratch.work, by, multipliers.e, q.turned, scratch.matrix);
        return factor();
    }
    // M z + B^T x = h f(q, v),  B (v + z) = -phi_t; bodies that no joint holds turn by free_turning.hpp. `none` becomes
    // nought.
    MYRIAD_HD Mask of_velocities(const Configuration& q, const Velocity& v, Real h, Mask, MultiplierVector& none) {
        const Topology& topology = system.topology;
        auto& work = scratch.work;
        const Real one(1.0), zero(0.0);
        system.place(q, v, work.bodies);
        stand_still();
        MYRIAD_EACH(r, topology, rows) none[r] = zero;
        const Linearization<Real> by{one, zero, zero, one, Level::velocity, true, false, false, true};
        system.equations(scratch.functions).evaluate(work, by, none.e, q.turned, scratch.matrix);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < 6 * topology.bodies(); ++i) work.right_hand_side[i] =
            h * work.right_hand_side[i];
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (!element.has_law) continue;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                if (element.row[k] < 0) continue;
                Real& impulse = work.right_hand_side[6 * topology.bodies() + element.row[k]];
                impulse = h * impulse;
            }
        }
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) turn_if_free(b, h);
        return factor();
    }
    // M z + B^T x = 0,  B (v + z) = -phi_t
    MYRIAD_HD Mask of_impulses(const Configuration& q, const Velocity& v, Mask) {
        auto& work = scratch.work;
        system.place(q, v, work.bodies);
        stay();
        const Real one(1.0), zero(0.0);
        const Linearization<Real> by{one, zero, zero, one, Level::velocity, false, false, false, true};
        system.equations(scratch.functions).evaluate(work, by, nullptr, q.turned, scratch.matrix);
        return factor();
    }
    // M z + B^T x = f(q, v),  B z = -bias
    MYRIAD_HD Mask of_accelerations(const Configuration& q, const Velocity& v, Mask) {
        auto& work = scratch.work;
        MultiplierVector none;
        none.fit(system.topology);
        MYRIAD_EACH(r, system.topology, rows) none[r] = Real(0.0);
        system.place(q, v, work.bodies);
        stand_still();
        const Real one(1.0), zero(0.0);
        const Linearization<Real> by{one, zero, zero, one, Level::acceleration, true, false, false, true};
        system.equations(scratch.functions).evaluate(work, by, none.e, q.turned, scratch.matrix);
        return factor();
    }
    // M z + B^T x = -M Z,  B z = -phi; Z: the change since `stay`. `pinned`: bodies that the file pins stay.
    MYRIAD_HD Mask of_positions(const Configuration& q, bool pinned, Mask) {
        system.place(q, scratch.work.bodies);
        const Real one(1.0), zero(0.0);
        const Linearization<Real> by{one, zero, one, one, Level::position, false, pinned, false, true};
        system.equations(scratch.functions).evaluate(scratch.work, by, nullptr, q.turned, scratch.matrix);
        return factor();
    }

    // M z + B^T x = h f at (q, v, at_s),  B (from + z) = -phi_t at the pose `held` and end_s, of a step from `begin`.
    // Loads act at `places` and velocities are measured at `seen`, which are found where a contact `touches`. Scratch
    // is left with the functions of end_s, and `none` with nought.
    MYRIAD_HD Mask of_half_step(const Configuration& q, const Velocity& v, Real at_s, Real h, const Configuration& held,
                                const Velocity& from, Real end_s, const Configuration& begin, Mask,
                                MultiplierVector& none, Mask touching, Places& places, Places& seen) {
        const Topology& topology = system.topology;
        auto& work = scratch.work;
        const Real one(1.0), zero(0.0);
        system.functions_at(at_s, scratch.functions);
        system.place(q, v, work.bodies);
        MYRIAD_WHEN(touching) find_here(q, places);
        stand_still();
        MYRIAD_EACH(r, topology, rows) none[r] = zero;
        const Linearization<Real> by{one, zero, zero, one, Level::velocity, true, false, false, true};
        system.equations(scratch.functions).evaluate(work, by, none.e, begin.turned, scratch.matrix);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) work.right_hand_side[i] = h * work.right_hand_side[i];

        Bodies<Real, Topology::most_bodies> bodies;
        system.functions_at(end_s, scratch.functions);
        system.place(held, from, bodies);
        hold(bodies, begin.turned);
        MYRIAD_WHEN(touching) seen.find(topology, bodies, *system.parameters);
        return factor();
    }

    // f, to be kept and put back. Adding 0 takes the sign from a zero. Forces of no size, those of contacts that only
    // other lanes have closed, would take it too.
    MYRIAD_HD void keep(Real* f) {
        Real* const right_hand_side = scratch.work.right_hand_side;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) f[i] = right_hand_side[i] =
            right_hand_side[i] + Real(0.0);
    }
    MYRIAD_HD void put_back(const Real* f) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) scratch.work.right_hand_side[i] = f[i];
    }
    MYRIAD_HD void clear() {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) scratch.work.right_hand_side[i] = Real(0.0);
    }
    MYRIAD_HD void add_load(const Places& places, int row, Mask acts, Real l) {
        places.add_load(row, acts, l, scratch.work.right_hand_side);
    }
    // Replaces the forces of force elements over a step by the ones in a state.
    MYRIAD_NOINLINE void renew_laws(const Configuration& q, const Velocity& v, MultiplierVector& multipliers) {
        const Topology& topology = system.topology;
        if (topology.rows() == topology.constraint_rows()) return;
        const auto equations = system.equations(scratch.functions);
        auto& bodies = scratch.work.bodies;
        system.place(q, v, bodies);
        renew_multipliers_of_laws<Real>(
            topology, equations, bodies,
            [&](const Element& element) MYRIAD_INLINE { return equations.rows(element, bodies, q.turned); },
            multipliers.e);
    }
    // s (B v + phi_t) of the constraint rows at the pose of the equations, in the order of the multipliers; 0 for rows
    // with a law.
    MYRIAD_NOINLINE void joint_rates(const Configuration& q, const Velocity&, Real s, Real* rates) {
        const auto equations = system.equations(scratch.functions);
        const auto& bodies = scratch.work.bodies;
        MYRIAD_EACH(e, system.topology, elements) {
            const Element& element = system.topology.element(e);
            if (element.is_sensor) continue;
            const Rows<Real> rows = equations.rows(element, bodies, q.turned);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                if (element.row[k] < 0) continue;
                const Real rate = row_rate(element, rows, k, bodies) + rows.partial_rate[k];
                rates[element.row[k]] = element.has_law ? Real(0.0) : s * rate;
            }
        }
    }
    // The rows of force elements stay as they are.
    MYRIAD_HD void replace_joints(const Real* joints) {
        MYRIAD_EACH(e, system.topology, elements) {
            const Element& element = system.topology.element(e);
            if (element.has_law || element.is_sensor) continue;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                const int row = element.row[k];
                if (row >= 0) scratch.work.right_hand_side[6 * system.topology.bodies() + row] = joints[row];
            }
        }
    }

    // With f, or with loads alone.
    MYRIAD_HD void solve() { system.solve(scratch.work, scratch.matrix); }
    MYRIAD_HD void solve_loads() { system.solve(scratch.work, scratch.matrix); }
    MYRIAD_HD Real rate(int i) const { return scratch.work.solution[i]; }
    MYRIAD_HD Real multiplier(int r) const { return scratch.work.solution[6 * system.topology.bodies() + r]; }
    // W^T z
    MYRIAD_HD Real along(const Places& places, int row) const {
        const int c = row / contact_directions;
        return along_contact(
            system.topology.contact(c), places.of[c], row - c * contact_directions,
            [&](int b) MYRIAD_INLINE { return system.solved_translation(scratch.work, b); },
            [&](int b) MYRIAD_INLINE { return system.solved_rotation(scratch.work, b); });
    }
    // Squared length of c_q z: metres over length_scale, radians.
    MYRIAD_HD Real square(Real c_q) const { return system.square_of(scratch.work, c_q); }

    // Changes of positions by z, from a pose that counts as unchanged; their length as assembly measures it.
    MYRIAD_HD void stay() {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) scratch.work.moved[b] =
            scratch.work.turned[b] = Vec<3, Real>{};
    }
    MYRIAD_HD void move(Mask going, Configuration& q) {
        auto& work = scratch.work;
        const Real one(1.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) {
            // A correction beyond the series of the exponential is no good direction anyway; it is cut.
            const Vec<3, Real> x = system.solved_translation(work, b), z = system.solved_rotation(work, b);
            const Real length = sqrt(dot(z, z));
            const Vec<3, Real> cut = select(length <= one, one, one / length) * z;
            work.moved[b] = select(going, work.moved[b] + x, work.moved[b]);
            work.turned[b] = select(going, work.turned[b] + cut, work.turned[b]);
            q.position[b] = select(going, q.position[b] + x, q.position[b]);
            q.orientation[b] = select(going, renormalized(q.orientation[b] * exp(cut)), q.orientation[b]);
        }
    }
    MYRIAD_HD Real distance() const {
        const auto& work = scratch.work;
        const Real inverse_length = Real(1.0) / system.parameter(length_scale_parameter);
        Real square(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) {
            const Vec<3, Real> moved = inverse_length * work.moved[b];
            square = square + (dot(moved, moved) + dot(work.turned[b], work.turned[b]));
        }
        return sqrt(square);
    }
    MYRIAD_HD Assembled<Real> assemble(Configuration& q, Velocity& v, Velocity& a, MultiplierVector& multipliers) {
        return myriad::assemble(system, scratch, q, v, a, multipliers);
    }
    // Takes a pose that contacts have moved to a consistent state, at time 0.
    MYRIAD_HD Assembled<Real> assemble_again(Configuration& q, Velocity& v, Velocity& a,
                                             MultiplierVector& multipliers) {
        return assemble(q, v, a, multipliers);
    }

    // J
    MYRIAD_HD Real kinetic_energy_here(const Configuration& q, const Velocity& v) {
        auto& bodies = scratch.work.bodies;
        system.place(q, v, bodies);
        Real twice(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) {
            const Place<Real>& body = bodies.of[b];
            const int at = parameters_of_body(b);
            const Vec<3, Real> w = body.angular_velocity;
            const Vec<3, Real> moment = symmetric_at<Real>(*system.parameters, at + body_inertia) * w;
            twice = twice + fma(system.parameter(at + body_mass), dot(body.velocity, body.velocity), dot(w, moment));
        }
        return Real(0.5) * twice;
    }
    // `here`: where the contacts or the equations were found last.
    MYRIAD_HD Real energy_here(const Configuration& q, const Velocity& v) { return energy(q, v); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) {
        system.place(q, v, scratch.work.bodies);
        const Energies<Real> energy = energies(system, scratch.work.bodies, scratch.functions, q.turned);
        return energy.kinetic + energy.potential;
    }
    // The power of loads, drivers and dampers with that which drivers need for the contacts, W. Here multipliers of
    // drivers know the forces of contacts.
    template <class Loads>
    MYRIAD_HD Real with_contacts(Real power, const Configuration&, const Loads&, Places&) {
        return power;
    }
    // J, done by drivers of what the equations are of: impulses over a step, or those of an impact. `mean`: of the
    // rates before and after.
    template <class Loads>
    MYRIAD_NOINLINE Real work_of_drivers(const Configuration& q, const Velocity& mean, Real, const Loads&,
                                         const Places&) {
        const auto equations = system.equations(scratch.functions);
        auto& bodies = scratch.work.bodies;
        system.place(q, mean, bodies);
        Real work(0.0);
        add_work_of_driven_rows<Real>(
            system.topology, bodies,
            [&](const Element& element) MYRIAD_INLINE { return equations.rows(element, bodies, q.turned); },
            [&](int row) MYRIAD_INLINE { return multiplier(row); }, work);
        return work;
    }

  private:
    // The constraint rows of the matrix and of the right-hand side belong to the pose `bodies`, their columns to
    // another one.
    template <class Held>
    MYRIAD_HD void hold(const Held& bodies, const Real* turned) {
        const Topology& topology = system.topology;
        const auto equations = system.equations(scratch.functions);
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (element.has_law || element.is_sensor) continue;
            const Rows<Real> rows = equations.rows(element, bodies, turned);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                const int row = element.row[k];
                if (row < 0) continue;
                scratch.work.right_hand_side[6 * topology.bodies() + row] =
                    -(row_rate(element, rows, k, bodies) + rows.partial_rate[k]);
                MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
                    if (element.body[side] < 0) continue;
                    const Real sign(side == 0 ? -1.0 : 1.0);
                    MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
                        if (row_entries(element.kind, k) >> i & 1u)
                            scratch.matrix[topology.row_slot(row, side, i)] = sign * rows.direction[k][i];
                        scratch.matrix[topology.row_slot(row, side, 3 + i)] = rows.turn[side][k][i];
                    }
                }
            }
        }
    }
    MYRIAD_HD void turn_if_free(int b, Real h) {
        const Topology& topology = system.topology;
        if (is_held_by_rows(topology, b)) return;
        turn_freely(
            h, symmetric_at<Real>(*system.parameters, parameters_of_body(b) + body_inertia),
            scratch.work.bodies.of[b].angular_velocity,
            [&](int i) MYRIAD_INLINE -> Real& { return scratch.work.right_hand_side[6 * b + 3 + i]; },
            [&](int i, int k) MYRIAD_INLINE -> Real& { return scratch.matrix[topology.body_slot(b, 3 + i, 3 + k)]; });
    }
    MYRIAD_HD int unknowns() const { return 6 * system.topology.bodies() + system.topology.rows(); }
    MYRIAD_HD Mask factor() { return system.topology.template factor<Real>(scratch.matrix); }
    MYRIAD_HD void stand_still() {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < system.topology.bodies(); ++b) scratch.work.acceleration[b] =
            scratch.work.angular_acceleration[b] = Vec<3, Real>{};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
