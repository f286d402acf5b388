// Strikes within a step: contacts that were open at its begin and close or pass in it.
//
//   way        from the begin to the end that the method finds without them, over T:  q = q_0 o exp(T r v_0 + r^2
//              (x - T v_0)),  v = v_0 + r (v_1 - v_0),  x from q_0 to q_1, r: share of the way
//   touch      the first r at which the gap is -d, by halving. It lies before the closest approach of a contact that
//              passes. d = 0 with a restitution; else d = T |W (v_1 - v_0)| / 2, so that round-off opens no contact
//              that stays: what the acceleration adds in a step
//   strike     an impact there of all contacts that are closed or touch. Accelerations a follow with the laws of the
//              closed contacts, u + D a at the end after D; a contact that rebounds has no force
//   rest       q = q_r o exp(D v + D^2 a / 2),  v = v_r + D a,  put back on the joints: a new way, on which other
//              contacts may touch. The next step begins with a. After too many, those closed at the end strike there
//   work       powers before the first touch are those between begin and end of the way, later ones those of its end
//
// A contact that was closed at the begin has the laws of closed contacts, without restitution. So Moreau's rule leaves
// out the contacts of its middle that were open then. A contact that rebounds and falls back in the same step strikes
// again, without restitution. Schemes do not stand closed contacts that approach at the begin of a step, and contacts
// with different restitutions may have no solution. Gaps may be off by the square of the step. Not handled: gaps that
// close and open again, but between round surfaces.
#include <algorithm>
#include <cmath>

#include "host/reference/contact/contact_integrator.hpp"

namespace myriad::reference {

using Eigen::VectorXd;

namespace {

constexpr int most_strikes = 8, halvings_to_touch = 60;
// A share of the step. Over a shorter time, the velocities that an impact's problem leaves would be large
// accelerations. Contacts that depend on each other do not meet these.
constexpr double least_rest = 0x1p-6;

}  // namespace

ContactIntegrator::Closed ContactIntegrator::closed_in_middle(const VectorXd& gaps) const {
    Closed result = closed(gaps);
    for (std::size_t k = 0; k < result.size() && method_.strikes_within_step; ++k)
        result[k] = result[k] && at_begin_[k];
    return result;
}

ContactIntegrator::WayBegin ContactIntegrator::depart() {
    departs_on_way();
    return {closed(gaps()), velocity(), directions(), ways_apart()};
}

std::optional<ContactIntegrator::Touch> ContactIntegrator::first_touch(const WayBegin& begin, double length_s) {
    arrives_on_way();
    const VectorXd end = begin.directions * velocity_of_way_end(), change = end - begin.directions * begin.velocity;
    const Eigen::Matrix3Xd apart = ways_apart();
    constexpr double never = 2.0;
    std::vector<double> shares(begin.closed.size(), never);
    for (int k = 0; k < sizes_.contacts; ++k) {
        const auto place = static_cast<std::size_t>(k);
        const Index normal = sizes_.rows_per_contact * k;
        const bool falls_back = begin.closed[place] && rebounded_[place] && end[normal] < 0.0;
        if ((begin.closed[place] && !falls_back) || !is_unilateral(k)) continue;
        const bool closes = contacts_.gap[k] <= method_.gap_tolerance_m;
        const std::optional<ContactPass> pass = pass_by(k, begin.apart.col(k), apart.col(k));
        if (!closes && (!pass || falls_back)) continue;
        const bool rebounds = law(k).normal_restitution > 0.0 && !falls_back;
        const double depth = rebounds ? 0.0 : 0.5 * length_s * std::abs(change[normal]);
        const auto is_outside = [&](double at) { return gaps_on_way(at)[k] + depth > 0.0; };
        double outside = 0.0, inside = closes ? 1.0 : pass->closest;
        if (is_outside(inside)) {
            if (closes) shares[place] = 1.0;
            continue;
        }
        for (int i = 0; i < halvings_to_touch; ++i) {
            const double middle = 0.5 * (outside + inside);
            (is_outside(middle) ? outside : inside) = middle;
        }
        shares[place] = inside;
    }
    const auto first = std::min_element(shares.begin(), shares.end());
    if (first == shares.end() || *first == never) return std::nullopt;
    Touch touch{*first, {}};
    const VectorXd there = gaps_on_way(touch.share);
    for (std::size_t k = 0; k < shares.size(); ++k)
        touch.struck.push_back(shares[k] == touch.share ||
                               (shares[k] != never && there[static_cast<Index>(k)] <= method_.gap_tolerance_m));
    return touch;
}

void ContactIntegrator::keep_share(const ContactRecord& before, double share) {
    const auto keep = [&](double ContactRecord::*entry) {
        record_.*entry = std::lerp(before.*entry, record_.*entry, share);
    };
    keep(&ContactRecord::friction_loss_j), keep(&ContactRecord::impact_loss_j), keep(&ContactRecord::wear_work_j);
}

void ContactIntegrator::meet_strikes(Touch touch, double h, double end_s) {
    WayBegin begin{at_begin_, {}, {}, {}};
    contacts_.struck = true;
    for (int strikes = 1;; ++strikes) {
        stop_on_way(touch.share);
        const double rest_s = end_s - time_s();
        if (record_.first_contact_s < 0.0) record_.first_contact_s = time_s();
        Closed at_touch = closed(gaps()), held;
        for (std::size_t k = 0; k < at_touch.size(); ++k) {
            at_touch[k] = at_touch[k] || touch.struck[k];
            if (touch.struck[k] && begin.closed[k]) rebounds_ = false;
        }
        for (std::size_t k = 0; k < at_touch.size(); ++k) {
            if (touch.struck[k]) rebounded_[k] = rebounds_ && law(static_cast<int>(k)).normal_restitution > 0.0;
            held.push_back(at_touch[k] && !rebounded_[k]);
        }
        const auto show = [&] { contacts_.gap = gaps(), contacts_.velocity = directions() * velocity(); };
        if (before_jump) show(), before_jump(false);
        impact(at_touch);
        rebounds_ = true;
        first_acceleration(held, std::max(rest_s, least_rest * h));
        if (behind_jump) show(), behind_jump();
        begin = depart();
        for (std::size_t k = 0; k < at_touch.size(); ++k) begin.closed[k] = begin.closed[k] || touch.struck[k];
        go_on(end_s);
        arrives();
        contacts_.gap = gaps();
        const std::optional<Touch> next = first_touch(begin, rest_s);
        const bool is_crowded = next && strikes == most_strikes;
        work_rate_w_ = work_rate();
        const FrictionWork power = friction_power();
        friction_power_w_ = power.lost, wear_power_w_ = power.worn;
        const double part_s = next && !is_crowded ? next->share * rest_s : rest_s;
        work_j_ += part_s * (work_rate_w_.others + work_rate_w_.drivers);
        record_.friction_loss_j += part_s * power.lost, record_.wear_work_j += part_s * power.worn;
        if (is_crowded) {
            record_.crowded += 1.0;
            stand_before_jump(0.0, false);
            is_struck();
            impact(closed(contacts_.gap));
            work_rate_w_ = work_rate();
        }
        if (!next || is_crowded) break;
        touch = *next;
    }
    algorithmic_ = accelerations();
}

}  // namespace myriad::reference
