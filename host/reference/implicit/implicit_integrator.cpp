#include "host/reference/implicit/implicit_integrator.hpp"

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"
#include "host/reference/implicit/implicit_start.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

ImplicitIntegrator::ImplicitIntegrator(const MechanismModel& model, const ImplicitMethod& method,
                                       const MechanismMotion& start)
    : model_(model), method_(method), motion_(start) {
    for (const BodyState& body : start.state.bodies) {
        charts_.push_back(make_orientation_chart(method.chart, body.orientation));
        coordinates_ += 3 + charts_.back()->size();
        conditions_ += charts_.back()->condition(VectorXd::Zero(charts_.back()->size())).size();
    }
    rates_.resize(coordinates_), second_rates_.resize(coordinates_);
    Index q = 0, x = 0;
    for (std::size_t b = 0; b < charts_.size(); ++b) {
        const OrientationChart& chart = *charts_[b];
        const BodyState& body = start.state.bodies[b];
        const VectorXd none = VectorXd::Zero(chart.size()), rates = chart.rates(none, body.angular_velocity);
        rates_.segment(q, 3 + chart.size()) << body.velocity, rates;
        second_rates_.segment(q, 3 + chart.size()) << start.acceleration.segment<3>(x),
            chart.second_rates(none, rates, start.acceleration.segment<3>(x + 3));
        q += 3 + chart.size(), x += 6;
    }
    algorithmic_ = second_rates_;
}

ImplicitIntegrator::Trial ImplicitIntegrator::trial(const ImplicitUpdate& update, const VectorXd& second_rates,
                                                    double time_s) const {
    const Index velocities = 6 * static_cast<Index>(charts_.size());
    Trial trial;
    trial.state = motion_.state;
    trial.state.time_s = time_s;
    trial.increment = update.increment_start + update.increment_slope * second_rates;
    const VectorXd rates = update.rates_start + update.rates_slope * second_rates;
    trial.acceleration.resize(velocities), trial.condition.resize(conditions_);
    trial.displacement_slope = trial.velocity_slope = trial.acceleration_slope =
        MatrixXd::Zero(velocities, coordinates_);
    trial.condition_slope = MatrixXd::Zero(conditions_, coordinates_);

    const double by_increment = update.increment_slope, by_rates = update.rates_slope;
    Index q = 0, x = 0, c = 0;
    for (std::size_t b = 0; b < charts_.size(); ++b) {
        const Index l = charts_[b]->size(), rho = q + 3, r = x + 3;
        BodyState& body = trial.state.bodies[b];
        body.position += trial.increment.segment<3>(q);
        body.velocity = rates.segment<3>(q);
        trial.acceleration.segment<3>(x) = second_rates.segment<3>(q);
        trial.displacement_slope.block<3, 3>(x, q) = by_increment * Eigen::Matrix3d::Identity();
        trial.velocity_slope.block<3, 3>(x, q) = by_rates * Eigen::Matrix3d::Identity();
        trial.acceleration_slope.block<3, 3>(x, q) = Eigen::Matrix3d::Identity();

        const VectorXd increment = trial.increment.segment(rho, l);
        const ChartMotion motion = charts_[b]->motion(increment, rates.segment(rho, l), second_rates.segment(rho, l));
        body.orientation = motion.orientation;
        body.angular_velocity = motion.angular_velocity;
        trial.acceleration.segment<3>(r) = motion.angular_acceleration;
        trial.displacement_slope.block(r, rho, 3, l) = by_increment * motion.displacement_by_coordinates;
        trial.velocity_slope.block(r, rho, 3, l) =
            by_increment * motion.velocity_by_coordinates + by_rates * motion.velocity_by_rates;
        trial.acceleration_slope.block(r, rho, 3, l) = by_increment * motion.acceleration_by_coordinates +
                                                       by_rates * motion.acceleration_by_rates +
                                                       motion.acceleration_by_second_rates;
        const VectorXd condition = charts_[b]->condition(increment);
        trial.condition.segment(c, condition.size()) = condition;
        trial.condition_slope.block(c, rho, condition.size(), l) =
            by_increment * charts_[b]->condition_jacobian(increment);
        q += 3 + l, x += 6, c += condition.size();
    }
    return trial;
}

