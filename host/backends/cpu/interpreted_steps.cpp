#include "host/backends/cpu/interpreted_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cpu_variants/interpreters.hpp"
#include "host/graph/tape_run.hpp"
#include "host/graph/text/c_text.hpp"
#include "host/mechanism/mechanism.hpp"
#include "kernels/run/outcome.hpp"
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

// A problem of contacts as straight code grows as the cube of its rows. Kernels list the closed ones: 24 rows take the
// straight code twice as long.
constexpr int most_nodes_with_contact = 80'000;
// Instructions cost less per instance in larger blocks, until the slots do not fit a core's second cache.
constexpr int most_lanes = 256;
constexpr long most_block_bytes = 768 * 1024;
int block_of(const graph::Tape& tape) {
    const int numbers = tape.format == graph::Format::fp64 ? 8 : 16;  // in 64 bytes
    const int lanes = 16 * numbers;
    return 1024L * tape.slots <= most_block_bytes ? lanes : lanes / 2;
}

// The slots [first, first + count) of a launch in a block of lanes; where they run out, the last one stands in again.
template <class Number>
struct Group {
    int block, count;
    std::array<long long, most_lanes> slot;
    Group(const Launch<Number>& launch, long long first, long long slots, int lanes)
        : block(lanes), count(static_cast<int>(slots)) {
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
    explicit Worker(const InterpretedSteps& given) : given_(given), steps_(*given.traced_) {}

    void advance(const Launch<Number>& launch, long long group) {
        const long long first = group * steps_.block, end = std::min(first + steps_.block, launch.slots);
        const int width = given_.interpreter_.width;
        // A few vectors one by one cost less than a whole block.
        const bool are_few = end - first <= 4 * width && !given_.is_compiled();
        const int lanes = are_few ? width : steps_.block;
        for (long long slot = first; slot < end; slot += lanes)
            advance(launch, Group<Number>(launch, slot, std::min<long long>(lanes, end - slot), lanes));
    }

  private:
    using Run = graph::TapeRun<Number>;
    struct Runs {
        Runs(const Tapes& tapes, const graph::Interpreter& interpreter, int block)
            : steps(tapes.step, interpreter, block), ends(tapes.end, interpreter, block) {}
        Run steps, ends;
    };
    const InterpretedSteps& given_;
    const Traced& steps_;
    std::optional<Runs> runs_[2][2];  // by the general tapes, for one vector
    std::array<Number, most_lanes> rows_before_{};
    long long tried_ = 0, left_ = 0;
    std::vector<int> behind_;
    std::vector<unsigned int> slots_behind_;

    Runs& runs(bool is_general, int lanes) {
        std::optional<Runs>& found = runs_[is_general][lanes < steps_.block];
        if (!found) found.emplace(is_general ? steps_.general() : steps_.usual, given_.interpreter_, lanes);
        return *found;
    }
    void advance(const Launch<Number>& launch, const Group<Number>& group) {
        if (!are_known(launch, group)) return advance(launch, group, runs(true, group.block), nullptr);
        bool is_done = false;
        if constexpr (std::is_same_v<Number, double>)
            if (given_.is_compiled()) std::call_once(given_.compares_, [&] { compare(launch, group), is_done = true; });
        if (!is_done) advance(launch, group, runs(false, group.block), given_.compiled_);
    }

    // Whether all instances of a group have the parameters of the usual tapes.
    bool are_known(const Launch<Number>& launch, const Group<Number>& group) const {
        for (int field = 0; field < static_cast<int>(steps_.known.size()); ++field) {
            const auto known = static_cast<Number>(steps_.known[static_cast<std::size_t>(field)]);
            if (std::isnan(known)) continue;
            for (int lane = 0; lane < group.count; ++lane)
                if (launch.records[group.place(lane, steps_.record_fields, field)] != known) return false;
        }
        return true;
    }
    // By the tape, or by a compiled step, which takes one vector of lanes to the end of the launch before the next.
    void advance(const Launch<Number>& launch, const Group<Number>& group, Runs& runs, CompiledStep compiled) {
        Run& steps = runs.steps;
        load(group, launch.records, steps_.record_fields, steps, 0);
        if constexpr (std::is_same_v<Number, double>)
            if (compiled) {
                const int width = given_.interpreter_.width;
                for (int first = 0; first < group.count; first += width)
                    attempt(launch, group, steps, first, width, [&] { compiled(steps.field(0) + first); });
                return end(launch, group, runs);
            }
        attempt(launch, group, steps, 0, group.block, [&] { steps.run(1); });
        end(launch, group, runs);
    }
    // By the tape; each step is compared with a compiled one.
    void compare(const Launch<Number>& launch, const Group<Number>& group) {
        Runs& usual = runs(false, group.block);
        Run& steps = usual.steps;
        const int block = group.block;
        Run others(steps_.usual.step, given_.interpreter_, block);
        const int numbers = (steps_.record_fields + steps_.observed) * block;
        bool is_same = true;
        load(group, launch.records, steps_.record_fields, steps, 0);
        attempt(launch, group, steps, 0, block, [&] {
            double *const tape = steps.field(0), *const compiled = others.field(0);
            std::copy_n(tape, numbers, compiled);
            for (int first = 0; first < block; first += given_.interpreter_.width)
                given_.compiled_.load()(compiled + first);
            steps.run(1);
            is_same = is_same && std::equal(tape, tape + numbers, compiled, [](double a, double b) {
                          return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
                      });
        });
        if (!is_same) given_.compiled_ = nullptr, given_.has_refused_ = true;
        end(launch, group, usual);
    }
    // The trial steps of `lanes` lanes from the first on.
    template <class Step>
    void attempt(const Launch<Number>& launch, const Group<Number>& group, Run& steps, int first, int lanes,
                 const Step& step) {
        for (long long n = 0; n < launch.attempts; ++n) {
            const long long going = running(steps, first, lanes);
            if (going == 0) return;
            std::copy_n(steps.field(steps_.progress + rows_of_progress) + first, lanes, rows_before_.begin() + first);
            step();
            if (steps_.observed > 0) store_rows(launch, group, steps, first, std::min(first + lanes, group.count));
            tried_ += going;
            if (given_.kernels_) catch_up(launch, group, steps, first, std::min(first + lanes, group.count));
        }
    }
    // Lanes that the last step has left behind take it by kernels.
    void catch_up(const Launch<Number>& launch, const Group<Number>& group, Run& steps, int first, int last) {
        const int fields = steps_.record_fields;
        Number* const status = steps.field(steps_.progress + status_of_progress);
        behind_.clear(), slots_behind_.clear();
        for (int lane = first; lane < last; ++lane) {
            if (status[lane] != static_cast<Number>(status_behind)) continue;
            status[lane] = static_cast<Number>(Status::running);
            behind_.push_back(lane);
            slots_behind_.push_back(static_cast<unsigned int>(group.slot[static_cast<std::size_t>(lane)]));
            for (int row = 0; row < fields; ++row)
                launch.records[group.place(lane, fields, row)] = steps.field(row)[lane];
        }
        if (behind_.empty()) return;
        left_ += static_cast<long long>(behind_.size());
        Launch<Number> one_step = launch;
        one_step.order = slots_behind_.data(), one_step.slots = static_cast<long long>(slots_behind_.size());
        one_step.attempts = 1;
        const KernelFunctions<Number>& kernels = functions_of<Number>(*given_.kernels_);
        kernels.advance(steps_.task.plan, one_step, 0, (one_step.slots + kernels.width - 1) / kernels.width);
        for (const int lane : behind_)
            for (int row = 0; row < fields; ++row)
                steps.field(row)[lane] = launch.records[group.place(lane, fields, row)];
    }
    void end(const Launch<Number>& launch, const Group<Number>& group, Runs& runs) {
        auto& [steps, ends] = runs;
        const int fields = steps_.record_fields;
        given_.tried_ += std::exchange(tried_, 0), given_.left_ += std::exchange(left_, 0);
        for (int field = 0; field < fields; ++field) std::copy_n(steps.field(field), group.block, ends.field(field));
        load(group, launch.final_states, steps_.states, ends, fields);
        load(group, launch.quantities, steps_.quantities, ends, fields + steps_.states);
        ends.run(1);
        store(group, launch.records, fields, ends, 0);
        store(group, launch.final_states, steps_.states, ends, fields);
        store(group, launch.quantities, steps_.quantities, ends, fields + steps_.states);
    }
    // Counts the lanes that have not ended.
    long long running(Run& steps, int first, int lanes) const {
        const Number* const status = steps.field(steps_.progress + status_of_progress) + first;
        return std::count(status, status + lanes, static_cast<Number>(Status::running));
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
    void store_rows(const Launch<Number>& launch, const Group<Number>& group, Run& steps, int first, int last) {
        const Number* const rows_now = steps.field(steps_.progress + rows_of_progress);
        const auto rows = static_cast<long long>(launch.schedule.rows);
        for (int lane = first; lane < last; ++lane) {
            const auto row = static_cast<long long>(rows_before_[static_cast<std::size_t>(lane)]);
            if (rows_now[lane] == static_cast<Number>(row) || row >= rows) continue;
            for (int entry = 0; entry < steps_.observed; ++entry)
                launch.trajectory[group.place(lane, rows * steps_.observed, row * steps_.observed + entry)] =
                    steps.field(steps_.record_fields + entry)[lane];
        }
    }
};

namespace {

bool is_same(const Task& a, const Task& b) {
    const auto bytes = [](const auto& one) { return std::as_bytes(std::span(&one, 1)); };
    const auto numbers = [](const std::vector<double>& all) { return std::as_bytes(std::span(all)); };
    return a.mechanism == b.mechanism && a.varied_parameters == b.varied_parameters && a.system == b.system &&
           a.chart == b.chart && a.integrator == b.integrator && a.precision == b.precision &&
           std::ranges::equal(bytes(a.plan), bytes(b.plan)) &&
           std::ranges::equal(bytes(a.schedule), bytes(b.schedule)) &&
           std::ranges::equal(numbers(a.parameters), numbers(b.parameters)) &&
           std::ranges::equal(numbers(a.thresholds), numbers(b.thresholds)) &&
           std::ranges::equal(numbers(a.windows), numbers(b.windows));
}

}  // namespace

std::shared_ptr<const InterpretedSteps::Traced> InterpretedSteps::traced(const Task& task) {
    static std::mutex lock;
    static std::shared_ptr<const Traced> last;
    const std::lock_guard held(lock);
    // At the place of a mechanism that the task does not own there may be another one by now.
    if (last && task.mechanism && is_same(last->task, task)) return last;
    KnownParameters known = known_parameters(task);
    std::optional<TracedRun> run = trace_run(task, known);
    if (!run) return nullptr;
    const bool has_contacts = task.mechanism && task.mechanism->table.contacts > 0;
    if (has_contacts && run->leaves_behind && run->step.size() > most_nodes_with_contact) return nullptr;
    return last = std::make_shared<const Traced>(task, std::move(known), std::move(*run));
}

std::unique_ptr<InterpretedSteps> InterpretedSteps::of(const Task& task, int width) {
    std::shared_ptr<const Traced> steps = traced(task);
    if (!steps) return nullptr;
    const graph::Interpreter interpreter = interpreter_of(width, steps->usual_step.format);
    const KernelEntry* const kernels = steps->leaves_behind ? &cpu_kernel(task, width) : nullptr;
    return std::unique_ptr<InterpretedSteps>(new InterpretedSteps(std::move(steps), interpreter, kernels));
}

InterpretedSteps::Tapes::Tapes(const TracedRun& run)
    : step(graph::make_tape(graph::Program(run.step), run.step_fields)),
      end(graph::make_tape(graph::Program(run.end), run.end_fields)) {}

InterpretedSteps::Traced::Traced(const Task& given, KnownParameters known_here, TracedRun run)
    : task(given),
      known(std::move(known_here)),
      usual(run),
      leaves_behind(run.leaves_behind),
      usual_step(std::move(run.step)),
      record_fields(run.record_fields),
      observed(run.step_fields - run.record_fields),
      states(run.end_fields - run.record_fields - task.plan.quantity_count),
      quantities(task.plan.quantity_count),
      progress(task.plan.varied_count),
      operations(graph::Program(usual_step).counts().all()),
      block(block_of(usual.step)) {}

const InterpretedSteps::Tapes& InterpretedSteps::Traced::general() const {
    std::call_once(needs_general_, [this] { general_.emplace(*trace_run(task)); });
    return *general_;
}

InterpretedSteps::InterpretedSteps(std::shared_ptr<const Traced> traced, const graph::Interpreter& interpreter,
                                   const KernelEntry* kernels)
    : interpreter_(interpreter), traced_(std::move(traced)), kernels_(kernels) {}

InterpretedSteps::~InterpretedSteps() = default;

std::optional<CompilerInput> InterpretedSteps::compiler_input() const {
    if (traced_->usual_step.format != graph::Format::fp64 || traced_->operations > most_compiled_operations)
        return std::nullopt;
    const int width = interpreter_.width;
    CompilerInput input{graph::c_text(graph::Program(traced_->usual_step), {.width = width, .stride = traced_->block}),
                        processor_options(width), graph::c_function};
    input.options.push_back("-O1");
    return input;
}

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
    for (long long group = first; group < first + count; ++group) one->advance(launch, group);
    const std::lock_guard held(lock_);
    std::get<Idle<Number>>(idle_).push_back(std::move(one));
}

template void InterpretedSteps::advance(const Launch<double>&, long long, long long) const;
template void InterpretedSteps::advance(const Launch<float>&, long long, long long) const;

}  // namespace myriad::backends
