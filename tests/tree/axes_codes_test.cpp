// Axes of links that are signed permutations: found by the host, and products that choose components.
#include "host/mechanism/tree/axes_codes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/tree/links.hpp"

namespace myriad {
namespace {

// The code of one link's axes; `varied`: the number of an entry that a study varies, or -1.
int code_of(const Mat3<double>& axes, int varied = -1) {
    const auto table = std::make_unique<MechanismTable>();
    table->joint.tree.links = 1;
    std::vector<double> parameters(link_parameter_count, 0.5);
    for (int k = 0; k < 9; ++k) parameters[static_cast<std::size_t>(k)] = axes.e[k / 3][k % 3];
    std::vector<int> fields(link_parameter_count, -1);
    if (varied >= 0) fields[static_cast<std::size_t>(varied)] = 0;
    return mechanism::axes_codes(*table, parameters, fields.data())[0];
}

// All 48, improper ones too.
std::vector<Mat3<double>> signed_permutations() {
    std::vector<Mat3<double>> all;
    int columns[] = {0, 1, 2};
    do
        for (int signs = 0; signs < 8; ++signs) {
            Mat3<double> m{};
            for (int i = 0; i < 3; ++i) m.e[i][columns[i]] = signs >> i & 1 ? -1.0 : 1.0;
            all.push_back(m);
        }
    while (std::next_permutation(std::begin(columns), std::end(columns)));
    return all;
}

TEST(AxesCodes, GiveTheProductsOfAllSignedPermutations) {
    const Vec<3, double> v{0.3, -1.7, 2.9};
    const Symmetric3<double> s{1.1, 2.3, 3.7, -0.2, 0.4, 0.9};
    const Mat3<double> m{{{0.1, 0.2, 0.3}, {-0.4, 0.5, 0.6}, {0.7, -0.8, 0.9}}};
    for (const Mat3<double>& axes : signed_permutations()) {
        const int code = code_of(axes);
        ASSERT_NE(code, SignedPermutation::none);
        const SignedPermutation by(code);
        const Vec<3, double> times = axes * v, back = transposed_times(axes, v);
        const Mat3<double> behind = m * axes;
        const Symmetric3<double> about = turned(axes, s), seen = by.turned(s);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(by.times(v)[i], times[i]);
            EXPECT_EQ(by.transposed_times(v)[i], back[i]);
            for (int k = 0; k < 3; ++k) EXPECT_EQ(by.behind(m).e[i][k], behind.e[i][k]);
        }
        EXPECT_EQ(seen.xx, about.xx);
        EXPECT_EQ(seen.yy, about.yy);
        EXPECT_EQ(seen.zz, about.zz);
        EXPECT_EQ(seen.xy, about.xy);
        EXPECT_EQ(seen.xz, about.xz);
        EXPECT_EQ(seen.yz, about.yz);
    }
}

TEST(InertiaOfALink, KeepsTheDigitsOfASlenderBodyAboutItsAxis) {
    constexpr double along = 1e-9;
    const Mat3<double> turn{{{0.6, -0.8, 0.0}, {0.8, 0.6, 0.0}, {0.0, 0.0, 1.0}}};
    EXPECT_DOUBLE_EQ(turned(turn, Symmetric3<double>{1.0, 1.0, along, 0.0, 0.0, 0.0}).zz, along);
}

TEST(AxesCodes, AreNoneForOtherAxesAndForThoseThatAStudyVaries) {
    const Mat3<double> identity = diagonal(1.0);
    EXPECT_NE(code_of(identity), SignedPermutation::none);
    for (int k = 0; k < 9; ++k) EXPECT_EQ(code_of(identity, k), SignedPermutation::none);
    EXPECT_NE(code_of(identity, link_offset), SignedPermutation::none);
    const double nearly = 1.0 - 1e-16 * 2;
    EXPECT_EQ(code_of({{{nearly, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), SignedPermutation::none);
    EXPECT_EQ(code_of({{{0.6, -0.8, 0}, {0.8, 0.6, 0}, {0, 0, 1}}}), SignedPermutation::none);
    EXPECT_EQ(code_of({{{1, 0, 0}, {1, 0, 0}, {0, 0, 1}}}), SignedPermutation::none) << "a column twice";
    EXPECT_EQ(code_of({{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}}}), SignedPermutation::none) << "an empty row";
}

}  // namespace
}  // namespace myriad
