// A mechanism as a system in joint coordinates: what an integrator asks for, from the equations and their solution.
//
// The parameters are those of the body form, with the links' behind them. The body form of the same mechanism puts an
// instance together (start.hpp) and stands behind the channels (observe.hpp). Contacts:
// contact_equations.hpp. Not handled: charts of orientation other than the group itself.
#pragma once
#include "kernels/joint_coordinates/exact_matrix.hpp"
#include "kernels/joint_coordinates/spare_rows.hpp"
#include "kernels/mechanism/memory.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// A GPU kernel has the exact matrix only where a study asks for it: its memory would be every thread's.
#if defined(__CUDACC_RTC__) && !defined(MYRIAD_EXACT_MATRIX)
constexpr bool has_exact_matrix = false;
#else
constexpr bool has_exact_matrix = true;
#endif

template <class System>
class JointView;
template <class System>
struct StepCourse;

// Of a step in which rates of drivers jump (driver_jumps.hpp): functions of time keep the branches of last_side_s
// beyond it; an adaptive method ends the step at stop_s.
template <class Real, bool may_jump>
struct CornerTimes {
    Real last_side_s = infinity<Real>(), stop_s = infinity<Real>();
};
template <class Real>
struct CornerTimes<Real, false> {};

template <class R, class T, template <class> class ChartOf>
struct JointMechanism {
    using Real = R;
    using Topology = T;
    using Chart = ChartOf<Real>;
    using Configuration = JointConfiguration<Real, Topology>;
    using Velocity = TreeRates<Real, Topology>;
    using MultiplierVector = Multipliers<Real, Topology>;
    using Parameters = typename Topology::template Parameters<Real>;
    using Scratch = JointScratch<Real, Topology>;
    using Equations = JointEquations<Real, Topology, Parameters>;
    using BodyForm = Mechanism<Real, typename Topology::BodyForm, ChartOf>;
    static constexpr const char* name = "mechanism_in_joint_coordinates";
    static constexpr int invariant_count = BodyForm::invariant_count, parameter_count = BodyForm::parameter_count,
                         worst_row_entry = BodyForm::worst_row_entry;

    static constexpr bool drivers_may_jump = may_have_corners<Topology>;

    Topology topology;
    const Parameters* parameters;
    [[no_unique_address]] CornerTimes<Real, drivers_may_jump> corner = {};

    MYRIAD_HD BodyForm body_form() const { return {topology.body_form(), parameters}; }
    MYRIAD_HD Equations equations() const { return {topology, *parameters}; }
    MYRIAD_HD Real parameter(int i) const { return (*parameters)[i]; }
    static MYRIAD_HD bool drifts(int entry) { return BodyForm::drifts(entry); }
    static MYRIAD_HD bool rises(int entry) { return BodyForm::rises(entry); }
    MYRIAD_HD Real reason() const {
        Real reason = body_form().reason(true);
        check_friction(topology, *parameters, reason), check_rotors(topology, *parameters, reason);
        return reason;
    }
    MYRIAD_HD Real warnings() const { return body_form().warnings(); }

    MYRIAD_HD void functions_at(Real time_s, Taylor<Real>* functions) const {
        if constexpr (drivers_may_jump)
            if (topology.corners() > 0)
                return body_form().functions_by_side(time_s, minimum(moment_after(time_s), corner.last_side_s),
                                                     functions);
        body_form().functions_at(time_s, functions);
    }
    MYRIAD_HD void start(Configuration& q, Velocity& v) const { start_of(*this, q, v); }

