// What the tests of contact share: runs of the schemes, step after step.
#pragma once
#include <gtest/gtest.h>

#include "kernels/system/status.hpp"
#include "papers/nonsmooth/contact_run.hpp"
#include "tests/contact/schemes.hpp"

namespace myriad::test {

using bench::CompiledContactRun;
using bench::contact_schedule;
using bench::contact_task;
using bench::ContactRun;
using bench::NoChart;
using bench::parameters_with;
using bench::ParameterVector;

using AllSchemes = TestedSchemes<ContactIntegrators>::Types;

constexpr double gravity = 9.81;  // m/s^2
// Of up to a thousand steps, in numbers of the order of one.
constexpr double round_off_of_a_run = 1e-9;

}  // namespace myriad::test
