#include "python/extension/engine_thread.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <optional>
#include <thread>

#include "host/backends/interface/standard_arithmetic.hpp"
#include "host/text/user_error.hpp"

namespace myriad::python {

namespace {

namespace nb = nanobind;

// Lives as long as the process: its thread is Kokkos' master, and must be there when Kokkos ends.
class EngineThread {
  public:
    EngineThread() {
        std::thread([this] { work(); }).detach();
    }
    // Returns at once; `done` is called when the job has ended.
    void start(std::function<void()> job) {
        const std::lock_guard lock(mutex_);
        job_ = std::move(job);
        changed_.notify_all();
    }

  private:
    void work() {
        for (;;) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return job_.has_value(); });
            const std::function<void()> job = std::move(*job_);
            job_.reset();
            lock.unlock();
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<std::function<void()>> job_;
};

std::atomic<bool> thread_is_there{false};

EngineThread& engine_thread() {
    static auto* const thread = new EngineThread;
    thread_is_there = true;
    return *thread;
}

const pid_t process_of_import = ::getpid();

}  // namespace

std::mutex& engine_lock() {
    static auto* const lock = new std::mutex;
    return *lock;
}

bool has_engine_thread() { return thread_is_there && ::getpid() == process_of_import; }

void refuse_in_forked_process() {
    if (::getpid() == process_of_import) return;
    throw UserError(ExitCode::device, "process " + std::to_string(::getpid()),
                    "it was forked from one that had imported myriad, and a fork has none of its threads",
                    "start it with the method spawn: multiprocessing.get_context(\"spawn\"), or "
                    "DataLoader(..., multiprocessing_context=\"spawn\")");
}

nb::object run_on_engine(const std::function<void()>& job, std::atomic<bool>& stop, const std::function<void()>& look) {
    refuse_in_forked_process();
    std::exception_ptr thrown;
    bool done = false;
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<nb::object> kept;
    std::unique_lock<std::mutex> engine;
    {
        const nb::gil_scoped_release released;
        engine = std::unique_lock(engine_lock());
        engine_thread().start([&] {
            const backends::StandardArithmetic arithmetic;
            std::exception_ptr error;
            try {
                job();
            } catch (...) {
                error = std::current_exception();
            }
            const std::lock_guard lock(mutex);
            thrown = error, done = true;
            changed.notify_all();
        });
    }
    constexpr auto between_looks = std::chrono::milliseconds(50);
    for (;;) {
        bool ended = false;
        {
            const nb::gil_scoped_release released;
            std::unique_lock lock(mutex);
            ended = changed.wait_for(lock, between_looks, [&] { return done; });
        }
        try {
            if (!kept && PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!kept) look();
        } catch (nb::python_error& error) {
            stop = true;
            kept = nb::borrow(error.value());
        }
        if (ended) break;
    }
    engine.unlock();
    if (thrown) std::rethrow_exception(thrown);
    return kept ? *kept : nb::none();
}

void run_on_engine(const std::function<void()>& job) {
    std::atomic<bool> stop{false};
    run_on_engine(job, stop, [] {});
}

}  // namespace myriad::python
