#include "host/program/text/progress_of_ranks.hpp"

namespace myriad::program {

namespace {

constexpr int share_bits = 20;
constexpr double whole_share = (1 << share_bits) - 1;
constexpr std::chrono::milliseconds least_interval{200};

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

}  // namespace

ranks::World::Word Way::word() const {
    return {static_cast<std::int64_t>(saved),
            static_cast<std::int64_t>(chunk << share_bits | static_cast<std::uint64_t>(share_of_chunk * whole_share))};
}

Way Way::of(const ranks::World::Word& word) {
    const auto both = static_cast<std::uint64_t>(word[1]);
    return {static_cast<std::uint64_t>(word[0]), both >> share_bits,
            static_cast<double>(both & ((std::uint64_t{1} << share_bits) - 1)) / whole_share};
}

ProgressOfRanks::ProgressOfRanks(ranks::World* world, const ranks::Launch& launch, std::uint64_t instances)
    : world_(world),
      is_first_(launch.rank == 0),
      instances_(instances),
      before_(world ? static_cast<std::size_t>(launch.ranks) : 1) {}

void ProgressOfRanks::set(const Way& mine) {
    mine_ = mine;
    if (mine.share_of_chunk != 0.0 && Clock::now() - last_ < least_interval) return;
    last_ = Clock::now();
    if (is_first_)
        show();
    else if (world_)
        world_->tell_first(mine.word());
}

void ProgressOfRanks::renew() {
    if (!is_first_ || Clock::now() - last_ < least_interval) return;
    last_ = Clock::now();
    show();
}

void ProgressOfRanks::show() {
    ensemble::Progress all;
    all.instances = instances_, all.seconds = seconds_between(start_, Clock::now());
    std::uint64_t finished_before = 0;
    double under_way = 0.0;
    const auto add = [&](std::size_t rank, const Way& way) {
        if (!before_[rank]) before_[rank] = way.saved;
        finished_before += *before_[rank], all.saved += way.saved, all.chunk += way.chunk;
        under_way += way.share_of_chunk * static_cast<double>(way.chunk);
    };
    add(0, mine_);
    if (world_) {
        const auto& told = world_->told();
        for (std::size_t rank = 1; rank < told.size(); ++rank)
            if (told[rank]) add(rank, Way::of(*told[rank]));
    }
    if (all.chunk > 0) all.share_of_chunk = under_way / static_cast<double>(all.chunk);
    bar_.begin_with(finished_before);
    bar_.show(all);
}

}  // namespace myriad::program
