// An instance's result is its own: its bits depend on no vector width, thread, chunk, launch, neighbour or order, in
// every bundled study and in random mechanisms, by every method of the catalog. A neighbour with a parameter that is no
// number ends as such, and disturbs no other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "host/mechanism/varied_parameters.hpp"
#include "kernels/system/status.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"

namespace myriad::properties {
namespace {

using backends::Bits;
using backends::bits_of;
using backends::Instances;

constexpr std::uint64_t past_a_tile = 33;           // instances: a tile is filled and another begun
constexpr long long launches[] = {1, 7, 16, 1000};  // trial steps of each

Instances in_another_order(Instances instances) {
    std::reverse(instances.begin(), instances.end());
    return instances;
}
std::vector<Bits> in_another_order(std::vector<Bits> bits) {
    std::reverse(bits.begin(), bits.end());
    return bits;
}
// Each instance beside one without numbers and one whose numbers are so large that it ends, at once or on the way.
Instances among_bad_neighbours(const Instances& instances) {
    Instances all;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        all.push_back(instances[i]);
        Instances::value_type bad = instances[(i + 1) % instances.size()];
        for (double& value : bad) value = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1e3 * value;
        all.push_back(bad);
    }
    return all;
}
// Each instance beside one in which a single number, each in turn, is none. `read`: how many fields of a record the
// kernels read; samples stand behind them.
Instances beside_one_that_lacks_a_number(const Instances& instances, std::size_t read) {
    Instances all;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        all.push_back(instances[i]);
        all.push_back(instances[(i + 1) % instances.size()]);
        all.back()[i % read] = std::numeric_limits<double>::quiet_NaN();
    }
    return all;
}
// Kernels multiply infinities by zeros that a traced step leaves out: a number of an instance that fails may be NaN by
// them alone, and end it sooner.
std::size_t differing_but_in_overflows(const backends::Chunk& by_kernels, const backends::Chunk& traced) {
    const std::vector<Bits> of_kernels = bits_of(by_kernels), bits = bits_of(traced);
    constexpr std::uint64_t no_number = ~std::uint64_t{0};
    std::size_t count = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const bool has_failed = traced.status[i] > static_cast<std::int32_t>(Status::ok);
        if (has_failed && by_kernels.status[i] == static_cast<std::int32_t>(Status::not_finite)) continue;
        count += std::ranges::equal(of_kernels[i], bits[i],
                                    [&](std::uint64_t theirs, std::uint64_t ours) {
                                        return theirs == ours || (has_failed && theirs == no_number);
                                    })
                     ? 0
                     : 1;
    }
    return count;
}
std::vector<Bits> every_second(const std::vector<Bits>& bits) {
    std::vector<Bits> chosen;
    for (std::size_t i = 0; i < bits.size(); i += 2) chosen.push_back(bits[i]);
    return chosen;
}

struct Counts {
    int scenes = 0;
    std::uint64_t instances = 0, ended_well = 0, without_a_number = 0;
};

void expect_refusals_without_a_number(const Instances& instances, const backends::Chunk& ends, Counts& counts) {
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (std::ranges::none_of(instances[i], [](double value) { return std::isnan(value); })) continue;
        EXPECT_STREQ(name_of(static_cast<Status>(ends.status[i])), name_of(Status::invalid_parameter))
            << "instance " << i;
        ++counts.without_a_number;
    }
}

