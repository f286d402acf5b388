// A mechanism without joints of a tree whose orientations are on a chart, for comparisons of charts with each other.
//
// The equations are those of the tree (kernels/joint_coordinates/), in rotations, angular velocities and angular
// accelerations of the bodies. The chart turns its coordinates q, rates v and their derivatives a into these by
// `motion`, and angular rates into its own by `acceleration` and `correction` (kernels/orientation/implicit_chart.hpp).
// Positions are centres of mass in the world. What is seen of a state is what the tree shows of it. SI units. Not
// handled: joints of the tree, contacts, quantities within a step.
#pragma once
#include "kernels/integrators/implicit.hpp"
#include "kernels/joint_coordinates/renewal.hpp"
#include "kernels/joint_coordinates/view.hpp"
#include "kernels/mechanism/state.hpp"
#include "kernels/orientation/implicit_chart.hpp"
#include "papers/charts/kernels/chart_matrix.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class System>
class ChartedView;

template <class R, class T, template <class> class ChartOf>
struct ChartedMechanism {
    using Real = R;
    using Topology = T;
    using Chart = ChartOf<Real>;
    using Tree = JointMechanism<Real, Topology, RotationGroup>;
    using BodyForm = typename Tree::BodyForm;
    using Configuration = MechanismConfiguration<Real, Topology, Chart>;
    using Velocity = MechanismRates<Real, Topology, Chart>;
    using MultiplierVector = typename Tree::MultiplierVector;
    using Parameters = typename Tree::Parameters;
    using Scratch = typename Tree::Scratch;
    using View = ChartedView<ChartedMechanism>;
    static constexpr const char* name = "mechanism_on_chart";
    static constexpr int invariant_count = Tree::invariant_count, parameter_count = Tree::parameter_count,
                         worst_row_entry = Tree::worst_row_entry;

    Topology topology;
    const Parameters* parameters;

    MYRIAD_HD Tree tree() const { return {topology, parameters}; }
    MYRIAD_HD BodyForm body_form() const { return tree().body_form(); }
    MYRIAD_HD Real parameter(int i) const { return (*parameters)[i]; }
    static MYRIAD_HD bool drifts(int entry) { return Tree::drifts(entry); }
    static MYRIAD_HD bool rises(int entry) { return Tree::rises(entry); }
    MYRIAD_HD Real reason() const { return body_form().reason(); }
    MYRIAD_HD Real warnings() const { return tree().warnings(); }
    MYRIAD_HD void functions_at(Real time_s, Taylor<Real>* functions) const { tree().functions_at(time_s, functions); }

