// Loops over the lists of a topology: what is known to be empty while the loop is compiled, and what it visits.
#include "kernels/system/entries.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace myriad::test::entries {
namespace {

// As the topologies that are written for one mechanism
struct OfConstants {
    static constexpr int loads() { return 0; }
    static constexpr int load(int i) { return i; }
    static constexpr int elements() { return 3; }
    static constexpr int element(int i) { return 10 * i; }
};
// As the topologies that are read at run time
struct ReadAtRunTime {
    int count;
    int loads() const { return count; }
    int load(int i) const { return 10 * i; }
};

template <class Topology>
std::vector<int> loads_of(const Topology& topology) {
    std::vector<int> seen;
    MYRIAD_EACH(i, topology, loads) seen.push_back(topology.load(i));
    return seen;
}
template <class Topology>
std::vector<int> elements_of(Topology topology) {
    std::vector<int> seen;
    MYRIAD_EACH(i, topology, elements) seen.push_back(topology.element(i));
    return seen;
}

TEST(Entries, OfConstantsAreKnownToBeNone) {
    static_assert(!may_have_loads<OfConstants>() && !may_have_loads<const OfConstants>());
    static_assert(!may_have_loads<OfConstants&>() && !may_have_loads<const OfConstants&>());
    static_assert(may_have_elements<const OfConstants&>() && may_have_loads<const ReadAtRunTime&>());
    EXPECT_TRUE(loads_of(OfConstants{}).empty());
}

TEST(Entries, AreVisitedInTheirOrder) {
    EXPECT_EQ(elements_of(OfConstants{}), (std::vector<int>{0, 10, 20}));
    EXPECT_EQ(loads_of(ReadAtRunTime{2}), (std::vector<int>{0, 10}));
    EXPECT_TRUE(loads_of(ReadAtRunTime{0}).empty());
}

}  // namespace
}  // namespace myriad::test::entries
