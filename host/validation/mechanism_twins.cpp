// Every mechanism of the catalog on one backend and on the reference path, which shares no code with the kernels: a
// hundred steps by every integrator on every chart, every channel at every step (mechanism_differences.hpp).
#include <cmath>
#include <limits>

#include "host/backends/backends.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_differences.hpp"

namespace myriad::validation {

namespace {

constexpr int steps = 100;

backends::Chunk run(const study::Study& study, backends::Backend& backend) {
    return run_samples(study, {}, backend).chunk;
}

}  // namespace

std::vector<Row> mechanism_twins(const Subject& subject) {
    const std::string other = backends::twin_of(subject.backend);
    const auto twin = backends::make_backend(other, {});
    Rows rows("mechanism_twins");
    for (const MechanismTwin& mechanism : mechanism_twins_of_the_catalog()) {
        std::vector<TwinMethod> methods = methods_of(mechanism);
        std::erase_if(methods, [&](const TwinMethod& method) {
            return !subject.takes(mechanism.mechanism, method.integrator, method.chart);
        });
        for (std::size_t first = 0; first < methods.size();) {
            const std::string integrator = methods[first].integrator;
            std::array<Difference, 5> largest;
            for (Difference& difference : largest) difference.round_offs = -1.0;
            for (; first < methods.size() && methods[first].integrator == integrator; ++first) {
                const study::Study study = twin_study(mechanism, methods[first], steps);
                const backends::Chunk ours = run(study, subject.device), theirs = run(study, *twin);
                if (ended_at_a_singularity(methods[first], ours, theirs)) continue;
                const std::array<Difference, 5> differences = differences_of(study, ours, theirs);
                for (std::size_t kind = 0; kind < differences.size(); ++kind)
                    if (!(differences[kind].round_offs <= largest[kind].round_offs) &&
                        !std::isnan(largest[kind].round_offs))
                        largest[kind] = differences[kind];
            }
            for (const Difference& difference : largest)
                rows.add(
                    mechanism.mechanism + ", " + integrator + ": largest difference of a channel of kind " +
                        difference.channels + ", over its size and what a step makes of a length",
                    difference.round_offs * std::numeric_limits<double>::epsilon(), 0.0,
                    {difference.allowed_round_offs * std::numeric_limits<double>::epsilon(), why_so_many_round_offs},
                    other + " backend");
        }
    }
    return rows.take();
}

}  // namespace myriad::validation
