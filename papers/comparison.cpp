#include "papers/comparison.hpp"

#include <cmath>
#include <limits>

namespace myriad::bench {

MarkdownTable table_of(const Sweep& made, const std::string& title, const std::string& text, double Outcome::*value) {
    MarkdownTable table{title, text, {"step (s)"}, {}};
    for (const std::string& name : made.variants) table.columns.push_back(name);
    for (std::size_t i = 0; i < made.steps_s.size(); ++i) {
        std::vector<std::string> row = {figure(made.steps_s[i], 5)};
        for (const Outcome& outcome : made.outcomes[i]) row.push_back(figure(outcome.*value));
        table.rows.push_back(row);
    }
    return table;
}

std::string Tally::verdict() const {
    if (compared == 0) return "cannot be said";
    return satisfied == compared ? "holds" : satisfied == 0 ? "does not hold" : "holds in part";
}
std::string Tally::text() const {
    return std::to_string(satisfied) + " of " + std::to_string(compared) + " steps" +
           (equal > 0 ? ", " + std::to_string(equal) + " equal" : "");
}

Tally less(const Sweep& made, double Outcome::*value, const std::string& first, const std::string& second,
           double factor, double smallest_step_s, double largest_step_s) {
    Tally tally;
    for (std::size_t i = 0; i < made.steps_s.size(); ++i) {
        if (made.steps_s[i] < smallest_step_s || made.steps_s[i] > largest_step_s) continue;
        const double a = made.at(i, first).*value, b = made.at(i, second).*value;
        if (std::isnan(a) || std::isnan(b)) continue;
        const bool is_satisfied = a < factor * b;
        ++tally.compared, tally.satisfied += is_satisfied;
        tally.equal += !is_satisfied && factor == 1.0 && std::abs(a - b) <= 0.01 * b;
    }
    return tally;
}
Tally both(const Tally& a, const Tally& b) {
    return {a.satisfied + b.satisfied, a.compared + b.compared, a.equal + b.equal};
}
Tally opposite(const Tally& tally) { return {tally.compared - tally.satisfied, tally.compared, 0}; }

void state(MarkdownPage& page, const std::string& claim, const Tally& tally) {
    page.statements.push_back({claim, tally.verdict(), tally.text()});
}

std::string ending_well(const Sweep& made, std::size_t step, const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        if (!std::isnan(made.at(step, name).error)) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

AtError at_error(const Sweep& made, const std::string& variant, double error) {
    for (std::size_t i = made.steps_s.size(); i-- > 1;) {
        const Outcome &coarse = made.at(i - 1, variant), &fine = made.at(i, variant);
        if (!(fine.error <= error && error <= coarse.error)) continue;
        const double share = std::log(error / fine.error) / std::log(coarse.error / fine.error);
        const auto between = [&](double a, double b) { return a * std::pow(b / a, share); };
        return {between(made.steps_s[i], made.steps_s[i - 1]),
                between(fine.ns_per_step / made.steps_s[i], coarse.ns_per_step / made.steps_s[i - 1])};
    }
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
}

}  // namespace myriad::bench
