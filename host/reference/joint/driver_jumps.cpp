#include "host/reference/joint/driver_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/joint/joint_equations.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// Shares of the sizes of rates, accelerations and values; as the kernels take them.
constexpr double least_jump_of_rate = 1e-9, least_jump_of_acceleration = 1e-6, least_jump_of_value = 1e-6;
// A rate changes in the moment until a corner is seen; a power of the time until then by some times its slope.
constexpr double moments_unseen = 16.0;
constexpr int most_corners = 8;
constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

std::vector<TimeFunction> functions_of_drivers(const MechanismModel& model) {
    std::vector<TimeFunction> functions;
    for (const ModelElement& element : model.elements) {
        if (element.has_law || element.is_sensor || element.function < 0) continue;
        functions.push_back(model.functions[static_cast<std::size_t>(element.function)]);
    }
    return functions;
}

// The first corner of functions in a span, the span being halved until intervals tell or it is less than a moment.
class FirstCorner {
  public:
    struct Found {
        double side_s, before_s, time_s;  // branches are the ones of side_s up to before_s
        bool is_sharp;                    // without branches
    };

    FirstCorner(const std::vector<TimeFunction>& functions, double begin_s, double end_s, double length)
        : functions_(functions),
          length_(length),
          shortest_sampled_s_((end_s - begin_s) / 64.0),
          side_s_(begin_s),
          branches_(branches(begin_s)) {}

    std::optional<Found> between(double from_s, double to_s) {
        const bool is_sure = ++looks_ < most_sure_looks;
        const auto passage = is_sure                               ? passage_over(from_s, to_s)
                             : to_s - from_s > shortest_sampled_s_ ? Passage::may_turn
                             : branches(to_s) == branches_         ? Passage::stays
                                                                   : Passage::may_turn;
        if (passage == Passage::stays) return std::nullopt;
        const double middle_s = 0.5 * (from_s + to_s);
        if (to_s - from_s > 0.25 * (moment_after(from_s) - from_s) && from_s < middle_s && middle_s < to_s) {
            const std::optional<Found> first = between(from_s, middle_s);
            return first ? first : between(middle_s, to_s);
        }
        const bool is_sharp = passage == Passage::may_have_a_corner_without_branches;
        if (is_sharp || differ(to_s)) return Found{side_s_, from_s, to_s, is_sharp};
        side_s_ = to_s, branches_ = branches(to_s);
        return std::nullopt;
    }

  private:
    using Passage = TimeFunction::Passage;
    static constexpr int most_sure_looks = 600;
    static constexpr double rounding = 0x1p-46;  // of the functions on both sides of a corner

    std::vector<std::vector<int>> branches(double time_s) const {
        std::vector<std::vector<int>> all;
        for (const TimeFunction& function : functions_) all.push_back(function.branches_at(moment_after(time_s)));
        return all;
    }
    // Whether the functions of a time are others than with the branches from before.
    bool differ(double time_s) const {
        for (const TimeFunction& function : functions_) {
            const auto f = with_derivatives(function.with_branches_of(moment_after(side_s_)), time_s),
                       g = with_derivatives(function.with_branches_of(moment_after(time_s)), time_s);
            for (std::size_t k = 0; k < f.size(); ++k) {
                const double scale = (k == 0 ? length_ : 0.0) + std::abs(f[k]) + std::abs(g[k]);
                const bool have_none = std::isnan(f[k]) && std::isnan(g[k]);
                if (!have_none && f[k] != g[k] && !(std::abs(g[k] - f[k]) <= rounding * scale)) return true;
            }
        }
        return false;
    }
    Passage passage_over(double from_s, double to_s) const {
        const Interval times{moment_after(from_s), moment_after(to_s)};
        Passage worst = Passage::stays;
        for (std::size_t i = 0; i < functions_.size(); ++i)
            worst = std::max(worst, functions_[i].passage(times, branches_[i]));
        return worst;
    }

