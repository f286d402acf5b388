// What channels see of the contacts of a mechanism in joint coordinates: the forces, impulses and record that a method
// keeps, and what they do to the joints of the tree.
//
//   forces     the wrenches of inverse dynamics, with the loads of the contacts on the links
//   impact     M jump = W L + ..., the same with impulses alone: JointEquations::transmit_impact
//
// Where contact and impact are one, the impulses of joints are those of all forces over the step. SI units.
#pragma once
#include "kernels/contact/loads.hpp"
#include "kernels/contact/tally.hpp"
#include "kernels/joint_coordinates/contact_equations.hpp"
#include "kernels/joint_coordinates/tree_reactions.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Kernels for GPUs of methods without contact would pay for them with local memory.
#if defined(__CUDACC_RTC__) && !defined(MYRIAD_CONTACTS_OF_TREES)
constexpr bool sees_contacts_of_trees = false;
#else
constexpr bool sees_contacts_of_trees = true;
#endif

MYRIAD_HD constexpr bool is_of_contact(ChannelKind kind) {
    return (ChannelKind::contact_gap <= kind && kind <= ChannelKind::contact_record) ||
           kind == ChannelKind::contact_force_vector || kind == ChannelKind::contact_impulse_vector;
}

// Methods with contact keep its forces and impulses and its record; others are never asked for these channels.
template <class Memory>
constexpr bool keeps_contacts = requires(Memory& memory) {
    memory.joint_impulse;
};

template <class System>
class ContactRecords {
  public:
    using Real = typename System::Real;
    using Topology = typename System::Topology;
    using Scratch = typename System::Scratch;

    // Of the memory of a method with contacts; other methods have none.
    template <class Memory>
    MYRIAD_HD explicit ContactRecords(const Memory& memory) {
        if constexpr (keeps_contacts<Memory>)
            force_ = &memory.force, impulse_ = &memory.impulse, tally_ = &memory.tally(), of_joints_ = &memory;
    }
    MYRIAD_HD bool exist() const { return force_ != nullptr; }
    MYRIAD_HD Real force(int row) const { return (*force_)[row]; }
    MYRIAD_HD Real impulse(int row) const { return (*impulse_)[row]; }
    MYRIAD_HD Real record(int entry) const { return contact_record(*tally_, entry); }
    MYRIAD_HD Real joint_impulse(int row) const { return of_joints_->joint_impulse[row]; }

    // The rates with which the forces of the end of a step were found: those before an impact.
    MYRIAD_HD void find_rates(const typename System::Velocity& v, typename System::Velocity& before) const {
        const auto& jump = of_joints_->jump;
        before.fit(v.topology);
        const MaskOf<Real> apart = of_joints_->over_s == Real(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < v.size(); ++i) before[i] = select(apart, v[i] - jump[i], v[i]);
    }
    // As `transmit` of observe.hpp, with the loads of contacts; `v` as above.
    MYRIAD_NOINLINE void transmit(const System& system, const typename System::Configuration& q,
                                  const typename System::Velocity& v, const typename System::Velocity& a,
                                  const typename System::MultiplierVector& multipliers, Scratch& scratch) const {
        Screw<Real> applied[Topology::most_links];
        load_links(system, q, *force_, scratch, applied);
        system.equations().evaluate(q, v, a, multipliers.e, Transmission{}, scratch, applied);
        const auto& topology = system.topology;
        MYRIAD_EACH(i, topology, set_frictions) {
            Real& of_freedom = scratch.forces[topology.friction(i).freedom];
            of_freedom = of_freedom - force(friction_row(topology, i));
        }
    }
    // The impulses in the joints, from what `transmit` has left.
    MYRIAD_NOINLINE void transmit_impact(const System& system, const typename System::Configuration& q,
                                         Scratch& scratch, Screw<Real>* impulses) const {
        const auto& topology = system.topology;
        Screw<Real> applied[Topology::most_links];
        const Real over_s = of_joints_->over_s;
        const MaskOf<Real> is_one = Real(0.0) < over_s;
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) impulses[l] = over_s * scratch.wrenches[l];
        load_links(system, q, *impulse_, scratch, applied);
        system.equations().transmit_impact(q, of_joints_->jump, of_joints_->joint_impulse.e, applied, scratch);
        MYRIAD_UNROLL_PLAN for (int l = 0; l < topology.links(); ++l) MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            Real& angular = impulses[l].angular[i];
            Real& linear = impulses[l].linear[i];
            angular = select(is_one, angular, scratch.wrenches[l].angular[i]);
            linear = select(is_one, linear, scratch.wrenches[l].linear[i]);
        }
    }

  private:
    MYRIAD_HD static void load_links(const System& system, const typename System::Configuration& q,
                                     const ContactLoads<Real, Topology>& loads, Scratch& scratch,
                                     Screw<Real>* applied) {
        const auto equations = system.equations();
        JointContactPlaces<Real, Topology> places;
        place_links(equations.links(), q, scratch.places);
        pose_links(equations.links(), scratch.places, scratch.frames.of);
        places.find(equations, q, scratch.frames);
        places.load_links(scratch.frames, loads, applied);
    }

    const ContactLoads<Real, Topology>*force_ = nullptr, *impulse_ = nullptr;
    const ContactTally<Real>* tally_ = nullptr;
    const JointImpulses<System>* of_joints_ = nullptr;
};

// Adds mu r |F| to the largest dry forces of joints with a bearing, F being the force in the joint of a state, whose
// accelerations, multipliers and forces `memory` has; `scratch` holds the functions of its time.
template <class System, class Memory, class Real = typename System::Real>
MYRIAD_NOINLINE void add_bearing_friction(const System& system, const Motion<System>& motion, const Memory& memory,
                                          typename System::Scratch& scratch, Real* largest) {
    const auto& topology = system.topology;
    const ContactRecords<System> records(memory);
    typename System::Velocity v;
    records.find_rates(motion.v, v);
    records.transmit(system, motion.q, v, memory.acceleration, memory.multipliers, scratch);
    MYRIAD_EACH(i, topology, set_frictions) {
        const int bearing = topology.friction(i).bearing;
        if (bearing < 0) continue;
        const int l = topology.link_of_freedom(topology.friction(i).freedom);
        const Vec<3, Real> force = wrench_of_joint(system, scratch, l, scratch.wrenches[l]).linear;
        largest[i] =
            fma(system.parameter(bearing) * system.parameter(bearing + 1), sqrt(dot(force, force)), largest[i]);
    }
}

}  // namespace myriad::inline MYRIAD_VARIANT
