// Two coupled stages of a step with joints and contacts, solved together by Newton's method.
//
//   v_s = v_s^0 + h sum_t A_st a_t,   x_s = x_s^0 + h^2 sum_t (A^2)_st a_t,   q_s = q o x_s,   s, t: end, jump
//   M a_s + B_s^T z_s = f(q_s, v_s, t_s) + W_s l_s,   B_s v_s = -phi_t,   l_s and u_s = W_s^T v_s by the laws
//
// With one M, C, K and B for both, the matrix of the step has entries that are polynomials of A: [M + hA C + (hA)^2 K,
// B^T; B, 0], B a_s from (hA)^-1 of the rates. Such polynomials multiply like numbers x + y j with j^2 = k: A like
// a = trace/2 + m j with m^2 k = trace^2/4 - det, a pair (x_end, x_jump) of stage values being the number z = x + y j
// of (x_end, x_jump) = x e + y J e, J = (A - trace/2) / m, e = (1, 0). So the elimination planned for one stage serves
// both in such numbers, with stiffness and damping of force elements in full (as Radau methods are solved: Hairer,
// Wanner II, sect. IV.8). The matrix is that of the middle of the step as it is guessed, once per step: a correction
// leaves a share of order h of itself. Contacts: each stage has its own directions; its rows are multiplied with
// weight[s] > 0, which does not change the laws and makes the G of both monotone. Mechanisms have k = -1, complex
// numbers, for which A must have complex eigenvalues; formulas have m = 1 and take any A.
#pragma once
#include "kernels/integrators/contact/timestepping.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class S>
class StagePair {
  public:
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Topology = ContactTopologyOf<System>;
    using Velocity = typename System::Velocity;
    static constexpr int last = 0, jump = 1;

    // Accelerations, multipliers and forces hold guesses before `solve`, then the solution. The rest is to be set.
    Velocity fixed_velocity[2], fixed_increment[2], acceleration[2];
    MultipliersOf<System> multipliers[2];
    ContactLoads<Real, Topology> force[2];
    Real coefficient[2][2];  // A
    Real time_s[2], weight[2];
    // Set by `solve`.
    Velocity velocity[2], increment[2];

    MYRIAD_HD explicit StagePair(ContactStep<System>& step)
        : step_(step), system_(step.system), topology_(step.places.topology), equations_(step.equations) {
        MYRIAD_UNROLL for (int s = 0; s < 2; ++s) {
            fit_to(system_, fixed_velocity[s]), fit_to(system_, fixed_increment[s]), fit_to(system_, acceleration[s]);
            fit_to(system_, velocity[s]), fit_to(system_, increment[s]), fit_to(system_, change_[s]);
            fit_to(system_, multipliers[s]), force[s].fit(topology_);
        }
    }

    // step.end.q is left with the pose of the end, and the scratch with its functions of time.
    MYRIAD_HD void solve() {
        set_algebra();
        const Mask touching = step_.masks.any_acts();
        follow();
        factor();
        const NewtonOutcome<Real> outcome = newton<Real>(
            step_.active, step_.settings.most_newton_iterations, step_.newton_tolerance(),
            [&](Mask going, bool) MYRIAD_INLINE { return correct(touching, going); }, false);
        follow();
        place(time_s[last], increment[last], velocity[last], acceleration[last]);
        step_.newton_converged = step_.newton_converged & outcome.converged;
        step_.perturbed = step_.perturbed | outcome.perturbed;
        step_.newton_iterations = step_.newton_iterations + outcome.iterations;
        MYRIAD_UNROLL for (int s = 0; s < 2; ++s) step_.reach = maximum(system_.reach(increment[s]), step_.reach);
    }

  private:
    using Equations = StageEquations<System>;
    using Number = typename Equations::Number;
    using Pair = Real[2][Equations::most_unknowns];

    ContactStep<System>& step_;
    const System& system_;
    const Topology& topology_;
    Equations equations_;
    Number by_velocity_, by_increment_;  // h a, (h a)^2
    Real mixing_, turning_;              // J e
    Real admitting_[2][2];               // (h A)^-1
    Mask perturbed_;
    typename ContactEquations<System>::Places places_[2];
    Pair right_hand_side_, solution_;
    Velocity change_[2];  // of the velocities

    MYRIAD_HD int unknowns() const { return equations_.unknowns(); }

