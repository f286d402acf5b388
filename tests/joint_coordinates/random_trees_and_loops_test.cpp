// A thousand random mechanisms in joint coordinates: the whole derivative of the equations is that of differences, and
// the simplified matrix leads to the same step. tests/properties/twin_test.cpp compares their motions.
#include <gtest/gtest.h>

#include <cmath>

#include "host/mechanism/file/mechanism_file.hpp"
#include "tests/joint_coordinates/derivative_of_differences.hpp"
#include "tests/properties/random_mechanisms.hpp"

namespace myriad::mechanism {
namespace {

struct JointFamily {
    const char* name;
    std::uint64_t first_seed;
    int count, least_bodies, most_bodies, loops;
    bool free, driven;
    friend void PrintTo(const JointFamily& family, std::ostream* out) { *out << family.name; }
};

constexpr double same_derivative = 2e-6;
constexpr double step_s = 1e-3;

double distance(double a, double b, double scale) { return std::abs(a - b) / std::max(scale, 1.0); }

// Both matrices end at the same step.
void expect_the_same_step(const Mechanism& mechanism) {
    const auto step = [&](double exact, std::vector<double>& end) {
        const auto tree = std::make_unique<TreeInstance>(mechanism);
        Schedule schedule{};
        schedule.step_s = schedule.end_s = step_s, schedule.full_steps = schedule.total_steps = 1.0;
        schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 30, schedule.spectral_radius = 0.8;
        schedule.exact_matrix = exact;
        const Progress<double> progress{};
        auto after = std::make_unique<Motion<TreeInstance::System>>();
        auto memory = std::make_unique<ImplicitMemory<TreeInstance::System>>();
        after->q.fit(tree->system.topology), after->v.fit(tree->system.topology), memory->fit(tree->system.topology);
        const Attempt<double> attempt = Implicit<GeneralizedAlpha>::attempt(
            tree->system, schedule, progress, tree->motion, *after, tree->memory, *memory, true);
        EXPECT_EQ(attempt.reason, 0.0) << "exact: " << exact;
        for (int i = 0; i < tree->freedoms(); ++i) end.push_back(memory->acceleration[i]);
        for (int r = 0; r < tree->rows(); ++r) end.push_back(memory->multipliers[r]);
    };
    std::vector<double> simplified, exact;
    step(0.0, simplified), step(1.0, exact);
    double scale = 1.0;
    for (const double one : exact) scale = std::max(scale, std::abs(one));
    // Accelerations are met to 1e-8 of the largest one; random mechanisms are near singular poses.
    constexpr double same_step = 1e-5;
    for (std::size_t i = 0; i < exact.size(); ++i)
        EXPECT_LE(distance(simplified[i], exact[i], scale), same_step) << "unknown " << i;
}

void expect_all(const Mechanism& mechanism, std::uint64_t seed) {
    const auto tree = std::make_unique<TreeInstance>(mechanism);
    ASSERT_EQ(tree->reason, 0.0);
    expect_the_derivative_of_differences(*tree, seed, same_derivative);
    expect_the_same_step(mechanism);
}

class RandomJointMechanisms : public testing::TestWithParam<JointFamily> {};

TEST_P(RandomJointMechanisms, HaveTheDerivativeOfDifferencesAndOneStepByBothMatrices) {
    const JointFamily family = GetParam();
    int taken = 0;
    for (int n = 0; n < family.count; ++n) {
        const std::uint64_t seed = family.first_seed + static_cast<std::uint64_t>(n);
        const int bodies = family.least_bodies + n % (family.most_bodies - family.least_bodies + 1);
        const RandomMechanism random(seed, {bodies, family.loops, family.free, family.driven});
        SCOPED_TRACE(testing::Message() << family.name << " number " << n);
        const auto mechanism = parse_mechanism(random.text(), "random");
        if (mechanism->table.joint.tree.links == 0) continue;
        ++taken;
        expect_all(*mechanism, seed);
        if (HasFailure()) {
            std::cout << random.text() << '\n';
            break;
        }
    }
    EXPECT_GT(taken, family.count * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Families, RandomJointMechanisms,
                         testing::Values(JointFamily{"trees", 10000, 300, 1, 5, 0, false, false},
                                         JointFamily{"free_trees", 20000, 100, 1, 5, 0, true, false},
                                         JointFamily{"loops", 30000, 300, 2, 5, 2, false, false},
                                         JointFamily{"free_loops", 40000, 100, 3, 5, 2, true, false},
                                         JointFamily{"driven", 50000, 180, 1, 4, 1, false, true},
                                         JointFamily{"large", 60000, 20, 6, 10, 2, false, false}),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(RandomJointMechanisms, HaveThemWhereFrictionRotorsAndFormulasActOnTheirCoordinates) {
    int on_coordinates = 0;
    for (int n = 0; n < 1000; ++n) {
        const std::uint64_t seed = 80000 + static_cast<std::uint64_t>(n);
        const RandomMechanism random(seed, {1 + n % 5, 0, n % 4 == 0, n % 5 == 1, true});
        SCOPED_TRACE(testing::Message() << "number " << n);
        const auto mechanism = parse_mechanism(random.text(), "random");
        const JointTable& joint = mechanism->table.joint;
        ASSERT_GT(joint.tree.links, 0) << mechanism->body_coordinates_because;
        on_coordinates += joint.frictions + joint.rotors + joint.coordinate_forces;
        expect_all(*mechanism, seed);
        if (HasFailure()) {
            std::cout << random.text() << '\n';
            break;
        }
    }
    EXPECT_GT(on_coordinates, 1000);
}

}  // namespace
}  // namespace myriad::mechanism
