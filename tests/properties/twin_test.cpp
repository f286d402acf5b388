// Kernels and the reference path, which share no code, agree after one step and after many: on every channel of bundled
// and of random mechanisms, by every method, in both kinds of coordinates.
#include <gtest/gtest.h>

#include <cmath>

#include "host/mechanism/mechanism.hpp"
#include "host/validation/runs/mechanism_differences.hpp"
#include "kernels/system/status.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"

namespace myriad::properties {
namespace {

// Newton down to round-off: its default leaves 1e-8 of the largest acceleration.
constexpr double newton_to_round_off = 1e-13;
// Random mechanisms come within 0.05 of a singular pose, where round-off of the accelerations counts some 400 times.
constexpr double near_singular_poses = 400.0;

bool tells_the_way(const std::string& channel) {
    return channel == "newton_iterations" || channel == "constraint_residual" || channel == "velocity_residual";
}

void expect_the_twin(const Scene& scene, const Method& method, int steps, double factor, int& compared) {
    for (const std::string& coordinates : coordinates_of(scene)) {
        SCOPED_TRACE(scene.name + " in coordinates: " + coordinates + ", " + std::to_string(steps) + " steps");
        Settings settings;
        settings.steps = steps, settings.coordinates = coordinates;
        settings.varies = settings.reduces = false;
        settings.newton_tolerance = newton_to_round_off;
        const auto plain = study_of(scene, method, settings);
        if (!plain || !plain->mechanism) continue;
        for (const study::DescribedChannel& channel : plain->system->channels)
            if (!tells_the_way(channel.name)) settings.observed.push_back(channel.name);
        const study::Study study = *study_of(scene, method, settings);
        const backends::Task task = study.task();
        const backends::Chunk ours = kernel_forms().front().run(task, {{}}), theirs = reference_form().run(task, {{}});
        ASSERT_EQ(ours.status, theirs.status) << name_of(static_cast<Status>(ours.status.front()));
        if (ours.status.front() != static_cast<int>(Status::ok)) continue;
        ++compared;
        for (const validation::Difference& difference : validation::differences_of(study, ours, theirs))
            EXPECT_LE(difference.round_offs, factor * difference.allowed_round_offs)
                << difference.channels << ": " << difference.where;
    }
}

class Twin : public testing::TestWithParam<Method> {};

TEST_P(Twin, AgreesInBundledMechanisms) {
    int compared = 0;
    for (const Scene& scene : bundled_scenes())
        for (const int steps : {1, 20}) expect_the_twin(scene, GetParam(), steps, 1.0, compared);
    EXPECT_GT(compared, 0);
    RecordProperty("compared", compared);
}

TEST_P(Twin, AgreesInRandomMechanisms) {
    int compared = 0;
    for (RandomScenes family : random_families()) {
        for (const Scene& scene : scenes_of(family)) {
            if (HasFailure()) return;
            for (const int steps : {1, 5}) expect_the_twin(scene, GetParam(), steps, near_singular_poses, compared);
        }
    }
    EXPECT_GT(compared, 0);
    RecordProperty("compared", compared);
}

INSTANTIATE_TEST_SUITE_P(Each, Twin, testing::ValuesIn(methods_of_mechanisms()), MethodName());

}  // namespace
}  // namespace myriad::properties
