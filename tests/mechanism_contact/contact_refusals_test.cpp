// A status where something is wrong with a contact, and the order of the schemes while a contact is held.
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class HeldContact : public testing::Test {};
TYPED_TEST_SUITE(HeldContact, AllSchemes);

// A rod whose end slides on a floor, led by a hinge on a slide: held contact and joints. The order, by three steps.
TYPED_TEST(HeldContact, LeavesTheSchemesTheirOrder) {
    for (const In coordinates : {In::joint, In::body}) {
        // It slides outwards already: a slip that turns would be found to a step only.
        const ContactMechanism rod = sliding_rod().in(coordinates);
        const auto place = [&](double h) {
            Schedule schedule = contact_schedule(h, static_cast<int>(std::lround(0.15 / h)));
            // At a larger one what ED-alpha's first reactions err by dies out slowly.
            if (std::is_same_v<TypeParam, NonsmoothEdAlpha>) schedule.spectral_radius = 0.0;
            ContactRun run(TypeParam::name, rod, schedule);
            // By Moreau's rule round-off of the gap opens it for single steps.
            int held = 0;
            run.run([&](const ContactRun& now) { held += now.memory().force[0] > 1.0; });
            EXPECT_EQ(run.status(), Status::ok);
            EXPECT_GT(2.0 * held, schedule.total_steps);
            return run.position(1)[0];
        };
        const double coarse = place(5e-3), middle = place(2.5e-3), fine = place(1.25e-3);
        const double order = std::log2(std::abs(coarse - middle) / std::abs(middle - fine));
        std::printf("| %-27s | %s | rod on a floor: difference %.2e at h = 5e-3, order %.2f |\n", TypeParam::name,
                    coordinates == In::joint ? "joint" : "body", std::abs(coarse - middle), order);
        if (std::is_same_v<TypeParam, MoreauWithJoints>)
            EXPECT_GT(order, 0.8);
        else
            EXPECT_NEAR(order, 2.0, 0.3);
    }
}

ContactMechanism sphere_at(double height, const Law& law, double radius = 0.1) {
    ContactMechanism sphere(sphere_text(1.0, 0.1));
    sphere.add_sphere_plane(-1, 0, origin, up, origin, radius, law);
    sphere.set_position(0, height * up);
    return sphere;
}
Reason reason_of(const ContactMechanism& given) {
    return ContactRun(NonsmoothGeneralizedAlpha::name, given, contact_schedule(1e-3, 3)).reason();
}

TEST(ContactRefusals, GiveNumbersThatNoContactHasAReason) {
    EXPECT_EQ(reason_of(sphere_at(0.2, {-0.1, 0.0, 0.0})), Reason::contact_law_invalid);
    EXPECT_EQ(reason_of(sphere_at(0.2, {0.1, 1.5, 0.0})), Reason::contact_law_invalid);
    EXPECT_EQ(reason_of(sphere_at(0.2, {0.1, 0.5, -0.1})), Reason::contact_law_invalid);
    EXPECT_EQ(reason_of(sphere_at(0.2, {0.1, 0.5, 0.5}, -0.1)), Reason::length_not_positive);
    EXPECT_EQ(reason_of(sphere_at(0.2, {0.1, 0.5, 0.5})), Reason::none);
}

TEST(ContactRefusals, WarnOfLawsThatMayGainEnergy) {
    const auto warning = [](const Law& law) {
        return ContactRun(NonsmoothGeneralizedAlpha::name, sphere_at(0.2, law), contact_schedule(1e-3, 1))
            .progress()
            .warnings;
    };
    EXPECT_EQ(warning({0.1, 0.5, 0.0}), static_cast<double>(Warning::impacts_may_gain_energy));
    EXPECT_EQ(warning({0.0, 0.5, 0.0}), 0.0);
    EXPECT_EQ(warning({0.1, 0.5, 0.5}), 0.0);
}

