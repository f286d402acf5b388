// The PTX of studies, carried out instruction by instruction, has the bits of their tapes: records, rows, final states
// and quantities.
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>

#include "host/backends/cpu/step_by_step.hpp"
#include "host/backends/traced/trace.hpp"
#include "host/backends/traced/traced_kernel.hpp"
#include "host/ensemble/instances/record_parameters.hpp"
#include "host/mechanism/varied_parameters.hpp"
#include "host/study/study.hpp"
#include "kernels/system/status.hpp"
#include "tests/graph/ptx_runs.hpp"
#include "tests/source_dir.hpp"

namespace myriad::graph {
namespace {

constexpr int instances = 33;

// `changes`: some instances differ in one number from what the usual kernel takes for a constant.
template <class Number>
void expect_the_bits_of_the_tapes(const study::Study& study, int attempts, bool changes) {
    const backends::Task task = study.task();
    std::vector<double> sampled(study.varied.size() * instances);
    study.sampler().sample(0, instances, sampled.data());
    const std::vector<double> varied = ensemble::record_parameters(study, instances, sampled, 1);
    backends::StepByStep own(task, instances, varied.data(), 0, 1, backends::names::double_kernels);
    const backends::KnownParameters known = task.varied_parameters->common_values();
    const int varied_count = task.plan.varied_count, quantities = task.plan.quantity_count;
    const std::optional<backends::TracedRun> usual = trace_run(task, known), general = trace_run(task);
    ASSERT_TRUE(usual && general);
    const int fields = usual->record_fields, rows = static_cast<int>(task.schedule.rows);
    Memory<Number> memory(instances, fields, usual->end_fields - fields - quantities, quantities,
                          usual->step_fields - fields, rows);
    for (int slot = 0; slot < instances; ++slot) {
        const std::vector<double> record = own.record(static_cast<std::uint64_t>(slot));
        ASSERT_EQ(static_cast<int>(record.size()), fields - varied_count);
        for (int f = 0; f < fields; ++f)
            memory.record(slot, f) =
                static_cast<Number>(f < varied_count ? varied[static_cast<std::size_t>(f * instances + slot)]
                                                     : record[static_cast<std::size_t>(f - varied_count)]);
        for (int k = 0; k < memory.states; ++k) memory.state(slot, k) = static_cast<Number>(k + slot);
        for (int k = 0; k < quantities; ++k) memory.result(slot, k) = static_cast<Number>(k - slot);
    }
    const auto a_known = static_cast<int>(
        std::find_if(known.begin(), known.end(), [](double x) { return !std::isnan(x) && x != 0.0; }) - known.begin());
    std::vector<int> as_usual, others;
    for (int slot = 0; slot < instances; ++slot) {
        const bool differs = changes && slot % 5 == 2;
        if (differs) memory.record(slot, a_known) *= Number(1.0009765625);
        (differs ? others : as_usual).push_back(slot);
    }
    Memory<Number> expected = memory;
    const auto run_slots = [&](const backends::TracedRun& run, const std::vector<int>& slots) {
        const Program step(run.step), end(run.end);
        run_by_tapes(KernelFrame{.name = "",
                                 .step = &step,
                                 .end = &end,
                                 .record_fields = fields,
                                 .observed = memory.observed,
                                 .states = memory.states,
                                 .quantities = quantities,
                                 .rows_field = varied_count + backends::rows_of_progress,
                                 .status_field = varied_count + backends::status_of_progress,
                                 .running = static_cast<double>(Status::running),
                                 .rows = rows,
                                 .known = {},
                                 .takes_others = false},
                     expected, attempts, slots);
    };
    run_slots(*usual, as_usual), run_slots(*general, others);
    const auto text = [&](bool takes_others) {
        return backends::traced_kernel(task, "advance", takes_others, backends::KernelLanguage::ptx)->text;
    };
    run_by_ptx(text(false), memory, attempts, changes ? 1 : 0);
    if (changes) run_by_ptx(text(true), memory, attempts, 1);
    expect_same(memory, expected);
    // Each has made a row beside that of the start, or has ended.
    for (int slot = 0; slot < instances; ++slot) {
        const Number rows_made = memory.record(slot, varied_count + backends::rows_of_progress);
        const Number status = memory.record(slot, varied_count + backends::status_of_progress);
        EXPECT_TRUE(rows_made > Number(1) || status != static_cast<Number>(Status::running)) << "instance " << slot;
    }
}

struct StudyInPtx {
    const char* study;
    const char* method;            // JSON; as the study has it where this is empty
    const char* every_s = "0.01";  // rows
    bool changes = false;
    friend void PrintTo(const StudyInPtx& x, std::ostream* out) { *out << x.study << " " << x.method; }
};
study::Study bundled(const StudyInPtx& given, const char* precision) {
    study::Overrides changes;
    changes.assignments = {"coordinates=joint", std::string("precision=") + precision,
                           std::string("observe.every_s=") + given.every_s};
    if (*given.method) changes.assignments.push_back(std::string("integrator=") + given.method);
    return study::read_study(source_dir() / ("ensembles/studies/" + std::string(given.study) + ".json"), changes);
}

class PtxOfAStudy : public testing::TestWithParam<StudyInPtx> {};

TEST_P(PtxOfAStudy, HasTheBitsOfTheTapes) {
    const StudyInPtx& given = GetParam();
    expect_the_bits_of_the_tapes<double>(bundled(given, "fp64"), 60, given.changes);
}

constexpr const char* ptx_by_rk4 = R"({"name": "rk4", "step_s": 1e-3, "end_s": 0.15})";
constexpr const char* ptx_by_generalized_alpha =
    R"({"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.15, "spectral_radius": 0.9})";
