#include "host/mechanism/assembly/coupled_start.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "host/mechanism/coordinates_of_joints.hpp"
#include "host/mechanism/tree/joint_coordinates.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/text/number_text.hpp"
#include "kernels/joint_coordinates/observe.hpp"

namespace myriad::mechanism {

namespace {

constexpr double silent_difference = 1e-3, largest_open = 1e-9;

std::string short_text(double value) { return rounded_number_text(value, 3); }

// Large, hence never on the stack.
class CoupledInstance {
  public:
    using Tree = JointMechanism<double, JointTopology, RotationGroup>;

    CoupledInstance(const Mechanism& mechanism, NominalInstance& bodies)
        : mechanism_(mechanism),
          joint_(mechanism.table.joint),
          length_m_(bodies.parameters[length_scale_parameter]),
          system_{JointTopology(&mechanism.table), &bodies.parameters} {
        const JointTopology topology(&mechanism.table);
        motion_.q.fit(topology), motion_.v.fit(topology), acceleration_.fit(topology), multipliers_.fit(topology);
        read_state(system_, bodies.motion.q, bodies.motion.v, motion_.q, motion_.v);
        system_.prescribe_at(0.0, motion_.q, motion_.v);
        given_ = motion_.v;
        for (int c = 0; c < joint_.couplings; ++c) before_[c] = state_of(c);
        const double reason = assemble(system_, scratch_, motion_.q, motion_.v, acceleration_, multipliers_).reason;
        is_open_ = static_cast<Reason>(static_cast<int>(reason)) == Reason::constraints_inconsistent;
        for (int c = 0; c < joint_.couplings; ++c) after_[c] = state_of(c);
        if (reason == 0.0) to_bodies(system_, motion_.q, motion_.v, bodies.motion.q, bodies.motion.v);
    }

    bool is_open() const { return is_open_; }

    void refuse_open(const Refusal& refuse) const {
        const auto worst_of = [&](const auto& open) {
            int worst = 0;
            for (int c = 1; c < joint_.couplings; ++c)
                if (!(size_of(c, open(after_[c])) <= size_of(worst, open(after_[worst])))) worst = c;
            return worst;
        };
        const int worst = worst_of([](const State& at) { return at.open; });
        const std::string address = named(worst).address();
        if (has(worst, 1))
            refuse(address,
                   "the start values have " + text(worst, 1) + " at " + short_text(before_[worst].own()) +
                       ", and this coupling has it at " + short_text(before_[worst].wanted) + ", where " +
                       text(worst, 0) + " is " + short_text(before_[worst].followed),
                   "leave out one of the two start values, or correct it, the ratio or the offset");
        if (!(size_of(worst, after_[worst].open) <= largest_open))
            refuse(address,
                   "no start of the mechanism meets its couplings: this one stays open by " +
                       short_text(after_[worst].open) + " at " + text(worst, 1),
                   "leave out one of the start values of its joints, or look at ratio and offset");
        const int fastest = worst_of([](const State& at) { return at.open_rate; });
        refuse(named(fastest).address(),
               "no velocities at the start meet joints, drivers and couplings: at this one the rate of " +
                   text(fastest, 1) + " stays off by " + short_text(after_[fastest].open_rate),
               "leave out a driver or a coupling of these joints, or look at the ratio");
    }

    CouplingReport report() const {
        CouplingReport report;
        const auto tell = [&](int c, const std::string& what, const std::string& remedy) {
            if (report.what.empty()) report.entry = named(c).address();
            report.what += (report.what.empty() ? "" : "; ") + named(c).address() + ": " + what;
            if (report.remedy.find(remedy) == std::string::npos)
                report.remedy += (report.remedy.empty() ? "" : "; ") + remedy;
        };
        for (int c = 0; c < joint_.couplings; ++c) {
            const State &before = before_[c], &after = after_[c];
            const NamedCoupling& coupling = named(c);
            if (size_of(c, before.open) > silent_difference && !has(c, 0, 1) && !has(c, 1, 1) &&
                is_placed(coupling.of[0]) && is_placed(coupling.of[1]))
                tell(c,
                     "the poses of the file are off this coupling by " + short_text(before.open) + " at " + text(c, 1) +
                         ", where " + text(c, 0) + " is " + short_text(before.followed) +
                         "; both are moved until it holds",
                     "give one of the joints a start value, or correct the poses or the offset");
            const double size = std::max(magnitude(before.wanted_rate), magnitude(before.own_rate()));
            if (has_rate(c, 0) && has_rate(c, 1) && magnitude(before.open_rate) > silent_difference * size)
                tell(c,
                     "the given velocities have " + text(c, 1) + " at a rate of " + short_text(before.own_rate()) +
                         ", and this coupling has it at " + short_text(before.wanted_rate) + ", where " + text(c, 0) +
                         " has " + short_text(before.followed_rate) + "; they start with " +
                         short_text(after.own_rate()) + " and " + short_text(after.followed_rate),
                     remedy_for_velocities);
        }
        const SpanningTree tree = spanning_tree_of(mechanism_);
        for (std::size_t j = 0; j < mechanism_.joints.size(); ++j)
            for (const JointCoordinate& one : coordinates_of(mechanism_.joints[j].type)) {
                const std::string coordinate = one.name;
                const int freedom = number_of_tree_freedom(mechanism_, tree, static_cast<int>(j), coordinate);
                if (freedom < 0 || !(joint_.held_at_start[freedom] & holds_start_rate)) continue;
                report.rates.push_back({mechanism_.joints[j].name + "." + coordinate, system_.topology.is_turn(freedom),
                                        given_[freedom], motion_.v[freedom]});
            }
        return report;
    }

