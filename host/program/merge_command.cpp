#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/ensemble/merge.hpp"
#include "host/program/commands.hpp"
#include "host/program/run_text.hpp"

namespace myriad::program {

int merge(const MergeCommand& command) {
    const ensemble::Merged merged = ensemble::merge_results(command.parts, command.out, command.link);
    if (command.format == OutputFormat::json)
        std::printf("%s\n", summary_json(merged.study, merged.summary).dump(2).c_str());
    else
        std::printf("%s", summary_text(merged.study, merged.summary).c_str());
    return 0;
}

}  // namespace myriad::program
