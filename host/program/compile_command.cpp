#include <cstdio>

#include "host/backends/compile_kernels.hpp"
#include "host/ensemble/instances/instance_blocks.hpp"
#include "host/program/commands.hpp"
#include "host/program/text/text_table.hpp"

namespace myriad::program {

int compile(const CompileCommand& command) {
    TextTable table({"study", "kernel", "block", "registers", "stack B", "spill stores B", "spill loads B", "fp64",
                     "fp32", "memory", "other", "s"});
    std::vector<backends::Task> tasks;
    for (const std::filesystem::path& file : command.studies) tasks.push_back(study::read_study(file).task());
    std::vector<backends::CompileReport> reports(tasks.size());
    ensemble::visit_instances(tasks.size(), 1, backends::tasks_to_compile_at_once(), [&] {
        return [&](std::uint64_t i) {
            reports[i] = backends::compile_kernels(tasks[i], command.architecture, command.into, true);
        };
    });
    std::string compiler;
    for (std::size_t i = 0; i < reports.size(); ++i) {
        const std::string study = command.studies[i].stem().string();
        for (const auto& [k, threads, blocks, seconds, there_before] : reports[i].kernels)
            table.add({study, k.kernel, std::to_string(threads) + " x " + std::to_string(blocks),
                       std::to_string(k.registers), std::to_string(k.stack_bytes), std::to_string(k.spill_store_bytes),
                       std::to_string(k.spill_load_bytes), std::to_string(k.instructions.fp64),
                       std::to_string(k.instructions.fp32), std::to_string(k.instructions.memory),
                       std::to_string(k.instructions.other), there_before ? "kept" : significant(seconds, 3)});
        compiler = reports[i].compiler;
    }
    std::printf("%s\nfp64, fp32, memory, other: instructions in PTX, of the whole kernel\n%s, %s, in %s\n",
                table.text(3).c_str(), compiler.c_str(), command.architecture.c_str(), command.into.c_str());
    return 0;
}

}  // namespace myriad::program
