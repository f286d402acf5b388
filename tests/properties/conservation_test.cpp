// What energy-momentum methods keep to round-off in every step, whatever joints, drivers, springs, bushings, dampers,
// controllers and loads a mechanism has: the energy less the work; free in space, the momenta.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/system/status.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"

namespace myriad::properties {
namespace {

using nlohmann::ordered_json;

// As a share of the largest energy, or of 1 kg m/s and 1 kg m^2/s: each of the steps may round it by some ulp, and
// leaves the square of the last correction, below 1e-12, times forces of some 100 N.
constexpr double kept_to_round_off = 1e-11;
constexpr int kept_steps = 100;
// Steps of 5 ms: a method that keeps nothing drifts by 1e-6 of the energy.
constexpr double longer_steps = 5.0, lost = 1e-7, done_J = 0.1;

struct Kept {
    double energy = 0.0, generalized_energy = 0.0, momentum = 0.0, moment = 0.0, work_J = 0.0;
    void take(const Kept& other) {
        for (double Kept::*one :
             {&Kept::energy, &Kept::generalized_energy, &Kept::momentum, &Kept::moment, &Kept::work_J})
            this->*one = std::max(this->*one, other.*one);
    }
};

std::optional<Kept> kept_in(const Scene& scene, const Method& method, double step_factor) {
    if (!scene.subject.contains("mechanism")) return std::nullopt;
    Settings settings;
    settings.steps = kept_steps, settings.step_factor = step_factor, settings.coordinates = "body";
    settings.varies = settings.reduces = false, settings.newton_tolerance = 1e-13;
    settings.observed = {"kinetic_energy", "potential_energy", "work"};
    const auto study = study_of(scene, method, settings);
    if (!study) return std::nullopt;
    const backends::Chunk chunk = kernel_forms().front().run(study->task(), {{}});
    if (chunk.status.front() != static_cast<int>(Status::ok)) return std::nullopt;
    Kept kept;
    double size_J = 1.0;
    for (std::size_t at = 0; at < chunk.trajectory.size(); at += 3) {
        size_J = std::max({size_J, std::abs(chunk.trajectory[at]), std::abs(chunk.trajectory[at + 1])});
        kept.work_J = std::max(kept.work_J, std::abs(chunk.trajectory[at + 2]));
    }
    const std::vector<study::CertificateEntry> certificate = study->certificate();
    for (std::size_t i = 0; i < certificate.size(); ++i) {
        const std::string& name = certificate[i].name;
        const double drift = chunk.invariants_drift[i];
        if (name == "energy_balance") kept.energy = drift / size_J;
        if (name == "generalized_energy") kept.generalized_energy = drift / size_J;
        if (name.starts_with("linear_momentum")) kept.momentum = std::max(kept.momentum, drift);
        if (name.starts_with("angular_momentum")) kept.moment = std::max(kept.moment, drift);
    }
    return kept;
}

class Conservation : public testing::TestWithParam<Method> {
  protected:
    bool is(const char* method) const { return GetParam().integrator.name == method; }
    void expect_energy(const Kept& kept) const {
        std::printf("%-28s at most %.1e of the energy, %.1e of the generalized one, up to %.1e J of work\n",
                    GetParam().name().c_str(), kept.energy, kept.generalized_energy, kept.work_J);
        if (is("energy_momentum_convective")) EXPECT_LE(kept.energy, kept_to_round_off);
        if (is("energy_momentum")) EXPECT_LE(kept.generalized_energy, kept_to_round_off);
        if (is("livens_midpoint")) EXPECT_GE(kept.energy, lost);
        EXPECT_GE(kept.work_J, done_J);
    }
};

TEST_P(Conservation, OfEnergyLessTheWorkInRandomMechanisms) {
    Kept all;
    int runs = 0;
    for (RandomScenes family : random_families()) {
        if (family.contacts > 0 || family.on_coordinates) continue;
        family.count = 12;
        for (const Scene& scene : scenes_of(family))
            if (const auto kept = kept_in(scene, GetParam(), longer_steps)) all.take(*kept), ++runs;
    }
    EXPECT_GT(runs, 40);
    expect_energy(all);
}

TEST_P(Conservation, OfEnergyLessTheWorkInBundledMechanisms) {
    Kept all;
    for (const Scene& scene : bundled_scenes())
        if (const auto kept = kept_in(scene, GetParam(), 1.0)) all.take(*kept);
    expect_energy(all);
}

// Neither gravity nor loads, and nothing between a body and the ground.
ordered_json left_in_space(ordered_json mechanism) {
    mechanism["gravity_m_s2"] = {0.0, 0.0, 0.0};
    for (const char* section : {"joints", "forces"}) {
        if (!mechanism.contains(section)) continue;
        ordered_json kept = ordered_json::object();
        for (const auto& [name, entry] : mechanism[section].items()) {
            const bool is_load = entry["type"] == "force" || entry["type"] == "torque";
            const bool is_held =
                entry.contains("bodies") && (entry["bodies"][0] == "ground" || entry["bodies"][1] == "ground");
            const bool has_joint =
                !entry.contains("joint") || mechanism["joints"].contains(entry["joint"].get<std::string>());
            // A direction of the world turns the bodies that it holds.
            if (!is_load && !is_held && has_joint && entry["type"] != "CD") kept[name] = entry;
        }
        mechanism[section] = kept;
    }
    mechanism.erase("sensors");
    return mechanism;
}

TEST_P(Conservation, OfMomentaInSpace) {
    Kept all;
    int runs = 0;
    for (RandomScenes family : random_families()) {
        if (!family.free) continue;
        for (Scene scene : scenes_of(family)) {
            scene.subject["mechanism"] = left_in_space(scene.subject["mechanism"]);
            if (const auto kept = kept_in(scene, GetParam(), longer_steps)) all.take(*kept), ++runs;
        }
    }
    std::printf("%-28s %d runs, at most %.1e kg m/s, %.1e kg m^2/s\n", GetParam().name().c_str(), runs, all.momentum,
                all.moment);
    EXPECT_GT(runs, 20);
    EXPECT_LE(all.momentum, kept_to_round_off);
    if (is("energy_momentum_convective")) EXPECT_LE(all.moment, kept_to_round_off);
    if (!is("energy_momentum_convective")) EXPECT_GE(all.moment, lost);
}

std::vector<Method> energy_momentum_methods() {
    std::vector<Method> methods = methods_of_mechanisms();
    std::erase_if(methods, [](const Method& method) { return !method.integrator.energy_momentum; });
    return methods;
}
INSTANTIATE_TEST_SUITE_P(Each, Conservation, testing::ValuesIn(energy_momentum_methods()), MethodName());

}  // namespace
}  // namespace myriad::properties
