// What `myriad list --mechanism` shows of the equilibrium that a mechanism starts at: its modes at the file's numbers.
#pragma once
#include <nlohmann/json.hpp>

#include "host/mechanism/mechanism.hpp"

namespace myriad::program {

// Nothing for a mechanism that starts elsewhere.
void print_modes(const mechanism::Mechanism& mechanism);
// {"equilibrium": "stable", "modes": [{"eigenfrequency_Hz", "damping_ratio"}]}, null where undefined; null likewise.
nlohmann::ordered_json modes_json(const mechanism::Mechanism& mechanism);

}  // namespace myriad::program
