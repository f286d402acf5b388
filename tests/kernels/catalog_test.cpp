// Every system and integrator of the catalog has an Eigen twin of the same name.
#include "papers/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/backends/interface/kernel_table.hpp"
#include "host/catalog/papers_part.hpp"
#include "host/reference/contact/contact_integrator.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/run_reference.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad {
namespace {

template <template <class, template <class> class> class... System>
std::vector<std::string> names_of(SystemList<System...>) {
    return {System<double, RotationGroup>::name...};
}
template <template <class> class... Chart>
std::vector<std::string> names_of(ChartList<Chart...>) {
    return {Chart<double>::name...};
}
template <class... Integrator>
std::vector<std::string> names_of(IntegratorList<Integrator...>) {
    return {Integrator::name...};
}

TEST(Catalog, HasATwinOfEverySystemChartAndIntegrator) {
    for (const std::string& name : names_of(Systems{}))
        EXPECT_THAT(reference::reference_systems(), testing::Contains(name));
    for (const std::string& name : names_of(ChainSystems{}))
        EXPECT_THAT(reference::reference_systems(), testing::Contains(name));
    for (const std::string& name : names_of(LagrangianSystems{}))
        EXPECT_THAT(reference::reference_systems(), testing::Contains(name));
    for (const std::string& name : names_of(ContactSystems{}))
        EXPECT_THAT(reference::reference_systems(), testing::Contains(name));
    for (const std::string& name : names_of(FlexibleRodSystems{}))
        EXPECT_THAT(reference::reference_systems(), testing::Contains(name));
    for (const std::string& name : names_of(ContactIntegrators{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(Charts{}))
        EXPECT_THAT(reference::formulation_names(), testing::Contains(name));
    for (const std::string& name : names_of(ExplicitChartsOfLgim{}))
        EXPECT_THAT(reference::formulation_names(), testing::Contains(name));
    for (const std::string& name : names_of(Integrators{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(BodyMomentumIntegrators{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(BodyMomentumForms{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(MechanismEnergyMomentumIntegrators{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(MechanismContactIntegrators{}))
        EXPECT_THAT(reference::contact_methods(), testing::Contains(name));
}

template <template <class, template <class> class> class... System, template <class> class... Chart,
          class... Integrator>
constexpr int size_of(Family<SystemList<System...>, ChartList<Chart...>, IntegratorList<Integrator...>>) {
    return sizeof...(System) * sizeof...(Chart) * sizeof...(Integrator);
}
template <class... Families>
constexpr int size_of(FamilyList<Families...>) {
    return (size_of(Families{}) + ...);
}

TEST(Catalog, IsCompiledWholeAndNamesNothingTwice) {
    const backends::KernelList kernels = backends::scalar_kernels();
    EXPECT_EQ(kernels.count, size_of(Catalog{}) + size_of(CatalogOfPapers{}));
    const auto of_mechanisms = std::count_if(
        kernels.entries, kernels.entries + kernels.count,
        [](const backends::KernelEntry& entry) { return entry.system == std::string(backends::mechanism_system); });
    std::vector<std::string> names;
    for (const backends::Member& member : backends::catalog_members()) {
        EXPECT_THAT(names, testing::Not(testing::Contains(member.name())));
        names.push_back(member.name());
    }
    EXPECT_EQ(static_cast<long>(names.size()), kernels.count - of_mechanisms);
}

// So that a build without papers/ can say what would have them.
TEST(Catalog, KnowsTheNamesOfWhatPapersAdd) {
    std::vector<std::string> names;
    for (const auto& [charts, integrators] :
         {std::pair{study::papers_part().charts, study::papers_part().body_integrators},
          {study::papers_part().mechanism_charts, study::papers_part().lagrangian_integrators}}) {
        for (const study::ChartDescription& chart : charts) names.push_back(chart.name);
        for (const study::IntegratorDescription& integrator : integrators) names.push_back(integrator.name);
    }
    for (const char* name : study::papers_members()) EXPECT_THAT(names, testing::Contains(name));
    for (const std::string& name : names) {
        EXPECT_THAT(study::papers_members(), testing::Contains(name));
        EXPECT_TRUE(study::is_built(name));
    }
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
