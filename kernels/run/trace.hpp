// What Run::advance() does (advance.hpp), as straight code for a tracer: one trial step with what is looked at before
// and behind it; and the end of a launch, at which an instance that a step has left behind has not ended.
#pragma once
#include "kernels/run/step.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Integrator, class S, class Plan>
struct StraightRun : RunStep<Integrator, S, Plan> {
    using Record = RunStep<Integrator, S, Plan>;
    using Record::instance, Record::launch;
    using Record::RunStep;
    using System = S;
    using typename Record::Mask;
    using typename Record::Real;

    MYRIAD_HD void trace_step() {
        load(), load_parameters();
        const System system = prepare().system;
        Left left;
        prepare(left);
        certify_where_due(system, due_before_step());
        const Taken taken = any_step(system);
        if (step_needs_ >= 0) MYRIAD_WHEN(taken.moved) {
                System side = system;
                look_before_jump(side, taken);
                count_quantities(channels(side, step_needs_), taken);
            }
        if constexpr (keeps_left_limit)
            if (left.is_asked) MYRIAD_WHEN(taken.jumps) {
                    Taken jump = taken;
                    left.pass_jump(instance, jump);
                    MYRIAD_WHEN(left.in_middle) left.go_to_middle(instance);
                    count_quantities(channels(system, step_needs_), jump);
                    MYRIAD_WHEN(left.in_middle) {
                        left.go_on_from_middle(instance, jump);
                        count_quantities(channels(system, step_needs_), jump);
                    }
                }
        if constexpr (Plan::looks_at_rows)
            if (launch.trajectory)
                MYRIAD_WHEN(taken.row_due) store_row(channels(system, needs_of_rows()), taken.row_due);
        store_record();
    }
    MYRIAD_HD void trace_end() {
        load(), load_parameters();
        const System system = prepare().system;
        const Mask has_to_catch_up = instance.progress.status == Real(status_behind);
        certify_where_due(system, due_at_end() & !has_to_catch_up);
        store_record();
        store_state(system, launch.final_states, under_way());
        store_end_values(channels(system, needs_of_quantities(false)), under_way());
    }

  private:
    using Record::any_step, Record::certify_where_due, Record::channels, Record::count_quantities, Record::due_at_end;
    using Record::due_before_step, Record::keeps_left_limit, Record::load, Record::load_parameters;
    using Record::look_before_jump, Record::needs_of_quantities, Record::needs_of_rows, Record::prepare;
    using Record::step_needs_, Record::store_end_values, Record::store_record, Record::store_row, Record::store_state;
    using Record::under_way;
    using typename Record::Left;
    using typename Record::Taken;
};

}  // namespace myriad::inline MYRIAD_VARIANT
