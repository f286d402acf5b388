#include "tests/properties/scenes.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "host/ensemble/instances/record_parameters.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/study/study_keys.hpp"
#include "host/text/user_error.hpp"
#include "tests/properties/random_mechanisms.hpp"
#include "tests/source_dir.hpp"

namespace myriad::properties {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_observed = 80;

// A step for a study that leaves it to the method.
double step_of(const study::Study& study) { return study.fixed.step_s > 0.0 ? study.fixed.step_s : 1e-3 * study.end_s; }

ordered_json integrator_text(const Method& method, double step_s, const Settings& settings) {
    const double steps = settings.steps;
    ordered_json text{{"name", method.integrator.name}};
    if (method.integrator.adaptive) {
        const bool is_double = method.precision == backends::Precision::fp64;
        text["end_s"] = steps * step_s, text["most_attempts"] = 20 * settings.steps;
        text["relative_tolerance"] = is_double ? 1e-7 : 1e-4, text["absolute_tolerance"] = is_double ? 1e-9 : 1e-5;
        text["initial_step_s"] = step_s;
        return text;
    }
    text["step_s"] = step_s, text["end_s"] = steps * step_s;
    if (settings.damps_most && method.integrator.has_spectral_radius) text["spectral_radius"] = 0.0;
    if (settings.newton_tolerance > 0.0 && method.integrator.implicit)
        text["newton_tolerance"] = settings.newton_tolerance, text["most_newton_iterations"] = 40;
    return text;
}

// Scalars of all kinds, spread over the description.
std::vector<std::string> some_channels(const study::SystemDescription& system) {
    std::vector<std::string> addresses;
    const std::size_t stride = system.scalars.size() / most_observed + 1;
    for (std::size_t i = 0; i < system.scalars.size(); i += stride) addresses.push_back(system.scalars[i].address);
    return addresses;
}

ordered_json every_reduction(const study::SystemDescription& system) {
    ordered_json quantities;
    std::size_t channel = 0;
    for (const ReductionDescription& reduction : study::reductions) {
        const std::string& address = system.scalars[channel % system.scalars.size()].address;
        ordered_json& one = quantities[std::string("of_") + reduction.name];
        if (std::string_view(reduction.name).starts_with("first_time"))
            one[reduction.name] = {{"channel", address}, {"threshold", 0.1}};
        else
            one[reduction.name] = address;
        channel += 7;  // another component of another channel
    }
    return quantities;
}

std::optional<study::Study> read(const ordered_json& text, const std::string& name) {
    try {
        return study::parse_study(text.dump(), name, ".");
    } catch (const UserError&) {
        return std::nullopt;
    }
}

}  // namespace

static std::vector<Scene> read_bundled_scenes() {
    std::vector<Scene> scenes;
    std::set<std::string> systems;  // that are code, each once
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() / "ensembles" / "studies"))
        files.push_back(file.path());
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
        const study::Study study = study::read_study(file);
        if (!study.mechanism && !systems.insert(study.system->name).second) continue;
        const ordered_json whole = ordered_json::parse(study.canonical_json);
        Scene scene{file.stem().string(), {}, step_of(study), study.system->has_contact};
        for (const char* key : {"system", "mechanism", "parameters"})
            if (whole.contains(key)) scene.subject[key] = whole[key];
        if (study.mechanism) scene.has_contacts = study.mechanism->table.contacts > 0;
        scenes.push_back(scene);
    }
    // A system without a study has the parameters of one that takes the same.
    for (const study::SystemDescription& system : study::systems())
        for (std::size_t i = 0; i < scenes.size() && !systems.contains(system.name); ++i) {
            Scene scene = scenes[i];
            if (!scene.subject.contains("system")) continue;
            scene.name = system.name, scene.subject["system"] = system.name;
            if (std::ranges::any_of(every_method(),
                                    [&](const Method& method) { return study_of(scene, method, {}).has_value(); }))
                scenes.push_back(scene), systems.insert(system.name);
        }
    return scenes;
}

const std::vector<Scene>& bundled_scenes() {
    static const std::vector<Scene> scenes = read_bundled_scenes();
    return scenes;
}

std::vector<RandomScenes> random_families() {
    return {{"trees", 110000, 40, 1, 5, 0, false, false},
            {"free_trees", 120000, 20, 1, 5, 0, true, false},
            {"loops", 130000, 40, 2, 5, 2, false, false},
            {"free_loops", 140000, 20, 3, 5, 2, true, false},
            {"driven", 150000, 40, 1, 3, 1, false, true},
            {"touching_trees", 160000, 40, 1, 4, 0, false, false, 2},
            {"touching_loops", 170000, 20, 2, 4, 2, false, false, 2},
            {"on_coordinates", 180000, 40, 1, 5, 0, false, false, 0, true}};
}

std::vector<RandomScenes> some_of_each_random_family() {
    const char* longer = std::getenv("MYRIAD_LONG");
    const int times = longer != nullptr ? std::max(1, std::atoi(longer)) : 1;
    std::vector<RandomScenes> families = random_families();
    for (RandomScenes& family : families)
        family.count = std::min(family.count, times * (1 + family.most_bodies - family.least_bodies));
    return families;
}

