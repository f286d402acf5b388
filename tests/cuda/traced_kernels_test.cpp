// The cuda backend by the texts of traced steps, on the mock driver: which kernel takes which instance, what is
// refused, and what the compiler makes of the texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/backends/compile_kernels.hpp"
#include "host/backends/compiled_kernels/runtime_compiler.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "host/backends/traced/traced_kernel.hpp"
#include "host/ensemble/run.hpp"
#include "host/study/study.hpp"
#include "host/text/user_error.hpp"
#include "tests/cuda/mock_cuda.hpp"

namespace myriad {
namespace {

using backends::Chunk;
using backends::StepByStep;
using backends::Task;
using backends::cuda::KernelForm;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace tests;

study::Study bundled(const std::string& name, std::vector<std::string> changes = {}) {
    return study::read_study(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/studies/" + name + ".json",
                             {std::move(changes), {}, {}, {}});
}
study::Study pendulum(const std::string& integrator, const std::string& precision = "fp64") {
    const std::string steps =
        integrator == "dopri5" ? R"("relative_tolerance": 1e-9, "absolute_tolerance": 1e-9)" : R"("step_s": 1e-3)";
    return bundled("double_pendulum", {R"(integrator={"name": ")" + integrator + R"(", "end_s": 0.1, )" + steps + "}",
                                       "precision=" + precision});
}

// The first field that the traced step takes for a constant.
std::size_t known_field(const Task& task) {
    const backends::KnownParameters known = backends::known_parameters(task);
    const auto found = std::ranges::find_if(known, [](double value) { return !std::isnan(value); });
    EXPECT_NE(found, known.end());
    return static_cast<std::size_t>(found - known.begin());
}

using TracedKernels = MockCuda;

TEST_F(TracedKernels, AreTwoIfAndOnlyIfAnInstanceDiffers) {
    const std::pair<const char*, const char*> methods[] = {
        {"generalized_alpha", "fp64"}, {"dopri5", "fp64"}, {"rk4", "fp32"}};
    for (const auto& [integrator, precision] : methods)
        for (const std::uint64_t count : {1, 31, 33, 1000}) {
            SCOPED_TRACE(std::string(integrator) + ", " + std::to_string(count));
            const study::Study study = pendulum(integrator, precision);
            const Task task = study.task();
            keep_all(task);
            std::vector<double> fields = fields_of(study, count);
            expect_same_bits(run_chunk("cuda", task, count, fields), run_chunk("cpu", task, count, fields));
            EXPECT_EQ(launches_of_others, 0u);
            fields[known_field(task) * count + count / 2] += 0.01;
            const auto before = launches_();
            expect_same_bits(run_chunk("cuda", task, count, fields), run_chunk("cpu", task, count, fields));
            EXPECT_EQ(launches_() - before, 1 + 2 * launches_of_others) << "a start, and launches by both";
            EXPECT_GT(launches_of_others, 0u);
            launches_of_others = 0;
        }
}

// No kernel is kept.
TEST_F(TracedKernels, NeedTheDriverAlone) {
    setenv("MYRIAD_CUDA_RUNTIME_COMPILER", "/nonexistent/libnvrtc.so", 1);
    for (const std::uint64_t count : {1, 33}) {
        const study::Study study = pendulum("rk4");
        const Task task = study.task();
        task_of_the_kernels = &task;
        std::vector<double> fields = fields_of(study, count);
        expect_same_bits(run_chunk("cuda", task, count, fields), run_chunk("cpu", task, count, fields));
        EXPECT_EQ(launches_of_others, 0u);
        fields[known_field(task) * count] += 0.01;
        expect_same_bits(run_chunk("cuda", task, count, fields), run_chunk("cpu", task, count, fields));
        EXPECT_GT(launches_of_others, 0u);
        launches_of_others = 0;
    }
}

// The memory of a chunk serves the next one.
TEST_F(TracedKernels, ShowNoRowOfAFormerChunkWhereAnInstanceCannotBegin) {
    setenv("MYRIAD_CUDA_RUNTIME_COMPILER", "/nonexistent/libnvrtc.so", 1);
    constexpr std::uint64_t count = 33;
    const study::Study study = pendulum("rk4");
    const Task task = study.task();
    task_of_the_kernels = &task;
    const std::vector<double> sound = fields_of(study, count);
    std::vector<double> broken = sound;
    for (std::size_t field = 0; field * count < broken.size(); ++field) broken[field * count + 5] = NAN;
    const auto backend = backends::make_backend("cuda", {});
    backend->prepare(task, count);
    Chunk chunk;
    for (const std::vector<double>& fields : {sound, broken}) {
        backend->start(0, count, fields.data());
        ASSERT_TRUE(backend->finish(0, chunk, std::atomic<bool>{false}));
    }
    const Chunk expected = run_chunk("cpu", task, count, broken);
    EXPECT_EQ(expected.status[5], static_cast<int>(Status::invalid_parameter));
    ASSERT_EQ(chunk.trajectory.size(), expected.trajectory.size());
    for (std::size_t i = 0; i < expected.trajectory.size(); ++i)
        ASSERT_TRUE(chunk.trajectory[i] == expected.trajectory[i] ||
                    (std::isnan(chunk.trajectory[i]) && std::isnan(expected.trajectory[i])))
            << i;
}

TEST_F(TracedKernels, OfInstancesThatDifferAreNotWaitedForWhenStopped) {
    std::string why;
    const auto compiler = backends::cuda::RuntimeCompiler::open(why);
    if (!compiler) GTEST_SKIP() << why;
    if (!compiler->can_be_interrupted()) GTEST_SKIP() << compiler->version() << " cannot be interrupted";
    constexpr std::uint64_t count = 40;
    const study::Study study = pendulum("rk4");
    const Task task = study.task();
    keep_kernels(task);
    std::vector<double> fields = fields_of(study, count);
    fields[known_field(task) * count] += 0.01;
    const auto backend = backends::make_backend("cuda", {});
    backend->prepare(task, count);
    backend->start(0, count, fields.data());
    Chunk chunk;
    EXPECT_FALSE(backend->finish(0, chunk, std::atomic<bool>{true}));
    EXPECT_FALSE(backends::cuda::is_kept(task, "sm_90", backends::cuda::cache_folders(), KernelForm::others));
}

void expect_same_records(const StepByStep& one, const StepByStep& other) {
    for (std::uint64_t i = 0; i < one.count(); ++i) expect_same_bits(one.record(i), other.record(i), "record");
}

TEST_F(TracedKernels, OfInstancesInMemoryFollowTheirParameters) {
    for (const std::uint64_t count : {1, 31, 33, 1000}) {
        SCOPED_TRACE(count);
        const study::Study study = pendulum("generalized_alpha");
        const Task task = study.task();
        keep_all(task);
        const std::vector<double> fields = fields_of(study, count);
        StepByStep device = backends::step_by_step("cuda", {}, task, count, fields.data()),
                   host = backends::step_by_step("cpu", {}, task, count, fields.data());
        const auto expect_launches_of_others = [&](bool are_there) {
            launches_of_others = 0;
            device.advance_to(device.times_s()[0] + 0.005), host.advance_to(host.times_s()[0] + 0.005);
            expect_same_records(device, host);
            EXPECT_EQ(launches_of_others > 0, are_there);
        };
        expect_launches_of_others(false);
        const std::size_t known = known_field(task);
        std::vector<double> changed = fields;
        changed[known * count + count - 1] += 0.01;
        device.set_varied(changed.data()), host.set_varied(changed.data());
        expect_launches_of_others(true);
        device.set_varied(fields.data()), host.set_varied(fields.data());
        expect_launches_of_others(false);
        // The mock's device sees the host's memory.
        device.set_varied_on_device(static_cast<int>(known), &changed[known * count]), host.set_varied(changed.data());
        expect_launches_of_others(true);
        device.set_varied_on_device(static_cast<int>(known), &fields[known * count]), host.set_varied(fields.data());
        expect_launches_of_others(false);
    }
}

TEST_F(TracedKernels, ShowChannelsOfInstancesThatDiffer) {
    constexpr std::uint64_t count = 33;
    const study::Study study = pendulum("generalized_alpha");
    const Task task = study.task();
    keep_all(task);
    const std::vector<int> wanted = {3, 12, 0};
    const Task looking = backends::looking_task(task, wanted);
    keep_all(looking);
    task_of_the_kernels = &task;
    std::vector<double> fields = fields_of(study, count);
    StepByStep device = backends::step_by_step("cuda", {}, task, count, fields.data()),
               host = backends::step_by_step("cpu", {}, task, count, fields.data());
    device.advance(7), host.advance(7);
    fields[known_field(task) * count + 5] += 0.01;
    device.set_varied(fields.data()), host.set_varied(fields.data());
    task_of_the_kernels = &looking;
    expect_same_bits(device.channels(wanted), host.channels(wanted), "channels");
    EXPECT_EQ(launches_of_others, 1u) << "a launch of no steps";
}

// The last bit of a number of instance 2 is another one after each launch that advances.
void step_wrongly(const char* kernel, const void* launch, unsigned blocks, unsigned threads, long long second) {
    run_kernel(kernel, launch, blocks, threads, second);
    if (std::string(kernel) != backends::cuda::advance_kernel) return;
    double& number = static_cast<const Launch<double>*>(launch)->final_states[tile_instances + 2];
    number = std::nextafter(number, 1e9);
}

TEST_F(TracedKernels, OfInstancesInMemoryAreComparedWithTheTapeOnce) {
    constexpr std::uint64_t count = 33;
    const study::Study study = pendulum("generalized_alpha");
    const Task task = study.task();
    keep_all(task);
    const std::vector<double> fields = fields_of(study, count);
    const auto begun = [&] { return backends::step_by_step("cuda", {}, task, count, fields.data()); };
    StepByStep right = begun();
    right.advance(1);
    void* library = dlopen(MYRIAD_MOCK_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL);
    reinterpret_cast<SetMockKernel>(dlsym(library, "myriad_mock_set_kernel"))(&step_wrongly);
    right.advance(1);
    StepByStep wrong = begun();
    try {
        wrong.advance(1);
        FAIL() << "nothing was said";
    } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::device);
        EXPECT_THAT(error.what(), AllOf(HasSubstr("mock GPU"), HasSubstr("instance 2 of double_pendulum"),
                                        HasSubstr("final state"), HasSubstr("none, driver of CUDA 13.0")));
    }
}

