// Forces or impulses of the contacts of a mechanism whose bodies are held together by joints: a linear system of its
// rates and multipliers (contact_equations.hpp) with a contact problem.
//
//   S z = f + W l,   u = s W^T z' + given,   l and u by the laws of prox.hpp;   G = s W^T S^-1 W
//
// z' is z, or in a step the solution with other right-hand sides of the joints (mechanism_timestepping.hpp).
// S: the saddle-point matrix of a Newton correction of a step (nonsmooth eqs. 30 to 38 with the joints' multipliers
// beside the accelerations), of an impact ([M B^T; B 0], eqs. 46 to 50), or of accelerations. Each direction of a
// closed contact costs one solve with the factors of S. Lanes without a closed contact get S^-1 f and cost no contact
// problem. Not handled: the derivative of W l in S (see nonsmooth_system.hpp).
#pragma once
#include "kernels/contact/impulse.hpp"
#include "kernels/mechanism/contact_equations.hpp"

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
    MYRIAD_HD Real largest_normal() const {
        Real largest(0.0);
        MYRIAD_UNROLL_PLAN for (int c = 0; c < topology.contacts(); ++c) largest =
            maximum(e[c * contact_directions], largest);
        return largest;
    }
    MYRIAD_HD void clear() { MYRIAD_UNROLL_PLAN for (int i = 0; i < size(); ++i) e[i] = Real(0.0); }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        const int count = first.size();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < count; ++i) visit(first.e[i], self.e[i]...);
    }
};

// The closed contacts of a mechanism.
template <class Real, class Topology>
struct ClosedContacts {
    Topology topology;
    MaskOf<Real> closed[Topology::most_contacts];

    // A contact is closed if g <= 0 but for the tolerance: round-off must not open a contact that rests.
    template <class Places>
    static MYRIAD_HD ClosedContacts of(const Places& places, const ContactSettings& settings) {
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

// The distance of velocities from those that the joints admit, m/s, where joints are kept on position level.
template <class System, class Real>
MYRIAD_HD Real contact_noise(const System& system, const Schedule& schedule, Real step_s) {
    return Real(schedule.newton_tolerance) * system.parameter(length_scale_parameter) / step_s;
}

// The joints may leave a contact no motion in some direction, as those of a planar mechanism leave none across its
// plane. There the noise of u would ask for any force.
template <class Problem, class Real>
MYRIAD_HD void leave_out_noise(Problem& problem, Real noise) {
    Real largest(0.0);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < problem.row_count(); ++i) largest =
        maximum(absolute(problem.delassus.e[i][i]), largest);
    const Real least = constant<Real>(1e-10, 1e-4) * largest;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < problem.row_count(); ++i) {
        Real& u = problem.free_velocity[i];
        const MaskOf<Real> immobile = absolute(problem.delassus.e[i][i]) <= least, small = absolute(u) <= noise;
        u = select(immobile & small, Real(0.0), u);
    }
}

template <class S>
struct ContactLoadProblem {
    using System = S;
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Mask = MaskOf<Real>;
    using Equations = ContactEquations<System>;
    using Places = typename Equations::Places;
    using Loads = ContactLoads<Real, Topology>;
    using Closed = ClosedContacts<Real, Topology>;
    static constexpr int capacity = Topology::most_contacts, directions = contact_directions;

    const System& system;
    const Places& places;
    const Closed& masks;
    const ContactSettings& settings;
    ContactEffort<Real>& effort;
    Real noise;  // noise of u, m/s: joints kept on position level keep velocities to Newton's tolerance over the step

    bool rough = true;             // false: without friction
    bool rebounds = false;         // true: an impact, u is u^+ + eps u^- with u^- that without l
    const Places* seen = nullptr;  // the places where u is measured; null: where l acts

    // `equations` hold S factored and f; they are left with the solution. Lanes in `lanes` get l in `load`, which holds
    // the guess before. `joints` replaces f in the rows of the joints when u is computed; it may be null. Returns the
    // lanes whose problem is solved, or that had none.
    MYRIAD_NOINLINE Mask solve(Equations& equations, Mask lanes, Real s, const Loads& given, const Real* joints,
                               Loads& load) const {
        const Topology& topology = system.topology;
        Real right_hand_side[Equations::most_unknowns];
        equations.keep(right_hand_side);
        const Mask touching = lanes & masks.any_closed();
        if (!any(touching)) {
            equations.solve();
            return true_mask<Real>();
        }
        if (joints != nullptr) equations.replace_joints(joints);
        equations.solve();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) load[i] =
            select(touching & !masks.closed[i / directions], Real(0.0), load[i]);
        Problem problem;
        problem.listed =
            List::where(topology.contacts(), [&](int c) MYRIAD_INLINE { return any(masks.closed[c] & touching); });
        return solve(problem, equations, touching, s, given, right_hand_side, load);
    }

  private:
    using List = ContactList<capacity, Topology::lists_contacts>;
    using Problem = ContactProblem<capacity, 2, Real, List>;

    MYRIAD_HD Mask solve(Problem& problem, Equations& equations, Mask touching, Real s, const Loads& given,
                         const Real* right_hand_side, Loads& load) const {
        const Topology& topology = system.topology;
        const auto& listed = problem.listed;
        const int rows = problem.row_count();
        const Real zero(0.0);
        const Places& measured = seen != nullptr ? *seen : places;
        const auto row_of_mechanism = [&](int row) MYRIAD_INLINE { return problem.row_of(row, topology.contacts()); };
        MYRIAD_UNROLL_PLAN for (int k = 0; k < listed.count(); ++k) {
            const int c = listed.number(k);
            problem.closed[k] = masks.closed[c] & touching, problem.bilateral[k] = !true_mask<Real>();
            const Real friction = contact_law<Real>(topology.contact(c), *system.parameters).friction;
            problem.friction[k] = rough ? friction : zero;
        }
        Vec<Problem::rows, Real> guess;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) {
            const int row = row_of_mechanism(i);
            // Adding 0 as above: which open contacts are listed depends on other lanes.
            const Real u = fma(s, equations.along(measured, row), given[row]);
            problem.free_velocity[i] = (rebounds ? fma(restitution(row), u, u) : u) + zero;
            guess[i] = load[row] + zero;
        }
        MYRIAD_UNROLL_PLAN for (int j = 0; j < rows; ++j) {
            equations.clear();
            equations.add_load(places, row_of_mechanism(j), Real(1.0));
            equations.solve_loads();
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) problem.delassus.e[i][j] =
                select(problem.closed[i / directions] & problem.closed[j / directions],
                       s * equations.along(measured, row_of_mechanism(i)), zero);
        }
        leave_out_noise(problem, noise);
        const ProxOutcome<Real> outcome = ContactSolver<capacity, 2, Real, List>(problem).solve(
            touching, Real(settings.prox_tolerance), settings.most_prox_iterations, guess, noise);
        effort.add(touching, outcome);
        equations.put_back(right_hand_side);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) {
            Real& l = load[row_of_mechanism(i)];
            l = select(touching, guess[i] + zero, l);
            equations.add_load(places, row_of_mechanism(i), select(problem.closed[i / directions], l, zero));
        }
        // Lanes that touch nothing get the bits of their first solution back.
        equations.solve();
        return outcome.converged | (!touching);
    }

    MYRIAD_HD Real restitution(int row) const {
        const int c = row / directions;
        const ContactLaw<Real> law = contact_law<Real>(system.topology.contact(c), *system.parameters);
        return row == c * directions ? law.normal_restitution : law.tangential_restitution;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
