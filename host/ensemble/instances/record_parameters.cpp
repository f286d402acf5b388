#include "host/ensemble/instances/record_parameters.hpp"

#include "host/ensemble/instances/instance_blocks.hpp"
#include "host/mechanism/varied_parameters.hpp"

namespace myriad::ensemble {

namespace {

constexpr std::uint64_t instances_per_block = 256;

}  // namespace

std::vector<double> record_parameters(const study::Study& study, std::uint64_t count,
                                      const std::vector<double>& sampled, int threads) {
    if (!study.mechanism) return sampled;
    const mechanism::VariedParameters& varied = *study.kernel_parameters;
    const std::size_t kept = varied.parameters().size();
    std::vector<double> fields(kept * count);
    fields.insert(fields.end(), sampled.begin(), sampled.end());
    if (kept == 0) return fields;
    visit_instances(count, instances_per_block, threads, [&] {
        return [&, sample = std::vector<double>(study.varied.size()), parameters = std::vector<double>(kept),
                memory = std::vector<double>()](std::uint64_t i) mutable {
            for (std::size_t k = 0; k < sample.size(); ++k) sample[k] = sampled[k * count + i];
            varied.compute(sample, memory, parameters.data());
            for (std::size_t field = 0; field < kept; ++field) fields[field * count + i] = parameters[field];
        };
    });
    return fields;
}

}  // namespace myriad::ensemble