// A box of eight corners by two coupled stages, some instances for a few steps.
study::Study large() {
    return bundled("box_on_incline",
                   {R"(integrator={"name": "nonsmooth_ed_alpha", "step_s": 1e-3, "end_s": 3e-3})",
                    R"(design={"kind": "monte_carlo", "seed": 1})",
                    R"(parameters={"contacts.slope.friction": {"uniform": {"low": 0.1, "high": 0.6}}})",
                    R"(observe={"every_s": 1e-3, "channels": ["energy"]})", "instances=3"});
}

TEST_F(TracedKernels, AreRefusedAboveTheMostOperations) {
    const study::Study study = large();
    const auto error_of = [](const auto& action) {
        try {
            action();
        } catch (const UserError& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::device);
            return std::string(error.what());
        }
        return std::string("no error");
    };
    const int operations = backends::traced_kernel(study.task(), "any")->operations;
    ASSERT_GT(operations, backends::most_compiled_operations);
    const auto says_why = AllOf(HasSubstr("box_on_incline by "), HasSubstr(std::to_string(operations) + " operations"),
                                HasSubstr("20000"), HasSubstr("--backend cpu"));
    EXPECT_THAT(error_of([&] { backends::make_backend("cuda", {})->prepare(study.task(), 3); }), says_why);
    const std::vector<double> fields = fields_of(study, 3);
    EXPECT_THAT(error_of([&] { backends::step_by_step("cuda", {}, study.task(), 3, fields.data()); }), says_why);
}

