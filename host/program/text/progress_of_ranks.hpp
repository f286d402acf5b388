// One progress for all processes of one mpirun. The others tell it to the first, which shows it; without MPI the first
// shows its own.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/program/text/progress_bar.hpp"
#include "host/ranks/mpi.hpp"

namespace myriad::program {

// How far a rank is: its instances that are saved, those that it computes, and the share of their span that is done.
struct Way {
    std::uint64_t saved = 0, chunk = 0;
    double share_of_chunk = 0.0;

    ranks::World::Word word() const;
    static Way of(const ranks::World::Word& word);
};

class ProgressOfRanks {
  public:
    // Of so many instances, in all that show it together. `world` is null where there is no MPI.
    ProgressOfRanks(ranks::World* world, const ranks::Launch& launch, std::uint64_t instances);

    // What a rank says first it had before this run.
    void set(const Way& mine);
    // While this rank only waits for others.
    void renew();
    void clear() { bar_.clear(); }

  private:
    using Clock = std::chrono::steady_clock;
    void show();

    ranks::World* const world_;
    const bool is_first_;
    const std::uint64_t instances_;
    std::vector<std::optional<std::uint64_t>> before_;  // of each rank: finished before this run
    Way mine_;
    ProgressBar bar_;
    const Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

}  // namespace myriad::program
