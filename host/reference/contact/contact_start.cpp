#include "host/reference/contact/contact_start.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/contact_sweeps.hpp"
#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr int most_displacements = 30;
// Largest last displacement of bodies that are put together, m over the length scale and rad.
constexpr double come_together = 1e-9;

// Returns Z; nothing if the displacements do not end.
std::optional<VectorXd> put_together(const MechanismModel& model, MechanismState& state,
                                     const std::vector<Index>& movable, bool asks_contacts) {
    const auto n = static_cast<Index>(movable.size());
    VectorXd moved = VectorXd::Zero(velocity_vector(state).size());
    double last = 0.0;
    for (int i = 0; i < most_displacements; ++i) {
        const MechanismTerms terms = mechanism_terms(model, state, VectorXd::Zero(constraint_rows(model)));
        const VectorXd gaps = asks_contacts ? contact_gaps(model, state) : VectorXd(0);
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
        const VectorXd push = w.rows() > 0 ? sweep_contacts(problem, VectorXd::Zero(w.rows())).impulse : VectorXd(0);
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
    return last <= come_together ? std::optional(moved) : std::nullopt;
}

}  // namespace

bool penetrates(const MechanismModel& model, const MechanismState& state, double gap_tolerance_m) {
    for (const double gap : contact_gaps(model, state))
        if (!(-gap_tolerance_m <= gap)) return true;
    return false;
}

std::optional<AssembledStart> moved_out_of_contact(const MechanismModel& model, const AssembledStart& start) {
    MechanismState state = start.motion.state;
    const std::optional<VectorXd> moved = put_together(model, state, movable_coordinates(model), true);
    if (!moved) return std::nullopt;
    count_angles(model, state);
    assemble_velocities(model, state);
    return AssembledStart{with_accelerations(model, state), start.correction + displacement_norm(model, *moved),
                          start.velocity_correction};
}

void put_on_joints(const MechanismModel& model, MechanismState& state) {
    if (constraint_rows(model) == 0) return;
    std::vector<Index> all(6 * model.bodies.size());
    std::iota(all.begin(), all.end(), Index{0});
    if (!put_together(model, state, all, false))
        throw StepFailure{"newton_stalled", "the bodies could not be put back on their joints"};
}

}  // namespace myriad::reference
