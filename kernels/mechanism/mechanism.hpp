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
    bool exact_matrix = false;  // in joint coordinates: the whole derivative, made for every correction
};

// Work space of one evaluation and one solve.
template <class Real, class Topology>
struct MechanismScratch {
    Evaluation<Real, Topology> work;
    Taylor<Real> functions[Topology::most_functions];
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
    using Scratch = MechanismScratch<Real, Topology>;
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

    // False where loads, drivers and dampers have no power in any state.
    MYRIAD_HD bool has_power() const {
        return topology.functions() > 0 || topology.rows() > topology.constraint_rows();
    }
    // Squared length of the increments that the solution means: metres over length_scale, radians.
    MYRIAD_NOINLINE Real square_of(const Places& work) const {
        const Real inverse_length = Real(1.0) / parameter(length_scale_parameter);
        Real square(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const Vec<3, Real> x = inverse_length * solved_translation(work, b), z = solved_rotation(work, b);
            square = square + (dot(x, x) + dot(z, z));
        }
        return square;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
