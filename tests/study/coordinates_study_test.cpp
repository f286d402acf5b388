// The coordinates of a study's mechanism: those that are asked for, or body coordinates with the reason.
#include "host/mechanism/mechanism.hpp"
#include "host/study/study_coordinates.hpp"
#include "host/study/study_mechanism.hpp"
#include "tests/study/mechanism_texts.hpp"

namespace myriad::study {
namespace {

using mechanism::Coordinates;
using nlohmann::json;

Study coordinates_study(json keys, const json& mechanism = pendulum_json()) {
    if (!keys.contains("coordinates")) keys["coordinates"] = nullptr;
    return parsed(pendulum_study(keys.dump(), mechanism));
}
std::string refusal_of(const json& keys, const json& mechanism) {
    return refusal([&] { coordinates_study(keys, mechanism); });
}
json method(const json& more = json::object()) {
    json integrator = {{"name", "generalized_alpha"}, {"step_s", 0.01}, {"end_s", 1}};
    integrator.update(more);
    return {{"integrator", integrator}};
}

TEST(CoordinatesOfAStudy, AreThoseOfJointsUnlessItOrItsMechanismSaysOtherwise) {
    EXPECT_EQ(coordinates_study({}).coordinates, Coordinates::joint);
    EXPECT_EQ(coordinates_study({}).task().system, "mechanism_in_joint_coordinates");
    for (const char* name : {"rk4", "generalized_alpha", "energy_momentum"}) {
        json in_six_keys = method({{"name", name}});
        in_six_keys["coordinates"] = "body";
        const Study in_six = coordinates_study(in_six_keys);
        EXPECT_EQ(in_six.coordinates, Coordinates::body);
        EXPECT_EQ(in_six.task().system, "mechanism_in_joint_coordinates") << name << " of a tree without joints";
        EXPECT_EQ(in_six.constraint_rows(), 5);
        EXPECT_EQ(in_six.mechanism->table.joint.tree.freedoms, 6);
    }
    json in_bodies = pendulum_json();
    in_bodies["coordinates"] = "body";
    EXPECT_EQ(coordinates_study({}, in_bodies).coordinates, Coordinates::body);
    EXPECT_EQ(coordinates_study({{"coordinates", "joint"}}, in_bodies).coordinates, Coordinates::joint);
    json jumping = driven_pendulum_json();
    jumping["drivers"]["motor"]["value_rad"] = "2 * max(0, t - 0.2)";
    EXPECT_EQ(coordinates_study({}, jumping).coordinates, Coordinates::joint) << "the rate of its driver jumps";
}

TEST(CoordinatesOfAStudy, AreThoseOfBodiesWhereJointCoordinatesDoNotTakeItAndItSaysWhy) {
    const auto because = [](const json& keys) {
        const Study study = coordinates_study(keys);
        EXPECT_EQ(study.coordinates, Coordinates::body);
        return study.body_coordinates_because;
    };
    EXPECT_THAT(because(method({{"name", "energy_momentum"}})), testing::HasSubstr("energy_momentum"));
    EXPECT_THAT(because({{"chart", "euler_parameters"}}), testing::HasSubstr("euler_parameters"));
    EXPECT_EQ(because({{"coordinates", "body"}}), "");
}

json pendulum_at_a_wall() {
    json at_a_wall = pendulum_json();
    at_a_wall["contacts"]["wall"] = {
        {"type", "sphere_plane"},     {"bodies", {"ground", at_a_wall["bodies"].begin().key()}},
        {"plane_point_m", {9, 0, 0}}, {"plane_normal", {-1, 0, 0}},
        {"point_m", {0, 0, 0}},       {"radius_m", 0.1}};
    return at_a_wall;
}

TEST(CoordinatesOfAStudy, AreThoseOfJointsWithContactUnlessItOrItsMechanismAsksForBodies) {
    const json moreau = {{"integrator", {{"name", "moreau_midpoint"}, {"step_s", 0.01}, {"end_s", 1}}}};
    const Study unasked = coordinates_study(moreau, pendulum_at_a_wall());
    EXPECT_EQ(unasked.coordinates, Coordinates::joint);
    EXPECT_EQ(unasked.task().system, "mechanism_in_joint_coordinates");
    EXPECT_EQ(unasked.constraint_rows(), 0);
    json asked = moreau, in_bodies = pendulum_at_a_wall();
    asked["coordinates"] = in_bodies["coordinates"] = "body";
    EXPECT_EQ(coordinates_study(asked, pendulum_at_a_wall()).coordinates, Coordinates::body);
    EXPECT_EQ(coordinates_study(moreau, in_bodies).coordinates, Coordinates::body);
    asked["coordinates"] = "joint";
    EXPECT_EQ(coordinates_study(asked, in_bodies).coordinates, Coordinates::joint);
    json loose = pendulum_at_a_wall();
    loose.erase("joints"), loose.erase("drivers"), loose.erase("sensors"), loose.erase("forces");
    EXPECT_EQ(coordinates_study(moreau, loose).coordinates, Coordinates::joint);
}

json pendulum_with_a_limit() {
    json limited = pendulum_json();
    limited["contacts"]["stop"] = {
        {"type", "joint_limits"}, {"joint", limited["joints"].begin().key()}, {"lower_rad", -2}, {"upper_rad", 1}};
    return limited;
}

TEST(CoordinatesOfAStudy, AreThoseOfJointsWhereAJointHasALimit) {
    const json moreau = {{"integrator", {{"name", "moreau_midpoint"}, {"step_s", 0.01}, {"end_s", 1}}}};
    EXPECT_EQ(coordinates_study(moreau, pendulum_with_a_limit()).task().system, "mechanism_in_joint_coordinates");
}

TEST(CoordinatesOfAStudy, RefuseMoreLimitsInSinglePrecisionThanASumOfPowersOfTwoHolds) {
    json rack = {{"gravity_m_s2", {0, 0, -9.81}}};
    for (int k = 0; k < 13; ++k) {
        const std::string number = std::to_string(k);
        rack["bodies"]["rod_" + number] = {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}};
        rack["joints"]["hinge_" + number] = {{"type", "revolute"},
                                             {"bodies", {"ground", "rod_" + number}},
                                             {"points_m", {{0, 0, 0}, {-0.5, 0, 0}}},
                                             {"axes", {{0, 1, 0}, {0, 1, 0}}}};
        rack["contacts"]["stop_" + number] = {
            {"type", "joint_limits"}, {"joint", "hinge_" + number}, {"lower_rad", -1}, {"upper_rad", 1}};
    }
    json keys = {{"integrator", {{"name", "moreau_midpoint"}, {"step_s", 0.01}, {"end_s", 1}}},
                 {"parameters", nullptr},
                 {"precision", "fp32"}};
    EXPECT_THAT(refusal([&] { coordinates_study(keys, rack); }),
                has("/precision: ", "26 contacts", "fp32 takes at most 24"));
    keys["precision"] = "fp64";
    EXPECT_EQ(coordinates_study(keys, rack).task().system, "mechanism_in_joint_coordinates");
}

// Joints of methods with contact stick for real and need no rate over which friction turns round.
TEST(CoordinatesOfAStudy, GiveMethodsWithContactDryFrictionAsASet) {
    json rubbing = pendulum_at_a_wall();
    rubbing["forces"]["bearing"] = {
        {"type", "joint_friction"}, {"joint", rubbing["joints"].begin().key()}, {"coulomb_N_m", 1}};
    const auto method_of = [](const char* name) {
        return json{{"integrator", {{"name", name}, {"step_s", 0.01}, {"end_s", 1}}}};
    };
    for (const char* name :
         {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"}) {
        const Study study = coordinates_study(method_of(name), rubbing);
        EXPECT_EQ(study.coordinates, Coordinates::joint);
        EXPECT_TRUE(study.mechanism->table.joint.friction_is_set) << name;
    }
    json smooth = rubbing;
    smooth.erase("contacts");
    json observed = method_of("moreau_midpoint");
    observed["quantities"]["lost_J"] = {{"final", "friction_loss"}};
    EXPECT_NO_THROW(coordinates_study(observed, smooth)) << "friction has its record without contacts, too";
    smooth["forces"]["bearing"]["regularisation_rad_s"] = 1e-3;
    EXPECT_FALSE(coordinates_study(method_of("generalized_alpha"), smooth).mechanism->table.joint.friction_is_set);
    json& bearing = smooth["forces"]["bearing"];
    bearing["friction"] = 0.1, bearing["radius_m"] = 0.01;
    EXPECT_TRUE(coordinates_study(method_of("half_explicit"), smooth).mechanism->table.joint.friction_is_set);
}

// A run in single precision says the precision of its solution, too, and stays what it is when it is read again.
TEST(CoordinatesOfAStudy, AreTheSameInTheStudyThatAResultKeeps) {
    for (const char* precision : {"fp64", "fp32"}) {
        const Study study = coordinates_study({{"precision", precision}});
        EXPECT_EQ(study.coordinates, Coordinates::joint);
        const Study again = parsed(study.canonical_json);
        EXPECT_EQ(again.coordinates, Coordinates::joint) << again.body_coordinates_because;
        EXPECT_EQ(again.canonical_json, study.canonical_json);
    }
}

TEST(CoordinatesOfAStudy, GiveAnExplicitMethodATreeWithoutRows) {
    const json explicit_method = method({{"name", "rk4"}});
    EXPECT_EQ(coordinates_study(explicit_method).constraint_rows(), 0);
}

TEST(CoordinatesOfAStudy, GiveAnExplicitMethodRowsToo) {
    json cut = pendulum_json();
    cut["joints"].begin().value()["cut"] = true;
    // No reaction shows a shorter last step, which therefore stays.
    const json uneven = {{"integrator", {{"name", "rk4"}, {"step_s", 0.03}, {"end_s", 1}}}};
    const Study study = coordinates_study(uneven, cut);
    EXPECT_EQ(study.constraint_rows(), 5);
    EXPECT_NEAR(study.task().schedule.last_step_s, 0.01, 1e-12);
}

TEST(CoordinatesOfAStudy, AreThoseOfJointsWhereTheseAreCoupled) {
    json coupled = pendulum_json();
    const std::string hinge = coupled["joints"].begin().key();
    coupled["bodies"]["wheel"] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}};
    coupled["joints"]["axle"] = {{"type", "revolute"},
                                 {"bodies", {"ground", "wheel"}},
                                 {"points_m", {{0, 0, 0}, {0, 0, 0}}},
                                 {"axes", {{0, 0, 1}, {0, 0, 1}}}};
    coupled["couplings"]["gear"] = {{"coordinate", "axle.angle"}, {"follows", hinge + ".angle"}, {"ratio", 3}};
    EXPECT_EQ(coordinates_study(method(), coupled).coordinates, Coordinates::joint);
    EXPECT_EQ(coordinates_study(method({{"name", "rk4"}}), coupled).constraint_rows(), 1);
    EXPECT_EQ(constraint_row_names(*coordinates_study(method(), coupled).mechanism).back(), "couplings.gear");
}

