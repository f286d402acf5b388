// Studies of mechanism files.
#include <algorithm>
#include <cstring>

#include "host/ensemble/instances/record_parameters.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study_mechanism.hpp"
#include "kernels/system/status.hpp"
#include "tests/study/mechanism_texts.hpp"

namespace myriad::study {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

constexpr int rod_mass = first_body_parameter + body_mass, rod_inertia_zz = first_body_parameter + body_inertia + 2;

TEST(MechanismStudy, IsTheSameFromAFileAndFromItsOwnText) {
    const auto folder = table_folder();
    std::ofstream(folder / "pendulum.json") << "// a rod\n" << pendulum_json().dump(4);
    const Study from_file = parse_study(pendulum_study(R"({"mechanism": "pendulum.json"})"), "study.json", folder);
    const Study from_text = parsed(pendulum_study("{}"));
    EXPECT_EQ(from_file.canonical_json, from_text.canonical_json);
    EXPECT_EQ(from_file.fingerprint(), from_text.fingerprint());
    EXPECT_EQ(from_file.system->name, "pendulum");
    // A result file holds the canonical text and nothing else.
    const Study again = parse_study(from_file.canonical_json, "result", "/nowhere");
    EXPECT_EQ(again.canonical_json, from_file.canonical_json);
    EXPECT_EQ(again.fingerprint(), from_file.fingerprint());
    EXPECT_EQ(again.task().parameters, from_file.task().parameters);
}

std::string two_rods(const std::string& first, const std::string& second) {
    const std::string rod = R"({"inertia_kg_m2": [1, 1, 1], "mass_kg": 1})";
    return R"({"system": null, "instances": 1, "integrator": {"name": "rk4", "step_s": 0.01, "end_s": 1},
               "mechanism": {"$schema": "m.json", "parameters": {"z": 1, "a": 2},
                             "bodies": {")" +
           first + "\": " + rod + ", \"" + second + "\": " + rod + "}}}";
}
Study study_of_rods(const std::string& first, const std::string& second) {
    auto text = nlohmann::ordered_json::parse(two_rods(first, second));
    text.erase("system");
    return parsed(text.dump());
}

TEST(MechanismStudy, NumbersBodiesAndParametersInTheOrderOfTheFile) {
    const Study study = study_of_rods("upper", "lower");
    EXPECT_THAT(study.mechanism->body_names, ElementsAre("upper", "lower"));
    EXPECT_EQ(study.mechanism->numbers[0].address, "parameters.z");
    EXPECT_EQ(study.system->scalars[0].address, "position.upper.x");
    // The result holds the order, and one of its own is another study; "$schema" is none.
    const Study again = parse_study(study.canonical_json, "result", "/nowhere", {}, Purpose::repeat);
    EXPECT_EQ(again.mechanism->body_names, study.mechanism->body_names);
    EXPECT_EQ(again.fingerprint(), study.fingerprint());
    EXPECT_EQ(study.canonical_json.find("$schema"), std::string::npos);
    EXPECT_NE(study_of_rods("lower", "upper").fingerprint(), study.fingerprint());
}

TEST(MechanismStudy, OpensNoOtherFileForTheStudyOfAResult) {
    const auto folder = table_folder();
    std::ofstream(folder / "pendulum.json") << pendulum_json().dump();
    for (const std::string& path : {std::string("pendulum.json"), (folder / "pendulum.json").string(),
                                    std::string("../x/pendulum.json"), std::string("/etc/passwd")}) {
        const std::string text = pendulum_study(json{{"mechanism", path}}.dump());
        EXPECT_THAT(refusal([&] { parse_study(text, "result.h5 (study)", folder, {}, Purpose::repeat); }),
                    has("result.h5 (study)", "/mechanism: ", "stands in a result", path));
    }
    parse_study(pendulum_study(R"({"mechanism": "pendulum.json"})"), "study.json", folder);
}

TEST(MechanismStudy, SaysWhatAFileIsThatIsNoStudy) {
    EXPECT_THAT(refusal([] { parse_study(pendulum_json().dump(), "folder/pendulum.json", ""); }),
                has("this is a mechanism", "\"mechanism\": \"pendulum.json\"", "myriad list --mechanism"));
    EXPECT_THAT(refusal([] { mechanism::parse_mechanism(pendulum_study("{}"), "study.json"); }),
                has("this is a study", "myriad run"));
}

TEST(MechanismStudy, SaysHowANumberOfAMechanismFileIsSet) {
    const auto folder = table_folder();
    std::ofstream(folder / "pendulum.json") << pendulum_json().dump();
    for (const char* assignment : {"mechanism.parameters.length_m=1.5", "/mechanism/parameters/length_m=1.5"}) {
        Overrides overrides;
        overrides.assignments = {assignment};
        const std::string text = pendulum_study(R"({"mechanism": "pendulum.json"})");
        EXPECT_THAT(refusal([&] { parse_study(text, "study.json", folder, overrides); }),
                    has("pendulum.json", "write -o parameters.parameters.length_m=1.5"));
        overrides.assignments = {"parameters.parameters.length_m=1.5"};
        EXPECT_EQ(parse_study(text, "study.json", folder, overrides).parameters.front(), 1.5);
    }
}

TEST(MechanismStudy, FingerprintsWhatTheMechanismComputes) {
    const std::string fingerprint = parsed(pendulum_study("{}")).fingerprint();
    json retitled = pendulum_json(), heavier = pendulum_json();
    retitled["title"] = "Another title", retitled["source"] = "nobody";
    heavier["parameters"]["mass_kg"] = "4 * length_m";
    EXPECT_EQ(parsed(pendulum_study("{}", retitled)).fingerprint(), fingerprint);
    EXPECT_NE(parsed(pendulum_study("{}", heavier)).fingerprint(), fingerprint);
}

TEST(MechanismStudy, ReplacesAnExpressionByTheNumberOfTheStudy) {
    const Study plain = parsed(pendulum_study("{}"));
    EXPECT_EQ(plain.task().parameters[rod_mass], 6.0);
    const Study given = parsed(pendulum_study(R"({"parameters": {"bodies.rod.mass_kg": 5}})"));
    EXPECT_EQ(given.task().parameters[rod_mass], 5.0);
    EXPECT_EQ(given.task().parameters[rod_inertia_zz], 6.0 * 4.0 / 12.0);  // follows from the parameter, not the body
    EXPECT_NE(given.fingerprint(), plain.fingerprint());
    const Study above = parsed(pendulum_study(R"({"parameters": {"parameters.mass_kg": 5}})"));
    EXPECT_EQ(above.task().parameters[rod_mass], 5.0);
    EXPECT_EQ(above.task().parameters[rod_inertia_zz], 5.0 * 4.0 / 12.0);
}

// Against a mechanism that is read anew with each sample's number in its text.
TEST(MechanismStudy, MapsSamplesToTheParametersOfTheKernel) {
    const Study study = parsed(pendulum_study(R"({"coordinates": "joint", "instances": 1000, "parameters": {
        "parameters.length_m": {"uniform": {"low": 1, "high": 3}}, "gravity_m_s2[2]": {"values": [-9.81, -1.62]}}})"));
    const backends::Task task = study.task();
    ASSERT_EQ(study.varied.size(), 2u);
    ASSERT_EQ(task.plan.varied_count, static_cast<int>(study.kernel_parameters->parameters().size()));
    std::vector<double> sampled(2 * study.instances);
    study.sampler().sample(0, study.instances, sampled.data());
    const std::vector<double> fields = ensemble::record_parameters(study, study.instances, sampled);
    EXPECT_EQ(fields, ensemble::record_parameters(study, study.instances, sampled, 1));
    ASSERT_EQ(fields.size(),
              (study.kernel_parameters->parameters().size() + sampled.size() / study.instances) * study.instances);

    const auto row_of = [&](const std::string& address) {
        return static_cast<std::size_t>(std::find_if(study.varied.begin(), study.varied.end(),
                                                     [&](const auto& one) { return one.address == address; }) -
                                        study.varied.begin());
    };
    for (const std::uint64_t i : {0u, 1u, 255u, 256u, 999u}) {
        json mechanism = pendulum_json();
        mechanism["parameters"]["length_m"] = sampled[row_of("parameters.length_m") * study.instances + i];
        mechanism["gravity_m_s2"][2] = sampled[row_of("gravity_m_s2[2]") * study.instances + i];
        const auto expected = mechanism::parse_mechanism(mechanism.dump(), "anew")->nominal_kernel_parameters();
        for (std::size_t p = 0; p < expected.size(); ++p) {
            const int field = task.plan.varied[p];
            const double ours =
                field < 0 ? task.parameters[p] : fields[static_cast<std::size_t>(field) * study.instances + i];
            EXPECT_EQ(ours, expected[p]) << "parameter " << p << " of instance " << i;
        }
    }
}

TEST(MechanismStudy, KeepsWhatOnlyDependsOnANumberThatItGivesOutOfTheRecords) {
    const auto varied = [](const std::string& more) {
        const Study study = parsed(pendulum_study(
            R"({"instances": 10, "parameters": {"parameters.length_m": {"uniform": {"low": 1, "high": 2}})" + more +
            "}}"));
        const std::vector<int>& parameters = study.kernel_parameters->parameters();
        return std::count(parameters.begin(), parameters.end(), rod_mass) == 1 &&
               std::count(parameters.begin(), parameters.end(), rod_inertia_zz) == 1;
    };
    EXPECT_TRUE(varied(""));
    EXPECT_FALSE(varied(R"(, "bodies.rod.mass_kg": 5)"));
}

TEST(MechanismStudy, WarnsOnceOfAFormulaThatANumberReplaces) {
    const Study study = parsed(pendulum_study(R"({"parameters": {
        "bodies.rod.mass_kg": {"uniform": {"low": 5, "high": 7}}, "gravity_m_s2[2]": -1.62}})"));
    ASSERT_EQ(study.warnings.size(), 1u);
    EXPECT_THAT(study.warnings.front(),
                has("bodies.rod.mass_kg replaces the mechanism's formula \"mass_kg\"",
                    "bodies.rod.inertia_kg_m2[1], bodies.rod.inertia_kg_m2[2] still follow from parameters.mass_kg"));
    EXPECT_TRUE(parsed(pendulum_study(R"({"parameters": {"parameters.mass_kg": 5}})")).warnings.empty());
}

TEST(MechanismStudy, WarnsOfPosesThatContradictTheJoints) {
    const std::string half = R"("parameters": {"bodies.rod.position_m[2]": {"uniform": {"low": 0.2, "high": 0.4}}})";
    EXPECT_TRUE(parsed(pendulum_study("{}")).warnings.empty());
    const Study study = parsed(pendulum_study("{" + half + "}"));
    ASSERT_EQ(study.warnings.size(), 1u);
    EXPECT_THAT(study.warnings.front(), has("/mechanism/joints/hinge: at the middle of what the study varies",
                                            "joints.hinge is off by 0.3 m", "rod by "));
    // The study's word counts, and none of both changes what is computed.
    json strict = pendulum_json();
    strict["assembly"] = "refuse";
    const Study allowed = parsed(pendulum_study("{" + half + R"(, "assembly": "warn"})", strict));
    EXPECT_EQ(allowed.warnings.size(), 1u);
    EXPECT_EQ(allowed.fingerprint(), study.fingerprint());
}

// The file has the axes parallel, and its middle in the study too: instances alone turn the rod.
TEST(MechanismStudy, RefusesABushingWhoseZeroAnInstanceMoves) {
    const json text = json::parse(R"({
        "parameters": {"tilt": 0.0},
        "bodies": {"rod": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.2, 0.28]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0, 0, 0]],
            "axes": [[0, 0, 1], ["tilt", 0, 1]]}},
        "forces": {"mount": {"type": "bushing", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [0, 0, 0]],
            "stiffness_N_m_rad": [5, 6, 7]}}})");
    const auto tilted_to = [&](const char* low, const char* high) {
        const std::string range = std::string(R"({"low": )") + low + R"(, "high": )" + high + "}";
        return refusal([&] {
            parsed(pendulum_study(R"({"parameters": {"parameters.tilt": {"uniform": )" + range + "}}}", text));
        });
    };
    EXPECT_THAT(tilted_to("0.1", "0.3"),
                has("/mechanism/forces/mount: at the middle of what the study varies forces.mount: ",
                    "none for bodies.rod, and joints or drivers turn the bushing by 0.197 rad"));
    EXPECT_THAT(tilted_to("-0.2", "0.2"),
                has("/mechanism/forces/mount: in instance 0 forces.mount: this bushing is relaxed"));
}

