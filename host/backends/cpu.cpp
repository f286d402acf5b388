// The only file that knows Kokkos. Work is cut into blocks of one tile's worth of slots; as many workers as threads
// take the next block until none is left, so a slow block holds up nobody.
#include "host/backends/cpu.hpp"

#include <pthread.h>
#include <sched.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "host/backends/find_kernel.hpp"
#include "host/backends/kernel_table.hpp"
#include "host/backends/tiles.hpp"
#include "host/user_error.hpp"

namespace myriad::backends {

namespace {

// Trial steps per instance between two looks at `stop`: some tens of milliseconds.
constexpr long long attempts_per_look = 4096;
// Adaptive instances are sorted by their remaining cost after so many trial steps, so that the lanes of a pack end
// together.
constexpr long long attempts_per_sort = 64;
constexpr std::uint64_t default_chunk = 16384;

// As many as processors that this process may run on.
int hardware_threads() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Kokkos' threads, the calling one among them. They poll for work: there are no more of them than a backend has asked
// for, and they sleep while none computes, for which Kokkos has no public function.
class Threads {
  public:
    // Awake from here to the end of the object's life.
    explicit Threads(int count) {
        if (Kokkos::is_initialized() && Space().concurrency() < count) stop();
        if (!Kokkos::is_initialized())
            start(count);
        else
            Kokkos::Impl::ThreadsExec::wake();
    }
    ~Threads() { Kokkos::Impl::ThreadsExec::sleep(); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    template <class Worker>
    void run(int count, const Worker& worker) const {
        using Policy = Kokkos::RangePolicy<Space>;
        Kokkos::parallel_for("myriad", Policy(0, static_cast<typename Policy::member_type>(count)), worker);
    }

  private:
    using Space = Kokkos::Threads;

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
        // A child process would have the pool without its threads, and wait for them at its exit.
        static const bool registered = [] {
            return std::atexit(stop) == 0 && pthread_atfork(stop, nullptr, nullptr) == 0;
        }();
        static_cast<void>(registered);
    }
    static void stop() {
        if (!Kokkos::is_initialized() || !Kokkos::Impl::ThreadsExec::is_process()) return;
        Kokkos::Impl::ThreadsExec::wake();
        Kokkos::finalize();
    }
};

bool processor_has_avx2() {
#if defined(MYRIAD_HAS_X86_VARIANTS)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}
bool processor_has_avx512() {
#if defined(MYRIAD_HAS_X86_VARIANTS)
    return processor_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd");
#else
    return false;
#endif
}

const KernelEntry& select_kernel(const Task& task, int width) {
#if defined(MYRIAD_HAS_X86_VARIANTS)
    if (width == 8) return find_kernel(avx512_kernels(), task);
    if (width == 4) return find_kernel(avx2_kernels(), task);
#endif
    return find_kernel(scalar_kernels(), task);
}

class CpuBackend final : public Backend {
  public:
    explicit CpuBackend(const Settings& settings) : settings_(settings) {
        const int all = hardware_threads();
        threads_ = settings.threads == 0 ? all : settings.threads;
        if (settings.threads < 0 || settings.threads > all)
            throw UserError(
                ExitCode::usage_or_input, "--threads",
                std::to_string(settings.threads) + " threads asked for, this machine runs " + std::to_string(all),
                "give a number from 1 to " + std::to_string(all) + ", or leave it out");
        const std::vector<int> widths = cpu_widths();
        width_ = settings.width == 0 ? widths.back() : settings.width;
        if (std::find(widths.begin(), widths.end(), width_) == widths.end())
            throw UserError(ExitCode::usage_or_input, "--width",
                            "this processor or build has no vectors of " + std::to_string(width_) + " doubles",
                            "leave it out to take the widest, " + std::to_string(widths.back()));
    }

    std::string device() const override {
        return cpu_description() + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads") +
               ", vectors of " + std::to_string(width_) + (width_ == 1 ? " double" : " doubles");
    }
    int buffers() const override { return 1; }

    MemoryPlan prepare(const Task& task, std::uint64_t instances) override {
        task_ = task;
        kernel_ = &select_kernel(task, width_);
        shape_ =
            shape_of(task, kernel_->state_channels(task.plan), kernel_->invariants, kernel_->record_fields(task.plan));
        compute_seconds_ = 0.0;
        MemoryPlan plan;
        plan.bytes_per_instance =
            bytes_per_instance(shape_, task.precision == Precision::fp64 ? sizeof(double) : sizeof(float));
        // Beside the tiles, up to six copies of a chunk wait for the disk; an fp32 chunk is handed on in doubles.
        plan.bytes_available = free_memory() / 16;
        const std::uint64_t tile_bytes = tile_instances * plan.bytes_per_instance;
        const std::uint64_t fit = tile_instances * std::max<std::uint64_t>(1, plan.bytes_available / tile_bytes);
        plan.instances_per_chunk = settings_.chunk
                                       ? std::min(settings_.chunk, instances)
                                       : std::max<std::uint64_t>(1, std::min({default_chunk, fit, instances}));
        return plan;
    }
    Shape shape() const override { return shape_; }

    void start(int, std::uint64_t count, const double* varied) override {
        count_ = count;
        if (task_.precision == Precision::fp64)
            begin(arrays64_, varied);
        else
            begin(arrays32_, varied);
    }
    bool finish(int, Chunk& chunk, const std::atomic<bool>& stop) override {
        return task_.precision == Precision::fp64 ? run(arrays64_, kernel_->fp64, chunk, stop)
                                                  : run(arrays32_, kernel_->fp32, chunk, stop);
    }
    double compute_seconds() const override { return compute_seconds_; }

  private:
    static std::uint64_t free_memory() {
        std::ifstream information("/proc/meminfo");
        std::string key, unit;
        std::uint64_t kilobytes = 0;
        while (information >> key >> kilobytes) {
            if (key == "MemAvailable:") return kilobytes * 1024;
            std::getline(information, unit);
        }
        return std::uint64_t{1} << 30;
    }

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
        in_blocks(threads, functions.begin, functions.width, launch, stop);
        launch.attempts = kernel_->adaptive ? attempts_per_sort : attempts_per_look;
        while (!stop && unfinished(arrays, order)) {
            launch.order = order.data();
            launch.slots = static_cast<long long>(order.size());
            in_blocks(threads, functions.advance, functions.width, launch, stop);
        }
        compute_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        if (stop) return false;
        read_chunk(shape_, count_, arrays.records.data(), arrays.initial_states.data(), arrays.final_states.data(),
                   arrays.trajectory.data(), arrays.quantities.data(), chunk);
        return true;
    }

    template <class Number>
    void in_blocks(const Threads& threads, typename KernelFunctions<Number>::Groups groups, int width,
                   const Launch<Number>& launch, const std::atomic<bool>& stop) const {
        const long long groups_per_block = std::max(1, tile_instances / width);
        const long long count = (launch.slots + width - 1) / width;
        std::atomic<long long> next{0};
        threads.run(threads_, [&](auto) {
            for (long long first = next.fetch_add(groups_per_block); first < count && !stop;
                 first = next.fetch_add(groups_per_block))
                groups(task_.plan, launch, first, std::min(groups_per_block, count - first));
        });
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
    TileArrays<double> arrays64_;
    TileArrays<float> arrays32_;
    double compute_seconds_ = 0.0;
};

}  // namespace

void require_processor() {
#if defined(MYRIAD_NEEDS_AVX2)
    if (!processor_has_avx2())
        throw UserError(ExitCode::device, "processor", "it has no AVX2 and FMA, for which this program was built",
                        "build it on this machine, or with -DMYRIAD_PORTABLE=ON as ./dev package does");
#endif
}

std::unique_ptr<Backend> make_cpu_backend(const Settings& settings) { return std::make_unique<CpuBackend>(settings); }

std::vector<int> cpu_widths() {
    std::vector<int> widths{1};
    if (processor_has_avx2()) widths.push_back(4);
    if (processor_has_avx512()) widths.push_back(8);
    return widths;
}

std::string cpu_description() {
    std::ifstream information("/proc/cpuinfo");
    std::string line;
    while (std::getline(information, line))
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "processor of unknown name";
}

}  // namespace myriad::backends
