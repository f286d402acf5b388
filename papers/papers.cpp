// The cases of `myriad bench` that compare with papers: a page of each paper, and the work-precision comparison of
// lgim.
#include "bench/cases.hpp"
#include "papers/pages.hpp"

namespace myriad::bench {

namespace {

template <MarkdownPage (*page_of)()>
void write(program::BenchReport& report) {
    const MarkdownPage page = page_of();
    report.pages.push_back({page.file, page.markdown()});
}

}  // namespace

std::span<const Case> paper_cases() {
    static constexpr Case all[] = {
        {"lie_against_chart", "work and precision on the rotation group and on Cardan angles", lie_against_chart},
        {"ra_paper", "the tables of the rA paper, ours beside theirs, as a page", write<ra_paper>},
        {"lgim_paper", "the comparisons of the LGIM paper, as a page", write<lgim_paper>},
        {"livens_paper", "the comparisons of the Livens paper, as a page", write<livens_paper>},
        {"nonsmooth_paper", "the tables of the nonsmooth paper, ours beside theirs, as a page", write<nonsmooth_paper>},
    };
    return all;
}

}  // namespace myriad::bench
