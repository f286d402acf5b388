// Steps that are compiled for one study have the bits of the kernels, are kept for the next run, and say why there are
// none.
#include "host/backends/cpu/compiled_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "host/backends/compiled_kernels/kept_files.hpp"
#include "host/backends/compiled_kernels/machine_compiler.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "host/text/user_error.hpp"
#include "tests/cuda/tasks.hpp"

namespace myriad::backends {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t instances_past_a_tile = 33;

// A cache of its own, and no compiler but those of the machine.
class StepsOfAStudy : public testing::Test {
  protected:
    StepsOfAStudy() {
        std::string path = (std::filesystem::temp_directory_path() / "myriad_kept_XXXXXX").string();
        EXPECT_NE(mkdtemp(path.data()), nullptr);
        cache_ = path;
        setenv("XDG_CACHE_HOME", path.c_str(), 1);
        unsetenv("MYRIAD_COMPILER");
    }
    void SetUp() override {
        if (std::system("command -v clang++ >/dev/null || command -v g++ >/dev/null || command -v c++ >/dev/null") != 0)
            GTEST_SKIP() << "this machine has no compiler";
    }
    ~StepsOfAStudy() override {
        unsetenv("XDG_CACHE_HOME");
        unsetenv("MYRIAD_COMPILER");
        std::filesystem::remove_all(cache_);
    }
    // A script that does this before it compiles.
    void write_compiler(const char* preparation) const {
        const std::filesystem::path compiler = cache_ / "compiler";
        std::ofstream(compiler) << "#!/bin/sh\n"
                                << preparation
                                << "command -v clang++ >/dev/null && exec clang++ \"$@\" || exec g++ \"$@\"\n";
        std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
        setenv("MYRIAD_COMPILER", compiler.c_str(), 1);
    }
    std::filesystem::path only_kept_file() const {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(user_cache_folder()))
            files.push_back(entry.path());
        EXPECT_EQ(files.size(), 1u);
        return files.at(0);
    }

  private:
    std::filesystem::path cache_;
};

