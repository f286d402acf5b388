// The common part of the LGIM paper's page.
#pragma once
#include "papers/comparison.hpp"

namespace myriad::bench {

// Spectral radius 0.9, as everywhere in the paper.
validation::Method generalized_alpha(const char* chart);
// RV, Rxyz and EP, of a mechanism or of a system.
std::vector<Variant> representations(bool of_mechanism = true);

MarkdownTable iterations_of(const Sweep& made, const std::string& name);
void add_error_and_time(MarkdownPage& page, const Sweep& made, const std::string& name, const std::string& error);

// Sect. 4.1.1.
void unconstrained_top(MarkdownPage& page, const Machine& machine);

}  // namespace myriad::bench
