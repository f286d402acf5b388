// Options that change nothing are named, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/backends/backends.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::backends {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Task task_of(const char* system, bool is_mechanism) {
    Task task;
    task.system = system;
    if (is_mechanism) task.mechanism = std::make_shared<const mechanism::Mechanism>();
    return task;
}
Settings given(int width, const char* kernels) {
    Settings settings;
    settings.width = width, settings.kernels = kernels;
    return settings;
}

TEST(IdleSettings, AreThoseOfAnotherBackend) {
    const Task task = task_of(joint_mechanism_system, true);
    EXPECT_THAT(idle_settings(names::reference, given(4, names::compiled_kernels), task),
                ElementsAre(HasSubstr("--width 4 changes nothing"), HasSubstr("--kernels compiled changes nothing")));
    EXPECT_THAT(idle_settings(names::cuda, given(8, names::interpreted_kernels), task),
                ElementsAre(AllOf(HasSubstr("--width 8 changes nothing"), HasSubstr("--backend cpu")),
                            AllOf(HasSubstr("--kernels interpreted changes nothing"), HasSubstr("--backend cpu"))));
}

TEST(IdleSettings, AreThoseOfAnotherKindOfStudy) {
    EXPECT_THAT(idle_settings(names::cpu, given(0, names::interpreted_kernels), task_of("heavy_top", false)),
                ElementsAre(AllOf(HasSubstr("--kernels interpreted changes nothing"), HasSubstr("heavy_top"))));
    Task single = task_of(joint_mechanism_system, true);
    single.precision = Precision::fp32;
    EXPECT_THAT(idle_settings(names::cpu, given(0, names::compiled_kernels), single),
                ElementsAre(HasSubstr("double precision")));
}

TEST(IdleSettings, AreNoneOfThoseThatTakeEffectOrWereNotGiven) {
    for (const char* kernels : {names::interpreted_kernels, names::compiled_kernels})
        EXPECT_THAT(idle_settings(names::cpu, given(4, kernels), task_of(joint_mechanism_system, true)), IsEmpty());
    EXPECT_THAT(idle_settings(names::cpu, given(4, ""), task_of("heavy_top", false)), IsEmpty());
    EXPECT_THAT(idle_settings(names::reference, {}, task_of("heavy_top", false)), IsEmpty());
}

}  // namespace
}  // namespace myriad::backends
