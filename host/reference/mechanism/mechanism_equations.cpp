#include "host/reference/mechanism/mechanism_equations.hpp"

#include <cmath>

#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Where the 12 displacements of an element stand among those of the mechanism; -1 for the ground.
std::array<Index, 12> places(const ModelElement& element) {
    std::array<Index, 12> place;
    for (std::size_t k = 0; k < 12; ++k) {
        const int body = element.body[k / 6];
        place[k] = body < 0 ? -1 : 6 * body + static_cast<Index>(k % 6);
    }
    return place;
}

void add(MatrixXd& to, const MatrixXd& block, const std::array<Index, 12>& place) {
    for (Index row = 0; row < 12; ++row)
        for (Index column = 0; column < 12; ++column) {
            const Index r = place[static_cast<std::size_t>(row)], c = place[static_cast<std::size_t>(column)];
            if (r >= 0 && c >= 0) to(r, c) += block(row, column);
        }
}

void add(VectorXd& to, const VectorXd& block, const std::array<Index, 12>& place) {
    for (Index row = 0; row < 12; ++row)
        if (place[static_cast<std::size_t>(row)] >= 0) to[place[static_cast<std::size_t>(row)]] += block[row];
}

// -B^T (k phi + d phi'), by displacement and velocity.
void add_law(const ModelElement& element, const ElementTerms& terms, const VectorXd& velocity, MechanismTerms& sum) {
    const std::array<Index, 12> place = places(element);
    for (Index r = 0; r < element.rows(); ++r) {
        const double k = element.stiffness[r], d = element.damping[r];
        const double lambda = k * terms.phi[r] + d * terms.rate[r];
        const VectorXd gradient = terms.jacobian.row(r);
        const MatrixXd& gradient_by_displacement = terms.jacobian_by_displacement[static_cast<std::size_t>(r)];
        const VectorXd rate_by_displacement =
            gradient_by_displacement.transpose() * velocity + terms.phi_t_by_displacement.row(r).transpose();
        add(sum.force, -gradient * lambda, place);
        add(sum.force_by_displacement,
            -gradient_by_displacement * lambda - gradient * (k * gradient + d * rate_by_displacement).transpose(),
            place);
        add(sum.force_by_velocity, -d * gradient * gradient.transpose(), place);
        sum.potential_energy += 0.5 * k * terms.phi[r] * terms.phi[r];
        sum.work_rate += lambda * terms.phi_t[r] - d * terms.rate[r] * terms.rate[r];
    }
}

void add_load(const MechanismModel& model, const ModelLoad& load, const MechanismState& state, MechanismTerms& sum) {
    const BodyState& body = state.bodies[static_cast<std::size_t>(load.body)];
    Vector3d value = Vector3d::Zero();
    for (int k = 0; k < 3; ++k) {
        const int function = load.function[static_cast<std::size_t>(k)];
        if (function >= 0) value[k] = model.functions[static_cast<std::size_t>(function)](state.time_s);
    }
    const Matrix3d& R = body.orientation;
    const Index x = 6 * load.body, r = x + 3;
    const Vector3d turned = R.transpose() * value;  // a world vector, seen from the body
    // A small turn e changes R^T u by (R^T u) x e and R u by R (e x u).
    switch (load.kind) {
        case ModelLoadKind::force_world:
            sum.force.segment<3>(x) += value;
            sum.force.segment<3>(r) += load.point.cross(turned);
            sum.force_by_displacement.block<3, 3>(r, r) += skew(load.point) * skew(turned);
            sum.work_rate += value.dot(body.velocity + R * body.angular_velocity.cross(load.point));
            return;
        case ModelLoadKind::force_body:
            sum.force.segment<3>(x) += R * value;
            sum.force.segment<3>(r) += load.point.cross(value);
            sum.force_by_displacement.block<3, 3>(x, r) -= R * skew(value);
            sum.work_rate += value.dot(R.transpose() * body.velocity + body.angular_velocity.cross(load.point));
            return;
        case ModelLoadKind::torque_world:
            sum.force.segment<3>(r) += turned;
            sum.force_by_displacement.block<3, 3>(r, r) += skew(turned);
            sum.work_rate += turned.dot(body.angular_velocity);
            return;
        default:
            sum.force.segment<3>(r) += value;
            sum.work_rate += value.dot(body.angular_velocity);
    }
}

