// Forces or impulses of the contacts of a system whose bodies may be held together by joints: a linear system of its
// rates and multipliers (equations.hpp) with a contact problem. Dry friction of joints takes part in it.
//
//   S z = f + W l,   u = s W^T z' + given,   l and u by the laws of prox.hpp;   G = s W^T S^-1 W
//
// z' is z, or in a step the solution with other right-hand sides of the joints (integrators/contact/timestepping.hpp).
// S: the saddle-point matrix of a Newton correction of a step (nonsmooth eqs. 30 to 38 with the joints' multipliers
// beside the accelerations), of an impact ([M B^T; B 0], eqs. 46 to 50), or of accelerations. Each direction of a
// closed contact costs one solve with the factors of S. Lanes without a closed contact get S^-1 f and cost no contact
// problem. Not handled: the derivative of W l in S (see nonsmooth_system.hpp).
#pragma once
#include "kernels/contact/closed_contacts.hpp"
#include "kernels/contact/contact_choice.hpp"
#include "kernels/contact/equations.hpp"
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/contact/pair_choice.hpp"
#include "kernels/math/control.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The distance of velocities from those that the joints admit, m/s, where joints are kept on position level.
template <class Equations, class Real>
MYRIAD_HD Real contact_noise(const Equations& equations, const Schedule& schedule, Real step_s) {
    if constexpr (Equations::has_joints)
        return Real(schedule.newton_tolerance) * equations.length_scale() / step_s;
    else
        return Real(0.0);
}

// The joints may leave a contact no motion in some direction, as those of a planar mechanism leave none across its
// plane. There the noise of u would ask for any force.
template <class Problem, class Real>
MYRIAD_HD void leave_out_noise(Problem& problem, Real noise) {
    Real largest(0.0);
    MYRIAD_UNROLL_ROWS for (int i = 0; i < problem.row_count(); ++i) largest =
        maximum(absolute(problem.delassus.e[i][i]), largest);
    const Real least = constant<Real>(1e-10, 1e-4) * largest;
    MYRIAD_UNROLL_ROWS for (int i = 0; i < problem.row_count(); ++i) {
        Real& u = problem.free_velocity[i];
        const MaskOf<Real> immobile = absolute(problem.delassus.e[i][i]) <= least, small = absolute(u) <= noise;
        u = select(immobile & small, Real(0.0), u);
    }
}

// Kernels that are compiled for one mechanism with unrolled loops know how many tangents all its contacts have, where
// that is one number and joints have no dry friction; -1: they differ.
template <class T>
constexpr int even_tangents = -1;
template <class T>
requires requires { T::even_tangents; }
constexpr int even_tangents<T> = T::even_tangents;

// Contacts 2 m and 2 m + 1 are a pair for kernels/contact/pair_sweeps.hpp where all contacts have one tangent.
template <class T>
constexpr bool may_sweep_in_pairs = T::most_contacts > 1 && (even_tangents<T> == 1 || even_tangents<T> == -1);
template <class T>
MYRIAD_HD bool sweeps_in_pairs(const T& topology) {
    bool are_planar = topology.contacts() > 1 && topology.set_frictions() == 0;
    MYRIAD_EACH(c, topology, contacts) are_planar = are_planar && topology.contact(c).tangents == 1;
    return are_planar;
}

// Whether lanes choose their own pair. One instance alone lists its closed contacts, which are fewer still.
template <class Equations, class T = typename Equations::Topology>
constexpr bool chooses_pairs = false;
template <class Equations, class T>
requires requires { typename Equations::Factored; }
constexpr bool chooses_pairs<Equations, T> = even_tangents<T> == 1 && T::most_contacts > 2 &&
                                             T::most_contacts % 2 == 0 &&
                                             (!T::lists_contacts || Lanes<typename Equations::Real>::width > 1);

template <class T, int stages>
constexpr int listed_tangents = T::lists_contacts ||
                                        stages* T::most_contacts*(1 + even_tangents<T>) <= most_unrolled_rows
                                    ? even_tangents<T>
                                    : -1;

