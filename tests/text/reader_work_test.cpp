// Readers take work in proportion to a text: branches and bytes are counted at a size and at twice that size.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>

#include "tests/text/counted_readers.hpp"

namespace myriad::tests {

std::uint64_t counted_work = 0;

}  // namespace myriad::tests

// By -fsanitize-coverage=trace-pc in every branch of the readers, and by the linker's --wrap (cmake/tests.cmake).
extern "C" {
void __sanitizer_cov_trace_pc() { ++myriad::tests::counted_work; }
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
    myriad::tests::counted_work += bytes;
    return __real_memmove(to, from, bytes);
}
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
    myriad::tests::counted_work += bytes;
    return __real_memcpy(to, from, bytes);
}
void* __real_memchr(const void* in, int byte, std::size_t bytes);
void* __wrap_memchr(const void* in, int byte, std::size_t bytes) {
    void* found = __real_memchr(in, byte, bytes);
    myriad::tests::counted_work +=
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - static_cast<const char*>(in)) : bytes;
    return found;
}
}

namespace myriad::tests {
namespace {

// Twice the text is twice the work, and hash tables and vectors that grow by factors add to it; a quadratic reader
// takes four times the work.
constexpr double most_growth = 2.6;

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int k = 0; k < times; ++k) all += text;
    return all;
}

std::string keys(const std::string& between, int count) {
    std::string text = "{";
    for (int k = 0; k < count; ++k) text += (k ? "," + between : "") + "\"key_" + std::to_string(k) + "\": [1]";
    return text + "}";
}

void expect_work_in_proportion(const std::function<std::uint64_t(int)>& work, int size) {
    const std::uint64_t once = work(size), twice = work(2 * size);
    EXPECT_GT(once, static_cast<std::uint64_t>(size));
    EXPECT_LT(static_cast<double>(twice), most_growth * static_cast<double>(once)) << once << " and " << twice;
}

TEST(ReaderWork, OfAJsonFileGrowsWithItsSize) {
    expect_work_in_proportion([](int n) { return work_of_json(keys(" ", n)); }, 20'000);
    expect_work_in_proportion([](int n) { return work_of_json(keys("\n", n)); }, 20'000);
    expect_work_in_proportion([](int n) { return work_of_json("[" + repeated("1,\n", n) + "tru]"); }, 50'000);
    expect_work_in_proportion([](int n) { return work_of_json("[" + repeated("[],", n) + "]"); }, 20'000);
    expect_work_in_proportion([](int n) { return work_of_json(repeated("// a comment\n", n) + "{}"); }, 20'000);
    expect_work_in_proportion([](int n) { return work_of_json(repeated("/* a comment */", n) + "{}"); }, 20'000);
    expect_work_in_proportion([](int n) { return work_of_json("{\"" + repeated("\\\"", n) + "\": 0}"); }, 20'000);
    expect_work_in_proportion([](int n) { return work_of_json("{\"a\": \"" + repeated("\xc3\xbc", n) + "\", 1}"); },
                              20'000);
}

TEST(ReaderWork, OfATableGrowsWithItsSize) {
    expect_work_in_proportion([](int n) { return work_of_table("a,b\n" + repeated("1, 2.5\n", n)); }, 20'000);
    expect_work_in_proportion([](int n) { return work_of_table("a\n" + repeated("# a comment\n\n1\n", n) + "x\n"); },
                              10'000);
    expect_work_in_proportion(
        [](int n) {
            std::string header = "c0", row = "0";
            for (int k = 1; k < n; ++k) header += ",c" + std::to_string(k), row += ",1";
            return work_of_table(header + "\n" + row + "\n");
        },
        4'000);
    expect_work_in_proportion(
        [](int n) { return work_of_table("a\n" + std::string(static_cast<std::size_t>(n), '1')); }, 400'000);
}

TEST(ReaderWork, OfASuggestionGrowsWithTheNamesAndNotWithTheWord) {
    expect_work_in_proportion([](int n) { return work_of_suggestion("parameters.lenght_77_m", n); }, 1'000);
    EXPECT_LT(work_of_suggestion(std::string(1'000'000, 'x'), 1'000),
              2 * work_of_suggestion(std::string(1'000, 'x'), 1'000));
}

}  // namespace
}  // namespace myriad::tests
