// Every member of the catalog with contact: the cpu backend against the reference path, channels and certificate
// included.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "host/backends/backends.hpp"
#include "kernels/system/status.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::backends {
namespace {

constexpr std::uint64_t instance_count = 6;
constexpr int steps = 40;
constexpr double step_s = 1e-2;
// Newton's tolerance of 1e-11 and the laws' of 1e-12 in each step; a force is the change of a velocity over h.
constexpr double twin_tolerance = 1e-9, twin_tolerance_of_forces = 1e-7;

std::vector<Member> contact_members() {
    std::vector<Member> members = catalog_members();
    std::erase_if(members, [](const Member& member) { return !has_contact(member); });
    return members;
}

class ContactBackends : public testing::TestWithParam<Member> {};

// The largest difference of a channel over 1 + its size; NaN on both sides is no difference.
double difference(double a, double b) {
    return std::isnan(a) && std::isnan(b) ? 0.0 : std::abs(a - b) / (1.0 + std::abs(b));
}

TEST_P(ContactBackends, AgreeOnStatesChannelsAndCertificate) {
    const Member& member = GetParam();
    Task task = generic_task(member, Precision::fp64, steps, step_s);
    const study::SystemDescription& system = study::find_system(member.system, "test");
    task.plan.quantity_count = 0, task.thresholds.clear();
    task.plan.observed_count = 0;
    for (int channel = 0; channel < system.channel_count; ++channel)
        task.plan.observed_channels[task.plan.observed_count++] = channel;
    task.schedule.observe_steps = 1, task.schedule.rows = steps;
    Instances instances = generic_instances(member.system, instance_count);
    // The last slider fills its slot; with friction its corners would share an impulse in many ways.
    if (member.system == "slider_crank_clearance")
        for (const char* address :
             {"clearance_m", "friction", "initial_angle_rad[0]", "initial_angle_rad[1]", "initial_angle_rad[2]"})
            instances.back()[static_cast<std::size_t>(parameter_index(member.system, address))] = 0.0;
    const Chunk ours = run_on_cpu(task, {1, 1, 0}, instances);
    const auto reference = make_backend("reference", {});
    reference->prepare(task, instance_count);
    const std::atomic<bool> stop{false};
    Chunk theirs;
    reference->start(0, instance_count, columns(instances, 0, instance_count).data());
    ASSERT_TRUE(reference->finish(0, theirs, stop));
    EXPECT_EQ(ours.status, theirs.status);
    EXPECT_EQ(ours.steps, theirs.steps);
    EXPECT_EQ(count_of(ours, static_cast<int>(Status::ok)), instance_count);

    ASSERT_EQ(ours.trajectory.size(), theirs.trajectory.size());
    std::map<std::string, double> worst;
    for (std::size_t i = 0; i < ours.trajectory.size(); ++i) {
        const auto channel = i % static_cast<std::size_t>(system.channel_count);
        // A quaternion and its negative are one rotation.
        const std::string& address = system.scalars[channel].address;
        const bool has_sign = address.starts_with("orientation.");
        const double a = has_sign ? std::abs(ours.trajectory[i]) : ours.trajectory[i],
                     b = has_sign ? std::abs(theirs.trajectory[i]) : theirs.trajectory[i];
        double& largest = worst[address];
        const double found = difference(a, b);
        if (!(found <= largest)) largest = found;
    }
    double largest_motion = 0.0, largest_force = 0.0;
    for (const auto& [address, found] : worst) {
        const bool is_force = address.starts_with("contact_force") || address == "largest_force";
        EXPECT_LE(found, is_force ? twin_tolerance_of_forces : twin_tolerance) << address;
        (is_force ? largest_force : largest_motion) = std::max(is_force ? largest_force : largest_motion, found);
    }
    std::printf("| %-48s | motion %.1e | forces %.1e |\n", member.name().c_str(), largest_motion, largest_force);

    const auto certificate =
        study::certificate_of(system, study::find_integrator_for(system, member.integrator, "test"));
    for (std::size_t i = 0; i < ours.invariants_drift.size(); ++i) {
        const std::string& name = certificate[i % certificate.size()].name;
        // The reference path enumerates: it has no residual and no iterations.
        if (name.find("prox_") != std::string::npos || name.starts_with("newton_")) continue;
        EXPECT_LE(difference(ours.invariants_drift[i], theirs.invariants_drift[i]), twin_tolerance) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Catalog, ContactBackends, testing::ValuesIn(contact_members()), [](const auto& given) {
    std::string name = given.param.name();
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

}  // namespace
}  // namespace myriad::backends