void expect_its_own_bits(const study::Study& study, Counts& counts) {
    const backends::Task task = study.task();
    const Instances instances = instances_of(study);
    const std::vector<Form> forms = kernel_forms();
    const backends::Chunk plain = forms.front().run(task, instances);
    const std::vector<Bits> expected = bits_of(plain);
    const Instances bad_ones = among_bad_neighbours(instances);
    const backends::Chunk ends_of_bad_ones = forms.front().run(task, bad_ones);
    expect_refusals_without_a_number(bad_ones, ends_of_bad_ones, counts);
    const std::vector<Bits> expected_of_bad_ones = bits_of(ends_of_bad_ones);
    EXPECT_EQ(backends::differing(every_second(expected_of_bad_ones), expected), 0u) << "among bad neighbours";
    const std::size_t read = study.mechanism ? study.kernel_parameters->parameters().size() : study.varied.size();
    if (read > 0) {
        const Instances lacking = beside_one_that_lacks_a_number(instances, read);
        const backends::Chunk ends = forms.front().run(task, lacking);
        expect_refusals_without_a_number(lacking, ends, counts);
        EXPECT_EQ(backends::differing(every_second(bits_of(ends)), expected), 0u) << "beside one that lacks a number";
    }
    if (task.system == backends::joint_mechanism_system) {
        EXPECT_EQ(differing_but_in_overflows(plain_form().run(task, bad_ones), ends_of_bad_ones), 0u)
            << "kernels on plain numbers";
    }
    ++counts.scenes, counts.instances += instances.size();
    counts.ended_well += backends::count_of(plain, static_cast<int>(Status::ok));
    for (const Form& form : forms) {
        SCOPED_TRACE(form.name);
        if (&form != &forms.front()) EXPECT_EQ(backends::differing(bits_of(form.run(task, instances)), expected), 0u);
        EXPECT_EQ(backends::differing(bits_of(form.run(task, in_another_order(instances))), in_another_order(expected)),
                  0u)
            << "in another order";
        EXPECT_EQ(backends::differing(bits_of(form.run(task, in_another_order(bad_ones))),
                                      in_another_order(expected_of_bad_ones)),
                  0u)
            << "with bad ones in another order";
        for (const std::size_t count : {std::size_t{1}, std::size_t{31}}) {
            if (count >= instances.size()) continue;
            const auto end = static_cast<std::ptrdiff_t>(count);
            EXPECT_EQ(
                backends::differing(bits_of(form.run(task, Instances(instances.begin(), instances.begin() + end))),
                                    std::vector<Bits>(expected.begin(), expected.begin() + end)),
                0u)
                << count << " instances";
        }
    }
    for (const int width : backends::cpu_widths()) {
        SCOPED_TRACE(std::to_string(width) + " wide");
        backends::Settings settings;
        settings.threads = 2, settings.width = width, settings.kernels = backends::names::interpreted_kernels;
        EXPECT_EQ(backends::differing(bits_of(backends::run_on_cpu(task, settings, instances, 16)), expected), 0u)
            << "two threads, chunks of 16";
        if (width != backends::cpu_widths().back()) continue;
        for (const long long attempts : launches)
            EXPECT_EQ(
                backends::differing(bits_of(backends::run_in_launches(task, instances, width, attempts)), expected), 0u)
                << "launches of " << attempts;
    }
}

void expect_its_own_bits(const Scene& scene, const Method& method, Counts& counts,
                         std::uint64_t instances = past_a_tile) {
    for (const std::string& coordinates : coordinates_of(scene)) {
        SCOPED_TRACE(scene.name + " in coordinates: " + coordinates);
        Settings settings;
        settings.coordinates = coordinates, settings.instances = instances;
        if (const auto study = study_of(scene, method, settings)) expect_its_own_bits(*study, counts);
    }
}

class BitsOfAnInstance : public testing::TestWithParam<Method> {};

TEST_P(BitsOfAnInstance, AreItsOwnInEveryBundledStudy) {
    Counts counts;
    for (const Scene& scene : bundled_scenes()) expect_its_own_bits(scene, GetParam(), counts);
    EXPECT_GT(counts.scenes, 0);
    EXPECT_GT(counts.without_a_number, 0u);
    // Steps of bundled studies may ask for more than single precision has.
    if (GetParam().precision == backends::Precision::fp64) EXPECT_GE(counts.ended_well, counts.instances / 2);
    RecordProperty("scenes", counts.scenes);
}

INSTANTIATE_TEST_SUITE_P(Each, BitsOfAnInstance, testing::ValuesIn(every_method()), MethodName());

class BitsOfARandomMechanism : public testing::TestWithParam<Method> {};

TEST_P(BitsOfARandomMechanism, AreItsOwn) {
    Counts counts;
    for (const RandomScenes& family : some_of_each_random_family()) {
        for (const Scene& scene : scenes_of(family)) {
            if (HasFailure()) break;
            expect_its_own_bits(scene, GetParam(), counts, 9);
        }
    }
    EXPECT_GT(counts.scenes, 0);
    EXPECT_GT(counts.without_a_number, 0u);
    EXPECT_GE(counts.ended_well, counts.instances / 2);
    RecordProperty("scenes", counts.scenes);
}

INSTANTIATE_TEST_SUITE_P(Each, BitsOfARandomMechanism, testing::ValuesIn(methods_of_mechanisms()), MethodName());

