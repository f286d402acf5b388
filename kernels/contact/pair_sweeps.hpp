// Sweeps over planar contacts, which take most contact problems to their solution before Newton's method is asked.
//
//   l_N >= 0, u_N = G l + b >= 0, l_N . u_N = 0        of two contacts at once, in closed form: both, one or none press
//   dl_T = ratio dl_N                                  tangents follow: ratio +-mu where they slide, else u_T stays
//   l_T = proj_{|x| <= mu |l_N|}(l_T - u_T / G_TT)     row by row
//
// Two corners of a light body are coupled so strongly that sweeps over single rows take hundreds of rounds: G_12 is
// nearly -(G_11 G_22)^1/2. Contacts 2 m and 2 m + 1 of a system are a pair where they are closed and coupled like that.
// All else is Gauss-Seidel (Jourdan, Alart, Jean 1998) with the newest l. Not handled: contacts in space.
#pragma once
#include "kernels/contact/problem.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class P>
class PairSweeps {
  public:
    using Problem = P;
    using Real = typename Problem::Real;
    using Mask = MaskOf<Real>;
    using Rows = Vec<Problem::rows, Real>;
    static constexpr int rows_at_once = Problem::rows_at_once;

    // Keeps references: the problem and 1/r, which stands for the mobility of a row that G says has none.
    MYRIAD_HD PairSweeps(const Problem& problem, const Rows& mobility) : problem_(problem), mobility_(mobility) {
        MYRIAD_UNROLL_ROWS for (int k = 0; k < problem_.listed.count(); ++k) {
            const int n = problem_.begin(k), t = n + 1;
            tangent_step_[k] = Real(1.0) / select(Real(0.0) < g(t, t), g(t, t), mobility[t]);
            friction_[k] = problem_.friction[k] * mobility[t] / mobility[n];
        }
    }

    // The residual of the laws as prox.hpp has it: r > 0 goes through the projections.
    struct Residual {
        Real error, scale;  // the largest |l / r - proj(l / r - u)| and |b| + |G| |l|, m/s
    };
    MYRIAD_HD Residual residual(const Rows& l) const {
        const Real zero(0.0);
        Real sum(0.0), free(0.0);
        Residual found{zero, zero};
        MYRIAD_UNROLL_ROWS for (int k = 0; k < problem_.listed.count(); ++k) {
            const int n = problem_.begin(k), t = n + 1;
            const Mask closed = problem_.closed[k];
            Real argument[2];
            MYRIAD_UNROLL for (int i = 0; i < 2; ++i) {
                const Real b = problem_.free_velocity[n + i];
                Real u = b, size = absolute(b);
                MYRIAD_UNROLL_ROWS for (int j = 0; j < problem_.row_count(); ++j) {
                    const Real part = g(n + i, j) * l[j];
                    u = u + part, size = size + absolute(part);
                }
                argument[i] = fma(mobility_[n + i], l[n + i], -u);
                found.scale = maximum(select(closed, size, zero), found.scale);
                free = maximum(select(closed, absolute(b), zero), free);
            }
            const Real normal = projected(k, argument[0]), limit = friction_[k] * absolute(normal),
                       tangent = minimum(maximum(argument[1], -limit), limit);
            const Real of_normal = select(closed, absolute(fma(mobility_[n], l[n], -normal)), zero),
                       of_tangent = select(closed, absolute(fma(mobility_[t], l[t], -tangent)), zero);
            found.error = maximum(of_normal, maximum(of_tangent, found.error));
            sum = sum + (of_normal + of_tangent);
        }
        found.error = select(is_finite(sum), found.error, sum);  // the largest of some would lose a NaN
        found.scale = minimum(found.scale, largest_contact_scale<Real>() * free);
        return found;
    }

    // One sweep of the `lanes`. Returns the largest change of l, as the velocity that it gives its own row, m/s.
    MYRIAD_HD Real sweep(Mask lanes, Rows& l) const {
        Real moved(0.0);
        MYRIAD_UNROLL_ROWS for (int k = 0; k < problem_.listed.count(); ++k) {
            if (is_second(k)) continue;
            if (has_partner(k))
                press_both(lanes, k, l, moved);
            else
                press(lanes, k, l, moved);
        }
        MYRIAD_UNROLL_ROWS for (int k = 0; k < problem_.listed.count(); ++k) {
            const int t = problem_.begin(k) + 1;
            const Real limit = problem_.friction[k] * absolute(l[t - 1]);
            const Real argument = fma(-tangent_step_[k], problem_.velocity(t, l), l[t]);
            take(lanes, k, t, minimum(maximum(argument, -limit), limit), l, moved);
        }
        return moved;
    }

  private:
    static constexpr double strong = 0.09;       // share of G_11 G_22 beyond which G_12^2 makes a pair
    static constexpr double independent = 1e-8;  // share of G_11 G_22 that the determinant must have
    static constexpr double regular = 0.1;       // share of G_NN that a must have

