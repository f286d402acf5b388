// Starts at a static equilibrium against closed forms and the reference path, and instances that have none.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "kernels/system/description.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// A correction of 1e-11 is the last one, and Newton's method leaves its square.
constexpr double settled = 1e-10;

// Links of length 1 and mass 2 between two hinges in the x-z plane, which start as two straight lines.
json hanging_chain(int links, double span_m) {
    json file = {{"gravity_m_s2", {0, 0, -9.81}}, {"start", "equilibrium"}};
    const double down = std::acos(span_m / links);
    double x = 0.0, z = 0.0;
    std::string before = "ground";
    json point_before = {0, 0, 0};
    for (int k = 0; k < links; ++k) {
        const std::string name = "link" + std::to_string(k);
        const double slope = k < links / 2 ? down : -down;
        const double along_x = std::cos(slope), along_z = -std::sin(slope);
        file["bodies"][name] = {{"mass_kg", 2.0},
                                {"inertia_kg_m2", {0.01, 1.0 / 6.0, 1.0 / 6.0}},
                                {"position_m", {x + 0.5 * along_x, 0, z + 0.5 * along_z}},
                                {"orientation", {{"x_axis", {along_x, 0, along_z}}, {"y_axis", {0, 1, 0}}}}};
        file["joints"]["hinge" + std::to_string(k)] = {{"type", "revolute"},
                                                       {"bodies", {before, name}},
                                                       {"points_m", {point_before, {-0.5, 0, 0}}},
                                                       {"axes", {{0, 1, 0}, {0, 1, 0}}}};
        before = name, point_before = {0.5, 0, 0}, x += along_x, z += along_z;
    }
    file["joints"]["last"] = {{"type", "revolute"},
                              {"bodies", {before, "ground"}},
                              {"points_m", {point_before, {span_m, 0, 0}}},
                              {"axes", {{0, 1, 0}, {0, 1, 0}}}};
    file["sensors"] = {{"pull", {{"type", "reaction_force"}, {"joint", "hinge0"}}}};
    return file;
}

// The discrete catenary: with the pull H, tan of the slope of link k is ((n - 1) / 2 - k) m g / H.
double pull_of(int links, double span_m) {
    const auto span_by = [&](double pull) {
        double sum = 0.0;
        for (int k = 0; k < links; ++k) sum += std::cos(std::atan((0.5 * (links - 1) - k) * 2.0 * 9.81 / pull));
        return sum;
    };
    double least = 1e-3, most = 1e6;
    for (int i = 0; i < 200; ++i) {
        const double middle = std::sqrt(least * most);
        (span_by(middle) < span_m ? least : most) = middle;
    }
    return least;
}

TEST(Equilibrium, OfAHangingChainIsTheDiscreteCatenary) {
    for (const int links : {4, 7}) {
        const double span_m = 0.6 * links, pull = pull_of(links, span_m);
        const auto mechanism = parse_mechanism(hanging_chain(links, span_m).dump(), "chain.json");
        EXPECT_EQ(mechanism->freedoms, links - 2);
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.step_s = 1e-3, setup.steps = 100;
        for (int b = 0; b < links; ++b)
            for (const int part : {0, 2, velocity_channel + 0, velocity_channel + 2})
                setup.observed.push_back(b * body_channels + part);
        setup.observed.push_back(channel_index(*mechanism, "pull", 0));
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        for (const auto& row : {end.rows.front(), end.rows.back()}) {
            double x = 0.0, z = 0.0;
            for (int k = 0; k < links; ++k) {
                const double slope = std::atan((0.5 * (links - 1) - k) * 2.0 * 9.81 / pull);
                const auto at = static_cast<std::size_t>(4 * k);
                EXPECT_NEAR(row[at], x + 0.5 * std::cos(slope), settled) << "link " << k;
                EXPECT_NEAR(row[at + 1], z - 0.5 * std::sin(slope), settled) << "link " << k;
                EXPECT_NEAR(row[at + 2], 0.0, settled);
                EXPECT_NEAR(row[at + 3], 0.0, settled);
                x += std::cos(slope), z -= std::sin(slope);
            }
            EXPECT_NEAR(std::abs(row.back()), pull, 1e-6 * pull);
        }
        const auto by_reference = reference_rows(*mechanism, setup);
        EXPECT_LE(largest_difference({end.rows.front()}, {by_reference.front()}), 1e-8);
    }
}

