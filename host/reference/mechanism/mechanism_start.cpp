#include "host/reference/mechanism/mechanism_start.hpp"

#include <algorithm>
#include <numeric>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/mathematics/decomposition.hpp"
#include "host/reference/mathematics/rotation.hpp"
#include "host/reference/mechanism/start_pose.hpp"
#include "host/reference/mechanism/start_velocities.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr int most_assembly_iterations = 100;
// The largest error of an assembled constraint, relative to the length scale; and of the solution of a linear system
// that does not count as singular, relative to its right side.
constexpr double assembly_tolerance = 1e-9, solution_tolerance = 1e-8;

// [M B^T; B 0] [x; m] = [top; bottom]; the solution of least norm where there are several.
VectorXd saddle_solution(const MatrixXd& M, const MatrixXd& B, const VectorXd& top, const VectorXd& bottom) {
    const Index n = M.rows(), m = B.rows();
    MatrixXd matrix = MatrixXd::Zero(n + m, n + m);
    matrix.topLeftCorner(n, n) = M;
    matrix.topRightCorner(n, m) = B.transpose();
    matrix.bottomLeftCorner(m, n) = B;
    VectorXd right(n + m);
    right << top, bottom;
    const Decomposition<double> decomposition = least_norm(matrix);
    VectorXd solution = decomposition.solve(right);
    solution += decomposition.solve(right - matrix * solution);
    return solution;
}

// Of the norm in which changes are small: of the bodies alone, without rotors. No body counts as lighter than this
// share of the heaviest one: the decomposition could not tell its rows from round-off.
constexpr double lightest_share = 1e-5;
MatrixXd mass_of_norm(const MechanismModel& model) {
    double heaviest = 0.0;
    for (const ModelBody& body : model.bodies) heaviest = std::max(heaviest, body.mass_kg);
    const auto size = 6 * static_cast<Index>(model.bodies.size());
    MatrixXd mass = MatrixXd::Zero(size, size);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const ModelBody& body = model.bodies[b];
        const double least = lightest_share * heaviest,
                     share = 0.0 < body.mass_kg && body.mass_kg < least ? least / body.mass_kg : 1.0;
        const Index first = 6 * static_cast<Index>(b);
        mass.diagonal().segment<3>(first).setConstant(share * body.mass_kg);
        mass.block<3, 3>(first + 3, first + 3) = share * body.inertia_kg_m2;
    }
    return mass;
}

MechanismState state_of(const MechanismModel& model) {
    MechanismState state;
    for (const ModelBody& body : model.bodies)
        state.bodies.push_back({body.position_m, body.velocity_m_s, body.angular_velocity_rad_s, body.orientation});
    for (const ModelElement& element : model.elements) state.counted_angles.push_back(element.start_angle_rad);
    return state;
}

// Returns how far bodies were moved.
double assemble_positions(const MechanismModel& model, MechanismState& state) {
    const std::vector<Index> movable = movable_coordinates(model);
    const VectorXd no_multipliers = VectorXd::Zero(constraint_rows(model));
    const MechanismTerms given = mechanism_terms(model, state, no_multipliers);
    const VectorXd turned = turn_far_bodies(model, state);
    VectorXd moved = VectorXd::Zero(turned.size());
    const MatrixXd mass = mass_of_norm(model);
    for (int i = 0; i < most_assembly_iterations; ++i) {
        const MechanismTerms terms = mechanism_terms(model, state, no_multipliers);
        const MatrixXd M = mass(movable, movable), B = terms.constraint_jacobian(Eigen::all, movable);
        VectorXd displacement = VectorXd::Zero(moved.size());
        displacement(movable) = saddle_solution(M, B, -M * moved(movable), -terms.constraint).head(M.rows());
        if (!displacement.allFinite()) break;
        // Far from the constraints a correction by more than a radian is no good direction.
        for (Index r = 3; r < displacement.size(); r += 6)
            displacement.segment<3>(r) /= std::max(1.0, displacement.segment<3>(r).norm());
        displace(state, displacement);
        moved += displacement;
        if (displacement_norm(model, displacement) <= least_correction) break;
    }
    const MechanismTerms placed = mechanism_terms(model, state, no_multipliers);
    const double tolerance = assembly_tolerance * std::max(1.0, model.length_scale_m);
    if (!(placed.largest_constraint <= tolerance)) {
        // Where Newton's method found no pose its last one is an accident; the given one says more.
        const bool is_near_one = placed.constraint.lpNorm<Eigen::Infinity>() <= tolerance;
        throw StepFailure{"assembly_failed", "the bodies cannot be placed so that all constraints are met",
                          is_near_one ? placed.worst_row : given.worst_row};
    }
    return std::hypot(std::hypot(displacement_norm(model, turned), displacement_norm(model, moved)),
                      model.moved_before);
}

