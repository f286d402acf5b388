// The equations of two coupled stages of a step, in body coordinates: residuals of each, and one complex matrix for the
// changes of both (integrators/contact/stage_pair.hpp).
//
//   f = residuals of a stage,   [M + c_v C + c_x K, B^T; B, 0] z = f       c_v, c_x, z: complex
//
// Rows of constraints are on velocity level. The same for joint coordinates, with the same names:
// kernels/joint_coordinates/stage_equations.hpp. SI units. Not handled: charts other than the rotation group.
#pragma once
#include "kernels/mechanism/complex.hpp"
#include "kernels/mechanism/contact/contact_equations.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class S>
struct StageEquations<S, SystemKind::body_coordinates> {
    using System = S;
    using Real = typename System::Real;
    using Mask = MaskOf<Real>;
    using Topology = typename System::Topology;
    using Number = Complex<Real>;
    using Configuration = typename System::Configuration;
    using Velocity = typename System::Velocity;
    using MultiplierVector = typename System::MultiplierVector;
    static constexpr int most_unknowns = ContactEquations<S>::most_unknowns;

    ContactEquations<S>& equations;
    Number matrix[Topology::most_matrix_entries];  // its factors

    MYRIAD_HD explicit StageEquations(ContactEquations<S>& given) : equations(given) {}

    // Says which numbers a pair of stages is; returns m of stage_pair.hpp.
    MYRIAD_HD Real set_numbers(Real determinant_beyond) const { return sqrt(determinant_beyond); }
    static MYRIAD_HD Number number(Real x, Real y) { return {x, y}; }

    // Rates first, then multipliers.
    MYRIAD_HD int unknowns() const { return rate_count(system()) + system().topology.rows(); }
    // The rows of constraints, among the multipliers.
    template <class Use>
    MYRIAD_HD void each_constraint_row(const Use& use) const {
        const Topology& topology = system().topology;
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            if (element.has_law || element.is_sensor) continue;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) if (element.row[k] >= 0)
                use(element.row[k]);
        }
    }

    // Scratch holds the functions of time.
    MYRIAD_HD void evaluate(const Configuration& q, const Velocity& v, const Velocity& a,
                            const MultiplierVector& multipliers, Real* f) {
        auto& work = equations.scratch.work;
        system().place(q, v, a, work);
        const Real one(1.0), zero(0.0);
        linearize({one, zero, zero, one, Level::velocity, true, false, false, false}, q, multipliers);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) f[i] = work.right_hand_side[i];
    }
    // Factors the matrix at a state. Returns the lanes in which a pivot was lost.
    MYRIAD_HD Mask factor(const Configuration& q, const Velocity& v, const Velocity& a,
                          const MultiplierVector& multipliers, Number c_v, Number c_x, Mask) {
        const Topology& topology = system().topology;
        const Real one(1.0), zero(0.0);
        system().place(q, v, a, equations.scratch.work);
        MYRIAD_UNROLL for (int part = 0; part < 2; ++part) {
            const bool real = part == 0;
            linearize({real ? one : zero, real ? c_v.real : c_v.imaginary, real ? c_x.real : c_x.imaginary, one,
                       Level::velocity, true, false, false, true},
                      q, multipliers);
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.slots(); ++i) {
                if (real)
                    matrix[i].real = equations.scratch.matrix[i];
                else
                    matrix[i].imaginary = equations.scratch.matrix[i];
            }
        }
        // An entry without a coefficient has no imaginary part.
        MYRIAD_EACH(e, topology, elements) {
            const Element& element = topology.element(e);
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) {
                const int row = element.row[k];
                if (row < 0) continue;
                if (element.has_law) matrix[topology.diagonal_slot(row)].imaginary = zero;
                MYRIAD_UNROLL for (int side = 0; side < 2; ++side) {
                    if (element.body[side] < 0) continue;
                    MYRIAD_UNROLL for (int i = 0; i < 6; ++i) {
                        if (!(row_entries(element.kind, k) >> i & 1u)) continue;
                        matrix[topology.column_slot(row, side, i)].imaginary = zero;
                        if (!element.has_law) matrix[topology.row_slot(row, side, i)].imaginary = zero;
                    }
                }
            }
        }
        return topology.template factor<Number>(matrix);
    }
    // May change `f`.
    MYRIAD_HD void solve(Number* f, Number* z) const { system().topology.template solve<Number>(matrix, f, z); }

    // Squared length of a change of positions: metres over length_scale, radians.
    MYRIAD_HD Real square_of(const Velocity& change) {
        auto& work = equations.scratch.work;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system()); ++i) work.solution[i] = change[i];
        return system().square_of(work, Real(1.0));
    }

  private:
    MYRIAD_HD const System& system() const { return equations.system; }
    MYRIAD_HD void linearize(const Linearization<Real>& by, const Configuration& q,
                             const MultiplierVector& multipliers) {
        auto& scratch = equations.scratch;
        system().equations(scratch.functions).evaluate(scratch.work, by, multipliers.e, q.turned, scratch.matrix);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
