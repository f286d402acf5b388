// The pages that `myriad bench ra_paper`, `lgim_paper`, `livens_paper` and `nonsmooth_paper` write. Each runs for a
// minute or more.
#pragma once
#include "host/program/bench_report.hpp"
#include "papers/markdown.hpp"

namespace myriad::bench {

MarkdownPage ra_paper();
MarkdownPage lgim_paper();
MarkdownPage livens_paper();
MarkdownPage nonsmooth_paper();

// Rows of the report instead of a page.
void lie_against_chart(program::BenchReport& report);

}  // namespace myriad::bench
