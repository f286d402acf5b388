// The size of an instance's energy, and the share of it that a drift is.
#include "host/ensemble/warnings/energy_size.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "host/ensemble/run.hpp"
#include "host/results/reader.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {
namespace {

constexpr double g = 9.81;
// Sums over a thousand steps, of energies of 1 kJ at the most.
constexpr double round_off_J = 1e-9;

// A body of 2 kg.
std::string study_of(const std::string& body, const std::string& more, const std::string& integrator) {
    return R"({"instances": 1, "mechanism": {"gravity_m_s2": [0, 0, -9.81], "bodies": {"body": {"mass_kg": 2.0,
        "inertia_kg_m2": [0.01, 0.02, 0.03], )" +
           body + "}}" + more + R"(}, "integrator": )" + integrator + "}";
}

class EnergyOfARun : public testing::TestWithParam<const char*> {
  protected:
    // Runs one instance; its size and share are then in the result, as its warnings are in the summary.
    RunSummary run(const std::string& text) {
        const study::Study study = study::parse_study(text, "study.json", ".");
        RunOptions options;
        options.backend = GetParam(), options.out = folder_ / "result.h5", options.overwrite = true;
        const std::atomic<bool> stop{false};
        RunSummary summary = run_study(study, options, stop);
        EXPECT_EQ(summary.failed, 0u);
        const results::Reader reader(options.out);
        size_J = reader.read_rows<double>(energy_size_path, 0, 1).front();
        share = reader.read_rows<double>(energy_share_path, 0, 1).front();
        return summary;
    }
    static bool warns(const RunSummary& summary) { return summary.by_warning.contains(energy_warning); }

    double size_J = 0.0, share = 0.0;

  private:
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("energy_size_" + std::to_string(getpid()));
};
INSTANTIATE_TEST_SUITE_P(Backends, EnergyOfARun, testing::Values("cpu", "reference"));

// T = m g^2 t^2 / 2 at the end of a fall, and V falls by as much.
TEST_P(EnergyOfARun, OfAFallIsTwiceItsKineticEnergyHoweverHighItIs) {
    for (const char* height_m : {"0", "100", "-100"}) {
        run(study_of(R"("position_m": [0, 0, )" + std::string(height_m) + "]", "",
                     R"({"name": "rk4", "step_s": 1e-3, "end_s": 0.5})"));
        EXPECT_NEAR(size_J, 2.0 * (2.0 * g * g * 0.25 / 2.0), round_off_J);
        EXPECT_LT(share, 1e-9);
    }
}

// Thrown up at 3 m/s: V rises by T and falls back, all of it within 2 v / g.
TEST_P(EnergyOfARun, HasTheRangeOfThePotentialEnergyOnce) {
    run(study_of(R"("velocity_m_s": [0, 0, 3])", "", R"({"name": "rk4", "step_s": 1e-4, "end_s": 0.6})"));
    // A certificate looks every 16 steps, and so sees the top within g (8 h)^2 / 2.
    EXPECT_NEAR(size_J, 9.0 + 9.0, 2.0 * g * g * 64e-8 / 2.0 + round_off_J);
}

// F = 4 N for 1 s: v = 2 m/s, T = 4 J and as much work.
TEST_P(EnergyOfARun, HasTheWorkOfLoads) {
    std::string pushed =
        study_of(R"("position_m": [0, 0, 0])",
                 R"(, "forces": {"push": {"type": "force", "body": "body", "force_N": ["4", "0", "0"]}})",
                 R"({"name": "rk4", "step_s": 1e-3, "end_s": 1})");
    pushed.replace(pushed.find("[0, 0, -9.81]"), 13, "[0, 0, 0]");
    run(pushed);
    EXPECT_NEAR(size_J, 8.0, round_off_J);
    EXPECT_LT(share, 1e-9);
}

// Implicit Euler takes about a step's share of a swing: a pendulum that starts level has m g l = 9.81 J.
TEST_P(EnergyOfARun, WarnsOfADriftThatIsLargeBesideTheMotionHoweverHighItIs) {
    double first_share = 0.0;
    for (const char* height_m : {"0", "1000"}) {
        const std::string z = height_m;
        const std::string hinge = R"(, "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "body"],
            "points_m": [[0, 0, )" +
                                  z + R"(], [-0.5, 0, 0]], "axes": [[0, 1, 0], [0, 1, 0]]}})";
        const RunSummary coarse = run(study_of(R"("position_m": [0.5, 0, )" + z + "]", hinge,
                                               R"({"name": "implicit_euler", "step_s": 0.01, "end_s": 1})"));
        EXPECT_GT(share, silent_energy_drift);
        EXPECT_TRUE(warns(coarse));
        ASSERT_EQ(coarse.drifts.size(), 1u);
        EXPECT_TRUE(coarse.drifts[0].is_of_size);
        EXPECT_DOUBLE_EQ(coarse.drifts[0].worst_relative, share);
        if (first_share > 0.0) EXPECT_NEAR(share, first_share, 1e-6);
        first_share = share;
        const RunSummary fine = run(study_of(R"("position_m": [0.5, 0, )" + z + "]", hinge,
                                             R"({"name": "generalized_alpha", "step_s": 0.001, "end_s": 1})"));
        EXPECT_LT(share, 1e-3);
        EXPECT_FALSE(warns(fine));
    }
}

// Round-off of the energy of a body that hangs still, 1 km up, is no drift.
TEST_P(EnergyOfARun, SaysNothingOfWhatIsAtRest) {
    const RunSummary summary = run(study_of(R"("position_m": [0, 0, 999.5])",
                                            R"(, "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "body"],
            "points_m": [[0, 0, 1000], [0, 0, 0.5]], "axes": [[0, 1, 0], [0, 1, 0]]}})",
                                            R"({"name": "generalized_alpha", "step_s": 0.01, "end_s": 1})"));
    EXPECT_FALSE(warns(summary));
    EXPECT_EQ(share, 0.0);
}

}  // namespace
}  // namespace myriad::ensemble
