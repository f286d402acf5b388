// Contact in joint coordinates beside its twin on the reference path, step by step.
#pragma once
#include <functional>

#include "tests/mechanism_contact/tree_mechanisms.hpp"
#include "tests/mechanism_contact/twin_model.hpp"

namespace myriad::test {

// Joints on position level keep velocities to Newton's tolerance, 1e-12, by the step, and forces to that by its square;
// errors of the steps add up, and impacts multiply them.
constexpr double twin_tolerance = 1e-6;

struct TwinCase {
    const char* name;
    std::function<ContactMechanism()> make;
    double step_s;
    int steps;
};

// All channels that both paths have: what the other ones count depends on the solver.
inline std::vector<int> channels_of_both(ContactMechanism& given) {
    for (int c = 0; c < given.mechanism.table.contacts; ++c) {
        given.channel(ChannelKind::contact_gap, c);
        for (int k = 0; k < contact_directions; ++k)
            for (const ChannelKind kind :
                 {ChannelKind::contact_velocity, ChannelKind::contact_force, ChannelKind::contact_impulse}) {
                // The twin does not know of slip across a single tangent.
                const bool is_idle = k > given.mechanism.table.contact[c].tangents;
                if (!(is_idle && kind == ChannelKind::contact_velocity)) given.channel(kind, c, k);
            }
    }
    for (int i = 0; i < contact_record_count; ++i) given.channel(ChannelKind::contact_record, i);
    for (const mechanism::NamedElements& joint : given.mechanism.joints)
        for (const ChannelKind kind : {ChannelKind::joint_force, ChannelKind::joint_torque, ChannelKind::joint_impulse,
                                       ChannelKind::joint_angular_impulse})
            for (int i = 0; i < 3; ++i)
                given.channel(kind, joint.first_element, i, joint.first_element + joint.element_count);
    std::vector<int> channels;
    for (int i = 0; i < 13 * given.mechanism.table.bodies + given.mechanism.table.channels; ++i) {
        const int own = i - 13 * given.mechanism.table.bodies;
        const ChannelKind kind = own < 0 ? ChannelKind::total_energy : given.mechanism.table.channel[own].kind;
        const bool is_counted = kind == ChannelKind::newton_iterations || kind == ChannelKind::assembly_correction ||
                                kind == ChannelKind::constraint_residual || kind == ChannelKind::velocity_residual;
        if (!is_counted) channels.push_back(i);
    }
    return channels;
}

// The largest difference of a run from its twin, over all channels and steps. `with_joint_impulses`: strikes within a
// step have theirs at poses of touch, kernels show them at the end of the step.
inline void expect_the_twins_values(const char* scheme, const TwinCase& one, const Schedule& schedule, double tolerance,
                                    bool with_joint_impulses = true) {
    ContactMechanism given = one.make();
    const std::vector<int> channels = channels_of_both(given);
    const MechanismTable& table = given.mechanism.table;
    const reference::MechanismModel model = twin_model(given);
    reference::MechanismSettings settings;
    settings.integrator = scheme, settings.joint_coordinates = true;
    settings.step_s = schedule.step_s, settings.end_s = schedule.end_s;
    settings.spectral_radius = schedule.spectral_radius;
    settings.contact = backends::contact_method_of(schedule);
    ContactRun run(scheme, given, schedule);
    const auto is_joint_impulse = [&](int channel) {
        if (channel < 13 * table.bodies) return false;
        const ChannelKind kind = table.channel[channel - 13 * table.bodies].kind;
        return kind == ChannelKind::joint_impulse || kind == ChannelKind::joint_angular_impulse;
    };
    double worst = 0.0, worst_ours = 0.0, worst_theirs = 0.0, worst_time = 0.0;
    int worst_channel = 0;
    bool goes_on = true;
    settings.after_step = [&](const reference::MechanismSample& sample) {
        if (sample.motion.state.time_s > 0.0) goes_on = run.step();
        for (const int channel : channels) {
            if (!with_joint_impulses && is_joint_impulse(channel)) continue;
            const double ours = run.channel(channel),
                         theirs = backends::reference_channel(table, given.parameters, model, sample, channel);
            if (std::isnan(ours) && std::isnan(theirs)) continue;
            const bool is_quaternion = channel < 13 * table.bodies && channel % 13 >= 3 && channel % 13 < 7;
            double difference = std::abs(ours - theirs) / std::max(1.0, std::abs(theirs));
            if (is_quaternion) difference = std::min(difference, std::abs(ours + theirs));
            if (difference <= worst) continue;
            worst = difference, worst_channel = channel, worst_time = run.time_s();
            worst_ours = ours, worst_theirs = theirs;
        }
    };
    const reference::MechanismResult twin = reference::run_reference_mechanism(model, settings);
    EXPECT_EQ(twin.status, "ok") << twin.reason;
    EXPECT_EQ(run.status(), Status::ok);
    EXPECT_FALSE(goes_on);
    const int own = worst_channel - 13 * table.bodies;
    EXPECT_LT(worst, tolerance) << "channel " << worst_channel << " of kind "
                                << (own < 0 ? -1 : static_cast<int>(table.channel[own].kind)) << " at " << worst_time
                                << " s: " << worst_ours << ", " << worst_theirs;
    std::printf("| %-27s | %s: largest difference %.1e |\n", scheme, one.name, worst);
}

}  // namespace myriad::test
