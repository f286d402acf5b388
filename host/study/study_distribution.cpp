// Distributions as a study file writes them.
#include "host/study/study_keys.hpp"
#include "host/study/study_sampling.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::study {

namespace {

using json = Json;

double required(const JsonValue& numbers, const std::string& key) { return numbers.member(key, "a number").number(); }
double optional(const JsonValue& numbers, const std::string& key, double otherwise) {
    const auto value = numbers.find(key);
    return value ? value->number() : otherwise;
}
std::vector<double> list(const JsonValue& array) {
    std::vector<double> values;
    for (const JsonValue& element : array.elements()) values.push_back(element.number());
    return values;
}

Distribution lognormal(const JsonValue& numbers) {
    const bool by_median = numbers.find("median") || numbers.find("geometric_standard_deviation");
    const bool by_mean = numbers.find("mean") || numbers.find("standard_deviation");
    if (by_median && by_mean)
        numbers.refuse("a lognormal is given by its mean and by its median at once",
                       "give mean and standard_deviation, or median and geometric_standard_deviation");
    if (by_median)
        return {LognormalByMedian{required(numbers, "median"), required(numbers, "geometric_standard_deviation")},
                numbers.where()};
    return {Lognormal{required(numbers, "mean"), required(numbers, "standard_deviation")}, numbers.where()};
}

Distribution distribution_of(const std::string& kind, const JsonValue& numbers) {
    const std::string where = numbers.where();
    if (kind == "constant") return {Constant{numbers.number()}, where};
    for (const Kind& known : distribution_kinds)
        if (kind == known.name) numbers.require_keys(names_of(known.keys));
    if (kind == "uniform") return {Uniform{required(numbers, "low"), required(numbers, "high")}, where};
    if (kind == "normal") return {Normal{required(numbers, "mean"), required(numbers, "standard_deviation")}, where};
    if (kind == "truncated_normal") {
        TruncatedNormal bounded{required(numbers, "mean"), required(numbers, "standard_deviation")};
        bounded.low = optional(numbers, "low", bounded.low), bounded.high = optional(numbers, "high", bounded.high);
        return {bounded, where};
    }
    if (kind == "lognormal") return lognormal(numbers);
    if (kind == "triangular")
        return {Triangular{required(numbers, "low"), required(numbers, "mode"), required(numbers, "high")}, where};
    if (kind == "beta")
        return {Beta{required(numbers, "alpha"), required(numbers, "beta"), optional(numbers, "low", 0.0),
                     optional(numbers, "high", 1.0)},
                where};
    Discrete discrete{list(numbers.member("values", "an array of numbers"))};
    if (const auto weights = numbers.find("weights")) discrete.weights = list(*weights);
    return {discrete, where};
}

// The same value however its numbers were written: 78 and 78.0 and 7.8e1.
json with_numbers_as_double(json value) {
    if (value.is_number()) return value.get<double>();
    if (value.is_structured())
        for (json& part : value) part = with_numbers_as_double(part);
    return value;
}

}  // namespace

Spread read_spread(const JsonValue& value, bool in_grid) {
    if (!value.is_object())
        value.refuse("expected a number or a distribution, found " + value.found(),
                     "write 1.5 or, for example, {\"normal\": {\"mean\": 1.5, \"standard_deviation\": 0.1}}");
    std::vector<std::string> known = names_of(distribution_kinds);
    known.insert(known.end(), {values_key, levels_key});
    value.require_keys(known);

    std::optional<std::pair<std::string, JsonValue>> chosen;
    std::uint64_t levels = 0;
    for (const auto& [key, given] : value.members()) {
        if (key == levels_key) {
            levels = given.whole_number();
            if (levels == 0) given.refuse("the number of levels is 0", "give at least 1");
            if (!in_grid)
                given.refuse("levels belong to a grid", "leave them out, or use \"design\": {\"kind\": \"grid\"}");
        } else if (chosen) {
            given.refuse("a second distribution, beside \"" + chosen->first + "\"", "keep one of the two");
        } else {
            chosen.emplace(key, given);
        }
    }
    if (!chosen) value.refuse("there is no distribution here", "give one of: " + list_of(names_of(distribution_kinds)));
    const auto& [kind, numbers] = *chosen;
    const bool is_list = kind == values_key;
    Spread spread{
        is_list ? Distribution(Discrete{list(numbers)}, numbers.where()) : distribution_of(kind, numbers), levels, {}};
    const json content = with_numbers_as_double(numbers.json());
    if (is_list)
        spread.canonical["discrete"]["values"] = content;
    else
        spread.canonical[kind] = content;
    if (levels > 0) spread.canonical[levels_key] = levels;
    return spread;
}

}  // namespace myriad::study
