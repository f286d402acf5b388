// The rows of a mechanism by the coordinates of its tree, couplings of these among them, and states that meet them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// The largest error of a coupling that holds, relative to the length scale or in rad.
constexpr double coupling_tolerance = 1e-9;
constexpr int most_projections = 100;

}  // namespace

std::size_t JointEquations::joint_of(Index freedom) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), freedom) - first_.begin() - 1);
}

void JointEquations::add_coupling(const TreeCoupling& given, const MechanismState& assembled) {
    Coupled coupled{{}, {}, {}, given.ratio, given.offset, given.is_active};
    for (std::size_t side = 0; side < 2; ++side) {
        const MeasuredFreedom& of = given.of[side];
        const auto hanging = static_cast<std::size_t>(of.hanging), e = static_cast<std::size_t>(of.element);
        const ModelElement& element = model_.elements[e];
        coupled.freedom[side] = first_[hanging] + of.freedom;
        coupled.sign[side] = std::copysign(1.0, cosine(element, hanging, of.freedom, assembled));
        coupled.value_at_start[side] = element.kind == RowKind::angle ? counted_angle(model_, assembled, e)
                                                                      : element_terms(model_, assembled, e).phi[0];
    }
    couplings_.push_back(coupled);
    if (given.is_active) ++rows_;
}

// A slide or an angle, by what it has changed since the configuration zero.
double JointEquations::coordinate(const JointState& at, Index freedom) const {
    const std::size_t joint = joint_of(freedom);
    const auto slot = static_cast<std::size_t>(freedom - first_[joint]),
               slides = static_cast<std::size_t>(slides_of(bodies_[joint].joint));
    return slot < slides ? at.q[joint].slides[slot] : at.q[joint].angles[slot - slides];
}

VectorXd JointEquations::gradient_of(const Coupled& coupling) const {
    VectorXd gradient = VectorXd::Zero(twin_.freedoms());
    gradient[coupling.freedom[1]] += coupling.sign[1];
    gradient[coupling.freedom[0]] -= coupling.ratio * coupling.sign[0];
    return gradient;
}

JointRows JointEquations::joint_rows(const JointState& at, const JointedBodies& bodies,
                                     const MechanismTerms& terms) const {
    JointRows rows{VectorXd(rows_), VectorXd(rows_), VectorXd(rows_), MatrixXd(rows_, size())};
    rows.value.head(beside_rows_) = terms.constraint;
    rows.rate.head(beside_rows_) = terms.constraint_rate;
    rows.acceleration_term.head(beside_rows_) =
        terms.acceleration_term + terms.constraint_jacobian * bodies.acceleration;
    rows.gradient.topRows(beside_rows_) = terms.constraint_jacobian * bodies.jacobian;
    Index row = beside_rows_;
    for (const Coupled& coupling : couplings_) {
        if (!coupling.is_active) continue;
        const auto value = [&](std::size_t side) {
            return coupling.value_at_start[side] + coupling.sign[side] * coordinate(at, coupling.freedom[side]);
        };
        const VectorXd gradient = gradient_of(coupling);
        rows.value[row] = value(1) - coupling.ratio * value(0) - coupling.offset;
        rows.rate[row] = gradient.dot(all(at.v, at.time_s, 1));
        rows.acceleration_term[row] = gradient.dot(all(VectorXd::Zero(size()), at.time_s, 2));
        rows.gradient.row(row++) = gradient(free_).transpose();
    }
    return rows;
}

JointState JointEquations::nearest_on_rows(JointState at, const std::vector<Index>& movable,
                                           const std::vector<Index>& movable_rates, VectorXd& moved) const {
    const VectorXd none = VectorXd::Zero(size());
    const auto correction = [&](const std::vector<Index>& of, bool of_rates) {
        const JointedBodies here = bodies(at, none);
        const MechanismTerms terms = this->terms(here, VectorXd::Zero(rows_));
        const JointRows rows = joint_rows(at, here, terms);
        const MatrixXd mass = here.jacobian.transpose() * terms.mass * here.jacobian;
        VectorXd found = none;
        found(of) =
            solved_accelerations(mass(of, of), rows.gradient(Eigen::all, of),
                                 VectorXd::Zero(static_cast<Index>(of.size())), of_rates ? rows.rate : rows.value)
                .acceleration;
        return std::pair(found, displacement_norm(model_, here.jacobian * found));
    };
    const VectorXd rates = at.v;
    NewtonIteration newton(most_projections, NewtonMatrix::of_its_point, "the rows were not met");
    for (bool ended = movable.empty(); !ended;) {
        const auto [found, length] = correction(movable, false);
        moved += found;
        at = this->moved(at, found, rates, at.time_s);
        ended = newton.ends_with(length);
    }
    if (!movable_rates.empty()) at.v += correction(movable_rates, true).first;
    return at;
}

JointState JointEquations::on_rows(const JointState& from) const {
    if (rows_ == 0 || size() == 0) return from;
    std::vector<Index> movable(static_cast<std::size_t>(size()));
    std::iota(movable.begin(), movable.end(), Index{0});
    VectorXd moved = VectorXd::Zero(size());
    return nearest_on_rows(from, movable, movable, moved);
}

JointState JointEquations::placed_on_rows(const JointState& from) const {
    if (rows_ == 0 || size() == 0) return from;
    std::vector<Index> movable(static_cast<std::size_t>(size()));
    std::iota(movable.begin(), movable.end(), Index{0});
    VectorXd moved = VectorXd::Zero(size());
    return nearest_on_rows(from, movable, {}, moved);
}

