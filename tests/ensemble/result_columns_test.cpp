// Every column of a result holds what its path says: numbers that are all different, put into a chunk, are looked for
// by the path alone.
#include "host/ensemble/result_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "host/ensemble/failure_detail.hpp"
#include "host/ensemble/warnings/energy_size.hpp"
#include "host/mechanism/mechanism.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/system/status.hpp"

namespace myriad::ensemble {
namespace {

constexpr std::uint64_t first_instance = 500;
// An instance that could not be assembled: row 2, of which the kernel leaves 1 + 2.
constexpr double kernel_says_row_2 = 3.0;

const std::string system_study = R"({"system": "heavy_top", "instances": 1000,
    "integrator": {"name": "rk4", "step_s": 0.01, "end_s": 1},
    "parameters": {"mass_kg": {"uniform": {"low": 14, "high": 16}},
                   "initial_rotation_vector_rad[2]": {"uniform": {"low": 0, "high": 1}}},
    "observe": {"every_s": 0.5, "channels": ["velocity", "energy", "angular_momentum"]},
    "quantities": {"top_J": {"max": "energy"}, "mean_tilt_rad": {"mean": "tilt"}})";

const std::string mechanism_study = R"({"instances": 1000,
    "integrator": {"name": "generalized_alpha", "step_s": 0.01, "end_s": 1},
    "mechanism": {"gravity_m_s2": [0, 0, -9.81],
        "bodies": {"rod": {"mass_kg": 2, "inertia_kg_m2": [1, 1, 1], "position_m": [1, 0, 0]},
                   "bob": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "position_m": [2, 0, 0]}},
        "joints": {"hinge": {"type": "spherical", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], [-1, 0, 0]]},
                   "pin": {"type": "spherical", "bodies": ["rod", "bob"], "points_m": [[1, 0, 0], [0, 0, 0]]}}},
    "parameters": {"bodies.bob.mass_kg": {"uniform": {"low": 1, "high": 2}}},
    "observe": {"every_s": 0.5, "channels": ["position.bob", "energy"]},
    "quantities": {"low_m": {"min": "position.bob.z"}})";

study::Study study_of(const std::string& text, const std::string& precision) {
    return study::parse_study(text + R"(, "precision": ")" + precision + "\"}", "study.json", ".");
}

// A chunk of which no two numbers are the same, one instance that failed among those that did not.
struct Example {
    backends::Chunk chunk;
    std::vector<double> varied;
    std::vector<std::int32_t> runs;

