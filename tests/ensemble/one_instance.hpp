// Quantities of a study of one instance, and its integrators.
#pragma once
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/study/study.hpp"

namespace myriad::ensemble {

using nlohmann::ordered_json;

inline std::vector<double> quantities_of(const ordered_json& text, const std::string& backend_name = "cpu") {
    const backends::Task task = study::parse_study(text.dump(), "test", ".").task();
    const auto backend = backends::make_backend(backend_name, {});
    backend->prepare(task, 1);
    backend->start(0, 1, nullptr);
    backends::Chunk chunk;
    const std::atomic<bool> stop{false};
    EXPECT_TRUE(backend->finish(0, chunk, stop));
    EXPECT_EQ(chunk.status.at(0), 0);
    return chunk.quantities;
}

inline ordered_json fixed_steps(const char* name, double step_s, double end_s) {
    ordered_json made{{"name", name}, {"step_s", step_s}, {"end_s", end_s}};
    if (name == std::string("generalized_alpha")) made["newton_tolerance"] = 1e-12;
    return made;
}
inline ordered_json adaptive_steps(double tolerance, double end_s, const char* name = "dopri5") {
    return {
        {"name", name}, {"relative_tolerance", tolerance}, {"absolute_tolerance", 0.1 * tolerance}, {"end_s", end_s}};
}

}  // namespace myriad::ensemble
