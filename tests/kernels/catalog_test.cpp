// Every system and integrator of the catalog has an Eigen twin of the same name, and every member its kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host/backends/interface/find_kernel.hpp"
#include "host/catalog/papers_part.hpp"
#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/orientation_chart.hpp"
#include "host/reference/run_reference.hpp"
#include "host/text/user_error.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad {
namespace {

using study::CatalogMember;

TEST(Catalog, HasATwinOfEverySystemChartAndIntegrator) {
    for (const CatalogMember& member : study::catalog_table().members) {
        const study::IntegratorDescription& integrator = member.integrator;
        const bool is_on_a_chart_of_newton = integrator.implicit && !integrator.contact;
        EXPECT_THAT(is_on_a_chart_of_newton ? reference::orientation_chart_names() : reference::formulation_names(),
                    testing::Contains(member.chart == "rotation_vector" ? "rotation" : member.chart));
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
    const backends::KernelList kernels = backends::start_kernels();
    for (int i = 0; i < kernels.count; ++i)
        compiled.push_back(backends::Member{kernels.entries[i].system, kernels.entries[i].chart,
                                            kernels.entries[i].integrator, kernels.entries[i].adaptive}
                               .name());
    EXPECT_THAT(compiled, testing::UnorderedElementsAreArray(described));
    std::sort(described.begin(), described.end());
    EXPECT_EQ(std::adjacent_find(described.begin(), described.end()), described.end());

    std::erase_if(described, [](const std::string& name) { return name.starts_with("mechanism"); });
    for (const backends::Member& member : backends::catalog_members()) offered.push_back(member.name());
    EXPECT_THAT(offered, testing::UnorderedElementsAreArray(described));
}

// So that a build without papers/ can say what would have them.
TEST(Catalog, KnowsTheNamesOfWhatPapersAdd) {
    std::set<std::string> names, known(study::papers_members().begin(), study::papers_members().end());
    for (const CatalogMember& member : study::papers_part().members) {
        const bool is_on_own_chart = member.chart != RotationGroup<double>::name;
        const std::string& name = is_on_own_chart ? member.chart : member.integrator.name;
        if (name != "euler_parameters") names.insert(name);  // a chart of the product, too
        EXPECT_EQ(study::find_member(member.system, member.chart, member.integrator.name)->header,
                  "papers/catalog.hpp");
    }
    EXPECT_EQ(names, known);
    for (const std::string& name : names) EXPECT_TRUE(study::is_built(name));
}

TEST(Catalog, ListsChartsAndMethodsOfPapersAmongThoseThatTheyAreComparedWith) {
    const auto names_of = [](const auto& descriptions) {
        std::vector<std::string> names;
        for (const auto& description : descriptions) names.push_back(description.name);
        return names;
    };
    EXPECT_THAT(names_of(study::all_charts()),
                testing::ElementsAre("rotation", "euler_parameters", "cardan_xyz", "cardan_xyz_body_rate", "euler_zxz",
                                     "rotation_vector"));
    EXPECT_THAT(
        names_of(study::integrators_of(study::find_system("heavy_top", "test"))),
        testing::ElementsAre("rk4", "rk67", "ode23", "dopri5", "generalized_alpha", "implicit_euler", "energy_momentum",
                             "energy_momentum_full", "energy_momentum_null_space", "energy_momentum_hamiltonian",
                             "livens_midpoint", "hamiltonian_midpoint", "energy_momentum_convective"));
    std::vector<std::string> on_charts;
    for (const CatalogMember& member : study::catalog_table().members)
        if (member.is_of_mechanisms && member.chart != "rotation")
            on_charts.push_back(member.chart + " " + member.integrator.name);
    EXPECT_THAT(on_charts, testing::ElementsAre("rotation_vector generalized_alpha", "rotation_vector implicit_euler",
                                                "rotation_vector kinematics", "euler_parameters generalized_alpha",
                                                "euler_parameters implicit_euler", "euler_parameters kinematics",
                                                "euler_zxz generalized_alpha", "euler_zxz implicit_euler",
                                                "euler_zxz kinematics", "cardan_xyz generalized_alpha",
                                                "cardan_xyz implicit_euler", "cardan_xyz kinematics"));
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
    EXPECT_THAT(
        types("mechanism_in_joint_coordinates", "rotation", "dopri5"),
        testing::ElementsAre("JointMechanism<double, JointTopology, RotationGroup>",
                             "JointMechanism<float, JointTopology, RotationGroup>", "AdaptiveRungeKutta<Dopri5>"));
    EXPECT_THAT(types("slider_crank_flexible_2_modes", "rotation", "nonsmooth_bathe"),
                testing::ElementsAre("SliderCrankFlexible<double, RotationGroup, FlexibleModes2>",
                                     "SliderCrankFlexible<float, RotationGroup, FlexibleModes2>",
                                     "Timestepping<NonsmoothBathe>"));
    EXPECT_EQ(study::find_member("heavy_top", "cardan_xyz_body_rate", "implicit_euler"), nullptr);
}

TEST(Catalog, IsCompiledInSinglePrecisionWhereItIsSaidToBe) {
    const backends::KernelList kernels = backends::start_kernels();
    for (const backends::KernelEntry* entry = kernels.entries; entry != kernels.entries + kernels.count; ++entry) {
        study::SystemDescription system;
        system.is_mechanism = entry->system == std::string(backends::charted_mechanism_system) ||
                              entry->system == std::string(backends::joint_mechanism_system);
        if (!system.is_mechanism) system = study::find_system(entry->system, "test");
        const bool is_said = takes_fp32(system, study::find_chart(entry->chart, "test"),
                                        study::find_integrator(entry->integrator, "test"));
        EXPECT_EQ(entry->fp32.are_compiled(), is_said)
            << entry->system << " " << entry->chart << " " << entry->integrator;
        EXPECT_EQ(entry->has_single_precision, is_said);
        EXPECT_TRUE(entry->fp64.are_compiled());
    }
}

TEST(Catalog, SaysHowToGetSinglePrecisionWhereABuildLacksIt) {
    backends::Task task;
    task.system = "heavy_top", task.chart = "rotation", task.integrator = "rk4",
    task.precision = backends::Precision::fp32;
    backends::KernelEntry without = backends::find_kernel(backends::start_kernels(), task);
    without.fp32 = {};
    const backends::KernelList lacking{&without, 1};
    EXPECT_EQ(&backends::find_kernel(lacking, task), &without);  // a GPU needs no more
    try {
        backends::find_compiled_kernel(lacking, task);
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("-DMYRIAD_SINGLE_PRECISION=ON"));
    }
    task.precision = backends::Precision::fp64;
    EXPECT_EQ(&backends::find_compiled_kernel(lacking, task), &without);
}

}  // namespace
}  // namespace myriad
