// The name that a user probably meant: the known one that is the fewest typing errors away from an unknown one.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace myriad {

// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment) that turn one into the other;
// capitals count as the small letter. Beyond 200 letters it is the longer length.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known`, the first among equals; empty where even that one is no typing error.
std::string nearest(std::string_view word, std::span<const std::string> known);

std::string list_of(std::span<const std::string> names);  // "rk4, rk67, ode23"

// `did you mean "step_s"? The keys here are: name, step_s, end_s`; `plural` names what the list holds ("keys here"). Of
// a long list only the nearest names are given, those first that share words with the unknown one ("contact_gap.foot":
// "gap.foot"), and `listing`, the command that shows all.
std::string suggestion(std::string_view word, std::span<const std::string> known, const std::string& plural,
                       const std::string& listing = "myriad list");

}  // namespace myriad