void add_body(const ModelBody& body, const BodyState& state, const Vector3d& gravity, Index x, MechanismTerms& sum) {
    const Matrix3d& J = body.inertia_kg_m2;
    const Vector3d& w = state.angular_velocity;
    const Index r = x + 3;
    sum.mass.block<3, 3>(x, x) = body.mass_kg * Matrix3d::Identity();
    sum.mass.block<3, 3>(r, r) = J;
    sum.force.segment<3>(x) += body.mass_kg * gravity;
    sum.force.segment<3>(r) -= w.cross(J * w);
    sum.force_by_velocity.block<3, 3>(r, r) -= skew(w) * J - skew(J * w);
    sum.kinetic_energy += 0.5 * body.mass_kg * state.velocity.squaredNorm() + 0.5 * w.dot(J * w);
    sum.potential_energy -= body.mass_kg * gravity.dot(state.position);
}

// The force -g^T F of an element's value, its derivatives, and the power.
void add_along(const ModelElement& element, const ElementTerms& terms, const VectorXd& velocity, double F,
               double F_by_rate, MechanismTerms& sum) {
    const std::array<Index, 12> place = places(element);
    const VectorXd gradient = terms.jacobian.row(0);
    const MatrixXd& gradient_by_displacement = terms.jacobian_by_displacement[0];
    add(sum.force, -gradient * F, place);
    add(sum.force_by_displacement,
        -gradient_by_displacement * F -
            gradient * (F_by_rate * gradient_by_displacement.transpose() * velocity).transpose(),
        place);
    add(sum.force_by_velocity, -F_by_rate * gradient * gradient.transpose(), place);
    sum.work_rate -= F * gradient.dot(velocity);
}

void add_friction(const MechanismModel& model, const ModelFriction& friction, const MechanismState& state,
                  MechanismTerms& sum) {
    const ModelElement& element = model.elements[static_cast<std::size_t>(friction.element)];
    const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(friction.element));
    const VectorXd velocity = velocity_of_bodies(element, state);
    const double rate = terms.jacobian.row(0).dot(velocity), share = std::tanh(rate / friction.rate),
                 dry = friction.is_set ? 0.0 : friction.dry;
    add_along(element, terms, velocity, dry * share + friction.viscous * rate,
              dry / friction.rate * (1.0 - share * share) + friction.viscous, sum);
}

// The value of an element over the displacements of its bodies.
struct SeenValue {
    std::array<Index, 12> place;
    double value, rate;
    VectorXd gradient, rate_by_displacement;
    MatrixXd gradient_by_displacement;
};
SeenValue seen_value(const MechanismModel& model, const MechanismState& state, int number) {
    const ModelElement& element = model.elements[static_cast<std::size_t>(number)];
    const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(number));
    const VectorXd velocity = velocity_of_bodies(element, state), gradient = terms.jacobian.row(0);
    const MatrixXd& second = terms.jacobian_by_displacement[0];
    return {places(element), terms.phi[0] + terms.time_function, gradient.dot(velocity),
            gradient,        second.transpose() * velocity,      second};
}

void add_outer(MatrixXd& to, const VectorXd& rows, const std::array<Index, 12>& row_place, const VectorXd& columns,
               const std::array<Index, 12>& column_place) {
    for (std::size_t r = 0; r < 12; ++r)
        for (std::size_t c = 0; c < 12; ++c)
            if (row_place[r] >= 0 && column_place[c] >= 0)
                to(row_place[r], column_place[c]) += rows[static_cast<Index>(r)] * columns[static_cast<Index>(c)];
}

