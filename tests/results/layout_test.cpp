#include "host/results/layout/layout.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::error_of;

TEST(Layout, CountsTheBytesOfAnInstance) {
    // id 8, status 1, iterations 4, mass 8, position 2 * 3 * 8, reach 4, trajectory 5 * 2 * 3 * 8, energy 5 * 4
    EXPECT_EQ(bytes_per_instance(example::layout(1)), 8u + 4 + 4 + 8 + 48 + 4 + 240 + 20);
}

TEST(Layout, RefusesPathsThatCannotStandInOneFile) {
    const auto check_of = [](std::vector<std::string> paths) {
        Layout layout{1, {}};
        for (const std::string& path : paths) layout.columns.push_back({path});
        return error_of([&] { check(layout, {{"/trajectory/time", {1}, std::vector<double>{0}}}); });
    };
    EXPECT_EQ(check_of({"/parameters/bodies.top.mass", "/parameters/joints.crank.point[1]"}), "no error");
    EXPECT_NE(check_of({"/a", "/a"}).find("1 result dataset '/a': two datasets"), std::string::npos);
    EXPECT_NE(check_of({"/trajectory/time"}).find("two datasets"), std::string::npos);
    EXPECT_NE(check_of({"/a/b", "/a"}).find("'/a' is a dataset and cannot be a folder"), std::string::npos);
    EXPECT_NE(check_of({"/trajectory"}).find("cannot be a folder"), std::string::npos);
    for (const char* path : {"", "/", "a", "/a/", "//a", "/./a", "/a/.."})
        EXPECT_EQ(check_of({path}).substr(0, 2), "1 ") << path;
}

TEST(Layout, RefusesShapesThatDoNotFit) {
    EXPECT_THROW(check({0, {{"/a"}}}, {}), std::logic_error);
    EXPECT_THROW(check({1, {{"/a", ElementType::float64, {2, 0}}}}, {}), std::logic_error);
    EXPECT_THROW(check({1, {{"/a", ElementType::float64, {2}, {}, {"x", "y"}}}}, {}), std::logic_error);
    EXPECT_THROW(check({1, {{"/a"}}}, {{"/b", {2}, std::vector<double>{1}}}), std::logic_error);
}

TEST(Layout, DigestChangesWithAllThatDecidesTheBytesOfAnInstance) {
    const std::string right = digest(example::layout(33));
    EXPECT_EQ(right.size(), 32u);
    EXPECT_EQ(digest(example::layout(33)), right);
    EXPECT_EQ(digest(example::layout(34)), right) << "the bytes of an instance do not depend on how many there are";
    Layout layout = example::layout(33);
    layout.columns[3].path += "x";
    EXPECT_NE(digest(layout), right);
    layout = example::layout(33);
    layout.columns[3].type = ElementType::int64;
    EXPECT_NE(digest(layout), right);
    layout = example::layout(33);
    layout.columns[4].shape_per_instance = {3, example::bodies};
    EXPECT_NE(digest(layout), right);
}

}  // namespace
}  // namespace myriad::results
