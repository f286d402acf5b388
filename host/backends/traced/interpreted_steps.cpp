#include "host/backends/traced/interpreted_steps.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "host/backends/cpu_variants/interpreters.hpp"
#include "host/graph/tape_run.hpp"
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

// The slots of a group; where they run out, the last one stands in again.
template <class Number>
struct Group {
    static constexpr int block = InterpretedSteps::block<Number>;
    std::array<long long, block> slot;
    int count;
    Group(const Launch<Number>& launch, long long group) {
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
        : given_(given), steps_(given.step_, given.interpreter_, block), ends_(given.end_, given.interpreter_, block) {}

    void advance(const Launch<Number>& launch, const Group<Number>& group) {
        const int fields = given_.record_fields_;
        load(group, launch.records, fields, steps_, 0);
        for (long long attempt = 0; attempt < launch.attempts && any_runs(); ++attempt) {
            std::copy_n(steps_.field(given_.progress_ + rows_of_progress), block, rows_before_.begin());
            steps_.run(1);
            if (given_.observed_ > 0) store_rows(launch, group);
        }
        for (int field = 0; field < fields; ++field) std::copy_n(steps_.field(field), block, ends_.field(field));
        load(group, launch.final_states, given_.states_, ends_, fields);
        load(group, launch.quantities, given_.quantities_, ends_, fields + given_.states_);
        ends_.run(1);
        store(group, launch.records, fields, 0);
        store(group, launch.final_states, given_.states_, fields);
        store(group, launch.quantities, given_.quantities_, fields + given_.states_);
    }

  private:
    using Run = graph::TapeRun<Number>;
    static constexpr int block = InterpretedSteps::block<Number>;
    const InterpretedSteps& given_;
    Run steps_, ends_;
    std::array<Number, block> rows_before_{};

    bool any_runs() {
        const Number* const status = steps_.field(given_.progress_ + status_of_progress);
        return std::any_of(status, status + block,
                           [](Number one) { return one == static_cast<Number>(Status::running); });
    }
    static void load(const Group<Number>& group, const Number* array, int rows, Run& run, int first_field) {
        for (int row = 0; row < rows; ++row) {
            Number* const field = run.field(first_field + row);
            for (int lane = 0; lane < block; ++lane) field[lane] = array[group.place(lane, rows, row)];
        }
    }
    void store(const Group<Number>& group, Number* array, int rows, int first_field) {
        for (int row = 0; row < rows; ++row) {
            const Number* const field = ends_.field(first_field + row);
            for (int lane = 0; lane < group.count; ++lane) array[group.place(lane, rows, row)] = field[lane];
        }
    }
    void store_rows(const Launch<Number>& launch, const Group<Number>& group) {
        const Number* const rows_now = steps_.field(given_.progress_ + rows_of_progress);
        const auto rows = static_cast<long long>(launch.schedule.rows);
        for (int lane = 0; lane < group.count; ++lane) {
            const auto row = static_cast<long long>(rows_before_[static_cast<std::size_t>(lane)]);
            if (rows_now[lane] == static_cast<Number>(row) || row >= rows) continue;
            for (int entry = 0; entry < given_.observed_; ++entry)
                launch.trajectory[group.place(lane, rows * given_.observed_, row * given_.observed_ + entry)] =
                    steps_.field(given_.record_fields_ + entry)[lane];
        }
    }
};

std::unique_ptr<InterpretedSteps> InterpretedSteps::of(const Task& task, int width) {
    const std::optional<TracedRun> run = trace_run(task);
    return run ? std::unique_ptr<InterpretedSteps>(
                     new InterpretedSteps(*run, task, interpreter_of(width, run->step.format)))
               : nullptr;
}

InterpretedSteps::InterpretedSteps(const TracedRun& run, const Task& task, const graph::Interpreter& interpreter)
    : interpreter_(interpreter),
      step_(graph::make_tape(graph::Program(run.step), run.step_fields)),
      end_(graph::make_tape(graph::Program(run.end), run.end_fields)),
      record_fields_(run.record_fields),
      observed_(run.step_fields - run.record_fields),
      states_(run.end_fields - run.record_fields - task.plan.quantity_count),
      quantities_(task.plan.quantity_count),
      progress_(task.plan.varied_count) {}
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
    for (long long group = first; group < first + count; ++group) one->advance(launch, Group<Number>(launch, group));
    const std::lock_guard held(lock_);
    std::get<Idle<Number>>(idle_).push_back(std::move(one));
}

template void InterpretedSteps::advance(const Launch<double>&, long long, long long) const;
template void InterpretedSteps::advance(const Launch<float>&, long long, long long) const;

}  // namespace myriad::backends
