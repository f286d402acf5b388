// Forces or impulses of a mechanism's contacts, of bodies that joints hold together: a linear system of its bodies and
// multipliers with a contact problem.
//
//   S z = f + W l,   u = s W^T z + given,   l and u by the laws of prox.hpp;   G = s W^T S^-1 W
//
// S: the saddle-point matrix of a Newton correction of a step (nonsmooth eqs. 30 to 38 with the joints' multipliers
// beside the accelerations), of an impact ([M B^T; B 0], eqs. 46 to 50), or of accelerations. Each direction of a
// closed contact costs one solve with the factors of S. Lanes without a closed contact get S^-1 f and cost no contact
// problem. Not handled: the derivative of W l in S (see nonsmooth_system.hpp).
#pragma once
#include "kernels/integrators/contact_impulse.hpp"
#include "kernels/mechanism/contacts.hpp"
#include "kernels/mechanism/mechanism.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A number for each direction of each contact: row 3 c + k.
template <class R, class T>
struct ContactLoads {
    using Real = R;
    T topology;
    Real e[T::most_contacts * contact_directions];

    MYRIAD_HD void fit(T given) { topology = given; }
    MYRIAD_HD int size() const { return topology.contacts() * contact_directions; }
    MYRIAD_HD Real& operator[](int i) { return e[i]; }
    MYRIAD_HD const Real& operator[](int i) const { return e[i]; }
    MYRIAD_HD void clear() { MYRIAD_UNROLL_PLAN for (int i = 0; i < size(); ++i) e[i] = Real(0.0); }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        const int count = first.size();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < count; ++i) visit(first.e[i], self.e[i]...);
    }
};

// Which contacts of a mechanism are closed.
template <class Real, class Topology>
struct ClosedContacts {
    Topology topology;
    MaskOf<Real> closed[Topology::most_contacts];

    // g <= 0 but for the tolerance: round-off must not open a contact that rests.
    static MYRIAD_HD ClosedContacts of(const ContactPlaces<Real, Topology>& places, const ContactSettings& settings) {
        ClosedContacts masks;
        masks.topology = places.topology;
        MYRIAD_UNROLL_PLAN for (int c = 0; c < places.topology.contacts(); ++c) masks.closed[c] =
            places.of[c].gap <= Real(settings.gap_tolerance_m);
        return masks;
    }
    MYRIAD_HD MaskOf<Real> any_closed() const {
        MaskOf<Real> some = !true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c) some = some | closed[c];
        return some;
    }
};

template <class S>
struct ContactLoadProblem {
    using System = S;
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Mask = MaskOf<Real>;
    using Places = ContactPlaces<Real, Topology>;
    using Loads = ContactLoads<Real, Topology>;
    using Closed = ClosedContacts<Real, Topology>;
    static constexpr int capacity = Topology::most_contacts, directions = contact_directions,
                         unknown_capacity = 6 * Topology::most_bodies + Topology::most_rows;

    const System& system;
    const Places& places;
    const Closed& masks;
    const ContactSettings& settings;
    ContactEffort<Real>& effort;

    // Scratch has S factored and f as the right-hand side. Leaves z in work.solution and, for lanes in `lanes`, l in
    // `load`, which is the guess before. Returns the lanes whose problem is solved, or that had none.
    MYRIAD_ROOM Mask solve(typename System::Scratch& scratch, Mask lanes, Real s, const Loads& given,
                           Real friction_share, Loads& load) const {
        auto& work = scratch.work;
        const Topology& topology = system.topology;
        const int unknowns = 6 * topology.bodies() + topology.rows();
        Real right_hand_side[unknown_capacity];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) right_hand_side[i] = work.right_hand_side[i];
        system.solve(work, scratch.matrix);
        const Mask touching = lanes & masks.any_closed();
        if (!any(touching)) return true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) load[i] =
            select(touching & !masks.closed[i / directions], Real(0.0), load[i]);
        if constexpr (Topology::lists_contacts) {
            ContactProblem<capacity, 2, Real, ListedContacts<capacity>> problem;
            problem.listed.listed = 0, problem.listed.of = topology.contacts();
            for (int c = 0; c < topology.contacts(); ++c)
                if (any(masks.closed[c] & touching))
                    problem.listed.numbers[problem.listed.listed++] = static_cast<short>(c);
            return solve(problem, scratch, touching, s, given, friction_share, right_hand_side, load);
        } else {
            ContactProblem<capacity, 2, Real> problem;
            return solve(problem, scratch, touching, s, given, friction_share, right_hand_side, load);
        }
    }

  private:
    template <class Problem>
    MYRIAD_HD Mask solve(Problem& problem, typename System::Scratch& scratch, Mask touching, Real s, const Loads& given,
                         Real friction_share, const Real* right_hand_side, Loads& load) const {
        auto& work = scratch.work;
        const Topology& topology = system.topology;
        const auto& listed = problem.listed;
        const int unknowns = 6 * topology.bodies() + topology.rows(), rows = problem.row_count();
        const Real zero(0.0);
        const auto row_of_mechanism = [&](int row) MYRIAD_INLINE {
            return listed.number(row / directions) * directions + row % directions;
        };
        MYRIAD_UNROLL_PLAN for (int k = 0; k < listed.count(); ++k) {
            const int c = listed.number(k);
            problem.closed[k] = masks.closed[c] & touching, problem.bilateral[k] = !true_mask<Real>();
            problem.friction[k] = friction_share * contact_law<Real>(topology.contact(c), *system.parameters).friction;
        }
        Vec<Problem::rows, Real> guess;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) {
            const int row = row_of_mechanism(i);
            // Adding 0 takes the sign from a zero: it would tell which contacts of other lanes are listed beside.
            problem.free_velocity[i] = fma(s, along(work, row), given[row]) + zero;
            guess[i] = load[row] + zero;
        }
        MYRIAD_UNROLL_PLAN for (int j = 0; j < rows; ++j) {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) work.right_hand_side[i] = zero;
            places.add_load(row_of_mechanism(j), Real(1.0), work.right_hand_side);
            system.solve(work, scratch.matrix);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) problem.delassus.e[i][j] =
                select(problem.closed[i / directions] & problem.closed[j / directions],
                       s * along(work, row_of_mechanism(i)), zero);
        }
        const ProxOutcome<Real> outcome =
            ContactSolver<Problem::contacts, 2, Real, typename Problem::List>(problem).solve(
                touching, Real(settings.prox_tolerance), settings.most_prox_iterations, guess);
        effort.add(touching, outcome);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) work.right_hand_side[i] = right_hand_side[i];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) {
            Real& l = load[row_of_mechanism(i)];
            l = select(touching, guess[i] + zero, l);
            places.add_load(row_of_mechanism(i), select(problem.closed[i / directions], l, zero), work.right_hand_side);
        }
        // Lanes that touch nothing find the bits of their first solution again.
        system.solve(work, scratch.matrix);
        return outcome.converged | (!touching);
    }

    // W^T z
    MYRIAD_HD Real along(const typename System::Places& work, int row) const {
        const int c = row / directions;
        return along_contact(
            system.topology.contact(c), places.of[c], row - c * directions,
            [&](int b) MYRIAD_INLINE { return system.solved_translation(work, b); },
            [&](int b) MYRIAD_INLINE { return system.solved_rotation(work, b); });
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
