// Bounds of functions of time hold their values, and say where another branch may begin.
#include "kernels/mechanism/bounds.hpp"

#include <gtest/gtest.h>

#include <random>

#include "host/mechanism/file/mechanism_file.hpp"
#include "kernels/mechanism/table_topology.hpp"

namespace myriad::mechanism {
namespace {
namespace bounds_of_functions {

// Rounding moves a bound by some ulp, and a product of some adds them up.
constexpr double rounded = 1e-12;

std::shared_ptr<const Mechanism> driven_by(const std::string& way) {
    return parse_mechanism(R"json({"bodies": {"a": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}},
        "joints": {"r": {"type": "prismatic", "bodies": ["ground", "a"], "points_m": [[0, 0, 0], [0, 0, 0]],
                         "axes": [[1, 0, 0], [1, 0, 0]]}},
        "tables": {"curve": {"points": [[-2, 0.5], [-1, 0], [0, 1], [1.5, -1], [2, 0.3]], "outside": "hold"},
                   "steps": {"points": [[-2, 0.5], [-1, 0], [0, 1], [1.5, -1], [2, 0.3]], "outside": "extend",
                             "interpolation": "linear"}},
        "drivers": {"m": {"type": "displacement", "joint": "r", "value_m": ")json" +
                               way + "\"}}}",
                           "bounds.json");
}

struct Function {
    std::shared_ptr<const Mechanism> mechanism;
    std::vector<double> parameters = mechanism->nominal_kernel_parameters();

    int result() const { return mechanism->table.function_register[0]; }
    Bounds<double> over(double from_s, double to_s) const {
        Bounds<double> registers[most_registers] = {};
        run_tape_in_bounds(TableTopology(&mechanism->table), parameters.data(), from_s, to_s, from_s, registers);
        return registers[result()];
    }
    double at(double time_s, double side_s) const {
        Taylor<double> registers[most_registers] = {};
        run_tape_by_side(TableTopology(&mechanism->table), parameters.data(), time_s, side_s, registers);
        return registers[result()].value;
    }
};

TEST(BoundsOfFunctions, HoldTheirValuesWhereNoBranchTurns) {
    std::mt19937 random(11);
    for (const char* way : {"1 + t - 2 * t^2",
                            "sin(3 * t) + 0 * t",
                            "cos(2 * t - 1) * t",
                            "exp(-t) * t",
                            "log(2 + t) / (3 + t)",
                            "tan(t / 2)",
                            "tanh(2 * t)",
                            "sqrt(4 + t)",
                            "(5 + t)^1.7 - (3 + t)^(-t)",
                            "atan2(t, 0.5 + t^2)",
                            "atan2(0.3 + t^2, t)",
                            "asin(0.7 * sin(t))",
                            "acos(0.2 + 0.7 * cos(t))",
                            "max(t, 0.5 - t^2)",
                            "min(t, max(sin(t), 0.2), 0.1 * t)",
                            "abs(t^3 - t) - abs(t)",
                            "if(t < 0.3, t, 1 - t) * if(t^2 > 1, 2, t)",
                            "curve(t) - 0.1 * t",
                            "steps(1.2 * t)",
                            "curve(curve(t))",
                            "1 / (t - 0.0123)",
                            "max(t, -curve(2 * t))"}) {
        const Function function{driven_by(way)};
        int told = 0;
        for (int i = 0; i < 400; ++i) {
            const double from = std::uniform_real_distribution(-1.9, 1.9)(random),
                         length = std::pow(10.0, std::uniform_real_distribution(-4.0, 0.5)(random));
            const Bounds<double> bounds = function.over(from, from + length);
            if (bounds.turns) continue;
            told += std::isfinite(bounds.high - bounds.low);
            for (int k = 0; k <= 20; ++k) {
                const double at = from + length * k / 20.0, value = function.at(at, at);
                if (std::isnan(value)) continue;
                EXPECT_LE(bounds.low - rounded * (1.0 + std::abs(value)), value) << way << " at " << at;
                EXPECT_GE(bounds.high + rounded * (1.0 + std::abs(value)), value) << way << " at " << at;
                EXPECT_NEAR(function.at(at, from), value, rounded * (1.0 + std::abs(value))) << way << " at " << at;
            }
        }
        EXPECT_GT(told, 50) << way << ": most of the short intervals have bounds";
    }
}

TEST(BoundsOfFunctions, ShrinkWithTheInterval) {
    for (const char* way : {"sin(3 * t) * exp(-t)", "curve(t)", "sqrt(1 + t^2)", "atan2(t, 2)", "max(t, 0.2)"}) {
        const Function function{driven_by(way)};
        const Bounds<double> bounds = function.over(0.7, 0.7 + 1e-6);
        EXPECT_LT(bounds.high - bounds.low, 1e-5) << way;
        EXPECT_FALSE(bounds.turns || bounds.is_sharp) << way;
    }
}

}  // namespace bounds_of_functions
}  // namespace
}  // namespace myriad::mechanism
