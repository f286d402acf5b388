#include "host/study/study_results.hpp"

#include <algorithm>
#include <set>

#include "host/study/study_keys.hpp"

namespace myriad::study {

namespace {

void read_kept(const JsonValue& keep, Study& study) {
    std::set<std::string> kept;
    const std::vector<std::string> names = names_of(kept_names);
    for (const JsonValue& one : keep.elements()) {
        const std::string& name = names[one.one_of(names, "part of a result")];
        if (!kept.insert(name).second) one.refuse("\"" + name + "\" is named twice", "name it once");
    }
    bool* const flags[] = {&study.results.keeps_quantities, &study.results.keeps_states,
                           &study.results.keeps_certificate, &study.results.keeps_trajectories};
    for (std::size_t i = 0; i < names.size(); ++i) *flags[i] = kept.contains(names[i]);
    if (!study.quantities.empty() && !study.results.keeps_quantities)
        keep.refuse("the study has quantities, from which its statistics are made, and does not keep them",
                    "add \"quantities\" to the list, or leave the quantities out (-o quantities=null)");
    // Where the steps adapt they end at the times of the rows.
    if (!study.results.keeps_trajectories && !study.integrator.adaptive) study.observation = {};
}

}  // namespace

void read_results(const JsonValue& root, Study& study, Json& canonical) {
    ResultSettings& settings = study.results;
    settings.trajectory_precision = study.precision;
    const auto results = root.find("results");
    if (!results) return;
    results->require_keys(names_of(results_keys));
    if (const auto keep = results->find("keep")) read_kept(*keep, study);
    if (const auto precision = results->find("trajectory_precision")) {
        settings.trajectory_precision =
            static_cast<backends::Precision>(precision->one_of(names_of(precision_names), "precision"));
        if (settings.trajectory_precision == backends::Precision::fp64 && study.precision == backends::Precision::fp32)
            precision->refuse("a run in fp32 has no trajectories in fp64", "leave it out, or run in fp64");
    }
    if (const auto compression = results->find("compression")) {
        const std::uint64_t level = compression->whole_number();
        if (level > strongest_compression)
            compression->refuse("the level is " + std::to_string(level),
                                "give 0 (none) to " + std::to_string(strongest_compression));
        settings.compression = static_cast<int>(level);
    }
    Json own;
    const bool kept[] = {settings.keeps_quantities, settings.keeps_states, settings.keeps_certificate,
                         settings.keeps_trajectories};
    if (!std::all_of(std::begin(kept), std::end(kept), [](bool is_kept) { return is_kept; })) {
        own["keep"] = Json::array();
        for (std::size_t i = 0; i < std::size(kept); ++i)
            if (kept[i]) own["keep"].push_back(kept_names[i]);
    }
    if (settings.trajectory_precision != study.precision) own["trajectory_precision"] = precision_names[1];
    if (settings.compression != 0) own["compression"] = settings.compression;
    if (!own.is_null()) canonical["results"] = own;
}

}  // namespace myriad::study
