// The counted operations of one step of each member of the catalog.
#include "bench/cases.hpp"
#include "bench/operation_counts.hpp"

namespace myriad::bench {

void operations(program::BenchReport& report) {
    for (const StepOperations& member : count_operations()) {
        program::BenchRow row;
        row.bench = "operations", row.precision = "fp64";
        row.subject = member.system + " " + member.chart + " " + member.integrator;
        const auto add = [&](const char* name, long long value, const char* unit) {
            row.figures.push_back({name, static_cast<double>(value), unit});
        };
        for (int kind = 0; kind < operation_kinds; ++kind)
            add(operation_names[kind], member.distinct[static_cast<Operation>(kind)], "per step");
        add("flops (an fma is two)", member.distinct.flops(), "per step");
        add("flops of the integrator alone", member.attempt_distinct.flops(), "per step");
        add("flops as written, nothing shared", member.written.flops(), "per step");
        add("bytes moved, steps fused", 0, "B per step");
        add("bytes moved, one step per launch", member.bytes_unfused, "B per step");
        report.rows.push_back(row);
    }
}

}  // namespace myriad::bench
