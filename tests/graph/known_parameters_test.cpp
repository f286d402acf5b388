// Traced steps know the numbers that all instances share. An instance with another number takes a slower step, and its
// whole block with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/ensemble/instances/record_parameters.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

// In particular lengths of unit vectors, which are 1 but for round-off.
TEST(KnownParameters, AreThoseOfAllInstancesOfABundledStudy) {
    int studies = 0;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() / "ensembles/studies")) {
        const study::Study study = study::read_study(file.path(), {});
        const backends::Task task = study.task();
        if (!task.varied_parameters) continue;
        const std::vector<double> known = task.varied_parameters->common_values();
        const auto instances = std::min<std::uint64_t>(study.instances, 1000);
        std::vector<double> sampled(study.varied.size() * instances);
        study.sampler().sample(0, instances, sampled.data());
        const std::vector<double> varied = ensemble::record_parameters(study, instances, sampled, 1);
        ++studies;
        for (std::size_t field = 0; field < known.size(); ++field)
            for (std::uint64_t i = 0; i < instances && !std::isnan(known[field]); ++i)
                ASSERT_EQ(varied[field * instances + i], known[field])
                    << file.path().filename() << ", field " << field << ", instance " << i;
    }
    EXPECT_LT(20, studies);
}

}  // namespace
}  // namespace myriad::graph