    // The state of the tree. `a` may be any rates, where nobody asks for accelerations.
    struct TreeState {
        Motion<Tree> motion;
        typename Tree::Velocity acceleration;
    };
    MYRIAD_NOINLINE void to_tree(const Configuration& q, const Velocity& v, const Velocity& a, TreeState& seen) const {
        seen.motion.q.fit(topology), seen.motion.v.fit(topology), seen.acceleration.fit(topology);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const TreeLink& link = topology.link(topology.link_of_body(b));
            const OrientationMotion<Real> body = Chart::motion(q.orientation[b], v.turning(b), a.turning(b));
            seen.motion.q.set_rotation(link.field + 3, body.rotation);
            const Vec<3, Real> velocity = v.linear(b), acceleration = a.linear(b);
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
                seen.motion.q[link.field + i] = q.position[b][i];
                seen.motion.v[link.freedom + i] = velocity[i];
                seen.motion.v[link.freedom + 3 + i] = body.angular_velocity[i];
                seen.acceleration[link.freedom + i] = acceleration[i];
                seen.acceleration[link.freedom + 3 + i] = body.angular_acceleration[i];
            }
        }
        MYRIAD_EACH(i, topology, angles) seen.motion.q.turned[i] = q.turned[i];
    }
    MYRIAD_HD void to_tree(const Motion<ChartedMechanism>& motion, TreeState& seen) const {
        Velocity still;
        set_still(still);
        to_tree(motion.q, motion.v, still, seen);
    }
    MYRIAD_HD TreeState at_rest(const Configuration& q) const {
        Velocity still;
        set_still(still);
        TreeState seen;
        to_tree(q, still, still, seen);
        return seen;
    }
    // Three numbers of a body among the rates of the tree: of its centre of mass, or of its rotation.
    MYRIAD_HD Vec<3, Real> translation(const typename Tree::Velocity& z, int b) const {
        return z.turning(topology.link(topology.link_of_body(b)).freedom);
    }
    MYRIAD_HD Vec<3, Real> rotation(const typename Tree::Velocity& z, int b) const {
        return z.turning(topology.link(topology.link_of_body(b)).freedom + 3);
    }
    // The rates that belong to angular velocities, for small rotations the coordinates.
    MYRIAD_HD typename Chart::Rates rates_of(const Configuration& q, int b, const Vec<3, Real>& rotation) const {
        const typename Chart::Rates still{};
        const Real zero(0.0);
        return Chart::correction(q.orientation[b], still, still, still, zero, zero, Real(1.0), false).rates(rotation);
    }
    MYRIAD_HD void take_accelerations(const Configuration& q, const Velocity& v, const typename Tree::Velocity& of_tree,
                                      Velocity& a) const {
        a.fit(topology);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) a.set(
            b, translation(of_tree, b), Chart::acceleration(q.orientation[b], v.turning(b), rotation(of_tree, b)));
    }
    MYRIAD_HD void take_state(const Motion<Tree>& of_tree, Configuration& q, Velocity& v) const {
        q.fit(topology), v.fit(topology);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const TreeLink& link = topology.link(topology.link_of_body(b));
            MYRIAD_UNROLL for (int i = 0; i < 3; ++i) q.position[b][i] = of_tree.q[link.field + i];
            typename Chart::Rates rates;
            Chart::start(of_tree.q.rotation(link.field + 3), rotation(of_tree.v, b), q.orientation[b], rates);
            v.set(b, translation(of_tree.v, b), rates);
        }
        MYRIAD_EACH(i, topology, angles) q.turned[i] = of_tree.q.turned[i];
    }

    MYRIAD_HD void start(Configuration& q, Velocity& v) const {
        Motion<Tree> of_tree;
        tree().start(of_tree.q, of_tree.v);
        take_state(of_tree, q, v);
    }
    // Starts as the tree does (kernels/joint_coordinates/start.hpp), with accelerations by the dense matrix.
    MYRIAD_NOINLINE Assembled<Real> assemble(Scratch& scratch, Configuration& q, Velocity& v, Velocity& a,
                                             MultiplierVector& multipliers) const {
        Motion<Tree> of_tree;
        of_tree.q.fit(topology), of_tree.v.fit(topology), multipliers.fit(topology);
        Assembled<Real> assembled = put_together(tree(), scratch, of_tree.q, of_tree.v);
        take_state(of_tree, q, v);
        acceleration(q, v, Real(0.0), scratch, a, multipliers);
        assembled.reason = reason_unless(scratch.weak_place < Real(0.0), Reason::matrix_singular, assembled.reason);
        return assembled;
    }
    MYRIAD_NOINLINE Real renew(const Schedule& schedule, Scratch& scratch, Motion<ChartedMechanism>& motion,
                               MechanismMemory<ChartedMechanism>& memory) const {
        TreeState seen;
        to_tree(motion, seen);
        const Tree of_tree = tree();
        const Assembled<Real> closed =
            close_rows(of_tree, memory.time_s, left_open(of_tree, schedule), scratch, seen.motion);
        if (any(Real(0.0) < closed.correction)) {
            Motion<ChartedMechanism> moved = motion;
            take_state(seen.motion, moved.q, moved.v);
            motion = moved;
        }
        memory.assembly_correction = memory.assembly_correction + closed.correction;
        acceleration(motion.q, motion.v, memory.time_s, scratch, memory.acceleration, memory.multipliers);
        memory.power = power(motion.q, motion.v, memory.acceleration, memory.multipliers, scratch);
        return reason_unless(scratch.weak_place < Real(0.0), Reason::matrix_singular, closed.reason);
    }

    MYRIAD_NOINLINE void retract(const Configuration& q, const Velocity& u, Configuration& end) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            end.position[b] = q.position[b] + u.linear(b);
            end.orientation[b] = Chart::retract(q.orientation[b], u.turning(b));
        }
        MYRIAD_EACH(i, topology, angles) end.turned[i] = q.turned[i];
    }
    MYRIAD_NOINLINE Real reach(const Velocity& u) const {
        Real reach(0.0);
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) reach =
            maximum(Chart::reach(u.turning(b)), reach);
        return reach;
    }
    MYRIAD_NOINLINE MaskOf<Real> regular(const Configuration& q) const {
        MaskOf<Real> regular = true_mask<Real>();
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) regular =
            regular & Chart::regular(q.orientation[b]);
        return regular;
    }
    MYRIAD_NOINLINE void settle(Configuration& q) const {
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) q.orientation[b] =
            Chart::settle(q.orientation[b]);
        if (topology.angles() == 0) return;
        const TreeState seen = at_rest(q);
        typename Tree::Configuration counted = seen.motion.q;
        tree().count_turns(counted);
        MYRIAD_EACH(i, topology, angles) q.turned[i] = counted.turned[i];
    }
    MYRIAD_NOINLINE void count_watched(const Configuration& begin, const Velocity& begin_rates,
                                       const Velocity& end_rates, Real h, Configuration& end) const {
        if (topology.watched_angles() == 0) return;
        Velocity still;
        set_still(still);
        TreeState before, after;
        to_tree(begin, begin_rates, still, before), to_tree(end, end_rates, still, after);
        tree().count_watched(before.motion.q, before.motion.v, after.motion.v, h, after.motion.q);
        MYRIAD_EACH(i, topology, angles) end.turned[i] = after.motion.q.turned[i];
    }
    MYRIAD_HD void prescribe_at(Real, const Configuration&, const Velocity&) const {}

    // v' and the multipliers. scratch.weak_place tells where the matrix is singular: not below 0.
    MYRIAD_NOINLINE void acceleration(const Configuration& q, const Velocity& v, Real time_s, Scratch& scratch,
                                      Velocity& a, MultiplierVector& multipliers) const {
        Velocity still;
        set_still(still);
        TreeState seen;
        to_tree(q, v, still, seen);
        functions_at(time_s, scratch.functions);
        const auto equations = tree().equations();
        ChartMatrix<ChartedMechanism> matrix(equations);
        evaluate_accelerations(seen, scratch, multipliers, matrix);
        solve(matrix, scratch);
        take_accelerations(q, v, scratch.solution, a);
        MYRIAD_EACH(r, topology, rows) multipliers[r] = scratch.row_solution[r];
    }
    // P x of kernels/integrators/implicit_start.hpp. On a chart with four rates and a condition of its own, the part
    // that changes that condition stays in x.
    MYRIAD_NOINLINE MaskOf<Real> project_on_rows(Scratch& scratch, const Configuration& q, Velocity& x) const {
        const Real zero(0.0);
        TreeState seen;
        Velocity still;
        MultiplierVector none;
        set_still(still), none.fit(topology);
        to_tree(q, x, still, seen);
        const typename Tree::Velocity given = seen.motion.v;
        tree().set_still(seen.motion.v);
        functions_at(zero, scratch.functions);
        const auto equations = tree().equations();
        ChartMatrix<ChartedMechanism> matrix(equations);
        evaluate_accelerations(seen, scratch, none, matrix);
        MYRIAD_EACH(r, topology, rows) {
            Real rate(0.0);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) rate =
                fma(matrix.at(topology.freedoms() + r, i), given[i], rate);
            scratch.row_solution[r] = rate;
        }
        MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.freedoms(); ++i) scratch.solution[i] = zero;
        solve(matrix, scratch);
        const typename Chart::Rates resting{};
        MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
            const Vec<3, Real> free_turning = rotation(given, b) - rotation(scratch.solution, b);
            x.set(b, translation(scratch.solution, b),
                  x.turning(b) - Chart::acceleration(q.orientation[b], resting, free_turning));
        }
        return scratch.weak_place < zero;
    }
    MYRIAD_HD void add_turning_product(Real s, const Velocity& v, const Velocity& a, Velocity& across,
                                       Velocity& x) const {
        if constexpr (Chart::coordinate_count == 4 && Chart::rate_count == 3)
            MYRIAD_UNROLL_PLAN for (int b = 0; b < topology.bodies(); ++b) {
                across.set(b, Vec<3, Real>{}, s * cross(v.turning(b), a.turning(b)));
                x.set(b, x.linear(b), x.turning(b) + across.turning(b));
            }
    }
    MYRIAD_HD void set_still(Velocity& v) const {
        v.fit(topology);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < v.size(); ++i) v[i] = Real(0.0);
    }

    template <bool may_ask_drivers = true, PowerOf of = PowerOf::all>
    MYRIAD_NOINLINE Real power(const Configuration& q, const Velocity& v, const Velocity& a,
                               const MultiplierVector& multipliers, Scratch& scratch, bool = false) const {
        TreeState seen;
        to_tree(q, v, a, seen);
        return tree().template power<may_ask_drivers, of>(seen.motion.q, seen.motion.v, seen.acceleration, multipliers,
                                                          scratch);
    }
    MYRIAD_NOINLINE Real worst_row(Real reason, const Motion<ChartedMechanism>& motion) const {
        TreeState seen;
        to_tree(motion, seen);
        return tree().worst_row(reason, seen.motion);
    }
    MYRIAD_HD LoopVerdict<Real> judge_loops(const Configuration& begin, Real begin_s, const Configuration& end,
                                            Real end_s, bool passes, MaskOf<Real> taken, MaskOf<Real> failed) const {
        return tree().judge_loops(at_rest(begin).motion.q, begin_s, at_rest(end).motion.q, end_s, passes, taken,
                                  failed);
    }
    // Fills the state and the memory that the tree has, for all that is seen of a state.
    MYRIAD_NOINLINE void show(const Motion<ChartedMechanism>& motion, const MechanismMemory<ChartedMechanism>& memory,
                              Motion<Tree>& seen, MechanismMemory<Tree>& kept) const {
        TreeState state;
        to_tree(motion.q, motion.v, memory.acceleration, state);
        seen = state.motion;
        kept.fit(topology);
        kept.acceleration = state.acceleration, kept.multipliers = memory.multipliers;
        kept.time_s = memory.time_s, kept.work = memory.work, kept.power = memory.power;
        kept.iterations = memory.iterations, kept.most_iterations = memory.most_iterations;
        kept.last_iterations = memory.last_iterations;
        kept.assembly_correction = memory.assembly_correction, kept.velocity_correction = memory.velocity_correction;
    }
    template <class Memory>
    MYRIAD_NOINLINE Vec<invariant_count, Real> invariants(const Motion<ChartedMechanism>& motion,
                                                          const Memory& memory) const {
        Motion<Tree> seen;
        MechanismMemory<Tree> kept;
        show(motion, memory, seen, kept);
        return tree().invariants(seen, kept);
    }
    MYRIAD_HD Real warnings_of_start(const Configuration& q, MaskOf<Real> lanes) const {
        return tree().warnings_of_start(at_rest(q).motion.q, lanes);
    }
    template <class Use>
    MYRIAD_HD void each_body(const Motion<ChartedMechanism>& motion, Use use) const {
        TreeState seen;
        to_tree(motion, seen);
        tree().each_body(seen.motion, use);
    }

  private:
    // The equations of accelerations and multipliers from zero, and their matrix.
    MYRIAD_HD void evaluate_accelerations(TreeState& seen, Scratch& scratch, MultiplierVector& none,
                                          ChartMatrix<ChartedMechanism>& matrix) const {
        const Real zero(0.0);
        const JointLinearization<Real> by{zero, zero, Real(1.0), Level::acceleration, true, false};
        tree().set_still(seen.acceleration);
        MYRIAD_EACH(r, topology, rows) none[r] = zero;
        matrix.equations.evaluate(seen.motion.q, seen.motion.v, seen.acceleration, none.e, by, scratch);
        matrix.fill(seen.motion.q, seen.motion.v, seen.acceleration, none.e, by, scratch,
                    AccelerationSlopes<ChartedMechanism>{});
    }
    static MYRIAD_HD void solve(ChartMatrix<ChartedMechanism>& matrix, Scratch& scratch) {
        matrix.add_rows(scratch);
        scratch.weak_place = select(matrix.factor(), Real(0.0), Real(-1.0));
        matrix.solve_by_factors(scratch);
    }
};

// A look at a state, as a JointView of what the tree has of it.
template <class System>
class ChartedView {
  public:
    using Real = typename System::Real;
    using Tree = typename System::Tree;

    MYRIAD_HD ChartedView(const System& system, const Motion<System>& motion, const MechanismMemory<System>& memory)
        : tree_(system.tree()), shown_(system, motion, memory), view_(tree_, shown_.motion, shown_.memory) {}
    static MYRIAD_HD int needs_of(const typename System::Topology& topology, int index) {
        return JointView<Tree>::needs_of(topology, index);
    }
    MYRIAD_HD void look(int needs) { view_.look(needs); }
    MYRIAD_HD Real channel(int index) const { return view_.channel(index); }

  private:
    struct Shown {
        Motion<Tree> motion;
        MechanismMemory<Tree> memory;
        MYRIAD_HD Shown(const System& system, const Motion<System>& given, const MechanismMemory<System>& kept) {
            system.show(given, kept, motion, memory);
        }
    };
    Tree tree_;
    Shown shown_;
    JointView<Tree> view_;
};

}  // namespace myriad::inline MYRIAD_VARIANT
