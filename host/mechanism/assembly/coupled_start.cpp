#include "host/mechanism/assembly/coupled_start.hpp"

#include <algorithm>
#include <memory>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/text/number_text.hpp"
#include "kernels/joint_coordinates/start.hpp"

namespace myriad::mechanism {

namespace {

constexpr double silent_difference = 1e-3;

struct CoupledInstance {
    using Tree = JointMechanism<double, JointTopology, RotationGroup>;

    NominalInstance bodies;
    Tree system;
    Motion<Tree> motion;
    Tree::Velocity acceleration;
    Tree::MultiplierVector multipliers;
    Tree::Scratch scratch;
    double before[most_couplings], after[most_couplings], followed[most_couplings];
    double rate_before[most_couplings], followed_rate[most_couplings];
    double reason = 0.0;

    CoupledInstance(const MechanismTable& table, const std::vector<double>& values) : bodies(table, values) {
        const JointTopology topology(&table);
        system = {topology, &bodies.parameters};
        motion.q.fit(topology), motion.v.fit(topology), acceleration.fit(topology), multipliers.fit(topology);
        bodies.assemble();
        read_state(system, bodies.motion.q, bodies.motion.v, motion.q, motion.v);
        system.prescribe_at(0.0, motion.q, motion.v);
        const auto equations = system.equations();
        for (int c = 0; c < table.joint.couplings; ++c) {
            before[c] = equations.coupling_value(topology.coupling(c), motion.q);
            followed[c] = coordinate(motion.q, topology.coupling(c).freedom[0]);
            rate_before[c] = equations.coupling_rate(topology.coupling(c), motion.v);
            followed_rate[c] = motion.v[topology.coupling(c).freedom[0]];
        }
        reason = assemble(system, scratch, motion.q, motion.v, acceleration, multipliers).reason;
        for (int c = 0; c < table.joint.couplings; ++c)
            after[c] = equations.coupling_value(topology.coupling(c), motion.q);
    }
};

bool is_placed(const Mechanism& mechanism, const CoupledCoordinate& of) {
    const Element& element = mechanism.table.element[of.element];
    return std::all_of(std::begin(element.body), std::end(element.body),
                       [&](int body) { return body < 0 || mechanism.body_is_placed[static_cast<std::size_t>(body)]; });
}

}  // namespace

void check_coupled_start(Mechanism& mechanism, const Refusal& refuse) {
    const JointTable& joint = mechanism.table.joint;
    const auto instance = std::make_unique<CoupledInstance>(mechanism.table, mechanism.nominal_kernel_parameters());
    const double length_m = instance->bodies.parameters[length_scale_parameter];
    const auto size_of = [&](int c, double value) {
        return magnitude(value) / (instance->system.topology.is_turn(joint.coupling[c].freedom[1]) ? 1.0 : length_m);
    };
    int worst = 0;
    for (int c = 1; c < joint.couplings; ++c)
        if (!(size_of(c, instance->after[c]) <= size_of(worst, instance->after[worst]))) worst = c;
    const auto named = [&](int c) -> const NamedCoupling& { return mechanism.couplings[static_cast<std::size_t>(c)]; };
    const auto text = [&](const CoupledCoordinate& of) {
        return mechanism.joints[static_cast<std::size_t>(of.joint)].name + "." + of.coordinate;
    };
    if (instance->reason != 0.0)
        refuse(named(worst).address(),
               "no start of the mechanism meets its couplings: this one stays open by " +
                   rounded_number_text(instance->after[worst], 3) + " at " + text(named(worst).of[1]),
               "leave out one of the start values of its joints, or look at ratio and offset");
    const auto tell = [&](int c, const std::string& what, const std::string& remedy, const std::string& consequence) {
        if (mechanism.assembly == AssemblyPolicy::refuse)
            refuse(named(c).address(), what, remedy + "; \"assembly\": \"warn\" allows it");
        mechanism.warnings.push_back(named(c).address() + ": " + what + "; " + consequence);
    };
    for (int c = 0; c < joint.couplings; ++c) {
        const NamedCoupling& coupling = named(c);
        const auto is_given = [&](int freedom) { return (joint.held_at_start[freedom] & 1) != 0; };
        if (size_of(c, instance->before[c]) <= silent_difference || is_given(joint.coupling[c].freedom[0]) ||
            is_given(joint.coupling[c].freedom[1]) || !is_placed(mechanism, coupling.of[0]) ||
            !is_placed(mechanism, coupling.of[1]))
            continue;
        tell(c,
             "the poses of the file are off this coupling by " + rounded_number_text(instance->before[c], 3) + " at " +
                 text(coupling.of[1]) + ", where " + text(coupling.of[0]) + " is " +
                 rounded_number_text(instance->followed[c], 3),
             "give one of the joints a start value, or correct the poses or the offset",
             "both are moved until it holds: a start value of one joint says which stays");
    }
    for (int c = 0; c < joint.couplings; ++c) {
        const NamedCoupling& coupling = named(c);
        const auto is_given = [&](int freedom) {
            const PrescribedCoordinate* const end = joint.prescribed_coordinate + joint.prescribed;
            return (joint.held_at_start[freedom] & (2 | holds_given_rate)) != 0 ||
                   std::any_of(joint.prescribed_coordinate, end,
                               [&](const PrescribedCoordinate& one) { return one.freedom == freedom; });
        };
        const double open = instance->rate_before[c], followed = instance->followed_rate[c];
        const double wanted = instance->bodies.parameters[coupling.parameter] * followed;
        if (!is_given(joint.coupling[c].freedom[0]) || !is_given(joint.coupling[c].freedom[1]) ||
            magnitude(open) <= silent_difference * maximum(magnitude(wanted), magnitude(wanted + open)))
            continue;
        tell(c,
             "the given velocities have " + text(coupling.of[1]) + " at a rate of " +
                 rounded_number_text(wanted + open, 3) + ", and this coupling has it at " +
                 rounded_number_text(wanted, 3) + ", where " + text(coupling.of[0]) + " has " +
                 rounded_number_text(followed, 3),
             "leave out the velocity that follows from the other, or correct it",
             "both rates change until it holds: leave out the one that follows");
    }
}

}  // namespace myriad::mechanism
