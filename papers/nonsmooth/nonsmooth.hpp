// The parts of the page on the nonsmooth paper; each adds its tables and statements.
#pragma once
#include <string>

#include "papers/markdown.hpp"

namespace myriad::bench {

// Sects. 2.4 to 2.7, appendices A and B.
void nonsmooth_linear_analysis(MarkdownPage& page);
// Sect. 2.8.
void nonsmooth_three_masses(MarkdownPage& page);
// Sects. 4.1 to 4.4 with the rigid mechanism.
void nonsmooth_slider_crank(MarkdownPage& page);
// Sect. 4.4 with every lane of the vectors taken.
void nonsmooth_ensemble(MarkdownPage& page);
// Sects. 4.1 to 4.3 and 4.5 with the flexible rod.
void nonsmooth_flexible_rod(MarkdownPage& page);
// Eqs. 83 and 169.
void nonsmooth_errata(MarkdownPage& page);
// The law of impact of sects. 2.1.5 and 2.5.
void nonsmooth_impacts(MarkdownPage& page);

inline void state(MarkdownPage& page, const std::string& claim, bool holds, const std::string& evidence) {
    page.statements.push_back({claim, holds ? "holds" : "does not hold", evidence});
}

}  // namespace myriad::bench
