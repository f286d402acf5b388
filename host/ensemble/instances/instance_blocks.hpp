// Work on instances, one after the other, by several threads: blocks of some milliseconds, enough to pay for taking
// one, and the last one keeps nobody waiting for long.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace myriad::ensemble {

// Each thread makes itself a worker and calls it with every instance of the blocks that it takes; `threads`: 0 takes as
// many as the machine has. Throws what a worker throws first; no block is taken after that.
template <class MakeWorker>
void visit_instances(std::uint64_t count, std::uint64_t instances_per_block, int threads,
                     const MakeWorker& make_worker) {
    std::atomic<std::uint64_t> next{0};
    std::exception_ptr error;
    std::mutex error_mutex;
    const auto work = [&] {
        try {
            auto worker = make_worker();
            for (std::uint64_t first = next.fetch_add(instances_per_block); first < count;
                 first = next.fetch_add(instances_per_block))
                for (std::uint64_t i = first; i < std::min(count, first + instances_per_block); ++i) worker(i);
        } catch (...) {
            const std::lock_guard lock(error_mutex);
            if (!error) error = std::current_exception();
            next = count;
        }
    };
    const std::uint64_t blocks = (count + instances_per_block - 1) / instances_per_block;
    const std::uint64_t most = threads > 0 ? static_cast<std::uint64_t>(threads) : std::thread::hardware_concurrency();
    std::vector<std::thread> others;
    for (std::uint64_t i = 1; i < std::min(blocks, most); ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace myriad::ensemble
