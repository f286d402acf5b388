#include "host/program/list/list_modes.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

#include "host/mechanism/linear/equilibrium_modes.hpp"
#include "host/program/text/text_table.hpp"

namespace myriad::program {

namespace {

mechanism::Modes nominal_modes(const mechanism::Mechanism& mechanism) {
    return mechanism::EquilibriumModes(mechanism).modes(mechanism.nominal_kernel_parameters());
}

const char* stability_of(const mechanism::Modes& modes) {
    return mechanism::stability_names[static_cast<std::size_t>(modes.stability)];
}

double frequency_Hz(const mechanism::Mode& mode) { return mode.frequency_rad_s() / (2.0 * std::numbers::pi); }

}  // namespace

void print_modes(const mechanism::Mechanism& mechanism) {
    if (!mechanism.starts_at_equilibrium) return;
    const mechanism::Modes modes = nominal_modes(mechanism);
    if (modes.stability == mechanism::Stability::none) {
        std::printf("start: an equilibrium, but at the file's numbers none was found\n");
        return;
    }
    std::printf("start: at rest in a static equilibrium near the file's poses, %s; its modes:\n", stability_of(modes));
    TextTable table({"mode", "eigenfrequency_Hz", "damping_ratio"});
    for (std::size_t k = 0; k < modes.modes.size(); ++k)
        table.add({std::to_string(k + 1), significant(frequency_Hz(modes.modes[k])),
                   significant(modes.modes[k].damping_ratio)});
    std::printf("%s", table.text(0, "  ").c_str());
}

nlohmann::ordered_json modes_json(const mechanism::Mechanism& mechanism) {
    if (!mechanism.starts_at_equilibrium) return nullptr;
    const mechanism::Modes modes = nominal_modes(mechanism);
    nlohmann::ordered_json json{{"equilibrium", stability_of(modes)}, {"modes", nlohmann::ordered_json::array()}};
    const auto number = [](double value) -> nlohmann::ordered_json {
        return std::isnan(value) ? nlohmann::ordered_json() : nlohmann::ordered_json(value);
    };
    for (const mechanism::Mode& mode : modes.modes)
        json["modes"].push_back(
            {{"eigenfrequency_Hz", number(frequency_Hz(mode))}, {"damping_ratio", number(mode.damping_ratio)}});
    return json;
}

}  // namespace myriad::program
