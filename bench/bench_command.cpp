// `myriad bench`: the chosen cases one after the other, one report.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "bench/cases.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/program/commands.hpp"
#include "host/program/interruption.hpp"
#include "host/text/user_error.hpp"
#include "host/text/version.hpp"

namespace myriad {

namespace bench {

std::vector<Case> cases() {
    static constexpr Case all[] = {
        {"peak", "arithmetic peak of a core at each width, bandwidth of memory", peak},
        {"operations", "operations of one step of each member of the catalog, counted", operations},
        {"throughput_cpu", "steps per second per core and on all cores, and the fraction of the peak", throughput_cpu},
        {"mechanisms", "the same for the mechanisms of the catalog, with what their steps are made of", mechanisms},
        {"engine",
         "steps on plain numbers, by the tape and compiled, in turns: rates, and what traced steps consist of", engine},
        {"contact", "steps per second of systems with contact, by scheme", contact},
        {"same_bits", "widths, threads, chunks, order and devices: differing bits", same_bits},
        {"gpu", "steps per second on the device by the number of instances", gpu},
        {"gpu_mechanisms", "steps per second of mechanisms on the device, by every form of their kernels",
         gpu_mechanisms},
        {"gpu_contact", "steps per second of systems with contact on the device, by scheme", gpu_contact},
        {"hand_written",
         "kernels that a person writes for one problem, beside the program, on the CPU and on the device",
         hand_written},
        {"gpu_kernels", "registers, stack and size of compiled GPU kernels, and what compiling takes; needs no GPU",
         gpu_kernels},
        {"library_solvers", "saddle-point systems by cuBLAS and cuSOLVER, beside the kernels' own elimination",
         library_solvers},
        {"memory", "bytes per instance of each member of the catalog", memory},
        {"start_up", "seconds from program start through the first step", start_up},
        {"end_to_end", "a study from parameters to its result file", end_to_end},
    };
    std::vector<Case> both(std::begin(all), std::end(all));
    both.insert(both.end(), paper_cases().begin(), paper_cases().end());
    return both;
}

}  // namespace bench

namespace program {

namespace {

bench::Case find_case(const std::string& name) {
    std::string known;
    for (const bench::Case& one : bench::cases()) {
        if (name == one.name) return one;
        known += (known.empty() ? "" : ", ") + std::string(one.name);
    }
    for (const char* of_papers : {"lie_against_chart", "ra_paper", "lgim_paper", "livens_paper", "nonsmooth_paper"})
        if (name == of_papers)
            throw UserError(ExitCode::usage_or_input, "bench",
                            "the case '" + name + "' compares with a paper, and this build is without papers/",
                            "build with cmake -DMYRIAD_PAPERS=ON, as ./dev bench does");
    throw UserError(ExitCode::usage_or_input, "bench", "no case '" + name + "'", "the cases are " + known);
}

void write_pages(const BenchReport& report, const std::filesystem::path& folder) {
    for (const BenchPage& page : report.pages) {
        std::ofstream out(folder / page.file);
        out << page.markdown;
        out.close();
        if (!out)
            throw UserError(ExitCode::output, (folder / page.file).string(), "the page cannot be written",
                            "give --pages a folder that exists and can be written");
    }
}

}  // namespace

int bench(const BenchCommand& command) {
    std::vector<bench::Case> chosen;
    for (const std::string& name : command.cases) chosen.push_back(find_case(name));
    if (chosen.empty()) chosen = bench::cases();

    std::ofstream out;
    if (command.out) {
        out.open(*command.out);
        if (!out)
            throw UserError(ExitCode::output, command.out->string(), "the report cannot be written",
                            "give --out a file in a folder that exists and can be written");
    }
    BenchReport report;
    report.hardware = backends::cpu_description();
    report.compiler = program_compiler();
    report.commit = program_commit();
    report.cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const std::atomic<bool>& stop = interruption();
    catch_interruptions();
    for (const bench::Case& one : chosen) {
        if (stop) break;
        std::fprintf(stderr, "%s: %s\n", one.name, one.summary);
        one.measure(report);
    }
    const std::string json = bench_json_text(report);
    std::printf("%s", command.format == OutputFormat::json ? json.c_str() : bench_text(report).c_str());
    std::fflush(stdout);
    if (command.out) {
        out << json;
        out.close();
        if (!out)
            throw UserError(ExitCode::output, command.out->string(), "the report is not completely written",
                            "make room on the disk and run the bench again");
    }
    if (command.pages) write_pages(report, *command.pages);
    return stop ? 128 + interrupting_signal() : 0;
}

}  // namespace program
}  // namespace myriad