void check(const MatrixXd& matrix, const VectorXd& solution, const VectorXd& right, const char* what) {
    if (!((matrix * solution - right).norm() <= solution_tolerance * (1.0 + right.norm())))
        throw StepFailure{"singular_matrix", what};
}

}  // namespace

std::vector<Index> movable_coordinates(const MechanismModel& model) {
    std::vector<Index> movable;
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        for (Index k = 0; k < 6; ++k)
            if (!(k < 3 ? model.bodies[b].position_is_pinned : model.bodies[b].orientation_is_pinned))
                movable.push_back(6 * static_cast<Index>(b) + k);
    return movable;
}

double assemble_velocities(const MechanismModel& model, MechanismState& state) {
    const std::vector<BodyState> given = state.bodies;
    const MatrixXd mass = mass_of_norm(model);
    const StartVelocities start = start_velocities(model, mass, state);
    std::vector<Index> all(static_cast<std::size_t>(start.walked.size())), movable;
    std::iota(all.begin(), all.end(), Index{0});
    for (const Index i : all) {
        const ModelBody& body = model.bodies[static_cast<std::size_t>(i / 6)];
        if (!(i % 6 < 3 ? body.velocity_is_held : body.angular_velocity_is_held)) movable.push_back(i);
    }
    const auto scale = [&] {
        return std::max({1.0, model.length_scale_m, velocity_vector(state).lpNorm<Eigen::Infinity>()});
    };
    const auto is_met = [&](const MechanismTerms& moving) {
        return moving.largest_constraint_rate <= assembly_tolerance * scale();
    };
    const auto met_by = [&](const VectorXd& velocity, const std::vector<Index>& free) {
        set_velocity(state, velocity);
        const MechanismTerms terms = mechanism_terms(model, state, VectorXd::Zero(constraint_rows(model)));
        if (free.empty()) return terms;
        VectorXd changed = velocity;
        changed(free) += saddle_solution(mass(free, free), terms.constraint_jacobian(Eigen::all, free),
                                         VectorXd::Zero(static_cast<Index>(free.size())), -terms.constraint_rate)
                             .head(static_cast<Index>(free.size()));
        set_velocity(state, changed);
        return mechanism_terms(model, state, VectorXd::Zero(terms.constraint.size()));
    };
    MechanismTerms moving = met_by(start.together, movable);
    const bool changes =
        model.starts_together &&
        !(change_of_given_velocities(model, given, state) * model.length_scale_m <= assembly_tolerance * scale());
    if ((!is_met(moving) && movable.size() < all.size()) || changes) moving = met_by(start.walked, all);
    if (!is_met(moving))
        throw StepFailure{"assembly_failed", "no velocities meet all constraints", moving.worst_row_of_rates};
    return std::hypot(change_of_given_velocities(model, given, state), model.faster_before);
}

