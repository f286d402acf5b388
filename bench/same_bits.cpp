// The same ensemble in every way a backend can run it: no bit may differ.
#include <algorithm>
#include <numeric>

#include "bench/cases.hpp"
#include "bench/measurement.hpp"
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"

namespace myriad::bench {

namespace {

struct Way {
    std::string name, backend = "cpu";
    backends::Settings settings;
};

program::BenchRow compared(const Way& way, const Ensemble& ensemble, const Finished& expected, const Finished& got,
                           double wall_seconds) {
    program::BenchRow row = row_of("same_bits", thousand_steps, ensemble, got);
    row.subject += ": " + way.name;
    row.backend = way.backend, row.width = way.settings.width, row.threads = way.settings.threads, row.clock = "wall";
    row.seconds = program::spread_of({wall_seconds});
    row.figures.push_back({"differing bits", static_cast<double>(differing_bits(expected, got)), ""});
    return row;
}

// The ensemble with its instances in another order, and what came out in the order of the first.
Ensemble permuted(const Ensemble& ensemble, const std::vector<std::uint64_t>& order) {
    Ensemble other = ensemble;
    for (std::uint64_t field = 0; field * ensemble.instances < ensemble.varied.size(); ++field)
        for (std::uint64_t i = 0; i < ensemble.instances; ++i)
            other.varied[field * ensemble.instances + i] = ensemble.varied[field * ensemble.instances + order[i]];
    return other;
}

Finished in_first_order(const Finished& finished, const std::vector<std::uint64_t>& order) {
    Finished result;
    const backends::Chunk& from = finished.chunks.at(0);
    backends::Chunk to = from;
    const auto move = [&](auto& target, const auto& source) {
        const std::size_t each = source.size() / from.count;
        for (std::size_t i = 0; i < order.size(); ++i)
            std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(i * each), each,
                        target.begin() + static_cast<std::ptrdiff_t>(order[i] * each));
    };
    move(to.status, from.status), move(to.reason, from.reason), move(to.warnings, from.warnings);
    move(to.steps, from.steps), move(to.rejected, from.rejected), move(to.time_s, from.time_s);
    move(to.initial_state, from.initial_state), move(to.final_state, from.final_state);
    move(to.invariants_initial, from.invariants_initial), move(to.invariants_drift, from.invariants_drift);
    result.chunks.push_back(to);
    return result;
}

}  // namespace

void same_bits(program::BenchReport& report) {
    constexpr std::uint64_t instances = 10'000;
    const std::vector<int> widths = backends::cpu_widths();
    const int widest = widths.back(), all = report.cores;
    const Ensemble ensemble = make_ensemble(thousand_steps, instances);
    const auto run = [&](const Ensemble& given, const Way& way, double& seconds) {
        const auto backend = backends::make_backend(way.backend, way.settings);
        const double started = now_s(Clock::wall);
        Finished finished = run_ensemble(*backend, given, Clock::wall);
        seconds = now_s(Clock::wall) - started;
        return finished;
    };
    double seconds = 0.0;
    const Way first{"one instance at a time, one chunk", "cpu", {all, 1, instances}};
    const Finished expected = run(ensemble, first, seconds);
    report.rows.push_back(compared(first, ensemble, expected, expected, seconds));
    report.rows.back().figures.clear();
    report.rows.back().note = "what the others are compared with";
    std::vector<Way> ways;
    for (const int width : widths)
        if (width > 1) ways.push_back({"packs", "cpu", {all, width, instances}});
    if (all > 1) ways.push_back({"one thread", "cpu", {1, widest, instances}});
    for (const std::uint64_t chunk : {std::uint64_t{1}, std::uint64_t{33}, std::uint64_t{1000}})
        ways.push_back({"chunks of " + std::to_string(chunk), "cpu", {1, widest, chunk}});
    for (const Way& way : ways) {
        const Finished got = run(ensemble, way, seconds);
        report.rows.push_back(compared(way, ensemble, expected, got, seconds));
    }
    // 7919 is a prime that does not divide the number of instances: every instance changes tile, pack and lane.
    std::vector<std::uint64_t> order(instances);
    for (std::uint64_t i = 0; i < instances; ++i) order[i] = i * 7919 % instances;
    const Way shuffled{"permuted instances", "cpu", {all, widest, instances}};
    const Finished got = run(permuted(ensemble, order), shuffled, seconds);
    report.rows.push_back(compared(shuffled, ensemble, expected, in_first_order(got, order), seconds));

    for (const backends::Availability& backend : backends::backends()) {
        if (backend.name != "cuda") continue;
        const Way cuda{"cuda against cpu", "cuda", {}};
        if (!backend.available) {
            program::BenchRow row;
            row.bench = "same_bits", row.subject = thousand_steps.subject() + ": " + cuda.name, row.backend = "cuda";
            row.note = "not available: " + backend.detail;
            report.rows.push_back(row);
            continue;
        }
        const Ensemble large = make_ensemble(thousand_steps, 100'000);
        const Finished on_cpu = run(large, {"", "cpu", {all, widest, 0}}, seconds),
                       on_device = run(large, cuda, seconds);
        report.rows.push_back(compared(cuda, large, on_cpu, on_device, seconds));
        report.rows.back().hardware = backend.detail;
    }
}

}  // namespace myriad::bench