TEST(MechanismStudy, TakesAddressesOnTheCommandLine) {
    Overrides overrides;
    overrides.assignments = {"parameters.bodies.rod.mass_kg=5", "parameters.gravity_m_s2[2]=-1.62",
                             "parameters.bodies.rod.velocity_m_s[1].normal.mean=3",
                             "parameters.bodies.rod.velocity_m_s[1].normal.standard_deviation=0.1"};
    const Study study = parse_study(pendulum_study("{}"), "study.json", "", overrides);
    EXPECT_EQ(study.task().parameters[rod_mass], 5.0);
    EXPECT_EQ(study.task().parameters[gravity_parameter + 2], -1.62);
    ASSERT_EQ(study.varied.size(), 1u);
    EXPECT_EQ(study.varied[0].address, "bodies.rod.velocity_m_s[1]");
    const auto folder = table_folder();
    std::ofstream(folder / "driven.json") << driven_pendulum_json();
    Overrides other;
    other.assignments = {"mechanism=driven.json", "integrator.name=kinematics"};
    EXPECT_EQ(parse_study(pendulum_study("{}"), "study.json", folder, other).mechanism->freedoms, 0);
}

TEST(MechanismDescription, CountsChannelsAsTheKernelDoes) {
    const Study study = parsed(pendulum_study("{}"));
    const SystemDescription& system = *study.system;
    const MechanismTable& table = study.mechanism->table;
    EXPECT_EQ(system.channel_count, 13 + table.channels);
    EXPECT_EQ(system.scalar_channel("position.rod.x", "here"), 0);
    EXPECT_EQ(system.scalar_channel("orientation.rod.w", "here"), 3);
    EXPECT_EQ(system.scalar_channel("angular_velocity.rod.z", "here"), 12);
    const auto kind = [&](const char* address) {
        return table.channel[system.scalar_channel(address, "here") - 13].kind;
    };
    EXPECT_EQ(kind("acceleration.rod.y"), ChannelKind::acceleration);
    EXPECT_EQ(kind("energy"), ChannelKind::total_energy);
    EXPECT_EQ(kind("tip.z"), ChannelKind::point_position);
    EXPECT_EQ(kind("multiplier.hinge.4"), ChannelKind::multiplier);
    for (std::size_t k = 0; k < system.scalars.size(); ++k)
        EXPECT_EQ(system.scalar_channel(system.scalars[k].address, "here"), static_cast<int>(k));
}