    MYRIAD_HD void set_algebra() {
        const auto& a = coefficient;
        const Real half(0.5), one(1.0), h = step_.h;
        const Real trace = a[0][0] + a[1][1], determinant = fma(a[0][0], a[1][1], -(a[0][1] * a[1][0]));
        const Real x = half * trace, y = equations_.set_numbers(fma(-x, x, determinant)), over = one / y;
        by_velocity_ = equations_.number(h * x, h * y), by_increment_ = by_velocity_ * by_velocity_;
        mixing_ = over * (a[0][0] - x), turning_ = over * a[1][0];
        const Real inverse = one / (h * determinant);
        admitting_[0][0] = inverse * a[1][1], admitting_[0][1] = -(inverse * a[0][1]);
        admitting_[1][0] = -(inverse * a[1][0]), admitting_[1][1] = inverse * a[0][0];
    }
    // The number of a pair of stage values, and back.
    MYRIAD_HD Number number_of(Real of_last, Real of_jump) const {
        const Real y = of_jump / turning_;
        return equations_.number(fma(-mixing_, y, of_last), y);
    }
    MYRIAD_HD Real value_of(int s, Number z) const {
        return s == last ? fma(mixing_, z.imaginary, z.real) : turning_ * z.imaginary;
    }

    MYRIAD_HD void follow() {
        const Real h = step_.h;
        const auto& a = coefficient;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system_); ++i) {
            Real change[2];
            MYRIAD_UNROLL for (int s = 0; s < 2; ++s) {
                change[s] = h * fma(a[s][0], acceleration[0][i], a[s][1] * acceleration[1][i]);
                velocity[s][i] = fixed_velocity[s][i] + change[s];
            }
            MYRIAD_UNROLL for (int s = 0; s < 2; ++s) increment[s][i] =
                fma(h, fma(a[s][0], change[0], a[s][1] * change[1]), fixed_increment[s][i]);
        }
    }

    // Takes step.end.q to the pose of a stage, and the scratch to its functions of time.
    MYRIAD_HD void place(Real time_s, const Velocity& x, Velocity& v, Velocity& a) {
        step_.equations.set_time(time_s);
        retract_to(system_, step_.begin.q, x, step_.end.q);
        step_.equations.prescribe(step_.end.q, v);
        step_.equations.prescribe_acceleration(a);
    }
    // The equations of both stages, minus the residuals; the constraint rows ask for B a.
    MYRIAD_NOINLINE void evaluate(Mask touching) {
        MYRIAD_UNROLL for (int stage = 0; stage < 2; ++stage) {
            const int s = stage == 0 ? jump : last;
            place(time_s[s], increment[s], velocity[s], acceleration[s]);
            equations_.evaluate(step_.end.q, velocity[s], acceleration[s], multipliers[s], right_hand_side_[s]);
            MYRIAD_WHEN(touching) step_.equations.find_here(step_.end.q, places_[s]);
        }
        equations_.each_constraint_row([&](int row) MYRIAD_INLINE {
            const int i = rate_count(system_) + row;
            const Real of_last = right_hand_side_[last][i], of_jump = right_hand_side_[jump][i];
            MYRIAD_UNROLL for (int s = 0; s < 2; ++s) right_hand_side_[s][i] =
                fma(admitting_[s][last], of_last, admitting_[s][jump] * of_jump);
        });
        // Adding 0 takes the sign from a zero, which forces of no size would, too: see loads.hpp.
        MYRIAD_UNROLL for (int s = 0; s < 2; ++s) MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i)
            right_hand_side_[s][i] = right_hand_side_[s][i] + Real(0.0);
    }

    // The factors, at the middle of the step.
    MYRIAD_NOINLINE void factor() {
        const Real half(0.5);
        Velocity middle, rate, second;
        fit_to(system_, middle), fit_to(system_, rate), fit_to(system_, second);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system_); ++i) {
            middle[i] = half * (increment[last][i] + increment[jump][i]);
            rate[i] = half * (velocity[last][i] + velocity[jump][i]);
            second[i] = acceleration[last][i];
        }
        place(half * (time_s[last] + time_s[jump]), middle, rate, second);
        perturbed_ =
            equations_.factor(step_.end.q, rate, second, multipliers[last], by_velocity_, by_increment_, step_.active);
    }

    // S^-1 of a pair, and the changes of the velocities that belong to it
    MYRIAD_NOINLINE void solve(const Pair& given) {
        Number right[Equations::most_unknowns], z[Equations::most_unknowns];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) right[i] = number_of(given[last][i], given[jump][i]);
        equations_.solve(right, z);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) MYRIAD_UNROLL for (int s = 0; s < 2; ++s)
            solution_[s][i] = value_of(s, z[i]);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system_); ++i) {
            const Number rate = by_velocity_ * z[i];
            MYRIAD_UNROLL for (int s = 0; s < 2; ++s) change_[s][i] = value_of(s, rate);
        }
    }

    MYRIAD_NOINLINE Correction<Real> correct(Mask touching, Mask going) {
        const int rates = rate_count(system_);
        follow();
        const Mask solving = touching & going;
        evaluate(solving);
        solve(right_hand_side_);
        if constexpr (ContactsOfSystem<Topology, 2>::capacity > 0) MYRIAD_WHEN(solving) {
                const Mask solved = solve_some(solving);
                step_.contacts_solved = (step_.contacts_solved & (!solving)) | (solving & solved);
            }
        Correction<Real> correction{Real(0.0), perturbed_};
        Velocity moved;
        fit_to(system_, moved);
        MYRIAD_UNROLL for (int s = 0; s < 2; ++s) {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) moved[i] =
                step_.h * fma(coefficient[s][0], change_[0][i], coefficient[s][1] * change_[1][i]);
            correction.square = correction.square + equations_.square_of(moved);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < rates; ++i) acceleration[s][i] =
                select(going, acceleration[s][i] + solution_[s][i], acceleration[s][i]);
            MYRIAD_EACH(r, topology_, rows)
                multipliers[s][r] = select(going, multipliers[s][r] + solution_[s][rates + r], multipliers[s][r]);
        }
        // A lane whose contacts jam gives up at once: each of its corrections would hold the others up.
        const Real unsolved = Real(1.0) / Real(0.0);
        correction.square = select(step_.contacts_solved, correction.square, unsolved);
        return correction;
    }

    MYRIAD_HD Mask solve_some(Mask solving) {
        if constexpr (is_traced<Real>) {
            using Choice = ContactChoice<Real, Topology>;
            const bool in_pairs = sweeps_in_pairs(topology_);
            if (Choice::is_needed(topology_, in_pairs))
                return solve_chosen(
                    Choice::of(topology_, in_pairs, [&](int c) { return step_.masks.closed[c] & solving; }), solving);
        }
        return solve_contacts(solving);
    }
    // As solve_contacts(), each lane by the problem of the contacts that it has chosen.
    template <class Choice>
    MYRIAD_HD Mask solve_chosen(const Choice& choice, Mask solving) {
        using Contacts = ContactsOfSystem<Topology, 2>;
        using List = typename Contacts::List;
        using Problem = ContactProblem<Contacts::capacity, Contacts::tangents, Real, List>;
        const Real zero(0.0);
        const Mask chosen = solving & !choice.over;
        MYRIAD_RARELY(solving & choice.over) {}
        const ChosenContacts<Choice, List> contacts(choice, topology_.set_frictions(), 2);
        Problem problem;
        contacts.fill(
            problem, chosen, [&](int c) { return step_.masks.closed[c]; },
            [&](int c) { return step_.equations.law(c).friction; },
            [&](int friction) { return step_.dry.largest[friction]; });
        const int rows = problem.row_count();
        const auto stage_of = [&](int i) { return problem.stage_of(i, contacts.of_stage()); };
        ChosenRows<Real, Topology, Problem::rows> acting;
        acting.topology = topology_;
        Vec<Problem::rows, Real> forces;
        for (int i = 0; i < rows; ++i) {
            const int s = stage_of(i);
            for (int f = 0; f < rate_count(system_); ++f)
                acting.gradient[i][f] = contacts.of_row(i, [&](int row) { return places_[s].gradient_at(row, f); });
            const Real u = acting.velocity(i, velocity[s]) + acting.velocity(i, change_[s]);
            problem.free_velocity[i] = weight[s] * u + zero;
            const Real guess = contacts.of_row(i, [&](int row) { return force[s][row]; });
            forces[i] = select(problem.is_closed(i), guess + zero, zero);
        }
        Pair load;
        for (int j = 0; j < rows; ++j) {
            for (int s = 0; s < 2; ++s)
                for (int i = 0; i < unknowns(); ++i) load[s][i] = zero;
            const Mask closed = problem.is_closed(j);
            acting.add_load(j, closed, Real(1.0), load[stage_of(j)]);
            solve(load);
            for (int i = 0; i < rows; ++i)
                problem.delassus.e[i][j] = select(closed & problem.is_closed(i),
                                                  weight[stage_of(i)] * acting.velocity(i, change_[stage_of(i)]), zero);
        }
        const Real noise = contact_noise(step_.equations, step_.schedule, step_.h);
        leave_out_noise(problem, noise);
        const ProxOutcome<Real> outcome =
            ContactSolver<Contacts::capacity, Contacts::tangents, Real, List>(problem).solve(
                chosen, Real(step_.settings.prox_tolerance), step_.settings.most_prox_iterations, forces, noise);
        step_.effort.add(chosen, outcome);
        for (int s = 0; s < 2; ++s)
            for (int i = 0; i < unknowns(); ++i) load[s][i] = right_hand_side_[s][i];
        for (int i = 0; i < rows; ++i) {
            const Real own = forces[i] + zero;
            auto& of_stage = force[stage_of(i)];
            contacts.put_row(i, chosen,
                             [&](int row, Mask lanes) { of_stage[row] = select(lanes, own, of_stage[row]); });
            acting.add_load(i, problem.is_closed(i), own, load[stage_of(i)]);
        }
        solve(load);
        return (chosen & outcome.converged) | !solving;
    }

    // Takes the solution without contacts, finds the forces of both stages, and leaves the solution with them.
    MYRIAD_HD Mask solve_contacts(Mask solving) {
        using Contacts = ContactsOfSystem<Topology, 2>;
        constexpr int capacity = Contacts::capacity;
        using List = typename Contacts::List;
        using Problem = ContactProblem<capacity, Contacts::tangents, Real, List>;
        [[maybe_unused]] constexpr int rows_at_once = Problem::rows_at_once;
        Problem problem;
        const int contacts = topology_.contacts(), of_stage = contacts + topology_.set_frictions();
        problem.listed = Contacts::where(
            2 * of_stage,
            [&](int k) MYRIAD_INLINE {
                return k % of_stage >= contacts || is_wanted(step_.masks.closed[k % of_stage] & solving);
            },
            [&](int k) MYRIAD_INLINE { return rows_of_load(topology_, k % of_stage); });
        const auto& listed = problem.listed;
        const int rows = problem.row_count();
        const Real zero(0.0);
        // The contacts and dry frictions of the end, then those of the jump.
        const auto stage_of = [&](int row) MYRIAD_INLINE { return problem.stage_of(row, of_stage); };
        const auto row_of = [&](int row) MYRIAD_INLINE { return Contacts::row_of_system(listed, row); };
        // W^T of the changes of the velocities
        const auto changed = [&](int row) MYRIAD_INLINE {
            return places_[stage_of(row)].velocity(row_of(row), change_[stage_of(row)]);
        };
        Vec<Problem::rows, Real> forces;
        MYRIAD_UNROLL_ROWS for (int k = 0; k < listed.count(); ++k) {
            const int c = listed.number(k) % of_stage;
            problem.bilateral[k] = step_.equations.is_held(c);
            if constexpr (List::has_bounds)
                if (listed.is_bounded(k)) {
                    problem.closed[k] = solving, problem.friction[k] = step_.dry.largest[c - contacts];
                    continue;
                }
            problem.closed[k] = step_.masks.closed[c] & solving;
            problem.friction[k] = step_.equations.law(c).friction;
        }
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) {
            const int s = stage_of(i), row = row_of(i);
            const Real u = places_[s].velocity(row, velocity[s]) + places_[s].velocity(row, change_[s]);
            problem.free_velocity[i] = weight[s] * u + zero;
            forces[i] = select(problem.is_closed(i), force[s][row] + zero, zero);
        }
        Pair load;
        MYRIAD_UNROLL_ROWS for (int j = 0; j < rows; ++j) {
            MYRIAD_UNROLL for (int s = 0; s < 2; ++s) MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i)
                load[s][i] = zero;
            const Mask closed = problem.is_closed(j);
            places_[stage_of(j)].add_load(row_of(j), closed, Real(1.0), load[stage_of(j)]);
            solve(load);
            MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) problem.delassus.e[i][j] =
                select(closed & problem.is_closed(i), weight[stage_of(i)] * changed(i), zero);
        }
        const Real noise = contact_noise(step_.equations, step_.schedule, step_.h);
        if constexpr (ContactEquations<System>::has_joints) leave_out_noise(problem, noise);
        const ProxOutcome<Real> outcome = ContactSolver<capacity, Contacts::tangents, Real, List>(problem).solve(
            solving, Real(step_.settings.prox_tolerance), step_.settings.most_prox_iterations, forces, noise);
        step_.effort.add(solving, outcome);
        MYRIAD_UNROLL for (int s = 0; s < 2; ++s) MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) load[s][i] =
            right_hand_side_[s][i];
        MYRIAD_UNROLL_ROWS for (int i = 0; i < rows; ++i) {
            const int s = stage_of(i), row = row_of(i);
            const Mask closed = problem.is_closed(i);
            Real& l = force[s][row];
            l = select(closed, forces[i] + zero, l);
            places_[s].add_load(row, closed, l, load[s]);
        }
        // Lanes that touch nothing get the bits of their first solution back.
        solve(load);
        return outcome.converged | (!solving);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
