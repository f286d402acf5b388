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
    // state; an entry that counts over all steps has the value of this step.
    void after_step(double time_s, const Channels& channel, std::span<const double> certified);
    // Called with the state just before rates jump, in an impact or by a driver. The state just behind is that of
    // behind_jump, or of after_step. `is_straight`: between both ends of this part of the step motions are lines.
    void before_jump(double time_s, const Channels& channel, bool is_straight);
    void behind_jump(double time_s, const Channels& channel);
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
        double last_rate, last_slope, last_length_s;                  // slope and length of the step before
        double last_s;                                                // time of `last`
        std::vector<std::pair<double, double>> last_components = {};  // of a norm: values and rates
    };

    // Looks at states as kernels/run/certificate.hpp does; at the last one once the instance is added.
    void certify(std::span<const double> certified);
    void keep(Kept& kept, double certified) const;
    // The place of a state: the end of a step, or of a part of one up to a jump, or behind the jump.
    enum class Seen { step, to_jump, straight_to_jump, behind_jump };
    bool follows_jumps(std::size_t quantity) const;
    void update(std::size_t quantity, double time_s, const Channels& channel, Seen seen);
    void update_between(std::size_t quantity, const WatchedStep& step, Seen seen);
    bool is_beyond(std::size_t quantity, double value) const;
    void count_jump(std::size_t quantity, double time_s, double value);
    void consider(std::size_t quantity, double value, double time_s);
    // Values and rates of a norm's components; empty if they are not asked for.
    std::vector<std::pair<double, double>> components_of(std::size_t quantity, const Channels& channel) const;
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
    bool is_before_jump_ = false;
    double before_s_ = 0.0;
};

}  // namespace myriad::backends
