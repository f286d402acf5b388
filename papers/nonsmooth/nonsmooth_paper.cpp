// The nonsmooth paper (Rezaei, Schindler): its tables, ours beside theirs, and its statements one by one.
#include "papers/nonsmooth/nonsmooth.hpp"
#include "papers/pages.hpp"
#include "papers/sweep.hpp"

namespace myriad::bench {

MarkdownPage nonsmooth_paper() {
    MarkdownPage page{
        "nonsmooth_paper.md",
        "The nonsmooth paper: mixed timestepping schemes",
        "Rezaei, Schindler: Mixed timestepping schemes for nonsmooth mechanics with high frequency damping (preprint). "
        "Moreau: moreau_midpoint; half-explicit: half_explicit, which the paper names HETS and does not write out; "
        "generalized-alpha, Bathe, ED-alpha: nonsmooth_generalized_alpha, nonsmooth_bathe, nonsmooth_ed_alpha. A "
        "number behind a name is its spectral radius. Its figures are curves, so its statements stand beside our "
        "figures. h: step, T: period, W = 2 pi h/T.\n\n"
        "Contact problems: the paper solves its projections by a nonsmooth Gauss-Newton method, with a pseudoinverse "
        "since contacts may depend on each other (eq. 43); ours is a nonsmooth Newton method for the same projections, "
        "with 1e-9 of each contact's mobility as a softness in place of the pseudoinverse, and with sweeps of the "
        "fixed point where a step does not lower the residual.\n\nMeasured on: " +
            one_thread().backend->device() +
            ".\n\n![Errors of Tables 4 and 6: ours filled, the paper's open](../../gallery/nonsmooth_errors.svg)",
        {},
        {}};
    nonsmooth_slider_crank(page);
    nonsmooth_ensemble(page);
    nonsmooth_flexible_rod(page);
    nonsmooth_three_masses(page);
    nonsmooth_linear_analysis(page);
    nonsmooth_errata(page);
    nonsmooth_impacts(page);
    return page;
}

}  // namespace myriad::bench