std::size_t kept_files() {
    std::error_code none;
    const std::filesystem::directory_iterator files(user_cache_folder(), none);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

CompilerInput compiler_input(const Task& task, int width) {
    return InterpretedSteps::of(task, width)->compiler_input().value();
}

std::vector<Bits> bits_by(const Task& task, const char* kernels, int width) {
    Settings settings;
    settings.threads = 1, settings.width = width, settings.kernels = kernels;
    return bits_of(tests::run(*make_cpu_backend(settings), task, instances_past_a_tile));
}

TEST_F(StepsOfAStudy, HaveTheBitsOfTheTablesAtEveryWidth) {
    const Task task = tests::joint_task("double_pendulum", "generalized_alpha");
    for (const int width : cpu_widths()) {
        const std::vector<Bits> expected = bits_by(task, names::double_kernels, width);
        const std::size_t kept = kept_files();
        EXPECT_EQ(differing(bits_by(task, names::compiled_kernels, width), expected), 0u) << "width " << width;
        EXPECT_EQ(kept_files(), kept + 1);
        EXPECT_NE(expected.at(0), expected.at(1)) << "the parameters change nothing";
    }
}

// Other values of the parameters on the way; the record is all that an instance is.
TEST_F(StepsOfAStudy, HaveTheBitsOfTheTablesInInstancesInMemory) {
    const Task task = tests::joint_task("double_pendulum");
    const std::vector<double> first = tests::generic_values(0, instances_past_a_tile),
                              second = tests::generic_values(7, instances_past_a_tile);
    const auto records_by = [&](const char* kernels) {
        StepByStep steps(task, instances_past_a_tile, first.data(), cpu_widths().back(), 1, kernels);
        steps.advance(5);
        steps.set_varied(second.data());
        steps.advance(5);
        std::vector<std::vector<double>> records;
        for (std::uint64_t i = 0; i < instances_past_a_tile; ++i) records.push_back(steps.record(i));
        return records;
    };
    for (const char* kernels : {names::compiled_kernels, names::interpreted_kernels})
        EXPECT_EQ(records_by(kernels), records_by(names::double_kernels)) << kernels;
    EXPECT_EQ(kept_files(), 1u);
}

// Zig's place is taken by a script.
TEST_F(StepsOfAStudy, OfTracedStudiesAreMadeByZigWhereTheMachineHasNoCompiler) {
    write_compiler("[ $1 = cc ] || exit 1\nPATH=/usr/bin:/bin\nshift 3\n");
    setenv("MYRIAD_ZIG", std::getenv("MYRIAD_COMPILER"), 1);
    unsetenv("MYRIAD_COMPILER");
    const std::string path = std::getenv("PATH");
    const Task task = tests::joint_task("double_pendulum", "rk4");
    setenv("PATH", "/nonexistent", 1);
    const std::optional<CompiledFunction> compiler = compile_steps(task, cpu_widths().back());
    unsetenv("MYRIAD_ZIG");
    const std::optional<CompiledFunction> other = compile_steps(tests::joint_task("puma560"), cpu_widths().back());
    setenv("PATH", path.c_str(), 1);
    ASSERT_TRUE(compiler.has_value());
    EXPECT_EQ(compiler->compiler, "zig");
    EXPECT_FALSE(other.has_value());
}

// By a compiler that takes one constant of the text for another.
TEST_F(StepsOfAStudy, AreRefusedByARunWhereTheirBitsAreNotThoseOfTheTape) {
    write_compiler("for file; do :; done\nsed -i s/SAME.0x1p-1./SAME\\(0x1.8p-1\\)/ $(dirname $file)/steps.c\n");
    const Task task = tests::joint_task("double_pendulum", "rk4");
    Settings settings;
    std::string told;
    settings.threads = 1, settings.width = cpu_widths().back(), settings.kernels = names::compiled_kernels;
    settings.notice = [&](const std::string& line) { told += line + "\n"; };
    EXPECT_EQ(differing(bits_of(tests::run(*make_cpu_backend(settings), task, instances_past_a_tile)),
                        bits_by(task, names::double_kernels, settings.width)),
              0u);
    EXPECT_THAT(told, HasSubstr("other bits than interpreted ones"));
}

// A run of a month, which is stopped when `is_over` says so.
void run_long(Backend& backend, const std::function<bool()>& is_over) {
    Task task = tests::joint_task("double_pendulum", "rk4");
    tests::run(backend, task, instances_past_a_tile);
    EXPECT_EQ(backend.doing(), "") << "a short run compiles";
    task.schedule.total_steps = task.schedule.full_steps = task.schedule.most_attempts = 1e12;
    task.schedule.end_s = 1e12 * task.schedule.step_s;
    task.schedule.rows = 0.0;
    task.plan.observed_count = 0;
    backend.prepare(task, instances_past_a_tile);
    backend.start(0, instances_past_a_tile, tests::generic_values(0, instances_past_a_tile).data());
    std::atomic<bool> stop{false};
    std::thread running([&] {
        Chunk chunk;
        EXPECT_FALSE(backend.finish(0, chunk, stop));
    });
    while (!is_over()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stop = true;
    running.join();
}

// Without end where it does not compile, or goes on compiling.
TEST_F(StepsOfAStudy, AreTakenByARunThatTurnsOutToBeLong) {
    Settings settings;
    settings.threads = 1, settings.starts_at_once = true;
    const auto backend = make_cpu_backend(settings);
    bool compiles = false;
    run_long(*backend, [&] {
        const std::string doing = backend->doing();
        compiles = compiles || doing == "compiling for this mechanism";
        return compiles && doing.empty();
    });
    EXPECT_EQ(kept_files(), 1u);
}

TEST_F(StepsOfAStudy, AreMissedByALongRunInALineWhereThereIsNoCompiler) {
    setenv("MYRIAD_COMPILER", "/nonexistent/clang++", 1);
    Settings settings;
    std::atomic<bool> has_told{false};
    settings.threads = 1, settings.starts_at_once = true;
    settings.notice = [&](const std::string& line) {
        EXPECT_THAT(line, HasSubstr("continues as it began: there is no C compiler where MYRIAD_COMPILER says"));
        has_told = true;
    };
    run_long(*make_cpu_backend(settings), [&] { return has_told.load(); });
    EXPECT_EQ(kept_files(), 0u);
}

TEST_F(StepsOfAStudy, AreThoseOfTheTaskWhereAProcessHasSeveral) {
    const int width = cpu_widths().back();
    const Task first = tests::joint_task("double_pendulum"), second = tests::joint_task("double_pendulum", "rk4");
    const auto of_first = compiled_function(compiler_input(first, width)).address,
               of_second = compiled_function(compiler_input(second, width)).address;
    EXPECT_NE(of_first, of_second);
    EXPECT_EQ(compiled_function(compiler_input(first, width)).address, of_first);
    EXPECT_EQ(kept_function(compiler_input(second, width))->address, of_second);
}

TEST_F(StepsOfAStudy, AreForMechanismsInJointCoordinatesAndDoublePrecision) {
    const int width = cpu_widths().back();
    Task task = tests::joint_task("double_pendulum");
    EXPECT_TRUE(InterpretedSteps::of(task, width)->compiler_input().has_value());
    task.precision = Precision::fp32;
    EXPECT_FALSE(InterpretedSteps::of(task, width)->compiler_input().has_value());
    EXPECT_EQ(InterpretedSteps::of(tests::generic_task("heavy_top", "rotation", "rk4"), width), nullptr);
}

TEST_F(StepsOfAStudy, AreCompiledAgainWhereTheKeptFileIsTorn) {
    const int width = cpu_widths().back();
    const Task task = tests::joint_task("double_pendulum", "rk4");
    EXPECT_FALSE(kept_function(compiler_input(task, width)).has_value());
    EXPECT_GT(compiled_function(compiler_input(task, width)).seconds, 0.0);
    const std::filesystem::path file = only_kept_file();
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    EXPECT_FALSE(kept_function(compiler_input(task, width)).has_value());
    compiled_function(compiler_input(task, width));
    EXPECT_EQ(only_kept_file(), file);
    EXPECT_TRUE(kept_function(compiler_input(task, width)).has_value());
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('\1');
    EXPECT_FALSE(kept_function(compiler_input(task, width)).has_value());
}

TEST_F(StepsOfAStudy, AreNotTakenFromAFolderThatOthersMayWriteTo) {
    const int width = cpu_widths().back();
    const Task task = tests::joint_task("double_pendulum", "rk4");
    compiled_function(compiler_input(task, width));
    ASSERT_TRUE(kept_function(compiler_input(task, width)).has_value());
    std::filesystem::permissions(user_cache_folder(), std::filesystem::perms::all);
    EXPECT_FALSE(kept_function(compiler_input(task, width)).has_value());
}

std::string refusal(const Task& task) {
    try {
        compiled_function(compiler_input(task, cpu_widths().back()));
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::device);
        return error.what();
    }
    return "none";
}

TEST_F(StepsOfAStudy, SayThatThereIsNoCompilerOrWhyItRefuses) {
    const Task task = tests::joint_task("double_pendulum");
    setenv("MYRIAD_COMPILER", "/nonexistent/clang++", 1);
    EXPECT_THAT(refusal(task), HasSubstr("no C compiler where MYRIAD_COMPILER says"));
    setenv("MYRIAD_COMPILER", "/bin/ls", 1);
    EXPECT_THAT(refusal(task), HasSubstr("refuses the source: /bin/ls"));
}

TEST_F(StepsOfAStudy, AreNotWaitedForWhereARunEndsBefore) {
    const std::atomic<bool> cancelled{true};
    EXPECT_THROW(compiled_function(compiler_input(tests::joint_task("puma560"), cpu_widths().back()), &cancelled),
                 CompilationCancelled);
}

}  // namespace
}  // namespace myriad::backends
