#include "host/ensemble/warnings/energy_size.hpp"

#include <cmath>
#include <limits>

#include "host/statistics/no_value.hpp"

namespace myriad::ensemble {

namespace {

// Of the energy at the start, a sum of few rounded terms: some units in the last place.
constexpr double few = 4.0;
constexpr double round_off_fp64 = few * std::numeric_limits<double>::epsilon(),
                 round_off_fp32 = few * std::numeric_limits<float>::epsilon();

}  // namespace

EnergySize::EnergySize(std::span<const study::CertificateEntry> certificate, backends::Precision precision)
    : entries_(certificate.size()),
      round_off_(precision == backends::Precision::fp64 ? round_off_fp64 : round_off_fp32) {
    for (std::uint64_t k = 0; k < entries_; ++k) {
        const study::CertificateEntry& entry = certificate[k];
        if (entry.is_of_size) terms_.push_back(k);
        if (entry.name == "energy_balance" || entry.name == "energy") energy_ = k;
        const bool is_energy_without_losses =
            entry.name == "energy_balance_error" ||
            (entry.name == "generalized_energy" && energy_ && certificate[*energy_].has_loads);
        if (energy_ == k || is_energy_without_losses) error_ = k;
    }
}

double EnergySize::size_J(const backends::Chunk& chunk, std::uint64_t instance) const {
    double size = 0.0;
    for (const std::uint64_t k : terms_) size += chunk.invariants_drift[instance * entries_ + k];
    return size;
}

double EnergySize::drift_share(const backends::Chunk& chunk, std::uint64_t instance) const {
    const double drift = chunk.invariants_drift[instance * entries_ + error_],
                 initial = energy_ ? chunk.invariants_initial[instance * entries_ + *energy_] : 0.0,
                 size = size_J(chunk, instance);
    if (drift <= round_off_ * std::abs(initial)) return 0.0;
    return size > 0.0 ? drift / size : drift == 0.0 ? 0.0 : study::no_value;
}

}  // namespace myriad::ensemble
