#include <cstdio>

#include "host/backends/backends.hpp"
#include "host/backends/compile_kernels.hpp"
#include "host/program/commands.hpp"
#include "host/program/text/text_table.hpp"
#include "host/text/printable.hpp"

namespace myriad::program {

int compile(const CompileCommand& command) {
    TextTable table({"study", "kernel", "block", "registers", "stack B", "spill stores B", "spill loads B", "fp64",
                     "fp32", "memory", "other", "s"});
    std::string compiler;
    for (const std::filesystem::path& file : command.studies) {
        const backends::Task task = study::read_study(file).task();
        for (const std::string& idle :
             backends::idle_settings(backends::names::cuda, {.kernels = command.kernels}, task))
            std::fprintf(stderr, "warning: %s: %s\n", printable(file.string()).c_str(), idle.c_str());
        const backends::CompileReport report = backends::compile_kernels(
            task, command.architecture, command.into, command.kernels == backends::names::table_kernels, true);
        for (const auto& [k, threads, blocks, seconds, there_before] : report.kernels)
            table.add({file.stem().string(), k.kernel, std::to_string(threads) + " x " + std::to_string(blocks),
                       std::to_string(k.registers), std::to_string(k.stack_bytes), std::to_string(k.spill_store_bytes),
                       std::to_string(k.spill_load_bytes), std::to_string(k.instructions.fp64),
                       std::to_string(k.instructions.fp32), std::to_string(k.instructions.memory),
                       std::to_string(k.instructions.other), there_before ? "kept" : significant(seconds, 3)});
        compiler = report.compiler;
    }
    std::printf("%s\nfp64, fp32, memory, other: instructions in PTX, of the whole kernel\n%s, %s, in %s\n",
                table.text(3).c_str(), compiler.c_str(), command.architecture.c_str(), command.into.c_str());
    return 0;
}

}  // namespace myriad::program
