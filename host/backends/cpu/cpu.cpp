// The only file that knows Kokkos. Work is cut into blocks of one tile's worth of slots. Each thread has a worker that
// takes the next block until none is left, so a slow block holds up nobody.
#include "host/backends/cpu/cpu.hpp"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "host/backends/cpu/compiled_steps.hpp"
#include "host/backends/interface/find_kernel.hpp"
#include "host/backends/interface/free_memory.hpp"
#include "host/backends/interface/kernel_table.hpp"
#include "host/backends/interface/standard_arithmetic.hpp"
#include "host/backends/interface/tiles.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends {

namespace {

// Trial steps of a launch until one has been timed. Later launches take about as long as stated: a launch between two
// reports of progress, a block of it between two looks at `stop`.
// Instances that fail at once make a launch look quick, so the next one grows by a bounded factor.
constexpr long long first_attempts = 64, fewest_attempts = 16, most_attempts = 4096, most_growth = 8;
constexpr double wanted_launch_s = 1.0, longest_block_s = 0.1;
// Adaptive instances are sorted by their remaining cost after so many trial steps, so that the lanes of a pack end
// together.
constexpr long long attempts_per_sort = 64;
constexpr std::uint64_t default_chunk = 16384;

// Kokkos' threads, the calling one among them. They poll for work. So there are no more of them than a backend has
// asked for, and they sleep while none computes; Kokkos has no public function for that. A backend of one thread takes
// the calling one: of a larger pool, another might do the work while the calling one polls for its end.
class Threads {
  public:
    // The threads are awake from here to the end of the object's life.
    explicit Threads(int count) : count_(count) {
        if (count_ == 1) return;
        if (Kokkos::is_initialized() && Space().concurrency() < count) stop();
        if (!Kokkos::is_initialized())
            start(count);
        else
            Kokkos::Impl::ThreadsExec::wake();
    }
    ~Threads() {
        if (count_ > 1) Kokkos::Impl::ThreadsExec::sleep();
    }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    // Calls worker(i) for 0 <= i < count, side by side.
    template <class Worker>
    void run(const Worker& worker) const {
        using Policy = Kokkos::RangePolicy<Space>;
        const auto work = [&](auto number) {
            const StandardArithmetic arithmetic;
            worker(number);
        };
        if (count_ == 1)
            work(0);
        else
            Kokkos::parallel_for("myriad", Policy(0, static_cast<typename Policy::member_type>(count_)), work);
    }

    static void stop() {
        if (!Kokkos::is_initialized() || !Kokkos::Impl::ThreadsExec::is_process()) return;
        Kokkos::Impl::ThreadsExec::wake();
        Kokkos::finalize();
    }

  private:
    using Space = Kokkos::Threads;

    int count_;

    static void start(int count) {
        Kokkos::InitArguments arguments;
        arguments.disable_warnings = true;
        arguments.num_threads = count;
        try {
            Kokkos::initialize(arguments);
        } catch (const std::runtime_error&) {
            throw UserError(ExitCode::device, "--threads",
                            "the system does not give this process " + std::to_string(count) + " threads",
                            "give a smaller number, or ask for a higher limit (`ulimit -u`)");
        }
        // A child process would have the pool without its threads, and would wait for them at its exit.
        static const bool registered = [] {
            return std::atexit(stop) == 0 && pthread_atfork(stop, nullptr, nullptr) == 0;
        }();
        static_cast<void>(registered);
    }
};

class CpuBackend final : public Backend {
  public:
    explicit CpuBackend(const Settings& settings) : settings_(settings) {
        const int all = hardware_threads();
        if (settings.threads < 0)
            throw UserError(ExitCode::usage_or_input, "--threads",
                            std::to_string(settings.threads) + " threads asked for",
                            "give a number from 1 to " + std::to_string(all) + ", or leave it out");
        threads_ = settings.threads == 0 ? all : std::min(settings.threads, all);
        if (settings.threads > all && settings.notice)
            settings.notice("--threads " + std::to_string(settings.threads) + ": this process may run " +
                            std::to_string(all) + " at once, so it takes " + std::to_string(all));
        width_ = cpu_width(settings.width);
    }

