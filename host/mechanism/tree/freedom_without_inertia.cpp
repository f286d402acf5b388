#include "host/mechanism/tree/freedom_without_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "host/mechanism/tree/generic_configuration.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "kernels/joint_coordinates/equations.hpp"

namespace myriad::mechanism {

namespace {

using TreeParameters = JointTopology::Parameters<double>;
// Whether some motion of the freedoms moves no mass, by an elimination of the matrix scaled to a diagonal of ones that
// takes the largest pivot next: what is nought in truth then is left by round-off as little more than itself. In the
// tree's own order small pivots come first at times and lift it, up to 1e-10.
bool is_singular(const TreeMatrix<double, JointTopology>& masses) {
    constexpr double round_off = 1e-13;
    const JointTopology& tree = masses.topology;
    const auto count = static_cast<std::size_t>(tree.freedoms());
    std::vector<std::vector<double>> m(count, std::vector<double>(count, 0.0));
    for (int i = 0; i < tree.freedoms(); ++i)
        for (int j = i; j >= 0; j = tree.freedom_parent(j)) {
            const double scaled = masses.at(i, j) / std::sqrt(masses.at(i, i) * masses.at(j, j));
            m[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = scaled;
            m[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = scaled;
        }
    std::vector<std::size_t> left(count);
    std::iota(left.begin(), left.end(), std::size_t{0});
    while (!left.empty()) {
        const auto largest =
            std::max_element(left.begin(), left.end(), [&](auto a, auto b) { return m[a][a] < m[b][b]; });
        const std::size_t k = *largest;
        if (!(m[k][k] > round_off)) return true;
        left.erase(largest);
        for (const std::size_t i : left)
            for (const std::size_t j : left) m[i][j] -= m[i][k] * m[k][j] / m[k][k];
    }
    return false;
}

// The first freedom from the leaves inward whose pivot is weak; where round-off hides it, the one with the weakest.
int weak_freedom_of(TreeMatrix<double, JointTopology>& masses) {
    const int freedoms = masses.topology.freedoms();
    std::vector<double> diagonal;
    for (int k = 0; k < freedoms; ++k) diagonal.push_back(masses.at(k, k));
    const auto first = static_cast<int>(factor_symmetric(masses));
    if (first >= 0) return first;
    int weakest = 0;
    const auto share = [&](int k) { return 1.0 / (masses.at(k, k) * diagonal[static_cast<std::size_t>(k)]); };
    for (int k = 1; k < freedoms; ++k)
        if (share(k) < share(weakest)) weakest = k;
    return weakest;
}

bool hangs_on(const SpanningTree& tree, int body, int other) {
    while (body >= 0 && body != other) body = tree.of_body(body).parent;
    return body >= 0;
}

}  // namespace

std::vector<TreeFreedom> freedoms_of_tree(const Mechanism& mechanism) {
    std::vector<TreeFreedom> freedoms;
    if (mechanism.table.joint.tree.links == 0) return freedoms;
    for (const TreeBody& hung : spanning_tree_of(mechanism).bodies) {
        std::string place = "bodies." + mechanism.body_names[static_cast<std::size_t>(hung.body)];
        if (hung.joint >= 0) {
            const NamedElements& joint = mechanism.joints[static_cast<std::size_t>(hung.joint)];
            place = joint.section + "." + joint.name;
        }
        for (int k = 0; k < hung.freedoms; ++k) freedoms.push_back({place, k, hung.body});
    }
    return freedoms;
}

std::optional<FreedomWithoutInertia> freedom_without_inertia(const Mechanism& mechanism) {
    const JointTable& joint = mechanism.table.joint;
    if (joint.tree.links == 0) return std::nullopt;
    const std::vector<double> values = mechanism.nominal_kernel_parameters();
    const JointTopology topology(&mechanism.table);
    const auto parameters = std::make_unique<TreeParameters>();
    std::copy(values.begin(), values.end(), parameters->e);
    const TreeLinks<double, JointTopology, TreeParameters> links{topology, parameters.get(), joint.link_parameter};

    GenericConfiguration q;
    q.fit(topology);
    set_generic(q, values[length_scale_parameter]);
    TreePlaces<double, JointTopology> places;
    place_links(links, q, places);
    LinkMass<double> composites[most_tree_links];
    const auto system = std::make_unique<SaddlePoint<double, JointTopology>>();
    mass_matrix(links, places, composites, system->matrix);
    add_rotors_to_diagonal(topology, *parameters, system->matrix);
    for (int i = 0; i < joint.prescribed; ++i) system->hold(joint.prescribed_coordinate[i].freedom);
    if (!is_singular(system->matrix)) return std::nullopt;
    const int weak = weak_freedom_of(system->matrix);
    FreedomWithoutInertia found{freedoms_of_tree(mechanism)[static_cast<std::size_t>(weak)], {}};
    const SpanningTree tree = spanning_tree_of(mechanism);
    for (const TreeBody& hung : tree.bodies)
        if (hangs_on(tree, hung.body, found.freedom.body))
            found.bodies.push_back(mechanism.body_names[static_cast<std::size_t>(hung.body)]);
    return found;
}

}  // namespace myriad::mechanism
