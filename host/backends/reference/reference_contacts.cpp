#include "host/backends/reference/reference_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "host/reference/contact/contact_mechanism.hpp"
#include "kernels/contact/channels.hpp"

namespace myriad::backends {

namespace {

double of_bits(const std::set<int>& contacts) {
    double sum = 0.0;
    for (const int contact : contacts) sum += std::ldexp(1.0, contact);
    return sum;
}

double record_entry(const reference::MechanismSample& sample, int entry) {
    const reference::ContactRecord& record = sample.contact_record;
    switch (static_cast<ContactRecord>(entry)) {
        case ContactRecord::impacts:
            return record.impacts;
        case ContactRecord::first_contact_time:
            return record.first_contact_s < 0.0 ? std::numeric_limits<double>::quiet_NaN() : record.first_contact_s;
        case ContactRecord::friction_loss:
            return record.friction_loss_j;
        case ContactRecord::impact_loss:
            return record.impact_loss_j;
        case ContactRecord::largest_impulse:
            return record.largest_impulse_N_s;
        case ContactRecord::largest_force:
            return record.largest_force_N;
        case ContactRecord::penetration:
            return record.penetration_m;
        case ContactRecord::energy_balance_error:
            return sample.contact_energy_error_j;
        case ContactRecord::wear_work:
            return record.wear_work_j;
    }
    throw std::logic_error("an entry of the contacts' record that the reference path does not have");
}

}  // namespace

bool is_contact(const reference::ModelContact& contact) {
    const auto is_share = [](double x) { return x >= 0.0 && x <= 1.0; };
    return contact.friction >= 0.0 && is_share(contact.normal_restitution) &&
           is_share(contact.tangential_restitution) && contact.radius_m[0] >= 0.0 && contact.radius_m[1] >= 0.0 &&
           contact.play_m >= 0.0;
}

reference::ContactMethod contact_method_of(const Schedule& schedule) {
    reference::ContactMethod method;
    method.has_free_alphas = schedule.free_alphas != 0.0;
    method.alpha_m = schedule.alpha_m, method.alpha_f = schedule.alpha_f;
    method.ed_alpha_ratio = schedule.ed_alpha_ratio;
    method.gap_tolerance_m = schedule.gap_tolerance_m;
    method.project_penetration = schedule.project_penetration != 0.0;
    method.impact_threshold_N_s = schedule.impact_threshold_N_s;
    method.strikes_within_step = schedule.strikes_within_step != 0.0;
    return method;
}

double contact_channel_of(const Channel& channel, const reference::MechanismModel& model,
                          const reference::MechanismSample& sample) {
    const reference::ContactSample& contacts = sample.contacts;
    const Eigen::Index row = contact_directions * channel.a + channel.b;
    switch (channel.kind) {
        case ChannelKind::contact_gap:
            return contacts.gap[channel.a];
        case ChannelKind::contact_velocity:
            return contacts.velocity[row];
        case ChannelKind::contact_force:
            return contacts.force[row];
        case ChannelKind::contact_impulse:
            return contacts.impulse[row];
        case ChannelKind::contact_force_vector:
        case ChannelKind::contact_impulse_vector:
            return contact_vector(
                model, sample.motion.state, static_cast<std::size_t>(channel.a), static_cast<std::size_t>(channel.c),
                channel.kind == ChannelKind::contact_force_vector ? contacts.force : contacts.impulse)[channel.b];
        case ChannelKind::contact_record:
            return record_entry(sample, channel.a);
        default:
            throw std::logic_error("a channel that the reference path does not have");
    }
}

std::vector<double> contact_certificate_of(const reference::MechanismSample& sample) {
    const reference::ContactRecord& record = sample.contact_record;
    return {sample.contact_energy_error_j,
            record.penetration_m,
            record.violation,
            record.sweeps / std::max(record.problems, 1.0),
            record.most_sweeps,
            static_cast<double>(sample.newton_iterations),
            record.impacts,
            record.friction_loss_j,
            record.impact_loss_j,
            record.jumped,
            record.sunk_m,
            record.jumped_rate_1_s,
            of_bits(record.jumped_contacts),
            of_bits(record.sunk_contacts),
            record.crowded};
}

}  // namespace myriad::backends
