// The cases of `myriad bench`: each measures one thing and adds rows to the report.
#pragma once
#include <span>

#include "host/program/bench_report.hpp"

namespace myriad::bench {

struct Case {
    const char* name;
    const char* summary;
    void (*measure)(program::BenchReport& report);
};
std::span<const Case> cases();

void peak(program::BenchReport& report);
void operations(program::BenchReport& report);
void throughput_cpu(program::BenchReport& report);
void mechanisms(program::BenchReport& report);
void contact(program::BenchReport& report);
void same_bits(program::BenchReport& report);
void gpu(program::BenchReport& report);
void gpu_kernels(program::BenchReport& report);
void memory(program::BenchReport& report);
void start_up(program::BenchReport& report);
void end_to_end(program::BenchReport& report);
void library_solvers(program::BenchReport& report);
void lie_against_chart(program::BenchReport& report);
void ra_paper_tables(program::BenchReport& report);
void lgim_paper_tables(program::BenchReport& report);
void livens_paper_tables(program::BenchReport& report);
void nonsmooth_paper_tables(program::BenchReport& report);

}  // namespace myriad::bench
