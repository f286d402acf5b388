#include "host/reference/joint/joint_equations.hpp"

#include <algorithm>
#include <cmath>

#include "host/reference/mathematics/decomposition.hpp"
#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Directions that a joint keeps parallel; those of the two angles of a universal joint are perpendicular.
constexpr double least_parallel_cosine = 0.99;

Vector3d in_the_world(const MechanismState& state, const FixedDirection& direction) {
    if (direction.body < 0) return direction.along;
    return state.bodies[static_cast<std::size_t>(direction.body)].orientation * direction.along;
}

Vector3d place_of(const MechanismState& state, int body, const Vector3d& point) {
    if (body < 0) return point;
    const BodyState& at = state.bodies[static_cast<std::size_t>(body)];
    return at.position + at.orientation * point;
}

MechanismModel without_tree(const MechanismModel& model) {
    MechanismModel beside = model;
    for (const HangingBody& hanging : model.tree.bodies)
        for (const int e : hanging.elements) beside.elements[static_cast<std::size_t>(e)].is_sensor = true;
    for (const PrescribedFreedom& prescribed : model.tree.prescribed)
        beside.elements[static_cast<std::size_t>(prescribed.element)].is_sensor = true;
    return beside;
}

// The joints as they stand in the world at the assembled start.
std::vector<TwinBody> bodies_at(const MechanismModel& model, const MechanismState& assembled) {
    const std::vector<HangingBody>& hanging = model.tree.bodies;
    std::vector<TwinBody> bodies;
    for (const HangingBody& own : hanging) {
        const auto parent = std::find_if(hanging.begin(), hanging.end(),
                                         [&](const HangingBody& other) { return other.body == own.parent; });
        const auto body = static_cast<std::size_t>(own.body);
        TwinBody twin;
        twin.parent = own.parent < 0 ? -1 : static_cast<int>(parent - hanging.begin());
        twin.joint = own.joint;
        twin.centre = assembled.bodies[body].position;
        twin.orientation = Eigen::Quaterniond(assembled.bodies[body].orientation).normalized();
        twin.point = place_of(assembled, own.body, own.point[1]);
        twin.axis = in_the_world(assembled, own.axis).normalized();
        twin.second = in_the_world(assembled, own.second).normalized();
        bodies.push_back(twin);
    }
    return bodies;
}

bool is_active(const ModelElement& element, int row) {
    return !element.has_law && !element.is_sensor && element.active[static_cast<std::size_t>(row)];
}

}  // namespace

int constraint_rows_beside_tree(const MechanismModel& model) { return constraint_rows(without_tree(model)); }

JointEquations::JointEquations(const MechanismModel& model, const MechanismState& assembled)
    : model_(model),
      beside_tree_(without_tree(model)),
      bodies_(bodies_at(model, assembled)),
      twin_(bodies_),
      slide_at_start_(VectorXd::Zero(twin_.freedoms())),
      beside_rows_(constraint_rows(beside_tree_)),
      rows_(beside_rows_) {
    Index freedom = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const HangingBody& hanging = model.tree.bodies[b];
        const Vector3d gap = bodies_[b].joint == TwinJoint::free
                                 ? bodies_[b].centre
                                 : Vector3d(bodies_[b].point - place_of(assembled, hanging.parent, hanging.point[0]));
        first_.push_back(freedom);
        if (bodies_[b].joint != TwinJoint::free)
            for (int i = 0; i < slides_of(bodies_[b].joint); ++i)
                slide_at_start_[freedom + i] = gap.dot(direction(b, i));
        freedom += freedoms_of(bodies_[b].joint);
    }
    for (const PrescribedFreedom& given : model.tree.prescribed) add_prescribed(given, assembled);
    find_tree_angles(assembled);
    for (const TreeCoupling& given : model.tree.couplings) add_coupling(given, assembled);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        for (int i = 0; i < freedoms_of(bodies_[b].joint); ++i) {
            const Index at = first_[b] + i;
            const bool is_prescribed = std::any_of(prescribed_.begin(), prescribed_.end(),
                                                   [&](const Prescribed& driver) { return driver.freedom == at; });
            if (is_prescribed) continue;
            if (has_orientation(bodies_[b].joint) && i == slides_of(bodies_[b].joint)) orientations_.push_back(size());
            free_.push_back(at);
        }

    TwinCoordinates zero;
    zero.slides = {0.0, 0.0, 0.0}, zero.angles = {0.0, 0.0};
    start_ = {assembled.time_s, std::vector<TwinCoordinates>(bodies_.size(), zero), VectorXd::Zero(size()),
              assembled.counted_angles};
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (bodies_[b].joint != TwinJoint::free) continue;
        for (std::size_t i = 0; i < 3; ++i) start_.q[b].slides[i] = bodies_[b].centre[static_cast<Index>(i)];
        start_.q[b].orientation = bodies_[b].orientation;
    }
    const JointedBodies held = bodies(start_, VectorXd::Zero(size()));
    if (size() > 0)
        start_.v = least_norm(held.jacobian).solve(velocity_vector(assembled) - velocity_vector(held.state));
    if (!couplings_.empty()) meet_couplings();
    if (model.tree.starts_at_equilibrium) settle();
}

