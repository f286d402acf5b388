// The kernels of every member of the catalog through the run-time compiler, for an H200: no GPU is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <vector>

#include "host/backends/compile_kernels.hpp"
#include "host/backends/compiled_kernels/kernel_cache.hpp"
#include "host/backends/compiled_kernels/kernel_source.hpp"
#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/backends/interface/kernel_table.hpp"
#include "host/text/user_error.hpp"
#include "kernels/math/norm.hpp"
#include "tests/cuda/tasks.hpp"

namespace myriad {
namespace {

using namespace backends::cuda;
using backends::Precision;
using backends::Task;
using testing::HasSubstr;

constexpr const char* architecture = "sm_90";
// 65,536 registers of a multiprocessor over its threads, less what is handed out in eights: what the two block shapes
// leave to a thread.
constexpr int most_registers_of_128_by_3 = 168, most_registers_of_64_by_4 = 255;

std::string missing_compiler() {
    std::string why;
    return RuntimeCompiler::open(why) ? std::string() : why;
}

Task without_quantities(Task task) {
    task.plan.quantity_count = 0;
    task.plan.observed_count = 0;
    task.thresholds.clear();
    return task;
}

KernelFigures figures_of(const std::vector<KernelFigures>& all, const std::string& kernel) {
    for (const KernelFigures& figures : all)
        if (figures.kernel == kernel) return figures;
    throw std::logic_error("the log names no kernel " + kernel);
}

struct Member {
    std::string system, chart, integrator;
    Precision precision;
};
std::string name_of_member(const Member& member) {
    return member.system + "_" + member.chart + "_" + member.integrator +
           (member.precision == Precision::fp64 ? "_fp64" : "_fp32");
}
void PrintTo(const Member& member, std::ostream* out) { *out << name_of_member(member); }

// The systems of one body: six links and the mechanisms do not fit into registers.
std::vector<Member> catalog() {
    std::vector<Member> members;
    const backends::KernelList kernels = backends::start_kernels();
    for (int i = 0; i < kernels.count; ++i) {
        const auto systems = study::systems();
        const auto system = std::find_if(systems.begin(), systems.end(),
                                         [&](const auto& known) { return known.name == kernels.entries[i].system; });
        if (system == systems.end() || !system->has_orientation) continue;
        // One chart for each implicit method: the members of the family differ in coefficients alone.
        const std::string integrator = kernels.entries[i].integrator;
        if (integrator == "implicit_euler") continue;
        for (const Precision precision : {Precision::fp64, Precision::fp32})
            if (precision == Precision::fp64 ||
                (kernels.entries[i].fp32.are_compiled() && integrator != "generalized_alpha"))
                members.push_back({kernels.entries[i].system, kernels.entries[i].chart, integrator, precision});
    }
    return members;
}

class EveryMember : public testing::TestWithParam<Member> {};

// Bytes on the stack change with the compiler: `myriad bench gpu_kernels` compares them with those of NVRTC 13.0. What
// holds for any: rk4 needs no stack, with quantities and without.
TEST_P(EveryMember, FitsItsLaunchBoundsAndRk4ItsRegisters) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    const Member& member = GetParam();
    const Task task = tests::generic_task(member.system, member.chart, member.integrator, member.precision);
    const CompiledTask compiled = compile(task, architecture);
    const KernelFigures& advance = figures_of(compiled.figures(), advance_kernel);
    EXPECT_LE(advance.registers, compiled.with(advance_kernel).block.threads == 128 ? most_registers_of_128_by_3
                                                                                    : most_registers_of_64_by_4);
    EXPECT_GT(advance.registers, 32) << "the assembler gave up on the launch bounds";
    const InstructionCounts& n = advance.instructions;
    if (member.precision == Precision::fp64) {
        EXPECT_GT(n.fp64, 20 * n.fp32) << "double precision arithmetic";
    } else {
        EXPECT_GT(n.fp32, n.fp64) << "single precision arithmetic";
    }
    if (member.integrator != "rk4") return;
    EXPECT_FALSE(advance.spills());
    EXPECT_FALSE(figures_of(compiled.figures(), begin_kernel).spills());
    const CompiledTask bare = compile(without_quantities(task), architecture);
    EXPECT_FALSE(figures_of(bare.figures(), advance_kernel).spills());
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryMember, testing::ValuesIn(catalog()),
                         [](const auto& given) { return name_of_member(given.param); });

TEST(KernelCompilation, TakesSystemsInCoordinatesToo) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    for (const char* system : {"mass_spring", "spring_pendulum"})
        for (const char* integrator : {"energy_momentum", "energy_momentum_full", "livens_midpoint"}) {
            const CompiledTask compiled =
                compile(without_quantities(tests::generic_task(system, "rotation", integrator)), architecture);
            const KernelFigures& advance = figures_of(compiled.figures(), advance_kernel);
            EXPECT_LE(advance.registers, most_registers_of_64_by_4);
            EXPECT_GT(advance.instructions.fp64, 100);
        }
}

