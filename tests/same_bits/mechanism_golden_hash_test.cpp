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
    {"bouncing_sphere", "nonsmooth_generalized_alpha", 2e-3, 400, 0x918147e9e40777fcu, 0xacafe171b20a55bbu},
    {"box_on_incline", "nonsmooth_generalized_alpha", 2e-3, 200, 0x664d0a70b4906662u, 0xc991457ea594ed12u},
    {"double_pendulum", "generalized_alpha", 1e-3, 100, 0x70b7e5df04c3d455u, 0x717bb8b4ee791505u},
    {"four_bar_loop", "energy_momentum_convective", 0.05, 60, 0x295e5d4c105c2a6fu, 0xa9583527243c2497u},
    {"four_link", "kinematics", 5e-3, 100, 0xa45aa35f4c3369b0u, 0x0d989b8646ed39b7u},
    {"heavy_top", "generalized_alpha", 1e-3, 100, 0xc18cd650fbf4ae36u, 0x85538333eb0ec259u},
    {"high_speed_rotor", "rk4", 2e-4, 200, 0x459711d5e3a866b9u, 0xb32226e503c40166u},
    {"pendulum", "kinematics", 0.01, 100, 0x0b883a510e936948u, 0xea72694f0a4a6129u},
    {"pendulum_wall", "nonsmooth_generalized_alpha", 2e-3, 400, 0xc8ea15b71c8b58c0u, 0x19d1c0a7150038d5u},
    {"puma560", "generalized_alpha", 1e-3, 60, 0x096caca0a9bbcdceu, 0x2b5043ce1f495582u},
    {"rolling_sphere", "nonsmooth_generalized_alpha", 2e-3, 200, 0xdd5ab266a4790a2du, 0xae6d9dc403fb4156u},
    {"scotch_yoke", "nonsmooth_bathe", 2e-5, 400, 0xf07f548136167257u, 0x5278e8ee4393140du},
    {"slider_crank", "kinematics", 5e-4, 100, 0x750f9e281f8153fdu, 0xe43e76d508611b6bu},
    {"slider_crank_haug", "implicit_euler", 1e-3, 100, 0xe18b5fcf6b8d9b19u, 0xdba371493545b0d8u},
    {"slider_crank_iftomm", "generalized_alpha", 1e-3, 100, 0xb1a341675e974774u, 0x7fceb753d62e36cau},
    {"slider_crank_slot", "nonsmooth_generalized_alpha", 1e-5, 400, 0xfefa38d18da4c6fdu, 0xaaeeb4a540b0357du},
    {"bouncing_ball", "nonsmooth_ed_alpha", 2e-3, 400, 0x7980d76883939980u, 0x5f6b419d5ba3b073u},
    {"rolling_disc", "nonsmooth_bathe", 2e-3, 200, 0x5f957b260ee38453u, 0xd5e8badbaadfeb6bu},
    {"sliding_block", "half_explicit", 2e-3, 200, 0x66c6edd3c01ce976u, 0x645b75e5ce2dbef0u},
    {"three_masses", "nonsmooth_ed_alpha", 1e-3, 100, 0xa788edb5ec0616e9u, 0xf4c8371f88b3123cu},
    {"three_masses_held", "nonsmooth_generalized_alpha", 1e-3, 100, 0x1f2d351696cd5d25u, 0xf35382a40ffad065u},
    {"double_pendulum", "generalized_alpha", 1e-3, 100, 0x088ae1c8fb85d0e3u, 0x4b315c98c0f241ffu, true},
    {"four_bar_loop", "implicit_euler", 1e-3, 100, 0x6428026b4a20fdf6u, 0x9598568391524d73u, true},
    {"four_link", "kinematics", 5e-3, 100, 0x90a6e60d0efad96du, 0x5715fa91ecbf8f40u, true},
    {"heavy_top", "generalized_alpha", 1e-3, 100, 0x6974a939f6711e4au, 0x78cdf68ad0a3aea2u, true},
    {"high_speed_rotor", "rk4", 2e-4, 200, 0x0fccd4c5f0987977u, 0xcf3f03d9bf1d78a4u, true},
    {"pendulum", "generalized_alpha", 0.01, 100, 0x068a59f415605f89u, 0xbc301857e0c14399u, true},
    {"puma560", "generalized_alpha", 1e-3, 60, 0xd03153cf45d73226u, 0x56bbe19dd5c1a16bu, true},
    {"slider_crank", "kinematics", 5e-4, 100, 0xf1a357650966a8c3u, 0x5a0b7b665a517476u, true},
    {"slider_crank_haug", "implicit_euler", 1e-3, 100, 0xa3abf114198eb3b5u, 0xe7ec5eed734240d9u, true},
    {"slider_crank_iftomm", "generalized_alpha", 1e-3, 100, 0x2bcc7108658bdbacu, 0xec46da2a2b6e4160u, true},
    {"sphere_cradle", "nonsmooth_generalized_alpha", 2e-3, 200, 0x6c2aee8651759e62u, 0x330fc4d558eef175u},
    {"bouncing_sphere", "nonsmooth_generalized_alpha", 2e-3, 400, 0x1a1c86a600fc7216u, 0x27142881eb1e233cu, true},
    {"box_on_incline", "nonsmooth_bathe", 2e-3, 200, 0x45d51f2e9802d404u, 0x5f44b7d763015ad4u, true},
    {"pendulum_wall", "moreau_midpoint", 2e-3, 400, 0x24fdfade1b39dbd9u, 0x51026c36f05246d7u, true},
    {"rolling_sphere", "half_explicit", 2e-3, 200, 0xa5d341991c35e7d5u, 0xb493fb686e2daf75u, true},
    {"scotch_yoke", "nonsmooth_bathe", 2e-5, 400, 0xd09095d2a0087837u, 0x71ae20627a257bfeu, true},
    {"slider_crank_slot", "moreau_midpoint", 1e-5, 400, 0x5a0ddd76e4164a25u, 0x23834e9e6d8af32cu, true},
    {"sphere_cradle", "nonsmooth_generalized_alpha", 2e-3, 200, 0x2adbd10cb81c4207u, 0xf5c6de4560fa5734u, true},
    {"bouncing_ball", "moreau_midpoint", 2e-3, 400, 0x3f0246a90840012fu, 0xa7e100f9e13ade70u, true},
    {"rolling_disc", "nonsmooth_bathe", 2e-3, 200, 0x4574fef86cdbe89bu, 0x3e65b46c5c203d20u, true},
    {"sliding_block", "nonsmooth_generalized_alpha", 2e-3, 200, 0xb8a8809dae8a8c57u, 0xc004c04f21577b50u, true},
    {"three_masses", "generalized_alpha", 1e-3, 100, 0x3c40a333109b0fb8u, 0x968092877084eb6cu, true},
    {"three_masses_held", "nonsmooth_bathe", 1e-3, 100, 0x51a19b88de4dfa56u, 0xb89af66e36d5db48u, true},
    {"pendulum_wall", "nonsmooth_ed_alpha", 2e-3, 400, 0x81e6750bcc7d3ee2u, 0x4ed6002817c0c60fu, true},
    {"slider_crank_slot", "nonsmooth_ed_alpha", 1e-5, 400, 0xee6dfb765f51a626u, 0x23449596c30ee976u, true},
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
