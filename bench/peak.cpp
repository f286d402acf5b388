// The limits of the machine: arithmetic of one core at each width, and copying in memory.
#include <algorithm>
#include <cstring>
#include <thread>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "host/backends/cpu/cpu.hpp"

namespace myriad::bench {

namespace {

// Bytes read and written per second by `threads` threads, each with arrays of its own, larger than any cache.
double copy_bytes_per_s(int threads) {
    constexpr std::size_t doubles = 16'000'000;
    const auto count = static_cast<std::size_t>(threads);
    std::vector<std::vector<double>> from(count, std::vector<double>(doubles, 1.0)), to = from;
    const double started = now_s(Clock::wall);
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < count; ++i)
        workers.emplace_back([&, i] { std::memcpy(to[i].data(), from[i].data(), doubles * sizeof(double)); });
    for (std::thread& worker : workers) worker.join();
    const double seconds = now_s(Clock::wall) - started;
    return 2.0 * sizeof(double) * static_cast<double>(doubles * count) / seconds;
}

void add_figures(program::BenchRow& row, const std::string& name, std::vector<double> values, const std::string& unit) {
    const program::Spread spread = program::spread_of(std::move(values));
    row.figures.push_back({name, spread.median, unit});
    row.figures.push_back({name + ", smallest", spread.smallest, unit});
    row.figures.push_back({name + ", largest", spread.largest, unit});
}

}  // namespace

void peak(program::BenchReport& report) {
    for (const int width : backends::cpu_widths()) {
        program::BenchRow row;
        row.bench = "peak", row.subject = "independent fma, one core", row.backend = "cpu", row.precision = "fp64";
        row.width = width, row.threads = 1, row.clock = "thread cpu";
        std::vector<double> rates;
        for (int i = 0; i < repetitions; ++i) rates.push_back(1e-9 * measure_peak_flops_per_s(width));
        add_figures(row, "fp64 peak", rates, "GFLOP/s");
        report.rows.push_back(row);
    }
    for (const int threads : {1, report.cores}) {
        program::BenchRow row;
        row.bench = "peak", row.subject = "copy in memory, bytes read and written", row.backend = "cpu";
        row.threads = threads, row.clock = "wall";
        std::vector<double> rates;
        for (int i = 0; i < repetitions; ++i) rates.push_back(1e-9 * copy_bytes_per_s(threads));
        add_figures(row, "bandwidth", rates, "GB/s");
        report.rows.push_back(row);
        if (report.cores == 1) break;
    }
}

}  // namespace myriad::bench