// The problem of the pair of contacts that an instance has closed lies in registers, the instance in shared memory:
// NVRTC 13.0 spilled 0.6 kB of a step, 1.5 kB where the problem had all four contacts. Most of the stack is that of a
// call which one problem in 44,000 of the bundled study takes.
constexpr int most_spilled_bytes_of_a_crank = 1024;

TEST(KernelCompilation, KeepsTheProblemOfAPairOfContactsInRegisters) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    const CompiledTask compiled = compile(
        without_quantities(tests::generic_task("slider_crank_clearance", "rotation", "moreau_midpoint")), architecture);
    const KernelFigures& advance = figures_of(compiled.figures(), advance_kernel);
    std::printf("stack %d, spills %d + %d B, %.1f s\n", advance.stack_bytes, advance.spill_store_bytes,
                advance.spill_load_bytes, compiled.seconds());
    EXPECT_LE(advance.spill_store_bytes, most_spilled_bytes_of_a_crank);
}

// Few rows unrolled and many rolled up: two stages of four planar contacts are a problem of 16 rows.
TEST(KernelCompilation, TakesSystemsWithContactToo) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    for (const char* integrator : {"nonsmooth_generalized_alpha", "nonsmooth_ed_alpha"}) {
        const Task task = without_quantities(tests::generic_task("slider_crank_clearance", "rotation", integrator));
        const CompiledTask compiled = compile(task, architecture);
        EXPECT_GT(figures_of(compiled.figures(), advance_kernel).instructions.fp64, 100);
        const bool is_large = std::string(integrator) == "nonsmooth_ed_alpha";
        EXPECT_EQ(kernel_sources(task).front().starts_with("#define MYRIAD_ROLLED_ROWS"), is_large) << integrator;
        EXPECT_EQ(compiled.with(advance_kernel).block.threads, 64) << "no other shape was tried";
    }
}

TEST(KernelSource, HoldsThePlanAndNoValue) {
    Task task = tests::generic_task("heavy_top", "rotation", "rk4");
    const std::string source = kernel_sources(task).front();
    EXPECT_THAT(source, HasSubstr("Run<RungeKutta<Rk4>, HeavyTop<double, RotationGroup>, CompiledPlan>"));
    Task other = task;
    for (double& parameter : other.parameters) parameter += 0.125;
    other.schedule.step_s *= 0.5, other.schedule.total_steps *= 2.0;
    other.thresholds[2] = 0.75;
    EXPECT_EQ(source, kernel_sources(other).front());
    other.windows.assign(2 * static_cast<std::size_t>(other.plan.quantity_count), 0.25);
    EXPECT_EQ(source, kernel_sources(other).front());
    other.plan.windowed[1] = 1;
    EXPECT_NE(source, kernel_sources(other).front());
    other.plan.windowed[1] = 0, other.plan.quantity_channels[1] = norm_channel(0, 3);
    EXPECT_NE(source, kernel_sources(other).front());
    EXPECT_THAT(kernel_sources(other).front(), HasSubstr("return -4;"));
    other = task;
    other.plan.reductions[0] = Reduction::minimum;
    EXPECT_NE(source, kernel_sources(other).front());
    other = task;
    other.plan.varied[3] = 1;
    EXPECT_NE(source, kernel_sources(other).front());
    other = task;
    other.plan.observed_channels[2] = 7;
    EXPECT_NE(source, kernel_sources(other).front());
}

