// Bundled studies by their CUDA text, compiled as C++ for the processor: launch after launch all arrays have the bits
// of interpreted steps, signs of zeros included. Instances with contact that a kernel leaves behind take that step by
// the program's kernels.
#include <cmath>
#include <numeric>
#include <ostream>

#include "host/backends/cpu/cpu.hpp"
#include "host/backends/cpu/interpreted_steps.hpp"
#include "host/backends/traced/traced_kernel.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study.hpp"
#include "kernels/run/outcome.hpp"
#include "kernels/system/status.hpp"
#include "tests/graph/kernel_on_processor.hpp"

namespace myriad::graph {
namespace {

struct StudyInCuda {
    const char* study;
    std::string method;  // JSON
    bool fails = false;  // some instance ends before its span does
    backends::Precision precision = backends::Precision::fp64;
    std::string every_s = "";  // of rows; as the study has it where this is empty
    friend void PrintTo(const StudyInCuda& x, std::ostream* out) { *out << x.study << " " << x.method; }
};

study::Study study_in_cuda(const StudyInCuda& given) {
    study::Overrides changes;
    changes.assignments = {"coordinates=joint", "integrator=" + given.method};
    if (!given.every_s.empty()) changes.assignments.push_back("observe.every_s=" + given.every_s);
    if (given.precision == backends::Precision::fp32) changes.assignments.push_back("precision=fp32");
    const bool is_adaptive = given.method.find("tolerance") != std::string::npos;
    if (given.fails)
        changes.assignments.push_back("observe.every_s=0.5");
    else if (is_adaptive)
        changes.assignments.push_back(R"(observe={"every_s": 0.013, "channels": ["position"]})");
    return study::read_study(source_dir() / ("ensembles/studies/" + std::string(given.study) + ".json"), changes);
}

// The instances of a task in memory, as launches find them.
template <class Number>
class StudyOnProcessor {
  public:
    explicit StudyOnProcessor(const study::Study& study)
        : task_(study.task()),
          study_(study),
          entry_(backends::cpu_kernel(task_, backends::cpu_width(0))),
          steps_(backends::InterpretedSteps::of(task_, backends::cpu_width(0))) {}
    const backends::Task& task() const { return task_; }
    LaunchKernel<Number> kernel(bool takes_others = false) const {
        const auto traced = backends::traced_kernel(task_, kernel_on_processor, takes_others);
        return compiled_for_processor<Number>(traced.value().text);
    }
    // Begun; `change` may give an instance other parameters before, [field][count].
    template <class Change>
    backends::TileArrays<Number> begun(std::size_t count, const Change& change) const {
        std::vector<double> sampled(study_.varied.size() * count);
        study_.sampler().sample(0, count, sampled.data());
        std::vector<double> varied = ensemble::record_parameters(study_, count, sampled, 1);
        change(varied);
        const backends::Shape shape = backends::shape_of(task_, entry_.state_channels(task_.plan), entry_.invariants,
                                                         entry_.record_fields(task_.plan));
        backends::TileArrays<Number> arrays;
        arrays.resize(shape, count);
        backends::store_varied(shape, count, varied.data(), arrays.records.data());
        functions().begin(task_.plan, arrays.launch(shape, task_, count), 0, static_cast<long long>(count));
        return arrays;
    }
    Launch<Number> launch(backends::TileArrays<Number>& arrays, long long attempts, std::size_t count,
                          const std::vector<unsigned>& order) const {
        backends::Shape shape;
        shape.rows = static_cast<int>(task_.schedule.rows);
        Launch<Number> launch = arrays.launch(shape, task_, order.empty() ? count : order.size());
        launch.order = order.empty() ? nullptr : order.data(), launch.attempts = attempts;
        return launch;
    }
    void advance_by_interpreter(const Launch<Number>& launch) const {
        steps_->advance(launch, 0, (launch.slots + steps_->block() - 1) / steps_->block());
    }
    // By the kernel, so many attempts of each slot, though it may leave some behind.
    void advance_by_text(LaunchKernel<Number> kernel, backends::TileArrays<Number>& arrays, long long attempts,
                         std::size_t count, std::vector<unsigned> order) {
        if (order.empty()) order = numbers_up_to(count);
        const auto steps = [&](unsigned slot) {
            return progress(arrays, slot, backends::steps_of_progress) +
                   progress(arrays, slot, backends::rejected_of_progress);
        };
        std::vector<Number> goals(count);
        for (const unsigned slot : order) goals[slot] = steps(slot) + static_cast<Number>(attempts);
        for (bool is_first = true; !order.empty(); is_first = false) {
            auto fewest = static_cast<Number>(attempts);
            for (const unsigned slot : order) fewest = std::min(fewest, is_first ? fewest : goals[slot] - steps(slot));
            kernel(launch(arrays, static_cast<long long>(fewest), count, order), 0);
            std::vector<unsigned> behind;
            for (const unsigned slot : order)
                if (Number& of_slot = progress(arrays, slot, backends::status_of_progress); of_slot == status_behind)
                    of_slot = static_cast<Number>(Status::running), behind.push_back(slot);
            left_behind += behind.size();
            const Launch<Number> one_step = launch(arrays, 1, count, behind);
            const long long width = functions().width;
            if (!behind.empty()) functions().advance(task_.plan, one_step, 0, (one_step.slots + width - 1) / width);
            std::erase_if(order, [&](unsigned slot) {
                return status(arrays, slot) != static_cast<int>(Status::running) || goals[slot] <= steps(slot);
            });
        }
    }
    std::size_t left_behind = 0;
    int status(backends::TileArrays<Number>& arrays, std::size_t instance) const {
        return static_cast<int>(progress(arrays, instance, backends::status_of_progress));
    }

