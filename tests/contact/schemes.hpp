// The schemes of contact that the catalog has, for tests of each of them.
#pragma once
#include <gtest/gtest.h>

#include "ensembles/catalog/lists.hpp"
#include "kernels/integrators/contact/timestepping.hpp"

namespace myriad::test {

template <class Schemes>
struct TestedSchemes;
template <class... Member>
struct TestedSchemes<IntegratorList<Timestepping<Member>...>> {
    using Types = testing::Types<Member...>;
};

}  // namespace myriad::test
