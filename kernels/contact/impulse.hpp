// Impulses, or forces over a given time, of closed contacts at a given pose: explicit parts of timestepping schemes.
//
//   v = v_free + s M^-1 W l,   u = V^T v + added,   l and u by the laws of prox.hpp
//
// An impact: s = 1, V = W, v_free = v^-, added = eps u^- (nonsmooth eqs. 17, 46 to 50). A half-explicit stage: s is the
// time over which the forces l act, W where they act and V where the velocities are to be admissible.
#pragma once
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/contact/prox.hpp"
#include "kernels/math/small_factors.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Settings of the solution of a step's equations, from the schedule.
struct ContactSettings {
    double newton_tolerance, prox_tolerance, gap_tolerance_m;
    int most_newton_iterations, most_prox_iterations;
    static MYRIAD_HD ContactSettings of(const Schedule& schedule) {
        return {schedule.newton_tolerance, schedule.prox_tolerance, schedule.gap_tolerance_m,
                static_cast<int>(schedule.most_newton_iterations), static_cast<int>(schedule.most_prox_iterations)};
    }
};

// The effort of one step's contact problems, and the largest residual that they were left with.
template <class Real>
struct ContactEffort {
    Real problems, iterations, most_iterations, residual;  // contact problems; the solver's
    static MYRIAD_HD ContactEffort none() { return {Real(0.0), Real(0.0), Real(0.0), Real(0.0)}; }
    MYRIAD_HD void add(MaskOf<Real> counted, const ProxOutcome<Real>& outcome) {  // lanes that had a problem
        problems = select(counted, problems + Real(1.0), problems);
        iterations = select(counted, iterations + outcome.iterations, iterations);
        most_iterations = select(counted, maximum(outcome.iterations, most_iterations), most_iterations);
        residual = select(counted, maximum(outcome.residual, residual), residual);
    }
};

template <int C, class Real>
struct ContactMasks {
    MaskOf<Real> closed[C > 0 ? C : 1], bilateral[C > 0 ? C : 1];
    MYRIAD_HD MaskOf<Real> any_closed() const {
        MaskOf<Real> some = !true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int k = 0; k < C; ++k) some = some | closed[k];
        return some;
    }
};

// A contact is closed if g <= 0 but for the tolerance: round-off must not open a contact that rests.
template <class System, class Real = typename System::Real>
MYRIAD_HD ContactMasks<System::contacts, Real> closed_contacts(const System& system,
                                                               const Vec<System::contacts, Real>& gap,
                                                               const ContactSettings& settings) {
    ContactMasks<System::contacts, Real> masks;
    if constexpr (System::contacts == 0) masks.closed[0] = masks.bilateral[0] = !true_mask<Real>();
    MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
        masks.bilateral[k] = system.held(k);
        const MaskOf<Real> used = !system.unused(k),
                           touching = masks.bilateral[k] | (gap[k] <= Real(settings.gap_tolerance_m));
        masks.closed[k] = touching & used;
    }
    return masks;
}

template <class System>
using ContactRows = Vec<System::contacts*(1 + System::tangents), typename System::Real>;

template <class System>
struct ContactImpulse {
    using Real = typename System::Real;
    static constexpr int n = System::freedoms, contacts = System::contacts, tangents = System::tangents,
                         directions = 1 + tangents, rows = contacts * directions;
    using Contact = ContactStateOf<System>;
    ContactRows<System> impulse;  // in: the guess; out: l
    Vec<n, Real> velocity;        // v, after
    MaskOf<Real> solved;
    Real friction_share = Real(1.0);  // 0: without friction

    // Lanes outside `lanes` keep `free` and their impulses.
    MYRIAD_NOINLINE void resolve(const System& system, const SmallFactors<n, Real>& mass, const Contact& forces,
                                 const Contact& velocities, Real time_s, const Vec<n, Real>& free,
                                 const ContactRows<System>& added, const ContactMasks<contacts, Real>& masks,
                                 const ContactSettings& settings, MaskOf<Real> lanes, ContactEffort<Real>& effort) {
        using List = ContactList<contacts, tangents, (contacts > 1)>;
        const Real zero(0.0);
        ContactProblem<contacts, tangents, Real, List> problem;
        problem.listed = List::where(contacts, [&](int k) MYRIAD_INLINE { return any(masks.closed[k] & lanes); });
        const auto& listed = problem.listed;
        const auto row_of = [&](int row) MYRIAD_INLINE { return problem.row_of(row, contacts); };
        ContactRows<System> given;
        Vec<n, Real> response[rows];
        MYRIAD_UNROLL_PLAN for (int k = 0; k < listed.count(); ++k) {
            const int c = listed.number(k);
            problem.friction[k] = friction_share * system.law(c).friction;
            problem.closed[k] = masks.closed[c], problem.bilateral[k] = masks.bilateral[c];
        }
        MYRIAD_UNROLL_PLAN for (int j = 0; j < problem.row_count(); ++j) {
            const int row = row_of(j);
            const MaskOf<Real> closed = problem.is_closed(j);
            Vec<n, Real> load;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < n; ++i) load[i] = select(closed, forces.direction[row][i], zero);
            response[j] = time_s * mass.solve(load);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < problem.row_count(); ++i) problem.delassus.e[i][j] =
                select(problem.is_closed(i), velocities.velocity(row_of(i), response[j]), zero);
            problem.free_velocity[j] = velocities.velocity(row, free) + added[row] + zero;
            given[j] = select(closed, impulse[row] + zero, zero);
        }
        const ProxOutcome<Real> outcome = ContactSolver<contacts, tangents, Real, List>(problem).solve(
            lanes, Real(settings.prox_tolerance), settings.most_prox_iterations, given);
        effort.add(lanes, outcome);
        solved = outcome.converged | (!lanes);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) impulse[i] = select(lanes, zero, impulse[i]);
        Vec<n, Real> whole;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < n; ++i) whole[i] = free[i] + zero;
        MYRIAD_UNROLL_PLAN for (int j = 0; j < problem.row_count(); ++j) {
            whole = fma(given[j], response[j], whole);
            impulse[row_of(j)] = select(lanes, given[j], impulse[row_of(j)]);
        }
        velocity = select(lanes, whole, free);
    }
};

