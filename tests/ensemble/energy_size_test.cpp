// The size of an instance's energy, and the share of it that a drift is.
#include "host/ensemble/warnings/energy_size.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

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

std::string adaptive(const char* name, double tolerance, double end_s) {
    const std::string text = std::to_string(tolerance * 1e9) + "e-9";
    return std::string(R"({"name": ")") + name + R"(", "relative_tolerance": )" + text + R"(, "absolute_tolerance": )" +
           text + R"(, "end_s": )" + std::to_string(end_s) + "}";
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
    double quantity(const std::string& name) const {
        return results::Reader(folder_ / "result.h5").read_rows<double>("/quantities/" + name, 0, 1).front();
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

// A swing of 1e-5 rad of a tonne, 1e-6 J: loose tolerances lose a fifth of it, which 1 km of height does not hide.
TEST_P(EnergyOfARun, WarnsOfADriftThatIsSmallBesideTheEnergyOfItsHeight) {
    for (const char* height_m : {"0", "1000"}) {
        const std::string z = height_m;
        EXPECT_TRUE(warns(run(R"({"instances": 1, "mechanism": {"gravity_m_s2": [0, 0, -9.81],
            "bodies": {"bob": {"mass_kg": 1000, "inertia_kg_m2": [10, 10, 10]}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "bob"], "angle_rad": 1e-5,
                "points_m": [[0, 0, )" +
                              z + R"(], [0, 0, 1]], "axes": [[0, 1, 0], [0, 1, 0]]}}},
            "integrator": )" + adaptive("ode23", 1e-6, 2.0) +
                              "}")));
        EXPECT_GT(share, 0.1) << z;
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

// A ball on a block on the ground, wherever zero height lies: losses of impacts add round-off, and nothing moves.
TEST_P(EnergyOfARun, SaysNothingOfAStackAtRest) {
    for (const double ground : {-0.2, 0.0, 1000.0})
        for (const char* name : {"moreau_midpoint", "nonsmooth_ed_alpha"}) {
            const auto at = [&](double z) { return std::to_string(ground + z); };
            const RunSummary summary = run(R"({"instances": 1, "mechanism": {"gravity_m_s2": [0, 0, -9.81], "bodies": {
                "block": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [0.3, 0.2, )" +
                                           at(0.1) + R"(]},
                "ball": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [0.3, 0.2, )" +
                                           at(0.3) + R"(]}},
                "contacts": {
                    "floor": {"type": "box_plane", "bodies": ["ground", "block"], "plane_point_m": [0, 0, )" +
                                           at(0.0) + R"(], "plane_normal": [0, 0, 1], "size_m": [0.2, 0.2, 0.2],
                              "friction": 0.3},
                    "top": {"type": "sphere_plane", "bodies": ["block", "ball"], "plane_point_m": [0, 0, 0.1],
                            "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "radius_m": 0.1, "friction": 0.3}}},
                "integrator": {"name": ")" +
                                           name + R"(", "step_s": 1e-3, "end_s": 0.3}})");
            EXPECT_EQ(share, 0.0) << name << " at " << ground;
            EXPECT_FALSE(warns(summary)) << name << " at " << ground;
        }
}

// A base of 1 kg that a driver moves along x, and a bob of 1 kg and 0.02 kg m^2 that hangs 0.5 m below it.
std::string driven_pendulum(const std::string& displacement, const std::string& integrator,
                            const std::string& gravity = "[0, 0, -9.81]") {
    return R"({"instances": 1, "mechanism": {"gravity_m_s2": )" + gravity + R"(,
        "bodies": {"base": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01]},
                   "bob": {"mass_kg": 1, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [0, 0, -0.5]}},
        "joints": {"slide": {"type": "prismatic", "bodies": ["ground", "base"],
                             "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]},
                   "hinge": {"type": "revolute", "bodies": ["base", "bob"],
                             "points_m": [[0, 0, 0], [0, 0, 0.5]], "axes": [[0, 1, 0], [0, 1, 0]]}},
        "drivers": {"ramp": {"type": "displacement", "joint": "slide", "value_m": ")" +
           displacement + R"("}}}, "quantities": {"work_J": {"final": "work"}}, "integrator": )" + integrator + "}";
}
std::string damped_and_pushed(const std::string& integrator) {
    return R"json({"instances": 1, "mechanism": {
        "bodies": {"block": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.01, 0.01]}},
        "joints": {"slide": {"type": "prismatic", "bodies": ["ground", "block"], "displacement_rate_m_s": 1,
                             "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]}},
        "forces": {"coil": {"type": "linear_spring_damper", "joint": "slide", "stiffness_N_m": 100,
                            "damping_N_s_m": 3},
                   "push": {"type": "force", "body": "block", "force_N": ["20*sin(9*t)", "0", "0"]}}},
        "integrator": )json" +
           integrator + "}";
}

