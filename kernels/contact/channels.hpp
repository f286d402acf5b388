// The channels that a run with contacts adds to those of its system, in this order:
//
//   gap                                     of each contact, m
//   contact_velocity                        of each contact: normal, tangents, m/s
//   contact_force, contact_impulse          of each contact at the end of the step, N and N s
//   the record: entries of ContactRecord    so far, over all accepted steps
//   damping_loss                            of systems with damping, the same
//
// friction_loss is the work of friction between impacts. wear_work sums |l_T . u_T| of each contact, between impacts
// and in them, with u_T the mean of before and after: Archard's law of wear multiplies it with a coefficient. A step
// has one impact however many unilateral contacts are struck, and so may have the start. With moreau_midpoint contact
// and impact are one: contact_force is the mean over a step, contact_impulse is all of its impulse, and friction_loss
// includes the friction of impacts. StruckContacts tells which steps have an impact, and its impulse. largest_force
// leaves these out.
#pragma once
#include "kernels/contact/damping_record.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

enum class ContactRecord {
    impacts = 0,
    first_contact_time = 1,  // NaN where no contact ever closed
    friction_loss = 2,
    impact_loss = 3,
    largest_impulse = 4,
    largest_force = 5,
    penetration = 6,
    energy_balance_error = 7,
    wear_work = 8,
};
constexpr int contact_record_count = 9;

// `memory`: that of any system or mechanism with the fields of ContactMemory.
template <class Memory, class Real = typename Memory::Real>
MYRIAD_HD Real contact_record(const Memory& memory, int entry) {
    switch (static_cast<ContactRecord>(entry)) {
        case ContactRecord::impacts:
            return memory.impacts;
        case ContactRecord::first_contact_time:
            return select(memory.first_contact_s < Real(0.0), quiet_nan<Real>(), memory.first_contact_s);
        case ContactRecord::friction_loss:
            return memory.friction_loss_J;
        case ContactRecord::impact_loss:
            return memory.impact_loss_J;
        case ContactRecord::largest_impulse:
            return memory.largest_impulse_N_s;
        case ContactRecord::largest_force:
            return memory.largest_force_N;
        case ContactRecord::penetration:
            return memory.penetration_m;
        case ContactRecord::energy_balance_error:
            return memory.energy_error_J;
        default:
            return memory.wear_work_J;
    }
}

template <class System>
constexpr int contact_rows = System::contacts*(1 + System::tangents);
template <class System>
constexpr int contact_channel_count = System::contacts + 3 * contact_rows<System> + contact_record_count +
                                      (has_damping<System> ? 1 : 0);

template <class System, class Memory, class Real = typename System::Real>
MYRIAD_HD Real contact_channel(const System& system, int index, const Motion<System>& motion, const Memory& memory) {
    constexpr int contacts = System::contacts, rows = contact_rows<System>;
    if constexpr (contacts > 0) {
        if (index < contacts + rows) {
            const auto contact = system.contact_state(motion.q);
            return index < contacts ? contact.gap[index] : contact.velocity(index - contacts, motion.v);
        }
        if (index < contacts + 2 * rows) return memory.force[index - contacts - rows];
        if (index < contacts + 3 * rows) return memory.impulse[index - contacts - 2 * rows];
    }
    const int entry = index - contacts - 3 * rows;
    if constexpr (has_damping<System>) {
        if (entry == contact_record_count) return memory.damping_loss_J;
    }
    return contact_record(memory, entry);
}

#if !defined(__CUDACC_RTC__)
constexpr ChannelDescription contact_record_entries[contact_record_count] = {
    {"impacts", "1", "", "", false,
     "steps with an impact whose largest normal impulse was above impact_threshold_N_s, so far"},
    {"first_contact_time", "s", "", "", false, "end of the step in which a gap first closed; undefined before"},
    {"friction_loss", "J", "", "", false, "work of friction between impacts, as a loss, so far"},
    {"impact_loss", "J", "", "", false, "energy that contacts lose in impacts, so far"},
    {"largest_impulse", "N s", "", "", false, "largest normal impulse of a unilateral contact in an impact, so far"},
    {"largest_force", "N", "", "", false, "largest normal force of a contact between impacts, so far"},
    {"penetration", "m", "", "", false,
     "how deep a unilateral contact was at most, so far; rad where it is a limit of an angle"},
    {"energy_balance_error", "J", "", "", false, "largest |energy + losses - initial energy|, so far"},
    {"wear_work", "J", "", "", false, "integral of |l_T . u_T| over all contacts, with that of impacts, so far"},
};
constexpr ChannelDescription damping_loss_entry{
    "damping_loss", "J", "", "", false, "energy dissipated by damping within the system, so far"};
// The channels of each contact. The components of a channel have the same unit.
constexpr ChannelDescription contact_entries[] = {
    {"gap", "m", "", "", false, "distance of the bodies; negative where they overlap"},
    {"contact_velocity", "m/s", "", "", false, "rate of the gap, and slip"},
    {"contact_force", "N", "", "", false, "force of the contact at the end of the step"},
    {"contact_impulse", "N s", "", "", false, "impulse of the contact in the impact at the end of the step, or 0"},
};
// Components of velocities, forces and impulses, by the number of tangential directions.
constexpr const char* contact_components[] = {"", "normal tangent", "normal tangent_1 tangent_2"};
#endif

}  // namespace myriad::inline MYRIAD_VARIANT