TEST_F(TracedKernels, AboveTheMostOperationsLeaveAutoToTheCpuWithASentence) {
    const study::Study study = large();
    std::filesystem::create_directories(cache_);
    std::vector<std::string> said;
    ensemble::RunOptions options;
    options.backend = "auto", options.out = cache_ / "large.h5";
    options.warning = options.settings.notice = [&](const std::string& text) { said.push_back(text); };
    const ensemble::RunSummary summary = ensemble::run_study(study, options, std::atomic<bool>{false});
    EXPECT_EQ(summary.ending, ensemble::Ending::complete);
    EXPECT_THAT(summary.device, Not(HasSubstr("GPU")));
    const auto is_the_sentence = AllOf(HasSubstr("not on the GPU"), HasSubstr(" operations"), Not(HasSubstr("\n")));
    EXPECT_THAT(said, testing::ElementsAre(is_the_sentence));
    said.clear();
    const std::vector<double> fields = fields_of(study, 3);
    StepByStep steps = backends::step_by_step("auto", options.settings, study.task(), 3, fields.data());
    EXPECT_EQ(steps.states().device, backends::Tiles::host);
    EXPECT_THAT(said, testing::ElementsAre(is_the_sentence));
}

TEST(TracedKernelKeys, DoNotHangOnTheHeadersThatTheTextDoesNotInclude) {
    const auto source = [](const study::Study& study, KernelForm form) {
        const std::vector<std::string> sources = backends::cuda::kernel_sources(study.task(), form);
        EXPECT_EQ(sources.size(), 1u);
        return sources.front();
    };
    const study::Study study = pendulum("rk4");
    const std::string start = source(study, KernelForm::start), steps = source(study, KernelForm::compiled);
    const EmbeddedFile before[] = {{"kernels/a.hpp", "one"}}, after[] = {{"kernels/a.hpp", "two"}};
    const auto key = [](const std::string& text, const auto& headers) {
        return backends::cuda::kernel_key(text, "sm_90", headers);
    };
    EXPECT_NE(key(start, before), key(start, after)) << "the start includes kernels";
    EXPECT_EQ(key(steps, before), key(steps, after));
    EXPECT_NE(key(steps, before), backends::cuda::kernel_key(steps, "sm_80", before));
    // Steps are constants of the text.
    study::Study other = pendulum("rk4");
    other.fixed.step_s *= 0.5;
    EXPECT_NE(steps, source(other, KernelForm::compiled));
    EXPECT_EQ(start, source(other, KernelForm::start));
    EXPECT_THAT(steps, HasSubstr("advance_instances("));
    EXPECT_THAT(source(study, KernelForm::others), AllOf(HasSubstr("advance_others("), Not(HasSubstr("#include"))));
}

