#include "host/ensemble/warnings/contact_warnings.hpp"

#include <algorithm>

#include "host/mechanism/mechanism.hpp"
#include "host/text/number_text.hpp"

namespace myriad::ensemble {

namespace {

// Contacts of a sum of 2^c, as they are named in the file.
std::string names_of(const mechanism::Mechanism& mechanism, std::uint64_t bits) {
    std::string names;
    for (std::size_t c = 0; c < mechanism.contact_names.size(); ++c)
        if (bits >> c & 1) names += (names.empty() ? "" : ", ") + mechanism.contact_names[c];
    return names;
}

}  // namespace

void warn_of_contacts(const study::Study& study, const ContactNumbers& numbers,
                      const std::vector<unsigned char>& included, std::map<std::string, std::uint64_t>& by_warning) {
    std::vector<double> rates;
    std::uint64_t jumped = 0, sunk_contacts = 0, sunk = 0, crowded = 0;
    double deepest_m = 0.0;
    for (std::size_t i = 0; i < included.size(); ++i) {
        if (!included[i]) continue;
        const auto of = [i](const std::vector<double>& one) { return one.empty() ? 0.0 : one[i]; };
        if (of(numbers.jumped) > 0.0) {
            rates.push_back(numbers.fastest_1_s[i]);
            jumped |= static_cast<std::uint64_t>(numbers.jumped_bits[i]);
        }
        if (of(numbers.crowded) > 0.0) ++crowded;
        if (of(numbers.sunk_m) > 0.0) {
            ++sunk, sunk_contacts |= static_cast<std::uint64_t>(numbers.sunk_bits[i]);
            deepest_m = std::max(deepest_m, numbers.sunk_m[i]);
        }
    }
    if (!rates.empty()) {
        std::sort(rates.begin(), rates.end());
        const auto step_of = [](double rate) { return rounded_number_text(1.0 / rate, 2) + " s"; };
        const std::string of_half = step_of(rates[(rates.size() - 1) / 2]), of_all = step_of(rates.back());
        by_warning["in which bodies pass through each other within a step, unseen by contacts." +
                   names_of(*study.mechanism, jumped) + ": a step_s of " +
                   (of_half == of_all ? of_all + " sees them all"
                                      : of_half + " sees them in half of the instances, " + of_all + " in all")] =
            rates.size();
    }
    if (sunk > 0)
        by_warning["in which a body sinks into another by more than a tenth of its size at contacts." +
                   names_of(*study.mechanism, sunk_contacts) + ", by at most " + rounded_number_text(deepest_m, 2) +
                   " m: smaller steps sink less" +
                   (study.contact.strikes_within_step
                        ? ""
                        : ", and \"strikes\": \"within_step\" has impacts at the surface, "
                          "not at the end of their step")] = sunk;
    if (crowded > 0)
        by_warning
            ["with more strikes in a step than are placed within it: the contacts that were closed at its end struck "
             "there; smaller steps place more of them"] = crowded;
}

}  // namespace myriad::ensemble
