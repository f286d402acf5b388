#include "host/ensemble/instances/linear_analysis.hpp"

#include <numbers>

#include "host/backends/interface/backend.hpp"
#include "host/backends/reference/reference_modes.hpp"
#include "host/ensemble/instances/instance_blocks.hpp"
#include "host/mechanism/linear/equilibrium_modes.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/statistics/no_value.hpp"

namespace myriad::ensemble {

namespace {

constexpr std::uint64_t analysed_at_once = 32;

double value_of(const study::ModeQuantity& wanted, const mechanism::Modes& modes) {
    const auto place = static_cast<std::size_t>(wanted.mode - 1);
    if (place >= modes.modes.size()) return study::no_value;
    const mechanism::Mode& mode = modes.modes[place];
    switch (wanted.kind) {
        case study::LinearQuantity::frequency_Hz:
            return mode.frequency_rad_s() / (2.0 * std::numbers::pi);
        case study::LinearQuantity::frequency_rad_s:
            return mode.frequency_rad_s();
        default:
            return mode.damping_ratio;
    }
}

}  // namespace

LinearAnalysis analyse_linearly(const study::Study& study, const std::string& backend, std::uint64_t count,
                                const std::vector<double>& fields, int threads) {
    LinearAnalysis all;
    if (!study.has_modes()) return all;
    std::vector<study::ModeQuantity> wanted;
    for (const study::Quantity& quantity : study.quantities)
        if (quantity.of_mode) wanted.push_back(*quantity.of_mode);
    const std::vector<double> common = study.mechanism->kernel_parameters(study.parameters, study.given);
    const std::vector<int>& varied = study.kernel_parameters->parameters();
    all.quantities.resize(wanted.size() * count), all.stability.resize(count);
    const auto visit_with = [&](const auto& make_modes_of) {
        visit_instances(count, analysed_at_once, threads, [&] {
            return [&, modes_of = make_modes_of(), parameters = common](std::uint64_t i) mutable {
                for (std::size_t field = 0; field < varied.size(); ++field)
                    parameters[static_cast<std::size_t>(varied[field])] = fields[field * count + i];
                const mechanism::Modes modes = modes_of(parameters, i);
                all.stability[i] = static_cast<std::int32_t>(modes.stability);
                for (std::size_t k = 0; k < wanted.size(); ++k)
                    all.quantities[i * wanted.size() + k] = value_of(wanted[k], modes);
            };
        });
    };
    if (backend == backends::names::reference)
        visit_with([&] {
            return [&](const std::vector<double>& parameters, std::uint64_t i) {
                std::vector<double> sampled;
                for (std::size_t k = 0; k < study.varied.size(); ++k)
                    sampled.push_back(fields[(varied.size() + k) * count + i]);
                return backends::reference_modes(*study.mechanism, parameters,
                                                 study.kernel_parameters->numbers(sampled));
            };
        });
    else
        visit_with([&] {
            return [one = mechanism::EquilibriumModes(*study.mechanism)](
                       const std::vector<double>& parameters, std::uint64_t) mutable { return one.modes(parameters); };
        });
    return all;
}

void add_modes(const study::Study& study, const LinearAnalysis& analysis, backends::Chunk& chunk) {
    if (analysis.stability.empty()) return;
    std::vector<double> all;
    all.reserve(chunk.count * study.quantities.size());
    auto of_motion = chunk.quantities.begin();
    auto of_mode = analysis.quantities.begin();
    for (std::uint64_t i = 0; i < chunk.count; ++i)
        for (const study::Quantity& quantity : study.quantities)
            all.push_back(quantity.of_mode ? *of_mode++ : *of_motion++);
    chunk.quantities = std::move(all);
    chunk.stability = analysis.stability;
}

}  // namespace myriad::ensemble