// How a contact problem lists the contacts of a system, those of `stages` stages one after the other.
template <class T, int stages, int even = listed_tangents<T, stages>>
struct ContactsOfSystem {
    static constexpr int capacity = stages * T::most_contacts, tangents = even;
    using List = ContactList<capacity, even, T::lists_contacts>;
    template <class Closed, class RowsOf>
    static MYRIAD_HD List where(int count, const Closed& closed, const RowsOf&) {
        return List::where(count, closed);
    }
    // The place of a row among those of one stage.
    static MYRIAD_HD int row_of_system(const List& list, int row) {
        return list.number(list.contact_of(row)) % T::most_contacts * T::directions + row % (1 + even);
    }
};
template <class T, int stages>
struct ContactsOfSystem<T, stages, -1> {
    static constexpr int capacity = stages * (T::most_contacts + T::most_set_frictions), tangents = 2;
    using List = MixedContacts<capacity, stages * T::most_contact_rows, T::lists_contacts>;
    template <class Closed, class RowsOf>
    static MYRIAD_HD List where(int count, const Closed& closed, const RowsOf& rows_of) {
        return List::where(count, closed, rows_of);
    }
    static MYRIAD_HD int row_of_system(const List& list, int row) { return list.row_of_system(row); }
};

// The share of the velocity before that comes back along direction k; a contact that is held gives none back.
template <class Equations, class Real = typename Equations::Real>
MYRIAD_HD Real restitution_along(const Equations& equations, int c, int k) {
    const ContactLaw<Real> law = equations.law(c);
    return equations.unless_held(c, k == 0 ? law.normal_restitution : law.tangential_restitution, Real(0.0));
}

// The largest normal load of a contact that is not held: one that is acts in both ways, as a joint does.
template <class Equations, class Topology, class Real = typename Equations::Real>
MYRIAD_HD Real largest_normal(const Equations& equations, const ContactLoads<Real, Topology>& loads) {
    Real largest(0.0);
    MYRIAD_EACH(c, loads.topology, contacts)
        largest = equations.unless_held(c, maximum(loads[c * Topology::directions], largest), largest);
    return largest;
}

// The largest forces of the dry frictions of joints, N or N m.
template <class Real, class T>
struct DryForces {
    Real largest[T::most_set_frictions > 0 ? T::most_set_frictions : 1];
};
// Those in a step that begins in this state; `memory` has its accelerations, multipliers and forces.
template <class Equations, class Memory, class Real = typename Equations::Real>
MYRIAD_HD void find_dry_forces(Equations& equations, Real time_s, const Motion<typename Equations::System>& motion,
                               const Memory& memory, DryForces<Real, typename Equations::Topology>& dry) {
    if constexpr (Equations::Topology::most_set_frictions > 0)
        equations.find_dry_forces(time_s, motion, memory, dry.largest);
}
// The rows of contact k or, behind the contacts, of dry friction k - contacts.
template <class T>
MYRIAD_HD RowsOfContact rows_of_load(const T& topology, int k) {
    const int contacts = topology.contacts();
    if (k < contacts) return {topology.contact(k).tangents, false, k * T::directions};
    return {0, true, friction_row(topology, k - contacts)};
}

template <class S>
struct ContactLoadProblem {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Equations = ContactEquations<System>;
    using Topology = typename Equations::Topology;
    using Places = typename Equations::Places;
    using Loads = ContactLoads<Real, Topology>;
    using Closed = ClosedContacts<Real, Topology>;
    // Where lanes choose pairs, problems of all contacts are rare: nothing is gained by unrolled loops over their rows.
    static constexpr bool is_rare = chooses_pairs<Equations>;
    using Contacts = ContactsOfSystem<Topology, 1>;
    static constexpr int capacity = Contacts::capacity, directions = Topology::directions;

    const System& system;
    const Places& places;
    const Closed& masks;
    const ContactSettings& settings;
    ContactEffort<Real>& effort;
    Real noise;  // noise of u, m/s: joints kept on position level keep velocities to Newton's tolerance over the step

    bool rough = true;                               // false: without friction
    bool rebounds = false;                           // true: an impact, u is u^+ + eps u^- with u^- that without l
    const DryForces<Real, Topology>* dry = nullptr;  // where those of joints take part: l is a force times `over_s`
    Real over_s = Real(1.0);
    const Places* seen = nullptr;  // the places where u is measured; null: where l acts

    // `equations` hold S factored and f; they are left with the solution. Lanes in `lanes` get l in `load`, which holds
    // the guess before. `joints` replaces f in the rows of the joints when u is computed; it may be null. Returns the
    // lanes whose problem is solved, or that had none.
    MYRIAD_NOINLINE Mask solve(Equations& equations, Mask lanes, Real s, const Loads& given, const Real* joints,
                               Loads& load) const {
        if constexpr (capacity > 0) return solve_some(equations, lanes, s, given, joints, load);
        equations.solve();
        return true_mask<Real>();
    }