// The work has the order of the method, so that the drift is that of the motion.
TEST_P(EnergyOfARun, OfDriversAndLoadsDriftsWithTheToleranceOfAnAdaptiveMethod) {
    // Each of some hundred steps errs by the tolerance.
    constexpr double of_all_steps = 300.0;
    for (const char* name : {"dopri5", "ode23"})
        for (const double tolerance : {1e-5, 1e-7}) {
            EXPECT_FALSE(warns(run(driven_pendulum("0.2*sin(6*t)", adaptive(name, tolerance, 10.0)))));
            EXPECT_LT(share, of_all_steps * tolerance) << name << " at " << tolerance;
            EXPECT_FALSE(warns(run(damped_and_pushed(adaptive(name, tolerance, 10.0)))));
            EXPECT_LT(share, of_all_steps * tolerance) << name << " at " << tolerance;
        }
}
TEST_P(EnergyOfARun, OfDriversAndLoadsDriftsWithTheOrderOfAnExplicitMethod) {
    const auto drift = [&](const char* name, const char* step_s, const auto& study) {
        run(study(std::string(R"({"name": ")") + name + R"(", "step_s": )" + step_s + R"(, "end_s": 2})"));
        return share;
    };
    const auto driven = [](const std::string& integrator) { return driven_pendulum("0.2*sin(6*t)", integrator); };
    // The next term of the error, and looks of the certificate at one state of 16.
    constexpr double slack = 0.7;
    for (const auto& [name, order] : {std::pair{"rk4", 4.0}, std::pair{"rk67", 6.0}}) {
        EXPECT_GT(std::log2(drift(name, "0.04", driven) / drift(name, "0.02", driven)), order - slack) << name;
        EXPECT_GT(std::log2(drift(name, "0.01", damped_and_pushed) / drift(name, "0.005", damped_and_pushed)),
                  order - slack)
            << name;
    }
}

// In its few steps the base comes to rest again: the size is seen on the way, and is that of a driver's kinetic energy,
// m v^2 / 2 of both bodies or less where the bob stays behind, and as much work.
TEST_P(EnergyOfARun, OfAFewStepsOfAnAdaptiveMethodIsSeenInEachOfThem) {
    for (const char* name : {"dopri5", "ode23"}) {
        const RunSummary summary = run(driven_pendulum(
            "2*max(0,min(t-0.1,0.05))",
            std::string(R"({"name": ")") + name + R"(", "relative_tolerance": 1e-9, "absolute_tolerance": 1e-9,
                "end_s": 0.2})",
            "[0, 0, 0]"));
        // The jump to 2 m/s gives the bob K v at its hinge, K = m l / (m l^2 + J): T = (m v^2 + J K v^2 / l) / 2.
        constexpr double v = 2.0, inertia = 0.02, reduced = inertia / (inertia + 0.25);
        constexpr double kinetic_J = 0.5 * (1.0 + reduced) * v * v;
        EXPECT_NEAR(size_J, 2.0 * kinetic_J, 1e-3 * kinetic_J) << name;
        EXPECT_FALSE(warns(summary)) << name;
        // A step turns the bob by 0.2 rad, and the error control does not look at the work.
        EXPECT_LT(share, 1e-5) << name;
    }
}

