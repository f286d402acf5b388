// The record of what damping takes: it is empty without damping, and counts as a loss with it.
#include "kernels/contact/damping_record.hpp"

#include <gtest/gtest.h>

namespace myriad::test::damping_record {
namespace {

struct Undamped {
    using Real = double;
    using Configuration = Vec<1, double>;
    using Velocity = Vec<1, double>;
};
// A damper of 4 N s/m on a straight line: the mean of its forces at both times, times the way.
struct Damped : Undamped {
    static double damping_work(const Motion<Damped>& begin, const Motion<Damped>& end) {
        return 2.0 * (begin.v[0] + end.v[0]) * (end.q[0] - begin.q[0]);
    }
};

TEST(DampingRecord, IsEmptyWithoutDamping) {
    static_assert(!has_damping<Undamped> && has_damping<Damped>);
    DampingRecord<Undamped> record;
    int fields = 0;
    DampingRecord<Undamped>::fields([&](double&) { ++fields; }, record);
    EXPECT_EQ(fields, 0);
    EXPECT_EQ(record.with_losses(5.0), 5.0);
}

TEST(DampingRecord, AddsUpTheWorkOfItsSteps) {
    DampingRecord<Damped> record{0.0};
    record.add_damping({}, {{1.0}, {3.0}}, {{1.5}, {1.0}});  // 4 (3 + 1) / 2 x 0.5
    EXPECT_EQ(record.damping_loss_J, 4.0);
    record.add_damping({}, {{1.5}, {1.0}}, {{1.75}, {1.0}});
    EXPECT_EQ(record.damping_loss_J, 5.0);
    EXPECT_EQ(record.with_losses(2.0), 7.0);
}

}  // namespace
}  // namespace myriad::test::damping_record