// Of a slide or of the axis of an angle at the configuration zero, in the world.
Vector3d JointEquations::direction(std::size_t joint, int freedom) const {
    const TwinBody& body = bodies_[joint];
    const Vector3d x = (body.second - body.axis.dot(body.second) * body.axis).normalized();
    switch (body.joint) {
        case TwinJoint::planar:
        case TwinJoint::translational:
            return freedom == 0 ? x : freedom == 1 ? Vector3d(body.axis.cross(x)) : body.axis;
        case TwinJoint::universal:
            return freedom == 0 ? body.axis : body.second;
        case TwinJoint::free:
            return Vector3d::Unit(freedom);
        default:
            return body.axis;
    }
}

// Of the axis of a coordinate and that about or along which the element's value grows, from the joint's parent to the
// body that hangs on it.
double JointEquations::cosine(const ModelElement& element, std::size_t joint, int freedom,
                              const MechanismState& assembled) const {
    const Vector3d positive = element.kind == RowKind::dot_2 ? element.first : element.first.cross(element.second);
    const double cosine = in_the_world(assembled, {element.body[0], positive}).dot(direction(joint, freedom));
    return element.body[1] == model_.tree.bodies[joint].body ? cosine : -cosine;
}

void JointEquations::add_prescribed(const PrescribedFreedom& given, const MechanismState& assembled) {
    const ModelElement& element = model_.elements[static_cast<std::size_t>(given.element)];
    const auto hanging = static_cast<std::size_t>(given.hanging);
    Prescribed prescribed;
    prescribed.freedom = first_[hanging] + given.freedom;
    if (element.function >= 0) prescribed.function = model_.functions[static_cast<std::size_t>(element.function)];
    prescribed.sign = std::copysign(1.0, cosine(element, hanging, given.freedom, assembled));
    prescribed.value_at_start = with_derivatives(prescribed.function, assembled.time_s)[0];
    prescribed_.push_back(prescribed);
}

void JointEquations::find_tree_angles(const MechanismState& assembled) {
    for (std::size_t e = 0; e < model_.elements.size(); ++e) {
        const ModelElement& element = model_.elements[e];
        if (element.kind != RowKind::angle) continue;
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            const HangingBody& hanging = model_.tree.bodies[b];
            if (std::minmax(hanging.body, hanging.parent) != std::minmax(element.body[0], element.body[1])) continue;
            for (int i = 0; i < angles_of(hanging.joint); ++i) {
                const double cosine = this->cosine(element, b, slides_of(hanging.joint) + i, assembled);
                if (std::abs(cosine) > least_parallel_cosine)
                    tree_angles_.push_back({e, b, static_cast<std::size_t>(i), std::copysign(1.0, cosine)});
            }
        }
    }
}

// Numbers of all freedoms: those of the coordinates, and derivatives of the prescribed ones.
VectorXd JointEquations::all(const VectorXd& of_free, double time_s, int derivative) const {
    VectorXd all = VectorXd::Zero(twin_.freedoms());
    all(free_) = of_free;
    const VectorXd motion = prescribed_motion(time_s, derivative);
    for (Index p = 0; p < prescribed(); ++p) all[prescribed_[static_cast<std::size_t>(p)].freedom] = motion[p];
    return all;
}

