// Implicit stages of one step with contact forces on velocity level, solved together by Newton's method.
//
//   v_s = v_s^0 + sum_t c^v_st a_t,   x_s = x_s^0 + sum_t c^x_st a_t,   q_s = q o x_s         local coordinates about q
//   M(q_s) a_s = h(q_s, v_s, t_s) + W(q_s) l_s,   l_s and u_s = W(q_s)^T v_s by the laws of prox.hpp
//
// One stage is generalized-alpha or half a step of Bathe's method, two together are ED-alpha. Each correction solves
// the linearized equations with their contact problem: M^ = M + c^v C + c^x K, G = W^T c^v M^^-1 W (nonsmooth eqs. 30
// to 38, 63 to 74, 86 to 89). The rows of stage s are multiplied with `weight[s]` > 0, which does not change the laws
// and makes the two-stage G monotone. A correction counts relative to the velocities and to the step times the
// accelerations by each force, in the norm of the kinetic energy, which has no units to choose. Not handled: contact
// directions that change much within a step (see stiffness in nonsmooth_system.hpp).
#pragma once
#include "kernels/contact/impulse.hpp"
#include "kernels/math/newton.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System, int S>
class ContactStages {
  public:
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    static constexpr int n = System::freedoms, contacts = System::contacts, tangents = System::tangents, stages = S,
                         rows = contacts * (1 + tangents), unknowns = S * n;
    using Velocity = Vec<n, Real>;
    using Rows = Vec<rows, Real>;

    // `acceleration` and `force` hold the guesses before `solve`, and then the solution. The others are to be set.
    Velocity fixed_velocity[S], fixed_increment[S], acceleration[S];
    Real by_velocity[S][S], by_increment[S][S], time_s[S], weight[S];
    Rows force[S];
    // Set by `solve`.
    Velocity velocity[S], increment[S];
    NewtonOutcome<Real> newton_outcome;
    Mask contacts_solved;

    MYRIAD_HD void follow(int s) {
        velocity[s] = fixed_velocity[s], increment[s] = fixed_increment[s];
        MYRIAD_UNROLL_PLAN for (int t = 0; t < S; ++t) {
            velocity[s] = fma(by_velocity[s][t], acceleration[t], velocity[s]);
            increment[s] = fma(by_increment[s][t], acceleration[t], increment[s]);
        }
    }