TEST(KernelReport, ReadsTheAssemblersLogAndPtx) {
    const std::string log =
        "ptxas info    : Compiling entry function 'one' for 'sm_90'\n"
        "ptxas info    : Function properties for one\n"
        "    24 bytes stack frame, 20 bytes spill stores, 28 bytes spill loads\n"
        "ptxas info    : Used 168 registers, used 0 barriers, 24 bytes cumulative stack size\n"
        "ptxas info    : Compiling entry function 'two' for 'sm_90'\n"
        "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 40 registers\n"
        "ptxas info    : Function properties for called_by_two\n"
        "ptxas         .     8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\n";
    const std::string ptx =
        ".visible .entry one(\n.param .u64 p\n)\n{\n\t.reg .f64 %fd<3>;\n\tld.param.u64 %rd1, [p];\n"
        "\tfma.rn.f64 \t%fd1, %fd2, %fd2, %fd2;\n$L__BB0_1:\n\t@%p1 bra \t$L__BB0_1;\n\tmov.f64 %fd1, %fd2;\n"
        "\tmul.rn.f32 \t%f1, %f2, %f2;\n\t@%p2 st.global.f64 [%rd1], %fd1;\n\tret;\n}\n"
        ".visible .entry two(\n)\n{\n\tsetp.lt.f64 %p1, %fd1, %fd2;\n\tret;\n}\n";
    const auto figures = kernel_figures(log, ptx);
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_EQ(figures[0].kernel, "one");
    EXPECT_EQ(figures[0].registers, 168);
    EXPECT_EQ(figures[0].stack_bytes, 24);
    EXPECT_EQ(figures[0].spill_store_bytes, 20);
    EXPECT_EQ(figures[0].spill_load_bytes, 28);
    EXPECT_EQ(figures[0].instructions.fp64, 1);
    EXPECT_EQ(figures[0].instructions.fp32, 1);
    EXPECT_EQ(figures[0].instructions.memory, 2);
    EXPECT_EQ(figures[0].instructions.other, 3);
    EXPECT_EQ(figures[1].registers, 40);
    EXPECT_FALSE(figures[1].spills());
    EXPECT_EQ(figures[1].instructions.fp64, 1);
}

class KernelCache : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) /
                  ("myriad_kernel_cache_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::remove_all(folder_);
        entry_.key = kernel_key(kernel_sources(task_).front(), architecture);
        entry_.architecture = architecture, entry_.compiler = "NVRTC 1.2", entry_.block = {64, 4};
        entry_.figures = {{advance_kernel, 100, 8, 4, 2, {1, 2, 3, 4}}};
        entry_.seconds = 0.25, entry_.cubin = std::string("\0machine\ncode\0", 14);
    }
    void TearDown() override {
        unsetenv("MYRIAD_CUDA_RUNTIME_COMPILER");
        std::filesystem::remove_all(folder_);
    }
    std::string bytes() const {
        std::ifstream file(entry_path(folder_, entry_.key), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void overwrite(const std::string& bytes) const {
        std::ofstream(entry_path(folder_, entry_.key), std::ios::binary) << bytes;
    }
    Task task_ = without_quantities(tests::generic_task("heavy_top", "rotation", "rk4"));
    std::filesystem::path folder_;
    CompiledKernels entry_;
};

TEST_F(KernelCache, GivesBackWhatWasKept) {
    EXPECT_FALSE(read_entry(folder_, entry_.key));
    ASSERT_TRUE(write_entry(folder_, entry_));
    const auto read = read_entry(folder_, entry_.key);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->cubin, entry_.cubin);
    EXPECT_EQ(read->compiler, "NVRTC 1.2");
    EXPECT_EQ(read->block.threads, 64);
    EXPECT_EQ(read->seconds, 0.25);
    ASSERT_EQ(read->figures.size(), 1u);
    EXPECT_EQ(read->figures[0].registers, 100);
    EXPECT_EQ(read->figures[0].instructions.other, 4);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1) << "no partial file stays";
}

