// Contact in joint coordinates: the motion of body coordinates, to round-off where both have the same unknowns and else
// to the order of the scheme.
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class ContactInJointCoordinates : public testing::Test {};
TYPED_TEST_SUITE(ContactInJointCoordinates, AllSchemes);

// Bodies without joints have the same unknowns in both: two spheres with spin that bounce on a rough floor and meet.
TYPED_TEST(ContactInJointCoordinates, IsThatOfBodyCoordinatesWhereBodiesAreFree) {
    ContactMechanism spheres(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"a": )" + sphere_body(1.3, 0.1) +
                             R"(, "b": )" + sphere_body(0.7, 0.1) + "}}");
    spheres.add_sphere_plane(-1, 0, origin, {0.1, 0.0, 1.0}, origin, 0.1, {0.3, 0.7, 0.0});
    spheres.add_sphere_plane(-1, 1, origin, {0.1, 0.0, 1.0}, origin, 0.1, {0.2, 0.5, 0.0});
    spheres.add_sphere_sphere(0, 1, origin, origin, 0.1, 0.1, {0.1, 0.8, 0.0});
    spheres.set_position(0, {0.0, 0.0, 0.4}), spheres.set_velocity(0, {0.6, 0.1, 0.0}, {1.0, -2.0, 3.0});
    spheres.set_position(1, {0.5, 0.05, 0.3}), spheres.set_velocity(1, {-0.5, 0.0, 0.2}, {-1.0, 0.5, 1.0});
    // Newton's tolerance is 1e-12, and each impact multiplies what is left of it.
    EXPECT_LT(difference_of_coordinates(TypeParam::name, spheres, contact_schedule(1e-3, 800)), 1e-9);
}

TYPED_TEST(ContactInJointCoordinates, ApproachesThatOfBodyCoordinatesByTheOrderOfTheScheme) {
    const auto difference = [&](double h) {
        return difference_of_coordinates(TypeParam::name, sliding_rod(),
                                         contact_schedule(h, static_cast<int>(std::lround(0.15 / h))));
    };
    const double coarse = difference(2e-3), middle = difference(1e-3), fine = difference(5e-4);
    std::printf("| %-27s | rod on a floor: differences %.2e %.2e %.2e |\n", TypeParam::name, coarse, middle, fine);
    EXPECT_GT(std::log2(middle / fine), TypeParam::orders.motion > 1 ? 1.7 : 0.8);
}

// An impact may be found a step earlier in one of them: until the end that makes a difference of h times what it
// changes, some rad/s, and what happens in between, some 100 rad/s^2.
TYPED_TEST(ContactInJointCoordinates, IsThatOfBodyCoordinatesAfterTheImpactOfALoop) {
    for (const double h : {1e-3, 2.5e-4}) {
        const Schedule schedule = contact_schedule(h, static_cast<int>(std::lround(0.4 / h)));
        const ContactMechanism loop = loop_before_a_stop();
        CoordinateRun joint(In::joint, TypeParam::name, loop, schedule),
            body(In::body, TypeParam::name, loop, schedule);
        EXPECT_EQ(joint.run().status(), Status::ok);
        EXPECT_EQ(body.run().status(), Status::ok);
        EXPECT_LT(largest_difference(joint.bodies(), body.bodies()), 20.0 * h);
    }
}

}  // namespace
}  // namespace myriad::test
