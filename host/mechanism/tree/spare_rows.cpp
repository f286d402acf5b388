#include "host/mechanism/tree/spare_rows.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "host/mechanism/tree/generic_configuration.hpp"
#include "kernels/joint_coordinates/mechanism.hpp"

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

bool may_lose_rank(const Mechanism& mechanism) {
    return mechanism.table.joint.tree.links > 0 && mechanism.table.joint.spare_rows > 0;
}

}  // namespace myriad::mechanism
