// Steps with contact on a tape, by the bits of the kernels: bundled mechanisms, choices of contacts, limits, dry
// friction of joints, bearings, drivers, quantities before and behind impacts.
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "tests/graph/bits_of_kernels.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

using nlohmann::ordered_json;

constexpr const char* schemes[] = {"nonsmooth_generalized_alpha", "nonsmooth_bathe", "moreau_midpoint", "half_explicit",
                                   "nonsmooth_ed_alpha"};

struct ContactCase {
    const char* study;
    const char* method;
    double step_s;
    int steps;
    const char* strikes = "published";
    friend void PrintTo(const ContactCase& x, std::ostream* out) {
        *out << x.study << " by " << x.method << " " << x.strikes;
    }
};

template <class Number = double>
int steps_left_of(const ContactCase& given) {
    study::Overrides changes;
    const ordered_json method = {
        {"name", given.method}, {"step_s", given.step_s}, {"end_s", 2.0}, {"strikes", given.strikes}};
    changes.assignments = {"coordinates=joint", "integrator=" + method.dump()};
    if (sizeof(Number) == sizeof(float)) changes.assignments.push_back("precision=fp32");
    int left = 0;
    expect_the_bits_of_the_kernels<Number>(
        study::read_study(source_dir() / ("ensembles/studies/" + std::string(given.study) + ".json"), changes),
        given.steps, false, &left);
    return left;
}

class TracedContact : public testing::TestWithParam<ContactCase> {};
TEST_P(TracedContact, OnATapeHasTheBitsOfTheKernels) { steps_left_of(GetParam()); }

std::vector<ContactCase> bundled() {
    std::vector<ContactCase> cases;
    for (const char* const scheme : schemes) {
        for (const char* const study : {"pendulum_wall", "bouncing_ball", "bouncing_sphere", "rolling_disc",
                                        "rolling_sphere", "scotch_yoke", "sphere_cradle"})
            cases.push_back({study, scheme, 1e-3, 700});
        cases.push_back({"slider_crank_slot", scheme, 1e-4, 900});
        cases.push_back({"box_on_incline", scheme, 1e-3, 100});
        for (const char* const study : {"pendulum_wall", "bouncing_sphere", "sphere_cradle"})
            cases.push_back({study, scheme, 1e-3, 700, "within_step"});
        cases.push_back({"scotch_yoke", scheme, 1e-4, 700, "within_step"});
    }
    return cases;
}
INSTANTIATE_TEST_SUITE_P(Bundled, TracedContact, testing::ValuesIn(bundled()));

TEST(TracedContact, LeavesInstancesBehindThatWantWhatIsRare) {
    EXPECT_GT(steps_left_of({"scotch_yoke", "nonsmooth_ed_alpha", 1e-3, 300}), 0);
    EXPECT_GT(steps_left_of({"slider_crank_slot", "moreau_midpoint", 1e-4, 1500}), 0);
    EXPECT_EQ(steps_left_of({"pendulum_wall", "moreau_midpoint", 1e-3, 300}), 0);
    EXPECT_GT(steps_left_of({"pendulum_wall", "moreau_midpoint", 1e-3, 1000, "within_step"}), 0);
}

TEST(TracedContact, InSinglePrecisionHasTheBitsOfTheKernels) {
    for (const char* const scheme : schemes) {
        SCOPED_TRACE(scheme);
        steps_left_of<float>({"pendulum_wall", scheme, 1e-3, 300});
        steps_left_of<float>({"rolling_sphere", scheme, 1e-3, 300});
    }
}

}  // namespace
}  // namespace myriad::graph
