#include "host/study/suggestion.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace myriad::study {

namespace {

// A word of five letters may have two errors; beyond half of it, the two words have nothing to do with each other.
std::size_t most_errors(std::string_view word) { return std::max<std::size_t>(1, word.size() * 2 / 5); }

// Longer lists help nobody: of those only the nearest names are given.
constexpr std::size_t most_listed = 30, few = 6;

char small(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = small(a[i - 1]) == small(b[j - 1]) ? 0 : 1;
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + changed});
            const bool swapped =
                i > 1 && j > 1 && small(a[i - 1]) == small(b[j - 2]) && small(a[i - 2]) == small(b[j - 1]);
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, previous), std::swap(previous, row);
    }
    return previous[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
    const auto best = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edit_distance(word, a) < edit_distance(word, b);
    });
    if (best == known.end()) return "";
    // "mass" for "mass_kg": the unit forgotten is the commonest error of all.
    if (word.size() >= 3)
        for (const std::string& name : known)
            if (name.starts_with(word)) return name;
    return edit_distance(word, *best) <= std::max(most_errors(word), most_errors(*best)) ? *best : "";
}

std::string list_of(std::span<const std::string> names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

std::string suggestion(std::string_view word, std::span<const std::string> known, const std::string& plural) {
    const std::string meant = nearest(word, known);
    if (known.size() > most_listed) {
        std::vector<std::string> nearer(known.begin(), known.end());
        std::stable_sort(nearer.begin(), nearer.end(),
                         [&](const auto& a, const auto& b) { return edit_distance(word, a) < edit_distance(word, b); });
        nearer.resize(few);
        return (meant.empty() ? "there" : "did you mean \"" + meant + "\"? There") + " are " +
               std::to_string(known.size()) + " " + plural + "; the nearest are: " + list_of(nearer) +
               "; `myriad list` shows all";
    }
    return (meant.empty() ? "the " : "did you mean \"" + meant + "\"? The ") + plural + " are: " + list_of(known);
}

}  // namespace myriad::study
