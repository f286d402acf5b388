#include "host/results/journal.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <stdexcept>

#include "tests/results/child_process.hpp"
#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::append;
using example::error_of;
using example::fingerprint;
using example::Folder;

using Ranges = std::vector<InstanceRange>;

Journal create(const Folder& folder, std::uint64_t instances) {
    return Journal::create(folder / "out.h5", fingerprint, example::layout(instances), IfPresent::refuse);
}
Journal resume(const Folder& folder, std::uint64_t instances) {
    return Journal::resume(folder / "out.h5", fingerprint, example::layout(instances));
}

// Changes one bit of an instance's value in the file of values, which holds the bytes of `right`.
void damage_values(const Folder& folder, const Layout& layout, std::uint64_t instance) {
    const std::size_t last = layout.columns.size() - 1;
    const auto wanted = example::values(layout, last, {instance, 1});
    auto bytes = example::bytes_of_file(folder / "out.h5.partial");
    const auto* first = reinterpret_cast<const char*>(wanted.data());
    const auto found = std::search(bytes.begin(), bytes.end(), first, first + wanted.size());
    ASSERT_NE(found, bytes.end()) << "the values stand nowhere";
    *found ^= 1;
    std::ofstream(folder / "out.h5.partial", std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void expect_values(const Journal& journal, InstanceRange range) {
    std::vector<std::vector<std::byte>> all;
    for (std::size_t c = 0; c < journal.layout().columns.size(); ++c) {
        const auto expected = example::values(journal.layout(), c, range);
        std::vector<std::byte> read(expected.size());
        journal.read(c, range, read);
        EXPECT_EQ(read, expected) << journal.layout().columns[c].path;
        all.emplace_back(expected.size());
    }
    journal.read(range, {all.begin(), all.end()});
    for (std::size_t c = 0; c < all.size(); ++c)
        EXPECT_EQ(all[c], example::values(journal.layout(), c, range)) << journal.layout().columns[c].path;
}

TEST(Journal, GivesBackWhatWasAppendedInAnyOrderAndSize) {
    const Folder folder;
    {
        Journal journal = create(folder, 1000);
        append(journal, {33, 1});
        append(journal, {500, 33});
        append(journal, {34, 31});
        EXPECT_EQ(journal.finished(), (Ranges{{33, 32}, {500, 33}}));
        expect_values(journal, {33, 32});
    }
    Journal journal = resume(folder, 1000);
    EXPECT_EQ(journal.finished(), (Ranges{{33, 32}, {500, 33}}));
    EXPECT_EQ(journal.finished_instances(), 65u);
    EXPECT_EQ(journal.discarded().bytes, 0u);
    append(journal, {0, 33});
    expect_values(journal, {0, 65});
    expect_values(journal, {32, 3});
    expect_values(journal, {510, 7});
    EXPECT_EQ(journal.missing(400), (Ranges{{65, 335}, {400, 100}, {533, 267}, {800, 200}}));
}

TEST(Journal, RefusesAnInstanceTwiceAndSizesThatDoNotFit) {
    const Folder folder;
    Journal journal = create(folder, 100);
    append(journal, {10, 10});
    for (const InstanceRange& range : Ranges{{10, 10}, {19, 1}, {0, 11}, {5, 50}, {12, 2}, {90, 11}, {100, 1}, {5, 0}})
        EXPECT_THROW(append(journal, range), std::logic_error) << range.first << " " << range.count;
    EXPECT_THROW(journal.append(0, 1, {}), std::logic_error);
    EXPECT_THROW(expect_values(journal, {9, 2}), std::logic_error);
    append(journal, {0, 10});
    append(journal, {20, 80});
    EXPECT_EQ(journal.finished(), (Ranges{{0, 100}}));
}

TEST(Journal, CutAnywhereGoesOnWithItsWholeRecords) {
    const Folder folder;
    std::uint64_t whole, with_the_last;
    {
        Journal journal = create(folder, 4);
        append(journal, {2, 1});
        whole = std::filesystem::file_size(folder / "out.h5.journal");
        append(journal, {0, 1});
        with_the_last = std::filesystem::file_size(folder / "out.h5.journal");
    }
    const auto bytes = example::bytes_of_file(folder / "out.h5.journal");
    const auto values = example::bytes_of_file(folder / "out.h5.partial");
    std::set<std::uint64_t> sizes = {1, whole - 1, whole, whole + 1, with_the_last - 1};
    for (std::uint64_t size = 0; size < with_the_last; size += 9) sizes.insert(size);
    for (const std::uint64_t size : sizes) {
        std::ofstream(folder / "out.h5.journal", std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(size));
        std::ofstream(folder / "out.h5.partial", std::ios::binary)
            .write(values.data(), static_cast<std::streamsize>(values.size()));
        Journal journal = resume(folder, 4);
        EXPECT_EQ(journal.finished(), size < whole ? Ranges{} : (Ranges{{2, 1}})) << "cut to " << size;
        if (size >= whole) {
            EXPECT_EQ(std::filesystem::file_size(folder / "out.h5.journal"), whole);
        }
        append(journal, {0, 2});
        expect_values(journal, {0, 2});
    }
}

TEST(Journal, LeavesOutARecordWithDamagedValuesAndKeepsThoseBehindIt) {
    const Folder folder;
    const Layout of_four = example::layout(4);
    {
        Journal journal = create(folder, 4);
        append(journal, {2, 1});
        append(journal, {0, 1});
        append(journal, {3, 1});
    }
    damage_values(folder, of_four, 0);
    {
        Journal journal = resume(folder, 4);
        EXPECT_EQ(journal.finished(), (Ranges{{2, 2}}));
        EXPECT_GE(journal.discarded().bytes, bytes_per_instance(of_four));
        EXPECT_TRUE(journal.discarded().is_damage);
        append(journal, {0, 2});
        expect_values(journal, {0, 4});
    }
    // Computed again, the values match the record that was left out: it is told of once.
    Journal journal = resume(folder, 4);
    EXPECT_EQ(journal.discarded().bytes, 0u);
    expect_values(journal, {0, 4});
}

TEST(Journal, WhoseValuesHaveGoneBeginsAnew) {
    for (const bool is_short : {false, true}) {
        const Folder folder;
        {
            Journal journal = create(folder, 33);
            append(journal, {0, 33});
        }
        if (is_short)
            std::filesystem::resize_file(folder / "out.h5.partial", 1000);
        else
            std::filesystem::remove(folder / "out.h5.partial");
        Journal journal = resume(folder, 33);
        EXPECT_TRUE(journal.finished().empty());
        EXPECT_TRUE(journal.discarded().is_damage);
        example::append_all_missing(journal, 10);
        expect_values(journal, {0, 33});
        assemble(journal, example::fixed(), example::attributes());
        EXPECT_EQ(example::difference(example::bytes_of_file(folder / "out.h5"), example::undisturbed_result(33)), "");
    }
}

// Bytes that went missing, came in or changed anywhere cost the records they are in and no others.
TEST(Journal, KeepsTheGoodRecordsAroundAnyDamage) {
    constexpr std::uint64_t records = 7;
    const Folder folder;
    std::vector<std::uint64_t> ends;
    {
        Journal journal = create(folder, records * 31);
        for (std::uint64_t record = 0; record < records; ++record) {
            ends.push_back(std::filesystem::file_size(folder / "out.h5.journal"));
            append(journal, {record * 31, 31});
        }
        ends.push_back(std::filesystem::file_size(folder / "out.h5.journal"));
    }
    const auto right = example::bytes_of_file(folder / "out.h5.journal");
    constexpr std::size_t record_bytes = 40;
    for (std::uint64_t hit = 0; hit < records; ++hit)
        for (const std::size_t inside : {std::size_t{0}, std::size_t{9}, std::size_t{20}, record_bytes - 6})
            for (const int change : {-1, 0, 1}) {
                auto bytes = right;
                const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(ends[hit] + inside);
                if (change < 0) bytes.erase(at, at + 5);
                if (change == 0) *at ^= 0x10;
                if (change > 0) bytes.insert(at, 3, 'x');
                std::ofstream(folder / "out.h5.journal", std::ios::binary)
                    .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
                Journal journal = resume(folder, records * 31);
                // Bytes put in before it harm no record.
                const bool whole = change > 0 && inside == 0;
                const std::uint64_t kept = whole ? records : records - 1;
                EXPECT_EQ(journal.finished_instances(), kept * 31) << hit << ' ' << inside << ' ' << change;
                EXPECT_GT(journal.discarded().bytes, 0u);
                for (const InstanceRange& range : journal.finished()) expect_values(journal, range);
                example::append_all_missing(journal, 100);
                expect_values(journal, {0, records * 31});
            }
}

TEST(Journal, TellsARecordThatAKillCutOffFromDamage) {
    const Folder folder;
    {
        Journal journal = create(folder, 62);
        append(journal, {0, 31});
        append(journal, {31, 31});
    }
    const auto right = example::bytes_of_file(folder / "out.h5.journal");
    const auto resumed_with = [&](const std::vector<char>& bytes) {
        std::ofstream(folder / "out.h5.journal", std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        Journal journal = resume(folder, 62);
        EXPECT_EQ(journal.finished(), (Ranges{{0, 31}}));
        EXPECT_GT(journal.discarded().bytes, 0u);
        return journal.discarded();
    };
    EXPECT_FALSE(resumed_with({right.begin(), right.end() - 1}).is_damage);
    auto flipped = right;
    flipped.back() ^= 1;
    EXPECT_TRUE(resumed_with(flipped).is_damage);
}

std::string shorter_goes_on(const RunIdentity& theirs, const RunIdentity& ours) {
    return theirs.instances.count <= ours.instances.count ? "" : "a run only grows";
}

TEST(Journal, OfTheFirstInstancesBecomesOneOfAll) {
    const Folder folder;
    const Fingerprint longer{"0123456789abcdef0123456789abcdef", "another text of another length"};
    {
        Journal journal = create(folder, 33);
        append(journal, {1, 31});
    }
    {
        Journal journal = Journal::resume(folder / "out.h5", longer, example::layout(1000), shorter_goes_on);
        EXPECT_EQ(journal.finished(), (Ranges{{1, 31}}));
        append(journal, {900, 100});
    }
    {
        Journal journal = Journal::resume(folder / "out.h5", longer, example::layout(1000));
        EXPECT_EQ(journal.finished(), (Ranges{{1, 31}, {900, 100}}));
        expect_values(journal, {1, 31});
    }
    const std::string error =
        error_of([&] { Journal::resume(folder / "out.h5", fingerprint, example::layout(33), shorter_goes_on); });
    EXPECT_EQ(error.substr(0, 2), "1 ");
    EXPECT_NE(error.find("a run only grows"), std::string::npos) << error;
}

TEST(Journal, OfARangeIsNotThatOfAnother) {
    const Folder folder;
    Layout range = example::layout(33);
    range.first_instance = 100, range.study_instances = 1000;
    {
        Journal journal = Journal::create(folder / "out.h5", fingerprint, range, IfPresent::refuse);
        append(journal, {0, 33});
    }
    for (Layout other : {example::layout(33), range, range}) {
        if (other.first_instance == range.first_instance) other.first_instance += 1;
        const std::string error = error_of([&] { Journal::resume(folder / "out.h5", fingerprint, other); });
        EXPECT_EQ(error.substr(0, 2), "1 ");
        EXPECT_NE(error.find("instances 100 to 132"), std::string::npos) << error;
    }
    EXPECT_EQ(Journal::resume(folder / "out.h5", fingerprint, range).finished_instances(), 33u);
}

TEST(Journal, BelongsToOneStudy) {
    const Folder folder;
    { Journal journal = create(folder, 33); }
    const Fingerprint other{"ffeeddccbbaa99887766554433221100", "study example.json, seed 8, myriad 0.1.0"};
    const std::string error = error_of([&] { Journal::resume(folder / "out.h5", other, example::layout(33)); });
    EXPECT_EQ(error.substr(0, 2), "1 ");
    for (const auto& part : {fingerprint.hash, fingerprint.description, other.hash, other.description,
                             (folder / "out.h5.journal").string()})
        EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_NE(error_of([&] { resume(folder, 34); }).find("instances 0 to 32, this run has 0 to 33"), std::string::npos);
    Layout other_columns = example::layout(33);
    other_columns.columns.pop_back();
    EXPECT_NE(
        error_of([&] { Journal::resume(folder / "out.h5", fingerprint, other_columns); }).find("has other columns"),
        std::string::npos);
    EXPECT_EQ(error_of([&] { resume(folder, 33); }), "no error");
}

TEST(Journal, BeginsWhereThereIsNoneToResume) {
    const Folder folder;
    Journal journal = resume(folder, 33);
    EXPECT_TRUE(journal.finished().empty());
    append(journal, {0, 33});
    expect_values(journal, {0, 33});
}

TEST(Journal, WithFinishedInstancesIsReplacedOnlyWhenTold) {
    const Folder folder;
    { create(folder, 33); }
    {
        Journal journal = create(folder, 33);
        append(journal, {0, 3});
    }
    const std::string error = error_of([&] { create(folder, 33); });
    EXPECT_NE(error.find("an unfinished run is there already: " + fingerprint.description), std::string::npos);
    EXPECT_NE(error.find("--resume"), std::string::npos);
    EXPECT_EQ(resume(folder, 33).finished_instances(), 3u);
    Journal::create(folder / "out.h5", fingerprint, example::layout(33), IfPresent::replace);
    EXPECT_EQ(resume(folder, 33).finished_instances(), 0u);
}

TEST(Journal, NeverTouchesAFileThatIsNotAJournal) {
    const Folder folder;
    const std::string diary = "Dear diary, today I simulated a million tops.";
    std::ofstream(folder / "out.h5.journal") << diary;
    for (const auto& error :
         {error_of([&] { Journal::create(folder / "out.h5", fingerprint, example::layout(1), IfPresent::replace); }),
          error_of([&] { resume(folder, 1); })})
        EXPECT_NE(error.find("is not a journal of Myriad"), std::string::npos) << error;
    const auto bytes = example::bytes_of_file(folder / "out.h5.journal");
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), diary);
}

TEST(Journal, WithADamagedHeadOrOfAnotherFormatIsRefusedNotErased) {
    const Folder folder;
    {
        Journal journal = create(folder, 3);
        append(journal, {0, 3});
    }
    const auto right = example::bytes_of_file(folder / "out.h5.journal");
    const auto error_with_flipped_bit_at = [&](std::size_t at) {
        auto bytes = right;
        bytes[at] ^= 2;
        std::ofstream(folder / "out.h5.journal", std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        const std::string error = error_of([&] { resume(folder, 3); });
        EXPECT_EQ(example::bytes_of_file(folder / "out.h5.journal"), bytes);
        return error;
    };
    EXPECT_NE(error_with_flipped_bit_at(8).find("has format 1, this program reads format 3"), std::string::npos);
    EXPECT_NE(error_with_flipped_bit_at(17).find("damaged"), std::string::npos);
    const std::string in_the_text = fingerprint.description;
    const auto at = std::search(right.begin(), right.end(), in_the_text.begin(), in_the_text.end()) - right.begin();
    EXPECT_NE(error_with_flipped_bit_at(static_cast<std::size_t>(at)).find("damaged"), std::string::npos);
}

TEST(Journal, IsWrittenByOneRunAtATime) {
    const Folder folder;
    Journal journal = create(folder, 33);
    const auto from_another_process = [&](auto open) {
        return example::in_child([&] { return error_of([&] { open(); }); });
    };
    for (const auto& error :
         {from_another_process([&] { create(folder, 33); }), from_another_process([&] { resume(folder, 33); })}) {
        EXPECT_EQ(error.substr(0, 2), "4 ");
        EXPECT_NE(error.find("another run is writing this journal"), std::string::npos) << error;
    }
}

TEST(Journal, SaysWhyItCannotBeWritten) {
    const Folder folder;
    const auto error_at = [&](const std::filesystem::path& path) {
        return error_of([&] { Journal::create(path, fingerprint, example::layout(1), IfPresent::refuse); });
    };
    std::ofstream(folder / "file") << "x";
    std::filesystem::create_directory(folder / "folder");
    std::filesystem::create_directory(folder / "out.h5.journal");
    EXPECT_NE(error_at(folder / "missing/out.h5").find("missing' does not exist"), std::string::npos);
    EXPECT_NE(error_at(folder / "missing/out.h5").find("create it or choose another --out"), std::string::npos);
    EXPECT_NE(error_at(folder / "file/out.h5").find("Not a directory"), std::string::npos);
    EXPECT_NE(error_at(folder / "folder").find("this is a folder"), std::string::npos);
    EXPECT_NE(error_at(folder / "folder/").find("this is a folder"), std::string::npos);
    EXPECT_NE(error_at(folder / "out.h5").find("this is a folder"), std::string::npos);
    EXPECT_NE(error_at(folder / "file").find("there already"), std::string::npos);
    for (const auto& path : {folder / "missing/out.h5", folder / "folder", folder / "out.h5"})
        EXPECT_EQ(error_at(path).substr(0, 2), "4 ");
}

TEST(Journal, SaysThatAFolderIsReadOnly) {
    const Folder folder;
    const std::string answer = example::in_child([&]() -> std::string {
        if (const auto refused = example::mount_in_memory(folder.path().string(), "size=1m", MS_RDONLY))
            return "skip: " + *refused;
        return error_of([&] { create(folder, 1); });
    });
    if (answer.starts_with("skip: ")) GTEST_SKIP() << "mounting is not permitted here: " << answer;
    EXPECT_NE(answer.find("is not permitted: Read-only file system"), std::string::npos) << answer;
    EXPECT_NE(answer.find("choose another --out"), std::string::npos) << answer;
}

}  // namespace
}  // namespace myriad::results