TEST(CoordinatesOfAStudy, HaveAnIterationMatrixThatBodyCoordinatesLack) {
    EXPECT_EQ(coordinates_study(method()).task().schedule.exact_matrix, 0.0);
    EXPECT_EQ(coordinates_study(method({{"iteration_matrix", "exact"}})).task().schedule.exact_matrix, 1.0);
}

// There the simplified one converges slowly.
TEST(CoordinatesOfAStudy, TakeTheExactMatrixForChainsOfSphericalJoints) {
    json chain = pendulum_json();
    chain["joints"].erase("hinge");
    chain["bodies"]["bob"] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}, {"position_m", {3, 0, 0}}};
    chain["joints"]["ball"] = {
        {"type", "spherical"}, {"bodies", {"rod", "bob"}}, {"points_m", {{1, 0, 0}, {-1, 0, 0}}}};
    EXPECT_EQ(coordinates_study({}, chain).task().schedule.exact_matrix, 1.0);
    EXPECT_EQ(coordinates_study({}).task().schedule.exact_matrix, 0.0);
    EXPECT_EQ(coordinates_study(method({{"iteration_matrix", "simplified"}}), chain).task().schedule.exact_matrix, 0.0);
}

// A weight at the end of a rod that weighs nothing.
json pendulum_of_a_weight() {
    json weight = pendulum_json();
    weight["bodies"]["rod"]["mass_kg"] = 0;
    weight["bodies"]["rod"]["inertia_kg_m2"] = {0, 0, 0};
    weight["bodies"]["bob"] = {{"mass_kg", 1}, {"inertia_kg_m2", {1, 1, 1}}, {"position_m", {3, 0, 0}}};
    weight["joints"]["weld"] = {{"type", "fixed"}, {"bodies", {"rod", "bob"}}, {"points_m", {{1, 0, 0}, {-1, 0, 0}}}};
    return weight;
}

