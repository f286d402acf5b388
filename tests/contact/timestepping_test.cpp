// Every timestepping scheme of formula systems on a motion with one freedom, by quadrature.
#include "host/validation/runs/slider_crank_exact.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "tests/contact/contact_runs.hpp"

namespace myriad::test {
namespace {

using validation::SliderCrankExact;
template <class Member>
class Scheme : public testing::Test {};
TYPED_TEST_SUITE(Scheme, AllSchemes);

using Crank = SliderCrankClearance<double, NoChart>;

// Bilateral contact: the slider-crank without clearance, against its one freedom.
TYPED_TEST(Scheme, FollowsTheSliderCrankWithoutClearance) {
    const SliderCrankExact exact;
    constexpr double end = 0.02;
    const double crank = exact.advanced(0.0, end, 20000);
    const auto error = [&](double h) {
        ContactRun<TypeParam, Crank> run(parameters_with<Crank>({{"clearance_m", 0.0}, {"friction", 0.0}}),
                                         contact_schedule(h, end));
        run.run();
        EXPECT_EQ(run.reason, 0.0);
        return std::abs(run.motion.q[0] - crank) + std::abs(run.motion.q[1] - exact.rod_angle(crank));
    };
    const double coarse = error(1e-4), fine = error(2.5e-5), order = std::log2(coarse / fine) / 2.0;
    std::printf("| %-27s | held slider: error %.2e at h = 1e-4, order %.2f |\n", TypeParam::name, coarse, order);
    const double expected = TypeParam::impacts_apart ? 2.0 : 1.0;
    EXPECT_NEAR(order, expected, 0.15);  // the next term of the error
}

}  // namespace
}  // namespace myriad::test
