// Every system and integrator of the catalog has an Eigen twin of the same name, and every member its kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/backends/interface/kernel_table.hpp"
#include "host/catalog/catalog_table.hpp"
#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/orientation_chart.hpp"
#include "host/reference/run_reference.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad {
namespace {

using study::CatalogMember;

TEST(Catalog, HasATwinOfEverySystemChartAndIntegrator) {
    for (const CatalogMember& member : study::catalog_table().members) {
        const study::IntegratorDescription& integrator = member.integrator;
        const bool is_on_a_chart_of_newton = integrator.implicit && !integrator.contact;
        EXPECT_THAT(is_on_a_chart_of_newton ? reference::orientation_chart_names() : reference::formulation_names(),
                    testing::Contains(member.chart));
        if (!member.is_of_mechanisms) EXPECT_THAT(reference::reference_systems(), testing::Contains(member.system));
        if (integrator.kinematic) continue;  // a branch of the reference path of mechanisms, without a list
        EXPECT_THAT(member.is_of_mechanisms && integrator.contact ? reference::contact_methods()
                                                                  : reference::reference_integrators(),
                    testing::Contains(integrator.name));
    }
}

TEST(Catalog, IsCompiledWholeAndNamesNothingTwice) {
    std::vector<std::string> described, compiled, offered;
    for (const CatalogMember& member : study::catalog_table().members)
        described.push_back(member.system + " " + member.chart + " " + member.integrator.name);
    const backends::KernelList kernels = backends::scalar_kernels();
    for (int i = 0; i < kernels.count; ++i)
        compiled.push_back(backends::Member{kernels.entries[i].system, kernels.entries[i].chart,
                                            kernels.entries[i].integrator, kernels.entries[i].adaptive}
                               .name());
    EXPECT_THAT(compiled, testing::UnorderedElementsAreArray(described));
    std::sort(described.begin(), described.end());
    EXPECT_EQ(std::adjacent_find(described.begin(), described.end()), described.end());

    std::erase_if(described, [](const std::string& name) { return name.starts_with("mechanism "); });
    for (const backends::Member& member : backends::catalog_members()) offered.push_back(member.name());
    EXPECT_THAT(offered, testing::UnorderedElementsAreArray(described));
}

// NVRTC reads these names, so that a type needs no second name of its own.
TEST(Catalog, SpellsTypesAsTheProjectDoes) {
    const auto types = [](const char* system, const char* chart, const char* integrator) {
        const CatalogMember* member = study::find_member(system, chart, integrator);
        return member == nullptr ? std::vector<std::string>{}
                                 : std::vector{member->system_type, member->fp32_system_type, member->integrator_type};
    };
    EXPECT_THAT(types("heavy_top", "euler_zxz", "implicit_euler"),
                testing::ElementsAre("HeavyTop<double, EulerZxzChart>", "HeavyTop<float, EulerZxzChart>",
                                     "Implicit<ImplicitEuler>"));
    EXPECT_THAT(types("mechanism", "rotation", "dopri5"),
                testing::ElementsAre("Mechanism<double, TableTopology, RotationGroup>",
                                     "Mechanism<float, TableTopology, RotationGroup>", "AdaptiveRungeKutta<Dopri5>"));
    EXPECT_THAT(types("slider_crank_flexible_2_modes", "rotation", "nonsmooth_bathe"),
                testing::ElementsAre("SliderCrankFlexible<double, RotationGroup, FlexibleModes2>",
                                     "SliderCrankFlexible<float, RotationGroup, FlexibleModes2>",
                                     "Timestepping<NonsmoothBathe>"));
    EXPECT_EQ(study::find_member("heavy_top", "cardan_xyz_body_rate", "implicit_euler"), nullptr);
}

TEST(Catalog, IsCompiledInSinglePrecisionWhereItIsSaidToBe) {
    const backends::KernelList kernels = backends::scalar_kernels();
    for (const backends::KernelEntry* entry = kernels.entries; entry != kernels.entries + kernels.count; ++entry) {
        study::SystemDescription system;
        system.is_mechanism = entry->system == std::string(backends::mechanism_system);
        if (!system.is_mechanism) system = study::find_system(entry->system, "test");
        const bool is_said = takes_fp32(system, study::find_chart(entry->chart, "test"),
                                        study::find_integrator(entry->integrator, "test"));
        EXPECT_EQ(entry->fp32.are_compiled(), is_said)
            << entry->system << " " << entry->chart << " " << entry->integrator;
        EXPECT_TRUE(entry->fp64.are_compiled());
    }
}

}  // namespace
}  // namespace myriad
