#include "host/reference/contact/contact_start.hpp"

#include <algorithm>
#include <optional>

#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/contact_sweeps.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr int most_displacements = 30;
constexpr double largest_last_displacement = 1e-9;  // m over the length scale and rad

// Returns Z; nothing if the displacements do not end.
std::optional<VectorXd> move_apart(const MechanismModel& model, MechanismState& state) {
    const std::vector<Index> movable = movable_coordinates(model);
    const auto n = static_cast<Index>(movable.size());
    VectorXd moved = VectorXd::Zero(velocity_vector(state).size());
    double last = 0.0;
    for (int i = 0; i < most_displacements; ++i) {
        const MechanismTerms terms = mechanism_terms(model, state, VectorXd::Zero(constraint_rows(model)));
        const VectorXd gaps = contact_gaps(model, state);
        // Rows of the tangents stay zero: there is no friction.
        MatrixXd w = MatrixXd::Zero(rows_per_contact * gaps.size(), n);
        LocalProblem problem;
        problem.tangents = rows_per_contact - 1;
        problem.contacts.resize(static_cast<std::size_t>(gaps.size()));
        problem.free_velocity = VectorXd::Zero(w.rows());
        const MatrixXd directions = contact_directions(model, state);
        for (Index k = 0; k < gaps.size(); ++k) {
            w.row(rows_per_contact * k) = directions(rows_per_contact * k, movable);
            problem.free_velocity[rows_per_contact * k] = gaps[k];
        }
        const Index m = terms.constraint.size();
        MatrixXd matrix = MatrixXd::Zero(n + m, n + m), right = MatrixXd::Zero(n + m, 1 + w.rows());
        matrix.topLeftCorner(n, n) = terms.mass(movable, movable);
        matrix.bottomLeftCorner(m, n) = terms.constraint_jacobian(Eigen::all, movable);
        matrix.topRightCorner(n, m) = matrix.bottomLeftCorner(m, n).transpose();
        right.col(0) << -matrix.topLeftCorner(n, n) * moved(movable), -terms.constraint;
        right.topRightCorner(n, w.rows()) = w.transpose();
        const MatrixXd solution = least_norm(matrix).solve(right).topRows(n);
        problem.delassus = w * solution.rightCols(w.rows());
        problem.free_velocity += w * solution.col(0);
        const VectorXd push = sweep_contacts(problem, VectorXd::Zero(w.rows())).impulse;
        VectorXd displacement = VectorXd::Zero(moved.size());
        displacement(movable) = solution.col(0) + solution.rightCols(w.rows()) * push;
        if (!displacement.allFinite()) return std::nullopt;
        for (Index r = 3; r < displacement.size(); r += 6)
            displacement.segment<3>(r) /= std::max(1.0, displacement.segment<3>(r).norm());
        displace(state, displacement);
        moved += displacement;
        last = displacement_norm(model, displacement);
        if (last <= least_correction) break;
    }
    return last <= largest_last_displacement ? std::optional(moved) : std::nullopt;
}

}  // namespace

bool penetrates(const MechanismModel& model, const MechanismState& state, double gap_tolerance_m) {
    for (const double gap : contact_gaps(model, state))
        if (!(-gap_tolerance_m <= gap)) return true;
    return false;
}

std::optional<AssembledStart> moved_out_of_contact(const MechanismModel& model, const AssembledStart& start) {
    MechanismState state = start.motion.state;
    const std::optional<VectorXd> moved = move_apart(model, state);
    if (!moved) return std::nullopt;
    count_angles(model, state);
    assemble_velocities(model, state);
    return AssembledStart{with_accelerations(model, state), start.correction + displacement_norm(model, *moved),
                          start.velocity_correction};
}

}  // namespace myriad::reference