// An overlap is refused, or left by the way of the least motion: along the normal here.
TEST(ContactRefusals, RefuseAPenetrationOrMoveOutOfIt) {
    const ContactMechanism sphere = sphere_at(0.08, {});
    EXPECT_EQ(reason_of(sphere), Reason::start_penetrates);
    Schedule schedule = contact_schedule(1e-3, 3);
    EXPECT_EQ(ContactRun(NonsmoothGeneralizedAlpha::name, sphere, schedule).status(), Status::assembly_failed);
    schedule.project_penetration = 1.0;
    ContactRun moved(NonsmoothGeneralizedAlpha::name, sphere, schedule);
    EXPECT_EQ(moved.reason(), Reason::none);
    EXPECT_NEAR((moved.position() - Vector(0.0, 0.0, 0.1)).norm(), 0.0, 1e-9);
    EXPECT_NEAR(moved.memory().assembly_correction, 0.02, 1e-3);

    // Joints come along: the second rod is lifted and turns, its joint stays together.
    ContactMechanism pair = rods_on_a_ball();
    pair.set_velocity(0, Vector::Zero()), pair.set_velocity(1, Vector::Zero());
    pair.set_position(1, {0.4, 0.0, 0.02}), pair.set_position(0, {0.0, 0.0, 0.02});
    for (const In coordinates : {In::joint, In::body}) {
        const ContactMechanism given = pair.in(coordinates);
        schedule.project_penetration = 0.0;
        EXPECT_EQ(ContactRun(NonsmoothGeneralizedAlpha::name, given, schedule).reason(), Reason::start_penetrates);
        schedule.project_penetration = 1.0;
        ContactRun together(NonsmoothGeneralizedAlpha::name, given, schedule);
        together.run();
        EXPECT_EQ(together.status(), Status::ok);
        EXPECT_LT(together.certificate()[1], 1e-11);
        EXPECT_LT(together.memory().penetration_m, 1e-6);
    }
}

// Without iterations every contact jams; the lane that touches nothing goes on.
TEST(ContactRefusals, StopALaneWhoseContactsAreNotSolved) {
    const ContactMechanism sphere = sphere_at(0.1001, {0.1, 0.5, 0.0});
    Schedule schedule = contact_schedule(1e-3, 100);
    schedule.most_prox_iterations = 0.0;
    std::vector<std::vector<double>> parameters(4, sphere.parameters);
    parameters[2][static_cast<std::size_t>(parameters_of_body(0) + body_position + 2)] = 5.0;
    ContactRun run(NonsmoothGeneralizedAlpha::name, sphere, schedule, parameters);
    run.run();
    for (std::size_t lane = 0; lane < 4; ++lane) {
        EXPECT_EQ(run.status(lane), lane == 2 ? Status::ok : Status::prox_stalled);
        EXPECT_GT(run.progress(lane).steps, 1.0);
        EXPECT_TRUE(run.position(0, lane).allFinite());
    }
}

// Channels of a contact agree with their definitions.
TEST(ContactChannels, SayWhatTheContactDoes) {
    ContactMechanism sphere = sphere_at(0.1, {0.2, 0.0, 0.0});
    sphere.set_velocity(0, {1.0, 0.0, 0.0}, {0.0, 2.0, 0.0});
    const int gap = sphere.channel(ChannelKind::contact_gap, 0),
              slip = sphere.channel(ChannelKind::contact_velocity, 0, 1),
              across = sphere.channel(ChannelKind::contact_velocity, 0, 2),
              normal = sphere.channel(ChannelKind::contact_force, 0, 0),
              impulse = sphere.channel(ChannelKind::contact_impulse, 0, 0),
              first = sphere.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::first_contact_time)),
              wear = sphere.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::wear_work));
    ContactRun run(NonsmoothGeneralizedAlpha::name, sphere, contact_schedule(1e-3, 50));
    run.run();
    const double left = 1.0 - 0.2 - 3.5 * 0.2 * gravity * 0.05;
    EXPECT_NEAR(run.channel(gap), 0.0, 1e-12);
    EXPECT_NEAR(std::hypot(run.channel(slip), run.channel(across)), left, 1e-4);
    EXPECT_NEAR(run.channel(normal), gravity, 1e-9);
    EXPECT_EQ(run.channel(impulse), 0.0);
    EXPECT_EQ(run.channel(first), 0.0);
    // The mean slip by mu m g and the time.
    EXPECT_NEAR(run.channel(wear), 0.2 * gravity * 0.05 * 0.5 * (0.8 + left), 1e-5);
}

}  // namespace
}  // namespace myriad::test