constexpr const char* ptx_by_large_steps =
    R"({"name": "generalized_alpha", "step_s": 0.5, "end_s": 100, "spectral_radius": 0.9})";
constexpr const char* ptx_by_moreau = R"({"name": "moreau_midpoint", "step_s": 5e-3, "end_s": 0.5})";
constexpr const char* ptx_by_bathe = R"({"name": "nonsmooth_bathe", "step_s": 5e-3, "end_s": 0.5})";
constexpr const char* ptx_by_dopri5 =
    R"({"name": "dopri5", "end_s": 2, "relative_tolerance": 1e-6, "absolute_tolerance": 1e-6})";
INSTANTIATE_TEST_SUITE_P(Bundled, PtxOfAStudy,
                         testing::Values(StudyInPtx{"double_pendulum", ptx_by_rk4},
                                         StudyInPtx{"double_pendulum", ptx_by_generalized_alpha, "0.01", true},
                                         StudyInPtx{"double_pendulum", ptx_by_dopri5},
                                         StudyInPtx{"slider_crank_iftomm", ptx_by_rk4},
                                         StudyInPtx{"slider_crank_iftomm", ptx_by_large_steps, "0.5"},
                                         StudyInPtx{"puma560", ptx_by_generalized_alpha}, StudyInPtx{"four_link", ""},
                                         StudyInPtx{"four_link", ptx_by_generalized_alpha}));

TEST(PtxInSinglePrecision, HasTheBitsOfTheTapes) {
    expect_the_bits_of_the_tapes<float>(bundled({"double_pendulum", ptx_by_rk4}, "fp32"), 60, false);
}

// An instance that a step leaves behind stays where it is.
INSTANTIATE_TEST_SUITE_P(WithContact, PtxOfAStudy,
                         testing::Values(StudyInPtx{"pendulum_wall", ptx_by_moreau, "0.05"},
                                         StudyInPtx{"sphere_cradle", ptx_by_bathe, "0.05"},
                                         StudyInPtx{"bouncing_sphere", ptx_by_moreau, "0.05"}));

// An arm on a cart that a table of points drives.
TEST(PtxOfATable, HasTheBitsOfTheTapes) {
    auto study = nlohmann::ordered_json::parse(R"({
        "mechanism": {
            "parameters": {"begin_s": 0.1, "speed_m_s": 1.5},
            "gravity_m_s2": [0, 0, -9.81],
            "tables": {"zigzag": {"points": [[0, 0], [0.07, 0.1], [0.11, -0.05], [0.16, 0.2], [0.2, 0.1]],
                                  "interpolation": "linear", "outside": "extend"}},
            "bodies": {
                "cart": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1]},
                "arm": {"mass_kg": 1.2, "inertia_kg_m2": [0.03, 0.03, 0.01], "position_m": [0, 0, -0.4]}},
            "joints": {
                "rail": {"type": "prismatic", "bodies": ["ground", "cart"], "points_m": [[0, 0, 0], [0, 0, 0]],
                         "axes": [[1, 0, 0], [1, 0, 0]]},
                "pin": {"type": "revolute", "bodies": ["cart", "arm"], "points_m": [[0, 0, 0], [0, 0, 0.4]],
                        "axes": [[0, 1, 0], [0, 1, 0]]}},
            "drivers": {"motor": {"type": "displacement", "joint": "rail",
                                  "value_m": "zigzag(t - begin_s / 4) * speed_m_s"}},
            "sensors": {"rate": {"type": "rate", "joint": "pin"}, "force": {"type": "reaction_force", "joint": "pin"}}},
        "integrator": {"name": "dopri5", "end_s": 0.24, "largest_step_s": 0.24, "relative_tolerance": 1e-6,
                       "absolute_tolerance": 1e-6},
        "observe": {"every_s": 0.011, "channels": ["position", "rate"]},
        "quantities": {"mean_rad_s": {"mean": "rate"}, "least_N": {"min": "force.norm"},
                       "when_s": {"time_of_max": "velocity.arm.norm"},
                       "behind_rad_s": {"min": "rate", "from_s": 0.1}, "work_J": {"max": "work"}},
        "parameters": {"parameters.begin_s": {"uniform": {"low": 0.02, "high": 0.15}},
                       "parameters.speed_m_s": {"uniform": {"low": -2, "high": 2}},
                       "bodies.arm.mass_kg": {"uniform": {"low": 1, "high": 2}}},
        "coordinates": "joint"})");
    study["instances"] = instances;
    expect_the_bits_of_the_tapes<double>(study::parse_study(study.dump(), "test", "."), 120, false);
}

}  // namespace
}  // namespace myriad::graph