TEST(TracedKernelCompilation, TakesBlocksOfTheSizeThatTheTextAsksFor) {
    std::string why;
    if (!backends::cuda::RuntimeCompiler::open(why)) GTEST_SKIP() << why;
    Task single = joint_task("double_pendulum", "rk4");
    single.precision = backends::Precision::fp32;
    for (const Task& task : {joint_task("double_pendulum", "rk4"), single, joint_task("puma560")})
        for (const KernelForm form : {KernelForm::compiled, KernelForm::others}) {
            SCOPED_TRACE(task.mechanism->name);
            const backends::cuda::CompiledTask compiled = backends::cuda::compile(task, "sm_90", form);
            ASSERT_EQ(compiled.parts.size(), 1u);
            const backends::cuda::CompiledKernels& steps = compiled.parts.front();
            EXPECT_TRUE(steps.is_traced);
            ASSERT_EQ(steps.figures.size(), 1u);
            EXPECT_EQ(steps.figures.front().kernel,
                      form == KernelForm::others ? backends::cuda::others_kernel : backends::cuda::advance_kernel);
            EXPECT_EQ(steps.block.threads, task.mechanism->name == "double_pendulum" ? 128 : 64)
                << "a step of many numbers has more registers";
            std::printf("%s: %d registers, stack %d, fp64 %d, %.1f s\n", task.mechanism->name.c_str(),
                        steps.figures.front().registers, steps.figures.front().stack_bytes,
                        steps.figures.front().instructions.fp64, steps.seconds);
        }
}

// For the H200: the text of the steps, and the start, which serves all mechanisms of a size.
TEST(TracedKernelCompilation, BringsAStartAndStepsAheadOfARun) {
    std::string why;
    if (!backends::cuda::RuntimeCompiler::open(why)) GTEST_SKIP() << why;
    const auto folder = std::filesystem::path(testing::TempDir()) / "myriad_mechanism_kernels";  // as other tests
    const backends::CompileReport report =
        backends::compile_kernels(joint_task("double_pendulum", "rk4"), "sm_90", folder);
    std::vector<std::string> kernels;
    for (const auto& kernel : report.kernels) kernels.push_back(kernel.figures.kernel);
    EXPECT_THAT(kernels, testing::UnorderedElementsAre(backends::cuda::begin_kernel, backends::cuda::advance_kernel));
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace myriad
