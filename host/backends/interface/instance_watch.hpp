// The content of a result for one instance, gathered from the states after its accepted steps: quantities, certificate,
// rows.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "host/backends/interface/watched_step.hpp"
#include "host/catalog/system_description.hpp"
#include "host/study/task.hpp"

namespace myriad::backends {

class InstanceWatch {
  public:
    // The value of a channel, no norm, in the state as it stands.
    using Channels = std::function<double(int channel)>;
    // Thrown by after_step() once `stop` is raised.
    struct Stopped {};

    InstanceWatch(const Task& task, const Shape& shape, std::span<const study::CertificateEntry> certificate,
                  const std::atomic<bool>& stop);

    // Called first with the initial state, at time 0. `certified` are the values of the certificate's entries in this
    // state; an entry that counts over all steps has the value of this step. `is_cut`: an impact or a jump of a driver
    // is in this step.
    void after_step(double time_s, const Channels& channel, std::span<const double> certified, bool is_cut);
    // Called with states within a step, before its end: what has a rate follows them.
    void within_step(double time_s, const Channels& channel);
    bool began() const { return steps_ >= 0; }

    // Appends the instance; `channel` is of its last state, and not asked where it never began.
    void add_to(Chunk& chunk, const Channels& channel) const;

  private:
    struct Kept {
        study::CertificateKind kind;
        bool is_looked_at_now_and_then;
        double initial, drift;
    };
    struct Sum {
        double extremum, time_of_extremum, integral, first, last, last_inside;
        double last_rate, last_slope, last_length_s;  // slope and length of the step before
        double last_s;                                // time of `last`
    };

    // Looks at states as kernels/run/certificate.hpp does; at the last one once the instance is added.
    void certify(std::span<const double> certified);
    void keep(Kept& kept, double certified) const;
    void update(std::size_t quantity, double time_s, const Channels& channel, bool is_cut);
    void update_between(std::size_t quantity, const WatchedStep& step, bool is_cut);
    void consider(std::size_t quantity, double value, double time_s);
    // Rate of the quantity's channel; NaN if it has none.
    double rate_of(std::size_t quantity, const Channels& channel) const;
    // Where a quantity's window begins and ends, in s.
    std::pair<double, double> window(std::size_t quantity) const;
    void observe(double time_s, const Channels& channel);
    double value(std::size_t quantity) const;

    const Task& task_;
    const Shape& shape_;
    const std::atomic<bool>& stop_;
    std::vector<Sum> quantities_;
    std::vector<Kept> kept_;
    std::vector<double> last_certified_;
    std::vector<double> initial_state_, trajectory_;
    long steps_ = -1, row_ = 0;
    double before_s_ = 0.0;
};

}  // namespace myriad::backends
