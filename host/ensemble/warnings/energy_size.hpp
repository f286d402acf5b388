// The size of an instance's energy, with which a drift of it is compared.
//
//   max T + (max V - min V) + max |W|    over the run; W: work of loads, drivers and dampers
//
// The height at which a potential energy is zero has no part in it. Round-off does know heights: with the unit u in the
// last place of E_0 + sum m |g| (length scale + sqrt(trace J / m)), a drift of 4 u is none, and nothing moves where the
// size is 4 u sqrt(steps), as much as the rounding of states adds up to.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "host/study/study.hpp"

namespace myriad::ensemble {

// Energies go with the squares of speeds: a speed is off by half as much, less than a plot shows.
inline constexpr double silent_energy_drift = 0.01;

// Warning of instances beyond the silent drift.
inline constexpr const char* energy_warning =
    "whose energy drifted by more than 1 % of its size; smaller steps or another method follow the motion better";

inline constexpr const char* energy_size_path = "/instance/certificate/energy_size";
inline constexpr const char* energy_share_path = "/instance/certificate/energy_drift_share";

class EnergySize {
  public:
    explicit EnergySize(const study::Study& study);

    bool is_known() const { return !terms_.empty(); }
    double size_J(const backends::Chunk& chunk, std::uint64_t instance) const;
    // Share of the drift of the energy, or of the error of its balance if friction, impacts or loads take energy. 0 if
    // the drift is round-off, or nothing moves.
    double drift_share(const backends::Chunk& chunk, std::uint64_t instance) const;

  private:
    std::uint64_t entries_, error_ = 0;
    std::optional<std::uint64_t> energy_;  // with a value at the start
    std::vector<std::uint64_t> terms_;
    double weights_J_ = 0.0, unit_;
};

}  // namespace myriad::ensemble
