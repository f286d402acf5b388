// The counts of steps with contact follow from the structure of the schemes, and tell what the data make of them.
#include "bench/operations/contact_operations.hpp"

#include <gtest/gtest.h>

#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {
namespace {

constexpr const char* schemes[] = {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe",
                                   "nonsmooth_ed_alpha"};

ContactOperations operations_of_run(const std::string& subject, const std::string& integrator,
                                    const std::string& step_s, const std::string& end_s,
                                    const std::string& parameters = "", std::uint64_t instances = 1) {
    const study::Study study =
        study::parse_study("{" + subject + R"(, "integrator": {"name": ")" + integrator + R"(", "step_s": )" + step_s +
                               R"(, "end_s": )" + end_s + R"(}, "instances": 2, )" +
                               R"("design": {"kind": "monte_carlo", "seed": 1}, "parameters": {)" + parameters + "}}",
                           "test", std::filesystem::path());
    return count_contact_steps(study, instances);
}
const std::string crank = R"("system": "slider_crank_clearance")";
std::string ball() { return validation::mechanism_subject("bouncing_ball"); }

TEST(ContactOperations, OfTheAcceptanceAreThoseOfTheMechanismWhateverTheScheme) {
    const auto acceptance = [](const ContactOperations& counted) {
        return counted.all.flops() - counted.open.counted.flops() - counted.closed.counted.flops() -
               counted.impact.counted.flops();
    };
    const long long expected = acceptance(operations_of_run(ball(), schemes[0], "1e-3", "0.6"));
    EXPECT_GT(expected, 600 * 2) << "at least time and steps";
    for (const char* scheme : schemes) {
        const ContactOperations counted = operations_of_run(ball(), scheme, "1e-3", "0.6");
        ASSERT_EQ(counted.steps(), 600);
        EXPECT_EQ(acceptance(counted), expected) << scheme;
    }
}

// A ball from 1 m at rest strikes the ground once within 0.6 s: sqrt(2 / 9.81) s = 0.4515 s, then flies for as long
// again.
TEST(ContactOperations, TellStepsWithImpactsFromThoseWithoutContact) {
    for (const char* scheme : schemes) {
        const ContactOperations counted = operations_of_run(ball(), scheme, "1e-3", "0.6");
        EXPECT_TRUE(counted.ended_ok) << scheme;
        EXPECT_EQ(counted.impact.steps, 1) << scheme;
        EXPECT_LE(counted.closed.steps, 1) << scheme << ": it leaves the ground with the next step";
        EXPECT_EQ(counted.open.steps + counted.closed.steps, 599) << scheme;
        EXPECT_EQ(counted.open.problems, 0.0) << scheme;
        EXPECT_GE(counted.impact.problems, 1.0) << scheme;
        EXPECT_GE(counted.impact.iterations, 1.0) << scheme << ": the guess of no impulse is not the solution";
        EXPECT_GT(counted.impact.counted.flops(), counted.open.counted.flops() / counted.open.steps) << scheme;
    }
}

// Only the closed ones of the slider's four contacts cost anything. nonsmooth Tables 3 to 6: Bathe's two stages
// cost about twice as much as the one of generalized-alpha, the coupled ones of ED-alpha more; explicit schemes
// least.
TEST(ContactOperations, OfASliderCrankRiseWithItsClosedContactsAndTheStagesOfTheScheme) {
    double before = 0.0;
    for (const char* scheme : {"nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"}) {
        const ContactOperations counted = operations_of_run(crank, scheme, "1e-4", "0.01");
        EXPECT_TRUE(counted.ended_ok) << scheme;
        ASSERT_GT(counted.closed.steps, 0) << scheme;
        const auto mean = [](const CountedSteps& kind) {
            return static_cast<double>(kind.counted.flops()) / static_cast<double>(kind.steps);
        };
        EXPECT_GT(mean(counted.closed), mean(counted.open)) << scheme;
        EXPECT_GT(mean(counted.closed), before) << scheme;
        before = mean(counted.closed);
    }
}

// Three freedoms in place of 33 unknowns.
TEST(ContactOperations, AreThoseOfTheCoordinatesOfTheStudy) {
    for (const char* scheme : schemes) {
        const auto of = [&](const char* coordinates) {
            return operations_of_run(validation::mechanism_subject("slider_crank_slot", coordinates), scheme, "1e-4",
                                     "0.01");
        };
        const ContactOperations tree = of("joint"), bodies = of("body");
        EXPECT_TRUE(tree.ended_ok && bodies.ended_ok) << scheme;
        EXPECT_LT(2.0 * tree.flops_per_step(), bodies.flops_per_step()) << scheme;
        EXPECT_LT(3 * tree.record_fields, 2 * bodies.record_fields) << scheme;
    }
}

TEST(ContactOperations, OfTwoInstancesAreThoseOfEach) {
    const auto flops = [](const char* varied, std::uint64_t instances) {
        return operations_of_run(ball(), "nonsmooth_bathe", "1e-3", "0.5", varied, instances).all.flops();
    };
    EXPECT_EQ(flops("", 2), 2 * flops("", 1));
    constexpr const char* heights = R"("parameters.initial_height_m": {"uniform": {"low": 0.1, "high": 0.5}})";
    EXPECT_NE(flops(heights, 2), 2 * flops(heights, 1)) << "they strike the ground at different times";
}

TEST(ContactOperations, RefuseWhatHasNoContact) {
    EXPECT_THROW(operations_of_run(R"("system": "heavy_top")", "rk4", "1e-3", "0.1"), std::invalid_argument);
}

}  // namespace
}  // namespace myriad::bench
