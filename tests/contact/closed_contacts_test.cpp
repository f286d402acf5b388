// Which contacts are closed: by their gaps and a tolerance, in every lane, and as one number.
#include "kernels/contact/closed_contacts.hpp"

#include <gtest/gtest.h>

#include "kernels/integrators/contact/formula_equations.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

constexpr int most_contacts_of_a_code = 52;

template <int contacts>
using Closed = ClosedContacts<double, FormulaTopology<contacts, 1>>;

template <int contacts>
void expect_the_way_back(const Closed<contacts>& masks) {
    const auto found = Closed<contacts>::of_code(masks.topology, masks.code());
    for (int c = 0; c < contacts; ++c) EXPECT_EQ(found.closed[c], masks.closed[c]) << c;
}

TEST(ClosedContacts, AreReadOffTheirNumber) {
    Closed<4> masks{};
    for (int pattern = 0; pattern < 1 << 4; ++pattern) {
        for (int c = 0; c < 4; ++c) masks.closed[c] = (pattern >> c & 1) != 0;
        EXPECT_EQ(masks.code(), pattern);
        expect_the_way_back(masks);
    }
}

TEST(ClosedContacts, AreReadOffTheirNumberWhereTheyAreAsManyAsItHolds) {
    Arguments draw(61);
    Closed<most_contacts_of_a_code> masks{};
    for (int i = 0; i < 1000; ++i) {
        for (bool& closed : masks.closed) closed = draw.uniform(0.0, 1.0) < 0.5;
        expect_the_way_back(masks);
    }
    for (bool& closed : masks.closed) closed = true;
    EXPECT_EQ(masks.code(), 0x1p52 - 1.0);
    expect_the_way_back(masks);
}

// Gaps of four contacts; the third is held, the fourth is unused.
template <class R>
struct Gaps {
    FormulaTopology<4, 1> topology;
    R gaps[4];
    R gap(int c) const { return gaps[c]; }
};
template <class R>
struct HoldsTheThird {
    using Places = Gaps<R>;
    MaskOf<R> closes(int c, MaskOf<R> touches) const {
        if (c == 2) return true_mask<R>();
        return c == 3 ? !true_mask<R>() : touches;
    }
};

TEST(ClosedContacts, AreThoseWithinTheToleranceInEachLane) {
    using Packed = Pack<double, 4>;
    ContactSettings settings{};
    settings.gap_tolerance_m = 1e-9;
    Gaps<Packed> places;
    const double gaps[] = {-1e-3, 1e-9, 1.1e-9, std::nan("")};
    for (int c = 0; c < 4; ++c)
        for (int lane = 0; lane < 4; ++lane) places.gaps[c].lanes[lane] = gaps[(lane + c) % 4];
    const auto masks = ClosedContacts<Packed, FormulaTopology<4, 1>>::of(HoldsTheThird<Packed>{}, places, settings);
    for (int lane = 0; lane < 4; ++lane) {
        for (int c = 0; c < 2; ++c) EXPECT_EQ(lane_of(masks.closed[c], lane), (lane + c) % 4 < 2) << c << ' ' << lane;
        EXPECT_TRUE(lane_of(masks.closed[2], lane));
        EXPECT_FALSE(lane_of(masks.closed[3], lane));
        EXPECT_TRUE(lane_of(masks.any_closed(), lane));
        EXPECT_EQ(lane_of(masks.acts(3), lane), lane_of(masks.closed[1], lane)) << "the tangent of the second contact";
    }
}

}  // namespace
}  // namespace myriad::test
