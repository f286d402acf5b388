// Every system and integrator of the catalog has an Eigen twin of the same name.
#include "ensembles/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/backends/interface/kernel_table.hpp"
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
    for (const std::string& name : names_of(Integrators{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(BodyMomentumIntegrators{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(MechanismEnergyMomentumIntegrators{}))
        EXPECT_THAT(reference::reference_integrators(), testing::Contains(name));
    for (const std::string& name : names_of(MechanismContactIntegrators{}))
        EXPECT_THAT(reference::contact_methods(), testing::Contains(name));
}

TEST(Catalog, IsCompiledWholeAndNamesNothingTwice) {
    const std::size_t charts = names_of(Charts{}).size(), implicit_charts = names_of(MechanismCharts{}).size(),
                      methods = names_of(Integrators{}).size(), implicit = names_of(ImplicitIntegrators{}).size();
    const std::size_t members = names_of(Systems{}).size() * (charts * methods + implicit_charts * implicit) +
                                names_of(ChainSystems{}).size() * names_of(ChainIntegrators{}).size();
    const std::size_t momentum = names_of(Systems{}).size() * names_of(BodyMomentumIntegrators{}).size() +
                                 names_of(LagrangianSystems{}).size() * names_of(LagrangianIntegrators{}).size();
    const std::size_t contact = (names_of(ContactSystems{}).size() + names_of(FlexibleRodSystems{}).size()) *
                                names_of(ContactIntegrators{}).size();
    const std::size_t of_mechanisms = implicit_charts * names_of(MechanismIntegrators{}).size() + charts * methods +
                                      names_of(MechanismEnergyMomentumIntegrators{}).size() +
                                      names_of(MechanismContactIntegrators{}).size();
    EXPECT_EQ(static_cast<std::size_t>(backends::scalar_kernels().count), members + momentum + contact + of_mechanisms);
    std::vector<std::string> names;
    for (const backends::Member& member : backends::catalog_members()) {
        EXPECT_THAT(names, testing::Not(testing::Contains(member.name())));
        names.push_back(member.name());
    }
    EXPECT_EQ(names.size(), members + momentum + contact);
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
