#include "host/catalog/system_description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ensembles/catalog.hpp"
#include "kernels/math/norm.hpp"

namespace myriad::study {
namespace {

using ::testing::ElementsAre;

TEST(SystemDescription, NamesEveryChannelOfTheKernelOnce) {
    for (const SystemDescription& system : systems()) {
        EXPECT_EQ(static_cast<int>(system.scalars.size()), system.channel_count) << system.name;
        std::set<std::string> distinct;
        for (std::size_t k = 0; k < system.scalars.size(); ++k) {
            const std::string& address = system.scalars[k].address;
            EXPECT_TRUE(distinct.insert(address).second) << address;
            EXPECT_EQ(system.scalar_channel(address, "here"), static_cast<int>(k)) << address;
        }
    }
}

// Against the kernel itself: each address is asked for its value in a state whose channels are known by formula.
TEST(SystemDescription, AddressesTheChannelsThatTheKernelComputes) {
    using Top = HeavyTop<double, RotationGroup>;
    Vec<Top::parameter_count, double> p;
    for (int i = 0; i < Top::parameter_count; ++i) p[i] = Top::parameters[i].value;
    p[11] = 0.3, p[12] = -0.2, p[13] = 0.5;
    const Top top = Top::prepare(p).system;
    Top::Configuration q;
    Top::Velocity v;
    Top::start(p, q, v);
    const SystemDescription& system = find_system("heavy_top", "here");
    const auto value = [&](const char* address) { return top.channel(system.scalar_channel(address, "here"), q, v); };

    EXPECT_EQ(value("orientation.top.w"), q.w);
    EXPECT_EQ(value("orientation.top.z"), q.z);
    EXPECT_EQ(value("angular_velocity.top.y"), 150.0);
    const Vec<3, double> arm = q.act(Vec<3, double>{0.0, 1.0, 0.0});
    EXPECT_EQ(value("position.top.x"), arm[0]);
    EXPECT_EQ(value("position.top.z"), arm[2]);
    EXPECT_EQ(value("energy"), top.invariants(q, v)[0]);
    // The round-off of two ways to the same number of size 70.
    EXPECT_NEAR(value("angular_momentum.z"), top.invariants(q, v)[1], 1e-12);
    EXPECT_NEAR(std::cos(value("tilt")), arm[2], 1e-15 * 8);
}

TEST(SystemDescription, ExpandsGroups) {
    const SystemDescription& system = find_system("heavy_top", "here");
    const ChannelGroup position = system.channel_group("position", "here");
    EXPECT_THAT(position.channels, ElementsAre(0, 1, 2));
    EXPECT_THAT(position.bodies, ElementsAre("top"));
    EXPECT_THAT(position.components, ElementsAre("x", "y", "z"));
    EXPECT_EQ(position.unit, "m");
    EXPECT_EQ(position.frame, "world");
    const ChannelGroup of_top = system.channel_group("orientation.top", "here");
    EXPECT_THAT(of_top.channels, ElementsAre(3, 4, 5, 6));
    EXPECT_TRUE(of_top.bodies.empty());
    EXPECT_THAT(of_top.components, ElementsAre("w", "x", "y", "z"));
    const ChannelGroup one = system.channel_group("angular_momentum.z", "here");
    EXPECT_THAT(one.channels, ElementsAre(16));
    EXPECT_TRUE(one.bodies.empty());
    EXPECT_TRUE(one.components.empty());
}

TEST(SystemDescription, NamesTheNormOfEveryVector) {
    const SystemDescription& system = find_system("heavy_top", "here");
    EXPECT_THAT(system.norm_addresses(), ElementsAre("position.top.norm", "velocity.top.norm",
                                                     "angular_velocity.top.norm", "angular_momentum.norm"));
    const ChannelGroup group = system.channel_group("velocity.top.norm", "here");
    ASSERT_EQ(group.channels.size(), 1u);
    EXPECT_EQ(first_of_norm(group.channels[0]), system.scalar_channel("velocity.top.x", "here"));
    EXPECT_EQ(norm_components(group.channels[0]), 3);
    EXPECT_EQ(group.unit, "m/s");
    EXPECT_TRUE(group.bodies.empty() && group.components.empty());
    EXPECT_EQ(system.channel_of(group.channels[0]).name, "velocity");
    // Norms of a force of a contact, along perpendicular directions, and of no others.
    for (const SystemDescription& one : systems())
        for (const std::string& norm : one.norm_addresses()) {
            const int channel = one.scalar_channel(norm, "here");
            EXPECT_TRUE(is_norm(channel)) << norm;
            EXPECT_EQ(one.scalars[static_cast<std::size_t>(first_of_norm(channel))].address.find(
                          norm.substr(0, norm.size() - 5)),
                      0u);
        }
}

TEST(Catalog, IsListed) {
    EXPECT_EQ(find_integrator("rk4", "here").adaptive, false);
    EXPECT_EQ(find_integrator("dopri5", "here").adaptive, true);
    EXPECT_EQ(find_chart("cardan_xyz", "here").name, "cardan_xyz");
}

TEST(SystemDescription, FindsTheElementsOfVectors) {
    const SystemDescription& system = find_system("free_rigid_body", "here");
    EXPECT_EQ(system.vector_parameter("gravity_m_s2").size(), 3u);
    EXPECT_EQ(system.find_parameter("gravity_m_s2[1]"), system.vector_parameter("gravity_m_s2")[1]);
    EXPECT_TRUE(system.vector_parameter("mass_kg").empty());
    EXPECT_FALSE(system.find_parameter("gravity_m_s2").has_value());
}

}  // namespace
}  // namespace myriad::study
