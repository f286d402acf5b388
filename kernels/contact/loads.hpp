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
#include "kernels/contact/effort.hpp"
#include "kernels/contact/equations.hpp"
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Behind the rows of contacts, directions c + k: that of a joint's dry friction.
template <class T>
MYRIAD_HD int friction_row(const T& topology, int friction) {
    return topology.contacts() * T::directions + friction;
}
template <class T>
constexpr int most_load_rows = T::most_contacts* T::directions + T::most_set_frictions;

// A number for each direction of each contact and for each dry friction of a joint.
template <class R, class T>
struct ContactLoads {
    using Real = R;
    T topology;
    Real e[most_load_rows<T> > 0 ? most_load_rows<T> : 1];

    MYRIAD_HD void fit(T given) { topology = given; }
    MYRIAD_HD int size() const { return friction_row(topology, topology.set_frictions()); }
    MYRIAD_HD Real& operator[](int i) { return e[i]; }
    MYRIAD_HD const Real& operator[](int i) const { return e[i]; }
    MYRIAD_HD void clear() { MYRIAD_UNROLL_PLAN for (int i = 0; i < size(); ++i) e[i] = Real(0.0); }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        visit_first(visit, first.size(), first.e, self.e...);
    }
};

// The closed contacts of a system. Dry friction of joints always acts.
template <class Real, class Topology>
struct ClosedContacts {
    Topology topology;
    MaskOf<Real> closed[Topology::most_contacts > 0 ? Topology::most_contacts : 1];

    // A contact is closed if g <= 0 but for the tolerance: round-off must not open a contact that rests.
    template <class Equations>
    static MYRIAD_HD ClosedContacts of(const Equations& equations, const typename Equations::Places& places,
                                       const ContactSettings& settings) {
        ClosedContacts masks;
        masks.topology = places.topology;
        MYRIAD_EACH(c, places.topology, contacts)
            masks.closed[c] = equations.closes(c, places.gap(c) <= Real(settings.gap_tolerance_m));
        return masks;
    }
    // As one number, the sum of 2^c over the closed contacts c, exact for up to 52 contacts; and back.
    MYRIAD_HD Real code() const {
        Real sum(0.0), one_more(1.0);
        MYRIAD_EACH(c, topology, contacts) {
            sum = select(closed[c], sum + one_more, sum);
            one_more = one_more + one_more;
        }
        return sum;
    }
    static MYRIAD_HD ClosedContacts of_code(Topology topology, Real code) {
        ClosedContacts masks;
        masks.topology = topology;
        double last = 1.0;
        MYRIAD_UNROLL_PLAN for (int c = 1; c < topology.contacts(); ++c) last = last + last;
        MYRIAD_UNROLL_PLAN for (int c = topology.contacts() - 1; c >= 0; --c) {
            masks.closed[c] = Real(last) <= code;
            code = select(masks.closed[c], code - Real(last), code);
            last = 0.5 * last;
        }
        return masks;
    }
    MYRIAD_HD MaskOf<Real> any_closed() const {
        MaskOf<Real> some = !true_mask<Real>();
        MYRIAD_EACH(c, topology, contacts) some = some | closed[c];
        return some;
    }
    MYRIAD_HD MaskOf<Real> any_acts() const { return topology.set_frictions() > 0 ? true_mask<Real>() : any_closed(); }
    MYRIAD_HD MaskOf<Real> acts(int row) const {
        return row < friction_row(topology, 0) ? closed[row / Topology::directions] : true_mask<Real>();
    }
};

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

// Contacts 2 m and 2 m + 1 are a pair for kernels/contact/pair_sweeps.hpp.
template <class T>
constexpr bool has_pairs = false;
template <class T>
requires requires { T::has_pairs; }
constexpr bool has_pairs<T> = T::has_pairs;

// Unrolled, a solver of more rows would take a compiler for GPUs minutes.
constexpr int most_unrolled_rows = 11;
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