JointState JointEquations::moved(const JointState& from, const VectorXd& u, const VectorXd& v, double time_s) const {
    VectorXd increment = VectorXd::Zero(twin_.freedoms());
    increment(free_) = u;
    JointState end{time_s, twin_.retract(from.q, increment), v, from.counted_angles};
    for (const Prescribed& driver : prescribed_) {
        const std::size_t joint = joint_of(driver.freedom);
        const auto slot = static_cast<std::size_t>(driver.freedom - first_[joint]),
                   slides = static_cast<std::size_t>(slides_of(bodies_[joint].joint));
        double& coordinate = slot < slides ? end.q[joint].slides[slot] : end.q[joint].angles[slot - slides];
        coordinate = driver.sign * (with_derivatives(driver.function, time_s)[0] - driver.value_at_start);
    }
    for (const TreeAngle& turned : tree_angles_)
        end.counted_angles[turned.element] +=
            turned.sign * (end.q[turned.joint].angles[turned.angle] - from.q[turned.joint].angles[turned.angle]);
    return end;
}

void JointEquations::foresee_angles(const JointState& from, JointState& end) const {
    std::vector<std::size_t> watched;
    for (std::size_t e = 0; e < model_.elements.size(); ++e) {
        const bool is_of_tree = std::any_of(tree_angles_.begin(), tree_angles_.end(),
                                            [&](const TreeAngle& turned) { return turned.element == e; });
        if (model_.elements[e].kind == RowKind::angle && model_.elements[e].is_sensor && !is_of_tree)
            watched.push_back(e);
    }
    if (watched.empty()) return;
    const MechanismState first = bodies(from, VectorXd::Zero(size())).state,
                         last = bodies(end, VectorXd::Zero(size())).state;
    for (const std::size_t e : watched) {
        const double rates = element_terms(model_, first, e).rate[0] + element_terms(model_, last, e).rate[0];
        end.counted_angles[e] = from.counted_angles[e] + 0.5 * (end.time_s - from.time_s) * rates;
    }
}

JointedBodies JointEquations::bodies(const JointState& at, const VectorXd& acceleration, double of_drivers_s) const {
    const Index numbers = 6 * static_cast<Index>(bodies_.size());
    const std::vector<TwinMotion> motions =
        twin_.motion(at.q, all(at.v, at.time_s, 1), all(acceleration, of_drivers_s, 2));
    const std::vector<MatrixXd> jacobians = twin_.jacobians(at.q);
    JointedBodies placed{{at.time_s, std::vector<BodyState>(bodies_.size()), at.counted_angles},
                         VectorXd(numbers),
                         MatrixXd(numbers, size())};
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const int body = model_.tree.bodies[b].body;
        const TwinMotion& motion = motions[b];
        placed.state.bodies[static_cast<std::size_t>(body)] = {motion.position, motion.velocity,
                                                               motion.angular_velocity, motion.orientation};
        placed.acceleration.segment<6>(6 * body) << motion.acceleration, motion.angular_acceleration;
        placed.jacobian.middleRows<6>(6 * body) = jacobians[b](Eigen::all, free_);
    }
    return placed;
}

MechanismTerms JointEquations::terms(const JointedBodies& bodies, const VectorXd& multipliers) const {
    return mechanism_terms(beside_tree_, bodies.state, multipliers.head(beside_rows_));
}

AccelerationSolution JointEquations::accelerations(const JointState& at) const {
    if (size() == 0) return {VectorXd(), VectorXd::Zero(rows_)};
    const JointedBodies still = bodies(at, VectorXd::Zero(size()));
    const MechanismTerms terms = this->terms(still, VectorXd::Zero(rows_));
    const JointRows rows = joint_rows(at, still, terms);
    const MatrixXd& J = still.jacobian;
    return solved_accelerations(J.transpose() * terms.mass * J, rows.gradient,
                                J.transpose() * (terms.force - terms.mass * still.acceleration),
                                rows.acceleration_term);
}

MechanismMotion JointEquations::motion(const JointedBodies& bodies, const VectorXd& multipliers) const {
    return motion(bodies, multipliers, VectorXd::Zero(bodies.acceleration.size()));
}

