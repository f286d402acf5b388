// The nonsmooth paper (Rezaei, Schindler): its tables, ours beside theirs, and its statements one by one.
#include "bench/papers/nonsmooth.hpp"
#include "bench/papers/pages.hpp"
#include "bench/papers/sweep.hpp"

namespace myriad::bench {

MarkdownPage nonsmooth_paper() {
    MarkdownPage page{
        "nonsmooth_paper.md",
        "The nonsmooth paper: mixed timestepping schemes",
        "Rezaei, Schindler: Mixed timestepping schemes for nonsmooth mechanics with high frequency damping (preprint). "
        "Moreau: moreau_midpoint; half-explicit: half_explicit, which the paper names HETS and does not write out; "
        "generalized-alpha, Bathe, ED-alpha: nonsmooth_generalized_alpha, nonsmooth_bathe, nonsmooth_ed_alpha. A "
        "number behind a name is its spectral radius. Its figures are curves, so its statements stand beside our "
        "figures. h: step, T: period, W = 2 pi h/T.\n\nMeasured on: " +
            one_thread().backend->device() + ".",
        {},
        {}};
    nonsmooth_slider_crank(page);
    nonsmooth_ensemble(page);
    nonsmooth_flexible_rod(page);
    nonsmooth_three_masses(page);
    nonsmooth_linear_analysis(page);
    nonsmooth_impacts(page);
    return page;
}

}  // namespace myriad::bench
