#include "host/reference/mechanism/redundant_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr double largest_share = 10.0, left_loop = 1e-6;

bool has_length(RowKind kind) {
    return kind == RowKind::point || kind == RowKind::coordinate_difference || kind == RowKind::dot_2 ||
           kind == RowKind::distance;
}

VectorXd on_bodies(const MechanismModel& model, const ModelElement& element, const VectorXd& of_element) {
    VectorXd row = VectorXd::Zero(6 * static_cast<Index>(model.bodies.size()));
    for (Index side = 0; side < 2; ++side) {
        const int body = element.body[static_cast<std::size_t>(side)];
        if (body >= 0) row.segment<6>(6 * body) += of_element.segment<6>(6 * side);
    }
    return row;
}

bool is_in_tree(const MechanismModel& model, std::size_t element) {
    const auto number = static_cast<int>(element);
    const JointTree& tree = model.tree;
    return std::any_of(tree.bodies.begin(), tree.bodies.end(),
                       [&](const HangingBody& hanging) {
                           return std::find(hanging.elements.begin(), hanging.elements.end(), number) !=
                                  hanging.elements.end();
                       }) ||
           std::any_of(tree.prescribed.begin(), tree.prescribed.end(),
                       [&](const PrescribedFreedom& prescribed) { return prescribed.element == number; });
}

MatrixXd columns(const std::vector<VectorXd>& rows, Index size) {
    MatrixXd all(size, static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) all.col(static_cast<Index>(i)) = rows[i];
    return all;
}

}  // namespace

RedundantRows redundant_rows(const MechanismModel& model, const MechanismState& state) {
    RedundantRows found;
    std::vector<VectorXd> active, spare;
    std::vector<Index> beside_tree;
    for (std::size_t e = 0; e < model.elements.size(); ++e) {
        const ModelElement& element = model.elements[e];
        if (element.has_law || element.is_sensor) continue;
        const ElementTerms terms = element_terms(model, state, e);
        const double unit = has_length(element.kind) ? 1.0 / model.length_scale_m : 1.0;
        for (Index k = 0; k < terms.jacobian.rows(); ++k) {
            const bool is_active = element.active[static_cast<std::size_t>(k)];
            double& largest = is_active ? found.active : found.spare;
            largest = std::max(largest, unit * std::abs(terms.phi[k]));
            if (is_active && !is_in_tree(model, e)) beside_tree.push_back(static_cast<Index>(active.size()));
            (is_active ? active : spare).push_back(unit * on_bodies(model, element, terms.jacobian.row(k).transpose()));
        }
    }
    for (const TreeCoupling& coupling : model.tree.couplings) {
        if (!coupling.is_active) continue;
        VectorXd row = VectorXd::Zero(6 * static_cast<Index>(model.bodies.size()));
        for (std::size_t side = 0; side < 2; ++side) {
            const auto e = static_cast<std::size_t>(coupling.of[side].element);
            row += (side == 1 ? 1.0 : -coupling.ratio) *
                   on_bodies(model, model.elements[e], element_terms(model, state, e).jacobian.row(0).transpose());
        }
        beside_tree.push_back(static_cast<Index>(active.size()));
        active.push_back(row);
    }
    const Index size = 6 * static_cast<Index>(model.bodies.size());
    found.shares = MatrixXd::Zero(0, 0);
    if (beside_tree.empty() || spare.empty()) return found;
    const MatrixXd of_all = least_norm(columns(active, size)).solve(columns(spare, size));
    found.shares = of_all(beside_tree, Eigen::all);
    return found;
}

bool has_redundant_rows(const MechanismModel& model) {
    return std::any_of(model.elements.begin(), model.elements.end(), [](const ModelElement& element) {
        if (element.has_law || element.is_sensor) return false;
        return std::find(element.active.begin(), element.active.begin() + element.rows(), false) !=
               element.active.begin() + element.rows();
    });
}

bool still_hold(const RedundantRows& before, const RedundantRows& after, bool passes) {
    if (left_loop + 100.0 * after.active < after.spare) return false;
    for (Index s = 0; s < after.shares.cols() && !passes; ++s)
        for (Index k = 0; k < after.shares.rows(); ++k) {
            const double was = before.shares(k, s), is = after.shares(k, s);
            if (was * is < 0.0 && std::abs(was) > 1.0 && std::abs(is) > 1.0) return false;
        }
    return true;
}

bool are_nearly_lost(const RedundantRows& rows) {
    return rows.shares.size() > 0 && rows.shares.lpNorm<Eigen::Infinity>() > largest_share;
}

}  // namespace myriad::reference
