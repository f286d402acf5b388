// Block and rolling sphere of the catalog by every scheme in the coordinates that it takes: closed forms and orders.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "host/backends/backends.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "kernels/system/status.hpp"

namespace myriad::test {
namespace {

using validation::FinishedRun;

constexpr double g = 9.81;
// Of up to a thousand steps, in numbers of the order of one, each solved to Newton's tolerance.
constexpr double round_off_of_a_run = 1e-9;

struct Form {
    std::string scheme, coordinates;
    bool is(const char* name) const { return scheme == name; }
    bool is_explicit() const { return is("moreau_midpoint") || is("half_explicit"); }
    friend void PrintTo(const Form& form, std::ostream* out) { *out << form.scheme << " in " << form.coordinates; }
};
class BundledContact : public testing::TestWithParam<Form> {
  protected:
    struct Span {
        double step_s, end_s, every_s = 0.0;  // 0: at the end
    };
    FinishedRun run(const char* mechanism, const Span& span, const std::vector<std::string>& channels,
                    const std::string& parameters, double spectral_radius = 0.8) const {
        static const auto device = backends::make_backend("cpu", {});
        return validation::run_mechanism(
            mechanism,
            {.integrator = GetParam().scheme,
             .step_s = span.step_s,
             .end_s = span.end_s,
             .spectral_radius = GetParam().is_explicit() || GetParam().is("nonsmooth_bathe") ? -1.0 : spectral_radius,
             .coordinates = GetParam().coordinates},
            *device, {span.every_s > 0.0 ? span.every_s : span.end_s, channels}, "{" + parameters + "}");
    }
};
INSTANTIATE_TEST_SUITE_P(Forms, BundledContact,
                         testing::Values(Form{"moreau_midpoint", "joint"}, Form{"moreau_midpoint", "body"},
                                         Form{"half_explicit", "joint"}, Form{"half_explicit", "body"},
                                         Form{"nonsmooth_generalized_alpha", "joint"},
                                         Form{"nonsmooth_generalized_alpha", "body"}, Form{"nonsmooth_bathe", "joint"},
                                         Form{"nonsmooth_bathe", "body"}, Form{"nonsmooth_ed_alpha", "joint"},
                                         Form{"nonsmooth_ed_alpha", "body"}),
                         [](const auto& given) { return given.param.scheme + "_" + given.param.coordinates; });

// Thrown across the incline it slides along a curve: friction turns with the slip.
TEST_P(BundledContact, SlidesABlockAlongACurveByTheOrderOfTheScheme) {
    const double incline = 0.4, friction = 0.3, end_s = 0.5;
    const double pull = g * std::sin(incline), brake = friction * g * std::cos(incline);
    double x = 0.0, y = 0.0, u = 0.0, w = 2.0;
    constexpr int steps = 20000;
    for (int i = 0; i < steps; ++i) {  // the midpoint rule, whose error is 1e-8 here
        const double h = end_s / steps, s = std::hypot(u, w);
        const double um = u + 0.5 * h * (pull - brake * u / s), wm = w - 0.5 * h * brake * w / s;
        const double sm = std::hypot(um, wm);
        x += h * um, y += h * wm, u += h * (pull - brake * um / sm), w -= h * brake * wm / sm;
    }
    const auto error = [&](double h) {
        const FinishedRun block = run("sliding_block", {h, end_s}, {"down", "across"},
                                      R"("parameters.incline_rad": 0.4, "contacts.slope.friction": 0.3,
                                         "parameters.initial_down_m_s": 0, "parameters.initial_across_m_s": 2)");
        return std::hypot(block.observed("down", end_s) - x, block.observed("across", end_s) - y);
    };
    const double coarse = error(1e-2), fine = error(2.5e-3), order = std::log2(coarse / fine) / 2.0;
    std::printf("| %-27s | %-5s | curved slide: error %.2e at h = 0.01, order %.2f |\n", GetParam().scheme.c_str(),
                GetParam().coordinates.c_str(), coarse, order);
    // The explicit ones take the direction of the slip at one end of the step.
    EXPECT_NEAR(order, GetParam().is_explicit() ? 1.0 : 2.0, 0.1);  // the next term of the error
}

// It falls on an incline and slides from there. Friction did nothing before the impact; counting it would cost an
// order: 0.5 h times the power after it. Generalized-alpha is left out, whose forces ring after an impact.
TEST_P(BundledContact, BalancesTheEnergyOfALandingBlockToSecondOrder) {
    if (GetParam().is("nonsmooth_generalized_alpha")) return;
    const auto error_at = [&](double h) {
        const FinishedRun block = run("sliding_block", {h, 0.5}, {"impacts", "friction_loss", "energy_balance_error"},
                                      R"("parameters.incline_rad": 0.6, "parameters.mass_kg": 2,
                                         "parameters.initial_gap_m": 0.0123, "parameters.initial_down_m_s": 3)",
                                      0.0);
        EXPECT_EQ(block.observed("impacts", 0.5), 1.0);
        EXPECT_LT(0.5, block.observed("friction_loss", 0.5));
        return block.observed("energy_balance_error", 0.5);
    };
    // A hundredfold by the order, of which round-off takes a share.
    const double coarse = error_at(1e-3), fine = error_at(1e-4);
    EXPECT_LE(fine, std::max(coarse / 50.0, round_off_of_a_run)) << coarse;
}

// Three different inertias: the slip turns. The order, by three step sizes, while it slides.
TEST_P(BundledContact, RollsAnUnequalSphereByTheOrderOfTheScheme) {
    const auto place = [&](double h) {
        const FinishedRun ball =
            run("rolling_sphere", {h, 0.4}, {"position.ball", "orientation.ball"},
                R"("contacts.floor.friction": 0.1, "bodies.ball.inertia_kg_m2": [0.003, 0.004, 0.005],
                                        "parameters.speed_m_s": 3, "bodies.ball.angular_velocity_rad_s": [10, -5, 12])");
        Eigen::Matrix<double, 7, 1> now;
        const char* addresses[] = {"position.ball.x",    "position.ball.y",    "position.ball.z",
                                   "orientation.ball.w", "orientation.ball.x", "orientation.ball.y",
                                   "orientation.ball.z"};
        for (int i = 0; i < 7; ++i) now[i] = ball.observed(addresses[i], 0.4);
        return now;
    };
    const auto distance = [](const Eigen::Matrix<double, 7, 1>& a, const Eigen::Matrix<double, 7, 1>& b) {
        const Eigen::Quaterniond p(a[3], a[4], a[5], a[6]), q(b[3], b[4], b[5], b[6]);
        return (a.head<3>() - b.head<3>()).norm() + p.angularDistance(q);
    };
    const auto coarse = place(4e-3), middle = place(2e-3), fine = place(1e-3);
    const double order = std::log2(distance(coarse, middle) / distance(middle, fine));
    std::printf("| %-27s | %-5s | unequal sphere: difference %.2e at h = 4e-3, order %.2f |\n",
                GetParam().scheme.c_str(), GetParam().coordinates.c_str(), distance(coarse, middle), order);
    EXPECT_NEAR(order, GetParam().is_explicit() ? 1.0 : 2.0, 0.2);
}

TEST_P(BundledContact, StopsASphereWhereAStepTurnsItTooFar) {
    const FinishedRun ball =
        run("rolling_sphere", {1e-2, 0.1}, {"position.ball"}, R"("bodies.ball.angular_velocity_rad_s": [0, 0, 200])");
    EXPECT_EQ(ball.chunk.status.front(), static_cast<int>(Status::step_rotation_too_large));
}

}  // namespace
}  // namespace myriad::test