// The power, W, that friction takes from a motion with velocities v; work, J, where the rows are impulses. `lost`: the
// loss; `worn`: the sum of the sizes over all contacts.
template <class Real>
struct FrictionWork {
    Real lost, worn;

    // The work over a step, J, by the trapezoidal rule. After an impact the powers of the beginning would cost the
    // first order; the end alone counts there.
    static MYRIAD_HD Real over(Real h, MaskOf<Real> after_impact, Real begin_W, Real end_W) {
        return (Real(0.5) * h) * (select(after_impact, end_W, begin_W) + end_W);
    }
};
template <class System, class Real = typename System::Real>
MYRIAD_HD FrictionWork<Real> friction_work(const ContactStateOf<System>& contact, const ContactRows<System>& rows,
                                           const typename System::Velocity& v) {
    constexpr int directions = 1 + System::tangents;
    FrictionWork<Real> work{Real(0.0), Real(0.0)};
    MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
        Real own(0.0);
        MYRIAD_UNROLL_PLAN for (int i = k * directions + 1; i < (k + 1) * directions; ++i) own =
            fma(-rows[i], contact.velocity(i, v), own);
        work.lost = work.lost + own, work.worn = work.worn + absolute(own);
    }
    return work;
}

// Rules without a separate impact, such as Moreau's: finds the impact in a step by comparing its impulses with those
// that the forces of the step before would have had.
//
// A contact is struck if it takes an impulse after a step without one, but for round-off, and if it came: at its
// velocity before, it was open a step ago, or it moves through more than the tolerance of gaps where it is in
// penetration. So neither a closed contact that separates is struck nor one that rests, however its force hovers. The
// impulse of the impact is the part that exceeds the force that the contact had.
template <class R>
struct StruckContacts {
    using Real = R;
    static constexpr double no_load = 1e-12;  // share of the impulse
    MaskOf<Real> struck = !true_mask<Real>();
    Real largest_N_s = Real(0.0);  // the largest normal impulse, where something is struck

    // A unilateral contact that is closed in `lanes`; `velocity` is that before, with gap and direction of the rule.
    MYRIAD_HD void look_at(MaskOf<Real> lanes, Real gap_m, Real velocity, Real h, Real gap_tolerance_m,
                           Real impulse_before, Real impulse) {
        const Real zero(0.0), unloaded = Real(no_load) * impulse;
        const MaskOf<Real> taken = (impulse_before <= unloaded) & (zero < impulse),
                           came = gap_tolerance_m < fma(-h, velocity, maximum(gap_m, zero));
        struck = struck | (lanes & taken & came);
        largest_N_s = select(lanes, maximum(impulse - impulse_before, largest_N_s), largest_N_s);
    }
};

// eps u of each direction, none for a bilateral contact: Newton's impact law adds it to the velocities after.
template <class System, class Real = typename System::Real>
MYRIAD_HD ContactRows<System> restitution(const System& system, const ContactStateOf<System>& contact,
                                          const ContactMasks<System::contacts, Real>& masks,
                                          const typename System::Velocity& before) {
    constexpr int directions = 1 + System::tangents;
    ContactRows<System> added;
    MYRIAD_UNROLL_PLAN for (int k = 0; k < System::contacts; ++k) {
        const ContactLaw<Real> law = system.law(k);
        MYRIAD_UNROLL_PLAN for (int j = k * directions; j < (k + 1) * directions; ++j) {
            const Real share = j == k * directions ? law.normal_restitution : law.tangential_restitution;
            added[j] = select(masks.bilateral[k], Real(0.0), share * contact.velocity(j, before));
        }
    }
    return added;
}

// An impact of the closed contacts in `lanes`: v from before to after, L, and the loss of kinetic energy, J.
template <class System, class Real = typename System::Real>
MYRIAD_NOINLINE MaskOf<Real> resolve_impact(const System& system, const typename System::Configuration& q,
                                            const ContactStateOf<System>& contact,
                                            const ContactMasks<System::contacts, Real>& masks,
                                            const ContactSettings& settings, MaskOf<Real> lanes,
                                            ContactEffort<Real>& effort, typename System::Velocity& v,
                                            ContactRows<System>& impulse, Real& loss) {
    const SquareMatrix<System::freedoms, Real> mass = system.mass(q);
    SmallFactors<System::freedoms, Real> factors;
    factors.factor(mass);
    ContactImpulse<System> impact;
    MYRIAD_UNROLL_PLAN for (int i = 0; i < ContactImpulse<System>::rows; ++i) impact.impulse[i] = Real(0.0);
    impact.resolve(system, factors, contact, contact, Real(1.0), v, restitution(system, contact, masks, v), masks,
                   settings, lanes, effort);
    loss = Real(0.5) * (inner(v, mass * v) - inner(impact.velocity, mass * impact.velocity));
    v = impact.velocity, impulse = impact.impulse;
    return impact.solved;
}

}  // namespace myriad::inline MYRIAD_VARIANT
