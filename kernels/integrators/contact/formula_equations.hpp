// What methods with contact ask of a system that is a formula, in its own coordinates: contact/equations.hpp.
//
//   of_step         M^ z = h - M a,  M^ = M + c_v C + c_q K                nonsmooth eqs. 30 to 38
//   of_velocities   M z = s h;   of_impulses  M z = 0;   of_accelerations  M z = h
//
// with M, h, C, K and the directions W as in contact/nonsmooth_system.hpp, which leaves W l out of K. There are no
// multipliers: what holds bodies together is in the formula, or a contact that is held. A correction counts relative to
// velocities and to forces over the step, in the norm of the kinetic energy, which has no units to choose. Not handled:
// dry friction of joints, drivers.
#pragma once
#include "kernels/contact/equations.hpp"
#include "kernels/contact/nonsmooth_system.hpp"
#include "kernels/math/quadratic_number.hpp"
#include "kernels/math/small_factors.hpp"
#include "kernels/system/rates.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// C contacts with T tangents each, and no rows.
template <int C, int T>
struct FormulaTopology {
    struct Contact {
        int tangents;
    };
    static constexpr int most_contacts = C, most_rows = 0, most_set_frictions = 0, directions = 1 + T,
                         even_tangents = T;
#if defined(__CUDACC_RTC__) && !defined(MYRIAD_ROLLED_ROWS)
    static constexpr bool lists_contacts = false;  // an index that is no constant would move the problem to memory
#else
    static constexpr bool lists_contacts = C > 1;
#endif
    static MYRIAD_HD constexpr int contacts() { return C; }
    static MYRIAD_HD constexpr int rows() { return 0; }
    static MYRIAD_HD constexpr int constraint_rows() { return 0; }
    static MYRIAD_HD constexpr int set_frictions() { return 0; }
    static MYRIAD_HD constexpr Contact contact(int) { return {T}; }
};

// Multipliers of no rows.
template <class R>
struct NoMultipliers {
    using Real = R;
    Real none;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&&, Self&...) {}
    MYRIAD_HD Real& operator[](int) { return none; }
    MYRIAD_HD const Real& operator[](int) const { return none; }
};

template <class System, int contacts = System::contacts>
struct FormulaPlaces {
    using Real = typename System::Real;
    using Velocity = typename System::Velocity;
    FormulaTopology<contacts, System::tangents> topology;
    ContactState<System::freedoms, contacts, System::tangents, Real> state;

    MYRIAD_HD Real gap(int c) const { return state.gap[c]; }
    MYRIAD_HD Real velocity(int row, const Velocity& v) const { return state.velocity(row, v); }
    // The same; it is zero where it is no more than the round-off of its sum.
    MYRIAD_HD Real velocity_beyond_noise(int row, const Velocity& v) const {
        Real size(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) size =
            size + absolute(state.direction[row][i] * v[i]);
        const Real u = velocity(row, v);
        return select(absolute(u) <= constant<Real>(1e-14, 1e-6) * size, Real(0.0), u);
    }
    // Adds l in the lanes where it `acts`: the directions of others may not be finite.
    MYRIAD_HD void add_load(int row, MaskOf<Real> acts, Real l, Real* forces) const {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) forces[i] =
            select(acts, fma(l, state.direction[row][i], forces[i]), forces[i]);
    }
    // Those of one pair of contacts, each with one tangent.
    template <class Choice>
    MYRIAD_HD FormulaPlaces<System, 2> pair(const Choice& choice) const {
        FormulaPlaces<System, 2> places;
        MYRIAD_UNROLL for (int c = 0; c < 2; ++c) places.state.gap[c] =
            choice.pick([&](int pair) MYRIAD_INLINE { return state.gap[2 * pair + c]; });
        constexpr int rows = 1 + System::tangents;
        MYRIAD_UNROLL for (int row = 0; row < 2 * rows; ++row)
            MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) places.state.direction[row][i] =
            choice.template pick_row<rows>(row, [&](int of) MYRIAD_INLINE { return state.direction[of][i]; });
        return places;
    }
};

