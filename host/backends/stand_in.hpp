// A backend for which another one stands in until its kernels are compiled: a run starts at once and moves on by
// chunks.
//
// A chunk runs whole on one of the two, so that an instance has the bits that each of them gives it, which are the same
// by contract. The kernels are compiled on a thread of their own. Where that fails the other backend does it all.
#pragma once
#include <functional>
#include <memory>

#include "host/backends/interface/late_backend.hpp"

namespace myriad::backends {

// Makes the backend that stands in. It is called if the task has to be compiled, or the first backend does not take it.
using MakeStandIn = std::function<std::unique_ptr<Backend>(const Task& task)>;

// `settings.notice` is told why the first backend runs nothing, where it does not.
std::unique_ptr<Backend> make_with_stand_in(std::unique_ptr<Backend> own, const MakeStandIn& make_stand_in,
                                            const Settings& settings);

}  // namespace myriad::backends