// The largest force of a joint's dry friction, N or N m.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real dry_force(const System& system, int friction) {
    if constexpr (ContactTopologyOf<System>::most_set_frictions > 0)
        return Real((*system.parameters)[system.topology.friction(friction).parameter]);
    return Real(0.0);
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
    using Contacts = ContactsOfSystem<Topology, 1>;
    static constexpr int capacity = Contacts::capacity, directions = Topology::directions;

    const System& system;
    const Places& places;
    const Closed& masks;
    const ContactSettings& settings;
    ContactEffort<Real>& effort;
    Real noise;  // noise of u, m/s: joints kept on position level keep velocities to Newton's tolerance over the step

    bool rough = true;        // false: without friction
    bool rebounds = false;    // true: an impact, u is u^+ + eps u^- with u^- that without l
    bool joints_rub = false;  // true: dry friction of joints takes part, l is a force times `over_s`
    Real over_s = Real(1.0);
    const Places* seen = nullptr;  // the places where u is measured; null: where l acts

    // `equations` hold S factored and f; they are left with the solution. Lanes in `lanes` get l in `load`, which holds
    // the guess before. `joints` replaces f in the rows of the joints when u is computed; it may be null. Returns the
    // lanes whose problem is solved, or that had none.
    MYRIAD_CALLED Mask solve(Equations& equations, Mask lanes, Real s, const Loads& given, const Real* joints,
                             Loads& load) const {
        if constexpr (capacity > 0) return solve_some(equations, lanes, s, given, joints, load);
        equations.solve();
        return true_mask<Real>();
    }

  private:
    using List = typename Contacts::List;
    using Problem = ContactProblem<capacity, Contacts::tangents, Real, List>;

    MYRIAD_HD Mask solve_some(Equations& equations, Mask lanes, Real s, const Loads& given, const Real* joints,
                              Loads& load) const {
        const auto& topology = contact_topology(system);
        Real right_hand_side[Equations::most_unknowns];
        equations.keep(right_hand_side);
        const Mask touching = lanes & (joints_rub ? masks.any_acts() : masks.any_closed());
        if (!any(touching)) {
            equations.solve();
            return true_mask<Real>();
        }
        if (joints != nullptr) equations.replace_joints(joints);
        equations.solve();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) load[i] =
            select(touching & !masks.acts(i), Real(0.0), load[i]);
        Problem problem;
        const int contacts = topology.contacts();
        problem.listed = Contacts::where(
            joints_rub ? contacts + topology.set_frictions() : contacts,
            [&](int k) MYRIAD_INLINE { return k >= contacts || any(masks.closed[k] & touching); },
            [&](int k) MYRIAD_INLINE { return rows_of_load(topology, k); });
        return solve(problem, equations, touching, s, given, right_hand_side, load);
    }
    MYRIAD_HD Mask solve(Problem& problem, Equations& equations, Mask touching, Real s, const Loads& given,
                         const Real* right_hand_side, Loads& load) const {
        const auto& topology = contact_topology(system);
        const auto& listed = problem.listed;
        const int rows = problem.row_count();
        const Real zero(0.0);
        const Places& measured = seen != nullptr ? *seen : places;
        const auto row_of_system = [&](int row) MYRIAD_INLINE { return Contacts::row_of_system(listed, row); };
        MYRIAD_UNROLL_ROWS for (int k = 0; k < listed.count(); ++k) {
            if constexpr (List::has_bounds)
                if (listed.is_bounded(k)) {
                    problem.bilateral[k] = !true_mask<Real>(), problem.closed[k] = touching;
                    problem.friction[k] = over_s * dry_force(system, listed.number(k) - topology.contacts());
                    continue;
                }
            const int c = listed.number(k);
            problem.closed[k] = masks.closed[c] & touching;
            problem.bilateral[k] = equations.is_held(c);
            problem.friction[k] = rough ? equations.law(c).friction : zero;
        }
        Vec<Problem::rows, Real> guess;
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) {
            const int row = row_of_system(i);
            // Adding 0 as above: which open contacts are listed depends on other lanes.
            const Real u = fma(s, equations.along(measured, row), given[row]);
            problem.free_velocity[i] = (rebounds ? fma(restitution(equations, row), u, u) : u) + zero;
            guess[i] = load[row] + zero;
        }
        MYRIAD_UNROLL_ROWS for (int j = 0; j < rows; ++j) {
            equations.clear();
            equations.add_load(places, row_of_system(j), Real(1.0));
            equations.solve_loads();
            const Mask closed = problem.is_closed(j);
            MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) problem.delassus.e[i][j] =
                select(closed & problem.is_closed(i), s * equations.along(measured, row_of_system(i)), zero);
        }
        if constexpr (Equations::has_joints) leave_out_noise(problem, noise);
        const ContactSolver<capacity, Contacts::tangents, Real, List> solver(problem);
        const ProxOutcome<Real> outcome = solver.template solve<has_pairs<Topology>>(
            touching, Real(settings.prox_tolerance), settings.most_prox_iterations, guess,
            Equations::has_joints ? noise : zero);
        effort.add(touching, outcome);
        equations.put_back(right_hand_side);
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) {
            Real& l = load[row_of_system(i)];
            l = select(touching, guess[i] + zero, l);
            equations.add_load(places, row_of_system(i), select(problem.is_closed(i), l, zero));
        }
        // Lanes that touch nothing get the bits of their first solution back.
        equations.solve();
        return outcome.converged | (!touching);
    }

    MYRIAD_HD Real restitution(const Equations& equations, int row) const {
        const int c = row / directions;
        return restitution_along(equations, c, row - c * directions);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
