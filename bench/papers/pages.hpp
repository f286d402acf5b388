// The pages that `myriad bench ra_paper`, `lgim_paper`, `livens_paper` and `nonsmooth_paper` write: each runs for a
// minute or more.
#pragma once
#include "bench/papers/markdown.hpp"

namespace myriad::bench {

MarkdownPage ra_paper();
MarkdownPage lgim_paper();
MarkdownPage livens_paper();
MarkdownPage nonsmooth_paper();

}  // namespace myriad::bench
