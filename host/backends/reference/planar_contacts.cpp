#include "host/backends/reference/planar_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "host/backends/reference/reference_model.hpp"
#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/joint/joint_equations.hpp"
#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::backends {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

// Of the largest entry: a thousand round-offs.
constexpr double nothing = 1e-13;
constexpr int poses = 4;

// Coordinates that differ from each other and from pose to pose by more than round-off; m and rad.
VectorXd increments(Index count, int pose) {
    VectorXd u(count);
    for (Index i = 0; i < count; ++i) u[i] = 0.4 * pose * std::sin(1.0 + 2.3 * static_cast<double>(i) + 0.7 * pose);
    return u;
}

}  // namespace

std::vector<std::string> contacts_with_an_idle_tangent(const mechanism::Mechanism& mechanism) {
    const MechanismTable& table = mechanism.table;
    if (table.contacts == 0 || !mechanism.body_coordinates_because.empty()) return {};
    const reference::MechanismModel model = reference_model(mechanism, mechanism.nominal_kernel_parameters());
    const reference::JointEquations equations(model, reference::assembled_start(model).motion.state);
    std::vector<bool> idle(static_cast<std::size_t>(table.contacts));
    // A file says how many tangents a contact with a plane has: between spheres it gives no direction.
    for (int c = 0; c < table.contacts; ++c)
        idle[static_cast<std::size_t>(c)] =
            table.contact[c].kind == ContactKind::sphere_plane && table.contact[c].tangents == 2;
    const VectorXd still = VectorXd::Zero(equations.size());
    for (int pose = 0; pose < poses; ++pose) {
        const reference::JointState at =
            equations.moved(equations.start(), increments(equations.size(), pose), still, 0.0);
        const reference::JointedBodies bodies = equations.bodies(at, still);
        const MatrixXd by_bodies = reference::contact_directions(model, bodies.state),
                       rows = by_bodies * bodies.jacobian;
        for (int c = 0; c < table.contacts; ++c) {
            const Index second = reference::rows_per_contact * c + 2;
            const double size = bodies.jacobian.cwiseAbs().maxCoeff() * by_bodies.row(second).cwiseAbs().maxCoeff();
            if (rows.row(second).cwiseAbs().maxCoeff() > nothing * size) idle[static_cast<std::size_t>(c)] = false;
        }
    }
    std::vector<std::string> names;
    for (const mechanism::NamedContacts& named : mechanism.contacts) {
        const auto first = idle.begin() + named.first_contact;
        if (std::all_of(first, first + named.contact_count, [](bool is_idle) { return is_idle; }))
            names.push_back(named.name);
    }
    return names;
}

}  // namespace myriad::backends
