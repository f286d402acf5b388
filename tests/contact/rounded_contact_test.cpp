// Contact laws with rounded corners against the enumeration of contact states, and their lanes.
#include "kernels/contact/rounded_contact.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

#include "tests/contact/contact_problems.hpp"

namespace myriad::test::rounded_contact {
namespace {

// The rounded laws' solutions end in that of the laws: regular problems with little friction have one.
template <int C, int T>
void expect_tracks_to_end_in_the_solution(Arguments& draw) {
    constexpr int count = 50;
    constexpr double rounding = 1e-5, near = 10.0 * rounding;
    int arrived = 0;
    for (int i = 0; i < count; ++i) {
        const reference::LocalProblem problem = disordered_problem(draw, C, T, 3 * C * (1 + T), 0.2);
        const auto enumerated = reference::enumerate_contacts(problem);
        ASSERT_TRUE(enumerated) << "problem " << i;
        const auto kernel = kernel_problem<C, T>(problem);
        Vec<C*(1 + T), double> mobility, r;  // the same in both tangents, or friction would not oppose the slip
        for (int j = 0; j < C * (1 + T); ++j)
            mobility[j] = problem.delassus.cwiseAbs().rowwise().sum().maxCoeff(), r[j] = 1.0 / mobility[j];
        const RoundedContact<C, T, double> rounded(kernel, mobility, r);
        auto track = rounded.start();
        while (track.rounding > rounding) rounded.advance(true, track);
        const double scale = enumerated->impulse.norm() + problem.free_velocity.norm() * r[0];
        if ((eigen_of(track.impulse) - enumerated->impulse).norm() <= near * scale) ++arrived;
    }
    std::printf("| rounded laws, %d contacts, %d tangents | %d of %d tracks arrive |\n", C, T, arrived, count);
    EXPECT_EQ(arrived, count);
}
TEST(RoundedContact, LeadsToTheSolutionAsTheRoundingShrinks) {
    Arguments draw(19);
    expect_tracks_to_end_in_the_solution<4, 0>(draw);
    expect_tracks_to_end_in_the_solution<4, 1>(draw);
    expect_tracks_to_end_in_the_solution<2, 2>(draw);
}

TEST(RoundedContact, LeavesOtherLanesAsTheyAre) {
    constexpr int contacts = 3, rows = 2 * contacts;
    Arguments draw(6);
    const auto problem = kernel_problem<contacts, 1>(disordered_problem(draw, contacts, 1, 8, 0.5));
    Vec<rows, double> mobility, r;
    for (int i = 0; i < rows; ++i) mobility[i] = 4.0, r[i] = 0.25;
    const RoundedContact<contacts, 1, double> rounded(problem, mobility, r);
    auto track = rounded.start();
    rounded.advance(true, track);
    const auto before = track;
    rounded.advance(false, track);
    EXPECT_EQ(std::memcmp(&before, &track, sizeof track), 0);
}

}  // namespace
}  // namespace myriad::test::rounded_contact