double displacement_norm(const MechanismModel& model, const VectorXd& displacement) {
    double sum = 0.0;
    for (Index x = 0; x < displacement.size(); x += 6)
        sum += (displacement.segment<3>(x) / model.length_scale_m).squaredNorm() +
               displacement.segment<3>(x + 3).squaredNorm();
    return std::sqrt(sum);
}

void count_angles(const MechanismModel& model, MechanismState& state) {
    std::vector<double> angles(model.elements.size(), 0.0);
    for (std::size_t e = 0; e < model.elements.size(); ++e) angles[e] = counted_angle(model, state, e);
    state.counted_angles = std::move(angles);
}

AccelerationSolution solved_accelerations(const MatrixXd& mass, const MatrixXd& jacobian, const VectorXd& force,
                                          const VectorXd& acceleration_term) {
    const VectorXd solution = saddle_solution(mass, jacobian, force, -acceleration_term);
    AccelerationSolution solved{solution.head(force.size()), solution.tail(acceleration_term.size())};
    const char* const what = "the accelerations do not follow from the equations of motion";
    check(mass, solved.acceleration, force - jacobian.transpose() * solved.multipliers, what);
    check(jacobian, solved.acceleration, -acceleration_term, what);
    return solved;
}

MechanismMotion with_accelerations(const MechanismModel& model, const MechanismState& state) {
    const MechanismTerms terms = mechanism_terms(model, state, VectorXd::Zero(constraint_rows(model)));
    AccelerationSolution solved =
        solved_accelerations(terms.mass, terms.constraint_jacobian, terms.force, terms.acceleration_term);
    return {state, std::move(solved.acceleration), std::move(solved.multipliers)};
}

AssembledStart assembled_start(const MechanismModel& model) {
    if (model.open_start_row >= 0)
        throw StepFailure{"assembly_failed", "the joints cannot have the values that they are to start with",
                          model.open_start_row};
    MechanismState state = state_of(model);
    count_angles(model, state);
    const double moved = assemble_positions(model, state);
    count_angles(model, state);
    const double changed = assemble_velocities(model, state);
    return {with_accelerations(model, state), moved, changed};
}

MechanismMotion driven_motion(const MechanismModel& model, const MechanismMotion& before, double time_s,
                              int most_iterations, int& iterations) {
    MechanismMotion motion = before;
    MechanismState& state = motion.state;
    const double h = time_s - before.state.time_s;
    displace(state, h * velocity_vector(before.state) + 0.5 * h * h * before.acceleration);
    state.time_s = time_s;
    const VectorXd no_multipliers = VectorXd::Zero(constraint_rows(model));
    const char* const what = "the constraints do not determine the motion";

    NewtonIteration newton(most_iterations, NewtonMatrix::of_its_point, "the constraints were not met");
    for (bool ended = false; !ended;) {
        const MechanismTerms terms = mechanism_terms(model, state, no_multipliers);
        const Decomposition<double> decomposition = full_pivoting(terms.constraint_jacobian);
        if (terms.constraint_jacobian.rows() != terms.force.size() || !decomposition.is_invertible())
            throw StepFailure{"singular_matrix", what};
        const VectorXd displacement = decomposition.solve(-terms.constraint);
        displace(state, displacement);
        iterations = newton.corrections() + 1;
        ended = newton.ends_with(displacement_norm(model, displacement));
    }
    const MechanismTerms positions = mechanism_terms(model, state, no_multipliers);
    const Decomposition<double> decomposition = full_pivoting(positions.constraint_jacobian);
    set_velocity(state, decomposition.solve(-positions.constraint_phi_t));
    const MechanismTerms terms = mechanism_terms(model, state, no_multipliers);
    motion.acceleration = decomposition.solve(-terms.acceleration_term);
    motion.multipliers =
        full_pivoting(terms.constraint_jacobian.transpose()).solve(terms.force - terms.mass * motion.acceleration);
    count_angles(model, state);
    return motion;
}

}  // namespace myriad::reference
