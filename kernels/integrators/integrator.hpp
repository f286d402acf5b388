// The interface of an integrator to the loop over steps (advance.hpp).
//
// An integrator is a struct with
//   name, summary, orders, traits                what it tells people about itself: MethodOrders, MethodTraits
//   Memory<System>                               what it keeps from step to step beside q and v, visitable by fields
//   initialize(system, schedule, motion, memory) -> reason    may move the initial state onto the constraints
//   renew(system, schedule, time_s, motion, memory) -> reason
//                                                parameters have changed: forces, accelerations and momenta in memory
//                                                become those of the state under them. Moves the state only where rows
//                                                have opened
//   attempt(system, schedule, progress, begin, end, before, after, active) -> Attempt
//                                                one trial step of the lanes in
//                                                `active`; `end` and the memory `after`, all of whose fields it
//                                                writes, are taken over only by lanes that still run
// It knows no system and no backend.
#pragma once
#include "kernels/system/launch.hpp"
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Where an instance stands. Whole numbers are held in Reals: fp32 counts to 16,777,216, fp64 to 9e15.
template <class R>
struct Progress {
    using Real = R;
    Real time_s, steps, rejected, rows, status, reason, warnings;
    template <class Visit, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, Self&... self) {
        visit(self.time_s...), visit(self.steps...), visit(self.rejected...), visit(self.rows...);
        visit(self.status...), visit(self.reason...), visit(self.warnings...);
    }
};

// The outcome of one trial step
template <class Real>
struct Attempt {
    MaskOf<Real> accepted;         // false: try again with the step that the memory now holds
    MaskOf<Real> finished;         // the end of the span is reached, if accepted
    MaskOf<Real> row_due;          // the channels are to be observed, if accepted
    Real time_s;                   // after the step
    Real reason;                   // Reason::none, or why the instance must stop here
    Real weak_place = Real(-1.0);  // where a tree's matrix is singular, the place that its elimination names
};

// A method with contact, whose attempt() takes a LeftLimit or a NoLeftLimit behind the rest:
// kernels/run/left_limit.hpp.
template <class Integrator>
constexpr bool meets_impacts = false;
template <class Integrator>
requires requires { Integrator::impacts_apart; }
constexpr bool meets_impacts<Integrator> = true;

struct NoLeftLimit {
    static constexpr bool is_kept = false;
};

// Whether the steps of a method lead across a pose in which the rows that stand for a loop lose rank and the loop does
// not (kernels/joint_coordinates/spare_rows.hpp). By default they do not: near the pose these rows ask for boundless
// rates.
template <class Integrator, class Topology>
MYRIAD_HD bool passes_lost_rank(const Schedule& schedule, const Topology& topology) {
    if constexpr (requires { Integrator::passes_lost_rank(schedule, topology); })
        return Integrator::passes_lost_rank(schedule, topology);
    else
        return false;
}

}  // namespace myriad::inline MYRIAD_VARIANT
