// The equations of two coupled stages of a step of a mechanism: residuals of each, and one complex matrix for the
// changes of both (integrators/contact/stage_pair.hpp).
//
//   H z + B^T x = f,   s B z - e x = g       saddle_point.hpp with complex H = M + c_v D + c_x K and s = c_v d + c_x k
//
// H and s are linear in c_v and c_x. One evaluation at their real parts and one at the sums of both parts give the
// complex ones. A prescribed coordinate moves by its function, and its change is nought.
#pragma once
#include "kernels/joint_coordinates/contact_equations.hpp"
#include "kernels/mechanism/complex.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class S>
struct StageEquations<S, SystemKind::joint_coordinates> {
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
    SaddlePoint<Number, Topology> pair;  // its factors

    MYRIAD_HD explicit StageEquations(ContactEquations<S>& given) : equations(given) {
        pair.matrix.topology = given.system.topology;
    }

    // Says which numbers a pair of stages is; returns m of stage_pair.hpp.
    MYRIAD_HD Real set_numbers(Real determinant_beyond) const { return sqrt(determinant_beyond); }
    static MYRIAD_HD Number number(Real x, Real y) { return {x, y}; }

    // Rates first, then multipliers.
    MYRIAD_HD int unknowns() const { return topology().freedoms() + topology().rows(); }
    // The rows of constraints, among the multipliers.
    template <class Use>
    MYRIAD_HD void each_constraint_row(const Use& use) const {
        MYRIAD_EACH(e, topology(), elements) {
            const Element& element = topology().element(e);
            if (element.has_law) continue;
            MYRIAD_UNROLL_PLAN for (int k = 0; k < rows_of(element.kind); ++k) if (element.row[k] >= 0)
                use(element.row[k]);
        }
        MYRIAD_EACH(i, topology(), couplings)
            if (topology().coupling(i).row >= 0) use(topology().coupling(i).row);
    }

    // Rows of constraints are on velocity level. Scratch holds the functions of time.
    MYRIAD_HD void evaluate(const Configuration& q, const Velocity& v, const Velocity& a,
                            const MultiplierVector& multipliers, Real* f) {
        auto& scratch = equations.scratch;
        const Real one(1.0), zero(0.0);
        system().equations().evaluate(q, v, a, multipliers.e, {zero, zero, one, Level::velocity, true, false}, scratch);
        const int freedoms = topology().freedoms();
        MYRIAD_UNROLL_PLAN for (int i = 0; i < freedoms; ++i) f[i] = scratch.solution[i];
        MYRIAD_EACH(r, topology(), rows) f[freedoms + r] = scratch.row_solution[r];
    }
    // Factors the matrix at a state. Returns the lanes in which a pivot was lost.
    MYRIAD_HD Mask factor(const Configuration& q, const Velocity& v, const Velocity& a,
                          const MultiplierVector& multipliers, Number c_v, Number c_x, Mask lanes) {
        auto& scratch = equations.scratch;
        const auto& of_part = scratch.system;
        const int rows = topology().rows();
        MYRIAD_UNROLL for (int part = 0; part < 2; ++part) {
            const bool real = part == 0;
            const Real velocity = real ? c_v.real : c_v.real + c_v.imaginary,
                       position = real ? c_x.real : c_x.real + c_x.imaginary;
            system().equations().evaluate(q, v, a, multipliers.e,
                                          {velocity, position, Real(1.0), Level::velocity, true, true}, scratch);
            const auto take = [&](Number& number, Real x) MYRIAD_INLINE {
                if (real)
                    number.real = x;
                else
                    number.imaginary = x - number.real;
            };
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology().entries(); ++i) {
                take(pair.matrix.lower[i], of_part.matrix.lower[i]);
                if (!topology().is_symmetric()) take(pair.matrix.upper[i], of_part.matrix.upper[i]);
            }
            MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) take(pair.scale[r], of_part.scale[r]);
        }
        MYRIAD_UNROLL_PLAN for (int r = 0; r < rows; ++r) {
            pair.compliance[r] = {of_part.compliance[r], Real(0.0)};
            MYRIAD_UNROLL_PLAN for (int i = 0; i < topology().freedoms(); ++i)
                pair.gradient_of(r)[i] = {of_part.gradient_of(r)[i], Real(0.0)};
        }
        return equations.found(pair.factor(), lanes);
    }
    MYRIAD_HD void solve(Number* f, Number* z) const {
        MYRIAD_UNROLL_PLAN for (int i = 0; i < unknowns(); ++i) z[i] = f[i];
        MYRIAD_EACH(i, topology(), prescribed) z[topology().prescribed_coordinate(i).freedom] = Number(0.0);
        pair.solve(z, z + topology().freedoms());
    }

    // Squared length of a change of positions: metres over length_scale, radians.
    MYRIAD_HD Real square_of(const Velocity& change) const { return system().square_of(change, Real(1.0)); }

  private:
    MYRIAD_HD const System& system() const { return equations.system; }
    MYRIAD_HD const Topology& topology() const { return equations.system.topology; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