  private:
    using List = typename ListWhereRare<typename Contacts::List, is_rare>::Type;
    using Problem = ContactProblem<capacity, Contacts::tangents, Real, List>;

    MYRIAD_HD Mask solve_some(Equations& equations, Mask lanes, Real s, const Loads& given, const Real* joints,
                              Loads& load) const {
        Real right_hand_side[Equations::most_unknowns];
        equations.keep(right_hand_side);
        const Mask touching = lanes & (dry ? masks.any_acts() : masks.any_closed());
        Mask solved = true_mask<Real>();
        MYRIAD_WHEN(touching) {
            if (joints != nullptr) equations.replace_joints(joints);
            equations.solve();
            MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) load[i] =
                select(touching & !masks.acts(i), Real(0.0), load[i]);
            if constexpr (is_traced<Real>)
                solved = solve_traced(equations, touching, s, given, right_hand_side, load);
            else if constexpr (is_rare)
                solved = solve_pairs(equations, touching, s, given, right_hand_side, load);
            else
                solved = solve_listed(equations, touching, s, given, right_hand_side, load);
        }
        // Lanes that touch nothing get the bits of their first solution back.
        equations.solve();
        return solved | (!touching);
    }

    // u without l, and G, of a problem whose contacts are known; `row_of(i)`: the row of the places, `given_of(i)` and
    // `restitution_of(i)`: what its row i has of these.
    template <class P, class AnyPlaces, class RowOf, class GivenOf, class RestitutionOf>
    MYRIAD_HD void fill(P& problem, Equations& equations, Real s, const AnyPlaces& acting, const AnyPlaces& measured,
                        const RowOf& row_of, const GivenOf& given_of, const RestitutionOf& restitution_of) const {
        [[maybe_unused]] constexpr int rows_at_once = P::rows_at_once;
        const int rows = problem.row_count();
        const Real zero(0.0);
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) {
            // Adding 0 takes the sign from a zero: which open contacts are listed depends on other lanes.
            const Real u = fma(s, equations.along(measured, row_of(i)), given_of(i));
            problem.free_velocity[i] = (rebounds ? fma(restitution_of(i), u, u) : u) + zero;
        }
        MYRIAD_UNROLL_ROWS for (int j = 0; j < rows; ++j) {
            const Mask closed = problem.is_closed(j);
            equations.clear();
            equations.add_load(acting, row_of(j), closed, Real(1.0));
            equations.solve_loads();
            MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) problem.delassus.e[i][j] =
                select(closed & problem.is_closed(i), s * equations.along(measured, row_of(i)), zero);
        }
    }

    // The lanes in `touching`, by the problem of all contacts that these have closed. Leaves the loads in `equations`.
    MYRIAD_HD Mask solve_listed(Equations& equations, Mask touching, Real s, const Loads& given,
                                const Real* right_hand_side, Loads& load) const {
        [[maybe_unused]] constexpr int rows_at_once = Problem::rows_at_once;
        const auto& topology = contact_topology(system);
        const Real zero(0.0);
        Problem problem;
        const int contacts = topology.contacts();
        problem.listed = Contacts::where(
            dry ? contacts + topology.set_frictions() : contacts,
            [&](int k) MYRIAD_INLINE { return k >= contacts || is_wanted(masks.closed[k] & touching); },
            [&](int k) MYRIAD_INLINE { return rows_of_load(topology, k); });
        const auto& listed = problem.listed;
        const int rows = problem.row_count();
        const auto row_of_system = [&](int row) MYRIAD_INLINE { return Contacts::row_of_system(listed, row); };
        MYRIAD_UNROLL_ROWS for (int k = 0; k < listed.count(); ++k) {
            if constexpr (List::has_bounds)
                if (listed.is_bounded(k)) {
                    problem.bilateral[k] = !true_mask<Real>(), problem.closed[k] = touching;
                    problem.friction[k] = over_s * dry->largest[listed.number(k) - contacts];
                    continue;
                }
            const int c = listed.number(k);
            problem.closed[k] = masks.closed[c] & touching;
            problem.bilateral[k] = equations.is_held(c);
            problem.friction[k] = rough ? equations.law(c).friction : zero;
        }
        Vec<Problem::rows, Real> guess;
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) guess[i] = load[row_of_system(i)];
        fill(
            problem, equations, s, places, measured_places(), row_of_system,
            [&](int i) MYRIAD_INLINE { return given[row_of_system(i)]; },
            [&](int i) MYRIAD_INLINE { return restitution(equations, row_of_system(i)); });
        if constexpr (Equations::has_joints) leave_out_noise(problem, noise);
        const ContactSolver<capacity, Contacts::tangents, Real, List> solver(problem);
        constexpr bool may_sweep = may_sweep_in_pairs<Topology>, is_apart = is_rare || List::has_bounds;
        const ProxOutcome<Real> outcome = solver.template solve<may_sweep, is_apart>(
            touching, Real(settings.prox_tolerance), settings.most_prox_iterations, guess,
            Equations::has_joints ? noise : zero, sweeps_in_pairs(topology));
        effort.add(touching, outcome);
        equations.put_back(right_hand_side);
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) {
            Real& l = load[row_of_system(i)];
            l = select(problem.is_closed(i), guess[i] + zero, l);
            equations.add_load(places, row_of_system(i), problem.is_closed(i), l);
        }
        return outcome.converged;
    }

    MYRIAD_HD Mask solve_traced(Equations& equations, Mask touching, Real s, const Loads& given,
                                const Real* right_hand_side, Loads& load) const {
        using Choice = ContactChoice<Real, Topology>;
        const auto& topology = contact_topology(system);
        const bool in_pairs = sweeps_in_pairs(topology);
        if (!Choice::is_needed(topology, in_pairs))
            return solve_listed(equations, touching, s, given, right_hand_side, load);
        const auto choice = Choice::of(topology, in_pairs, [&](int c) { return masks.closed[c] & touching; });
        return solve_chosen(choice, in_pairs, equations, touching, s, given, right_hand_side, load);
    }
    // Each lane by the problem of the contacts that it has chosen, and of the dry frictions of joints. Lanes that these
    // sweeps or steps do not solve stay behind.
    template <class Choice>
    MYRIAD_HD Mask solve_chosen(const Choice& choice, bool in_pairs, Equations& equations, Mask touching, Real s,
                                const Loads& given, const Real* right_hand_side, Loads& load) const {
        const Real zero(0.0);
        const Mask chosen = touching & !choice.over;
        MYRIAD_RARELY(touching & choice.over) {}
        const ChosenContacts<Choice, List> contacts(choice, dry ? choice.topology.set_frictions() : 0, 1);
        Problem problem;
        contacts.fill(
            problem, chosen, [&](int c) { return masks.closed[c]; },
            [&](int c) { return rough ? equations.law(c).friction : zero; },
            [&](int friction) { return over_s * dry->largest[friction]; });
        const int rows = problem.row_count();
        ChosenRows<Real, Topology, Problem::rows> acting, measured;
        acting.topology = measured.topology = choice.topology;
        Vec<Problem::rows, Real> l;
        for (int i = 0; i < rows; ++i) {
            l[i] = contacts.of_row(i, [&](int row) { return load[row]; });
            for (int f = 0; f < choice.topology.freedoms(); ++f) {
                acting.gradient[i][f] = contacts.of_row(i, [&](int row) { return places.gradient_at(row, f); });
                measured.gradient[i][f] =
                    contacts.of_row(i, [&](int row) { return measured_places().gradient_at(row, f); });
            }
        }
        fill(
            problem, equations, s, acting, measured, [](int i) { return i; },
            [&](int i) { return contacts.of_row(i, [&](int row) { return given[row]; }); },
            [&](int i) { return contacts.of_row(i, [&](int row) { return restitution(equations, row); }); });
        leave_out_noise(problem, noise);
        const ContactSolver<capacity, Contacts::tangents, Real, List> solver(problem);
        const Real tolerance(settings.prox_tolerance);
        ProxOutcome<Real> outcome;
        if (in_pairs) {
            outcome = solver.solve_by_sweeps(chosen, tolerance, settings.most_prox_iterations, l);
            MYRIAD_RARELY(chosen & !outcome.converged) {}
        } else {
            outcome = solver.solve(chosen, tolerance, settings.most_prox_iterations, l, noise);
        }
        effort.add(chosen, outcome);
        equations.put_back(right_hand_side);
        for (int i = 0; i < rows; ++i) {
            const Real own = l[i] + zero;
            contacts.put_row(i, chosen, [&](int row, Mask lanes) { load[row] = select(lanes, own, load[row]); });
            equations.add_load(acting, i, problem.is_closed(i), own);
        }
        return chosen & outcome.converged;
    }

    // What solve_pairs leaves to the problem of all contacts. It is rare, so it takes copies: where it stands the
    // numbers can lie in registers.
    struct Rest {
        System system;
        Places places, measured;
        Closed masks;
        ContactSettings settings;
        typename Equations::Factored factored;
        Loads given, load;
        ContactEffort<Real> effort;
        Mask lanes;  // in: those to solve; out: those solved
        Real s, noise;
        bool rough, rebounds;
    };
    static MYRIAD_APART void solve_rest(Rest& rest) {
        const System system = rest.system;
        Equations equations(system);
        equations.restore(rest.factored);
        ContactLoadProblem problem{system, rest.places, rest.masks, rest.settings, rest.effort, rest.noise};
        problem.rough = rest.rough, problem.rebounds = rest.rebounds, problem.seen = &rest.measured;
        Real unused[Equations::most_unknowns];
        equations.keep(unused);
        rest.lanes = problem.solve_listed(equations, rest.lanes, rest.s, rest.given, unused, rest.load);
    }

    // Each lane by the problem of the one pair that it has closed. Where a lane has several, or sweeps do not solve it,
    // that of all contacts follows.
    MYRIAD_HD Mask solve_pairs(Equations& equations, Mask touching, Real s, const Loads& given,
                               const Real* right_hand_side, Loads& load) const {
        constexpr int pairs = Topology::most_contacts / 2, pair_rows = 4;  // each contact has one tangent
        using Rows = Vec<pair_rows, Real>;
        const Real zero(0.0);
        const auto factored = equations.factored();
        const auto choice =
            PairChoice<Real, pairs>::of([&](int c) MYRIAD_INLINE { return masks.closed[c] & touching; });
        const Mask unique = choice.is_unique();
        const auto acting = places.pair(choice), measured = measured_places().pair(choice);
        ContactProblem<2, 1, Real> problem;
        MYRIAD_UNROLL for (int k = 0; k < 2; ++k) {
            problem.closed[k] = unique & choice.pick_mask([&](int p) MYRIAD_INLINE { return masks.closed[2 * p + k]; });
            problem.bilateral[k] = choice.pick_mask([&](int p) MYRIAD_INLINE { return equations.is_held(2 * p + k); });
            problem.friction[k] =
                rough ? choice.pick([&](int p) MYRIAD_INLINE { return equations.law(2 * p + k).friction; }) : zero;
        }
        Rows l;
        MYRIAD_UNROLL for (int i = 0; i < pair_rows; ++i) l[i] =
            choice.template pick_row<directions>(i, [&](int row) MYRIAD_INLINE { return load[row]; });
        fill(
            problem, equations, s, acting, measured, [](int i) MYRIAD_INLINE { return i; },
            [&](int i) MYRIAD_INLINE {
                return choice.template pick_row<directions>(i, [&](int row) MYRIAD_INLINE { return given[row]; });
            },
            [&](int i) MYRIAD_INLINE {
                return choice.template pick_row<directions>(
                    i, [&](int row) MYRIAD_INLINE { return restitution(equations, row); });
            });
        const ContactSolver<2, 1, Real> solver(problem);
        const ProxOutcome<Real> outcome =
            solver.solve_by_sweeps(unique, Real(settings.prox_tolerance), settings.most_prox_iterations, l);
        const Mask solved = unique & outcome.converged, rest = touching & !solved;
        effort.add(solved, outcome);
        Mask all_solved = solved;
        equations.put_back(right_hand_side);
        if (any(rest)) {
            Rest ended{system, places, measured_places(), masks, settings, factored, given, load, effort, rest, s,
                       noise,  rough,  rebounds};
            solve_rest(ended);
            all_solved = solved | ended.lanes, load = ended.load, effort = ended.effort;
            MYRIAD_EACH(c, places.topology, contacts) MYRIAD_UNROLL for (int k = 0; k < 2; ++k) {
                    const int row = c * directions + k;
                    equations.add_load(places, row, rest & masks.closed[c], load[row]);
                }
        }
        MYRIAD_UNROLL for (int i = 0; i < pair_rows; ++i) {
            const Real own = l[i] + zero;
            MYRIAD_UNROLL for (int p = 0; p < pairs; ++p) {
                Real& of_pair = load[(2 * p + i / 2) * directions + i % 2];
                of_pair = select(solved & choice.closed[p], own, of_pair);
            }
            equations.add_load(acting, i, solved & problem.is_closed(i), own);
        }
        return all_solved;
    }

    MYRIAD_HD const Places& measured_places() const { return seen != nullptr ? *seen : places; }
    MYRIAD_HD Real restitution(const Equations& equations, int row) const {
        const int c = row / directions;
        return restitution_along(equations, c, row - c * directions);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
