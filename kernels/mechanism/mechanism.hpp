// A mechanism as a system: bodies, rows and functions of time from a topology, orientations on a chart.
//
// The equations are written once, in world and body frames (equations.hpp). The chart turns its own coordinates into
// these and the corrections back (implicit_chart.hpp: the chain rule). The multiplication of lgim eq. 12 by H^T from
// the left is left out: it changes neither the solution nor the Newton corrections. Only methods for contacts
// (integrators/contact/timestepping.hpp) see the contacts.
// Not handled: more than the topology's capacities, which the reader of the file refuses.
#pragma once
#include "kernels/math/newton.hpp"
#include "kernels/mechanism/bounds.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/mechanism/contacts.hpp"
#include "kernels/mechanism/element_sums.hpp"
#include "kernels/mechanism/state.hpp"
#include "kernels/orientation/implicit_chart.hpp"
#include "kernels/orientation/orientation.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The factors of an implicit step's unknown accelerations.
template <class Real>
struct StepCoefficients {
    Real acceleration, velocity, position;  // c_a, c_v, c_q
    bool tangent_operator;
    bool single_precision;      // of the linear solve, in full Newton
    bool exact_matrix = false;  // in joint coordinates: the whole derivative, made for every correction
};

// Work space of one evaluation and one solve.
template <class Real, class Topology, class Chart>
struct MechanismScratch {
    Evaluation<Real, Topology> work;
    Taylor<Real> functions[Topology::most_functions];
    typename Chart::Correction chart_correction[Topology::most_bodies];
    Real matrix[Topology::most_matrix_entries];
};

template <class R, class T, template <class> class ChartOf>
struct Mechanism {
    using Real = R;
    using Topology = T;
    using Chart = ChartOf<Real>;
    using Configuration = MechanismConfiguration<Real, Topology, Chart>;
    using Velocity = MechanismRates<Real, Topology, Chart>;
    using MultiplierVector = Multipliers<Real, Topology>;
    using Parameters = typename Topology::template Parameters<Real>;
    using Places = Evaluation<Real, Topology>;
    using Scratch = MechanismScratch<Real, Topology, Chart>;
    static constexpr const char* name = "mechanism";
    static constexpr int invariant_count = MechanismCertificate::count, parameter_count = Topology::most_parameters;

    Topology topology;
    const Parameters* parameters;

    MYRIAD_HD Equations<Real, Topology, Parameters> equations(const Taylor<Real>* functions) const {
        return {topology, *parameters, functions};
    }
    MYRIAD_HD Real parameter(int i) const { return (*parameters)[i]; }

    // f, f', f'' of every function of time; `functions` has room for Topology::most_functions.
    MYRIAD_NOINLINE void functions_at(Real time_s, Taylor<Real>* functions) const {
        if (topology.functions() == 0) return;
        if constexpr (may_have_corners<Topology>)
            if (topology.corners() > 0) return functions_by_side(time_s, moment_after(time_s), functions);
        Taylor<Real> registers[Topology::most_registers];
        run_tape(topology, *parameters, time_s, registers);
        MYRIAD_EACH(i, topology, functions) functions[i] = registers[topology.function_register(i)];
    }
    // The same with the branches of another time.
    MYRIAD_NOINLINE void functions_by_side(Real time_s, Real side_s, Taylor<Real>* functions) const {
        Taylor<Real> registers[Topology::most_registers];
        run_tape_by_side(topology, *parameters, time_s, side_s, registers);
        MYRIAD_EACH(i, topology, functions) functions[i] = registers[topology.function_register(i)];
    }

    // Their bounds over a time, with the branches of side_s.
    MYRIAD_NOINLINE void functions_over(Real from_s, Real to_s, Real side_s, Bounds<Real>* functions) const {
        Bounds<Real> registers[Topology::most_registers];
        run_tape_in_bounds(topology, *parameters, from_s, to_s, side_s, registers);
        MYRIAD_EACH(i, topology, functions) functions[i] = registers[topology.function_register(i)];
    }