void ImplicitIntegrator::shift_start(double h) {
    has_started_ = true;
    if (method_.published_start || motion_.multipliers.size() == 0) return;
    const ImplicitStart start = implicit_start(model_, motion_, charts_, method_.name, method_.spectral_radius,
                                               method_.chart == "rotation", h, rates_, second_rates_);
    rates_ = start.rates, algorithmic_ = start.algorithmic;
}

void ImplicitIntegrator::step(double end_s) {
    if (!has_started_) shift_start(end_s - motion_.state.time_s);
    const ImplicitUpdate update = implicit_update(method_.name, method_.spectral_radius, end_s - motion_.state.time_s,
                                                  rates_, second_rates_, algorithmic_);
    const Index velocities = 6 * static_cast<Index>(charts_.size());
    const Index rows = motion_.multipliers.size(), size = coordinates_ + rows;
    // Constraints in units of an acceleration, or their rows would be as small as h^2 beside those of the masses.
    const double scale = 1.0 / update.increment_slope;

    VectorXd second_rates = second_rates_, multipliers = motion_.multipliers;
    NewtonIteration newton(method_.most_newton_iterations);
    for (bool ended = false; !ended;) {
        const Trial trial = this->trial(update, second_rates, end_s);
        const MechanismTerms terms = mechanism_terms(model_, trial.state, multipliers);
        VectorXd residual(size);
        residual << terms.mass * trial.acceleration + terms.constraint_jacobian.transpose() * multipliers - terms.force,
            scale * terms.constraint, scale * trial.condition;
        MatrixXd jacobian = MatrixXd::Zero(size, size);
        jacobian.topLeftCorner(velocities, coordinates_) =
            terms.mass * trial.acceleration_slope - terms.force_by_velocity * trial.velocity_slope +
            (terms.reaction_by_displacement - terms.force_by_displacement) * trial.displacement_slope;
        jacobian.topRightCorner(velocities, rows) = terms.constraint_jacobian.transpose();
        jacobian.block(velocities, 0, rows, coordinates_) =
            scale * terms.constraint_jacobian * trial.displacement_slope;
        jacobian.block(velocities + rows, 0, conditions_, coordinates_) = scale * trial.condition_slope;
        if (!residual.allFinite() || !jacobian.allFinite())
            throw StepFailure{"not_finite", "the equations of the step are not finite"};

        const Decomposition<double> decomposition = decomposed_newton_matrix(jacobian);
        const VectorXd correction = decomposition.solve(-residual);
        if (!correction.allFinite()) throw StepFailure{"not_finite", "a correction of the step is not finite"};
        second_rates += correction.head(coordinates_);
        multipliers += correction.tail(rows);
        iterations_ = newton.corrections() + 1;
        ended = newton.ends_with(displacement_norm(model_, trial.displacement_slope * correction.head(coordinates_)));
    }

    Trial end = trial(update, second_rates, end_s);
    Index q = 3;
    for (const std::unique_ptr<OrientationChart>& chart : charts_) {
        if (method_.chart == "rotation" &&
            !(end.increment.segment(q, chart->size()).norm() <= method_.largest_step_rotation_rad))
            throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
        q += chart->size() + 3;
    }
    count_angles(model_, end.state);
    rates_ = update.rates_start + update.rates_slope * second_rates;
    algorithmic_ = update.algorithmic_start + update.algorithmic_slope * second_rates;
    second_rates_ = second_rates;
    q = 3;
    for (std::unique_ptr<OrientationChart>& chart : charts_) {
        chart->advance(end.increment.segment(q, chart->size()));
        q += chart->size() + 3;
    }
    motion_ = {std::move(end.state), std::move(end.acceleration), std::move(multipliers)};
}

}  // namespace myriad::reference
