// The cases of `myriad bench`: each measures one thing and adds rows to the report.
#pragma once
#include <span>
#include <vector>

#include "host/program/bench_report.hpp"

namespace myriad::bench {

struct Case {
    const char* name;
    const char* summary;
    void (*measure)(program::BenchReport& report);
};
// In the order in which they run: the benches' own, and those of papers/, which a build may be without.
std::vector<Case> cases();
std::span<const Case> paper_cases();

void peak(program::BenchReport& report);
void operations(program::BenchReport& report);
void throughput_cpu(program::BenchReport& report);
void mechanisms(program::BenchReport& report);
void engine(program::BenchReport& report);
void contact(program::BenchReport& report);
void same_bits(program::BenchReport& report);
void gpu(program::BenchReport& report);
void gpu_mechanisms(program::BenchReport& report);
void gpu_contact(program::BenchReport& report);
void hand_written(program::BenchReport& report);
void gpu_kernels(program::BenchReport& report);
void memory(program::BenchReport& report);
void start_up(program::BenchReport& report);
void end_to_end(program::BenchReport& report);
void library_solvers(program::BenchReport& report);

}  // namespace myriad::bench