    MYRIAD_HD constexpr bool has_partner(int k) const {
        const auto& listed = problem_.listed;
        return listed.number(k) % 2 == 0 && k + 1 < listed.count() && listed.number(k + 1) == listed.number(k) + 1;
    }
    MYRIAD_HD constexpr bool is_second(int k) const { return k > 0 && has_partner(k - 1); }
    MYRIAD_HD const Real& g(int i, int j) const { return problem_.delassus.e[i][j]; }
    MYRIAD_HD Real projected(int k, Real l) const {
        return select(problem_.bilateral[k] | (Real(0.0) < l), l, Real(0.0));
    }
    // How the tangent follows its normal, dl_T / dl_N.
    MYRIAD_HD Real follows(int k, int n, const Rows& l) const {
        const Real zero(0.0), limit = problem_.friction[k] * absolute(l[n]),
                              share = select(l[n] < zero, -problem_.friction[k], problem_.friction[k]);
        const Mask slides = limit <= absolute(l[n + 1]);
        const Real ratio = select(slides, select(l[n + 1] < zero, -share, share), -(g(n + 1, n) * tangent_step_[k]));
        const Real a = fma(g(n, n + 1), ratio, g(n, n));
        return select(Real(regular) * g(n, n) < a, ratio, zero);
    }
    // du_N of the contact with the normal row n by l_N of that with the row m, whose tangent follows.
    MYRIAD_HD Real gain(int n, int m, Real ratio) const { return fma(g(n, m + 1), ratio, g(n, m)); }
    MYRIAD_HD Real gain_of_own(int n, Real ratio) const {
        const Real a = gain(n, n, ratio);
        return select(Real(0.0) < a, a, mobility_[n]);
    }
    // As one of a pair whose other contact is open, bit for bit.
    MYRIAD_HD void press(Mask lanes, int k, Rows& l, Real& moved) const {
        const int n = problem_.begin(k);
        const Real ratio = follows(k, n, l), step = Real(1.0) / gain_of_own(n, ratio);
        move(lanes, k, n, ratio, projected(k, fma(-problem_.velocity(n, l), step, l[n])), l, moved);
    }
    MYRIAD_HD void press_both(Mask lanes, int k, Rows& l, Real& moved) const {
        const int n = problem_.begin(k), m = problem_.begin(k + 1);
        const Real zero(0.0), one(1.0), ratio_n = follows(k, n, l), ratio_m = follows(k + 1, m, l);
        const Real a_nn = gain_of_own(n, ratio_n), a_nm = gain(n, m, ratio_m), a_mn = gain(m, n, ratio_n),
                   a_mm = gain_of_own(m, ratio_m), u_n = problem_.velocity(n, l), u_m = problem_.velocity(m, l);
        const Real diagonal = a_nn * a_mm, across = a_nm * a_mn, determinant = diagonal - across;
        const Mask closed = problem_.closed[k] & problem_.closed[k + 1], is_strong = Real(strong) * diagonal < across,
                   is_regular = Real(independent) * diagonal < determinant, coupled = closed & is_strong & is_regular;
        const Real reciprocal = one / select(coupled, determinant, one), step_n = one / a_nn, step_m = one / a_mm;

        const Real c_n = u_n - fma(a_nn, l[n], a_nm * l[m]), c_m = u_m - fma(a_mn, l[n], a_mm * l[m]);
        const Real both_n = reciprocal * fma(a_nm, c_m, -(a_mm * c_n)),
                   both_m = reciprocal * fma(a_mn, c_n, -(a_nn * c_m));
        const Mask n_presses = problem_.bilateral[k] | (zero < both_n),
                   m_presses = problem_.bilateral[k + 1] | (zero < both_m), both = n_presses & m_presses;
        const Real first = projected(k, -(c_n * step_n)), second = projected(k + 1, -(c_m * step_m));
        const Mask opens = zero <= fma(a_mn, first, c_m), first_alone = opens & !problem_.bilateral[k + 1];
        const Real pair_n = select(both, both_n, select(first_alone, first, zero)),
                   pair_m = select(both, both_m, select(first_alone, zero, second));

        const Real alone_n = projected(k, fma(-u_n, step_n, l[n])), before = l[n];
        move(lanes, k, n, ratio_n, select(coupled, pair_n, alone_n), l, moved);
        const Real alone_m = projected(k + 1, fma(-fma(a_mn, l[n] - before, u_m), step_m, l[m]));
        move(lanes, k + 1, m, ratio_m, select(coupled, pair_m, alone_m), l, moved);
    }
    MYRIAD_HD void move(Mask lanes, int k, int n, Real ratio, Real value, Rows& l, Real& moved) const {
        const Real old = l[n];
        take(lanes, k, n, value, l, moved);
        l[n + 1] = fma(ratio, l[n] - old, l[n + 1]);
    }
    MYRIAD_HD void take(Mask lanes, int k, int row, Real value, Rows& l, Real& moved) const {
        const Real old = l[row];
        l[row] = select(lanes & problem_.closed[k], value, old);
        moved = maximum(absolute(g(row, row) * (l[row] - old)), moved);
    }

    const Problem& problem_;
    const Rows& mobility_;
    Vec<Problem::contacts, Real> tangent_step_, friction_;  // 1 / G_TT; mu r_N / r_T
};

}  // namespace myriad::inline MYRIAD_VARIANT
