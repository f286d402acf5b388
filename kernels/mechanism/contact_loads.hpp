// Forces or impulses of the contacts of a mechanism whose bodies are held together by joints: a linear system of its
// bodies and multipliers with a contact problem.
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

// The distance of velocities from those that the joints admit, m/s, where joints are kept on position level.
template <class System, class Real>
MYRIAD_HD Real contact_noise(const System& system, const Schedule& schedule, Real step_s) {
    return Real(schedule.newton_tolerance) * system.parameter(length_scale_parameter) / step_s;
}

// s (B v + phi_t) of the constraint rows, in the order of the multipliers; 0 for rows with a law.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE void joint_rates(const System& system, const Bodies<Real, System::Topology::most_bodies>& bodies,
                                 const Taylor<Real>* functions, const Real* turned, Real s, Real* rates) {
    const auto equations = system.equations(functions);
    MYRIAD_UNROLL_PLAN for (int e = 0; e < system.topology.elements(); ++e) {
        const Element& element = system.topology.element(e);
        if (element.is_sensor) continue;
        const Rows<Real> rows = equations.rows(element, bodies, turned);
        MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
            if (element.row[k] < 0) continue;
            const Real rate = row_rate(element, rows, k, bodies) + rows.partial_rate[k];
            rates[element.row[k]] = element.has_law ? Real(0.0) : s * rate;
        }
    }
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
    Real noise;  // noise of u, m/s: joints kept on position level keep velocities to Newton's tolerance over the step

    bool rough = true;             // false: without friction
    bool rebounds = false;         // true: an impact, u is u^+ + eps u^- with u^- that without l
    const Places* seen = nullptr;  // the places where u is measured; null: where l acts

    // Scratch holds S factored and f as the right-hand side. The solution is left in work.solution. Lanes in `lanes`
    // get l in `load`, which holds the guess before. `joints` replaces f in the rows of the joints when u is computed;
    // it may be null. Returns the lanes whose problem is solved, or that had none.
    MYRIAD_NOINLINE Mask solve(typename System::Scratch& scratch, Mask lanes, Real s, const Loads& given,
                               const Real* joints, Loads& load) const {
        auto& work = scratch.work;
        const Topology& topology = system.topology;
        const int unknowns = 6 * topology.bodies() + topology.rows();
        Real right_hand_side[unknown_capacity];
        // Adding 0 takes the sign from a zero. Forces of no size, those of contacts that only other lanes have closed,
        // would take it too.
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) right_hand_side[i] = work.right_hand_side[i] =
            work.right_hand_side[i] + Real(0.0);
        const Mask touching = lanes & masks.any_closed();
        if (!any(touching)) {
            system.solve(work, scratch.matrix);
            return true_mask<Real>();
        }
        if (joints != nullptr) replace_joints(joints, work.right_hand_side);
        system.solve(work, scratch.matrix);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < load.size(); ++i) load[i] =
            select(touching & !masks.closed[i / directions], Real(0.0), load[i]);
        Problem problem;
        problem.listed =
            List::where(topology.contacts(), [&](int c) MYRIAD_INLINE { return any(masks.closed[c] & touching); });
        return solve(problem, scratch, touching, s, given, right_hand_side, load);
    }

  private:
    using List = ContactList<capacity, Topology::lists_contacts>;
    using Problem = ContactProblem<capacity, 2, Real, List>;

    MYRIAD_HD Mask solve(Problem& problem, typename System::Scratch& scratch, Mask touching, Real s, const Loads& given,
                         const Real* right_hand_side, Loads& load) const {
        auto& work = scratch.work;
        const Topology& topology = system.topology;
        const auto& listed = problem.listed;
        const int unknowns = 6 * topology.bodies() + topology.rows(), rows = problem.row_count();
        const Real zero(0.0);
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
            const Real u = fma(s, along(work, row), given[row]);
            problem.free_velocity[i] = (rebounds ? fma(restitution(row), u, u) : u) + zero;
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
        leave_out_noise(problem, noise);
        const ProxOutcome<Real> outcome = ContactSolver<capacity, 2, Real, List>(problem).solve(
            touching, Real(settings.prox_tolerance), settings.most_prox_iterations, guess, noise);
        effort.add(touching, outcome);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) work.right_hand_side[i] = right_hand_side[i];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) {
            Real& l = load[row_of_mechanism(i)];
            l = select(touching, guess[i] + zero, l);
            places.add_load(row_of_mechanism(i), select(problem.closed[i / directions], l, zero), work.right_hand_side);
        }
        // Lanes that touch nothing get the bits of their first solution back.
        system.solve(work, scratch.matrix);
        return outcome.converged | (!touching);
    }

    // The rows of force elements stay as they are.
    MYRIAD_HD void replace_joints(const Real* joints, Real* right_hand_side) const {
        MYRIAD_UNROLL_PLAN for (int e = 0; e < system.topology.elements(); ++e) {
            const Element& element = system.topology.element(e);
            if (element.has_law || element.is_sensor) continue;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                const int row = element.row[k];
                if (row >= 0) right_hand_side[6 * system.topology.bodies() + row] = joints[row];
            }
        }
    }
    MYRIAD_HD Real restitution(int row) const {
        const int c = row / directions;
        const ContactLaw<Real> law = contact_law<Real>(system.topology.contact(c), *system.parameters);
        return row == c * directions ? law.normal_restitution : law.tangential_restitution;
    }
    // W^T z
    MYRIAD_HD Real along(const typename System::Places& work, int row) const {
        const int c = row / directions;
        return along_contact(
            system.topology.contact(c), (seen != nullptr ? *seen : places).of[c], row - c * directions,
            [&](int b) MYRIAD_INLINE { return system.solved_translation(work, b); },
            [&](int b) MYRIAD_INLINE { return system.solved_rotation(work, b); });
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
