// A failure has the same name on the reference path.
#include <gtest/gtest.h>

#include "host/backends/backends.hpp"
#include "tests/failures/provocations.hpp"

namespace myriad::backends {
namespace {

TEST(FailureStatus, IsThatOfTheReferencePath) {
    const std::atomic<bool> stop{false};
    for (const Provocation& provocation : provocations()) {
        // The reference path looks at increments, which are finite, where the position itself overflows; and it counts
        // accepted steps only.
        if (provocation.name == "not_finite_on_the_group" || provocation.name == "step_limit") continue;
        // It enumerates the states of contacts, which takes no iterations: only laws without a solution stop it.
        if (std::string(provocation.name).starts_with("jam")) continue;
        std::vector<double> instance = generic_instance(provocation.task.system, 5);
        provocation.spoil(instance);
        const auto backend = make_backend("reference", {});
        backend->prepare(provocation.task, 1);
        backend->start(0, 1, columns({instance}, 0, 1).data());
        Chunk chunk;
        ASSERT_TRUE(backend->finish(0, chunk, stop));
        EXPECT_STREQ(name_of(static_cast<Status>(chunk.status[0])), name_of(provocation.status)) << provocation.name;
    }
}

}  // namespace
}  // namespace myriad::backends