    const char* name() const override { return names::cpu; }
    std::string device() const override {
        return cpu_description() + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads") +
               ", vectors of " + std::to_string(width_) + (width_ == 1 ? " double" : " doubles");
    }
    int buffers() const override { return 1; }

    MemoryPlan prepare(const Task& task, std::uint64_t instances) override {
        const StandardArithmetic arithmetic;
        task_ = task;
        kernel_ = &cpu_kernel(task, width_);
        shape_ =
            shape_of(task, kernel_->state_channels(task.plan), kernel_->invariants, kernel_->record_fields(task.plan));
        compute_seconds_ = 0.0;
        compiled_steps_.choose(task, width_, settings_);
        instances_left_ = instances;
        MemoryPlan plan;
        plan.bytes_per_instance =
            bytes_per_instance(shape_, task.precision == Precision::fp64 ? sizeof(double) : sizeof(float));
        // Beside the tiles, up to six copies of a chunk wait for the disk; an fp32 chunk is handed on in doubles.
        plan.bytes_available = free_memory().value_or(std::uint64_t{1} << 30) / 16;
        const std::uint64_t tile_bytes = tile_instances * plan.bytes_per_instance;
        const std::uint64_t fit = tile_instances * std::max<std::uint64_t>(1, plan.bytes_available / tile_bytes);
        plan.instances_per_chunk = settings_.chunk
                                       ? std::min(settings_.chunk, instances)
                                       : std::max<std::uint64_t>(1, std::min({default_chunk, fit, instances}));
        plan.smallest_chunk = std::min(static_cast<std::uint64_t>(threads_) * static_cast<std::uint64_t>(width_),
                                       plan.instances_per_chunk);
        group_step_s_ = 0.0, attempts_ = first_attempts;
        return plan;
    }
    Shape shape() const override { return shape_; }

    void start(int, std::uint64_t count, const double* varied) override {
        const StandardArithmetic arithmetic;
        count_ = count;
        if (task_.precision == Precision::fp64)
            begin(arrays64_, varied);
        else
            begin(arrays32_, varied);
    }
    bool finish(int, Chunk& chunk, const std::atomic<bool>& stop) override {
        const StandardArithmetic arithmetic;
        return task_.precision == Precision::fp64 ? run(arrays64_, kernel_->fp64, chunk, stop)
                                                  : run(arrays32_, kernel_->fp32, chunk, stop);
    }
    double compute_seconds() const override { return compute_seconds_; }

    std::string doing() const override { return compiled_steps_.is_compiling() ? "compiling for this mechanism" : ""; }

  private:
    // The cost of the rest of the run, by that of a `share` of this chunk's span.
    double left_of(double taken, double share) const {
        return taken / share * static_cast<double>(instances_left_) / static_cast<double>(count_) - taken;
    }
    template <class Number>
    using Groups = std::function<std::remove_pointer_t<typename KernelFunctions<Number>::Groups>>;

    template <class Number>
    void begin(TileArrays<Number>& arrays, const double* varied) {
        arrays.resize(shape_, count_);
        store_varied(shape_, count_, varied, arrays.records.data());
    }

