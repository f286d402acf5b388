#include "tests/house/layers.hpp"

#include <gtest/gtest.h>

#include "tests/source_dir.hpp"

namespace myriad {
namespace {

struct Line {
    const char* file;
    const char* include;
};

TEST(IncludeLines, AreFoundHoweverTheyAreSpaced) {
    const std::vector<std::string> expected = {"\"kernels/math/real.hpp\"", "<vector>", "<hdf5.h>"};
    EXPECT_EQ(includes_of("#pragma once\n#include \"kernels/math/real.hpp\"  // why\n  #  include <vector>\n"
                          "// #include <cmath>\n#define include <x>\n#include MACRO\n#include<hdf5.h>"),
              expected);
}

TEST(Layers, RefuseEveryKindOfForbiddenInclude) {
    const std::vector<Line> forbidden = {
        // kernels/ includes nothing but kernels/
        {"kernels/math/real.hpp", "<cmath>"},
        {"kernels/math/real.hpp", "<Eigen/Dense>"},
        {"kernels/systems/heavy_top.hpp", "\"host/text/user_error.hpp\""},
        {"kernels/systems/heavy_top.hpp", "\"ensembles/catalog.hpp\""},
        {"kernels/systems/heavy_top.hpp", "\"real.hpp\""},
        {"kernels/math/real.hpp", "\"kernels/system/status.hpp\""},
        {"kernels/mechanism/rows.hpp", "\"kernels/integrators/implicit.hpp\""},
        {"kernels/rows.hpp", "\"kernels/math/real.hpp\""},
        // nothing points upwards
        {"ensembles/catalog.hpp", "\"host/text/user_error.hpp\""},
        {"ensembles/catalog.hpp", "<array>"},
        {"host/study/study.cpp", "\"tests/source_dir.hpp\""},
        {"host/program/run.cpp", "\"bench/throughput.hpp\""},
        {"host/study/study.cpp", "\"python/module.hpp\""},
        {"bench/throughput.cpp", "\"tests/source_dir.hpp\""},
        {"python/module.cpp", "\"bench/throughput.hpp\""},
        {"host/backends/compiled_kernels/kernel_source.cpp", "\"papers/catalog.hpp\""},
        {"bench/bench_command.cpp", "\"papers/pages.hpp\""},
        {"ensembles/catalog.hpp", "\"papers/rA/kernels/members.hpp\""},
        {"papers/rA/kernels/members.hpp", "\"host/catalog/reflection.hpp\""},
        {"papers/rA/kernels/members.hpp", "\"papers/rA/page.hpp\""},
        {"papers/rA/kernels/members.hpp", "<array>"},
        {"host/program/run.cpp", "\"program_commit.hpp\""},
        {"host/validation/twins.cpp", "\"generated/reference_values.hpp\""},
        // nor from one room of host/ to a later one
        {"host/text/number_text.hpp", "\"host/study/study.hpp\""},
        {"host/study/study.cpp", "\"host/ensemble/run.hpp\""},
        {"host/mechanism/mechanism.hpp", "\"host/mechanism/file/builder.hpp\""},
        {"host/backends/cpu/cpu.cpp", "\"host/backends/backends.hpp\""},
        {"host/statistics/deeper/moments.cpp", "\"host/text/number_text.hpp\""},
        // the reference is independent
        {"host/reference/systems/heavy_top.cpp", "\"kernels/math/real.hpp\""},
        {"host/reference/systems/heavy_top.cpp", "\"ensembles/catalog.hpp\""},
        {"host/reference/systems/heavy_top.cpp", "\"host/study/study.hpp\""},
        {"host/reference/systems/heavy_top.cpp", "\"host/text/number_text.hpp\""},
        {"host/reference/systems/heavy_top.cpp", "<unistd.h>"},
        {"host/reference/systems/heavy_top.cpp", "<boost/math/special_functions.hpp>"},
        // one door per library
        {"host/study/study.cpp", "<Eigen/Dense>"},
        {"host/backends/cuda/launch.cpp", "<Kokkos_Core.hpp>"},
        {"tests/backends/cpu_test.cpp", "<Kokkos_Core.hpp>"},
        {"host/program/run.cpp", "<cuda.h>"},
        {"host/program/run.cpp", "<cuda_runtime.h>"},
        {"host/program/run.cpp", "<nvrtc.h>"},
        {"bench/statistics.cpp", "<thrust/sort.h>"},
        {"host/program/report.cpp", "<hdf5.h>"},
        {"host/results/journal.cpp", "<zlib.h>"},
        {"host/results/writer.cpp", "<nlohmann/json.hpp>"},
        {"host/study/study.cpp", "<CLI/CLI.hpp>"},
        {"host/backends/cpu/cpu.cpp", "<boost/math/distributions/normal.hpp>"},
        {"host/backends/cpu/cpu.cpp", "<Random123/philox.h>"},
        {"host/study/study.cpp", "<mpfr.h>"},
        {"host/study/study.cpp", "<gtest/gtest.h>"},
        {"host/program/main.cpp", "<nanobind/nanobind.h>"},
        // a library nobody decided on
        {"host/study/study.cpp", "<fmt/format.h>"},
        {"host/study/study.cpp", "<mpi.h>"},
    };
    for (const Line& line : forbidden)
        EXPECT_NE(broken_rule(line.file, line.include), "") << line.file << " includes " << line.include;
}

TEST(Layers, AllowEachDoorAndEveryDownwardInclude) {
    const std::vector<Line> allowed = {
        {"kernels/systems/heavy_top.hpp", "\"kernels/math/rotation.hpp\""},
        {"ensembles/catalog.hpp", "\"kernels/systems/heavy_top.hpp\""},
        {"host/study/study.cpp", "\"host/text/user_error.hpp\""},
        {"host/backends/cpu_variants/advance.cpp", "\"kernels/run/advance.hpp\""},
        {"host/text/version.cpp", "\"program_commit.hpp\""},
        {"host/validation/runs/reference_values.hpp", "\"generated/reference_values.hpp\""},
        {"host/program/main.cpp", "\"host/statistics/statistics.hpp\""},
        {"host/mechanism/file/bodies.cpp", "\"host/mechanism/mechanism.hpp\""},
        {"host/backends/backends.cpp", "\"host/backends/cuda/cuda.hpp\""},
        {"host/reference/systems/heavy_top.cpp", "\"host/reference/mathematics/rotation.hpp\""},
        {"host/reference/systems/heavy_top.cpp", "\"host/text/user_error.hpp\""},
        {"host/reference/systems/heavy_top.cpp", "<Eigen/Dense>"},
        {"host/reference/systems/heavy_top.cpp", "<vector>"},
        {"python/extension/nanobind.hpp", "<nanobind/nanobind.h>"},
        {"python/extension/run.cpp", "\"host/ensemble/run.hpp\""},
        {"host/backends/cpu/cpu.cpp", "<Kokkos_Core.hpp>"},
        {"host/backends/cuda/launch.cpp", "<cuda.h>"},
        {"host/backends/cuda/device_statistics.cu", "<thrust/sort.h>"},
        {"host/results/writer.cpp", "<hdf5.h>"},
        {"host/study/study.cpp", "<nlohmann/json.hpp>"},
        {"host/study/normal.cpp", "<boost/math/distributions/normal.hpp>"},
        {"host/study/sampling.cpp", "<Random123/philox.h>"},
        {"host/program/main.cpp", "<CLI/CLI.hpp>"},
        {"host/program/main.cpp", "<sys/stat.h>"},
        {"bench/throughput.cpp", "\"host/backends/interface/backend.hpp\""},
        {"papers/rA/page.cpp", "\"bench/cases.hpp\""},
        {"papers/rA/page.cpp", "\"papers/rA/page.hpp\""},
        {"papers/papers_part.cpp", "\"papers/catalog.hpp\""},
        {"papers/catalog.hpp", "\"papers/rA/kernels/members.hpp\""},
        {"papers/rA/kernels/members.hpp", "\"ensembles/catalog.hpp\""},
        {"tests/kernels/states.hpp", "\"papers/catalog.hpp\""},
        {"tests/kernels/rotation_test.cpp", "<mpfr.h>"},
        {"tests/kernels/rotation_test.cpp", "\"kernels/math/rotation.hpp\""},
    };
    for (const Line& line : allowed)
        EXPECT_EQ(broken_rule(line.file, line.include), "") << line.file << " includes " << line.include;
}

TEST(Layers, RefuseAVariantThatSeesLibraryFunctionsThroughAnyHeader) {
    const std::map<std::string, std::vector<std::string>> includes = {
        {"host/backends/cpu_variants/advance.cpp", {"\"host/backends/advance_chunk.hpp\""}},
        {"host/backends/cpu_variants/lean.cpp", {"\"kernels/math/real.hpp\"", "<cstdint>"}},
        {"host/backends/advance_chunk.hpp", {"\"kernels/math/real.hpp\"", "<vector>"}},
        {"kernels/math/real.hpp", {}},
    };
    EXPECT_NE(broken_variant_rule("host/backends/cpu_variants/advance.cpp", includes), "");
    EXPECT_EQ(broken_variant_rule("host/backends/cpu_variants/lean.cpp", includes), "");
    EXPECT_EQ(broken_variant_rule("host/backends/advance_chunk.hpp", includes), "");
}

TEST(Layers, HoldInEveryFileOfTheProject) {
    const auto all = includes_of_all_files(source_dir());
    ASSERT_TRUE(all.contains("kernels/math/rotation.hpp")) << "no sources under " << source_dir();
    ASSERT_FALSE(all.at("kernels/math/rotation.hpp").empty());
    for (const auto& [file, includes] : all) {
        for (const std::string& include : includes)
            EXPECT_EQ(broken_rule(file, include), "") << file << " includes " << include;
        EXPECT_EQ(broken_variant_rule(file, all), "") << file;
    }
}

}  // namespace
}  // namespace myriad
