#include "host/study/study_modes.hpp"

#include <algorithm>

#include "host/mechanism/mechanism.hpp"
#include "host/study/study_keys.hpp"

namespace myriad::study {

namespace {

void require_modes(const JsonValue& place, const Study& study) {
    constexpr const char* remedy = "set \"start\": \"equilibrium\" in the study, or leave this quantity out";
    if (!study.mechanism)
        place.refuse("modes are those of a mechanism, and this is the system " + study.system->name,
                     "leave this quantity out");
    if (!study.mechanism->starts_at_equilibrium)
        place.refuse("modes are those of small motions about an equilibrium, and this study does not start at one",
                     remedy);
}

}  // namespace

std::optional<Quantity> read_quantity_of_mode(const JsonValue& value, const Study& study) {
    if (!value.is_object()) return std::nullopt;
    for (const auto& [key, argument] : value.members())
        for (const LinearQuantityDescription& description : linear_quantities) {
            if (key != description.name) continue;
            value.require_keys(std::vector<std::string>{key, "probability"});
            require_modes(argument, study);
            const std::uint64_t mode = argument.whole_number();
            const auto most = static_cast<std::uint64_t>(study.mechanism->freedoms);
            if (mode < 1 || mode > most)
                argument.refuse("there is no mode " + std::to_string(mode) + ": the mechanism has " +
                                    std::to_string(most) + (most == 1 ? " freedom" : " freedoms"),
                                "give a number from 1 to " + std::to_string(most));
            Quantity quantity;
            quantity.of_mode =
                ModeQuantity{static_cast<LinearQuantity>(&description - linear_quantities), static_cast<int>(mode)};
            quantity.channel_address = "mode " + std::to_string(mode);
            quantity.unit = description.unit;
            return quantity;
        }
    return std::nullopt;
}

bool Study::has_modes() const {
    return std::any_of(quantities.begin(), quantities.end(),
                       [](const Quantity& one) { return one.of_mode.has_value(); });
}

std::string Study::meaning_of(const Quantity& quantity) {
    if (!quantity.of_mode)
        return std::string(name_of(quantity.reduction)) + " of " + quantity.channel_address +
               " over all accepted steps";
    return std::string(linear_quantities[static_cast<std::size_t>(quantity.of_mode->kind)].name) + " of " +
           quantity.channel_address + " about the equilibrium";
}

}  // namespace myriad::study