void add_coordinate_force(const MechanismModel& model, const ModelCoordinateForce& force, const MechanismState& state,
                          MechanismTerms& sum) {
    using Reads = ModelCoordinateForce::Reads;
    using Scalar = Differentiated<double, 1>;
    const SeenValue along = seen_value(model, state, force.element);
    std::vector<SeenValue> seen;
    std::vector<Scalar> variables;
    for (const ModelCoordinateForce::Variable& one : force.variables) {
        const bool is_function = one.reads == Reads::function;
        seen.push_back(is_function ? along : seen_value(model, state, one.index));
        variables.emplace_back(is_function ? model.functions[static_cast<std::size_t>(one.index)](state.time_s)
                               : one.reads == Reads::rate ? seen.back().rate
                                                          : seen.back().value);
    }
    const double F = force.formula(Scalar(state.time_s), variables).value;
    add(sum.force, along.gradient * F, along.place);
    add(sum.force_by_displacement, along.gradient_by_displacement * F, along.place);
    sum.work_rate += F * along.rate;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        if (force.variables[k].reads == Reads::function) continue;
        variables[k].derivative[0] = 1.0;
        const double by = force.formula(Scalar(state.time_s), variables).derivative[0];
        variables[k].derivative[0] = 0.0;
        const bool is_rate = force.variables[k].reads == Reads::rate;
        add_outer(sum.force_by_displacement, along.gradient, along.place,
                  by * (is_rate ? seen[k].rate_by_displacement : seen[k].gradient), seen[k].place);
        if (is_rate)
            add_outer(sum.force_by_velocity, along.gradient, along.place, by * seen[k].gradient, seen[k].place);
    }
}

void add_rotor(const MechanismModel& model, const ModelRotor& rotor, const MechanismState& state, MechanismTerms& sum) {
    const ModelElement& element = model.elements[static_cast<std::size_t>(rotor.element)];
    const ElementTerms terms = element_terms(model, state, static_cast<std::size_t>(rotor.element));
    const VectorXd velocity = velocity_of_bodies(element, state), gradient = terms.jacobian.row(0);
    const std::array<Index, 12> place = places(element);
    const double inertia = rotor.ratio * rotor.ratio * rotor.inertia, rate = gradient.dot(velocity);
    add(sum.mass, inertia * gradient * gradient.transpose(), place);
    add(sum.force, -inertia * velocity.dot(terms.jacobian_by_displacement[0] * velocity) * gradient, place);
    sum.kinetic_energy += 0.5 * inertia * rate * rate;
}

}  // namespace

int constraint_rows(const MechanismModel& model) {
    int count = 0;
    for (const ModelElement& element : model.elements)
        for (int r = 0; r < element.rows(); ++r)
            if (!element.has_law && !element.is_sensor && element.active[static_cast<std::size_t>(r)]) ++count;
    return count;
}

namespace {

// NaN is worse than any number.
void keep_worst(double residual, int row, double& largest, int& worst_row) {
    if (std::abs(residual) <= largest || std::isnan(largest)) return;
    largest = std::abs(residual), worst_row = row;
}

}  // namespace