  private:
    // The coordinates of a coupling and their rates: the value that the other one asks for, and what stays open.
    struct State {
        double open, wanted, followed, open_rate, wanted_rate, followed_rate;
        double own() const { return wanted + open; }
        double own_rate() const { return wanted_rate + open_rate; }
    };
    State state_of(int c) const {
        const auto equations = system_.equations();
        const CoordinateCoupling& coupling = system_.topology.coupling(c);
        State at{equations.coupling_value(coupling, motion_.q), 0.0, coordinate(motion_.q, coupling.freedom[0]),
                 equations.coupling_rate(coupling, motion_.v),  0.0, motion_.v[coupling.freedom[0]]};
        at.wanted = coordinate(motion_.q, coupling.freedom[1]) - at.open;
        at.wanted_rate = motion_.v[coupling.freedom[1]] - at.open_rate;
        return at;
    }
    const NamedCoupling& named(int c) const { return mechanism_.couplings[static_cast<std::size_t>(c)]; }
    std::string text(int c, std::size_t side) const {
        const CoupledCoordinate& of = named(c).of[side];
        return mechanism_.joints[static_cast<std::size_t>(of.joint)].name + "." + of.coordinate;
    }
    double size_of(int c, double value) const {
        return magnitude(value) / (system_.topology.is_turn(joint_.coupling[c].freedom[1]) ? 1.0 : length_m_);
    }
    bool has(int c, int side, int bits) const {
        return (joint_.held_at_start[joint_.coupling[c].freedom[side]] & bits) != 0;
    }
    bool has(int c, int bits) const { return has(c, 0, bits) && has(c, 1, bits); }
    bool has_rate(int c, int side) const {
        const PrescribedCoordinate* const end = joint_.prescribed_coordinate + joint_.prescribed;
        return has(c, side, holds_start_rate | holds_given_rate) ||
               std::any_of(joint_.prescribed_coordinate, end, [&](const PrescribedCoordinate& one) {
                   return one.freedom == joint_.coupling[c].freedom[side];
               });
    }
    bool is_placed(const CoupledCoordinate& of) const {
        const Element& element = mechanism_.table.element[of.element];
        return std::all_of(std::begin(element.body), std::end(element.body), [&](int body) {
            return body < 0 || mechanism_.body_is_placed[static_cast<std::size_t>(body)];
        });
    }

    const Mechanism& mechanism_;
    const JointTable& joint_;
    double length_m_;
    Tree system_;
    Motion<Tree> motion_;
    Tree::Velocity given_, acceleration_;
    Tree::MultiplierVector multipliers_;
    Tree::Scratch scratch_;
    State before_[most_couplings], after_[most_couplings];
    bool is_open_ = false;
};

}  // namespace

CouplingReport couple_start(const Mechanism& mechanism, NominalInstance& assembled) {
    return std::make_unique<CoupledInstance>(mechanism, assembled)->report();
}

void check_coupled_start(const Mechanism& mechanism, const Refusal& refuse) {
    const auto bodies = std::make_unique<NominalInstance>(mechanism.table, mechanism.nominal_kernel_parameters());
    bodies->assemble();
    const auto coupled = std::make_unique<CoupledInstance>(mechanism, *bodies);
    if (coupled->is_open()) coupled->refuse_open(refuse);
}

}  // namespace myriad::mechanism
