// What the tests of contact share: runs of the schemes, step after step.
#pragma once
#include <gtest/gtest.h>

#include "kernels/system/status.hpp"
#include "papers/nonsmooth/contact_run.hpp"

namespace myriad::test {

using bench::CompiledContactRun;
using bench::contact_schedule;
using bench::ContactRun;
using bench::NoChart;
using bench::parameters_with;
using bench::ParameterVector;

constexpr double gravity = 9.81;  // m/s^2

}  // namespace myriad::test