    const std::vector<TimeFunction>& functions_;
    double length_, shortest_sampled_s_, side_s_;
    std::vector<std::vector<int>> branches_;
    int looks_ = 0;
};

}  // namespace

bool FoundJump::lies_before(double end_s) const {
    return time_s < end_s - moments_unseen * (moment_after(end_s) - end_s);
}

std::optional<FoundJump> first_jump(const MechanismModel& model, double begin_s, double end_s, Bends bends) {
    if (model.branch_time_s == nullptr) return std::nullopt;
    const std::vector<TimeFunction> drivers = functions_of_drivers(model);
    const double length = std::min(1.0, model.length_scale_m), h = end_s - begin_s,
                 unseen = moments_unseen * (moment_after(end_s) - end_s);
    std::optional<FoundJump> first;
    double from = begin_s;
    for (int corner = 0; corner < most_corners; ++corner) {
        const auto next = FirstCorner(drivers, from, end_s, length).between(from, end_s);
        if (!next) return first;
        const double low = next->before_s, high = next->time_s;
        bool breaks = next->is_sharp, jumps = false;
        const bool may_bend = bends == Bends::within || (bends == Bends::at_its_end && end_s - high <= unseen);
        for (const TimeFunction& driver : drivers) {
            const auto f = with_derivatives(driver.with_branches_of(moment_after(next->side_s)), low),
                       g = with_derivatives(driver.with_branches_of(moment_after(high)), high);
            const double rates = std::abs(f[1]) + std::abs(g[1]), accelerations = std::abs(f[2]) + std::abs(g[2]);
            breaks |= std::abs(g[0] - f[0]) >
                      least_jump_of_value * (length + std::abs(f[0]) + std::abs(g[0])) + unseen * rates;
            jumps |=
                std::abs(g[1] - f[1]) > least_jump_of_rate * (rates + h * accelerations) + unseen * accelerations ||
                (may_bend &&
                 std::abs(g[2] - f[2]) > least_jump_of_acceleration * accelerations + least_jump_of_rate * rates / h);
        }
        if (breaks) throw StepFailure{"invalid_parameter", "the value of a driver jumps, or a corner has no branches"};
        if (jumps && !first) first = {moment_after(next->side_s), high};
        if (first && bends == Bends::within) return first;
        from = high;
    }
    return first;
}

std::optional<FoundJump> keep_branches(const MechanismModel& model, double begin_s, double end_s, Bends bends) {
    if (model.branch_time_s == nullptr) return std::nullopt;
    const std::optional<FoundJump> jump = first_jump(model, begin_s, end_s, bends);
    *model.branch_time_s = jump ? jump->before_s : nowhere;
    return jump;
}

JointJump JointEquations::jump_at(const JointState& left) const {
    const VectorXd none = VectorXd::Zero(size()), no_multipliers = VectorXd::Zero(constraint_rows(model_));
    const auto energy_of = [&](const MechanismState& state) {
        const MechanismTerms terms = mechanism_terms(model_, state, no_multipliers);
        return terms.kinetic_energy + terms.potential_energy;
    };
    JointJump jump;
    const double energy_before = energy_of(bodies(left, none).state);
    const VectorXd rates_before = prescribed_motion(left.time_s, 1);
    const double branch_time = *model_.branch_time_s;
    *model_.branch_time_s = nowhere;
    jump.state = placed_on_rows(moved(left, none, left.v, left.time_s));
    const VectorXd rates_after = prescribed_motion(left.time_s, 1);
    jump.change = rates_after - rates_before, jump.mean = 0.5 * (rates_after + rates_before);

    const JointedBodies here = bodies(jump.state, none);
    std::vector<Index> driven;
    for (const Prescribed& one : prescribed_) driven.push_back(one.freedom);
    const std::vector<MatrixXd> jacobians = twin_.jacobians(jump.state.q);
    jump.jacobian_of_drivers = MatrixXd(here.jacobian.rows(), prescribed());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        jump.jacobian_of_drivers.middleRows<6>(6 * model_.tree.bodies[b].body) = jacobians[b](Eigen::all, driven);
    jump.bodies_before = velocity_vector(here.state) - jump.jacobian_of_drivers * jump.change;
    MechanismState before = here.state;
    set_velocity(before, jump.bodies_before);
    jump.work_of_moving_j = energy_of(before) - energy_before;

    const MechanismTerms after_terms = terms(here, VectorXd::Zero(rows_));
    jump.mass = after_terms.mass, jump.jacobian = here.jacobian;
    jump.constraint_jacobian = after_terms.constraint_jacobian;
    jump.load = -(here.jacobian.transpose() * (jump.mass * (jump.jacobian_of_drivers * jump.change)));
    jump.rates = joint_rows(jump.state, here, after_terms).rate;
    jump.mean_phi_t = 0.5 * after_terms.constraint_phi_t;
    *model_.branch_time_s = branch_time;
    jump.mean_phi_t += 0.5 * terms(here, VectorXd::Zero(rows_)).constraint_phi_t;
    *model_.branch_time_s = nowhere;
    return jump;
}