MechanismMotion JointEquations::motion(const JointedBodies& bodies, const VectorXd& multipliers,
                                       const VectorXd& loads) const {
    MechanismMotion motion{bodies.state, bodies.acceleration, VectorXd::Zero(constraint_rows(model_))};
    const MechanismTerms terms = mechanism_terms(model_, motion.state, motion.multipliers);
    complete(motion, multipliers, terms.force - terms.mass * bodies.acceleration + loads);
    count_angles(model_, motion.state);
    return motion;
}

// A coordinate's axis, world.
Vector3d JointEquations::direction_at(const MechanismState& state, std::size_t joint, int freedom) const {
    const bool is_on_body = bodies_[joint].joint == TwinJoint::universal && freedom == 1;
    const int carrier = is_on_body ? static_cast<int>(joint) : bodies_[joint].parent;
    if (carrier < 0) return direction(joint, freedom);
    const auto on = static_cast<std::size_t>(carrier), body = static_cast<std::size_t>(model_.tree.bodies[on].body);
    return state.bodies[body].orientation * (bodies_[on].orientation.conjugate() * direction(joint, freedom));
}

std::vector<JointEquations::Wrench> JointEquations::carried(const MechanismState& state,
                                                            const VectorXd& on_bodies) const {
    const auto point = [&](std::size_t joint) {
        const HangingBody& hanging = model_.tree.bodies[joint];
        return place_of(state, hanging.body, hanging.point[1]);
    };
    std::vector<Wrench> wrenches(bodies_.size());
    for (std::size_t b = bodies_.size(); b-- > 0;) {
        const int body = model_.tree.bodies[b].body;
        const BodyState& at = state.bodies[static_cast<std::size_t>(body)];
        const Vector3d force = on_bodies.segment<3>(6 * body);
        Wrench& own = wrenches[b];
        own.force += force;
        own.moment += at.orientation * on_bodies.segment<3>(6 * body + 3) + (at.position - point(b)).cross(force);
        if (bodies_[b].parent < 0) continue;
        const auto parent = static_cast<std::size_t>(bodies_[b].parent);
        wrenches[parent].force += own.force;
        wrenches[parent].moment += own.moment + (point(b) - point(parent)).cross(own.force);
    }
    return wrenches;
}

VectorXd JointEquations::take_free_part(const MechanismState& state, std::size_t joint, Wrench& wrench) const {
    const TwinJoint type = bodies_[joint].joint;
    VectorXd parts = VectorXd::Zero(freedoms_of(type));
    for (int i = 0; i < slides_of(type) + angles_of(type); ++i) {
        const Vector3d along = direction_at(state, joint, i);
        Vector3d& whole = i < slides_of(type) ? wrench.force : wrench.moment;
        parts[i] = along.dot(whole);
        whole -= parts[i] * along;
    }
    if (has_orientation(type)) wrench.moment.setZero();
    return parts;
}

std::vector<Vector3d> JointEquations::forces_in_joints(const JointedBodies& bodies, const VectorXd& multipliers,
                                                       const VectorXd& loads) const {
    const MechanismTerms own = terms(bodies, multipliers);
    std::vector<Wrench> wrenches =
        carried(bodies.state, own.mass * bodies.acceleration - own.force - loads +
                                  own.constraint_jacobian.transpose() * multipliers.head(beside_rows_));
    std::vector<Vector3d> forces;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        take_free_part(bodies.state, b, wrenches[b]);
        forces.push_back(wrenches[b].force);
    }
    return forces;
}

VectorXd JointEquations::impulses(const JointedBodies& bodies, const VectorXd& jump, const VectorXd& of_rows,
                                  const VectorXd& loads) const {
    MechanismMotion motion{bodies.state, bodies.acceleration, VectorXd::Zero(constraint_rows(model_))};
    const MechanismTerms terms = mechanism_terms(model_, motion.state, motion.multipliers);
    complete(motion, of_rows, loads - terms.mass * jump);
    return motion.multipliers;
}