  private:
    const backends::Task task_;
    const study::Study& study_;
    const backends::KernelEntry& entry_;
    const std::unique_ptr<backends::InterpretedSteps> steps_;

    const backends::KernelFunctions<Number>& functions() const { return backends::functions_of<Number>(entry_); }
    Number& progress(backends::TileArrays<Number>& arrays, std::size_t instance, int row) const {
        const auto fields = static_cast<std::size_t>(entry_.record_fields(task_.plan)),
                   field = static_cast<std::size_t>(task_.plan.varied_count + row);
        return arrays.records[(instance / 32 * fields + field) * 32 + instance % 32];
    }
    static std::vector<unsigned> numbers_up_to(std::size_t count) {
        std::vector<unsigned> all(count);
        std::iota(all.begin(), all.end(), 0u);
        return all;
    }
};

template <class Number>
void expect_the_bits_of_interpreted_steps(const study::Study& study, bool& fails, std::size_t& left_behind) {
    StudyOnProcessor<Number> given(study);
    const LaunchKernel<Number> kernel = given.kernel();
    for (const std::size_t count : {1, 31, 33}) {
        backends::TileArrays<Number> text = given.begun(count, [](const std::vector<double>&) {}), tape = text;
        std::vector<unsigned> some;
        for (std::size_t i = count; i > 0; i -= std::min<std::size_t>(i, 2))
            some.push_back(static_cast<unsigned>(i - 1));
        for (const auto& [attempts, order] :
             {std::pair<int, std::vector<unsigned>>{1, {}}, {4, some}, {0, {}}, {17, {}}, {30, some}, {140, {}}}) {
            given.advance_by_text(kernel, text, attempts, count, order);
            given.advance_by_interpreter(given.launch(tape, attempts, count, order));
            ASSERT_NO_FATAL_FAILURE(expect_same_arrays(text, tape)) << count << " slots, " << attempts << " attempts";
        }
        for (std::size_t i = 0; i < count; ++i) {
            const int status = given.status(text, i);
            fails = fails || (status != static_cast<int>(Status::ok) && status != static_cast<int>(Status::running));
        }
    }
    left_behind = given.left_behind;
}

class CudaTextOfAStudy : public KernelOnProcessor, public testing::WithParamInterface<StudyInCuda> {};

TEST_P(CudaTextOfAStudy, HasTheBitsOfInterpretedStepsInWholeLaunches) {
    const StudyInCuda& given = GetParam();
    bool fails = false;
    std::size_t left_behind = 0;
    if (given.precision == backends::Precision::fp64)
        expect_the_bits_of_interpreted_steps<double>(study_in_cuda(given), fails, left_behind);
    else
        expect_the_bits_of_interpreted_steps<float>(study_in_cuda(given), fails, left_behind);
    EXPECT_EQ(fails, given.fails);
    if (given.method.find("nonsmooth_ed_alpha") != std::string::npos && given.study == std::string("scotch_yoke"))
        EXPECT_GT(left_behind, 0u);
}

constexpr const char* cuda_by_rk4 = R"({"name": "rk4", "step_s": 1e-3, "end_s": 0.15})";
constexpr const char* cuda_by_generalized_alpha =
    R"({"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.15, "spectral_radius": 0.9})";
constexpr const char* cuda_by_implicit_euler = R"({"name": "implicit_euler", "step_s": 1e-3, "end_s": 0.15})";
constexpr const char* cuda_by_kinematics = R"({"name": "kinematics", "step_s": 1e-3, "end_s": 0.15})";
constexpr const char* cuda_by_dopri5 =
    R"({"name": "dopri5", "end_s": 0.2, "largest_step_s": 0.5, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-6})";
constexpr const char* cuda_by_large_steps =
    R"({"name": "generalized_alpha", "step_s": 0.5, "end_s": 100, "spectral_radius": 0.9})";