// The square of the longest velocity that counts: of `v`, of `known`, what it was without the unknown accelerations,
// and of the loads over c.
template <class System, class Real = typename System::Real>
MYRIAD_HD Real square_of_velocities(const SquareMatrix<System::freedoms, Real>& mass,
                                    const typename System::Velocity& v, const typename System::Velocity& known,
                                    const typename System::Velocity& force, const typename System::Velocity& inertia,
                                    Real c) {
    Real loads(0.0);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) {
        const Real load = absolute(force[i]) + absolute(inertia[i]);
        loads = fma(load, load / mass.e[i][i], loads);
    }
    return fma(c * c, loads, inner(v, mass * v) + inner(known, mass * known));
}

template <class S>
struct ContactEquations<S, SystemKind::formula> {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Topology = FormulaTopology<System::contacts, System::tangents>;
    using Configuration = typename System::Configuration;
    using Velocity = typename System::Velocity;
    using MultiplierVector = NoMultipliers<Real>;
    using Places = FormulaPlaces<System>;
    static constexpr int most_unknowns = System::freedoms;
    static constexpr bool has_joints = false, has_surfaces = false;

    const System& system;
    Real time_s;

    MYRIAD_HD explicit ContactEquations(const System& given)
        : system(given), time_s(Real(0.0)), square_of_scale_(Real(0.0)) {}

    MYRIAD_HD void set_time(Real at_s) { time_s = at_s; }

    MYRIAD_HD ContactLaw<Real> law(int c) const { return system.law(c); }
    MYRIAD_HD Mask is_held(int c) const { return system.held(c); }
    template <class T>
    MYRIAD_HD T unless_held(int c, const T& x, const T& otherwise) const {
        return select(system.held(c), otherwise, x);
    }
    MYRIAD_HD Mask closes(int c, Mask touches) const {
        const Mask held = system.held(c), used = !system.unused(c), closed = touches | held;
        return closed & used;
    }
    MYRIAD_HD Mask is_unilateral(int c) const {
        const Mask held = system.held(c), unused = system.unused(c);
        return !(held | unused);
    }
    MYRIAD_HD Real if_unilateral(int c, Real x, Real otherwise) const { return select(is_unilateral(c), x, otherwise); }

    MYRIAD_HD void find(const Configuration& q, Places& places) const {
        if constexpr (System::contacts > 0) find_contacts(system, q, places.state);
    }
    MYRIAD_HD void find_here(const Configuration& q, Places& places) const { find(q, places); }
    MYRIAD_HD void find_gaps(const Configuration& q, Places& places) const { find(q, places); }
    MYRIAD_HD void find_gaps_here(const Configuration& q, Places& places) const { find(q, places); }
    // Gaps and directions are found together.
    template <class Sees>
    MYRIAD_HD void find_directions(Places&, const Sees&) const {}
    template <class Sees>
    MYRIAD_HD void find_directions_here(const Configuration& q, Places& places, const Sees&) const {
        find(q, places);
    }

    MYRIAD_HD void prescribe(Configuration&, Velocity&) const {}
    MYRIAD_HD void prescribe_acceleration(Velocity&) const {}

