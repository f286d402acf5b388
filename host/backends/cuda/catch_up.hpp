// Instances that a traced step leaves behind on a GPU (kernels/math/control.hpp). Between two launches, they take this
// one step by the program's kernels on the host.
//
// Only their numbers cross. Two small kernels gather and scatter columns: the numbers of an instance in an array
// [tile][rows][32]. They are written for the assembler in the driver, so no compiler is needed. Not handled: instances
// that stay behind in most steps, which go as fast as the host does.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/backends/cuda/device_task.hpp"
#include "host/backends/interface/kernel_table.hpp"

namespace myriad::backends::cuda {

// Numbers of an instance: from `place` on every 32nd one of the arrays; they are staged one behind the other.
struct Column {
    std::uint64_t place, staged, numbers;
};
inline constexpr const char *gather_kernel = "gather_columns", *scatter_kernel = "scatter_columns";
// PTX of the kernel, of blocks of 32 threads, with one block for each column. Its parameters are the addresses of the
// arrays, of the staged numbers and of the columns.
std::string column_kernel(const char* name, int bytes_of_number);

template <class Number>
class CatchUp {
  public:
    CatchUp(const std::shared_ptr<const Device>& device, const DeviceTask<Number>& kernels);

    // After a launch of so many attempts over the slots `order`: those that it left behind take their step. `host` has
    // room for the arrays of all instances; in it the progress of these slots is then the present one. Waits for the
    // copies.
    void look(const DeviceInstances& instances, std::span<const unsigned int> order, std::int64_t attempts,
              Number* host, const Stream& stream);
    // Bound of the next launch's attempts, so that few instances wait for its end.
    std::int64_t most_attempts() const { return most_attempts_; }
    // Trial steps of an instance so far, by what look() has brought.
    long long steps_of(const Number* host, unsigned int slot) const;
    bool is_running(const Number* host, unsigned int slot) const;

  private:
    struct Kernel {
        Kernel(const std::shared_ptr<const Device>& device, const char* name)
            : module(device, column_kernel(name, sizeof(Number))), function(module.function(name)) {}
        Module module;
        CUfunction function;
    };
    std::shared_ptr<const Device> device_;
    const DeviceTask<Number>& kernels_;
    const KernelFunctions<Number>& functions_;
    const Kernel gather_, scatter_;
    DeviceArray columns_on_device_, staged_on_device_;
    HostArray columns_on_host_, staged_on_host_;
    std::vector<Column> columns_;
    std::uint64_t staged_ = 0;  // numbers of all columns
    std::vector<unsigned int> behind_;
    double left_ = 0.0, tried_ = 0.0;  // steps of late that were left out, and all steps of late
    std::int64_t most_attempts_;

    void add(std::uint64_t array, int rows, unsigned int slot, int first, int numbers);
    template <class Copy>
    void each_staged(Number* host, const Copy& copy) const;
    void move(const Kernel& kernel, const DeviceInstances& instances, const Stream& stream);
    void gather(const DeviceInstances& instances, Number* host, const Stream& stream);
    void scatter(const DeviceInstances& instances, Number* host, const Stream& stream);
    void bring_progress(const DeviceInstances& instances, std::span<const unsigned int> order, Number* host,
                        const Stream& stream);
    void step(const DeviceInstances& instances, Number* host, const Stream& stream);
    void count(double slots, std::int64_t attempts);
    std::uint64_t place_of_progress(unsigned int slot, int row) const;
};

// Launches over `order` until each instance has taken so many attempts or has ended. `left(slot)`: how many are left to
// it; 0 where it has ended. Instances with more left go first, so that some ten launches bring all together.
template <class Left, class Launch>
void advance_together(std::vector<unsigned int> order, const Left& left, const Launch& launch) {
    while (true) {
        std::erase_if(order, [&](unsigned int slot) { return left(slot) <= 0; });
        if (order.empty()) return;
        long long fewest = left(order.front()), most = fewest;
        for (const unsigned int slot : order) fewest = std::min(fewest, left(slot)), most = std::max(most, left(slot));
        const auto at_once = static_cast<long long>(std::bit_floor(static_cast<unsigned long long>(most)));
        const long long attempts = std::max(fewest, at_once);
        std::vector<unsigned int> some = order;
        std::erase_if(some, [&](unsigned int slot) { return left(slot) < attempts; });
        launch(some, attempts);
    }
}

}  // namespace myriad::backends::cuda
