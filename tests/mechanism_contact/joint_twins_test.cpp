// Contact in joint coordinates against its twin on the reference path, which takes everything from the bodies by J^T.
#include "tests/mechanism_contact/joint_twins.hpp"

namespace myriad::test {
namespace {

// Four bars of hinges that turn fast and touch nothing.
ContactMechanism fast_crank_and_rocker() {
    ContactMechanism bars(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "crank": {"mass_kg": 0.6, "inertia_kg_m2": [0.001, 0.002, 0.002], "position_m": [0.05, 0, 0],
                  "angular_velocity_rad_s": [0, -10, 0]},
        "coupler": {"mass_kg": 1.1, "inertia_kg_m2": [0.001, 0.01, 0.01], "position_m": [0.22, 0, 0.12],
                    "orientation": {"x_axis": [0.7071067811865476, 0, 0.7071067811865476], "y_axis": [0, 1, 0]}},
        "rocker": {"mass_kg": 0.9, "inertia_kg_m2": [0.008, 0.008, 0.001], "position_m": [0.34, 0, 0.12]}},
        "joints": {
            "crank_pivot": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [-0.05, 0, 0]],
                            "axes": [[0, 1, 0], [0, 1, 0]]},
            "crank_pin": {"type": "revolute", "bodies": ["crank", "coupler"],
                          "points_m": [[0.05, 0, 0], [-0.16970562748477142, 0, 0]], "axes": [[0, 1, 0], [0, 1, 0]]},
            "rocker_pin": {"type": "revolute", "bodies": ["coupler", "rocker"],
                           "points_m": [[0.16970562748477142, 0, 0], [0, 0, 0.12]], "axes": [[0, 1, 0], [0, 1, 0]]},
            "rocker_pivot": {"type": "revolute", "bodies": ["ground", "rocker"],
                             "points_m": [[0.34, 0, 0], [0, 0, -0.12]], "axes": [[0, 1, 0], [0, 1, 0]]}}})");
    bars.add_sphere_plane(-1, 2, {0.0, 0.0, -5.0}, up, {0.0, 0.0, 0.0}, 0.01, {});
    return bars;
}

// A fork on a universal joint under a sleeve that slides and turns on a cart; it strikes a wall.
ContactMechanism slides_and_a_universal_joint() {
    ContactMechanism tree(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "a_cart": {"mass_kg": 1.5, "inertia_kg_m2": [0.01, 0.02, 0.02], "position_m": [0.1, 0, 0],
                   "velocity_m_s": [0.5, 0, 0]},
        "b_sleeve": {"mass_kg": 0.7, "inertia_kg_m2": [0.004, 0.003, 0.005], "position_m": [0.1, 0.2, 0.1],
                     "velocity_m_s": [0.5, 0.3, 0], "angular_velocity_rad_s": [0, 6, 0]},
        "c_fork": {"mass_kg": 0.4, "inertia_kg_m2": [0.003, 0.002, 0.004], "position_m": [0.1, 0.3, -0.2],
                   "velocity_m_s": [0.5, 0.3, 0]}},
        "joints": {
            "rail": {"type": "prismatic", "bodies": ["ground", "a_cart"], "points_m": [[0, 0, 0], [0, 0, 0]],
                     "axes": [[1, 0, 0], [1, 0, 0]]},
            "sleeve": {"type": "cylindrical", "bodies": ["a_cart", "b_sleeve"],
                       "points_m": [[0, 0, 0.1], [0, -0.1, 0]], "axes": [[0, 1, 0], [0, 1, 0]]},
            "fork": {"type": "universal", "bodies": ["b_sleeve", "c_fork"], "points_m": [[0, 0.1, 0], [0, 0, 0.3]],
                     "axes": [[0, 1, 0], [1, 0, 0]]}}})");
    tree.add_sphere_plane(-1, 2, {0.0, 0.45, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -0.1}, 0.1, {0.3, 0.5, 0.0});
    return tree;
}

// Two rods on a hinge at the back. The tip slides on a floor with so much friction that no force can hold it.
ContactMechanism rods_in_paradox() {
    ContactMechanism rods(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {
        "front": {"mass_kg": 1.0, "inertia_kg_m2": [0.001, 0.08, 0.08], "position_m": [0.3, 0, 0.4],
                  "orientation": {"x_axis": [0.6, 0, 0.8], "y_axis": [0, 1, 0]}},
        "back": {"mass_kg": 0.05, "inertia_kg_m2": [0.0001, 0.0004, 0.0004], "position_m": [0.7, 0, 0.8],
                 "orientation": {"x_axis": [1, 0, 0], "y_axis": [0, 1, 0]}}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["front", "back"], "points_m": [[0.5, 0, 0], [-0.1, 0, 0]],
                             "axes": [[0, 1, 0], [0, 1, 0]]}}})");
    rods.set_velocity(0, {-1.5, 0.0, 0.0}), rods.set_velocity(1, {-1.5, 0.0, 0.0});
    rods.add_sphere_plane(-1, 0, origin, up, {-0.5, 0.0, 0.0}, 0.0, {2.0, 0.0, 0.0});
    return rods;
}