    Example(const study::Study& study, std::uint64_t count) {
        double next = 1000.0;
        const auto number = [&] { return next += 0.5; };
        const auto fill = [&](std::vector<double>& values, std::uint64_t per_instance) {
            for (std::uint64_t i = 0; i < count * per_instance; ++i) values.push_back(number());
        };
        chunk.count = count;
        for (std::uint64_t i = 0; i < count; ++i) {
            const bool fails = i % 3 == 1;
            const auto code = static_cast<std::int32_t>(i);
            chunk.status.push_back(static_cast<std::int32_t>(fails ? Status::assembly_failed : Status::ok));
            chunk.reason.push_back(static_cast<std::int32_t>(fails ? Reason::constraints_inconsistent : Reason::none));
            chunk.warnings.push_back(10'000 + code);
            chunk.steps.push_back(20'000 + code), chunk.rejected.push_back(30'000 + code);
            runs.push_back(40'000 + code);
            chunk.time_s.push_back(number());
        }
        std::uint64_t observed = 0;
        for (const study::ChannelGroup& group : study.observation.groups) observed += group.channels.size();
        fill(chunk.initial_state, 13 * study.system->body_names.size());
        fill(chunk.final_state, 13 * study.system->body_names.size());
        fill(chunk.invariants_initial, study.certificate().size());
        fill(chunk.invariants_drift, study.certificate().size());
        fill(chunk.quantities, study.quantities.size());
        fill(chunk.trajectory, study.observation.rows * observed);
        fill(varied, study.varied.size());
    }
    bool failed(std::uint64_t i) const { return chunk.status[i] != static_cast<std::int32_t>(Status::ok); }
};

template <class Entries, class Name>
std::uint64_t place_of(const Entries& entries, const Name& has_the_name) {
    const auto found = std::find_if(entries.begin(), entries.end(), has_the_name);
    EXPECT_NE(found, entries.end());
    return static_cast<std::uint64_t>(found - entries.begin());
}

// Where the state of a body has what a path names: position, orientation, velocity, angular velocity.
std::pair<std::uint64_t, std::uint64_t> state_part(const std::string& name) {
    if (name == "position") return {0, 3};
    if (name == "orientation") return {3, 4};
    if (name == "velocity") return {7, 3};
    EXPECT_EQ(name, "angular_velocity");
    return {10, 3};
}

// The numbers of instance i under this path.
std::vector<double> expected(const study::Study& study, const Example& made, const std::string& path, std::uint64_t i) {
    const backends::Chunk& chunk = made.chunk;
    const auto rest = [&](const std::string& folder) { return path.substr(folder.size()); };
    const auto number = [](auto value) { return std::vector<double>{static_cast<double>(value)}; };
    if (path == "/instance/id") return number(first_instance + i);
    if (path == "/instance/status") return number(chunk.status[i]);
    if (path == "/instance/reason") return number(chunk.reason[i]);
    if (path == "/instance/warnings") return number(chunk.warnings[i]);
    if (path == "/instance/failed_step") return number(made.failed(i) ? chunk.steps[i] : -1);
    if (path == "/instance/failed_time_s")
        return number(made.failed(i) ? chunk.time_s[i] : std::numeric_limits<double>::quiet_NaN());
    if (path == "/instance/detail") return number(made.failed(i) ? kernel_says_row_2 - 1.0 : -1.0);
    if (path == "/instance/certificate/steps") return number(chunk.steps[i]);
    if (path == "/instance/certificate/rejected_steps") return number(chunk.rejected[i]);
    if (path == "/instance/certificate/runs") return number(made.runs[i]);
    if (path == energy_size_path) return number(EnergySize(study).size_J(chunk, i));
    if (path == energy_share_path) return number(EnergySize(study).drift_share(chunk, i));
    if (path.starts_with("/instance/certificate/")) {
        const auto certificate = study.certificate();
        const bool initial = path.ends_with("_initial");
        const auto place = place_of(certificate, [&](const study::CertificateEntry& entry) {
            const std::string name = rest("/instance/certificate/");
            const std::string suffix =
                initial                                       ? "_initial"
                : entry.kind == study::CertificateKind::drift ? "_drift"
                : entry.kind == study::CertificateKind::largest || entry.kind == study::CertificateKind::remark
                    ? "_largest"
                    : "";
            std::string dotted = entry.name;
            std::replace(dotted.begin(), dotted.end(), '.', '_');
            return dotted + suffix == name;
        });
        return number((initial ? chunk.invariants_initial : chunk.invariants_drift)[i * certificate.size() + place]);
    }
    if (path.starts_with("/parameters/"))
        return number(
            made.varied[place_of(study.varied, [&](const auto& one) { return one.address == rest("/parameters/"); }) *
                            chunk.count +
                        i]);
    if (path.starts_with("/quantities/"))
        return number(chunk.quantities[i * study.quantities.size() + place_of(study.quantities, [&](const auto& one) {
                                           return one.name == rest("/quantities/");
                                       })]);
    if (path == "/state/initial/time") return number(0.0);
    if (path == "/state/final/time") return number(chunk.time_s[i]);
    std::vector<double> found;
    if (path.starts_with("/state/")) {
        const bool initial = path.starts_with("/state/initial/");
        const auto [first, width] = state_part(rest(initial ? "/state/initial/" : "/state/final/"));
        const std::uint64_t bodies = study.system->body_names.size();
        for (std::uint64_t body = 0; body < bodies; ++body)
            for (std::uint64_t k = 0; k < width; ++k)
                found.push_back(
                    (initial ? chunk.initial_state : chunk.final_state)[(i * bodies + body) * 13 + first + k]);
        return found;
    }
    EXPECT_TRUE(path.starts_with("/trajectory/")) << path;
    // The scalars of all groups, row by row.
    std::vector<std::string> scalars;
    for (const study::ChannelGroup& group : study.observation.groups)
        scalars.insert(scalars.end(), group.addresses.begin(), group.addresses.end());
    for (std::uint64_t row = 0; row < study.observation.rows; ++row)
        for (std::uint64_t s = 0; s < scalars.size(); ++s)
            if (scalars[s] == rest("/trajectory/") || scalars[s].starts_with(rest("/trajectory/") + "."))
                found.push_back(chunk.trajectory[(i * study.observation.rows + row) * scalars.size() + s]);
    return found;
}

template <class Stored>
std::vector<double> numbers(std::span<const std::byte> bytes) {
    std::vector<Stored> values(bytes.size() / sizeof(Stored));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return {values.begin(), values.end()};
}

std::vector<double> numbers(results::ElementType type, std::span<const std::byte> bytes) {
    using results::ElementType;
    if (type == ElementType::float64) return numbers<double>(bytes);
    if (type == ElementType::float32) return numbers<float>(bytes);
    return type == ElementType::int64 ? numbers<std::int64_t>(bytes) : numbers<std::int32_t>(bytes);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct Case {
    const char* name;
    const std::string& study;
    const char* precision;
    std::size_t columns;
};

void PrintTo(const Case& with, std::ostream* out) { *out << with.name; }

class ResultColumns : public testing::TestWithParam<Case> {};

TEST_P(ResultColumns, HoldWhatTheirPathSays) {
    const study::Study study = study_of(GetParam().study, GetParam().precision);
    for (const std::uint64_t count : {1u, 31u, 33u, 100u}) {
        Example made(study, count);
        if (study.mechanism)
            for (std::uint64_t i = 0; i < count; ++i)
                made.chunk
                    .invariants_initial[i * study.certificate().size() + MechanismCertificate::constraint_residual] =
                    made.failed(i) ? kernel_says_row_2 : 0.0;
        ChunkColumns columns(study);
        columns.fill({first_instance, made.chunk, made.varied, made.runs});
        const results::Layout layout = result_layout(study, {first_instance, count});
        const auto bytes = columns.spans();
        ASSERT_EQ(bytes.size(), layout.columns.size());
        for (std::size_t c = 0; c < bytes.size(); ++c) {
            const results::Column& column = layout.columns[c];
            const std::uint64_t each = results::bytes_per_instance(column);
            ASSERT_EQ(bytes[c].size(), count * each) << column.path;
            for (std::uint64_t i = 0; i < count; ++i) {
                const std::vector<double> found = numbers(column.type, bytes[c].subspan(i * each, each)),
                                          wanted = expected(study, made, column.path, i);
                ASSERT_EQ(found.size(), wanted.size()) << column.path;
                for (std::size_t k = 0; k < found.size(); ++k)
                    ASSERT_TRUE(same(found[k], wanted[k])) << column.path << ", instance " << i << ", number " << k;
            }
        }
    }
}

TEST_P(ResultColumns, SayTheirUnitAndMeaningAndStandOnceEach) {
    const study::Study study = study_of(GetParam().study, GetParam().precision);
    const results::Layout layout = result_layout(study, {0, study.instances});
    EXPECT_NO_THROW(results::check(layout, {}));
    EXPECT_EQ(layout.columns.size(), GetParam().columns);
    const bool is_single = std::string(GetParam().precision) == "fp32";
    for (const results::Column& column : layout.columns) {
        EXPECT_TRUE(column.attributes.contains("unit") && column.attributes.contains("description")) << column.path;
        const bool is_number = column.path.starts_with("/quantities/") || column.path.starts_with("/trajectory/") ||
                               (column.path.starts_with("/state/") && !column.path.ends_with("/time"));
        EXPECT_EQ(column.type == results::ElementType::float32, is_single && is_number) << column.path;
    }
}

// The top has 9 of /instance, 2 + 2 of its certificate, 2 parameters, 2 x 5 states, 3 trajectories, 2 quantities. Of
// the mechanism: 10 of /instance, 4 + 6 of its certificate, 1 parameter, 10 states, 2 trajectories, 1 quantity.
INSTANTIATE_TEST_SUITE_P(Studies, ResultColumns,
                         testing::Values(Case{"system", system_study, "fp64", 32},
                                         Case{"system_fp32", system_study, "fp32", 32},
                                         Case{"mechanism", mechanism_study, "fp64", 34},
                                         Case{"mechanism_fp32", mechanism_study, "fp32", 34}),
                         [](const auto& given) { return given.param.name; });

// A matrix of joint coordinates is singular: the kernel leaves -1 - the place among the freedoms and the rows behind.
TEST(ResultDetail, NamesTheFreedomOrTheRowOfASingularMatrix) {
    std::string text = mechanism_study;
    text.insert(
        text.find("\"hinge\""),
        R"("stay": {"type": "D", "bodies": ["ground", "bob"], "points_m": [[2, 0, 1], [0, 0, 0]], "value_m": 1},)");
    const study::Study study = study_of(text, "fp64");
    const auto detail_of = [&](double told) {
        Example made(study, 1);
        made.chunk.status[0] = static_cast<std::int32_t>(Status::singular_matrix);
        made.chunk.reason[0] = static_cast<std::int32_t>(Reason::matrix_singular);
        made.chunk.invariants_initial[MechanismCertificate::constraint_residual] = told;
        ChunkColumns columns(study);
        columns.fill({first_instance, made.chunk, made.varied, made.runs});
        const std::size_t column = column_of(result_layout(study, {first_instance, 1}), "/instance/detail");
        const double detail = numbers<std::int32_t>(columns.spans()[column]).front();
        return detail < 0.0 ? std::string() : detail_names(*study.mechanism)[static_cast<std::size_t>(detail)];
    };
    EXPECT_EQ(detail_of(0.0), "") << "no pivot of the tree";
    EXPECT_EQ(detail_of(-1.0), "joints.hinge, inertia of freedom 0");
    EXPECT_EQ(detail_of(-9.0), "bodies.bob, inertia of freedom 5") << "its pin is cut in the loop that stay closes";
    EXPECT_EQ(detail_of(-10.0), "joints.stay, row 0") << "the first row beside the tree of nine freedoms";
    EXPECT_EQ(detail_of(-13.0), "joints.pin, row 2");
}

}  // namespace
}  // namespace myriad::ensemble
