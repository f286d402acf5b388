// What the properties are claimed of: every bundled study and random mechanisms, each by every method of the catalog.
// A new mechanism, system or method enters by itself.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/study/study.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::properties {

// A mechanism or a system with what varies from instance to instance, and a step that its motion allows.
struct Scene {
    std::string name;
    nlohmann::ordered_json subject;  // the keys of a study that name the simulated system and the varied numbers
    double step_s = 1e-3;
    bool has_contacts = false;
};

const std::vector<Scene>& bundled_scenes();

struct RandomScenes {
    std::string name;
    std::uint64_t first_seed;
    int count, least_bodies, most_bodies, loops;
    bool free, driven;
    int contacts = 0;
    bool on_coordinates = false;
    friend void PrintTo(const RandomScenes& scenes, std::ostream* out) { *out << scenes.name; }
};
std::vector<RandomScenes> random_families();
// One mechanism of each size in a family; MYRIAD_LONG: so many times as many, up to all of the family.
std::vector<RandomScenes> some_of_each_random_family();
std::vector<Scene> scenes_of(const RandomScenes& family);

// A method on a chart, in single or double precision.
struct Method {
    study::IntegratorDescription integrator;
    std::string chart = "rotation";
    backends::Precision precision = backends::Precision::fp64;
    std::string name() const;
    // Whether forces are impulses over a step, divided by it.
    bool shows_means() const {
        return integrator.energy_momentum || integrator.name == "moreau_midpoint" || integrator.name == "half_explicit";
    }
    friend void PrintTo(const Method& method, std::ostream* out) { *out << method.name(); }
};
// All of the catalog; methods of mechanisms in double precision.
std::vector<Method> every_method();
std::vector<Method> methods_of_mechanisms();
struct MethodName {
    template <class Given>
    std::string operator()(const Given& given) const {
        return given.param.name();
    }
};

struct Settings {
    int steps = 20;
    double step_factor = 1.0;
    std::uint64_t instances = 1;
    std::string coordinates = "joint";  // of a mechanism
    bool varies = true;
    bool reduces = true;                     // every reduction, of some channels
    std::vector<std::string> observed = {};  // addresses; empty: some channels of every kind, every fourth step
    double newton_tolerance = 0.0;           // 0: the default
    bool damps_most = false;                 // by the spectral radius, of methods that have one
};

// Nothing where the reader refuses the scene by this method.
std::optional<study::Study> study_of(const Scene& scene, const Method& method, const Settings& settings);
// The varied values as the backend takes them, [instance][field].
backends::Instances instances_of(const study::Study& study);

// "joint" and "body" of a mechanism, "joint" alone of a system without.
std::vector<std::string> coordinates_of(const Scene& scene);

}  // namespace myriad::properties