    template <class Number>
    bool run(TileArrays<Number>& arrays, const KernelFunctions<Number>& functions, Chunk& chunk,
             const std::atomic<bool>& stop) {
        const auto started = std::chrono::steady_clock::now();
        const Threads threads(threads_);
        Launch<Number> launch = arrays.launch(shape_, task_, count_);
        std::vector<unsigned int> order(count_);
        std::iota(order.begin(), order.end(), 0u);
        in_blocks(threads, functions.begin, 1, launch, stop);
        double steps = 0.0;           // of the instances that still run, with a fixed step
        double instance_steps = 0.0;  // that were tried
        while (!stop && unfinished(arrays, order)) {
            launch.order = order.data();
            launch.slots = static_cast<long long>(order.size());
            const auto [advance, width] = compiled_steps_.steps(functions);
            const Blocks blocks = blocks_of(launch.slots, width);
            launch.attempts = kernel_->adaptive ? attempts_per_sort : (attempts_ = attempts_of(blocks));
            const double busy_s = in_blocks<Number>(threads, advance, width, launch, stop);
            const auto attempts = static_cast<double>(launch.attempts);
            const double tried = kernel_->adaptive ? attempts : std::min(attempts, task_.schedule.total_steps - steps);
            steps += tried;
            instance_steps += tried * static_cast<double>(launch.slots);
            group_step_s_ = busy_s / (std::max(tried, 1.0) * static_cast<double>(blocks.all_groups));
            compiled_steps_.look_back();
            if (stop || (!settings_.progress && !compiled_steps_.may_follow())) continue;
            const double share = kernel_->adaptive
                                     ? share_of_span(shape_, arrays.records.data(), count_, task_.schedule.end_s)
                                     : steps / task_.schedule.total_steps;
            if (settings_.progress) settings_.progress(share);
            if (share > 0.0) compiled_steps_.follow_where_long(left_of(instance_steps, share));
        }
        instances_left_ -= std::min(instances_left_, count_);
        compute_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        if (stop) return false;
        read_chunk(shape_, count_, arrays.records.data(), arrays.initial_states.data(), arrays.final_states.data(),
                   arrays.trajectory.data(), arrays.quantities.data(), chunk);
        return true;
    }

    // The processor time of all threads, in seconds. Elapsed time would be wrong: on a machine that is busy otherwise a
    // launch waits too, and the shorter launches cut because of it would wait ever more.
    template <class Number>
    double in_blocks(const Threads& threads, const Groups<Number>& groups, int width, const Launch<Number>& launch,
                     const std::atomic<bool>& stop) const {
        const Blocks blocks = blocks_of(launch.slots, width);
        const long long count = blocks.all_groups, groups_per_block = blocks.groups;
        std::atomic<long long> busy_ns{0};
        std::atomic<long long> next{0};
        threads.run([&](auto) {
            const long long began = processor_time_ns();
            for (long long first = next.fetch_add(groups_per_block); first < count && !stop;
                 first = next.fetch_add(groups_per_block))
                groups(task_.plan, launch, first, std::min(groups_per_block, count - first));
            busy_ns += processor_time_ns() - began;
        });
        return 1e-9 * static_cast<double>(busy_ns);
    }
    // Processor time of this thread.
    static long long processor_time_ns() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return 1'000'000'000LL * now.tv_sec + now.tv_nsec;
    }

    // The cut of a launch: groups of lanes, in all and in a block, and blocks that each thread takes.
    struct Blocks {
        long long all_groups = 1, groups = 1;
        double rounds = 1.0;
    };
    // A tile's worth, or fewer where the threads would not find a few blocks each.
    Blocks blocks_of(long long slots, int width) const {
        constexpr long long blocks_per_thread = 4;
        const long long groups = (slots + width - 1) / width, most = std::max(1, tile_instances / width);
        const long long of_block = std::clamp(groups / (blocks_per_thread * threads_), 1LL, most);
        const long long blocks = (groups + of_block - 1) / of_block;
        const long long rounds = (blocks + threads_ - 1) / threads_;
        return {groups, of_block, static_cast<double>(rounds)};
    }

