// Studies and mechanisms: from texts or files to what they ask for, checked.
#include "host/study/study.hpp"

#include <filesystem>

#include "host/mechanism/mechanism.hpp"
#include "host/study/bundled_studies.hpp"
#include "host/study/schema.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/text/suggestion.hpp"
#include "python/extension/nanobind.hpp"

namespace myriad::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

study::Overrides overrides_of(const std::vector<std::string>& assignments) {
    study::Overrides overrides;
    overrides.assignments = assignments;
    return overrides;
}

std::shared_ptr<study::Study> study_from_text(const std::string& text, const std::string& name,
                                              const std::string& folder, const std::vector<std::string>& assignments) {
    const Computing computing;
    return std::make_shared<study::Study>(study::parse_study(text, name, folder, overrides_of(assignments)));
}

std::shared_ptr<study::Study> study_from_file(const std::string& path, const std::vector<std::string>& assignments) {
    const Computing computing;
    return std::make_shared<study::Study>(study::read_study(path, overrides_of(assignments)));
}

nb::list bundled_studies() {
    nb::list all;
    for (const study::BundledStudy& one : study::bundled_studies()) {
        nb::dict entry;
        entry["name"] = one.name, entry["title"] = one.title, entry["simulates"] = one.simulates;
        entry["path"] = one.path.string(), entry["mechanism"] = one.mechanism.string();
        all.append(entry);
    }
    return all;
}

nb::list varied_of(const study::Study& study) {
    nb::list varied;
    for (const study::VariedParameter& one : study.varied) {
        nb::dict entry;
        entry["address"] = one.address, entry["unit"] = one.unit, entry["distribution"] = one.distribution;
        varied.append(entry);
    }
    return varied;
}

nb::list quantities_of(const study::Study& study) {
    nb::list quantities;
    for (const study::Quantity& one : study.quantities) {
        nb::dict entry;
        entry["name"] = one.name, entry["unit"] = one.unit, entry["channel"] = one.channel_address;
        quantities.append(entry);
    }
    return quantities;
}

nb::list channels_of(const study::SystemDescription& system) {
    nb::list channels;
    for (const study::DescribedChannel& one : system.channels) {
        nb::dict entry;
        entry["name"] = one.name, entry["unit"] = one.unit, entry["frame"] = one.frame;
        entry["components"] = study::component_names(one.components);
        entry["of_body"] = one.of_body, entry["meaning"] = one.meaning;
        channels.append(entry);
    }
    return channels;
}

nb::list parameters_of(const study::SystemDescription& system) {
    nb::list parameters;
    for (const study::DescribedParameter& one : system.parameters) {
        nb::dict entry;
        entry["address"] = one.address, entry["unit"] = one.unit, entry["value"] = one.value;
        entry["meaning"] = one.meaning;
        parameters.append(entry);
    }
    return parameters;
}

// The samples of instances [first, first + count), [instance, varied].
Array<double> samples_of(const study::Study& study, std::uint64_t first, std::uint64_t count) {
    const std::size_t width = study.varied.size();
    std::vector<double> columns(width * count), rows(width * count);
    if (!columns.empty()) {
        const Computing computing;
        study.sampler().sample(first, count, columns.data());
    }
    for (std::size_t k = 0; k < width; ++k)
        for (std::uint64_t i = 0; i < count; ++i) rows[i * width + k] = columns[k * count + i];
    return array_of(std::move(rows), {count, width});
}

}  // namespace

void bind_study(nb::module_& module) {
    nb::class_<study::Study>(module, "Study", "A study file, checked, with every default filled in.")
        .def_static("from_text", &study_from_text, "text"_a, "name"_a, "folder"_a, "assignments"_a)
        .def_static("from_file", &study_from_file, "path"_a, "assignments"_a)
        .def_ro("file", &study::Study::file)
        .def_ro("title", &study::Study::title)
        .def_ro("description", &study::Study::description)
        .def_ro("instances", &study::Study::instances)
        .def_ro("design", &study::Study::design)
        .def_ro("end_s", &study::Study::end_s)
        .def_ro("canonical_json", &study::Study::canonical_json)
        .def_ro("warnings", &study::Study::warnings)
        .def_ro("allowed_failed_share", &study::Study::allowed_failed_share)
        .def_prop_ro("fingerprint", &study::Study::fingerprint)
        .def_prop_ro("system", [](const study::Study& study) { return study.system->name; })
        .def_prop_ro("bodies", [](const study::Study& study) { return study.system->body_names; })
        .def_prop_ro("integrator", [](const study::Study& study) { return study.integrator.name; })
        .def_prop_ro("is_adaptive", [](const study::Study& study) { return study.integrator.adaptive; })
        .def_prop_ro("step_s", [](const study::Study& study) { return study.fixed.step_s; })
        .def_prop_ro("precision", [](const study::Study& study) { return study::name_of(study.precision); })
        .def_prop_ro("coordinates",
                     [](const study::Study& study) -> std::optional<std::string> {
                         if (!study.mechanism) return std::nullopt;
                         return study::name_of(study.coordinates);
                     })
        .def_prop_ro("varied", &varied_of)
        .def_prop_ro("quantities", &quantities_of)
        .def_prop_ro("channels", [](const study::Study& study) { return channels_of(*study.system); })
        .def_prop_ro("channel_addresses", [](const study::Study& study) { return study.system->channel_addresses(); })
        .def_prop_ro("parameter_addresses",
                     [](const study::Study& study) { return study.system->parameter_addresses(); })
        .def("samples", &samples_of, "first"_a, "count"_a);

    nb::class_<mechanism::Mechanism>(module, "Mechanism", "A mechanism file, checked and assembled once.")
        .def_static(
            "from_text",
            [](const std::string& text, const std::string& name) {
                const Computing computing;
                return std::const_pointer_cast<mechanism::Mechanism>(
                    mechanism::parse_mechanism(text, name, std::filesystem::path()));
            },
            "text"_a, "name"_a)
        .def_static(
            "from_file",
            [](const std::string& path) {
                const Computing computing;
                return std::const_pointer_cast<mechanism::Mechanism>(mechanism::read_mechanism(path));
            },
            "path"_a)
        .def_ro("name", &mechanism::Mechanism::name)
        .def_ro("title", &mechanism::Mechanism::title)
        .def_ro("text", &mechanism::Mechanism::text)
        .def_ro("bodies", &mechanism::Mechanism::body_names)
        .def_ro("freedoms", &mechanism::Mechanism::freedoms)
        .def_ro("warnings", &mechanism::Mechanism::warnings)
        .def_prop_ro("joints",
                     [](const mechanism::Mechanism& mechanism) {
                         std::vector<std::string> names;
                         for (const auto& joint : mechanism.joints) names.push_back(joint.name);
                         return names;
                     })
        .def_prop_ro(
            "parameters",
            [](const mechanism::Mechanism& mechanism) { return parameters_of(study::description_of(mechanism)); })
        .def_prop_ro(
            "channels",
            [](const mechanism::Mechanism& mechanism) { return channels_of(study::description_of(mechanism)); })
        .def_prop_ro("channel_addresses", [](const mechanism::Mechanism& mechanism) {
            return study::description_of(mechanism).channel_addresses();
        });

    module.def("bundled_studies", &bundled_studies);
    module.def("study_file", [](const std::string& given) { return study::study_file(given).string(); });
    module.def("suggestion",
               [](const std::string& word, const std::vector<std::string>& known, const std::string& plural,
                  const std::string& listing) { return suggestion(word, known, plural, listing); });
}

}  // namespace myriad::python
