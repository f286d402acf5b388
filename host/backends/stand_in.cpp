#include "host/backends/stand_in.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends {

namespace {

class WithStandIn final : public Backend {
  public:
    WithStandIn(std::unique_ptr<Backend> own, MakeStandIn make, const Settings& settings)
        : own_(std::move(own)),
          late_(dynamic_cast<LateBackend*>(own_.get())),
          make_stand_in_(std::move(make)),
          notice_(settings.notice),
          places_(static_cast<std::size_t>(own_->buffers())) {}
    ~WithStandIn() override { end_preparing(); }
    WithStandIn(const WithStandIn&) = delete;
    WithStandIn& operator=(const WithStandIn&) = delete;

    const char* name() const override { return is_own() ? own_->name() : stand_in_->name(); }
    std::string device() const override {
        if (!stand_in_) return own_->device();
        if (!is_own()) return stand_in_->device();
        return own_->device() + "; the first " + std::to_string(instances_of_stand_in_) + " instances on " +
               stand_in_->device();
    }
    std::string tools() const override { return is_own() ? own_->tools() : stand_in_->tools(); }
    int buffers() const override { return static_cast<int>(places_.size()); }
    std::string doing() const override {
        if (!thread_.joinable()) return {};
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
        return "on " + std::string(stand_in_->name()) + " while the GPU kernels compile (" +
               std::to_string(static_cast<int>(seconds.count())) + " s)";
    }

    MemoryPlan prepare(const Task& task, std::uint64_t instances) override {
        end_preparing();
        stand_in_.reset();
        error_ = nullptr, is_prepared_ = false, instances_of_stand_in_ = 0;
        if (!late_ || !late_->has_to_compile(task)) {
            try {
                own_plan_ = own_->prepare(task, instances);
                is_prepared_ = true;
                return own_plan_;
            } catch (const UserError& error) {
                if (error.exit_code() != ExitCode::device) throw;
                if (notice_) notice_(not_on_the_gpu(error));
            }
            stand_in_ = make_stand_in_(task);
            const MemoryPlan plan = stand_in_->prepare(task, instances);
            shape_ = stand_in_->shape();
            return plan;
        }
        MemoryPlan plan = late_->plan(task, instances);
        stand_in_ = make_stand_in_(task);
        // Chunks grow as they turn out to be quick, up to what the own backend takes.
        plan.smallest_chunk = std::min(stand_in_->prepare(task, instances).smallest_chunk, plan.instances_per_chunk);
        shape_ = stand_in_->shape();
        if (notice_)
            notice_("The GPU kernels of this study are being compiled. Until then it runs on " + stand_in_->device() +
                    ", with the same bits.");
        began_ = std::chrono::steady_clock::now();
        has_ended_ = is_stopped_ = false;
        thread_ = std::thread([this, task, instances] {
            try {
                own_plan_ = late_->prepare_unless(is_stopped_, task, instances);
                is_prepared_ = true;
            } catch (const PreparingStopped&) {
            } catch (...) {
                error_ = std::current_exception();
            }
            has_ended_ = true;
        });
        return plan;
    }
    Shape shape() const override { return stand_in_ ? shape_ : own_->shape(); }

    void start(int buffer, std::uint64_t count, const double* varied) override {
        look_after_preparing();
        Place& place = places_[static_cast<std::size_t>(buffer)];
        place = {Place::own, count, {}};
        if (takes(count)) {
            own_->start(buffer, count, varied);
        } else if (stand_in_->buffers() >= buffers()) {
            place.where = Place::stand_in;
            stand_in_->start(buffer, count, varied);
        } else {
            place = {Place::waiting, count, {varied, varied + static_cast<std::uint64_t>(shape_.varied) * count}};
        }
    }
    bool finish(int buffer, Chunk& chunk, const std::atomic<bool>& stop) override {
        Place& place = places_[static_cast<std::size_t>(buffer)];
        int number = buffer;
        if (place.where == Place::waiting) {
            look_after_preparing();
            place.where = takes(place.count) ? Place::own : Place::stand_in;
            if (place.where == Place::stand_in) number = 0;  // it works on one chunk at a time
            (place.where == Place::own ? *own_ : *stand_in_).start(number, place.count, place.varied.data());
        }
        if (place.where == Place::own) return own_->finish(number, chunk, stop);
        instances_of_stand_in_ += place.count;
        return stand_in_->finish(number, chunk, stop);
    }
    study::SortedSample sorted_sample(std::span<const double> values, std::span<const unsigned char> included,
                                      std::uint64_t first, std::uint64_t stride) const override {
        return (is_own() ? static_cast<const Backend&>(*own_) : *stand_in_)
            .sorted_sample(values, included, first, stride);
    }
    double compute_seconds() const override {
        return (is_own() ? own_->compute_seconds() : 0.0) + (stand_in_ ? stand_in_->compute_seconds() : 0.0);
    }

  private:
    struct Place {
        enum { own, stand_in, waiting } where = own;
        std::uint64_t count = 0;
        std::vector<double> varied;  // of a chunk that waits
    };

    // The own backend belongs to this thread again, with its kernels.
    bool is_own() const { return !thread_.joinable() && (is_prepared_ || !stand_in_); }
    // After the kernels are loaded, less memory may be free than was planned with.
    bool takes(std::uint64_t count) const { return is_own() && count <= own_plan_.instances_per_chunk; }

    void look_after_preparing() {
        if (!thread_.joinable() || !has_ended_) return;
        thread_.join();
        if (!error_) return;
        try {
            std::rethrow_exception(std::exchange(error_, nullptr));
        } catch (const UserError& error) {
            if (notice_) notice_(not_on_the_gpu(error));
        }
    }
    void end_preparing() {
        if (!thread_.joinable()) return;
        is_stopped_ = true;
        thread_.join();
    }

    std::unique_ptr<Backend> own_;
    LateBackend* const late_;  // null where it cannot be prepared beside a run
    MakeStandIn make_stand_in_;
    std::unique_ptr<Backend> stand_in_;  // null where nothing had to be compiled
    std::function<void(const std::string&)> notice_;
    std::vector<Place> places_;
    Shape shape_;
    std::chrono::steady_clock::time_point began_;
    std::uint64_t instances_of_stand_in_ = 0;
    std::thread thread_;  // it prepares the own backend, and no other thread looks at that meanwhile
    std::atomic<bool> has_ended_ = false, is_stopped_ = false;
    // Written by the thread above, read after it was joined.
    bool is_prepared_ = false;
    MemoryPlan own_plan_;
    std::exception_ptr error_;
};

}  // namespace

std::unique_ptr<Backend> make_with_stand_in(std::unique_ptr<Backend> own, const MakeStandIn& make_stand_in,
                                            const Settings& settings) {
    return std::make_unique<WithStandIn>(std::move(own), make_stand_in, settings);
}

}  // namespace myriad::backends
