#include "host/text/suggestion.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace myriad {

namespace {

// A word of five letters may have two errors; beyond half of it, the two words have nothing to do with each other.
std::size_t most_errors(std::string_view word) { return std::max<std::size_t>(1, word.size() * 2 / 5); }

// The distance of two words takes time in proportion to the product of their lengths. A word longer than any name is no
// misspelled name, and stands as far from all of them as its length.
constexpr std::size_t longest_word = 200;

// Longer lists help nobody: of those only the nearest names are given.
constexpr std::size_t most_listed = 30, few = 6;

// Two names that share this of their words mean the same thing, whatever their letters.
constexpr double same_meaning = 0.5;
// So few letters apart the nearest name is meant, whatever others share.
constexpr std::size_t most_typing_errors = 2;

char small(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

// "contact_force.foot" is of the words contact, force and foot.
std::set<std::string> words_of(std::string_view name) {
    std::set<std::string> words;
    std::string word;
    for (const char letter : std::string(name) + ".") {
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
            word += small(letter);
        } else if (!word.empty()) {
            words.insert(word);
            word.clear();
        }
    }
    return words;
}

// The share of the words of both names that both have; 0 for one that is longer than any name.
double shared_words(std::string_view a, std::string_view b) {
    if (std::max(a.size(), b.size()) > longest_word) return 0.0;
    const std::set<std::string> of_a = words_of(a), of_b = words_of(b);
    const auto both = static_cast<double>(
        std::count_if(of_a.begin(), of_a.end(), [&](const std::string& word) { return of_b.contains(word); }));
    const double all = static_cast<double>(of_a.size() + of_b.size()) - both;
    return all > 0.0 ? both / all : 0.0;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    if (std::max(a.size(), b.size()) > longest_word) return std::max(a.size(), b.size());
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

namespace {

std::vector<std::size_t> distances_to(std::string_view word, std::span<const std::string> known) {
    std::vector<std::size_t> distances;
    for (const std::string& name : known) distances.push_back(edit_distance(word, name));
    return distances;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
    if (known.empty() || word.size() > longest_word) return "";
    const std::vector<std::size_t> distances = distances_to(word, known);
    const auto least = std::min_element(distances.begin(), distances.end());
    const std::string& best = known[static_cast<std::size_t>(least - distances.begin())];
    // "mass" for "mass_kg": the unit forgotten is the commonest error of all.
    if (word.size() >= 3)
        for (const std::string& name : known)
            if (name.starts_with(word)) return name;
    return *least <= std::max(most_errors(word), most_errors(best)) ? best : "";
}

std::string list_of(std::span<const std::string> names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

std::string suggestion(std::string_view word, std::span<const std::string> known, const std::string& plural,
                       const std::string& listing) {
    std::string meant = nearest(word, known);
    if (known.size() > most_listed) {
        struct Candidate {
            std::string name;
            double shared;
            std::size_t errors;
        };
        std::vector<Candidate> candidates;
        for (const std::string& name : known)
            candidates.push_back({name, shared_words(word, name), edit_distance(word, name)});
        std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
            return a.shared != b.shared ? a.shared > b.shared : a.errors < b.errors;
        });
        candidates.resize(few);
        const Candidate& first = candidates.front();
        const bool is_typing_error = !meant.empty() && edit_distance(word, meant) <= most_typing_errors;
        if (first.shared >= same_meaning && !is_typing_error &&
            (meant.empty() || first.shared > shared_words(word, meant)))
            meant = first.name;
        std::vector<std::string> nearer;
        for (const Candidate& candidate : candidates) nearer.push_back(candidate.name);
        return (meant.empty() ? "there" : "did you mean \"" + meant + "\"? There") + " are " +
               std::to_string(known.size()) + " " + plural + "; the nearest are: " + list_of(nearer) + "; `" + listing +
               "` shows all";
    }
    return (meant.empty() ? "the " : "did you mean \"" + meant + "\"? The ") + plural + " are: " + list_of(known);
}

}  // namespace myriad