MechanismTerms mechanism_terms(const MechanismModel& model, const MechanismState& state, const VectorXd& multipliers) {
    const auto unknowns = 6 * static_cast<Index>(model.bodies.size());
    const Index count = constraint_rows(model);
    MechanismTerms sum;
    sum.mass = sum.force_by_displacement = sum.force_by_velocity = sum.reaction_by_displacement =
        MatrixXd::Zero(unknowns, unknowns);
    sum.force = VectorXd::Zero(unknowns);
    sum.constraint = sum.constraint_rate = sum.constraint_phi_t = sum.acceleration_term = VectorXd::Zero(count);
    sum.constraint_jacobian = MatrixXd::Zero(count, unknowns);

    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        add_body(model.bodies[b], state.bodies[b], model.gravity_m_s2, 6 * static_cast<Index>(b), sum);
    for (const ModelLoad& load : model.loads) add_load(model, load, state, sum);
    for (const ModelFriction& friction : model.frictions) add_friction(model, friction, state, sum);
    for (const ModelRotor& rotor : model.rotors) add_rotor(model, rotor, state, sum);
    for (const ModelCoordinateForce& force : model.coordinate_forces) add_coordinate_force(model, force, state, sum);

    Index next = 0;
    int number = 0;
    for (std::size_t e = 0; e < model.elements.size(); ++e) {
        const ModelElement& element = model.elements[e];
        if (element.is_sensor) continue;
        const ElementTerms terms = element_terms(model, state, e);
        if (element.has_law) {
            add_law(element, terms, velocity_of_bodies(element, state), sum);
            continue;
        }
        for (Index r = 0; r < element.rows(); ++r, ++number) {
            keep_worst(terms.phi[r], number, sum.largest_constraint, sum.worst_row);
            keep_worst(terms.rate[r], number, sum.largest_constraint_rate, sum.worst_row_of_rates);
        }
        const std::array<Index, 12> place = places(element);
        for (Index r = 0; r < element.rows(); ++r) {
            if (!element.active[static_cast<std::size_t>(r)]) continue;
            sum.constraint[next] = terms.phi[r];
            sum.constraint_rate[next] = terms.rate[r];
            sum.constraint_phi_t[next] = terms.phi_t[r];
            sum.acceleration_term[next] = terms.acceleration_term[r];
            VectorXd gradient = VectorXd::Zero(unknowns);
            add(gradient, terms.jacobian.row(r), place);
            sum.constraint_jacobian.row(next) = gradient;
            add(sum.reaction_by_displacement,
                multipliers[next] * terms.jacobian_by_displacement[static_cast<std::size_t>(r)], place);
            sum.driver_work_rate += multipliers[next] * terms.phi_t[r];
            ++next;
        }
    }
    sum.work_rate += sum.driver_work_rate;
    return sum;
}

std::vector<Vector3d> element_multipliers(const MechanismModel& model, const MechanismState& state,
                                          const VectorXd& multipliers) {
    std::vector<Vector3d> result;
    Index next = 0;
    for (std::size_t e = 0; e < model.elements.size(); ++e) {
        const ModelElement& element = model.elements[e];
        Vector3d lambda = Vector3d::Zero();
        if (element.has_law) {
            const ElementTerms terms = element_terms(model, state, e);
            for (Index r = 0; r < element.rows(); ++r)
                lambda[r] = element.stiffness[r] * terms.phi[r] + element.damping[r] * terms.rate[r];
        } else if (!element.is_sensor) {
            for (Index r = 0; r < element.rows(); ++r)
                if (element.active[static_cast<std::size_t>(r)]) lambda[r] = multipliers[next++];
        }
        result.push_back(lambda);
    }
    return result;
}

Wrench element_wrench(const MechanismModel& model, const MechanismState& state, std::size_t element,
                      const Vector3d& multipliers, std::size_t side) {
    const ElementTerms terms = element_terms(model, state, element);
    const VectorXd force = -terms.jacobian.transpose() * multipliers.head(terms.phi.size());
    const BodyState& body = body_or_ground(state, model.elements[element].body[side]);
    const Index x = 6 * static_cast<Index>(side);
    return {force.segment<3>(x), body.orientation * force.segment<3>(x + 3)};
}

VectorXd velocity_vector(const MechanismState& state) {
    VectorXd velocity(6 * static_cast<Index>(state.bodies.size()));
    Index x = 0;
    for (const BodyState& body : state.bodies) {
        velocity.segment<3>(x) = body.velocity;
        velocity.segment<3>(x + 3) = body.angular_velocity;
        x += 6;
    }
    return velocity;
}

void set_velocity(MechanismState& state, const VectorXd& velocity) {
    Index x = 0;
    for (BodyState& body : state.bodies) {
        body.velocity = velocity.segment<3>(x);
        body.angular_velocity = velocity.segment<3>(x + 3);
        x += 6;
    }
}

void displace(MechanismState& state, const VectorXd& displacement) {
    Index x = 0;
    for (BodyState& body : state.bodies) {
        body.position += displacement.segment<3>(x);
        body.orientation = orthonormalized(body.orientation * rotation_exponential(displacement.segment<3>(x + 3)));
        x += 6;
    }
}

}  // namespace myriad::reference
