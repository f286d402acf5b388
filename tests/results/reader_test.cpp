#include "host/results/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::error_of;
using example::fingerprint;
using example::Folder;

std::filesystem::path write_example(const Folder& folder, std::uint64_t instances) {
    Journal journal = Journal::create(folder / "out.h5", fingerprint, example::layout(instances), IfPresent::refuse);
    example::append(journal, {0, instances});
    assemble(journal, example::fixed(), example::attributes());
    return folder / "out.h5";
}

TEST(Reader, ReadsTheRowsOfOneInstance) {
    const Folder folder;
    const Reader reader(write_example(folder, 1000));
    const Layout layout = example::layout(1000);
    for (const std::uint64_t instance : {0u, 31u, 33u, 999u}) {
        const auto position = reader.read_rows<double>("/trajectory/position", instance, 1);
        const auto expected = example::values(layout, 6, {instance, 1});
        ASSERT_EQ(position.size(), example::times * example::bodies * 3);
        EXPECT_EQ(std::memcmp(position.data(), expected.data(), expected.size()), 0);
    }
    EXPECT_EQ(reader.read_rows<std::int64_t>("/instance/id", 31, 3), (std::vector<std::int64_t>{31, 32, 33}));
    EXPECT_TRUE(reader.read_rows<double>("/trajectory/time", 5, 0).empty());
}

TEST(Reader, ListsDatasetsAndTheirTypes) {
    const Folder folder;
    const Reader reader(write_example(folder, 3));
    std::vector<std::string> expected;
    for (const Column& column : example::layout(3).columns) {
        expected.push_back(column.path);
        EXPECT_EQ(reader.type(column.path), column.type);
    }
    for (const FixedDataset& dataset : example::fixed()) expected.push_back(dataset.path);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(reader.datasets(), expected);
    EXPECT_EQ(reader.type("/axes/body"), std::nullopt);
    EXPECT_TRUE(reader.has("/instance/id"));
    EXPECT_FALSE(reader.has("/instance/identity"));
    EXPECT_FALSE(reader.has("/nothing/there"));
}

TEST(Reader, WidensButNeverNarrows) {
    const Folder folder;
    const Reader reader(write_example(folder, 33));
    const auto status = reader.read<std::int32_t>("/instance/status");
    EXPECT_EQ(reader.read<double>("/instance/status"), std::vector<double>(status.begin(), status.end()));
    EXPECT_EQ(reader.read<std::int64_t>("/instance/status"), std::vector<std::int64_t>(status.begin(), status.end()));
    EXPECT_NE(error_of([&] { reader.read<float>("/state/final/position"); }).find("another type"), std::string::npos);
    EXPECT_NE(error_of([&] { reader.read<std::int32_t>("/instance/id"); }).find("another type"), std::string::npos);
    EXPECT_NE(error_of([&] { reader.read<double>("/axes/body"); }).find("another type"), std::string::npos);
    EXPECT_NE(error_of([&] { reader.read_texts("/instance/id"); }).find("holds numbers"), std::string::npos);
}

TEST(Reader, SaysWhatIsNotThere) {
    const Folder folder;
    const Reader reader(write_example(folder, 33));
    const std::string out = (folder / "out.h5").string();
    for (const char* name : {"/trajectory/velocity", "/trajectory", "trajectory/time", "/", "", "/instance/id/x"})
        EXPECT_EQ(error_of([&] { reader.read<double>(name); }).find("1 " + out + ": there is no dataset '" + name), 0u)
            << name;
    EXPECT_EQ(error_of([&] {
                  reader.read_rows<std::int64_t>("/instance/id", 33, 1);
              }).find("1 " + out + ": dataset '/instance/id' has 33 rows, and no row 33"),
              0u);
    EXPECT_NE(error_of([&] { reader.attributes("/nothing"); }), "no error");
}

TEST(Reader, RefusesFilesThatAreNotResults) {
    const Folder folder;
    const auto error_for = [](const std::filesystem::path& path) { return error_of([&] { Reader reader(path); }); };
    std::ofstream(folder / "text.h5") << "not HDF5";
    std::filesystem::create_directory(folder / "folder.h5");
    std::ofstream(folder / "running.h5.journal") << "x";
    EXPECT_NE(error_for(folder / "text.h5").find("text.h5: this is no HDF5 file"), std::string::npos);
    EXPECT_NE(error_for(folder / "missing.h5").find("there is no such file"), std::string::npos);
    EXPECT_NE(error_for(folder / "folder.h5").find("this is a folder"), std::string::npos);
    EXPECT_NE(error_for(folder / "running.h5").find("the run is not finished"), std::string::npos);
    for (const char* name : {"text.h5", "missing.h5", "folder.h5", "running.h5"})
        EXPECT_EQ(error_for(folder / name).substr(0, 2), "1 ");
}

// Texts of variable length stand in the file as they are, without a checksum around them.
TEST(Reader, RefusesTheHdf5FileOfAnotherProgram) {
    const Folder folder;
    auto bytes = example::bytes_of_file(write_example(folder, 33));
    const std::string ours = "myriad result", theirs = "cohort result";
    const auto at = std::search(bytes.begin(), bytes.end(), ours.begin(), ours.end());
    ASSERT_NE(at, bytes.end());
    std::copy(theirs.begin(), theirs.end(), at);
    std::ofstream(folder / "theirs.h5", std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    EXPECT_NE(error_of([&] { Reader reader(folder / "theirs.h5"); }).find("not a result of Myriad"), std::string::npos);
    EXPECT_FALSE(identity_of(folder / "theirs.h5"));
    EXPECT_EQ(identity_of(folder / "out.h5")->fingerprint.hash, fingerprint.hash);
}

// Numbers have a checksum around them, so another program that writes HDF5 has to change them.
TEST(Reader, RefusesAnotherSchemaVersion) {
    const Folder folder;
    const std::string path = write_example(folder, 33).string();
    const std::string change = "/usr/bin/python3 -c \"import h5py; h5py.File('" + path +
                               "', 'r+').attrs.modify('schema_version', 2)\" 2>/dev/null";
    if (std::system(change.c_str()) != 0) GTEST_SKIP() << "h5py, which is to change the version, is not installed";
    EXPECT_EQ(error_of([&] {
                  Reader reader(path);
              }).find("1 " + path + ": the file has schema version 2, this program reads version 1"),
              0u);
}

TEST(Reader, ReportsATruncatedFile) {
    const Folder folder;
    const auto path = write_example(folder, 1000);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    const std::string error = error_of([&] { Reader reader(path); });
    EXPECT_EQ(error.substr(0, 2), "1 ");
    EXPECT_NE(error.find("damaged: HDF5 says: "), std::string::npos) << error;
}

}  // namespace
}  // namespace myriad::results
