// Every reader on the project's own files, and on some thousands of texts made from them by small changes.
#include "tests/fuzz/readers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace myriad {
namespace {

// MYRIAD_LONG: how many times as many. A file is tried in a process of its own, and HDF5 may take seconds to give up.
int changes_of(const fuzz::Reader& reader) {
    const char* times = std::getenv("MYRIAD_LONG");
    return (std::string_view(reader.name) == "result" ? 100 : 1500) * (times ? std::max(1, std::atoi(times)) : 1);
}

std::vector<fuzz::Reader> every_reader() {
    std::vector<fuzz::Reader> all(fuzz::text_readers().begin(), fuzz::text_readers().end());
    all.insert(all.end(), fuzz::file_readers().begin(), fuzz::file_readers().end());
    all.insert(all.end(), fuzz::code_readers().begin(), fuzz::code_readers().end());
    return all;
}

class Changes {
  public:
    explicit Changes(unsigned seed) : random_(seed) {}

    // One to four of: a byte changed, a piece left out, doubled, or replaced by one of another text or by a word that
    // readers know.
    std::string of(std::string text, const std::string& other) {
        static const std::vector<std::string> words = {"-1",
                                                       "0",
                                                       "1e999",
                                                       "null",
                                                       "true",
                                                       "{}",
                                                       "[]",
                                                       "\"",
                                                       ",",
                                                       ":",
                                                       "\\u0",
                                                       "\n",
                                                       "NaN",
                                                       "1e-320",
                                                       "[[]]",
                                                       "\"t\"",
                                                       "(",
                                                       "^",
                                                       "9007199254740993",
                                                       "//",
                                                       "t",
                                                       "\xff\xfe",
                                                       "\"\"",
                                                       "{\"a\":",
                                                       "]",
                                                       "}",
                                                       "1.5",
                                                       "\"ground\""};
        for (auto left = 1 + below(4); left-- > 0;) {
            const std::size_t at = below(text.size() + 1), length = std::min(text.size() - at, below(20));
            switch (below(5)) {
                case 0:
                    if (at < text.size()) text[at] = static_cast<char>(below(256));
                    break;
                case 1:
                    text.erase(at, length);
                    break;
                case 2:
                    text.insert(at, text.substr(at, length));
                    break;
                case 3:
                    text.replace(at, length, words[below(words.size())]);
                    break;
                default:
                    text.replace(at, length, other.substr(below(other.size() + 1), below(40)));
            }
        }
        return text;
    }
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  private:
    std::mt19937 random_;
};

class EveryReader : public testing::TestWithParam<fuzz::Reader> {};

TEST_P(EveryReader, TakesTheProjectsOwnFiles) {
    for (const std::string& seed : GetParam().seeds()) EXPECT_EQ(GetParam().objection_to(seed), "") << seed;
}

TEST_P(EveryReader, RefusesWithAPlaceWhatItDoesNotTake) {
    const std::vector<std::string> seeds = GetParam().seeds();
    ASSERT_FALSE(seeds.empty());
    Changes changes(20260101);
    for (int i = 0; i < changes_of(GetParam()); ++i) {
        const std::string text = changes.of(seeds[changes.below(seeds.size())], seeds[changes.below(seeds.size())]);
        ASSERT_EQ(GetParam().objection_to(text), "") << "change " << i << " made\n" << text;
    }
}

INSTANTIATE_TEST_SUITE_P(Readers, EveryReader, testing::ValuesIn(every_reader()),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace myriad