void JointEquations::complete(MechanismMotion& motion, const VectorXd& multipliers, const VectorXd& force) const {
    std::vector<Index> beside;
    std::vector<std::vector<Index>> rows;  // of each element, among all active ones
    Index row = 0;
    for (std::size_t e = 0; e < model_.elements.size(); ++e) {
        std::vector<Index>& own = rows.emplace_back();
        for (int r = 0; r < model_.elements[e].rows(); ++r) {
            if (!is_active(model_.elements[e], r)) continue;
            if (is_active(beside_tree_.elements[e], r)) beside.push_back(row);
            own.push_back(row++);
        }
    }
    motion.multipliers(beside) = multipliers.head(beside_rows_);
    add_couplings_to(motion, multipliers);
    const MechanismTerms terms = mechanism_terms(model_, motion.state, motion.multipliers);
    std::vector<Wrench> wrenches = carried(
        motion.state, force - terms.constraint_jacobian.transpose() * motion.multipliers - force_of_couplings(motion));
    VectorXd along_freedoms(twin_.freedoms());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const HangingBody& hanging = model_.tree.bodies[b];
        along_freedoms.segment(first_[b], freedoms_of(bodies_[b].joint)) = take_free_part(motion.state, b, wrenches[b]);
        std::vector<Index> of_joint;
        for (const int e : hanging.elements) {
            const std::vector<Index>& own = rows[static_cast<std::size_t>(e)];
            of_joint.insert(of_joint.end(), own.begin(), own.end());
        }
        if (of_joint.empty()) continue;
        const Eigen::Matrix3d& axes = motion.state.bodies[static_cast<std::size_t>(hanging.body)].orientation;
        Eigen::Matrix<double, 6, 1> on_body;
        on_body << wrenches[b].force,
            axes.transpose() * wrenches[b].moment + hanging.point[1].cross(axes.transpose() * wrenches[b].force);
        const MatrixXd columns = terms.constraint_jacobian(of_joint, Eigen::seqN(6 * hanging.body, 6)).transpose();
        motion.multipliers(of_joint) = least_norm(columns).solve(on_body);
    }
    for (std::size_t p = 0; p < prescribed_.size(); ++p)
        for (const Index own : rows[static_cast<std::size_t>(model_.tree.prescribed[p].element)])
            motion.multipliers[own] = prescribed_[p].sign * along_freedoms[prescribed_[p].freedom];
}

MatrixXd JointEquations::tangent(const VectorXd& u) const {
    MatrixXd tangent = MatrixXd::Identity(size(), size());
    for (const Index x : orientations_) tangent.block<3, 3>(x, x) = tangent_operator(u.segment<3>(x));
    return tangent;
}

VectorXd JointEquations::bracket(const VectorXd& v, const VectorXd& acceleration) const {
    VectorXd bracket = VectorXd::Zero(size());
    for (const Index x : orientations_)
        bracket.segment<3>(x) = Vector3d(v.segment<3>(x)).cross(Vector3d(acceleration.segment<3>(x)));
    return bracket;
}

double JointEquations::largest_turn(const VectorXd& u) const {
    double largest = 0.0;
    for (const Index x : orientations_)
        if (!(u.segment<3>(x).norm() <= largest)) largest = u.segment<3>(x).norm();
    return largest;
}

VectorXd JointEquations::sizes(const JointState& at) const {
    VectorXd sizes = VectorXd::Ones(twin_.freedoms());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        for (int i = 0; i < slides_of(bodies_[b].joint); ++i)
            sizes[first_[b] + i] =
                std::abs(slide_at_start_[first_[b] + i] + at.q[b].slides[static_cast<std::size_t>(i)]);
    VectorXd of_coordinates(size() + prescribed());
    of_coordinates.head(size()) = sizes(free_);
    for (Index p = 0; p < prescribed(); ++p)
        of_coordinates[size() + p] = sizes[prescribed_[static_cast<std::size_t>(p)].freedom];
    return of_coordinates;
}

VectorXd JointEquations::prescribed_motion(double time_s, int derivative) const {
    VectorXd motion(prescribed());
    for (Index p = 0; p < prescribed(); ++p) {
        const Prescribed& driver = prescribed_[static_cast<std::size_t>(p)];
        motion[p] = driver.sign * with_derivatives(driver.function, time_s)[static_cast<std::size_t>(derivative)];
        if (is_at_rest_) motion[p] = 0.0;
    }
    return motion;
}

}  // namespace myriad::reference
