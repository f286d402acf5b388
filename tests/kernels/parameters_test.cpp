// Named parameters: a field is read from the value whose address the list gives it.
#include "kernels/system/parameters.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "kernels/systems/heavy_top.hpp"
#include "kernels/systems/slider_crank_flexible_sizes.hpp"

namespace myriad {
namespace {

// Where the list of a system's parameters has this address.
template <class System>
double place(std::string_view address) {
    for (int i = 0; i < System::parameter_count; ++i)
        if (address == System::parameters[i].address) return i;
    ADD_FAILURE() << System::name << " has no parameter " << address;
    return -1.0;
}

// Each field holds the place of its value.
template <class System>
typename System::NamedParameters places() {
    Vec<System::parameter_count, double> values;
    for (int i = 0; i < System::parameter_count; ++i) values[i] = i;
    return named<typename System::NamedParameters>(values);
}

TEST(Parameters, OfATopAreReadByName) {
    using Top = HeavyTop<double, RotationGroup>;
    const auto p = places<Top>();
    EXPECT_EQ(p.mass, place<Top>("mass_kg"));
    EXPECT_EQ(p.centre[2], place<Top>("centre_of_mass_m[2]"));
    EXPECT_EQ(p.inertia.xz, place<Top>("inertia_kg_m2.xz"));
    EXPECT_EQ(p.gravity, place<Top>("gravity_m_s2"));
    EXPECT_EQ(p.initial_angular_velocity[1], place<Top>("initial_angular_velocity_rad_s[1]"));
}

TEST(Parameters, OfAFlexibleCrankAreReadByPart) {
    using Crank = SliderCrankFlexible2Modes<double, RotationGroup>;
    const auto p = places<Crank>();
    EXPECT_EQ(p.bodies.masses[1], place<Crank>("rod.mass_kg"));
    EXPECT_EQ(p.rod.damping_time, place<Crank>("rod.damping_time_s"));
    EXPECT_EQ(p.motion.law.tangential_restitution, place<Crank>("tangential_restitution"));
    EXPECT_EQ(p.initial_deformation[3], place<Crank>("initial_deformation[3]"));
    EXPECT_EQ(p.initial_deformation_rate[0], place<Crank>("initial_deformation_rate_1_s[0]"));
}

}  // namespace
}  // namespace myriad
