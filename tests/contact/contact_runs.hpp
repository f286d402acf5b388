// Runs of the schemes without a backend, for the tests of contact.
#pragma once
#include <gtest/gtest.h>

#include "papers/nonsmooth/contact_run.hpp"

namespace myriad::test {

using bench::contact_schedule;
using bench::ContactRun;
using bench::NoChart;
using bench::parameters_with;
using bench::ParameterVector;

}  // namespace myriad::test
