// The parts of a study file that say which instances there are: parameters, design, correlations, instances.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/study/sampling/sampler.hpp"
#include "host/study/study.hpp"
#include "host/text/json_text.hpp"

namespace myriad::study {

struct Sampling {
    std::string design;
    std::optional<std::uint64_t> seed, replicates;
    std::filesystem::path table_file;
    bool rows_are_independent = false;
    std::uint64_t instances = 0;
    std::vector<double> parameters;       // of the system
    std::vector<unsigned char> given;     // of each parameter: whether the study says something about it
    std::vector<VariedParameter> varied;  // in the order of the sampler's addresses
    std::shared_ptr<const Sampler> sampler;
    Json canonical;  // the keys parameters, design, correlations and instances, with every default
};

// `study` is the whole file. Throws UserError for whatever makes no sense, each at its place.
Sampling read_sampling(const JsonValue& study, const SystemDescription& system, const std::filesystem::path& folder,
                       Purpose purpose);

// One distribution: {"normal": {...}}, {"values": [...]}, {"uniform": {...}, "levels": 5}.
struct Spread {
    Distribution distribution;
    std::uint64_t levels = 0;  // of a grid; 0: none given
    Json canonical;
};
Spread read_spread(const JsonValue& value, bool in_grid);

}  // namespace myriad::study