TEST(CoordinatesOfAStudy, OfBodiesRefuseOneWithoutInertiaAndSayWhatToDo) {
    EXPECT_EQ(coordinates_study(method({{"name", "rk4"}}), pendulum_of_a_weight()).coordinates, Coordinates::joint);
    for (const char* name : {"rk4", "generalized_alpha", "energy_momentum", "moreau_midpoint"}) {
        json in_bodies = method({{"name", name}});
        in_bodies["coordinates"] = "body";
        EXPECT_THAT(refusal_of(in_bodies, pendulum_of_a_weight()),
                    testing::AllOf(testing::HasSubstr("no inertia resists freedom"),
                                   testing::HasSubstr("of bodies.rod"), testing::HasSubstr("joint coordinates")))
            << name;
    }
}

// The charts of papers/ hold what has no inertia about an axis by its rows.
TEST(CoordinatesOfAStudy, OnTheChartsOfPapersTakeBodiesWithoutInertiaAboutAnAxis) {
    json slender = pendulum_json();
    slender["bodies"]["rod"]["inertia_kg_m2"] = {1, 0, 1};
    EXPECT_EQ(coordinates_study({{"chart", "rotation_vector"}}, slender).coordinates, Coordinates::body);
    EXPECT_THAT(refusal_of({{"coordinates", "body"}}, slender), testing::HasSubstr("no inertia resists freedom"));
}

TEST(CoordinatesOfAStudy, RefuseWhereNoInertiaResistsAJoint) {
    json held = pendulum_json();
    held["bodies"]["tip"] = {{"mass_kg", 0}, {"inertia_kg_m2", {0, 0, 0}}, {"position_m", {3, 0, 0}}};
    const json z = {0, 0, 1}, points = {{1, 0, 0}, {-1, 0, 0}};
    held["joints"]["wrist"] = {
        {"type", "revolute"}, {"bodies", {"rod", "tip"}}, {"points_m", points}, {"axes", {z, z}}};
    held["joints"]["stay"] = {{"type", "DP1"}, {"bodies", {"rod", "tip"}}, {"axes", {{1, 0, 0}, {0, 1, 0}}}};
    EXPECT_THAT(refusal_of({}, held),
                testing::AllOf(testing::HasSubstr("no inertia resists freedom 0 of joints.wrist, on which tip hangs"),
                               testing::HasSubstr("give what hangs there a mass and an inertia")));
}

}  // namespace
}  // namespace myriad::study
