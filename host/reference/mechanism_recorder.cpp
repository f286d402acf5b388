#include "host/reference/mechanism_recorder.hpp"

#include <algorithm>
#include <cmath>

namespace myriad::reference {

namespace {

constexpr const char* lost_rows = "the rows that stand for a loop with redundant joints no longer hold it";

Eigen::Vector3d momentum_of(const MechanismModel& model, const MechanismState& state) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) sum += model.bodies[b].mass_kg * state.bodies[b].velocity;
    return sum;
}

Eigen::Vector3d angular_momentum_of(const MechanismModel& model, const MechanismState& state) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const ModelBody& given = model.bodies[b];
        const BodyState& body = state.bodies[b];
        sum += given.mass_kg * body.position.cross(body.velocity) +
               body.orientation * (given.inertia_kg_m2 * body.angular_velocity);
    }
    return sum;
}

}  // namespace

void MechanismRecorder::start(const AssembledStart& start, const ContactJoints* contacts) {
    result_.last.assembly_correction = start.correction;
    result_.last.velocity_correction = start.velocity_correction;
    if (watches_loops_) redundant_ = redundant_rows(model_, start.motion.state);
    observe(contacts != nullptr ? contacts->motion() : start.motion, 0, nullptr, contacts);
}

void MechanismRecorder::step(const MechanismMotion& motion, int iterations, const MomentumRecord* record,
                             const ContactJoints* contacts) {
    if (watches_loops_) watch_loops(motion.state);
    ++result_.steps_taken;
    observe(motion, iterations, record, contacts);
    if (result_.steps_taken >= settings_.most_steps && motion.state.time_s < settings_.end_s)
        throw StepFailure{"step_limit", "the run took as many steps as it may"};
}

void MechanismRecorder::within(std::vector<MechanismMotion> motions) {
    MechanismSample sample = result_.last;
    for (MechanismMotion& motion : motions) {
        sample.motion = std::move(motion);
        settings_.within_step(sample);
    }
}

void MechanismRecorder::at_impact(const ContactJoints& contacts, bool is_behind, bool is_straight) {
    MechanismSample sample = result_.last;
    see(contacts.motion(), sample);
    sample.work_j = contacts.work(), sample.contacts = contacts.contacts();
    sample.contact_record = contacts.record(), sample.before_impact.reset();
    if (is_behind)
        settings_.behind_jump(sample);
    else
        settings_.before_jump(sample, is_straight);
}

void MechanismRecorder::end_with(const StepFailure& failure) {
    result_.status = failure.status, result_.reason = failure.reason, result_.worst_row = failure.worst_row;
    result_.in_impact = failure.in_impact;
    // Whether the rows no longer stand for their loop.
    const std::string& status = result_.status;
    const bool may_be = status == "newton_stalled" || status == "singular_matrix" || status == "not_finite" ||
                        status == "step_too_small";
    if (may_be && watches_loops_ && settings_.joint_coordinates && are_nearly_lost(redundant_))
        result_.status = "singular_matrix", result_.reason = lost_rows;
    result_.rows_lose_rank = result_.reason == lost_rows;
}

void MechanismRecorder::watch_loops(const MechanismState& state) {
    RedundantRows now = redundant_rows(model_, state);
    // Bodies have other rows beside these, whose shares say nothing.
    const bool passes = settings_.passes_lost_rank || !settings_.joint_coordinates;
    if (!still_hold(redundant_, now, passes)) throw StepFailure{"singular_matrix", lost_rows};
    redundant_ = std::move(now);
}

double MechanismRecorder::see(const MechanismMotion& motion, MechanismSample& sample) const {
    const MechanismTerms terms = mechanism_terms(model_, motion.state, motion.multipliers);
    sample.motion = motion;
    sample.element_multipliers = element_multipliers(model_, motion.state, motion.multipliers);
    sample.kinetic_energy_j = terms.kinetic_energy;
    sample.potential_energy_j = terms.potential_energy;
    sample.constraint_residual = std::max(terms.largest_constraint, motion.coupling_residual);
    sample.velocity_residual = std::max(terms.largest_constraint_rate, motion.coupling_rate_residual);
    sample.generalized_energy_j = terms.kinetic_energy + terms.potential_energy;
    sample.momentum = momentum_of(model_, motion.state);
    sample.angular_momentum = angular_momentum_of(model_, motion.state);
    return terms.work_rate;
}

void MechanismRecorder::observe(const MechanismMotion& motion, int iterations, const MomentumRecord* record,
                                const ContactJoints* contacts) {
    MechanismSample& sample = result_.last;
    const double h = result_.steps_taken > 0 ? motion.state.time_s - sample.motion.state.time_s : 0.0;
    const double work_before_j = sample.work_j, work_rate = see(motion, sample);
    const double step_work_j =
        motion.step_work_j.value_or(0.5 * h * (work_rate_ + (motion.jump ? motion.jump->work_rate_before : work_rate)));
    sample.newton_iterations = iterations;
    work_rate_ = work_rate;
    sample.work_j = work_before_j + step_work_j;
    if (motion.jump) {
        if (settings_.before_jump) {
            MechanismSample before = sample;
            see(*motion.jump->before, before);
            before.work_j += motion.jump->work_of_moving_j;
            settings_.before_jump(before, motion.jump->is_inside);
        }
        sample.work_j += motion.jump->work_j;
    }
    if (record != nullptr) {
        sample.angular_momentum = record->angular_momentum.value_or(sample.angular_momentum);
        sample.work_j = record->work_j;
        sample.generalized_energy_j += record->excess_energy_j;
        sample.momentum_defect = record->momentum_defect;
        sample.quaternion_rate_residual = record->quaternion_rate_residual;
    }
    if (contacts != nullptr) add_contacts(*contacts, sample);
    if (settings_.after_step) settings_.after_step(sample);
}

void MechanismRecorder::add_contacts(const ContactJoints& contacts, MechanismSample& sample) {
    sample.work_j = contacts.work();
    sample.contacts = contacts.contacts(), sample.contact_record = contacts.record();
    sample.before_impact = contacts.before_impact();
    if (const auto& before = sample.before_impact)
        sample.element_multipliers = element_multipliers(model_, *before, sample.motion.multipliers);
    const double balance = sample.kinetic_energy_j + sample.potential_energy_j - sample.work_j +
                           sample.contact_record.friction_loss_j + sample.contact_record.impact_loss_j;
    if (result_.steps_taken == 0) balance_at_start_ = balance;
    sample.contact_energy_error_j = std::max(sample.contact_energy_error_j, std::abs(balance - balance_at_start_));
}

}  // namespace myriad::reference