std::vector<Scene> scenes_of(const RandomScenes& family) {
    std::vector<Scene> scenes;
    for (int n = 0; n < family.count; ++n) {
        const std::uint64_t seed = family.first_seed + static_cast<std::uint64_t>(n);
        mechanism::RandomShape shape;
        shape.bodies = family.least_bodies + n % (family.most_bodies - family.least_bodies + 1);
        shape.loops = family.loops, shape.free = family.free, shape.driven = family.driven;
        shape.contacts = family.contacts, shape.on_coordinates = family.on_coordinates, shape.every_type = true;
        Scene scene{family.name + " by seed " + std::to_string(seed), {}, 1e-3, false};
        const auto text = ordered_json::parse(mechanism::RandomMechanism(seed, shape).text());
        scene.has_contacts = text.contains("contacts");
        scene.subject["mechanism"] = text;
        ordered_json& varied = scene.subject["parameters"];
        const auto spread = [&](const std::string& address, double middle, double by) {
            varied[address] = {{"uniform", {{"low", middle - by}, {"high", middle + by}}}};
        };
        for (int k = 0; k < 3; ++k) {
            const std::string component = "[" + std::to_string(k) + "]";
            const auto at = static_cast<std::size_t>(k);
            spread("gravity_m_s2" + component, text["gravity_m_s2"][at], 0.5);
            spread("bodies.b0.angular_velocity_rad_s" + component, text["bodies"]["b0"]["angular_velocity_rad_s"][at],
                   0.2);
        }
        const double mass = text["bodies"]["b0"]["mass_kg"];
        spread("bodies.b0.mass_kg", mass, 0.1 * mass);
        scenes.push_back(scene);
    }
    return scenes;
}

std::string Method::name() const {
    return integrator.name + "_" + chart + (precision == backends::Precision::fp32 ? "_fp32" : "");
}

std::vector<Method> every_method() {
    std::vector<Method> methods;
    std::set<std::string> known;
    for (const backends::Precision precision : {backends::Precision::fp64, backends::Precision::fp32})
        for (const study::IntegratorDescription& integrator : study::all_integrators())
            for (const study::ChartDescription& chart : study::all_charts()) {
                if (!study::is_built(integrator.name) || !study::is_built(chart.name)) continue;
                const Method method{integrator, chart.name, precision};
                const bool is_taken = std::ranges::any_of(study::systems(), [&](const auto& system) {
                    return takes(system, integrator, chart) &&
                           (precision == backends::Precision::fp64 || study::takes_fp32(system, chart, integrator));
                });
                const bool is_of_mechanisms = integrator.kinematic && chart.name == "rotation";
                if ((is_taken || is_of_mechanisms) && known.insert(method.name()).second) methods.push_back(method);
            }
    return methods;
}

std::vector<Method> methods_of_mechanisms() {
    std::vector<Method> methods;
    for (const bool with_contacts : {false, true})
        for (const study::IntegratorDescription& integrator : study::integrators_of_mechanisms(with_contacts))
            if (std::ranges::none_of(methods,
                                     [&](const Method& known) { return known.integrator.name == integrator.name; }))
                methods.push_back({integrator});
    return methods;
}

std::optional<study::Study> study_of(const Scene& scene, const Method& method, const Settings& settings) {
    if (scene.has_contacts && !method.integrator.contact) return std::nullopt;
    ordered_json text = scene.subject;
    const double step_s = scene.step_s * settings.step_factor;
    if (!settings.varies) text.erase("parameters");
    if (text.contains("mechanism")) text["coordinates"] = settings.coordinates;
    text["integrator"] = integrator_text(method, step_s, settings);
    text["chart"] = method.chart, text["precision"] = study::name_of(method.precision);
    text["instances"] = settings.instances;
    const std::optional<study::Study> plain = read(text, scene.name);
    if (!plain) return std::nullopt;
    // Where coordinates are not what was asked for, the scene is that of the others.
    if (plain->mechanism &&
        mechanism::coordinates_names[static_cast<std::size_t>(plain->coordinates)] != settings.coordinates)
        return std::nullopt;
    text["observe"]["channels"] = settings.observed.empty() ? some_channels(*plain->system) : settings.observed;
    const int every = settings.observed.empty() ? std::min(4, settings.steps) : 1;
    text["observe"]["every_s"] = every * (method.integrator.adaptive ? step_s : plain->fixed.step_s);
    if (settings.reduces) text["quantities"] = every_reduction(*plain->system);
    return study::parse_study(text.dump(), scene.name, ".");
}

backends::Instances instances_of(const study::Study& study) {
    std::vector<double> sampled(study.varied.size() * study.instances);
    if (!sampled.empty()) study.sampler().sample(0, study.instances, sampled.data());
    const std::vector<double> fields = ensemble::record_parameters(study, study.instances, sampled, 1);
    backends::Instances instances(study.instances);
    for (std::size_t i = 0; i < instances.size(); ++i)
        for (std::size_t at = i; at < fields.size(); at += instances.size()) instances[i].push_back(fields[at]);
    return instances;
}

std::vector<std::string> coordinates_of(const Scene& scene) {
    if (scene.subject.contains("mechanism")) return {"joint", "body"};
    return {"joint"};
}

}  // namespace myriad::properties