    // The copy of q tells a compiler that no result lies in it: its sines are taken once.
    MYRIAD_HD Mask of_step(const Configuration& at, const Velocity& v, const Velocity& a, const MultiplierVector&,
                           Real c_v, Real c_q, Mask) {
        const Configuration q = at;
        mass_ = system.mass(q);
        const auto tangent = system.tangents_of(q, v, a, time_s);
        const Velocity force = system.force(q, v, time_s), inertia = mass_ * a, known = fma(-c_v, a, v);
        SquareMatrix<System::freedoms, Real> matrix;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) {
            solution_[i] = force[i] - inertia[i];
            MYRIAD_UNROLL_PLAN for (int j = 0; j < System::freedoms; ++j) matrix.e[i][j] =
                fma(c_v, tangent.damping.e[i][j], c_q * tangent.stiffness.e[i][j]) + mass_.e[i][j];
        }
        factors_.factor(matrix);
        square_of_scale_ = (c_v * c_v) * square_of_velocities<System>(mass_, v, known, force, inertia, c_v);
        return none();
    }
    MYRIAD_HD Mask of_velocities(const Configuration& at, const Velocity& v, Real h, Mask, MultiplierVector&) {
        const Configuration q = at;
        take_mass(q);
        solution_ = h * system.force(q, v, time_s);
        return none();
    }
    MYRIAD_HD Mask of_impulses(const Configuration& q, const Velocity&, Mask) {
        take_mass(q);
        clear();
        return none();
    }
    MYRIAD_HD Mask of_accelerations(const Configuration& q, const Velocity& v, Mask lanes) {
        MultiplierVector multipliers;
        return of_velocities(q, v, Real(1.0), lanes, multipliers);
    }
    // Each correction is the least one in the norm of the masses. A formula pins nothing.
    MYRIAD_HD Mask of_positions(const Configuration& q, bool, Mask) {
        take_mass(q);
        clear();
        square_of_scale_ = Real(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) square_of_scale_ =
            square_of_scale_ + mass_.e[i][i];
        return none();
    }
    MYRIAD_HD Mask of_half_step(const Configuration& q, const Velocity& v, Real at_s, Real h, const Configuration& held,
                                const Velocity&, Real end_s, const Configuration&, Mask lanes,
                                MultiplierVector& multipliers, Mask touching, Places& places, Places& seen) {
        set_time(at_s);
        of_velocities(q, v, h, lanes, multipliers);
        MYRIAD_WHEN(touching) find(q, places), find(held, seen);
        set_time(end_s);
        return none();
    }

    MYRIAD_HD void keep(Real* f) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) f[i] = solution_[i] = solution_[i] + Real(0.0);
    }
    MYRIAD_HD void put_back(const Real* f) {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) solution_[i] = f[i];
    }
    MYRIAD_HD void clear() { MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) solution_[i] = Real(0.0); }
    template <int contacts>
    MYRIAD_HD void add_load(const FormulaPlaces<System, contacts>& places, int row, Mask acts, Real l) {
        places.add_load(row, acts, l, solution_.e);
    }
    MYRIAD_HD void joint_rates(const Configuration&, const Velocity&, Real, Real*) const {}
    MYRIAD_HD void replace_joints(const Real*) const {}

    MYRIAD_HD void solve() { solution_ = factors_.solve(solution_); }
    MYRIAD_HD void solve_loads() { solve(); }
    // What loads are solved with, and the solution.
    struct Factored {
        SmallFactors<System::freedoms, Real> factors;
        Velocity solution;
    };
    MYRIAD_HD Factored factored() const { return {factors_, solution_}; }
    MYRIAD_HD void restore(const Factored& kept) { factors_ = kept.factors, solution_ = kept.solution; }
    MYRIAD_HD Real rate(int i) const { return solution_[i]; }
    MYRIAD_HD Real multiplier(int) const { return Real(0.0); }
    template <int contacts>
    MYRIAD_HD Real along(const FormulaPlaces<System, contacts>& places, int row) const {
        return places.velocity(row, solution_);
    }
    // Relative to the scale of the equations.
    MYRIAD_HD Real square(Real c_q) const {
        const Real square = (c_q * c_q) * inner(solution_, mass_ * solution_);
        return select(square == Real(0.0), square, square / square_of_scale_);
    }

    MYRIAD_HD void stay() { MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) moved_[i] = Real(0.0); }
    MYRIAD_HD void move(Mask going, Configuration& q) {
        moved_ = select(going, moved_ + solution_, moved_);
        q = select(going, System::settle(System::retract(q, solution_)), q);
    }
    MYRIAD_HD Real distance() const { return sqrt(inner(moved_, moved_)); }

    MYRIAD_HD Assembled<Real> assemble(Configuration& q, Velocity& v, Velocity& a, MultiplierVector&) {
        of_accelerations(q, v, none());
        solve();
        a = solution_;
        return {Real(0.0), Real(0.0)};
    }
    MYRIAD_HD Assembled<Real> assemble_again(Configuration& q, Velocity& v, Velocity& a,
                                             MultiplierVector& multipliers) {
        return assemble(q, v, a, multipliers);
    }

    MYRIAD_HD Real kinetic_energy_here(const Configuration&, const Velocity& v) const {
        return Real(0.5) * inner(v, mass_ * v);
    }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const { return system.energy(q, v); }
    MYRIAD_HD Real energy_here(const Configuration& q, const Velocity& v) const { return energy(q, v); }

  private:
    SquareMatrix<System::freedoms, Real> mass_;
    SmallFactors<System::freedoms, Real> factors_;
    Velocity solution_;  // the right-hand side before
    Velocity moved_;
    Real square_of_scale_;

    static MYRIAD_HD Mask none() { return !true_mask<Real>(); }
    MYRIAD_HD void take_mass(const Configuration& q) {
        mass_ = system.mass(q);
        factors_.factor(mass_);
    }
};

