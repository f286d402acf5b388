#include "host/ensemble/warnings/energy_size.hpp"

#include <cmath>
#include <limits>

#include "host/mechanism/mechanism.hpp"
#include "kernels/mechanism/elements.hpp"

namespace myriad::ensemble {

namespace {

constexpr double few_units = 4.0;

// The sum of each body's weight by its length, at the numbers of the file.
double weights_by_lengths_J(const mechanism::Mechanism& mechanism) {
    const std::vector<double> p = mechanism.nominal_kernel_parameters();
    double sum = 0.0;
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        const double* const body = p.data() + first_body_parameter + b * body_parameters;
        const double mass = body[body_mass],
                     trace = body[body_inertia] + body[body_inertia + 1] + body[body_inertia + 2];
        sum += mass * p[length_scale_parameter] + std::sqrt(std::abs(mass * trace));
    }
    const double* const g = p.data() + gravity_parameter;
    return std::hypot(g[0], g[1], g[2]) * sum;
}

}  // namespace

EnergySize::EnergySize(const study::Study& study)
    : unit_(study.precision == backends::Precision::fp64 ? std::numeric_limits<double>::epsilon()
                                                         : std::numeric_limits<float>::epsilon()) {
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    entries_ = certificate.size();
    if (study.mechanism) weights_J_ = weights_by_lengths_J(*study.mechanism);
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
                 size = size_J(chunk, instance), round_off = few_units * unit_ * (std::abs(initial) + weights_J_),
                 steps = static_cast<double>(chunk.steps[instance] + chunk.rejected[instance]);
    if (drift <= round_off || size <= round_off * std::sqrt(steps)) return 0.0;
    return drift / size;
}

}  // namespace myriad::ensemble
