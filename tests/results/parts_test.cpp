// Results of ranges put together, by copies and by links.
#include <gtest/gtest.h>

#include "host/results/reader.hpp"
#include "host/results/stored_instances.hpp"
#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::error_of;
using example::fingerprint;
using example::Folder;

constexpr std::uint64_t divided_instances = 1000;
const std::vector<InstanceRange> cuts = {{0, 1}, {1, 31}, {32, 33}, {65, 935}};

Layout layout_of(InstanceRange range) {
    Layout layout = example::layout(range.count);
    layout.first_instance = range.first, layout.study_instances = divided_instances;
    return layout;
}

// Its rows are those of the whole study.
std::filesystem::path write_part(const Folder& folder, const std::string& name, InstanceRange range) {
    std::filesystem::create_directories((folder / name).parent_path());
    Journal journal = Journal::create(folder / name, fingerprint, layout_of(range), IfPresent::replace);
    std::vector<std::vector<std::byte>> columns;
    for (std::size_t c = 0; c < journal.layout().columns.size(); ++c)
        columns.push_back(example::values(journal.layout(), c, range));
    journal.append(0, range.count, {columns.begin(), columns.end()});
    assemble(journal, example::fixed(), example::attributes());
    return folder / name;
}

std::string name_of(InstanceRange range) { return "parts/50%b." + std::to_string(range.first) + ".h5"; }

StoredInstances stored_in(const Folder& folder) {
    std::vector<StoredInstances::Part> parts;
    for (const InstanceRange& range : cuts) parts.push_back({write_part(folder, name_of(range), range), range});
    return {layout_of({0, divided_instances}), parts};
}

std::vector<LinkedPart> links() {
    std::vector<LinkedPart> links;
    for (const InstanceRange& range : cuts) links.push_back({name_of(range), range});
    return links;
}

void expect_whole_study(const std::filesystem::path& file) {
    const StoredInstances stored(layout_of({0, divided_instances}), {{file, {0, divided_instances}}});
    for (std::size_t c = 0; c < stored.layout().columns.size(); ++c) {
        const auto expected = example::values(stored.layout(), c, {0, divided_instances});
        std::vector<std::byte> values(expected.size());
        stored.read(c, {0, divided_instances}, values);
        EXPECT_EQ(values, expected) << stored.layout().columns[c].path;
    }
}

TEST(Parts, GiveTheRowsOfTheWholeStudyAcrossTheirEnds) {
    const Folder folder;
    const StoredInstances stored = stored_in(folder);
    EXPECT_EQ(stored.finished(), (std::vector<InstanceRange>{{0, divided_instances}}));
    for (const InstanceRange range : {InstanceRange{0, 1}, {0, 33}, {31, 2}, {64, 100}, {0, divided_instances}})
        for (std::size_t c = 0; c < stored.layout().columns.size(); ++c) {
            const auto expected = example::values(stored.layout(), c, range);
            std::vector<std::byte> values(expected.size());
            stored.read(c, range, values);
            EXPECT_EQ(values, expected) << text_of(range);
        }
}

// The bytes of a file depend on its values alone, so a copy is the file of one run.
TEST(Parts, CopiedAreTheFileOfOneRun) {
    const Folder folder;
    write_result(folder / "all.h5", stored_in(folder), fingerprint, example::fixed(), example::attributes());
    EXPECT_EQ(
        example::difference(example::bytes_of_file(folder / "all.h5"), example::undisturbed_result(divided_instances)),
        "");
}

TEST(Parts, LinkedReadAsTheWholeStudy) {
    const Folder folder;
    write_result(folder / "all.h5", stored_in(folder), fingerprint, example::fixed(), example::attributes(), links());
    expect_whole_study(folder / "all.h5");
    EXPECT_LT(std::filesystem::file_size(folder / "all.h5"), std::filesystem::file_size(folder / name_of(cuts[3])));
    // The folder may move as a whole.
    std::filesystem::create_directory(folder / "moved");
    std::filesystem::rename(folder / "parts", folder / "moved/parts");
    std::filesystem::rename(folder / "all.h5", folder / "moved/all.h5");
    expect_whole_study(folder / "moved/all.h5");
}