TEST_F(KernelCache, RunsWithoutACompilerFromEitherFolder) {
    setenv("MYRIAD_CUDA_RUNTIME_COMPILER", "/nonexistent/libnvrtc.so", 1);
    ASSERT_TRUE(write_entry(folder_, entry_));
    EXPECT_TRUE(compiled_task(task_, architecture, {{folder_}, {}}).from_cache());
    EXPECT_TRUE(compiled_task(task_, architecture, {{}, folder_}).from_cache());
    try {
        compiled_task(task_, "sm_80", {{}, folder_});
        FAIL() << "there is no entry for sm_80";
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::device);
        EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("NVRTC"), HasSubstr("myriad compile --into")));
    }
}

// Every single byte changed, and every length cut short: the head is text, so this reaches all of its fields.
TEST_F(KernelCache, PassesOverADamagedEntry) {
    ASSERT_TRUE(write_entry(folder_, entry_));
    const std::string sound = bytes();
    for (std::size_t i = 0; i < sound.size(); ++i) {
        std::string damaged = sound;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x04);
        overwrite(damaged);
        EXPECT_FALSE(read_entry(folder_, entry_.key)) << "byte " << i;
        overwrite(sound.substr(0, i));
        EXPECT_FALSE(read_entry(folder_, entry_.key)) << "cut to " << i;
    }
    overwrite(sound);
    EXPECT_TRUE(read_entry(folder_, entry_.key));
}

TEST_F(KernelCache, CompilesOnceAndReplacesADamagedEntry) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    int notices = 0;
    const auto notice = [&] { ++notices; };
    EXPECT_FALSE(compiled_task(task_, architecture, {{}, folder_}, notice).from_cache());
    EXPECT_EQ(notices, 1) << "before it compiles";
    EXPECT_TRUE(compiled_task(task_, architecture, {{}, folder_}, notice).from_cache());
    EXPECT_EQ(notices, 1) << "and not where a folder has the kernels";
    const std::string sound = bytes();
    overwrite(sound.substr(0, sound.size() - 100));
    EXPECT_FALSE(compiled_task(task_, architecture, {{}, folder_}).from_cache());
    EXPECT_TRUE(compiled_task(task_, architecture, {{}, folder_}).from_cache());
    EXPECT_TRUE(bytes().substr(bytes().size() - 100) == sound.substr(sound.size() - 100)) << "the same machine code";
}

TEST_F(KernelCache, CompilesOnceForThreadsThatWantTheSameKernels) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    std::vector<std::future<CompiledTask>> wanted;
    for (int thread = 0; thread < 3; ++thread)
        wanted.push_back(std::async(std::launch::async, [&] {
            return compiled_task(task_, architecture, {{}, folder_});
        }));
    int compiled = 0;
    for (std::future<CompiledTask>& one : wanted) compiled += one.get().from_cache() ? 0 : 1;
    EXPECT_EQ(compiled, 1);
}

TEST_F(KernelCache, DoesWithoutAFolderItCannotWriteTo) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    std::ofstream(folder_.string()) << "a file where the folder should be";
    EXPECT_FALSE(write_entry(folder_, entry_));
    EXPECT_FALSE(compiled_task(task_, architecture, {{}, folder_}).from_cache());
    try {
        backends::compile_kernels(task_, architecture, folder_);
        FAIL() << "asked to write there, it is an error";
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::output);
    }
}

TEST(RuntimeCompiler, CompilesQuicklyWhereItSaysThatItCan) {
    std::string why;
    const auto compiler = RuntimeCompiler::open(why);
    if (!compiler) GTEST_SKIP() << why;
    std::vector<std::string> options = kernel_options(architecture);
    options.emplace_back(quick_compilation);
    const auto compile_one = [&] { return compiler->compile("extern \"C\" __global__ void one() {}", options); };
    if (compiler->can_be_quick())
        EXPECT_FALSE(compile_one().cubin.empty());
    else
        EXPECT_THROW(compile_one(), UserError);
}

TEST(RuntimeCompiler, ShowsTheCompilersLogForAnUnknownArchitecture) {
    if (const std::string why = missing_compiler(); !why.empty()) GTEST_SKIP() << why;
    try {
        compile(tests::generic_task("heavy_top", "rotation", "rk4"), "sm_1");
        FAIL() << "there is no sm_1";
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::device);
        EXPECT_THAT(error.what(), HasSubstr("--gpu-architecture"));
    }
}

}  // namespace
}  // namespace myriad
