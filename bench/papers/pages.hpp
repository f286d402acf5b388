// The pages that `myriad bench ra_paper`, `lgim_paper` and `livens_paper` write: each runs for a minute or more.
#pragma once
#include "bench/papers/markdown.hpp"

namespace myriad::bench {

MarkdownPage ra_paper();
MarkdownPage lgim_paper();
MarkdownPage livens_paper();

}  // namespace myriad::bench