TEST(BitsOfAThousandInstances, AreTheirOwnByEveryMethod) {
    constexpr std::uint64_t many = 1000;
    const std::vector<Scene>& scenes = bundled_scenes();
    for (const Method& method : every_method()) {
        Counts counts;
        for (const Scene& scene : scenes) {
            Settings settings;
            settings.instances = many, settings.steps = 4;
            const auto study = study_of(scene, method, settings);
            if (!study) continue;
            SCOPED_TRACE(method.name() + " of " + scene.name);
            expect_its_own_bits(*study, counts);
            break;
        }
        EXPECT_EQ(counts.scenes, 1) << method.name();
    }
}

TEST(BitsOfCompiledSteps, AreThoseOfTheTables) {
    setenv("XDG_CACHE_HOME", testing::TempDir().c_str(), 1);
    const Form compiled = form_of(backends::names::compiled_kernels);
    std::ptrdiff_t families = 0, compared = 0;
    for (RandomScenes family : random_families()) {
        if (family.free || family.on_coordinates) continue;  // a compiler takes some ten seconds
        family.count = 1;
        const Scene scene = scenes_of(family).front();
        std::vector<Method> methods = methods_of_mechanisms();
        std::rotate(methods.begin(), methods.begin() + 3 * families++, methods.end());
        for (const Method& method : methods) {
            Settings settings;
            settings.instances = past_a_tile;
            const auto study = study_of(scene, method, settings);
            if (!study) continue;
            const Instances instances = instances_of(*study);
            EXPECT_EQ(backends::differing(bits_of(compiled.run(study->task(), instances)),
                                          bits_of(kernel_forms().front().run(study->task(), instances))),
                      0u)
                << scene.name << " by " << method.name();
            ++compared;
            break;
        }
    }
    EXPECT_EQ(compared, families);
    unsetenv("XDG_CACHE_HOME");
}

// Steps after an instance has ended leave all of it as it was. Gives how many of these failed, if the method takes the
// scene.
std::optional<std::uint64_t> expect_frozen_ends(const Scene& scene, const Method& method) {
    Settings settings;
    settings.instances = 8;
    const auto study = study_of(scene, method, settings);
    if (!study) return std::nullopt;
    SCOPED_TRACE(scene.name);
    Instances instances = instances_of(*study);
    double factor = 1.0;
    for (std::size_t i = 1; i < instances.size(); ++i)
        for (double& value : instances[i]) value *= factor, factor *= i % 2 == 0 ? 1.2 : 1.1;
    backends::StepByStep run(study->task(), instances.size(), backends::columns(instances, 0, instances.size()).data());
    std::vector<std::vector<double>> at_the_end(instances.size());
    const auto is_same = [](const std::vector<double>& a, const std::vector<double>& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
    };
    for (bool goes_on = true; goes_on;) {
        for (std::size_t i = 0; i < instances.size(); ++i)
            if (at_the_end[i].empty() && !run.runs(i)) at_the_end[i] = run.record(i);
        goes_on = run.advance(1);
    }
    std::uint64_t failed = 0;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (at_the_end[i].empty()) continue;
        EXPECT_TRUE(is_same(run.record(i), at_the_end[i])) << "instance " << i;
        failed += run.statuses()[i] != static_cast<int>(Status::ok);
    }
    return failed;
}

TEST_P(BitsOfAnInstance, StayAsTheyAreOnceItHasFailed) {
    std::uint64_t failed = 0;
    for (const Scene& scene : bundled_scenes()) failed += expect_frozen_ends(scene, GetParam()).value_or(0);
    // On the other charts a few systems are left, which some methods bring to the end.
    if (GetParam().chart == "rotation" && GetParam().precision == backends::Precision::fp64) EXPECT_GT(failed, 0u);
}

TEST_P(BitsOfARandomMechanism, StayAsTheyAreOnceItHasFailed) {
    std::uint64_t failed = 0, taken = 0;
    for (RandomScenes family : random_families()) {
        family.count = 2;
        for (const Scene& scene : scenes_of(family)) {
            const auto of_scene = expect_frozen_ends(scene, GetParam());
            taken += of_scene.has_value(), failed += of_scene.value_or(0);
        }
    }
    // Energy-momentum methods take none of these.
    if (taken > 0) EXPECT_GT(failed, 0u);
}

}  // namespace
}  // namespace myriad::properties
