// Text of a file reaches a terminal as valid UTF-8 without control characters, and not endlessly.
#include "host/text/printable.hpp"

#include "host/text/json_text.hpp"
#include "tests/study/refusal.hpp"

namespace myriad {
namespace {

using namespace std::string_literals;

TEST(Printable, LeavesWordsAsTheyAre) {
    for (const char* text : {"", "study.json:3:5: /a/b", "Größe 5 µm, 角度, 🙂", "C:\\x1b"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsWhatWouldSteerATerminal) {
    EXPECT_EQ(printable("a\x1b[2Jb\r\n\tc\0d\x7f"s), "a\\x1b[2Jb\\x0d\\n\\tc\\x00d\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\\x9b31m");
    EXPECT_EQ(printable("exe\xe2\x80\xaegpj"), "exe\\u202egpj");
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
    EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printable("\xc3("), "\\xc3(");
    EXPECT_EQ(printable("\xe4\xbd"), "\\xe4\\xbd");                    // cut off
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // longer than needed
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair of UTF-16
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
    EXPECT_EQ(printable("\xf0\x9f\x99\x82"), "\xf0\x9f\x99\x82");
}

TEST(Printable, KnowsWhatIsUtf8) {
    for (const char* text : {"", "a", "é角🙂"}) EXPECT_TRUE(is_utf8(text)) << text;
    for (const char* text : {"\xff", "a\xc3", "\xed\xa0\x80"}) EXPECT_FALSE(is_utf8(text)) << printable(text);
}

TEST(Printable, CutsBetweenCharactersAndSaysHowMuchIsLeft) {
    EXPECT_EQ(printable("0123456789", 4), "0123 ... (6 more bytes)");
    EXPECT_EQ(printable("ééé", 3), "éé ... (2 more bytes)");
    EXPECT_EQ(printable(std::string(longest_shown, 'x')), std::string(longest_shown, 'x'));
    EXPECT_EQ(printable_lines("one\ntwo\x1b\n\n"), "one\ntwo\\x1b\n\n");
    EXPECT_LT(printable_lines(std::string(1'000'000, '\n')).size(), 3 * longest_shown);
}

TEST(Printable, HoldsForEveryMessage) {
    const UserError error(ExitCode::usage_or_input, "a\nb.json", "the key \"x\0y\xff\" is unknown"s,
                          "one\n  or\x07 two");
    EXPECT_EQ(error.what(), "a\\nb.json: the key \"x\\x00y\\xff\" is unknown\n  one\n  or\\x07 two"s);
    EXPECT_EQ(error.where(), "a\\nb.json");
    const std::string message =
        study::refusal([] { JsonText("{\"" + std::string(100, 'y') + "\": \"\x01\xff", "a.json"); });
    EXPECT_EQ(message.find('\x01'), std::string::npos);
    EXPECT_EQ(message.find('\xff'), std::string::npos);
    const UserError long_one(ExitCode::usage_or_input, std::string(1'000'000, 'w'), std::string(1'000'000, 'x'),
                             std::string(1'000'000, 'y'));
    EXPECT_LT(std::string(long_one.what()).size(), 5 * longest_shown);
}

}  // namespace
}  // namespace myriad
