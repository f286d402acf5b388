#include "host/backends/traced/interpreted_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "host/backends/cpu_variants/interpreters.hpp"
#include "host/graph/tape_run.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "kernels/run/slots.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/status.hpp"

namespace myriad::backends {

namespace {

graph::Interpreter interpreter_of(int width, graph::Format format) {
#if defined(MYRIAD_HAS_AVX512)
    if (width == 8) return avx512_interpreter(format);
#endif
#if defined(MYRIAD_HAS_AVX2)
    if (width == 4) return avx2_interpreter(format);
#endif
#if defined(MYRIAD_HAS_SCALAR_STEPS)
    if (width == 1) return scalar_interpreter(format);
#endif
    throw std::logic_error("no interpreter of this width");
}

// Fields of Progress, behind the varied parameters.
constexpr int rows_of_progress = 3, status_of_progress = 4;

// Instructions cost less per instance in larger blocks, until the slots do not fit a core's second cache.
constexpr int most_lanes = 256;
constexpr long most_block_bytes = 768 * 1024;
int block_of(const graph::Tape& tape) {
    const int numbers = tape.format == graph::Format::fp64 ? 8 : 16;  // in 64 bytes
    const int lanes = 16 * numbers;
    return 1024L * tape.slots <= most_block_bytes ? lanes : lanes / 2;
}

// The slots of a group; where they run out, the last one stands in again.
template <class Number>
struct Group {
    int block, count;
    std::array<long long, most_lanes> slot;
    Group(const Launch<Number>& launch, int block_given, long long group) : block(block_given) {
        const long long first = group * block;
        count = static_cast<int>(std::min<long long>(block, launch.slots - first));
        for (int lane = 0; lane < block; ++lane) {
            const long long entry = first + std::min(lane, count - 1);
            slot[static_cast<std::size_t>(lane)] = launch.order ? launch.order[entry] : entry;
        }
    }
    // Element `row` of `rows` of a lane's instance in an array [tile][rows][32].
    long long place(int lane, long long rows, long long row) const {
        const long long at = slot[static_cast<std::size_t>(lane)];
        return (at / tile_instances * rows + row) * tile_instances + at % tile_instances;
    }
};

}  // namespace

// The memory of one thread.
template <class Number>
class InterpretedSteps::Worker {
  public:
    explicit Worker(const InterpretedSteps& given)
        : given_(given), usual_(given.usual_, given.interpreter_, given.block_) {}

    void advance(const Launch<Number>& launch, const Group<Number>& group) {
        if (are_known(launch, group)) return advance(launch, group, usual_);
        if (!general_) general_.emplace(given_.general(), given_.interpreter_, given_.block_);
        advance(launch, group, *general_);
    }

  private:
    using Run = graph::TapeRun<Number>;
    struct Runs {
        Runs(const Tapes& tapes, const graph::Interpreter& interpreter, int block)
            : steps(tapes.step, interpreter, block), ends(tapes.end, interpreter, block) {}
        Run steps, ends;
    };
    const InterpretedSteps& given_;
    Runs usual_;
    std::optional<Runs> general_;
    std::array<Number, most_lanes> rows_before_{};