// HDF5 would give fill values for what has gone.
TEST(Parts, ThatAreNoLongerThereOrOthersAreNamed) {
    const Folder folder;
    write_result(folder / "all.h5", stored_in(folder), fingerprint, example::fixed(), example::attributes(), links());
    const auto part = folder / name_of(cuts[1]);
    const auto error = [&] { return error_of([&] { Reader reader(folder / "all.h5"); }); };
    EXPECT_EQ(error(), "no error");
    std::filesystem::rename(part, folder / "elsewhere.h5");
    EXPECT_NE(error().find("'" + name_of(cuts[1]) + "' is not there"), std::string::npos) << error();
    std::filesystem::copy_file(folder / name_of(cuts[2]), part);
    EXPECT_NE(error().find("holds instances 32 to 64 by now"), std::string::npos) << error();
    std::filesystem::remove(part);
    Journal journal = Journal::create(part, {"of another run", ""}, layout_of(cuts[1]), IfPresent::refuse);
    example::append(journal, {0, cuts[1].count});
    assemble(journal, example::fixed(), example::attributes());
    EXPECT_NE(error().find("is of another run by now"), std::string::npos) << error();
    EXPECT_EQ(error().substr(0, 2), "1 ");
}

TEST(Parts, OutsideOfTheFolderAreNotFollowed) {
    const Folder folder, other;
    const auto outside = write_part(other, "0.h5", {0, divided_instances});
    const StoredInstances stored(layout_of({0, divided_instances}), {{outside, {0, divided_instances}}});
    const auto error_with = [&](const std::string& path) {
        std::error_code ignored;
        std::filesystem::remove(folder / "all.h5", ignored);
        write_result(folder / "all.h5", stored, fingerprint, example::fixed(), example::attributes(),
                     {{path, {0, divided_instances}}});
        return error_of([&] { Reader reader(folder / "all.h5"); });
    };
    EXPECT_NE(error_with(outside.string()).find("is not in the folder"), std::string::npos);
    EXPECT_NE(error_with("../" + outside.parent_path().filename().string() + "/0.h5").find("is not in the folder"),
              std::string::npos);
    std::filesystem::create_symlink(outside, folder / "link.h5");
    EXPECT_NE(error_with("link.h5").find("leads out of the folder"), std::string::npos);
    std::filesystem::copy_file(outside, folder / "inside.h5");
    EXPECT_EQ(error_with("inside.h5"), "no error");
}

// A link to a link could lead anywhere.
TEST(Parts, ThatAreLinksThemselvesAreNotFollowed) {
    const Folder folder;
    const StoredInstances stored = stored_in(folder);
    write_result(folder / "all.h5", stored, fingerprint, example::fixed(), example::attributes(), links());
    write_result(folder / "again.h5", stored, fingerprint, example::fixed(), example::attributes(),
                 {{"all.h5", {0, divided_instances}}});
    EXPECT_NE(error_of([&] { Reader reader(folder / "again.h5"); }).find("shows values of other files itself"),
              std::string::npos);
}

TEST(Parts, WithOtherColumnsAreRefused) {
    const Folder folder;
    const auto file = write_part(folder, "0.h5", {0, divided_instances});
    for (const int change : {0, 1, 2}) {
        Layout other = layout_of({0, divided_instances});
        if (change == 0) other.columns[3].type = ElementType::float32;
        if (change == 1) other.columns[4].shape_per_instance = {3, example::bodies};
        if (change == 2) other.columns[5].path = "/quantities/another";
        const std::string error = error_of([&] { StoredInstances(other, {{file, {0, divided_instances}}}); });
        EXPECT_EQ(error.substr(0, 2), "1 ") << change;
    }
}

}  // namespace
}  // namespace myriad::results
