// What methods with contact ask of a mechanism: kernels/contact/equations.hpp, where the rates are those of the tree.
//
//   H z + B^T x = f + W l,   s B z - e x = g,   u = W^T z       saddle_point.hpp; H: masses, W: contact_places.hpp
//
// of_step, of_velocities, of_impulses, of_accelerations and of_positions each fill and factor H and B and fill f and g;
// they return the lanes in which a pivot was lost. Scratch holds the functions of time. A prescribed coordinate has the
// value, rate and acceleration of its function. Its change is known, belongs to z, and contacts and rows do not change
// it: in an impact it is 0. Dry friction of joints is a load of loads.hpp. Units of the freedoms.
#pragma once
#include "kernels/joint_coordinates/contact_places.hpp"
#include "kernels/joint_coordinates/driver_jumps.hpp"
#include "kernels/joint_coordinates/free_turning.hpp"
#include "kernels/joint_coordinates/joint_impulses.hpp"
#include "kernels/joint_coordinates/observe.hpp"
#include "kernels/joint_coordinates/projection.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class S>
struct ContactEquations<S, SystemKind::joint_coordinates> {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Topology = typename System::Topology;
    using Configuration = typename System::Configuration;
    using Velocity = typename System::Velocity;
    using MultiplierVector = typename System::MultiplierVector;
    using Places = JointContactPlaces<Real, Topology>;
    using JumpImpulse = ImpulseOfDrivers<System>;
    static constexpr int most_unknowns = Topology::most_freedoms + Topology::most_rows;
    static constexpr bool has_joints = true, has_surfaces = true;
    const System& system;
    typename System::Scratch scratch;

    // The scratch is large and stays uninitialised but for this.
    MYRIAD_HD explicit ContactEquations(const System& given) : system(given) { scratch.weak_place = Real(-1.0); }

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

    // The contacts at q; `here`: where the equations were made, which is q as well.
    MYRIAD_HD void find(const Configuration& q, Places& places) {
        place_links(links(), q, scratch.places);
        pose_links(links(), scratch.places, scratch.frames.of);
        places.find(system.equations(), q, scratch.frames);
    }
    // The gaps alone; then the directions there of contacts that `sees(c)`.
    MYRIAD_HD void find_gaps(const Configuration& q, Places& places) {
        place_links(links(), q, scratch.places);
        pose_links(links(), scratch.places, scratch.frames.of);
        places.find_gaps(system.equations(), q, scratch.frames);
    }
    MYRIAD_HD void find_gaps_here(const Configuration& q, Places& places) {
        if (!system.equations().has_frames()) pose_links(links(), scratch.places, scratch.frames.of);
        places.find_gaps(system.equations(), q, scratch.frames);
    }
    template <class Sees>
    MYRIAD_HD void find_directions(Places& places, const Sees& sees) {
        places.see(sees);
        places.find_directions(system.equations(), scratch.frames);
    }
    MYRIAD_HD void find_here(const Configuration& q, Places& places) {
        if (!system.equations().has_frames()) pose_links(links(), scratch.places, scratch.frames.of);
        places.find(system.equations(), q, scratch.frames);
    }
    template <class Sees>
    MYRIAD_HD void find_directions_here(const Configuration&, Places& places, const Sees& sees) {
        if (!system.equations().has_frames()) pose_links(links(), scratch.places, scratch.frames.of);
        find_directions(places, sees);
    }

    // T + mu r |F|
    template <class Memory>
    MYRIAD_HD void find_dry_forces(Real time_s, const Motion<System>& motion, const Memory& memory, Real* largest) {
        const auto& topology = system.topology;
        MYRIAD_EACH(i, topology, set_frictions) largest[i] = system.parameter(topology.friction(i).parameter);
        if (!topology.friction_follows_reactions()) return;
        set_time(time_s);
        add_bearing_friction(system, motion, memory, scratch, largest);
    }

    MYRIAD_HD void prescribe(Configuration& q, Velocity& v) const { system.prescribe(scratch.functions, q, v); }
    MYRIAD_HD void prescribe_acceleration(Velocity& a) const { system.prescribe_acceleration(scratch.functions, a); }