constexpr const char* cuda_by_no_small_steps =
    R"({"name": "dopri5", "end_s": 5, "largest_step_s": 5, "relative_tolerance": 1e-8,
    "absolute_tolerance": 1e-8, "initial_step_s": 0.5, "smallest_step_s": 0.1})";
constexpr backends::Precision cuda_fp32 = backends::Precision::fp32;
INSTANTIATE_TEST_SUITE_P(Bundled, CudaTextOfAStudy,
                         testing::Values(StudyInCuda{"double_pendulum", cuda_by_rk4},
                                         StudyInCuda{"double_pendulum", cuda_by_generalized_alpha},
                                         StudyInCuda{"heavy_top_on_joint", cuda_by_rk4},
                                         StudyInCuda{"slider_crank_iftomm", cuda_by_dopri5},
                                         StudyInCuda{"slider_crank_haug", cuda_by_implicit_euler},
                                         StudyInCuda{"four_link", cuda_by_kinematics},
                                         StudyInCuda{"puma560", cuda_by_generalized_alpha},
                                         StudyInCuda{"slider_crank_iftomm", cuda_by_large_steps, true},
                                         StudyInCuda{"slider_crank_iftomm", cuda_by_no_small_steps, true}));
INSTANTIATE_TEST_SUITE_P(InSinglePrecision, CudaTextOfAStudy,
                         testing::Values(StudyInCuda{"double_pendulum", cuda_by_rk4, false, cuda_fp32},
                                         StudyInCuda{"puma560", cuda_by_generalized_alpha, false, cuda_fp32}));

// Each scheme, with rows at every fifth step.
StudyInCuda with_contact(const char* study, const std::string& scheme, int step_us,
                         backends::Precision precision = backends::Precision::fp64) {
    constexpr int steps = 250, steps_per_row = 5;
    const auto seconds = [&](int number) { return std::to_string(1e-6 * step_us * number); };
    return {study, R"({"name": ")" + scheme + R"(", "step_s": )" + seconds(1) + R"(, "end_s": )" + seconds(steps) + "}",
            false, precision, seconds(steps_per_row)};
}
INSTANTIATE_TEST_SUITE_P(WithContact, CudaTextOfAStudy,
                         testing::Values(with_contact("pendulum_wall", "moreau_midpoint", 2000),
                                         with_contact("slider_crank_slot", "moreau_midpoint", 50),
                                         with_contact("slider_crank_slot", "nonsmooth_generalized_alpha", 50),
                                         with_contact("scotch_yoke", "nonsmooth_bathe", 100),
                                         with_contact("scotch_yoke", "nonsmooth_ed_alpha", 100),
                                         with_contact("sphere_cradle", "half_explicit", 4000),
                                         with_contact("bouncing_sphere", "nonsmooth_ed_alpha", 4000),
                                         with_contact("bouncing_sphere", "moreau_midpoint", 4000, cuda_fp32)));

// A number that is 0 by the structure of the mechanism is none in every fourth instance.
class CudaTextOfOthers : public KernelOnProcessor, public testing::WithParamInterface<StudyInCuda> {};

TEST_P(CudaTextOfOthers, LeavesThemToTheSecondKernel) {
    constexpr std::size_t count = 33;
    const study::Study study = study_in_cuda(GetParam());
    const StudyOnProcessor<double> given(study);
    const std::vector<double> known = given.task().varied_parameters->common_values();
    const auto zero = static_cast<std::size_t>(std::find(known.begin(), known.end(), 0.0) - known.begin());
    ASSERT_LT(zero, known.size());
    std::vector<unsigned> usual, others;
    for (unsigned i = 0; i < count; ++i) (i % 4 == 2 ? others : usual).push_back(i);
    backends::TileArrays<double> text = given.begun(count,
                                                    [&](std::vector<double>&varied) {
                                                        for (const unsigned i : others) varied[zero * count + i] = 1e-3;
                                                    }),
                                 tape = text;
    const LaunchKernel<double> usual_kernel = given.kernel(), others_kernel = given.kernel(true);
    for (const int attempts : {3, 40}) {
        usual_kernel(given.launch(text, attempts, count, {}), 1);
        given.advance_by_interpreter(given.launch(tape, attempts, count, usual));
        ASSERT_NO_FATAL_FAILURE(expect_same_arrays(text, tape));
        others_kernel(given.launch(text, attempts, count, {}), 1);
        given.advance_by_interpreter(given.launch(tape, attempts, count, others));
        ASSERT_NO_FATAL_FAILURE(expect_same_arrays(text, tape));
    }
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(given.status(text, i), static_cast<int>(Status::running)) << i;
}

INSTANTIATE_TEST_SUITE_P(Bundled, CudaTextOfOthers,
                         testing::Values(StudyInCuda{"double_pendulum", cuda_by_rk4},
                                         StudyInCuda{"slider_crank_iftomm", cuda_by_generalized_alpha}));

}  // namespace
}  // namespace myriad::graph
