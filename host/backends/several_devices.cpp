#include "host/backends/several_devices.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace myriad::backends {

namespace {

// A device without a second chunk waits so long for one before it looks after its first, which computes meanwhile.
constexpr auto patience = std::chrono::milliseconds(20);
constexpr auto progress_interval = std::chrono::milliseconds(200);

// One device and its thread.
class Worker {
  public:
    Worker(int device, Settings settings, const MakeDevice& make) {
        settings.progress = [this](double share) { share_ = share; };
        backend_ = make(device, settings);
    }
    ~Worker() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true, stop_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    Backend& backend() { return *backend_; }
    const Backend& backend() const { return *backend_; }

    void start(int buffer, std::uint64_t count, std::vector<double> varied) {
        const std::lock_guard lock(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        to_start_.push_back({buffer, count, std::move(varied)});
        changed_.notify_all();
    }
    double compute_seconds() const {
        const std::lock_guard lock(mutex_);
        return seconds_;
    }
    // As Backend's; `tell` is called on this thread.
    bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop, const std::function<void(double)>& tell) {
        std::unique_lock lock(mutex_);
        is_waited_for_ = true;
        changed_.notify_all();
        const auto done = [&] {
            return std::find_if(done_.begin(), done_.end(), [&](const Done& one) { return one.buffer == buffer; });
        };
        while (done() == done_.end() && !error_) {
            if (stop) stop_ = true;
            changed_.wait_for(lock, stop_ ? patience : progress_interval);
            if (tell) tell(share_);
        }
        is_waited_for_ = false;
        const auto found = done();
        if (found == done_.end()) std::rethrow_exception(error_);
        const bool is_whole = found->is_whole;
        chunk = std::move(found->chunk);
        done_.erase(found);
        return is_whole;
    }

  private:
    struct Start {
        int buffer;
        std::uint64_t count;
        std::vector<double> varied;
    };
    struct Done {
        int buffer;
        Chunk chunk;
        bool is_whole;
    };

    void work() {
        try {
            std::deque<int> started;
            std::unique_lock lock(mutex_);
            while (true) {
                changed_.wait(lock, [&] { return closed_ || !to_start_.empty() || !started.empty(); });
                const auto may_start = [&] {
                    return !to_start_.empty() && started.size() < static_cast<std::size_t>(backend_->buffers());
                };
                if (!may_start() && !is_waited_for_ && !closed_)
                    changed_.wait_for(lock, patience, [&] { return may_start() || is_waited_for_ || closed_; });
                if (closed_ && started.empty()) return;
                if (may_start() && !closed_) {
                    const Start next = std::move(to_start_.front());
                    to_start_.pop_front();
                    lock.unlock();
                    backend_->start(next.buffer, next.count, next.varied.data());
                    lock.lock();
                    started.push_back(next.buffer);
                    continue;
                }
                Done done{started.front(), {}, false};
                started.pop_front();
                lock.unlock();
                share_ = 0.0;
                done.is_whole = backend_->finish(done.buffer, done.chunk, stop_);
                lock.lock();
                done_.push_back(std::move(done));
                seconds_ = backend_->compute_seconds(), stop_ = closed_;
                changed_.notify_all();
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            error_ = std::current_exception();
            changed_.notify_all();
        }
    }

    std::unique_ptr<Backend> backend_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Start> to_start_;
    std::vector<Done> done_;
    std::exception_ptr error_;
    double seconds_ = 0.0;
    bool closed_ = false, is_waited_for_ = false;
    std::atomic<bool> stop_ = false;
    std::atomic<double> share_ = 0.0;
    std::thread thread_;
};

class SeveralDevices final : public Backend {
  public:
    SeveralDevices(const std::vector<int>& devices, const Settings& settings, const MakeDevice& make)
        : progress_(settings.progress) {
        for (const int device : devices) workers_.push_back(std::make_unique<Worker>(device, settings, make));
    }

    const char* name() const override { return first().name(); }
    std::string device() const override {
        std::string text;
        for (const auto& worker : workers_) text += (text.empty() ? "" : "; ") + worker->backend().device();
        return text;
    }
    std::string tools() const override { return first().tools(); }
    // Chunk after chunk on device after device.
    int buffers() const override { return static_cast<int>(workers_.size()) * first().buffers(); }

    MemoryPlan prepare(const Task& task, std::uint64_t instances) override {
        const std::uint64_t number = workers_.size(),
                            share = std::max<std::uint64_t>(1, (instances + number - 1) / number);
        MemoryPlan plan;
        for (const auto& worker : workers_) {
            const MemoryPlan one = worker->backend().prepare(task, share);
            if (worker == workers_.front()) {
                plan = one;
                continue;
            }
            plan.bytes_available += one.bytes_available;
            plan.instances_per_chunk = std::min(plan.instances_per_chunk, one.instances_per_chunk);
            plan.smallest_chunk = std::min(plan.smallest_chunk, one.smallest_chunk);
        }
        return plan;
    }
    Shape shape() const override { return first().shape(); }

    void start(int buffer, std::uint64_t count, const double* varied) override {
        const auto fields = static_cast<std::uint64_t>(shape().varied);
        worker_of(buffer).start(own_buffer(buffer), count, {varied, varied + fields * count});
    }
    bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop) override {
        return worker_of(buffer).finish(own_buffer(buffer), chunk, stop, progress_);
    }
    study::SortedSample sorted_sample(std::span<const double> values, std::span<const unsigned char> included,
                                      std::uint64_t first_value, std::uint64_t stride) const override {
        return first().sorted_sample(values, included, first_value, stride);
    }
    // Of the busiest one: they compute side by side.
    double compute_seconds() const override {
        double most = 0.0;
        for (const auto& worker : workers_) most = std::max(most, worker->compute_seconds());
        return most;
    }

  private:
    const Backend& first() const { return workers_.front()->backend(); }
    Worker& worker_of(int buffer) { return *workers_[static_cast<std::size_t>(buffer) % workers_.size()]; }
    int own_buffer(int buffer) const { return buffer / static_cast<int>(workers_.size()); }

    std::function<void(double share)> progress_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Backend> make_several_devices(const std::vector<int>& devices, const Settings& settings,
                                              const MakeDevice& make) {
    return std::make_unique<SeveralDevices>(devices, settings, make);
}

}  // namespace myriad::backends