    // Whether all instances of a group have the parameters of the usual tapes.
    bool are_known(const Launch<Number>& launch, const Group<Number>& group) const {
        for (int field = 0; field < static_cast<int>(given_.known_.size()); ++field) {
            const auto known = static_cast<Number>(given_.known_[static_cast<std::size_t>(field)]);
            if (std::isnan(known)) continue;
            for (int lane = 0; lane < group.count; ++lane)
                if (launch.records[group.place(lane, given_.record_fields_, field)] != known) return false;
        }
        return true;
    }
    void advance(const Launch<Number>& launch, const Group<Number>& group, Runs& runs) {
        auto& [steps, ends] = runs;
        const int fields = given_.record_fields_;
        load(group, launch.records, fields, steps, 0);
        for (long long attempt = 0; attempt < launch.attempts && any_runs(steps); ++attempt) {
            std::copy_n(steps.field(given_.progress_ + rows_of_progress), group.block, rows_before_.begin());
            steps.run(1);
            if (given_.observed_ > 0) store_rows(launch, group, steps);
        }
        for (int field = 0; field < fields; ++field) std::copy_n(steps.field(field), group.block, ends.field(field));
        load(group, launch.final_states, given_.states_, ends, fields);
        load(group, launch.quantities, given_.quantities_, ends, fields + given_.states_);
        ends.run(1);
        store(group, launch.records, fields, ends, 0);
        store(group, launch.final_states, given_.states_, ends, fields);
        store(group, launch.quantities, given_.quantities_, ends, fields + given_.states_);
    }
    bool any_runs(Run& steps) const {
        const Number* const status = steps.field(given_.progress_ + status_of_progress);
        return std::any_of(status, status + given_.block_,
                           [](Number one) { return one == static_cast<Number>(Status::running); });
    }
    static void load(const Group<Number>& group, const Number* array, int rows, Run& run, int first_field) {
        for (int row = 0; row < rows; ++row) {
            Number* const field = run.field(first_field + row);
            for (int lane = 0; lane < group.block; ++lane) field[lane] = array[group.place(lane, rows, row)];
        }
    }
    static void store(const Group<Number>& group, Number* array, int rows, Run& run, int first_field) {
        for (int row = 0; row < rows; ++row) {
            const Number* const field = run.field(first_field + row);
            for (int lane = 0; lane < group.count; ++lane) array[group.place(lane, rows, row)] = field[lane];
        }
    }
    void store_rows(const Launch<Number>& launch, const Group<Number>& group, Run& steps) {
        const Number* const rows_now = steps.field(given_.progress_ + rows_of_progress);
        const auto rows = static_cast<long long>(launch.schedule.rows);
        for (int lane = 0; lane < group.count; ++lane) {
            const auto row = static_cast<long long>(rows_before_[static_cast<std::size_t>(lane)]);
            if (rows_now[lane] == static_cast<Number>(row) || row >= rows) continue;
            for (int entry = 0; entry < given_.observed_; ++entry)
                launch.trajectory[group.place(lane, rows * given_.observed_, row * given_.observed_ + entry)] =
                    steps.field(given_.record_fields_ + entry)[lane];
        }
    }
};

std::unique_ptr<InterpretedSteps> InterpretedSteps::of(const Task& task, int width, const Settings& settings) {
    if (settings.kernels != names::interpreted_kernels) return nullptr;
    KnownParameters known = task.varied_parameters ? task.varied_parameters->common_values() : KnownParameters{};
    const std::optional<TracedRun> run = trace_run(task, known);
    if (!run) {
        if (settings.notice)
            settings.notice("--kernels interpreted does not take this study yet: its steps read tables");
        return nullptr;
    }
    return std::unique_ptr<InterpretedSteps>(
        new InterpretedSteps(*run, task, std::move(known), interpreter_of(width, run->step.format)));
}

InterpretedSteps::Tapes::Tapes(const TracedRun& run)
    : step(graph::make_tape(graph::Program(run.step), run.step_fields)),
      end(graph::make_tape(graph::Program(run.end), run.end_fields)) {}

InterpretedSteps::InterpretedSteps(const TracedRun& run, const Task& task, KnownParameters known,
                                   const graph::Interpreter& interpreter)
    : interpreter_(interpreter),
      task_(task),
      known_(std::move(known)),
      usual_(run),
      record_fields_(run.record_fields),
      observed_(run.step_fields - run.record_fields),
      states_(run.end_fields - run.record_fields - task.plan.quantity_count),
      quantities_(task.plan.quantity_count),
      progress_(task.plan.varied_count),
      block_(block_of(usual_.step)) {}

const InterpretedSteps::Tapes& InterpretedSteps::general() const {
    std::call_once(needs_general_, [this] { general_.emplace(*trace_run(task_)); });
    return *general_;
}

InterpretedSteps::~InterpretedSteps() = default;

template <class Number>
std::unique_ptr<InterpretedSteps::Worker<Number>> InterpretedSteps::worker() const {
    const std::lock_guard held(lock_);
    Idle<Number>& idle = std::get<Idle<Number>>(idle_);
    if (idle.empty()) return nullptr;
    std::unique_ptr<Worker<Number>> one = std::move(idle.back());
    idle.pop_back();
    return one;
}

template <class Number>
void InterpretedSteps::advance(const Launch<Number>& launch, long long first, long long count) const {
    std::unique_ptr<Worker<Number>> one = worker<Number>();
    if (!one) one = std::make_unique<Worker<Number>>(*this);
    for (long long group = first; group < first + count; ++group)
        one->advance(launch, Group<Number>(launch, block_, group));
    const std::lock_guard held(lock_);
    std::get<Idle<Number>>(idle_).push_back(std::move(one));
}

template void InterpretedSteps::advance(const Launch<double>&, long long, long long) const;
template void InterpretedSteps::advance(const Launch<float>&, long long, long long) const;

}  // namespace myriad::backends
