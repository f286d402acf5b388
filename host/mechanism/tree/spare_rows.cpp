#include "host/mechanism/tree/spare_rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "host/mechanism/tree/generic_configuration.hpp"
#include "kernels/joint_coordinates/start.hpp"

namespace myriad::mechanism {

namespace {

using System = JointMechanism<double, JointTopology, RotationGroup>;

// Removed rows between links, in the order of the elements.
std::vector<SpareRow> removed_rows(const Mechanism& mechanism) {
    const MechanismTable& table = mechanism.table;
    std::vector<SpareRow> removed;
    int constraint = 0;
    for (int e = 0; e < table.elements; ++e) {
        const Element& element = table.element[e];
        if (element.has_law || element.is_sensor) continue;
        const MultiplierPlace& place = mechanism.multiplier_places[static_cast<std::size_t>(e)];
        for (int k = 0; k < rows_of(element.kind); ++k, ++constraint)
            if (element.row[k] < 0 && place.source == MultiplierSource::row && place.index >= 0)
                removed.push_back({place.index, k, constraint});
    }
    return removed;
}

// In a generic configuration, where a gradient that is nought there is so everywhere.
class GenericGradients {
  public:
    explicit GenericGradients(const Mechanism& mechanism) : topology_(&mechanism.table) {
        const std::vector<double> values = mechanism.nominal_kernel_parameters();
        std::copy(values.begin(), values.end(), parameters_.e);
        length_ = values[length_scale_parameter];
        const System system = this->system();
        q_.fit(topology_);
        set_generic(q_, length_);
        for (int i = 0; i < topology_.angles(); ++i) q_.turned[i] = 0.0;
        system.functions_at(0.0, scratch_.functions);
        place_links(system.equations().links(), q_, scratch_.places);
        pose_links(system.equations().links(), scratch_.places, scratch_.frames.of);
    }
    bool moves(const SpareRow& spare) {
        constexpr double round_off = 1e-10;
        const Element& element = topology_.element(spare.element);
        const System system = this->system();
        const Rows<double> rows = system.equations().rows(element, scratch_.frames, scratch_.functions, q_.turned);
        double gradient[most_tree_freedoms];
        system.equations().store_gradient(spare.element, element, rows, spare.k, scratch_, gradient);
        return std::any_of(gradient, gradient + topology_.freedoms(),
                           [&](double x) { return std::abs(x) > round_off * std::min(1.0, length_); });
    }

  private:
    System system() const { return {topology_, &parameters_}; }

    JointTopology topology_;
    System::Parameters parameters_;
    System::Configuration q_;
    System::Scratch scratch_;
    double length_ = 1.0;
};

}  // namespace

void find_spare_rows(Mechanism& mechanism) {
    JointTable& joint = mechanism.table.joint;
    if (joint.tree.links == 0) return;
    joint.spare_rows = 0;
    const std::vector<SpareRow> removed = removed_rows(mechanism);
    if (removed.empty()) return;
    const auto gradients = std::make_unique<GenericGradients>(mechanism);
    for (const SpareRow& row : removed)
        if (joint.spare_rows < most_spare_rows && gradients->moves(row)) joint.spare_row[joint.spare_rows++] = row;
}

bool is_near_dead_point(const Mechanism& mechanism, const std::vector<double>& parameters,
                        std::span<const double> bodies, double time_s) {
    // Of the elimination of the rows: the square of a tenth of the length scale, by what the joints turn.
    constexpr double least_sound_pivot = 1e-2;
    const MechanismTable& table = mechanism.table;
    if (table.joint.tree.links == 0 || table.joint.constraint_rows == 0) return false;
    struct State {
        System::Parameters parameters;
        System::Configuration q;
        System::Velocity v;
        System::Scratch scratch;
        LoopRows<double, JointTopology> seen;
        Place<double> bodies[most_bodies];
    };
    const auto state = std::make_unique<State>();
    std::copy(parameters.begin(), parameters.end(), state->parameters.e);
    const System system{JointTopology(&table), &state->parameters};
    for (int b = 0; b < table.bodies; ++b) {
        const double* const at = bodies.data() + b * body_channels;
        state->bodies[b] = {matrix_of(Rotation<double>{at[3], at[4], at[5], at[6]}),
                            {at[0], at[1], at[2]},
                            {at[7], at[8], at[9]},
                            {at[10], at[11], at[12]}};
    }
    read_coordinates(system, state->bodies, state->q, state->v);
    for (int i = 0; i < table.joint.angles; ++i) state->q.turned[i] = 0.0;
    look_at_loops(system, state->q, time_s, state->scratch, state->seen);
    return state->seen.least_pivot < least_sound_pivot;
}

bool may_lose_rank(const Mechanism& mechanism) {
    return mechanism.table.joint.tree.links > 0 && mechanism.table.joint.spare_rows > 0;
}

}  // namespace myriad::mechanism
