#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/backends/interface/backend.hpp"
#include "host/ensemble/replay.hpp"
#include "host/program/commands.hpp"
#include "host/program/text/json_output.hpp"
#include "host/program/text/text_table.hpp"
#include "host/text/printable.hpp"

namespace myriad::program {

namespace {

using nlohmann::ordered_json;

const ensemble::Difference* largest(const ensemble::Replay& replay) {
    const ensemble::Difference* worst = nullptr;
    for (const ensemble::Difference& difference : replay.differences) {
        const auto share = [](const ensemble::Difference& d) { return d.largest / std::max(d.of_size, 1.0); };
        if (!worst || !(share(difference) <= share(*worst))) worst = &difference;
    }
    return worst;
}

}  // namespace

int replay(const ReplayCommand& command) {
    const bool on_kernels = command.kernels == backends::names::double_kernels;
    const ensemble::Replay replay = ensemble::replay_instance(
        command.result, command.instance, on_kernels ? ensemble::ReplayBy::kernels : ensemble::ReplayBy::reference);
    const std::string by = on_kernels ? command.kernels : "reference";
    const ensemble::Difference* worst = largest(replay);
    if (command.format == OutputFormat::json) {
        ordered_json json{
            {"instance", replay.instance},
            {"system", replay.system},
            {"integrator", replay.integrator},
            {"chart", replay.chart},
            {"precision", replay.precision},
            {"other_build", replay.other_build.empty() ? ordered_json(nullptr) : ordered_json(replay.other_build)},
            {"run", replay.run},
            {"repeated_by", by},
            {"status", replay.status},
            {"reference_status", replay.reference_status},
            {"time_s", number_json(replay.time_s)},
            {"reference_time_s", number_json(replay.reference_time_s)},
            {"steps", replay.steps},
            {"reference_steps", replay.reference_steps}};
        json["parameters"] = ordered_json::object();
        for (const auto& [address, value] : replay.parameters) json["parameters"][address] = number_json(value);
        for (const ensemble::Difference& difference : replay.differences)
            json["differences"].push_back({{"what", difference.what},
                                           {"unit", difference.unit},
                                           {"largest", number_json(difference.largest)},
                                           {"of_size", number_json(difference.of_size)}});
        json["largest_difference"] =
            worst ? ordered_json{{"what", worst->what}, {"value", number_json(worst->largest)}} : ordered_json(nullptr);
        std::printf("%s\n", json_text(json).c_str());
        return 0;
    }
    std::printf("%s\n", wrapped("instance " + grouped(replay.instance) + " of " + printable(command.result.string()) +
                                    ": " + printable(replay.system) + ", " + printable(replay.integrator) +
                                    " on chart " + printable(replay.chart) + ", " + printable(replay.precision),
                                "  ")
                            .c_str());
    if (!replay.other_build.empty())
        std::printf("%s\n", wrapped("  computed by " + replay.other_build +
                                        ", repeated by the methods of this program, which may have changed since",
                                    "  ")
                                .c_str());
    if (replay.run > 1) std::printf("  its run %d, with smaller steps after failures\n", replay.run);
    for (const auto& [address, value] : replay.parameters)
        std::printf("  %s = %s\n", printable(address).c_str(), significant(value, 17).c_str());
    TextTable ends({"", "status", "until", "steps"});
    ends.add({"result", replay.status, significant(replay.time_s, 9) + " s", std::to_string(replay.steps)});
    ends.add({by, replay.reference_status, significant(replay.reference_time_s, 9) + " s",
              std::to_string(replay.reference_steps)});
    TextTable table({"compared", "largest difference", "of values up to", "unit"});
    for (const ensemble::Difference& difference : replay.differences)
        table.add(
            {difference.what, significant(difference.largest, 3), significant(difference.of_size, 4), difference.unit});
    std::printf("\n%s\n%s", ends.text(2).c_str(), table.text(1).c_str());
    if (worst)
        std::printf("\nlargest difference: %s %s, in %s\n", significant(worst->largest, 3).c_str(), worst->unit.c_str(),
                    worst->what.c_str());
    return 0;
}

}  // namespace myriad::program
