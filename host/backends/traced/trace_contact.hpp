// Traces a run of a mechanism in joint coordinates by a method with contact.
//
// A traced step has room for all contacts that may close, or for those that a lane chooses
// (kernels/contact/contact_choice.hpp). Not handled: what is rare; a lane that wants it stays behind.
#pragma once
#include "host/backends/traced/trace_run.hpp"
#include "kernels/integrators/contact/ed_alpha.hpp"
#include "kernels/integrators/contact/half_explicit.hpp"
#include "kernels/integrators/contact/members.hpp"
#include "kernels/joint_coordinates/contact_equations.hpp"
#include "kernels/joint_coordinates/contact_records.hpp"
#include "kernels/joint_coordinates/stage_equations.hpp"

namespace myriad::backends {

template <class Number>
std::optional<TracedRun> trace_contact_in(const Task& task, const KnownParameters& known, graph::Rules rules) {
    const auto is = [&](const char* name) { return task.integrator == name; };
    if (is(MoreauWithJoints::name)) return trace_by<Timestepping<MoreauWithJoints>, Number>(task, known, rules);
    if (is(HalfExplicitWithJoints::name))
        return trace_by<Timestepping<HalfExplicitWithJoints>, Number>(task, known, rules);
    if (is(NonsmoothGeneralizedAlpha::name))
        return trace_by<Timestepping<NonsmoothGeneralizedAlpha>, Number>(task, known, rules);
    if (is(BatheWithJoints::name)) return trace_by<Timestepping<BatheWithJoints>, Number>(task, known, rules);
    if (is(NonsmoothEdAlpha::name)) return trace_by<Timestepping<NonsmoothEdAlpha>, Number>(task, known, rules);
    return std::nullopt;
}

}  // namespace myriad::backends