template <class S>
struct StageEquations<S, SystemKind::formula> {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Number = QuadraticNumber<Real>;
    using Configuration = typename System::Configuration;
    using Velocity = typename System::Velocity;
    using MultiplierVector = NoMultipliers<Real>;
    static constexpr int most_unknowns = System::freedoms;

    ContactEquations<S>& equations;

    MYRIAD_HD explicit StageEquations(ContactEquations<S>& given) : equations(given) {}

    // Any pair of stages will do: a number's unit is not scaled.
    MYRIAD_HD Real set_numbers(Real determinant_beyond) {
        square_ = -determinant_beyond;
        return Real(1.0);
    }
    MYRIAD_HD Number number(Real x, Real y) const { return {x, y, square_}; }
    static MYRIAD_HD constexpr int unknowns() { return System::freedoms; }
    template <class Use>
    static MYRIAD_HD void each_constraint_row(const Use&) {}

    MYRIAD_HD void evaluate(const Configuration& q, const Velocity& v, const Velocity& a, const MultiplierVector&,
                            Real* f) const {
        const Velocity force = equations.system.force(q, v, equations.time_s), inertia = equations.system.mass(q) * a;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) f[i] = force[i] - inertia[i];
    }
    MYRIAD_HD Mask factor(const Configuration& q, const Velocity& v, const Velocity& a, const MultiplierVector&,
                          Number c_v, Number c_x, Mask) {
        mass_ = equations.system.mass(q);
        const auto tangent = equations.system.tangents_of(q, v, a, equations.time_s);
        SquareMatrix<System::freedoms, Number> matrix;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i)
            MYRIAD_UNROLL_PLAN for (int j = 0; j < System::freedoms; ++j) {
            const Real damping = tangent.damping.e[i][j], stiffness = tangent.stiffness.e[i][j];
            matrix.e[i][j] = number(fma(c_v.real, damping, c_x.real * stiffness) + mass_.e[i][j],
                                    fma(c_v.imaginary, damping, c_x.imaginary * stiffness));
        }
        factors_.factor(matrix);
        const Velocity force = equations.system.force(q, v, equations.time_s), inertia = mass_ * a;
        const Real c = c_v.real;
        square_of_scale_ = (c * c) * square_of_velocities<System>(mass_, v, v, force, inertia, c);
        return !true_mask<Real>();
    }
    MYRIAD_HD void solve(const Number* f, Number* z) const {
        Vec<System::freedoms, Number> x;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) x[i] = f[i];
        x = factors_.solve(x);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < System::freedoms; ++i) z[i] = x[i];
    }
    // Relative to the scale of the equations.
    MYRIAD_HD Real square_of(const Velocity& change) const {
        const Real square = inner(change, mass_ * change);
        return select(square == Real(0.0), square, square / square_of_scale_);
    }

  private:
    SquareMatrix<System::freedoms, Real> mass_;
    SmallFactors<System::freedoms, Number> factors_;
    Real square_;  // of the unit j
    Real square_of_scale_;
};

// A formula has no joints that could react.
template <class System>
struct JointImpulses<System, SystemKind::formula> {
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&&, Self&...) {}
    MYRIAD_HD void clear() const {}
    MYRIAD_HD void forces_follow(MaskOf<typename System::Real>) const {}
    MYRIAD_HD void take(MaskOf<typename System::Real>, const ContactEquations<System>&) const {}
    MYRIAD_HD void add_impact(MaskOf<typename System::Real>, const ContactEquations<System>&) const {}
    MYRIAD_HD void take_step(MaskOf<typename System::Real>, typename System::Real,
                             const ContactEquations<System>&) const {}
};

}  // namespace myriad::inline MYRIAD_VARIANT
