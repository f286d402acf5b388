// Studies of mechanisms with contacts: addresses, channels, which methods are taken, and starts that overlap.
#include <set>

#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study_mechanism.hpp"
#include "kernels/contact/certificate.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "tests/study/mechanism_texts.hpp"

namespace myriad::study {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A box 0.2 m above the ground, and a ball beside it.
json contact_json() { return example_mechanism("box_and_ball"); }
std::string with_method(const std::string& name, const std::string& more = "") {
    return R"({"integrator": {"name": ")" + name + R"(", "step_s": 0.01, "end_s": 1)" + more + "}}";
}
std::string contact_study(const std::string& keys, const json& mechanism = contact_json()) {
    json all = json::parse(with_method("nonsmooth_generalized_alpha"));
    all.update(json::parse(keys));
    return pendulum_study(all.dump(), mechanism);
}

TEST(ContactMechanismStudy, VariesLawsSizesAndPoints) {
    const Study study = parsed(contact_study(R"({"parameters": {
        "contacts.floor.friction": {"uniform": {"low": 0.1, "high": 0.5}},
        "contacts.bounce.radius_m": {"uniform": {"low": 0.1, "high": 0.2}},
        "contacts.bounce.point_m[2]": {"uniform": {"low": -0.01, "high": 0.01}},
        "contacts.floor.size_m": [{"uniform": {"low": 0.1, "high": 0.3}}, 0.25, 0.2]}})"));
    EXPECT_THAT(study.sampler().addresses(),
                testing::UnorderedElementsAre("contacts.floor.friction", "contacts.bounce.radius_m",
                                              "contacts.bounce.point_m[2]", "contacts.floor.size_m[0]"));
    // One law, one radius, the ball's centre, the place of eight corners and the shortest edge.
    EXPECT_THAT(study.kernel_parameters->parameters(), SizeIs(1 + 1 + 3 + 8 * 3 + 1));
}

TEST(ContactMechanismStudy, StrikesWithinAStepUnlessItAsksForThePublishedRule) {
    for (const char* coordinates : {"joint", "body"})
        for (const bool is_published : {false, true}) {
            json keys = json::parse(with_method("nonsmooth_bathe", is_published ? R"(, "strikes": "published")" : ""));
            keys["coordinates"] = coordinates;
            const Study study = parsed(contact_study(keys.dump()));
            EXPECT_EQ(study.task().system, backends::joint_mechanism_system);
            EXPECT_EQ(study.task().schedule.strikes_within_step, is_published ? 0.0 : 1.0);
            EXPECT_EQ(parsed(study.canonical_json).canonical_json, study.canonical_json);
        }
}

TEST(ContactMechanismStudy, ObservesContactsOneByOneAndTogether) {
    const Study study = parsed(contact_study(R"({
        "observe": {"every_steps": 10, "channels": ["gap", "contact_force.floor.corner_3",
                                                    "contact_velocity.bounce.tangent_1", "contact_impulse.floor"]},
        "quantities": {"impacts": {"final": "impacts"}, "wear_J": {"final": "wear_work"},
                       "press_N": {"max": "contact_force.floor.corner_8.normal"},
                       "closes_s": {"first_time_below": {"channel": "gap.bounce", "threshold": 1e-9}}}})"));
    const auto& groups = study.observation.groups;
    ASSERT_THAT(groups, SizeIs(4));
    EXPECT_THAT(groups[0].channels, SizeIs(9));
    EXPECT_EQ(groups[0].unit, "m");
    EXPECT_THAT(groups[0].components, testing::Contains("floor.corner_8"));
    EXPECT_THAT(groups[1].components, ElementsAre("normal", "tangent_1", "tangent_2"));
    EXPECT_THAT(groups[2].channels, SizeIs(1));
    EXPECT_THAT(groups[3].channels, SizeIs(8 * 3));
    EXPECT_EQ(study.quantities[2].unit, "N");
    const Channel& press = study.mechanism->table.channel[study.quantities[2].channel - 13 * 2];
    EXPECT_EQ(press.kind, ChannelKind::contact_force);
    EXPECT_EQ(study.mechanism->contact_names[static_cast<std::size_t>(press.a)], "floor.corner_8");
    EXPECT_EQ(press.b, 0);
    EXPECT_EQ(study.quantities[3].unit, "J");
}

// At alpha_AR = 1/8 and radius 1 the eigenvalues of the stages meet: 1/4 = 2 alpha_AR.
TEST(ContactMechanismStudy, TakesEdAlphaWhereItsStagesAreAComplexPair) {
    const auto method = [](const std::string& ratio) {
        return with_method("nonsmooth_ed_alpha", R"(, "ed_alpha_ratio": )" + ratio);
    };
    EXPECT_EQ(parsed(contact_study(method("0.2"))).task().schedule.ed_alpha_ratio, 0.2);
    EXPECT_EQ(parsed(contact_study(with_method("nonsmooth_ed_alpha"))).task().schedule.ed_alpha_ratio, 1.0 / 6.0);
}

TEST(ContactMechanismStudy, HasACertificateOfDifferentNames) {
    std::set<std::string> names;
    const Study study = parsed(contact_study("{}"));
    for (const CertificateEntry& entry : study.certificate())
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(names.size(), static_cast<std::size_t>(MechanismCertificate::count + contact_certificate_count));
    EXPECT_TRUE(names.contains("constraint_residual") && names.contains("penetration"));
}

TEST(ContactMechanismStudy, TakesMechanismsWithoutContactsToo) {
    const Study study = parsed(contact_study("{}", pendulum_json()));
    EXPECT_EQ(study.integrator.name, "nonsmooth_generalized_alpha");
    EXPECT_THAT(study.warnings, IsEmpty());
}

TEST(ContactMechanismStudy, HasWiderTolerancesInSinglePrecision) {
    json single = json::parse(with_method("nonsmooth_bathe"));
    single["precision"] = "fp32";
    const Schedule schedule = parsed(contact_study(single.dump())).task().schedule;
    EXPECT_EQ(schedule.prox_tolerance, 1e-5);
    EXPECT_EQ(schedule.gap_tolerance_m, 1e-6);
    EXPECT_EQ(schedule.newton_tolerance, 1e-5);
}

TEST(ContactMechanismStudy, WarnsOfVelocitiesThatJointsLeaveUncertainInSinglePrecision) {
    json jointed = contact_json();
    jointed["joints"] = json::parse(
        R"({"hinge": {"type": "spherical", "bodies": ["ground", "ball"], "points_m": [[1, 0, 0.7], [0, 0, 0.2]]}})");
    const auto warnings = [](const json& mechanism, const char* precision, const char* step_s) {
        json all = json::parse(with_method("nonsmooth_bathe"));
        all["integrator"]["step_s"] = json::parse(step_s), all["precision"] = precision;
        return parsed(contact_study(all.dump(), mechanism)).warnings;
    };
    const auto noise = testing::Contains(has("/integrator/step_s", "m/s of noise"));
    EXPECT_THAT(warnings(jointed, "fp32", "1e-4"), noise);
    EXPECT_THAT(warnings(jointed, "fp64", "1e-4"), Not(noise));
    EXPECT_THAT(warnings(contact_json(), "fp32", "1e-4"), Not(noise));
}

}  // namespace
}  // namespace myriad::study