// A driver alone: the work is the kinetic energy m f'^2 / 2, which the stages integrate with the method's order.
TEST_P(EnergyOfARun, WorkOfADriverIsTheKineticEnergyOfWhatItMoves) {
    const std::string text = R"json({"instances": 1, "mechanism": {
        "bodies": {"block": {"mass_kg": 3, "inertia_kg_m2": [0.01, 0.01, 0.01]}},
        "joints": {"slide": {"type": "prismatic", "bodies": ["ground", "block"],
                             "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]}},
        "drivers": {"motor": {"type": "displacement", "joint": "slide", "value_m": "0.2*sin(6*t)"}}},
        "quantities": {"work_J": {"final": "work"}}, "integrator": )json";
    const auto kinetic_J = [](double t) { return 1.5 * 1.44 * std::cos(6.0 * t) * std::cos(6.0 * t); };
    // The error of Simpson's rule, (12 h)^4 / 2880 of the size, for rk4; less for the others.
    for (const char* integrator :
         {R"({"name": "rk4", "step_s": 0.01, "end_s": 1})", R"({"name": "rk67", "step_s": 0.02, "end_s": 1})",
          R"({"name": "dopri5", "relative_tolerance": 1e-8, "absolute_tolerance": 1e-8,
                                       "end_s": 1})"}) {
        run(text + integrator + "}");
        EXPECT_NEAR(quantity("work_J"), kinetic_J(1.0) - kinetic_J(0.0), 1e-6) << integrator;
    }
}

std::string formula(const char* system, const std::string& parameters, const std::string& integrator) {
    return std::string(R"({"instances": 1, "system": ")") + system + R"(", "parameters": )" + parameters +
           R"(, "integrator": )" + integrator + "}";
}

// Of 2 kg, thrown up at 3 m/s: T = 9 J, and V rises by as much.
TEST_P(EnergyOfARun, OfAFormulaSystemIsThatOfAMechanism) {
    run(formula("free_rigid_body",
                R"({"mass_kg": 2, "gravity_m_s2": [0, 0, -9.81], "initial_velocity_m_s": [0, 0, 3],
                    "initial_angular_velocity_rad_s": [0, 0, 0]})",
                R"({"name": "rk4", "step_s": 1e-4, "end_s": 0.6})"));
    EXPECT_NEAR(size_J, 9.0 + 9.0, 2.0 * g * g * 64e-8 / 2.0 + round_off_J);
    EXPECT_LT(share, 1e-9);
}
TEST_P(EnergyOfARun, WarnsOfADriftOfAFormulaSystem) {
    const std::string coarse = R"({"name": "rk4", "step_s": 6e-3, "end_s": 1.2})",
                      fine = R"({"name": "rk4", "step_s": 1e-4, "end_s": 1})";
    const RunSummary summary = run(formula("heavy_top", "{}", coarse));
    EXPECT_GT(share, silent_energy_drift);
    EXPECT_TRUE(warns(summary));
    EXPECT_TRUE(summary.drifts.at(0).is_of_size);
    EXPECT_FALSE(warns(run(formula("heavy_top", "{}", fine))));
}
// The work of a load is no drift.
TEST_P(EnergyOfARun, OfALoadedFormulaSystemLeavesTheWorkOut) {
    EXPECT_FALSE(warns(run(formula("spring_pendulum", R"({"load_N": [0, 20, 10], "load_rate_rad_s": 4})",
                                   R"({"name": "energy_momentum", "step_s": 1e-3, "end_s": 1})"))));
}

// A ball of 1 kg on a floor; a body of the moments 1, 1 and 3 kg m^2 is none.
TEST_P(EnergyOfARun, SaysWhichContactLawsAndInertiasAreOdd) {
    const auto said = [&](const char* tangential, const char* inertia) {
        const RunSummary summary = run(std::string(R"({"instances": 1, "mechanism": {"gravity_m_s2": [0, 0, -9.81],
            "bodies": {"ball": {"mass_kg": 1, "position_m": [0, 0, 0.3], "inertia_kg_m2": )") +
                                       inertia + R"(}},
            "contacts": {"floor": {"type": "sphere_plane", "bodies": ["ground", "ball"], "point_m": [0, 0, 0],
                "radius_m": 0.1, "plane_point_m": [0, 0, 0], "plane_normal": [0, 0, 1], "friction": 0.3,
                "normal_restitution": 0.5, "tangential_restitution": )" +
                                       tangential + R"(}}},
            "integrator": {"name": "moreau_midpoint", "step_s": 1e-3, "end_s": 0.1}})");
        return std::pair{summary.by_warning.contains("with a contact law by which an impact may gain energy"),
                         summary.by_warning.contains("with an inertia that breaks the triangle inequality")};
    };
    EXPECT_EQ(said("0", "[0.004, 0.004, 0.004]"), (std::pair{true, false}));
    EXPECT_EQ(said("0.5", "[0.004, 0.004, 0.004]"), (std::pair{false, false}));
    EXPECT_EQ(said("0.5", "[0.001, 0.001, 0.003]"), (std::pair{false, true}));
}

}  // namespace
}  // namespace myriad::ensemble