    // `on_acceleration`: the laws hold for W^T a instead of W^T v; only for bilateral contacts of constant direction.
    MYRIAD_HD void solve(const System& system, const typename System::Configuration& q, Real step_s,
                         const ContactMasks<contacts, Real>& masks, const ContactSettings& settings, Mask active,
                         ContactEffort<Real>& effort, bool on_acceleration = false) {
        const Mask touching = masks.any_closed();
        scale_ = Real(0.0);
        contacts_solved = true_mask<Real>();
        newton_outcome = newton<Real>(
            active, settings.most_newton_iterations, Real(settings.newton_tolerance), [&](Mask going, bool) {
                return correct(system, q, step_s, masks, touching, settings, going, effort, on_acceleration);
            });
        MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) follow(s);
    }

  private:
    Real scale_;  // of a correction, by the largest terms so far

    struct Linearized {
        SquareMatrix<n, Real> mass;
        ContactStateOf<System> contact;
    };

    MYRIAD_NOINLINE Correction<Real> correct(const System& system, const typename System::Configuration& q, Real step_s,
                                             const ContactMasks<contacts, Real>& masks, Mask touching,
                                             const ContactSettings& settings, Mask going, ContactEffort<Real>& effort,
                                             bool on_acceleration) {
        Linearized at[S];
        SquareMatrix<unknowns, Real> matrix;
        Vec<unknowns, Real> free;
        Real loads(0.0);  // squares of forces over masses
        MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) {
            follow(s);
            const auto pose = system.retract(q, increment[s]);
            at[s].mass = system.mass(pose);
            if constexpr (contacts > 0) at[s].contact = contact_state_of(system, pose);
            const auto tangent = system.tangents_of(pose, velocity[s], acceleration[s], time_s[s]);
            const Velocity h = system.force(pose, velocity[s], time_s[s]), inertia = at[s].mass * acceleration[s];
            MYRIAD_UNROLL_PLAN for (int i = 0; i < n; ++i) {
                const Real load = absolute(h[i]) + absolute(inertia[i]);
                loads = fma(load, load / at[s].mass.e[i][i], loads);
                free[s * n + i] = h[i] - inertia[i];
                MYRIAD_UNROLL_PLAN for (int t = 0; t < S; ++t) {
                    MYRIAD_UNROLL_PLAN for (int j = 0; j < n; ++j) {
                        const Real soft = fma(by_velocity[s][t], tangent.damping.e[i][j],
                                              by_increment[s][t] * tangent.stiffness.e[i][j]);
                        matrix.e[s * n + i][t * n + j] = s == t ? soft + at[s].mass.e[i][j] : soft;
                    }
                }
            }
        }
        SmallFactors<unknowns, Real> factors;
        factors.factor(matrix);
        free = factors.solve(free);  // the correction without contact
        if constexpr (contacts > 0) {
            if (any(touching & going))
                add_contact(system, at, factors, masks, settings, going & touching, effort, on_acceleration, free);
        }
        Real square(0.0), scale(0.0);
        Velocity change[S];
        MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < n; ++i) change[s][i] = free[s * n + i];
            acceleration[s] = select(going, acceleration[s] + change[s], acceleration[s]);
        }
        MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) {
            Velocity by_change = by_velocity[s][0] * change[0];
            MYRIAD_UNROLL_PLAN for (int t = 1; t < S; ++t) by_change = fma(by_velocity[s][t], change[t], by_change);
            square = square + inner(by_change, at[s].mass * by_change);
            follow(s);
            const auto energy = [&](const Velocity& x) { return inner(x, at[s].mass * x); };
            scale = scale + energy(velocity[s]) + energy(fixed_velocity[s]) +
                    energy((Real(1.0) / step_s) * fixed_increment[s]);
        }
        scale_ = maximum(fma(step_s * step_s, loads, scale), scale_);
        // A lane whose contacts jam gives up at once: each of its corrections would hold the others up.
        const Real unsolved = Real(1.0) / Real(0.0), relative = select(square == Real(0.0), square, square / scale_);
        return {select(contacts_solved, relative, unsolved), !true_mask<Real>()};
    }

    // The contact problem of the linearized step, and the change of its correction by unit forces.
    struct LinearProblem {
        using List = ContactList<S * contacts, tangents, (contacts > 1)>;
        using Problem = ContactProblem<S * contacts, tangents, Real, List>;
        Problem problem;
        Vec<unknowns, Real> response[Problem::rows];
        MYRIAD_HD int count() const { return problem.row_count(); }
        MYRIAD_HD constexpr int stage(int row) const { return problem.stage_of(row, contacts); }
        MYRIAD_HD constexpr int row(int row) const { return problem.row_of(row, contacts); }
        MYRIAD_HD Mask closed(int row) const { return problem.is_closed(row); }
    };

    // The velocity that the laws of stage s use: `v` with a change of the accelerations.
    MYRIAD_HD Velocity changed(int s, Velocity v, const Vec<unknowns, Real>& change, bool on_acceleration) const {
        MYRIAD_UNROLL_PLAN for (int j = 0; j < n; ++j) {
            if (on_acceleration) {
                v[j] = v[j] + change[s * n + j];
            } else {
                MYRIAD_UNROLL_PLAN for (int t = 0; t < S; ++t) v[j] = fma(by_velocity[s][t], change[t * n + j], v[j]);
            }
        }
        return v;
    }
    MYRIAD_HD void state_problem(const System& system, const Linearized (&at)[S],
                                 const SmallFactors<unknowns, Real>& factors, const ContactMasks<contacts, Real>& masks,
                                 Mask solving, bool on_acceleration, const Vec<unknowns, Real>& correction,
                                 LinearProblem& linear) const {
        const Real zero(0.0);
        auto& problem = linear.problem;
        problem.listed = LinearProblem::List::where(
            S * contacts, [&](int k) MYRIAD_INLINE { return any(masks.closed[k % contacts] & solving); });
        MYRIAD_UNROLL_PLAN for (int k = 0; k < problem.listed.count(); ++k) {
            const int c = problem.listed.number(k) % contacts;
            problem.friction[k] = system.law(c).friction;
            problem.closed[k] = masks.closed[c], problem.bilateral[k] = masks.bilateral[c];
        }
        Velocity none, free[S];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < n; ++i) none[i] = zero;
        MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) free[s] =
            changed(s, on_acceleration ? acceleration[s] : velocity[s], correction, on_acceleration);
        MYRIAD_UNROLL_PLAN for (int j = 0; j < linear.count(); ++j) {
            const int t = linear.stage(j), row = linear.row(j);
            Vec<unknowns, Real> load;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) load[i] = zero;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < n; ++i) load[t * n + i] =
                select(linear.closed(j), at[t].contact.direction[row][i], zero);
            linear.response[j] = factors.solve(load);
            Velocity by_force[S];
            MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) by_force[s] =
                changed(s, none, linear.response[j], on_acceleration);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < linear.count(); ++i) {
                const int s = linear.stage(i);
                problem.delassus.e[i][j] =
                    select(linear.closed(i), weight[s] * at[s].contact.velocity(linear.row(i), by_force[s]), zero);
            }
            problem.free_velocity[j] = weight[t] * at[t].contact.velocity(row, free[t]) + zero;
        }
    }

    // The contact forces of the linearized step, and their part of its correction.
    MYRIAD_HD void add_contact(const System& system, const Linearized (&at)[S],
                               const SmallFactors<unknowns, Real>& factors, const ContactMasks<contacts, Real>& masks,
                               const ContactSettings& settings, Mask solving, ContactEffort<Real>& effort,
                               bool on_acceleration, Vec<unknowns, Real>& correction) {
        const Real zero(0.0);
        LinearProblem linear;
        state_problem(system, at, factors, masks, solving, on_acceleration, correction, linear);
        Vec<LinearProblem::Problem::rows, Real> given;
        MYRIAD_UNROLL_PLAN for (int j = 0; j < linear.count(); ++j) given[j] =
            select(linear.closed(j), force[linear.stage(j)][linear.row(j)] + zero, zero);
        const ProxOutcome<Real> outcome =
            ContactSolver<S * contacts, tangents, Real, typename LinearProblem::List>(linear.problem)
                .solve(solving, Real(settings.prox_tolerance), settings.most_prox_iterations, given);
        effort.add(solving, outcome);
        contacts_solved = (contacts_solved & (!solving)) | (solving & outcome.converged);
        MYRIAD_UNROLL_PLAN for (int s = 0; s < S; ++s) MYRIAD_UNROLL_PLAN for (int i = 0; i < rows; ++i) force[s][i] =
            select(solving, zero, force[s][i]);
        Vec<unknowns, Real> whole;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) whole[i] = correction[i] + zero;
        MYRIAD_UNROLL_PLAN for (int j = 0; j < linear.count(); ++j) {
            whole = fma(given[j], linear.response[j], whole);
            Real& l = force[linear.stage(j)][linear.row(j)];
            l = select(solving, given[j], l);
        }
        correction = select(solving, whole, correction);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
