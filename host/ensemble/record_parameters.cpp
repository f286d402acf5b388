#include "host/ensemble/record_parameters.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "host/mechanism/varied_parameters.hpp"

namespace myriad::ensemble {

namespace {

// A block is some milliseconds of work: enough to pay for taking it, and the last one keeps nobody waiting for long.
constexpr std::uint64_t instances_per_block = 256;

}  // namespace

std::vector<double> record_parameters(const study::Study& study, std::uint64_t count,
                                      const std::vector<double>& sampled, int threads) {
    if (!study.mechanism) return sampled;
    const mechanism::VariedParameters& varied = *study.kernel_parameters;
    const std::size_t kept = varied.parameters().size();
    std::vector<double> fields(kept * count);
    if (kept == 0) return fields;

    std::atomic<std::uint64_t> next{0};
    std::exception_ptr error;
    std::mutex error_mutex;
    const auto work = [&] {
        try {
            std::vector<double> sample(study.varied.size()), parameters(kept), memory;
            for (std::uint64_t first = next.fetch_add(instances_per_block); first < count;
                 first = next.fetch_add(instances_per_block))
                for (std::uint64_t i = first; i < std::min(count, first + instances_per_block); ++i) {
                    for (std::size_t k = 0; k < sample.size(); ++k) sample[k] = sampled[k * count + i];
                    varied.compute(sample, memory, parameters.data());
                    for (std::size_t field = 0; field < kept; ++field) fields[field * count + i] = parameters[field];
                }
        } catch (...) {
            const std::lock_guard lock(error_mutex);
            error = std::current_exception();
        }
    };
    const std::uint64_t blocks = (count + instances_per_block - 1) / instances_per_block;
    const std::uint64_t most = threads > 0 ? static_cast<std::uint64_t>(threads) : std::thread::hardware_concurrency();
    std::vector<std::thread> others;
    for (std::uint64_t i = 1; i < std::min(blocks, most); ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    if (error) std::rethrow_exception(error);
    return fields;
}

}  // namespace myriad::ensemble