    // A correction of a step: v' += z, v += c_v z, q += c_q z, multipliers += x.
    MYRIAD_HD Mask of_step(const Configuration& q, const Velocity& v, const Velocity& a,
                           const MultiplierVector& multipliers, Real c_v, Real c_q, Mask lanes) {
        hold_prescribed();
        system.equations().evaluate(q, v, a, multipliers.e, {c_v, c_q, Real(1.0) / c_q, Level::position, true, true},
                                    scratch);
        return factor(lanes);
    }
    // H z + B^T x = h f(q, v),  B (v + z) = -phi_t; `none` becomes nought. Prescribed coordinates have the values and
    // rates of the functions in scratch already. Bodies that no joint holds turn by free_turning.hpp.
    MYRIAD_HD Mask of_velocities(const Configuration& q, const Velocity& v, Real h, Mask lanes,
                                 MultiplierVector& none) {
        hold_prescribed();
        evaluate_over(q, v, h, none);
        MYRIAD_UNROLL_PLAN for (int l = 0; l < system.topology.links(); ++l) turn_if_free(l, v, h);
        return factor(lanes);
    }
    // H z + B^T x = h f at (q, v, at_s),  B (from + z) = -phi_t at the pose `held` and end_s, of a step from `begin`.
    // Loads act at `places` and velocities are measured at `seen`, which are found where a contact `touches`. Scratch
    // is left with the functions of end_s, and `none` with nought.
    MYRIAD_HD Mask of_half_step(const Configuration& q, const Velocity& v, Real at_s, Real h, const Configuration& held,
                                const Velocity& from, Real end_s, const Configuration&, Mask lanes,
                                MultiplierVector& none, Mask touching, Places& places, Places& seen) {
        Velocity rates;
        Taylor<Real> end[Topology::most_functions];
        system.functions_at(end_s, end);
        change_prescribed(from, end, rates);
        system.functions_at(at_s, scratch.functions);
        evaluate_over(q, v, h, none);
        MYRIAD_WHEN(touching) find_here(q, places);
        const Real weak = scratch.system.factor_columns();
        MYRIAD_EACH(i, system.topology, functions) scratch.functions[i] = end[i];
        system.equations().hold_rows(held, rates, scratch);
        MYRIAD_WHEN(touching) find(held, seen);
        return found(scratch.system.factor_rows(weak), lanes);
    }
    // H z + B^T x = 0,  B (v + z) = -phi_t
    MYRIAD_HD Mask of_impulses(const Configuration& q, const Velocity& v, Mask lanes) {
        hold_prescribed();
        evaluate_still(q, v, Level::velocity);
        return factor(lanes);
    }
    // Of the jump of drivers, whose change is known.
    MYRIAD_HD Mask of_jump(ImpulseOfDrivers<System>& impulse, Real time_s, const Configuration& q, const Velocity& v,
                           Mask lanes) {
        hold_coordinates();
        const Real kept = scratch.weak_place;
        impulse.set_up(time_s, q, v, scratch);
        const Real weak = scratch.weak_place;
        known_ = impulse.change, scratch.weak_place = kept;
        return found(weak, lanes);
    }
    // H z + B^T x = f(q, v),  B z = -bias
    MYRIAD_HD Mask of_accelerations(const Configuration& q, const Velocity& v, Mask lanes) {
        const Real zero(0.0), one(1.0);
        MultiplierVector none;
        system.set_still(known_), set_none(none);
        system.prescribe_acceleration(scratch.functions, known_);
        hold_coordinates();
        system.equations().evaluate(q, v, known_, none.e, {zero, zero, one, Level::acceleration, true, true}, scratch);
        return factor(lanes);
    }
    // H z + B^T x = 0,  B z = -phi: each correction is the least one. A pinned body holds the coordinates of its free
    // joint that place it, or all on its way to the ground.
    MYRIAD_HD Mask of_positions(const Configuration& q, bool pinned, Mask lanes) {
        Velocity still;
        system.set_still(still);
        hold_prescribed();
        evaluate_still(q, still, Level::position);
        if (pinned) {
            hold_pinned();
            const Held held{is_held_};
            hold_in_projection(system, held, 1, scratch);
        }
        return factor(lanes);
    }

