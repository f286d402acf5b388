// Devices and pipes in place of files: neither endless ones nor silent ones hold the reader.
#include "host/text/input_file.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "host/text/json_text.hpp"
#include "host/text/table.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

std::filesystem::path fifo(const std::string& name) {
    const auto path = table_folder() / name;
    std::filesystem::remove(path);
    if (mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("no FIFO can be made here");
    return path;
}

std::string refused_text(const std::filesystem::path& file) {
    return refusal([&] { JsonText::read(file); });
}

TEST(InputFile, EndlessDevicesAreCutAtTheStatedSize) {
    EXPECT_THAT(refused_text("/dev/zero"),
                has("/dev/zero: ", std::to_string(largest_json_bytes), "study or mechanism"));
    EXPECT_THAT(refusal([] { CsvTable::read(std::filesystem::path("/dev/zero")); }),
                has("/dev/zero, line 1: ", "longer than 1048576 bytes"));
}

TEST(InputFile, RefusesAPipeThatNobodyWritesTo) {
    EXPECT_THAT(refused_text(fifo("silent.json")), has("silent.json: ", "nobody has written to this pipe for 5 s"));
}

TEST(InputFile, ReadsAPipeWhoseWriterIsSlow) {
    const auto path = fifo("slow.json");
    std::thread writer([&] {
        const int pipe = open(path.c_str(), O_WRONLY);
        for (const std::string& part : {std::string("{\"a\": "), std::string("[1, 2"), std::string("]}")}) {
            // What was written before is read first.
            for (int unread = 1; ioctl(pipe, FIONREAD, &unread) == 0 && unread > 0;)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            EXPECT_EQ(write(pipe, part.data(), part.size()), static_cast<ssize_t>(part.size()));
        }
        close(pipe);
    });
    const JsonText text = JsonText::read(path);
    writer.join();
    EXPECT_EQ(text.root().json().dump(), R"({"a":[1,2]})");
}

TEST(InputFile, ReadsAllOfALongFile) {
    const auto path = table_folder() / "long.json";
    const std::string number = "1234567, ";
    std::string text = "[";
    for (int k = 0; k < 31'000; ++k) text += number;
    std::ofstream(path) << text << "0]";
    EXPECT_EQ(JsonText::read(path).root().elements().size(), 31'001u);
}

TEST(InputFile, SaysWhyAFileCannotBeRead) {
    EXPECT_THAT(refused_text("no_such_study.json"), has("no_such_study.json: ", "No such file"));
    EXPECT_THAT(refused_text(std::string("/dev/null\0.json", 15)), has("/dev/null\\x00.json: ", "NUL"));
    EXPECT_THAT(refused_text(std::string(5000, 'x')), has("File name too long", "more bytes"));
    EXPECT_THAT(refused_text(std::filesystem::temp_directory_path()), has("this is a folder"));
    EXPECT_THAT(refusal([] { CsvTable::read(std::filesystem::temp_directory_path()); }),
                has("this is a folder", "CSV"));
}

}  // namespace
}  // namespace myriad::study