// Coordinates to which the file gives a start value stay, and given rates, unless the couplings contradict these.
void JointEquations::meet_couplings() {
    const auto free_ones = [&](const auto& is_held) {
        std::vector<Index> movable;
        for (Index i = 0; i < size(); ++i) {
            const auto held =
                std::find_if(model_.tree.held.begin(), model_.tree.held.end(), [&](const HeldFreedom& one) {
                    return first_[static_cast<std::size_t>(one.hanging)] + one.freedom ==
                           free_[static_cast<std::size_t>(i)];
                });
            if (held == model_.tree.held.end() || !is_held(*held)) movable.push_back(i);
        }
        return movable;
    };
    const std::vector<Index> movable = free_ones([](const HeldFreedom& one) { return one.position; });
    VectorXd moved = VectorXd::Zero(size());
    const JointState given = start_;
    const double length = std::max(1.0, model_.length_scale_m);
    MechanismMotion start;
    const auto meet = [&](const std::vector<Index>& movable_rates) {
        moved.setZero();
        try {
            start_ = nearest_on_rows(given, movable, movable_rates, moved);
        } catch (const StepFailure&) {
            return false;
        }
        start = {bodies(start_, VectorXd::Zero(size())).state, VectorXd(), VectorXd()};
        add_couplings_to(start, VectorXd::Zero(rows_));
        const double speed = start_.v.size() > 0 ? start_.v.lpNorm<Eigen::Infinity>() : 0.0;
        return start.coupling_rate_residual <= coupling_tolerance * std::max(1.0, speed) * length;
    };
    const bool is_met = meet(free_ones([](const HeldFreedom& one) { return one.rate || one.given_rate; })) ||
                        meet(free_ones([](const HeldFreedom& one) { return one.rate; })) ||
                        meet(free_ones([](const HeldFreedom&) { return false; }));
    if (!is_met || !(start.coupling_residual <= coupling_tolerance * length))
        throw StepFailure{"assembly_failed", "no start meets all couplings"};
    for (Index i = 0; i < size(); ++i) {
        const Index freedom = free_[static_cast<std::size_t>(i)];
        const std::size_t joint = joint_of(freedom);
        if (freedom - first_[joint] < slides_of(bodies_[joint].joint)) moved[i] /= model_.length_scale_m;
    }
    start_change_ = {moved.norm(), change_of_given_rates(given)};
}

double JointEquations::change_of_given_rates(const JointState& before) const {
    double sum = 0.0;
    for (const HeldFreedom& held : model_.tree.held) {
        const auto joint = static_cast<std::size_t>(held.hanging);
        const auto at = std::find(free_.begin(), free_.end(), first_[joint] + held.freedom) - free_.begin();
        if (!held.rate || at == size()) continue;
        const double size = held.freedom < slides_of(bodies_[joint].joint) ? model_.length_scale_m : 1.0;
        sum += std::pow((start_.v[at] - before.v[at]) / size, 2);
    }
    const VectorXd none = VectorXd::Zero(size());
    const MechanismState old = bodies(before, none).state, now = bodies(start_, none).state;
    for (const ModelStartMotion& motion : model_.start_motions) {
        const auto b = static_cast<std::size_t>(motion.body);
        const ModelBody& body = model_.bodies[b];
        const auto of_point = [&](const BodyState& of) -> Eigen::Vector3d {
            return of.velocity - of.orientation * of.angular_velocity.cross(motion.from_origin);
        };
        if (body.gives_angular_velocity)
            sum += (now.bodies[b].angular_velocity - old.bodies[b].angular_velocity).squaredNorm();
        if (body.gives_velocity)
            sum += ((of_point(now.bodies[b]) - of_point(old.bodies[b])) / model_.length_scale_m).squaredNorm();
    }
    return std::sqrt(sum);
}

void JointEquations::add_couplings_to(MechanismMotion& motion, const VectorXd& multipliers) const {
    motion.coupling_multipliers = VectorXd::Zero(static_cast<Index>(couplings_.size()));
    Index row = beside_rows_;
    for (std::size_t c = 0; c < couplings_.size(); ++c) {
        const TreeCoupling& coupling = model_.tree.couplings[c];
        if (coupling.is_active) motion.coupling_multipliers[static_cast<Index>(c)] = multipliers[row++];
        double value = -coupling.offset, rate = 0.0;
        for (std::size_t side = 0; side < 2; ++side) {
            const double factor = side == 1 ? 1.0 : -coupling.ratio;
            const ElementTerms terms =
                element_terms(model_, motion.state, static_cast<std::size_t>(coupling.of[side].element));
            value += factor * terms.phi[0], rate += factor * terms.rate[0];
        }
        motion.coupling_residual = std::max(motion.coupling_residual, std::abs(value));
        motion.coupling_rate_residual = std::max(motion.coupling_rate_residual, std::abs(rate));
    }
}

// B^T lambda of the couplings, on the bodies.
VectorXd JointEquations::force_of_couplings(const MechanismMotion& motion) const {
    VectorXd force = VectorXd::Zero(6 * static_cast<Index>(model_.bodies.size()));
    for (std::size_t c = 0; c < model_.tree.couplings.size(); ++c) {
        const TreeCoupling& coupling = model_.tree.couplings[c];
        for (std::size_t of = 0; of < 2; ++of) {
            const double factor =
                motion.coupling_multipliers[static_cast<Index>(c)] * (of == 1 ? 1.0 : -coupling.ratio);
            const auto e = static_cast<std::size_t>(coupling.of[of].element);
            const ElementTerms terms = element_terms(model_, motion.state, e);
            for (Index side = 0; side < 2; ++side) {
                const int body = model_.elements[e].body[static_cast<std::size_t>(side)];
                if (body >= 0)
                    force.segment<6>(6 * body) += factor * terms.jacobian.row(0).segment<6>(6 * side).transpose();
            }
        }
    }
    return force;
}

}  // namespace myriad::reference