double JointEquations::work_of(const JointJump& jump, const VectorXd& z, const VectorXd& impulses,
                               const VectorXd& loads) const {
    const VectorXd beside = impulses.head(beside_rows_);
    const VectorXd on_bodies = jump.mass * (jump.jacobian * z + jump.jacobian_of_drivers * jump.change) +
                               jump.constraint_jacobian.transpose() * beside - loads;
    VectorXd of_drivers = jump.jacobian_of_drivers.transpose() * on_bodies;
    Index row = beside_rows_;
    for (const Coupled& coupling : couplings_) {
        if (!coupling.is_active) continue;
        const VectorXd gradient = gradient_of(coupling);
        for (Index p = 0; p < prescribed(); ++p)
            of_drivers[p] += gradient[prescribed_[static_cast<std::size_t>(p)].freedom] * impulses[row];
        ++row;
    }
    return jump.work_of_moving_j + of_drivers.dot(jump.mean) + beside.dot(jump.mean_phi_t);
}

JointEquations::Behind JointEquations::behind_jump(const JointState& left, const MechanismMotion& motion,
                                                   bool is_inside) const {
    // With the functions from before the jump: jump_at takes the ones behind it.
    const double work_rate = mechanism_terms(model_, motion.state, motion.multipliers).work_rate;
    const JointJump jump = jump_at(left);
    Behind behind{jump.state, {VectorXd::Zero(size()), VectorXd::Zero(rows_)}, {}};
    if (size() > 0) {
        const MatrixXd& J = jump.jacobian;
        const JointedBodies here = bodies(behind.state, VectorXd::Zero(size()));
        const MatrixXd gradient = joint_rows(behind.state, here, terms(here, VectorXd::Zero(rows_))).gradient;
        behind.accelerations = solved_accelerations(J.transpose() * jump.mass * J, gradient, jump.load, jump.rates);
    }
    const AccelerationSolution impulse = std::move(behind.accelerations);
    behind.state.v += impulse.acceleration;
    behind.accelerations = accelerations(behind.state);
    behind.motion =
        this->motion(bodies(behind.state, behind.accelerations.acceleration), behind.accelerations.multipliers);
    behind.state.counted_angles = behind.motion.state.counted_angles;
    auto just_before = std::make_shared<MechanismMotion>(motion);
    just_before->state = bodies(jump.state, VectorXd::Zero(size())).state;
    just_before->state.counted_angles = behind.state.counted_angles;
    set_velocity(just_before->state, jump.bodies_before);
    behind.motion.jump = JumpOfDrivers{
        work_rate, work_of(jump, impulse.acceleration, impulse.multipliers, VectorXd::Zero(jump.mass.rows())),
        jump.work_of_moving_j, std::move(just_before), is_inside};
    return behind;
}

}  // namespace myriad::reference
