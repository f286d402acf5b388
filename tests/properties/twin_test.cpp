// Kernels and the reference path, which share no code, agree after one step and after many: on every channel of bundled
// and of random mechanisms, by every method, in both kinds of coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/mechanism/mechanism.hpp"
#include "host/validation/runs/finished_run.hpp"
#include "kernels/system/status.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"

namespace myriad::properties {
namespace {

// Newton down to round-off: its default leaves 1e-8 of the largest acceleration.
constexpr double newton_to_round_off = 1e-13, longest_step_s = 5e-3;
// Random mechanisms come within 0.05 of a singular pose, where round-off counts some 400 times, and an index-3 method
// divides that of positions by the step for velocities and again for accelerations, which Newton's stopping rule in
// joint coordinates also leaves 1e-8 of.
constexpr double same_position = 1e-9, same_velocity = 1e-7, same_force = 1e-5;
// Impulses over a step of 0.1 ms; contact problems leave 1e-8 N s of them.
constexpr double same_mean_force = 1e-4;
// Runs that end well, of the accepted ones: all of random mechanisms where measured, and of bundled ones 9 of 11 by
// livens_midpoint, which refuses the bodies without inertia about an axis of the four-link and the Puma.
constexpr double most_of_a_family = 0.9, most_of_bundled = 0.8;

// Their rules to stop at round-off differ by a few.
constexpr double further_iterations = 4.0;

bool tells_the_way(const std::string& channel) {
    return channel == "newton_iterations" || channel == "constraint_residual" || channel == "velocity_residual";
}
double same_of(const std::string& unit, bool shows_means) {
    if (unit == "m" || unit == "rad" || unit == "1") return same_position;
    return unit == "m/s" || unit == "rad/s" ? same_velocity : shows_means ? same_mean_force : same_force;
}

// Each channel differs by a share of the largest one of its unit.
void expect_the_same(const study::Study& study, bool shows_means, const backends::Chunk& ours,
                     const backends::Chunk& theirs) {
    const std::vector<int> channels = validation::observed_channels(study);
    const auto of_column = [&](std::size_t at) {
        return study.system->scalars[static_cast<std::size_t>(channels[at % channels.size()])].address;
    };
    const auto unit_of = [&](std::size_t at) { return study.system->channel_of(channels[at % channels.size()]).unit; };
    std::map<std::string, double> sizes;
    for (std::size_t at = 0; at < theirs.trajectory.size(); ++at) {
        double& size = sizes.try_emplace(unit_of(at), 1.0).first->second;
        size = std::max(size, std::abs(theirs.trajectory[at]));
    }
    for (std::size_t at = 0; at < theirs.trajectory.size(); ++at) {
        const double a = ours.trajectory[at], b = theirs.trajectory[at];
        const bool has_two_signs = of_column(at).starts_with("orientation.");
        const double difference = has_two_signs ? std::min(std::abs(a - b), std::abs(a + b)) : std::abs(a - b);
        const double allowed = same_of(unit_of(at), shows_means) * sizes[unit_of(at)];
        if (!(difference <= allowed) && !(std::isnan(a) && std::isnan(b))) {
            ADD_FAILURE() << of_column(at) << " in row " << at / channels.size() << ": " << a << ", the twin " << b
                          << ", a difference of " << difference;
            return;
        }
    }
}

// What the exact motion keeps, and how far it drifts: energies, momenta, defects of momenta.
void expect_the_same_certificate(const study::Study& study, const backends::Chunk& ours,
                                 const backends::Chunk& theirs) {
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    for (std::size_t i = 0; i < certificate.size(); ++i) {
        if (certificate[i].kind != study::CertificateKind::drift || std::isnan(theirs.invariants_drift[i])) continue;
        const double allowed = same_velocity * std::max(1.0, std::abs(theirs.invariants_initial[i]));
        EXPECT_NEAR(ours.invariants_initial[i], theirs.invariants_initial[i], allowed) << certificate[i].name;
        EXPECT_NEAR(ours.invariants_drift[i], theirs.invariants_drift[i], allowed) << certificate[i].name;
    }
}

// In body coordinates, where a body may have no inertia about an axis; the twin solves for all unknowns together.
bool divides_by_inertia(const Method& method) {
    return method.integrator.name == "moreau_midpoint" || method.integrator.name == "half_explicit";
}

// Both iterate to round-off from one start: with a wrong derivative on either side it converges linearly.
void expect_as_many_iterations(const study::Study& study, const backends::Chunk& ours, const backends::Chunk& theirs) {
    const std::vector<study::CertificateEntry> certificate = study.certificate();
    const auto found = std::ranges::find(certificate, "newton_iterations_in_a_step", &study::CertificateEntry::name);
    if (found == certificate.end()) return;
    const auto at = static_cast<std::size_t>(found - certificate.begin());
    EXPECT_NEAR(ours.invariants_drift[at], theirs.invariants_drift[at], further_iterations);
}

struct Compared {
    int runs = 0, asked = 0;
};

void expect_the_twin(const Scene& scene, const Method& method, int steps, Compared& compared) {
    for (const std::string& coordinates : coordinates_of(scene)) {
        SCOPED_TRACE(scene.name + " in coordinates: " + coordinates + ", " + std::to_string(steps) + " steps");
        Settings settings;
        settings.step_factor = std::min(1.0, longest_step_s / scene.step_s);
        settings.steps = steps, settings.coordinates = coordinates;
        settings.varies = settings.reduces = false;
        settings.newton_tolerance = newton_to_round_off;
        const auto plain = study_of(scene, method, settings);
        if (!plain || !plain->mechanism) continue;
        // Multipliers of joints by impulses over a step have what the step closes again of rows that drifted.
        const bool has_impulses = method.shows_means() && method.integrator.contact;
        for (const study::DescribedChannel& channel : plain->system->channels)
            if (!tells_the_way(channel.name) && !(has_impulses && channel.name.starts_with("multiplier.")))
                settings.observed.push_back(channel.name);
        const study::Study study = *study_of(scene, method, settings);
        const backends::Task task = study.task();
        const backends::Chunk ours = kernel_forms().front().run(task, {{}}), theirs = reference_form().run(task, {{}});
        ++compared.asked;
        const auto status = static_cast<Status>(ours.status.front());
        if (status == Status::singular_matrix && divides_by_inertia(method) && coordinates == "body") continue;
        ASSERT_EQ(ours.status, theirs.status) << name_of(status);
        if (status != Status::ok) continue;
        ++compared.runs;
        expect_the_same(study, has_impulses, ours, theirs);
        if (method.integrator.energy_momentum) expect_the_same_certificate(study, ours, theirs);
        expect_as_many_iterations(study, ours, theirs);
    }
}

class Twin : public testing::TestWithParam<Method> {};

TEST_P(Twin, AgreesInBundledMechanisms) {
    Compared compared;
    for (const Scene& scene : bundled_scenes())
        for (const int steps : {1, scene.has_contacts ? 60 : 20}) expect_the_twin(scene, GetParam(), steps, compared);
    EXPECT_GE(compared.runs, most_of_bundled * compared.asked);
    EXPECT_GT(compared.runs, 0);
    RecordProperty("compared", compared.runs);
}

TEST_P(Twin, AgreesInRandomMechanisms) {
    int all = 0;
    for (const RandomScenes& family : some_of_each_random_family()) {
        Compared compared;
        for (const Scene& scene : scenes_of(family)) {
            if (HasFailure()) return;
            for (const int steps : {1, scene.has_contacts ? 30 : 5})
                expect_the_twin(scene, GetParam(), steps, compared);
        }
        EXPECT_GE(compared.runs, most_of_a_family * compared.asked) << family.name;
        all += compared.runs;
    }
    EXPECT_GT(all, 0);
    RecordProperty("compared", all);
}

// Both paths choose the steps of adaptive methods by themselves: other tests compare those.
std::vector<Method> methods_with_given_steps() {
    std::vector<Method> methods = methods_of_mechanisms();
    std::erase_if(methods, [](const Method& method) { return method.integrator.adaptive; });
    return methods;
}

INSTANTIATE_TEST_SUITE_P(Each, Twin, testing::ValuesIn(methods_with_given_steps()), MethodName());

}  // namespace
}  // namespace myriad::properties
