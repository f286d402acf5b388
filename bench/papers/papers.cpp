// The cases `ra_paper`, `lgim_paper`, `livens_paper` and `nonsmooth_paper` of `myriad bench`.
#include "bench/cases.hpp"
#include "bench/papers/pages.hpp"

namespace myriad::bench {

void ra_paper_tables(program::BenchReport& report) {
    const MarkdownPage page = ra_paper();
    report.pages.push_back({page.file, page.markdown()});
}

void livens_paper_tables(program::BenchReport& report) {
    const MarkdownPage page = livens_paper();
    report.pages.push_back({page.file, page.markdown()});
}

void lgim_paper_tables(program::BenchReport& report) {
    const MarkdownPage page = lgim_paper();
    report.pages.push_back({page.file, page.markdown()});
}

void nonsmooth_paper_tables(program::BenchReport& report) {
    const MarkdownPage page = nonsmooth_paper();
    report.pages.push_back({page.file, page.markdown()});
}

}  // namespace myriad::bench