    // f, to be kept and put back. Adding 0 takes the sign from a zero. Forces of no size, those of contacts that only
    // other lanes have closed, would take it too.
    MYRIAD_HD void keep(Real* f) {
        const int freedoms = system.topology.freedoms();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < freedoms; ++i) f[i] = scratch.solution[i] =
            scratch.solution[i] + Real(0.0);
        MYRIAD_EACH(r, system.topology, rows)
            f[freedoms + r] = scratch.row_solution[r] = scratch.row_solution[r] + Real(0.0);
    }
    MYRIAD_HD void put_back(const Real* f) {
        const int freedoms = system.topology.freedoms();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < freedoms; ++i) scratch.solution[i] = f[i];
        MYRIAD_EACH(r, system.topology, rows) scratch.row_solution[r] = f[freedoms + r];
    }
    MYRIAD_HD void clear() {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < system.topology.freedoms(); ++i) scratch.solution[i] = Real(0.0);
        MYRIAD_EACH(r, system.topology, rows) scratch.row_solution[r] = Real(0.0);
    }
    template <class AnyPlaces>
    MYRIAD_HD void add_load(const AnyPlaces& places, int row, Mask acts, Real l) {
        places.add_load(row, acts, l, scratch.solution.e);
    }
    // Replaces the forces of force elements over a step by the ones in a state.
    MYRIAD_NOINLINE void renew_laws(const Configuration& q, const Velocity& v, MultiplierVector& multipliers) {
        const auto& topology = system.topology;
        const auto equations = system.equations();
        if (topology.rows() == topology.constraint_rows()) return;
        place_links(links(), q, scratch.places);
        pose_links(links(), scratch.places, scratch.frames.of);
        rate_links(links(), scratch.places, v, scratch.frames.of);
        renew_multipliers_of_laws<Real>(
            topology, equations, scratch.frames,
            [&](const Element& element)
                MYRIAD_INLINE { return equations.rows(element, scratch.frames, scratch.functions, q.turned); },
            multipliers.e);
    }
    // s (B v + phi_t) of the constraint rows at the pose of the equations, in the order of the multipliers; 0 for rows
    // with a law.
    MYRIAD_NOINLINE void joint_rates(const Configuration& q, const Velocity& v, Real s, Real* rates) {
        const auto& topology = system.topology;
        const auto equations = system.equations();
        if (topology.rows() == 0) return;
        rate_links(links(), scratch.places, v, scratch.frames.of);
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (element.row[0] < 0 && element.row[1] < 0 && element.row[2] < 0) continue;
            const Rows<Real> rows = equations.rows(element, scratch.frames, scratch.functions, q.turned);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                if (element.row[k] < 0) continue;
                const Real rate = row_rate(element, rows, k, scratch.frames) + rows.partial_rate[k];
                rates[element.row[k]] = element.has_law ? Real(0.0) : s * rate;
            }
        }
        MYRIAD_EACH(i, topology, couplings) {
            const CoordinateCoupling& coupling = topology.coupling(i);
            if (coupling.row >= 0) rates[coupling.row] = s * equations.coupling_rate(coupling, v);
        }
    }
    // The rows of force elements stay as they are.
    MYRIAD_HD void replace_joints(const Real* joints) {
        const auto& topology = system.topology;
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (element.has_law) continue;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                if (element.row[k] >= 0) scratch.row_solution[element.row[k]] = joints[element.row[k]];
            }
        }
        MYRIAD_EACH(i, topology, couplings) {
            const int row = topology.coupling(i).row;
            if (row >= 0) scratch.row_solution[row] = joints[row];
        }
    }

    // With f, or with loads alone.
    MYRIAD_HD void solve() {
        solve_loads();
        MYRIAD_EACH(i, system.topology, prescribed) {
            const int freedom = system.topology.prescribed_coordinate(i).freedom;
            scratch.solution[freedom] = known_[freedom];
        }
    }
    MYRIAD_HD void solve_loads() {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < system.topology.freedoms(); ++i) if (is_held_[i]) scratch.solution[i] =
            Real(0.0);
        scratch.system.solve(scratch.solution.e, scratch.row_solution);
    }
    MYRIAD_HD Real rate(int i) const { return scratch.solution[i]; }
    MYRIAD_HD Real multiplier(int r) const { return scratch.row_solution[r]; }
    // W^T z
    template <class AnyPlaces>
    MYRIAD_HD Real along(const AnyPlaces& places, int row) const {
        return places.velocity(row, scratch.solution);
    }
    // Squared length of c_q z: metres over length_scale, radians.
    MYRIAD_HD Real square(Real c_q) const { return system.square_of(scratch.solution, c_q); }

    // Takes a state whose prescribed coordinates have their values to the rows. Returns the lanes that are there.
    MYRIAD_HD Mask put_on_rows(Mask lanes, Real time_s, Configuration& q, Velocity& v) {
        if (system.topology.constraint_rows() == 0) {
            system.settle(q);
            return true_mask<Real>();
        }
        const Real kept = scratch.weak_place;
        const RowsMet<Real> met = myriad::meet_rows(system, scratch, lanes, time_s, q, v);
        scratch.weak_place = kept;
        found(met.weak_place, lanes);
        return met.outcome.converged;
    }
    // Changes of positions by z, from a pose that counts as unchanged; their length as assembly measures it.
    MYRIAD_HD void stay() { system.set_still(moved_); }
    MYRIAD_HD void move(Mask going, Configuration& q) {
        const Real one(1.0);
        // A correction beyond the series of the exponential is no good direction anyway; it is cut.
        const Real square = Real(4.0) * system.reach(scratch.solution);
        const Real share = select(square <= one, one, one / sqrt(square));
        Velocity increment;
        increment.fit(system.topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < increment.size(); ++i) {
            increment[i] = share * scratch.solution[i];
            moved_[i] = select(going, moved_[i] + increment[i], moved_[i]);
        }
        Configuration moved;
        moved.fit(system.topology);
        system.retract(q, increment, moved);
        visit_fields([&](Real& to, Real& from) { to = select(going, from, to); }, q, moved);
    }
    MYRIAD_HD Real distance() const { return sqrt(system.square_of(moved_, Real(1.0))); }
    MYRIAD_HD Assembled<Real> assemble(Configuration& q, Velocity& v, Velocity& a, MultiplierVector& multipliers) {
        return myriad::assemble(system, scratch, q, v, a, multipliers);
    }
    // Takes a pose that contacts have moved to a consistent state, at time 0.
    MYRIAD_HD Assembled<Real> assemble_again(Configuration& q, Velocity& v, Velocity& a,
                                             MultiplierVector& multipliers) {
        Assembled<Real> assembled{Real(0.0), Real(0.0)};
        system.count_turns(q);
        system.prescribe_at(Real(0.0), q, v);
        const RowsMet<Real> met = meet_rows(system, scratch, true_mask<Real>(), Real(0.0), q, v);
        assembled.reason = reason_unless(met.outcome.converged, Reason::loop_does_not_close, assembled.reason);
        const Mask lost = system.solve_acceleration(q, v, Real(0.0), scratch, a, multipliers);
        assembled.reason = reason_unless(!lost, Reason::matrix_singular, assembled.reason);
        return assembled;
    }

    // J. `here`: where the contacts or the equations were found last.
    MYRIAD_HD Real kinetic_energy_here(const Configuration& q, const Velocity& v) { return energies(q, v).kinetic; }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) {
        const Energies<Real> energy = energies(q, v);
        return energy.kinetic + energy.potential;
    }
    MYRIAD_HD Real energy_here(const Configuration& q, const Velocity& v) {
        const Energies<Real> energy = energies_here(q, v);
        return energy.kinetic + energy.potential;
    }
    // The forces of prescribed coordinates in `power` lack those of contacts.
    template <class Loads>
    MYRIAD_HD Real with_contacts(Real power, const Configuration& q, const Loads& force, Places& places) {
        const auto& topology = system.topology;
        if (topology.prescribed() == 0 || force.size() == 0) return power;
        find(q, places);
        MYRIAD_EACH(i, topology, prescribed) {
            const PrescribedCoordinate& coordinate = topology.prescribed_coordinate(i);
            Real load(0.0);
            MYRIAD_UNROLL_PLAN for (int row = 0; row < force.size(); ++row) load =
                fma(places.gradient_at(row, coordinate.freedom), force[row], load);
            power = fma(-load, scratch.functions[coordinate.function].rate, power);
        }
        return power;
    }

    // J, done by drivers by the impulses of the solution over a step of `over_s`, or by those of an impact, over 0.
    // `mean`: of the rates before and after. `impulse`: of contacts, at `places`.
    template <class Loads>
    MYRIAD_HD Real work_of_drivers(const Configuration& q, const Velocity& mean, Real over_s, const Loads& impulse,
                                   const Places& places) {
        return joint_work_of_drivers(system, q, mean, over_s, impulse, places, scratch);
    }

    // Keeps the first weak place of each lane. Returns the lanes that have one.
    MYRIAD_HD Mask found(Real weak, Mask lanes) {
        scratch.weak_place = select(lanes & (scratch.weak_place < Real(0.0)), weak, scratch.weak_place);
        return Real(0.0) <= weak;
    }

  private:
    struct Held {
        const bool* is_held;
        MYRIAD_HD int operator()(int freedom) const { return is_held[freedom] ? 1 : 0; }
    };
    Velocity known_;  // z of prescribed coordinates
    Velocity moved_;
    bool is_held_[Topology::most_freedoms];  // coordinates whose z is known

    MYRIAD_HD auto links() const { return system.equations().links(); }
    MYRIAD_HD void set_none(MultiplierVector& none) const {
        none.fit(system.topology);
        MYRIAD_EACH(r, system.topology, rows) none[r] = Real(0.0);
    }
    MYRIAD_HD void hold_coordinates() {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < system.topology.freedoms(); ++i) is_held_[i] = false;
        MYRIAD_EACH(i, system.topology, prescribed) is_held_[system.topology.prescribed_coordinate(i).freedom] = true;
    }
    MYRIAD_HD void hold_prescribed() {
        system.set_still(known_);
        hold_coordinates();
    }
    MYRIAD_HD void hold_pinned() {
        const auto& topology = system.topology;
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const int pinned = topology.pinned(b);
            if (!(pinned & 3)) continue;
            for (int l = topology.link_of_body(b); l >= 0; l = topology.link(l).parent) {
                const TreeLink& link = topology.link(l);
                const bool is_free = link.parent < 0 && link.slides == 3 && link.turning == TreeTurning::any;
                const int first = link.freedom, turning = first + link.slides,
                          last = turning + freedoms_of(link.turning);
                for (int i = first; i < last; ++i)
                    if (!is_free || (pinned & (i < turning ? 1 : 2))) is_held_[i] = true;
            }
        }
    }
    // v with the rates of prescribed coordinates that `functions` say.
    MYRIAD_HD void change_prescribed(const Velocity& v, const Taylor<Real>* functions, Velocity& rates) {
        const auto& topology = system.topology;
        hold_prescribed();
        rates.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) rates[i] = v[i];
        MYRIAD_EACH(i, topology, prescribed) {
            const PrescribedCoordinate& coordinate = topology.prescribed_coordinate(i);
            rates[coordinate.freedom] = functions[coordinate.function].rate;
            known_[coordinate.freedom] = rates[coordinate.freedom] - v[coordinate.freedom];
        }
    }
    // f and the impulses of force elements over h, rows on velocity level.
    MYRIAD_HD void evaluate_over(const Configuration& q, const Velocity& v, Real h, MultiplierVector& none) {
        const auto& topology = system.topology;
        const Real zero(0.0), one(1.0);
        Velocity a;
        system.set_still(a), set_none(none);
        system.prescribe_acceleration(scratch.functions, a);
        system.equations().evaluate(q, v, a, none.e, {zero, zero, one, Level::velocity, true, true}, scratch);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) scratch.solution[i] = h * scratch.solution[i];
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (!element.has_law) continue;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                const int row = element.row[k];
                if (row >= 0) scratch.row_solution[row] = h * scratch.row_solution[row];
            }
        }
    }
    MYRIAD_HD void turn_if_free(int l, const Velocity& v, Real h) {
        const auto& topology = system.topology;
        const TreeLink& link = topology.link(l);
        if (link.turning != TreeTurning::any || link.slides < 3 || link.parent >= 0 || link.last_child >= 0) return;
        if (is_held_by_rows(topology, l)) return;
        const int first = link.freedom + link.slides;
        auto& matrix = scratch.system.matrix;
        turn_freely(
            h, links().mass(l).inertia, v.turning(first),
            [&](int i) MYRIAD_INLINE -> Real& { return scratch.solution[first + i]; },
            [&](int i, int k) MYRIAD_INLINE -> Real& {
                return k <= i ? matrix.lower[topology.entry(first + i, first + k)]
                              : matrix.upper[topology.entry(first + k, first + i)];
            });
    }
    // Without forces.
    MYRIAD_HD void evaluate_still(const Configuration& q, const Velocity& v, Level level) {
        const Real zero(0.0), one(1.0);
        Velocity still;
        MultiplierVector none;
        system.set_still(still), set_none(none);
        system.equations().evaluate(q, v, still, none.e, {zero, zero, one, level, false, true}, scratch);
    }
    MYRIAD_HD Mask factor(Mask lanes) { return found(scratch.system.factor(), lanes); }
    MYRIAD_HD Energies<Real> energies(const Configuration& q, const Velocity& v) {
        place_links(links(), q, scratch.places);
        pose_links(links(), scratch.places, scratch.frames.of);
        return energies_here(q, v);
    }
    MYRIAD_HD Energies<Real> energies_here(const Configuration& q, const Velocity& v) {
        rate_links(links(), scratch.places, v, scratch.frames.of);
        return joint_energies(system, q, v, scratch);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