    long long attempts_of(const Blocks& blocks) const {
        if (group_step_s_ <= 0.0) return first_attempts;
        const double block_step_s = static_cast<double>(blocks.groups) * group_step_s_;
        const double wanted = std::min(longest_block_s, wanted_launch_s / blocks.rounds) / block_step_s;
        const double most = static_cast<double>(std::min(most_attempts, most_growth * attempts_));
        return static_cast<long long>(std::clamp(wanted, static_cast<double>(fewest_attempts), most));
    }

    // Keeps the slots that still run, those of like remaining cost beside each other; false when there is none.
    template <class Number>
    bool unfinished(const TileArrays<Number>& arrays, std::vector<unsigned int>& order) const {
        keep_running(shape_, arrays.records.data(), order);
        if (kernel_->adaptive) sort_by_remaining_cost(shape_, arrays.records.data(), task_.schedule.end_s, order);
        return !order.empty();
    }

    Settings settings_;
    int threads_ = 1, width_ = 1;
    Task task_;
    const KernelEntry* kernel_ = nullptr;
    Shape shape_;
    std::uint64_t count_ = 0;
    double group_step_s_ = 0.0;            // of one group of lanes on one thread, as last timed; 0: never
    long long attempts_ = first_attempts;  // of the last launch, with a fixed step
    TileArrays<double> arrays64_;
    TileArrays<float> arrays32_;
    double compute_seconds_ = 0.0;
    CompiledSteps compiled_steps_;
    std::uint64_t instances_left_ = 0;  // of the chunk at hand and those behind it
};

}  // namespace

void require_processor() {
#if defined(MYRIAD_NEEDS_AVX2)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        throw UserError(ExitCode::device, "processor", "it has no AVX2 and FMA, for which this program was built",
                        "build it on this machine, or with -DMYRIAD_PORTABLE=ON as ./dev package does");
#endif
}

int hardware_threads() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::unique_ptr<Backend> make_cpu_backend(const Settings& settings) { return std::make_unique<CpuBackend>(settings); }

void end_threads() { Threads::stop(); }

std::vector<int> cpu_widths() {
    std::vector<int> widths;
#if defined(MYRIAD_HAS_SCALAR_STEPS)
    widths.push_back(1);
#endif
#if defined(MYRIAD_HAS_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) widths.push_back(4);
#endif
#if defined(MYRIAD_HAS_AVX512)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        widths.push_back(8);
#endif
    return widths;
}

int cpu_width(int width) {
    const std::vector<int> widths = cpu_widths();
    if (widths.empty())
        throw UserError(
            ExitCode::device, "processor",
            "it lacks the vectors that alone this program takes steps in, those of the machine that built it",
            "build it on this machine, or for every processor with ./dev package");
    if (width == 0) return widths.back();
    if (std::find(widths.begin(), widths.end(), width) == widths.end()) {
        const bool is_scalar = width == 1;
        throw UserError(
            ExitCode::usage_or_input, "--width",
            is_scalar ? "this build has no steps of one instance at a time"
                      : "this processor or build has no vectors of " + std::to_string(width) + " doubles",
            "leave it out to take the widest, " + std::to_string(widths.back()) +
                (is_scalar ? ", or build with -DMYRIAD_SCALAR_STEPS=ON, as ./dev test and ./dev package do" : ""));
    }
    return width;
}

const KernelEntry& cpu_kernel(const Task& task, int width) {
#if defined(MYRIAD_HAS_AVX2)
    if (width == 4) return find_compiled_kernel(avx2_kernels(), task);
#endif
#if defined(MYRIAD_HAS_AVX512)
    if (width == 8) return find_compiled_kernel(avx512_kernels(), task);
#endif
#if defined(MYRIAD_HAS_SCALAR_STEPS)
    if (width == 1) return find_compiled_kernel(scalar_kernels(), task);
#endif
    throw std::logic_error("no kernels of width " + std::to_string(width));
}

std::string cpu_description() {
    std::ifstream information("/proc/cpuinfo");
    std::string line;
    while (std::getline(information, line))
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "processor of unknown name";
}

}  // namespace myriad::backends