    static MYRIAD_HD bool drifts(int entry) { return entry == MechanismCertificate::energy_balance || rises(entry); }
    static MYRIAD_HD bool rises(int entry) {
        return entry == MechanismCertificate::potential_rise || entry == MechanismCertificate::potential_fall;
    }
    // Nobody needs the initial value of this entry. It holds the row in which a start failed that was not put together,
    // and in joint coordinates -1 - the place of the first weak pivot of a matrix that is singular.
    static constexpr int worst_row_entry = MechanismCertificate::constraint_residual;

    // The state before assembly, as the file gives it.
    MYRIAD_NOINLINE void start(Configuration& q, Velocity& v) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const int at = parameters_of_body(b);
            const Rotation<Real> given{parameter(at + body_orientation), parameter(at + body_orientation + 1),
                                       parameter(at + body_orientation + 2), parameter(at + body_orientation + 3)};
            typename Chart::Rates rates;
            Chart::start(given, vector_at<Real>(*parameters, at + body_angular_velocity), q.orientation[b], rates);
            q.position[b] = vector_at<Real>(*parameters, at + body_position);
            v.set(b, vector_at<Real>(*parameters, at + body_velocity), rates);
        }
        MYRIAD_EACH(i, topology, angles)
            q.turned[i] = topology.start_angle(i) == 0 ? Real(0.0) : parameter(topology.start_angle(i));
    }

    // The reason why the parameters describe no mechanism. A tree takes bodies without mass; here they are those of the
    // file.
    MYRIAD_NOINLINE Real reason(bool of_tree = false) const {
        Real sum(0.0), reason(0.0);
        for (int i = 0; i < topology.parameters(); ++i) sum = finite_term(parameter(i), sum);
        reason = reason_unless(sum <= Real(0.0), Reason::parameter_not_finite, reason);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const int at = parameters_of_body(b);
            const Real mass = parameter(at + body_mass);
            const bool takes_none = of_tree || (topology.pinned(b) & planned_without_mass) != 0;
            const MaskOf<Real> has_mass = Real(0.0) < mass, has_none = mass == Real(0.0);
            reason = reason_unless(takes_none ? has_mass | has_none : has_mass, Reason::mass_not_positive, reason);
            reason = reason_unless(positive_semidefinite(symmetric_at<Real>(*parameters, at + body_inertia)),
                                   Reason::inertia_not_positive_semidefinite, reason);
        }
        Real none(0.0);
        check_contacts(topology, *parameters, reason, none);
        return reason;
    }
    MYRIAD_NOINLINE Real warnings() const {
        Real warning(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) warning =
            maximum(inertia_warning(symmetric_at<Real>(*parameters, parameters_of_body(b) + body_inertia)), warning);
        Real none(0.0);
        check_contacts(topology, *parameters, none, warning);
        return warning;
    }

    MYRIAD_NOINLINE void retract(const Configuration& q, const Velocity& u, Configuration& end) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            end.position[b] = q.position[b] + u.linear(b);
            end.orientation[b] = Chart::retract(q.orientation[b], u.turning(b));
        }
        MYRIAD_EACH(i, topology, angles) end.turned[i] = q.turned[i];
    }
    // T_exp(u)^-1 v on the group, v on a chart: the rate of a step's local coordinates.
    MYRIAD_NOINLINE void local_rate(const Configuration& q, const Velocity& u, const Velocity& v,
                                    Velocity& rate) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b)
            rate.set(b, v.linear(b), Chart::local_rate(q.orientation[b], u.turning(b), v.turning(b)));
    }
    // Explicit methods: the sizes of positions (m) and orientations (1 rad) that a relative tolerance multiplies.
    MYRIAD_NOINLINE Velocity magnitude(const Configuration& a, const Configuration& b) const {
        Velocity larger;
        larger.fit(topology);
        typename Chart::Rates radian;
        MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) radian[i] = Real(1.0);
        MYRIAD_UNROLL_PLAN for (int body = 0; body < topology.bodies(); ++body) {
            Vec<3, Real> position;
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) position[i] =
                maximum(absolute(a.position[body][i]), absolute(b.position[body][i]));
            larger.set(body, position, radian);
        }
        return larger;
    }
    // v' and the forces of the laws of a mechanism without constraints, for explicit methods. `scratch` is left with
    // the functions of time.
    MYRIAD_NOINLINE void acceleration(const Configuration& q, const Velocity& v, Real time_s, Scratch& scratch,
                                      Velocity& a, MultiplierVector& multipliers) const {
        const Real one(1.0), zero(0.0);
        MYRIAD_EACH(r, topology, rows) multipliers[r] = zero;
        functions_at(time_s, scratch.functions);
        place(q, v, scratch.work.bodies);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) scratch.work.acceleration[b] =
            scratch.work.angular_acceleration[b] = Vec<3, Real>{};
        const Linearization<Real> by{one, zero, zero, one, Level::acceleration, true, false, false, true};
        equations(scratch.functions).evaluate(scratch.work, by, multipliers.e, q.turned, scratch.matrix);
        topology.template factor<Real>(scratch.matrix);
        solve(scratch.work, scratch.matrix);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b)
            a.set(b, solved_translation(scratch.work, b),
                  Chart::acceleration(q.orientation[b], v.turning(b), solved_rotation(scratch.work, b)));
        MYRIAD_EACH(r, topology, rows) multipliers[r] = scratch.work.solution[6 * topology.bodies() + r];
    }
    MYRIAD_NOINLINE Real reach(const Velocity& u) const {
        Real reach(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) reach =
            maximum(Chart::reach(u.turning(b)), reach);
        return reach;
    }
    // Removes the round-off of a step and counts full turns.
    MYRIAD_NOINLINE void settle(Configuration& q) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) q.orientation[b] =
            Chart::settle(q.orientation[b]);
        count_turns(q);
    }
    MYRIAD_NOINLINE MaskOf<Real> regular(const Configuration& q) const {
        MaskOf<Real> regular = true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) regular =
            regular & Chart::regular(q.orientation[b]);
        return regular;
    }
    MYRIAD_NOINLINE void count_turns(Configuration& q) const {
        if (topology.angles() == 0) return;
        Bodies<Real, Topology::most_bodies> bodies;
        place(q, bodies);
        // The angle itself is asked for, not its distance from a function of time.
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (element.angle < 0) continue;
            Real& turned = q.turned[element.angle];
            turned = rows_at<only(ElementKind::angle)>(element, bodies, *parameters, Taylor<Real>::constant(Real(0.0)),
                                                       turned)
                         .length;
        }
    }

    MYRIAD_HD void place(const Configuration& q, Bodies<Real, Topology::most_bodies>& bodies) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            bodies.of[b].position = q.position[b];
            bodies.of[b].matrix = matrix_of(Chart::rotation(q.orientation[b]));
            bodies.of[b].velocity = bodies.of[b].angular_velocity = Vec<3, Real>{};
        }
    }
    MYRIAD_NOINLINE void place(const Configuration& q, const Velocity& v,
                               Bodies<Real, Topology::most_bodies>& bodies) const {
        typename Chart::Rates still{};
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const OrientationMotion<Real> motion = Chart::motion(q.orientation[b], v.turning(b), still);
            bodies.of[b] = {matrix_of(motion.rotation), q.position[b], v.linear(b), motion.angular_velocity};
        }
    }
    MYRIAD_HD void place(const Configuration& q, const Velocity& v, const Velocity& a, Places& work) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const OrientationMotion<Real> motion = Chart::motion(q.orientation[b], v.turning(b), a.turning(b));
            work.bodies.of[b] = {matrix_of(motion.rotation), q.position[b], v.linear(b), motion.angular_velocity};
            work.acceleration[b] = a.linear(b), work.angular_acceleration[b] = motion.angular_acceleration;
        }
    }

    // Solves with the factors for the right-hand side of the evaluation.
    MYRIAD_HD void solve(Places& work, const Real* factors) const {
        topology.template solve<Real>(factors, work.right_hand_side, work.solution);
    }
    MYRIAD_HD Vec<3, Real> solved_translation(const Places& work, int b) const {
        return {work.solution[6 * b], work.solution[6 * b + 1], work.solution[6 * b + 2]};
    }
    MYRIAD_HD Vec<3, Real> solved_rotation(const Places& work, int b) const {
        return {work.solution[6 * b + 3], work.solution[6 * b + 4], work.solution[6 * b + 5]};
    }

    // Factors and solves in single precision. The residual is in double precision and the unknowns are increments, so
    // Newton's iteration makes up for the digits that they lack. True: a pivot was lost.
    MYRIAD_NOINLINE MaskOf<Real> solve_in_single_precision(Scratch& scratch) const {
        using Single = SinglePrecision<Real>;
        using Narrow = typename Single::Type;
        Narrow matrix[Topology::most_matrix_entries];
        Narrow right_hand_side[6 * Topology::most_bodies + Topology::most_rows],
            solution[6 * Topology::most_bodies + Topology::most_rows];
        const int unknowns = 6 * topology.bodies() + topology.rows();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.slots(); ++i) matrix[i] = Single::narrow(scratch.matrix[i]);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) right_hand_side[i] =
            Single::narrow(scratch.work.right_hand_side[i]);
        const MaskOf<Narrow> perturbed = topology.template factor<Narrow>(matrix);
        topology.template solve<Narrow>(matrix, right_hand_side, solution);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns; ++i) scratch.work.solution[i] = Single::widen(solution[i]);
        return Single::widen(select(perturbed, Narrow(1.0), Narrow(0.0))) == Real(1.0);
    }

    // One Newton correction of the equations at the end of a step: q, v belong to the accelerations a; u are the step's
    // local coordinates. Lanes in `going` get a and the multipliers corrected. Where `kept` is given, lanes in `renew`
    // take new factors into it and the others solve with the old ones (modified Newton).
    MYRIAD_NOINLINE Correction<Real> correct(const Configuration& q, const Velocity& v, const Velocity& u,
                                             const StepCoefficients<Real>& by, Scratch& scratch, Real* kept,
                                             MaskOf<Real> renew, MaskOf<Real> going, Velocity& a,
                                             MultiplierVector& multipliers) const {
        Places& work = scratch.work;
        constexpr bool on_group = is_rotation_group<Chart>;
        const bool full_maps = !on_group || by.tangent_operator;
        place(q, v, a, work);
        if (full_maps) MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
                const auto chart = Chart::correction(q.orientation[b], v.turning(b), a.turning(b), u.turning(b),
                                                     by.acceleration, by.velocity, by.position, by.tangent_operator);
                work.acceleration_map[b] = chart.acceleration, work.velocity_map[b] = chart.velocity;
                scratch.chart_correction[b] = chart;
            }
        const bool with_matrix = !kept || any(renew);
        const Linearization<Real> linearization{by.acceleration, by.velocity, by.position, Real(1.0) / by.position,
                                                Level::position, true,        false,       full_maps,
                                                with_matrix};
        equations(scratch.functions)
            .template evaluate<true>(work, linearization, multipliers.e, q.turned, scratch.matrix);
        Correction<Real> correction{Real(0.0), !true_mask<Real>()};
        if (by.single_precision && !kept) {
            correction.perturbed = solve_in_single_precision(scratch);
        } else {
            if (with_matrix) correction.perturbed = topology.template factor<Real>(scratch.matrix);
            if (kept && with_matrix)
                for (int i = 0; i < topology.slots(); ++i) kept[i] = select(renew, scratch.matrix[i], kept[i]);
            solve(work, kept ? kept : scratch.matrix);
        }
        correction.square = square_of(work, by.position);
        if (kept) measure(q, work, by.position, !renew, correction);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const int at = b * Velocity::per_body;
            const Vec<3, Real> x = solved_translation(work, b), z = solved_rotation(work, b);
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) a[at + i] = select(going, a[at + i] + x[i], a[at + i]);
            typename Chart::Rates rates;
            if constexpr (on_group)
                rates = full_maps ? scratch.chart_correction[b].rates(z) : z;
            else
                rates = scratch.chart_correction[b].rates(z);
            MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) {
                Real& old = a[at + 3 + i];
                old = select(going, old + rates[i], old);
            }
        }
        MYRIAD_EACH(r, topology, rows)
            multipliers[r] = select(going, multipliers[r] + work.solution[6 * topology.bodies() + r], multipliers[r]);
        return correction;
    }
    // Adds s w x w' of each body to x, and to `across`.
    MYRIAD_HD void add_turning_product(Real s, const Velocity& v, const Velocity& a, Velocity& across,
                                       Velocity& x) const {
        if constexpr (is_rotation_group<Chart>) MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
                across.set(b, Vec<3, Real>{}, s * cross(v.turning(b), a.turning(b)));
                x.set(b, x.linear(b), x.turning(b) + across.turning(b));
            }
    }
    // False where loads, drivers and dampers have no power in any state.
    MYRIAD_HD bool has_power() const {
        return topology.functions() > 0 || topology.rows() > topology.constraint_rows();
    }
    // W: the power that observe.hpp defines, of loads, drivers and dampers.
    template <PowerOf of = PowerOf::all>
    MYRIAD_NOINLINE Real power(const Configuration& q, const Velocity& v, const Velocity&,
                               const MultiplierVector& multipliers, Scratch& scratch) const {
        return power_of<of>(*this, q, v, multipliers, scratch);
    }
    MYRIAD_NOINLINE Real worst_row(Real reason, const Motion<Mechanism>& motion) const {
        return worst_row_of(*this, reason, motion.q, motion.v);
    }
    template <class Memory>
    MYRIAD_HD Real missed_row(Real residual, const Motion<Mechanism>& motion, const Memory& memory) const {
        if (!any(largest_missed_row<Real>() < residual)) return Real(0.0);
        return missed_row_of(*this, motion.q, memory.time_s);
    }
    template <class Memory>
    MYRIAD_NOINLINE Vec<invariant_count, Real> invariants(const Motion<Mechanism>& motion, const Memory& memory) const {
        return invariants_of(*this, motion.q, motion.v, memory);
    }
    template <class Memory>
    MYRIAD_NOINLINE Real channel(int index, const Motion<Mechanism>& motion, const Memory& memory) const {
        return channel_of(*this, index, motion.q, motion.v, memory);
    }

    // The measures that a correction by an older matrix is compared with, as increments: metres over length_scale,
    // radians. The largest acceleration is linear or angular, of any body. Round-off is that of positions and counted
    // angles, because rows of position level are differences of these.
    MYRIAD_NOINLINE void measure(const Configuration& q, const Places& work, Real position,
                                 MaskOf<Real> by_older_matrix, Correction<Real>& correction) const {
        const Real inverse_length = Real(1.0) / parameter(length_scale_parameter);
        Real square(0.0), largest(1.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const Vec<3, Real> a = inverse_length * work.acceleration[b], x = inverse_length * q.position[b],
                               turning = work.angular_acceleration[b];
            square = maximum(dot(a, a), maximum(dot(turning, turning), square));
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) largest = maximum(absolute(x[i]), largest);
        }
        MYRIAD_EACH(i, topology, angles) largest = maximum(absolute(q.turned[i]), largest);
        correction.by_older_matrix = by_older_matrix;
        correction.acceleration = position * sqrt(square);
        correction.round_off = constant<Real>(50.0 * 2.3e-16, 50.0 * 1.2e-7) * largest;
    }
    // Squared length of the increments that the solution means: metres over length_scale, radians.
    MYRIAD_NOINLINE Real square_of(const Places& work, Real position) const {
        const Real inverse_length = position / parameter(length_scale_parameter);
        Real square(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const Vec<3, Real> x = inverse_length * solved_translation(work, b),
                               z = position * solved_rotation(work, b);
            square = square + (dot(x, x) + dot(z, z));
        }
        return square;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
