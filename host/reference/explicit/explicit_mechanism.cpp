#include "host/reference/explicit/explicit_mechanism.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::VectorXd;

ExplicitMechanism::ExplicitMechanism(const MechanismModel& model, const std::string& chart_name,
                                     const MechanismMotion& start, double largest_step_rotation_rad)
    : model_(model),
      largest_step_rotation_(largest_step_rotation_rad),
      on_the_group_(chart_name == "rotation"),
      motion_(start) {
    for (const BodyState& body : start.state.bodies) {
        charts_.push_back(make_explicit_chart(chart_name, body.orientation));
        const OrientationChart& chart = *charts_.back();
        rates_.conservativeResize(coordinates_ + 3 + chart.size());
        rates_.tail(3 + chart.size()) << body.velocity,
            chart.rates(VectorXd::Zero(chart.size()), body.angular_velocity);
        coordinates_ += 3 + chart.size();
    }
}

MechanismMotion ExplicitMechanism::at(const VectorXd& y) const {
    MechanismState state = motion_.state;
    state.time_s += y[2 * coordinates_];
    const VectorXd rates = rates_ + y.segment(coordinates_, coordinates_);
    Index q = 0;
    for (std::size_t b = 0; b < charts_.size(); ++b) {
        const Index l = charts_[b]->size();
        const VectorXd increment = y.segment(q + 3, l);
        if (on_the_group_ && !(increment.norm() <= largest_step_rotation_))
            throw StepFailure{"step_rotation_too_large", "a stage of the step turns by more than the largest rotation"};
        const ChartMotion motion = charts_[b]->motion(increment, rates.segment(q + 3, l), VectorXd::Zero(l));
        BodyState& body = state.bodies[b];
        body.position += y.segment<3>(q);
        body.velocity = rates.segment<3>(q);
        body.orientation = motion.orientation;
        body.angular_velocity = motion.angular_velocity;
        q += 3 + l;
    }
    return with_accelerations(model_, state);
}

VectorXd ExplicitMechanism::slope(const VectorXd& y) const {
    const MechanismMotion motion = at(y);
    const VectorXd rates = rates_ + y.segment(coordinates_, coordinates_);
    VectorXd slope(size());
    Index q = 0, x = 0;
    for (const std::unique_ptr<OrientationChart>& chart : charts_) {
        const Index l = chart->size();
        const VectorXd increment = y.segment(q + 3, l), chart_rates = rates.segment(q + 3, l);
        slope.segment(q, 3 + l) << rates.segment<3>(q), chart->slope(increment, chart_rates);
        slope.segment(coordinates_ + q, 3 + l) << motion.acceleration.segment<3>(x),
            chart->second_rates(increment, chart_rates, motion.acceleration.segment<3>(x + 3));
        q += 3 + l, x += 6;
    }
    slope.tail<2>() << 1.0, mechanism_terms(model_, motion.state, motion.multipliers).work_rate;
    return slope;
}

void ExplicitMechanism::advance(const VectorXd& y) {
    MechanismMotion end = at(y);
    count_angles(model_, end.state);
    rates_ += y.segment(coordinates_, coordinates_);
    Index q = 3;
    for (std::unique_ptr<OrientationChart>& chart : charts_) {
        chart->advance(y.segment(q, chart->size()));
        q += chart->size() + 3;
    }
    motion_ = std::move(end);
    motion_.step_work_j = y[size() - 1];
}

VectorXd ExplicitMechanism::magnitude(const VectorXd& y) const {
    VectorXd magnitude(2 * coordinates_);
    magnitude.tail(coordinates_) =
        rates_.cwiseAbs().cwiseMax((rates_ + y.segment(coordinates_, coordinates_)).cwiseAbs());
    Index q = 0;
    for (std::size_t b = 0; b < charts_.size(); ++b) {
        const Eigen::Vector3d& x = motion_.state.bodies[b].position;
        magnitude.segment<3>(q) = x.cwiseAbs().cwiseMax((x + y.segment<3>(q)).cwiseAbs());
        magnitude.segment(q + 3, charts_[b]->size()).setOnes();
        q += 3 + charts_[b]->size();
    }
    return magnitude;
}

}  // namespace myriad::reference