    MYRIAD_HD void retract(const Configuration& q, const Velocity& u, Configuration& end) const {
        myriad::retract(q, u, end);
        MYRIAD_EACH(i, topology, angles) end.turned[i] = q.turned[i];
    }
    MYRIAD_HD void increment_to(const Configuration& q, const Configuration& end, Velocity& u) const {
        myriad::increment_to(q, end, u);
    }
    MYRIAD_HD void local_rate(const Configuration&, const Velocity& u, const Velocity& v, Velocity& rate) const {
        myriad::local_rate(u, v, rate);
    }
    MYRIAD_HD Real reach(const Velocity& u) const { return myriad::reach(u); }
    MYRIAD_HD MaskOf<Real> regular(const Configuration&) const { return true_mask<Real>(); }
    // Removes the round-off of a step and counts the turns of angles between bodies that no joint of the tree joins.
    MYRIAD_NOINLINE void settle(Configuration& q) const {
        myriad::settle(q);
        count_turns(q);
    }
    MYRIAD_NOINLINE void count_turns(Configuration& q) const {
        if (topology.angles() == 0) return;
        TreePlaces<Real, Topology> places;
        Bodies<Real, Topology::most_links> frames;
        place_links(equations().links(), q, places);
        pose_links(equations().links(), places, frames.of);
        const auto count = [&](const Element& element) MYRIAD_INLINE {
            if (element.angle < 0) return;
            Real& turned = q.turned[element.angle];
            turned = rows_at<only(ElementKind::angle)>(element, frames, *parameters, Taylor<Real>::constant(Real(0.0)),
                                                       turned)
                         .length;
        };
        MYRIAD_EACH(e, topology, elements) count(topology.element(e));
        MYRIAD_EACH(i, topology, watched_angles) count(topology.element(topology.elements() + i));
    }
    // Counts the angles that sensors alone read on from the begin of a step of h seconds, by the mean of their rates:
    // a step that meets its tolerance may turn them by more than half a turn.
    MYRIAD_NOINLINE void count_watched(const Configuration& begin, const Velocity& begin_rates,
                                       const Velocity& end_rates, Real h, Configuration& end) const {
        if (topology.watched_angles() == 0) return;
        const Real turn = full_turn<Real>(), half_step = Real(0.5) * h;
        TreePlaces<Real, Topology> places;
        Bodies<Real, Topology::most_links> frames;
        MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
            place_links(equations().links(), side == 0 ? begin : end, places);
            pose_links(equations().links(), places, frames.of);
            rate_links(equations().links(), places, side == 0 ? begin_rates : end_rates, frames.of);
            MYRIAD_EACH(i, topology, watched_angles) {
                const Element& element = topology.element(topology.elements() + i);
                const Rows<Real> rows = rows_at<only(ElementKind::angle)>(element, frames, *parameters,
                                                                          Taylor<Real>::constant(Real(0.0)), Real(0.0));
                Real& counted = end.turned[element.angle];
                const Real before = side == 0 ? begin.turned[element.angle] : counted;
                const Real ahead = fma(half_step, row_rate(element, rows, 0, frames), before);
                counted = side == 0 ? ahead : fma(turn, nearest_integer((ahead - rows.length) / turn), rows.length);
            }
        }
    }
    // Explicit methods: the sizes of displacements (m) and turns (1 rad) that a relative tolerance multiplies.
    MYRIAD_NOINLINE Velocity magnitude(const Configuration& a, const Configuration& b) const {
        Velocity larger;
        larger.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) {
            const int field = topology.field_of(i);
            larger[i] = topology.is_turn(i) ? Real(1.0) : maximum(absolute(a[field]), absolute(b[field]));
        }
        return larger;
    }

    // Gives prescribed coordinates the values and rates of their functions, which hold for the time of the state.
    MYRIAD_HD void prescribe(const Taylor<Real>* functions, Configuration& q, Velocity& v) const {
        MYRIAD_EACH(i, topology, prescribed) {
            const PrescribedCoordinate& coordinate = topology.prescribed_coordinate(i);
            set_coordinate(q, coordinate.freedom, functions[coordinate.function].value);
            v[coordinate.freedom] = functions[coordinate.function].rate;
        }
    }
    MYRIAD_NOINLINE void prescribe_at(Real time_s, Configuration& q, Velocity& v) const {
        if (topology.prescribed() == 0) return;
        Taylor<Real> functions[Topology::most_functions];
        functions_at(time_s, functions);
        prescribe(functions, q, v);
    }
    MYRIAD_HD void prescribe_acceleration(const Taylor<Real>* functions, Velocity& a) const {
        MYRIAD_EACH(i, topology, prescribed) {
            const PrescribedCoordinate& coordinate = topology.prescribed_coordinate(i);
            a[coordinate.freedom] = functions[coordinate.function].acceleration;
        }
    }

    // v' and the multipliers in a state whose prescribed coordinates have their values. `scratch` is left with the
    // functions of time.
    MYRIAD_NOINLINE void acceleration(const Configuration& q, const Velocity& v, Real time_s, Scratch& scratch,
                                      Velocity& a, MultiplierVector& multipliers) const {
        solve_acceleration(q, v, time_s, scratch, a, multipliers);
    }
    // The same; true where the matrix is singular.
    MYRIAD_HD MaskOf<Real> solve_acceleration(const Configuration& q, const Velocity& v, Real time_s, Scratch& scratch,
                                              Velocity& a, MultiplierVector& multipliers) const {
        functions_at(time_s, scratch.functions);
        return accelerate(q, v, true, scratch, a, multipliers);
    }
    // The same where `scratch` holds the functions of time and, without `with_matrix`, the factors of masses and rows
    // at q.
    MYRIAD_HD MaskOf<Real> accelerate(const Configuration& q, const Velocity& v, bool with_matrix, Scratch& scratch,
                                      Velocity& a, MultiplierVector& multipliers) const {
        const Real zero(0.0), one(1.0);
        a.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) a[i] = zero;
        MYRIAD_EACH(r, topology, rows) multipliers[r] = zero;
        prescribe_acceleration(scratch.functions, a);
        equations().evaluate(q, v, a, multipliers.e, {zero, zero, one, Level::acceleration, true, with_matrix},
                             scratch);
        if (with_matrix) scratch.weak_place = scratch.system.factor();
        scratch.system.solve(scratch.solution.e, scratch.row_solution);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) a[i] = a[i] + scratch.solution[i];
        MYRIAD_EACH(r, topology, rows) multipliers[r] = scratch.row_solution[r];
        follow_drivers(topology, scratch.functions, scratch.forces, scratch.solution, scratch.row_solution,
                       true_mask<Real>(), scratch.drivers);
        return zero <= scratch.weak_place;
    }

    // One correction of the equations at the end of a step by local coordinates u, whose functions of time are in
    // `scratch`. The first one of a step makes the simplified matrix, which the others take over unless there is
    // friction. Lanes in `going` get a and the multipliers corrected.
    MYRIAD_NOINLINE Correction<Real> correct(const Configuration& q, const Velocity& v, const Velocity& u,
                                             const StepCoefficients<Real>& by, bool first, MaskOf<Real> going,
                                             Scratch& scratch, Velocity& a, MultiplierVector& multipliers) const {
        const bool has_friction = topology.frictions() > 0;
        const JointLinearization<Real> linearization{
            by.velocity,     by.position, Real(1.0) / by.position,
            Level::position, true,        has_friction || (first && !by.exact_matrix)};
        equations().evaluate(q, v, a, multipliers.e, linearization, scratch);
        Correction<Real> correction{Real(0.0), !true_mask<Real>()};
        bool is_solved = false;
        if constexpr (has_exact_matrix)
            if (by.exact_matrix) {
                if (first) scratch.weak_place = Real(-1.0);
                const Real weak = solve_exactly(q, v, a, u, multipliers, linearization, scratch);
                correction.perturbed = Real(0.0) <= weak;
                scratch.weak_place = select(going & (scratch.weak_place < Real(0.0)), weak, scratch.weak_place);
                is_solved = true;
            }
        if (!is_solved) {
            if (first) {
                scratch.weak_place = scratch.system.factor_after(u);
            } else if (has_friction) {
                const Real weak = scratch.system.factor_after(u);
                scratch.weak_place = select(going & (scratch.weak_place < Real(0.0)), weak, scratch.weak_place);
            }
            correction.perturbed = Real(0.0) <= scratch.weak_place;
            scratch.system.solve(scratch.solution.e, scratch.row_solution);
        }
        if (has_friction)
            correction.bends =
                bend_at_friction(topology, *parameters, v, by.velocity, going, scratch.friction, scratch.solution);
        follow_drivers(topology, scratch.functions, scratch.forces, scratch.solution, scratch.row_solution, going,
                       scratch.drivers);
        measure(q, a, scratch.solution, by.position, correction);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) a[i] =
            select(going, a[i] + scratch.solution[i], a[i]);
        MYRIAD_EACH(r, topology, rows)
            multipliers[r] = select(going, multipliers[r] + scratch.row_solution[r], multipliers[r]);
        return correction;
    }

    // Finds the power of drivers at an end that the exact matrix has led to.
    MYRIAD_NOINLINE void ask_drivers(const Configuration& q, const Velocity& v, const Velocity& a,
                                     const MultiplierVector& multipliers, MaskOf<Real> lanes, Scratch& scratch) const {
        if (topology.prescribed() == 0) return;
        transmit(*this, q, v, a, multipliers, scratch);
        scratch.drivers.power_W = select(lanes, power_of_prescribed(*this, scratch), scratch.drivers.power_W);
    }
    static constexpr bool takes_exact_matrix = has_exact_matrix;
    // Whether corrections leave the power of drivers in the scratch: the exact matrix has no equations of theirs.
    static constexpr bool may_ask_drivers = has_exact_matrix;
    static MYRIAD_HD bool follows_drivers(const StepCoefficients<Real>& by) {
        return !(has_exact_matrix && by.exact_matrix);
    }

    MYRIAD_NOINLINE Real solve_exactly(const Configuration& q, const Velocity& v, const Velocity& a, const Velocity& u,
                                       const MultiplierVector& multipliers, const JointLinearization<Real>& by,
                                       Scratch& scratch) const {
        const Equations here = equations();
        ExactMatrix<Real, Topology, Parameters> matrix(here);
        return matrix.solve(q, v, a, u, multipliers.e, by, scratch);
    }

    // P x of kernels/integrators/implicit_start.hpp at q; false where rows have lost their rank.
    MYRIAD_NOINLINE MaskOf<Real> project_on_rows(Scratch& scratch, const Configuration& q, Velocity& x) const {
        const Real zero(0.0), one(1.0);
        Velocity still;
        MultiplierVector none;
        set_still(still), none.fit(topology);
        MYRIAD_EACH(r, topology, rows) none[r] = zero;
        functions_at(zero, scratch.functions);
        equations().evaluate(q, still, still, none.e, {zero, zero, one, Level::position, false, true}, scratch);
        scratch.weak_place = scratch.system.factor();
        MYRIAD_EACH(r, topology, rows) {
            Real rate(0.0);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) rate =
                fma(scratch.system.gradient_of(r)[i], x[i], rate);
            scratch.row_solution[r] = scratch.system.scale[r] * rate;
        }
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) scratch.solution[i] = zero;
        scratch.system.solve(scratch.solution.e, scratch.row_solution);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) x[i] = scratch.solution[i];
        return scratch.weak_place < zero;
    }
    // Adds s w x w' of each orientation to x, and to `across`.
    MYRIAD_HD void add_turning_product(Real s, const Velocity& v, const Velocity& a, Velocity& across,
                                       Velocity& x) const {
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
            const TreeLink& link = topology.link(l);
            if (link.turning != TreeTurning::any) continue;
            const int freedom = link.freedom + link.slides;
            const Vec<3, Real> product = s * cross(v.turning(freedom), a.turning(freedom));
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
                across[freedom + i] = product[i];
                x[freedom + i] = x[freedom + i] + product[i];
            }
        }
    }
    MYRIAD_HD void set_still(Velocity& v) const {
        v.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) v[i] = Real(0.0);
    }

    // False where loads, drivers and dampers have no power in any state.
    MYRIAD_HD bool has_power() const {
        return body_form().has_power() || topology.laws() > 0 || topology.frictions() > 0 ||
               topology.coordinate_forces() > 0;
    }
    // `knows_drivers`: scratch.drivers has the power of prescribed coordinates. Where it cannot be false,
    // `may_ask_drivers` leaves out the code that finds it.
    template <bool may_ask_drivers = true, PowerOf of = PowerOf::all>
    MYRIAD_NOINLINE Real power(const Configuration& q, const Velocity& v, const Velocity& a,
                               const MultiplierVector& multipliers, Scratch& scratch,
                               bool knows_drivers = false) const {
        return joint_power_of<may_ask_drivers, of>(*this, q, v, a, multipliers, scratch, knows_drivers);
    }
    // A start that failed: the row, or where its matrix is singular -1 - the place of the first weak pivot.
    MYRIAD_NOINLINE Real worst_row(Real reason, const Motion<JointMechanism>& motion) const {
        const MaskOf<Real> singular = reason == Real(static_cast<double>(Reason::matrix_singular));
        Real pivot(0.0);
        if (any(singular)) pivot = Real(-1.0) - weak_place_of_masses(motion.q);
        return select(singular, pivot, joint_worst_row_of(*this, reason, motion.q, motion.v));
    }
    // The first weak pivot of masses and rows in a configuration at time 0.
    MYRIAD_NOINLINE Real weak_place_of_masses(const Configuration& q) const {
        const Real zero(0.0), one(1.0);
        Scratch scratch;
        Velocity still;
        MultiplierVector none;
        set_still(still), none.fit(topology);
        MYRIAD_EACH(r, topology, rows) none[r] = zero;
        functions_at(zero, scratch.functions);
        equations().evaluate(q, still, still, none.e, {zero, zero, one, Level::position, false, true}, scratch);
        return scratch.system.factor();
    }
    // What the rows of loops say about a step: spare_rows.hpp.
    MYRIAD_HD LoopVerdict<Real> judge_loops(const Configuration& begin, Real begin_s, const Configuration& end,
                                            Real end_s, bool passes, MaskOf<Real> taken, MaskOf<Real> failed) const {
        return myriad::judge_loops(*this, begin, begin_s, end, end_s, passes, taken, failed);
    }
    template <class Memory>
    MYRIAD_NOINLINE Vec<invariant_count, Real> invariants(const Motion<JointMechanism>& motion,
                                                          const Memory& memory) const {
        return joint_invariants_of(*this, motion.q, motion.v, memory);
    }
    // Bits of Warning of a start at q, in `lanes`: equilibrium.hpp.
    MYRIAD_HD Real warnings_of_start(const Configuration& q, MaskOf<Real> lanes) const {
        return warnings_at_equilibrium(*this, q, lanes);
    }
    // Calls `use` with the number and the state of every body.
    template <class Use>
    MYRIAD_HD void each_body(const Motion<JointMechanism>& motion, Use use) const {
        use_bodies(*this, motion.q, motion.v, use);
    }
    using View = JointView<JointMechanism>;
    using CourseOfStep = StepCourse<JointMechanism>;
    template <class Memory>
    MYRIAD_NOINLINE Real channel(int index, const Motion<JointMechanism>& motion, const Memory& memory) const {
        View view(*this, motion, memory);
        view.look(View::needs_of(topology, index));
        return view.channel(index);
    }

    // Squared length of increments c_q z: metres over length_scale, radians.
    MYRIAD_NOINLINE Real square_of(const Velocity& z, Real position) const {
        const Real inverse_length = Real(1.0) / parameter(length_scale_parameter);
        Real square(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) {
            const Real increment = topology.is_turn(i) ? position * z[i] : (inverse_length * position) * z[i];
            square = fma(increment, increment, square);
        }
        return square;
    }
    // The length of the increments c_q z that a solution means and what the stopping rule compares it with: metres over
    // length_scale, radians. Every matrix counts as an older one, because it is not the whole derivative.
    MYRIAD_NOINLINE void measure(const Configuration& q, const Velocity& a, const Velocity& z, Real position,
                                 Correction<Real>& correction) const {
        const Real inverse_length = Real(1.0) / parameter(length_scale_parameter);
        Real square(0.0), acceleration(0.0), largest = parameter(extent_parameter);
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) {
            const TreeLink& link = topology.link(l);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < link.slides; ++i) {
                const Real increment = (inverse_length * position) * z[link.freedom + i];
                square = fma(increment, increment, square);
                acceleration = maximum(absolute(inverse_length * a[link.freedom + i]), acceleration);
                largest = maximum(absolute(inverse_length * q[link.field + i]), largest);
            }
            MYRIAD_UNROLL_PLAN for (int i = 0; i < freedoms_of(link.turning); ++i) {
                const int freedom = link.freedom + link.slides + i;
                const Real increment = position * z[freedom];
                square = fma(increment, increment, square);
                acceleration = maximum(absolute(a[freedom]), acceleration);
            }
        }
        // A sensor does not change what an iteration is compared with.
        const int counted = topology.angles() - topology.watched_angles();
        MYRIAD_EACH(i, topology, angles)
            if (i < counted) largest = maximum(absolute(q.turned[i]), largest);
        // An angle over its whole turns that a slide follows has their round-off.
        MYRIAD_EACH(i, topology, couplings) {
            const int followed = topology.coupling(i).freedom[0], own = topology.coupling(i).freedom[1];
            if (topology.is_turn(followed) == topology.is_turn(own)) continue;
            largest = maximum(absolute(coordinate(q, topology.is_turn(own) ? own : followed)), largest);
        }
        correction.square = square;
        correction.by_older_matrix = true_mask<Real>();
        correction.acceleration = position * acceleration;
        correction.round_off = constant<Real>(50.0 * 2.3e-16, 50.0 * 1.2e-7) * largest;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