const TwinCase twin_cases[] = {
    {"rods in a paradox", rods_in_paradox, 1e-3, 60},
    {"a rod on a floor", sliding_rod, 1e-3, 150},
    {"a rod that strikes at once", rod_that_strikes_at_once, 1e-3, 60},
    {"four bars before a stop", loop_before_a_stop, 1e-3, 400},
    {"a ball on a driven table", [] { return ball_on_a_driven_table(0.5); }, 1e-3, 500},
    {"a ball on a table that jumps", [] { return ball_on_a_jumping_table(0.5); }, 1e-3, 500},
    {"rods on a ball", rods_on_a_ball, 1e-3, 250},
    {"a chain within limits", chain_within_limits, 1e-3, 300},
    {"a capsule and a ball", capsule_and_ball, 1e-3, 300},
    {"a rubbing chain within limits", rubbing_chain, 1e-3, 300},
    {"a chain on bearings", chain_on_bearings, 1e-3, 300},
    {"joints on bearings", joints_on_bearings, 1e-3, 300},
    {"a rubbing loop before a stop", rubbing_loop_before_a_stop, 1e-3, 200},
    {"rods on a ball, some tangents single", rods_on_a_ball_with_single_tangents, 1e-3, 250},
    {"a fast crank and rocker", fast_crank_and_rocker, 1e-3, 100},
    {"slides and a universal joint", slides_and_a_universal_joint, 1e-3, 300},
};

template <class Member>
class JointContactTwin : public testing::Test {};
TYPED_TEST_SUITE(JointContactTwin, AllSchemes);

TYPED_TEST(JointContactTwin, HasTheSameMotionForcesAndRecord) {
    for (const TwinCase& one : twin_cases) {
        SCOPED_TRACE(one.name);
        expect_the_twins_values(TypeParam::name, one, contact_schedule(one.step_s, one.steps), twin_tolerance);
    }
}

// Also where a scheme solves its equations at another pose than that of the step's end. Round-off of the largest
// forces, which are impulses over a step.
constexpr double balance_tolerance = 1e-11;

TYPED_TEST(JointContactTwin, ShowsReactionsThatGiveBodiesTheAccelerationsItShows) {
    ContactMechanism loop = loop_before_a_stop();
    const auto first_of_three = [&](ChannelKind kind, int a, int c) {
        const int first = loop.channel(kind, a, 0, c);
        loop.channel(kind, a, 1, c), loop.channel(kind, a, 2, c);
        return first;
    };
    const auto force_in = [&](const std::string& name) {
        for (const mechanism::NamedElements& joint : loop.mechanism.joints)
            if (joint.name == name)
                return first_of_three(ChannelKind::joint_force, joint.first_element,
                                      joint.first_element + joint.element_count);
        throw std::logic_error(name);
    };
    const int pivot = force_in("a_pivot"), first = force_in("ab"), second = force_in("bc");
    const int accelerations[] = {first_of_three(ChannelKind::acceleration, 0, 0),
                                 first_of_three(ChannelKind::acceleration, 1, 0)};
    double worst = 0.0, largest = 0.0;
    ContactRun(TypeParam::name, loop, contact_schedule(1e-3, 400)).run([&](const ContactRun& run) {
        const std::pair<int, int> joints[] = {{pivot, first}, {first, second}};  // on the inner, on the outer side
        for (int b = 0; b < 2; ++b) {
            const auto [inner, outer] = joints[b];
            const Vector force = run.three(inner) - run.three(outer);
            const Vector acceleration = run.three(accelerations[b]);
            const double mass = loop.body(b, body_mass), scale = 1.0 + run.three(inner).norm();
            worst = std::max(worst, (mass * (acceleration + gravity * up) - force).norm() / scale);
            largest = std::max(largest, force.norm());
        }
    });
    EXPECT_GT(largest, 1.0);
    EXPECT_LT(worst, balance_tolerance);
    std::printf("| %-27s | largest force %.3g N, balance within %.1e |\n", TypeParam::name, largest, worst);
}

}  // namespace
}  // namespace myriad::test
