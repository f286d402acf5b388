// One number for all bits of a fixed set of runs of each bundled mechanism, in both coordinates: it changes when any
// operation changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <set>

#include "host/mechanism/mechanism.hpp"
#include "kernels/system/status.hpp"
#include "tests/generic_tasks.hpp"
#include "tests/same_bits/instances_past_a_tile.hpp"
#include "tests/source_dir.hpp"

namespace myriad::backends {
namespace {

// The method of the mechanism's bundled study, and a run in which something happens.
struct MechanismGolden {
    const char *mechanism, *integrator;
    double step_s;
    int steps;
    std::uint64_t fp64, fp32;
    bool in_joint_coordinates = false;
    std::string name() const {
        return std::string(mechanism) + "_" + integrator + (in_joint_coordinates ? "_joint" : "");
    }
    friend void PrintTo(const MechanismGolden& line, std::ostream* out) { *out << line.name(); }
};

// The bits of clang 14 at -O3 in every width. A change here is a change of results: look at the twins and orders again
// before writing new values.
constexpr MechanismGolden mechanism_golden[] = {
    {"bouncing_sphere", "nonsmooth_generalized_alpha", 2e-3, 400, 0xc621df206a3cb0b5u, 0xba691d791498f429u},
    {"box_on_incline", "nonsmooth_generalized_alpha", 2e-3, 200, 0x97f6b398ef8a4790u, 0xad807890497031aeu},
    {"double_pendulum", "generalized_alpha", 1e-3, 100, 0x95aefdd7d9c0a716u, 0xc744157fefd4c190u},
    {"four_bar_loop", "energy_momentum_convective", 0.05, 60, 0xd085b21604918eb2u, 0x950e267db8c855bfu},
    {"four_link", "kinematics", 5e-3, 100, 0x857ecf860ae76875u, 0x844d1f697608bb28u},
    {"heavy_top", "generalized_alpha", 1e-3, 100, 0xe1d7c52384f8ee09u, 0xced1d72340034e2eu},
    {"high_speed_rotor", "rk4", 2e-4, 200, 0x60f518b671914171u, 0x93741a7082df93fdu},
    {"pendulum", "kinematics", 0.01, 100, 0xc431ca02a7303ba2u, 0x79ee41cb190ac5d7u},
    {"pendulum_wall", "nonsmooth_generalized_alpha", 2e-3, 400, 0x194f038605c943f1u, 0x65b4351f57b281b8u},
    {"puma560", "generalized_alpha", 1e-3, 60, 0x7abf09ae96f24fcau, 0x83344f72aff226aeu},
    {"rolling_sphere", "nonsmooth_generalized_alpha", 2e-3, 200, 0x6f5609186efe804fu, 0xf0920d39aa72e229u},
    {"scotch_yoke", "nonsmooth_bathe", 2e-5, 400, 0x2000457c07075acfu, 0x9479f8c8709f8c55u},
    {"slider_crank_haug", "implicit_euler", 1e-3, 100, 0x7c5e169e0b5cabb5u, 0x42bf65c7d0b8a416u},
    {"slider_crank_iftomm", "generalized_alpha", 1e-3, 100, 0xfc700191e7631295u, 0xe7dd5d031c3871fdu},
    {"slider_crank_slot", "nonsmooth_generalized_alpha", 1e-5, 400, 0x3fcee1f2b3f484f8u, 0x1edd06f526950906u},
    {"bouncing_ball", "nonsmooth_ed_alpha", 2e-3, 400, 0x1160240ec3ff35e8u, 0x3a459b7d72839ec3u},
    {"rolling_disc", "nonsmooth_bathe", 2e-3, 200, 0x9db2dc14380d0a55u, 0x7c2a9cbdb9b4d28fu},
    {"sliding_block", "half_explicit", 2e-3, 200, 0x1b559f69ff13c577u, 0xfad83e7c7fcbbdd3u},
    {"three_masses", "nonsmooth_ed_alpha", 1e-3, 100, 0x180f27e2c5ef13a3u, 0x77f36eb2b17ca1e0u},
    {"three_masses_held", "nonsmooth_generalized_alpha", 1e-3, 100, 0x72323fc993c3d556u, 0x90b79ed8e9955120u},
    {"double_pendulum", "generalized_alpha", 1e-3, 100, 0x62837d1d761646c6u, 0x36132897f0521055u, true},
    {"four_bar_loop", "implicit_euler", 1e-3, 100, 0x4a5a4fb81860844fu, 0x1dd9d62529f089bau, true},
    {"four_link", "kinematics", 5e-3, 100, 0x64ef8b07f9e49676u, 0xab8bc68bae122b64u, true},
    {"heavy_top", "generalized_alpha", 1e-3, 100, 0x32d3be59db16dfbcu, 0x55b9e6de432b71d9u, true},
    {"high_speed_rotor", "rk4", 2e-4, 200, 0xe27a931a9cfefb80u, 0x34376d4aef7c6a6bu, true},
    {"pendulum", "generalized_alpha", 0.01, 100, 0x08f2c2f624a4e126u, 0xf9d63e1930001594u, true},
    {"puma560", "generalized_alpha", 1e-3, 60, 0x1b2c1700c55bc59fu, 0x80997d5c69202085u, true},
    {"slider_crank_haug", "implicit_euler", 1e-3, 100, 0x2703fd5573e82b37u, 0xfd7ce49b04775ff4u, true},
    {"slider_crank_iftomm", "generalized_alpha", 1e-3, 100, 0x5bc820bab80f456bu, 0x4a4396dbeddd1846u, true},
    {"sphere_cradle", "nonsmooth_generalized_alpha", 2e-3, 200, 0x47a3e025c3942adau, 0x93f84e8d37fc106au},
    {"bouncing_sphere", "nonsmooth_generalized_alpha", 2e-3, 400, 0xd4ed10e50ce1e50au, 0xce74f0a006952296u, true},
    {"box_on_incline", "nonsmooth_bathe", 2e-3, 200, 0x78f7158ba4d51a6eu, 0x906493bc19895f3cu, true},
    {"pendulum_wall", "moreau_midpoint", 2e-3, 400, 0x0c36ca0552812110u, 0xbd1a1abed584b3d7u, true},
    {"rolling_sphere", "half_explicit", 2e-3, 200, 0xe02ba2e8e3263024u, 0xb48b3f5d03f206a3u, true},
    {"scotch_yoke", "nonsmooth_bathe", 2e-5, 400, 0x6cba5685fd76f9b2u, 0x1170aa46f4183803u, true},
    {"slider_crank_slot", "moreau_midpoint", 1e-5, 400, 0x60b9dc601689530cu, 0x534738bb9b954c47u, true},
    {"sphere_cradle", "nonsmooth_generalized_alpha", 2e-3, 200, 0x88884d4accfba14eu, 0x48fd216785597641u, true},
    {"bouncing_ball", "moreau_midpoint", 2e-3, 400, 0xfb4f50aba3a67804u, 0xb0a93026d0bb5cc7u, true},
    {"rolling_disc", "nonsmooth_bathe", 2e-3, 200, 0x8fca5158c228701cu, 0x609163821ba5b0e6u, true},
    {"sliding_block", "nonsmooth_generalized_alpha", 2e-3, 200, 0x90ce73557f39b469u, 0xd50cb1c255c626cfu, true},
    {"three_masses", "generalized_alpha", 1e-3, 100, 0x7f9e4ae4f46011d4u, 0xb528403d913ed369u, true},
    {"three_masses_held", "nonsmooth_bathe", 1e-3, 100, 0xcdfbed81b5d95899u, 0xc984474afbf45466u, true},
    {"pendulum_wall", "nonsmooth_ed_alpha", 2e-3, 400, 0x32d3b63c3f79fb95u, 0xd38c4dddd84cf342u, true},
    {"slider_crank_slot", "nonsmooth_ed_alpha", 1e-5, 400, 0x9875810e92b5ea52u, 0x16b6d5193a152833u, true},
};

// Gravity varies, in body coordinates the masses, too; every channel is observed, every reduction is taken of one of
// the first.
Task task_of(const mechanism::Mechanism& mechanism, const MechanismGolden& line, Precision precision) {
    const bool fp64 = precision == Precision::fp64;
    Task task;
    task.system = line.in_joint_coordinates ? joint_mechanism_system : mechanism_system, task.chart = "rotation",
    task.integrator = line.integrator;
    task.precision = precision, task.parameters = mechanism.nominal_kernel_parameters();
    PlanTable& plan = task.plan;
    plan.mechanism = &mechanism.table;
    std::fill(std::begin(plan.varied), std::end(plan.varied), -1);
    for (int i = 0; i < 3; ++i) plan.varied[gravity_parameter + i] = plan.varied_count++;
    for (int b = 0; b < mechanism.table.bodies && !line.in_joint_coordinates; ++b)
        plan.varied[first_body_parameter + b * body_parameters + body_mass] = plan.varied_count++;
    plan.quantity_count = reduction_count;
    for (int i = 0; i < reduction_count; ++i)
        plan.reductions[i] = static_cast<Reduction>(i), plan.quantity_channels[i] = i;
    task.thresholds.assign(reduction_count, 0.1);
    plan.observed_count = mechanism.table.bodies * body_channels + mechanism.table.channels;
    for (int i = 0; i < plan.observed_count; ++i) plan.observed_channels[i] = i;
    Schedule& schedule = task.schedule;
    schedule.step_s = line.step_s, schedule.full_steps = schedule.total_steps = schedule.most_attempts = line.steps;
    schedule.end_s = line.steps * line.step_s;
    const int rows = line.steps / observed_every_steps + 1;
    schedule.observe_steps = observed_every_steps, schedule.rows = rows;
    schedule.spectral_radius = 0.7, schedule.tangent_operator = 1.0;
    schedule.newton_tolerance = fp64 ? 1e-10 : 1e-4, schedule.most_newton_iterations = 20;
    schedule.prox_tolerance = fp64 ? 1e-12 : 1e-5, schedule.most_prox_iterations = 200;
    schedule.gap_tolerance_m = fp64 ? 1e-9 : 1e-6, schedule.impact_threshold_N_s = 0.01;
    schedule.ed_alpha_ratio = 1.0 / 6.0;
    return task;
}

std::uint64_t hash_of(const MechanismGolden& line, Precision precision) {
    const auto mechanism =
        mechanism::read_mechanism((source_dir() / "ensembles/mechanisms" / line.mechanism).string() + ".json");
    const Task task = task_of(*mechanism, line, precision);
    Instances instances(instances_past_a_tile);
    for (std::uint64_t i = 0; i < instances_past_a_tile; ++i)
        for (std::size_t parameter = 0; parameter < task.parameters.size(); ++parameter)
            if (task.plan.varied[parameter] >= 0)
                instances[i].push_back(task.parameters[parameter] * (1.0 + 0.1 * uniform(i, instances[i].size())));
    const Chunk chunk = run_on_cpu(task, {}, instances);
    if (precision == Precision::fp64)
        EXPECT_EQ(count_of(chunk, static_cast<int>(Status::ok)), instances_past_a_tile)
            << "runs that end early show less";
    return fnv_hash(bits_of(chunk));
}

class MechanismGoldenHash : public testing::TestWithParam<MechanismGolden> {};

TEST_P(MechanismGoldenHash, IsTheOneThatIsWrittenDown) {
    const std::uint64_t fp64 = hash_of(GetParam(), Precision::fp64), fp32 = hash_of(GetParam(), Precision::fp32);
    char now[80];
    std::snprintf(now, sizeof now, "0x%016" PRIx64 "u, 0x%016" PRIx64 "u", fp64, fp32);
    EXPECT_EQ(fp64, GetParam().fp64) << "fp64; the line ends now in " << now;
    EXPECT_EQ(fp32, GetParam().fp32) << "fp32; the line ends now in " << now;
}

INSTANTIATE_TEST_SUITE_P(Bundled, MechanismGoldenHash, testing::ValuesIn(mechanism_golden),
                         [](const auto& given) { return given.param.name(); });

TEST(MechanismGoldenHashes, AreOfEveryBundledMechanism) {
    std::set<std::string> bundled, listed;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() / "ensembles/mechanisms"))
        bundled.insert(file.path().stem().string());
    for (const MechanismGolden& line : mechanism_golden) listed.insert(line.mechanism);
    EXPECT_EQ(bundled, listed);
}
TEST(MechanismGoldenHashes, AreOfEveryMechanismThatJointCoordinatesTake) {
    for (const auto& file : std::filesystem::directory_iterator(source_dir() / "ensembles/mechanisms")) {
        const bool is_taken = mechanism::read_mechanism(file.path())->table.joint.tree.links > 0;
        const bool is_listed = std::any_of(
            std::begin(mechanism_golden), std::end(mechanism_golden),
            [&](const auto& line) { return line.in_joint_coordinates && line.mechanism == file.path().stem(); });
        EXPECT_EQ(is_taken, is_listed) << file.path();
    }
}

}  // namespace
}  // namespace myriad::backends