TEST(MechanismDescription, GivesGroupsTheirAxes) {
    const Study study = parsed(pendulum_study("{}", driven_pendulum_json()));
    const ChannelGroup acceleration = study.system->channel_group("acceleration", "here");
    EXPECT_THAT(acceleration.bodies, ElementsAre("rod"));
    EXPECT_THAT(acceleration.components, ElementsAre("x", "y", "z"));
    EXPECT_EQ(acceleration.unit, "m/s^2");
    const ChannelGroup of_hinge = study.system->channel_group("multiplier.hinge", "here");
    EXPECT_TRUE(of_hinge.bodies.empty());
    EXPECT_THAT(of_hinge.components, ElementsAre("0", "1", "2", "3", "4"));
    const ChannelGroup all = study.system->channel_group("multiplier", "here");
    EXPECT_TRUE(all.bodies.empty());
    EXPECT_THAT(all.components, ElementsAre("hinge.0", "hinge.1", "hinge.2", "hinge.3", "hinge.4", "motor.0"));
    EXPECT_TRUE(study.system->channel_group("multiplier.motor.0", "here").components.empty());
}

TEST(MechanismStudy, NamesTheRowsOfItsJointsThoseThatAreRedundantIncluded) {
    json driven_twice = driven_pendulum_json();
    driven_twice["drivers"]["second"] = driven_twice["drivers"]["motor"];
    driven_twice["forces"]["spring"] = {
        {"type", "torsional_spring_damper"}, {"joint", "hinge"}, {"stiffness_N_m_rad", 3}};
    const Study study =
        parsed(pendulum_study(R"({"integrator": {"name": "kinematics", "step_s": 0.01, "end_s": 1}})", driven_twice));
    const std::vector<std::string> names = constraint_row_names(*study.mechanism);
    EXPECT_THAT(names,
                ElementsAre("joints.hinge, row 0", "joints.hinge, row 1", "joints.hinge, row 2", "joints.hinge, row 3",
                            "joints.hinge, row 4", "drivers.motor, row 0", "drivers.second, row 0 (redundant)"));
}

TEST(Reasons, SayWhatToTry) {
    for (int reason = 1; reason < reason_count; ++reason) {
        const std::string sentence = sentence_of(static_cast<Reason>(reason));
        EXPECT_NE(sentence.find(';'), std::string::npos) << sentence;
        for (int other = 0; other < reason; ++other) EXPECT_NE(sentence, sentence_of(static_cast<Reason>(other)));
    }
}

}  // namespace
}  // namespace myriad::study