json pendulum(double angle_rad) {
    return {{"gravity_m_s2", {0, -9.81, 0}},
            {"start", "equilibrium"},
            {"bodies", {{"rod", {{"mass_kg", 1}, {"inertia_kg_m2", {0.1, 0.1, 0.1}}, {"position_m", {0, -0.5, 0}}}}}},
            {"joints",
             {{"hinge",
               {{"type", "revolute"},
                {"bodies", {"ground", "rod"}},
                {"points_m", {{0, 0, 0}, {0, 0.5, 0}}},
                {"axes", {{0, 0, 1}, {0, 0, 1}}},
                {"references", {{0, -1, 0}, {0, -1, 0}}},
                {"angle_rad", angle_rad},
                {"rate_rad_s", 4.0}}}}}};
}

// From next to its upper equilibrium, too, a pendulum settles in the lower one, and it is at rest there.
TEST(Equilibrium, IsAStableOne) {
    for (const double angle_rad : {0.3, 1.6, 3.1, -2.9, std::acos(-1.0) - 1e-9}) {
        const auto mechanism = parse_mechanism(pendulum(angle_rad).dump(), "pendulum.json");
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.steps = 1;
        setup.observed = {0, 1, velocity_channel, channel_index(*mechanism, "kinetic_energy")};
        const InstanceEnd end = run_nominal(*mechanism, setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_NEAR(end.rows.front()[0], 0.0, settled);
        EXPECT_NEAR(end.rows.front()[1], -0.5, settled);
        EXPECT_EQ(end.rows.front()[2], 0.0);
        EXPECT_EQ(end.rows.front()[3], 0.0);
    }
}

// k x = m g; without a spring nothing holds the mass.
constexpr const char* sprung_mass = R"({
    "gravity_m_s2": [0, 0, -9.81], "start": "equilibrium",
    "bodies": {"mass": {"mass_kg": 2, "inertia_kg_m2": [1, 1, 1]}},
    "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "mass"], "points_m": [[0, 0, 0], [0, 0, 0]],
                         "axes": [[0, 0, -1], [0, 0, -1]]}},
    "forces": {"spring": {"type": "linear_spring_damper", "joint": "guide", "stiffness_N_m": 50}},
    "sensors": {"sunk": {"type": "displacement", "joint": "guide"}}})";

TEST(Equilibrium, ThatIsNotThereIsAStatusInEveryLaneAndHarmsNoNeighbour) {
    const auto mechanism = parse_mechanism(sprung_mass, "sprung.json");
    RunSetup setup;
    setup.coordinates = Coordinates::joint, setup.steps = 5, setup.width = Width::packs;
    setup.observed = {channel_index(*mechanism, "sunk")};
    const std::size_t lanes = lanes_of_a_pack();
    std::vector<std::vector<double>> sound;
    for (std::size_t n = 0; n < lanes; ++n)
        sound.push_back(with_numbers(*mechanism, {{"forces.spring.stiffness_N_m", 50.0 + 10.0 * double(n)}}));
    const std::vector<InstanceEnd> expected = run_instances(*mechanism, sound, setup);
    for (std::size_t n = 0; n < lanes; ++n) {
        ASSERT_EQ(expected[n].status, Status::ok) << sentence_of(expected[n].reason);
        EXPECT_NEAR(expected[n].rows.back()[0], 2.0 * 9.81 / (50.0 + 10.0 * double(n)), settled);
        setup.width = Width::alone;
        const InstanceEnd alone = run_instances(*mechanism, {sound[n]}, setup).front();
        EXPECT_TRUE(same_bits(alone.record, expected[n].record));
        setup.width = Width::packs;
    }
    for (std::size_t spoilt = 0; spoilt < lanes; ++spoilt) {
        auto instances = sound;
        instances[spoilt] = with_numbers(*mechanism, {{"forces.spring.stiffness_N_m", 0.0}});
        const std::vector<InstanceEnd> ends = run_instances(*mechanism, instances, setup);
        EXPECT_EQ(ends[spoilt].status, Status::assembly_failed);
        EXPECT_EQ(ends[spoilt].reason, Reason::no_equilibrium);
        EXPECT_EQ(ends[spoilt].worst_row, -1);
        for (std::size_t n = 0; n < lanes; ++n)
            if (n != spoilt) EXPECT_TRUE(same_bits(ends[n].record, expected[n].record)) << "instance " << n;
    }
}

}  // namespace
}  // namespace myriad::mechanism
