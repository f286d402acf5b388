// Quantities of the modes of a mechanism about the equilibrium at which its instances start.
#pragma once
#include <optional>

#include "host/study/study.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

// Without its name and its event; nothing where the entry names none. The study's mechanism stands already.
std::optional<Quantity> read_quantity_of_mode(const JsonValue& value, const Study& study);

}  // namespace myriad::study
