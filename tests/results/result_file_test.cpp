#include "host/results/result_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <stdexcept>

#include "host/results/reader.hpp"
#include "host/results/result_format.hpp"
#include "tests/results/example_run.hpp"

namespace myriad::results {
namespace {

using example::append;
using example::error_of;
using example::fingerprint;
using example::Folder;

template <class T>
std::vector<std::byte> stored_bytes(const Reader& reader, const std::string& path) {
    const std::vector<T> values = reader.read<T>(path);
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

TEST(ResultFile, HoldsTheBitsOfEveryColumn) {
    for (const std::uint64_t instances : {1u, 31u, 33u, 1000u}) {
        const Folder folder;
        const Layout layout = example::layout(instances);
        Journal journal = Journal::create(folder / "out.h5", fingerprint, layout, IfPresent::refuse);
        append(journal, {0, instances});
        assemble(journal, example::fixed(), example::attributes());
        const Reader reader(folder / "out.h5");
        EXPECT_EQ(reader.instances(), instances);
        for (std::size_t c = 0; c < layout.columns.size(); ++c) {
            const Column& column = layout.columns[c];
            const auto expected = example::values(layout, c, {0, instances});
            const auto stored = column.type == ElementType::float64   ? stored_bytes<double>(reader, column.path)
                                : column.type == ElementType::float32 ? stored_bytes<float>(reader, column.path)
                                : column.type == ElementType::int64   ? stored_bytes<std::int64_t>(reader, column.path)
                                                                      : stored_bytes<std::int32_t>(reader, column.path);
            EXPECT_EQ(stored, expected) << column.path << " of " << instances;
            auto shape = column.shape_per_instance;
            shape.insert(shape.begin(), instances);
            EXPECT_EQ(reader.shape(column.path), shape);
        }
    }
}

TEST(ResultFile, IsTheSameFileHoweverTheRunWasCut) {
    constexpr std::uint64_t instances = 3000;
    const auto undisturbed = example::undisturbed_result(instances);
    for (const std::uint64_t chunk : {1u, 33u, 1000u}) {
        const Folder folder;
        {
            Journal journal =
                Journal::create(folder / "out.h5", fingerprint, example::layout(instances), IfPresent::refuse);
            auto ranges = journal.missing(chunk);
            std::shuffle(ranges.begin(), ranges.end(), std::mt19937(7));
            ranges.resize(ranges.size() / 2);
            for (const InstanceRange& range : ranges) append(journal, range);
        }
        Journal journal = Journal::resume(folder / "out.h5", fingerprint, example::layout(instances));
        example::append_all_missing(journal, 70);
        assemble(journal, example::fixed(), example::attributes());
        EXPECT_EQ(example::difference(example::bytes_of_file(folder / "out.h5"), undisturbed), "")
            << "chunks of " << chunk;
    }
}

// Blocks of 64 MiB are crossed: several blocks, an instance larger than a block.
TEST(ResultFile, OfManyBlocksHoldsEveryRow) {
    struct Case {
        std::uint64_t instances, doubles;
    };
    for (const Case& with : {Case{40, 700'000}, Case{9, 100'001}, Case{2, 9'000'000}}) {
        const Folder folder;
        const Layout layout{
            with.instances,
            {{"/instance/id", ElementType::int64}, {"/trajectory/x", ElementType::float64, {with.doubles, 1}}}};
        const auto value = [](std::uint64_t instance, std::uint64_t element) {
            return static_cast<double>(instance) + static_cast<double>(element) * 1e-3;
        };
        const auto row = [&](std::uint64_t instance) {
            std::vector<double> values(with.doubles);
            for (std::uint64_t e = 0; e < with.doubles; ++e) values[e] = value(instance, e);
            return values;
        };
        Journal journal = Journal::create(folder / "out.h5", fingerprint, layout, IfPresent::refuse);
        for (std::uint64_t i = with.instances; i-- > 0;) {
            const auto id = static_cast<std::int64_t>(i);
            const auto values = row(i);
            journal.append(i, 1, {std::as_bytes(std::span(&id, 1)), std::as_bytes(std::span(values))});
        }
        assemble(journal, {}, {});
        const Reader reader(folder / "out.h5");
        for (std::uint64_t i = 0; i < with.instances; ++i) {
            EXPECT_EQ(reader.read_rows<std::int64_t>("/instance/id", i, 1).at(0), static_cast<std::int64_t>(i));
            EXPECT_TRUE(reader.read_rows<double>("/trajectory/x", i, 1) == row(i)) << "row " << i;
        }
    }
}

// Chunks of several instances of which the last is not full, of one instance, and of one that spans several blocks;
// read by HDF5's own filters.
TEST(ResultFile, ReadsTheSameCompressedOrNot) {
    struct Case {
        std::uint64_t instances, doubles;
    };
    for (const Case& with : {Case{33, 1000}, Case{1000, 31}, Case{5, 40'000}, Case{3, 9'000'000}, Case{70'001, 1}}) {
        SCOPED_TRACE(std::to_string(with.instances) + " x " + std::to_string(with.doubles));
        Layout layout{
            with.instances,
            {{"/instance/id", ElementType::int64}, {"/trajectory/x", ElementType::float64, {with.doubles, 1}}}};
        layout.compression = 1;
        std::vector<std::int64_t> id(with.instances);
        std::vector<double> values(with.instances * with.doubles);
        for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::int64_t>(3 * i);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e-3 * static_cast<double>(i % 1009);
        const Folder folder;
        Journal journal = Journal::create(folder / "out.h5", fingerprint, layout, IfPresent::refuse);
        journal.append(0, with.instances, {std::as_bytes(std::span(id)), std::as_bytes(std::span(values))});
        assemble(journal, {}, {});
        const Reader reader(folder / "out.h5");
        EXPECT_TRUE(reader.read<std::int64_t>("/instance/id") == id);
        EXPECT_TRUE(reader.read<double>("/trajectory/x") == values);
        EXPECT_LT(std::filesystem::file_size(folder / "out.h5"), sizeof(double) * values.size() + (64u << 10));
    }
}

// HDF5's list of so many chunks would take more time than the values.
TEST(ResultFile, TakesFewBytesBesideItsValuesHoweverManyTheyAre) {
    constexpr std::uint64_t instances = 20'000'000, rows = 1000, most_bytes = 16 << 10;
    const Layout layout{instances,
                        {{"/instance/id", ElementType::int64}, {"/trajectory/x", ElementType::float64, {rows, 3}}}};
    const Frame frame = format_of("out.h5").frame(layout, {}, {}, "out.h5.partial", "");
    std::uint64_t beside = 0;
    for (const Frame::Part& part : frame.parts) beside += part.bytes.size();
    EXPECT_LT(beside, most_bytes);
    EXPECT_EQ(frame.file_bytes, instances * bytes_per_instance(layout) + beside);
}

TEST(ResultFile, CarriesAttributesNamesAndScales) {
    const Folder folder;
    Journal journal = Journal::create(folder / "out.h5", fingerprint, example::layout(33), IfPresent::refuse);
    append(journal, {0, 33});
    assemble(journal, example::fixed(), example::attributes());
    const Reader reader(folder / "out.h5");
    Attributes root = example::attributes();
    root["format"] = "myriad result";
    root["schema_version"] = std::int64_t{1};
    root["instances"] = root["study_instances"] = std::int64_t{33};
    root["first_instance"] = std::int64_t{0};
    root["study_fingerprint"] = fingerprint.hash;
    root["study_description"] = fingerprint.description;
    EXPECT_EQ(reader.attributes(), root);
    EXPECT_EQ(reader.attributes("/instance/status"), example::layout(1).columns[1].attributes);
    EXPECT_EQ(reader.attributes("/trajectory/time"), (Attributes{{"unit", "s"}}));
    EXPECT_EQ(
        reader.dimensions("/trajectory/position"),
        (std::vector<Dimension>{
            {"instance", "/instance/id"}, {"time", "/trajectory/time"}, {"body", "/axes/body"}, {"component", ""}}));
    EXPECT_EQ(reader.dimensions("/instance/id"), (std::vector<Dimension>{{"instance", ""}}));
    EXPECT_EQ(reader.read_texts("/axes/body"), (std::vector<std::string>{"top", "größe"}));
    EXPECT_EQ(reader.read<double>("/statistics/reach_m/quantiles"), (std::vector<double>{0.05, 1.5, 0.95, 2.5}));
    EXPECT_EQ(reader.read<std::int64_t>("/statistics/excluded"), (std::vector<std::int64_t>{3}));
}

TEST(ResultFile, NeedsEveryInstance) {
    const Folder folder;
    Journal journal = Journal::create(folder / "out.h5", fingerprint, example::layout(33), IfPresent::refuse);
    append(journal, {0, 32});
    EXPECT_THROW(assemble(journal, example::fixed(), {}), std::logic_error);
    append(journal, {32, 1});
    assemble(journal, example::fixed(), {});
    EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.journal"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.partial"));
}

TEST(ResultFile, IsReplacedOnlyWhenToldAndOnlyByACompleteOne) {
    const Folder folder;
    const auto out = folder / "out.h5";
    std::ofstream(out) << "precious";
    EXPECT_NE(error_of([&] {
                  Journal::create(out, fingerprint, example::layout(33), IfPresent::refuse);
              }).find("a file of this name is there already"),
              std::string::npos);
    const std::string why = error_of([&] { Journal::resume(out, fingerprint, example::layout(33)); });
    EXPECT_NE(why.find("there is no unfinished run, and what stands there cannot be gone on with: this is no HDF5"),
              std::string::npos)
        << why;
    EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.journal"));
    {
        Journal journal = Journal::create(out, fingerprint, example::layout(33), IfPresent::replace);
        append(journal, {0, 20});
    }
    EXPECT_EQ(std::filesystem::file_size(out), 8u);
    Journal journal = Journal::resume(out, fingerprint, example::layout(33));
    append(journal, {20, 13});
    assemble(journal, example::fixed(), example::attributes());
    EXPECT_EQ(example::difference(example::bytes_of_file(out), example::undisturbed_result(33)), "");
}

TEST(ResultFile, DoesNotReplaceAFileThatAppearedDuringTheRun) {
    const Folder folder;
    const auto out = folder / "out.h5";
    {
        Journal journal = Journal::create(out, fingerprint, example::layout(33), IfPresent::refuse);
        append(journal, {0, 33});
        std::ofstream(out) << "precious";
        EXPECT_NE(error_of([&] { assemble(journal, example::fixed(), {}); }).find("appeared during the run"),
                  std::string::npos);
    }
    EXPECT_NE(
        error_of([&] { Journal::resume(out, fingerprint, example::layout(33)); }).find("is not the result of this run"),
        std::string::npos);
    EXPECT_EQ(std::filesystem::file_size(out), 8u);
    std::filesystem::remove(out);
    Journal journal = Journal::resume(out, fingerprint, example::layout(33));
    assemble(journal, example::fixed(), example::attributes());
    EXPECT_EQ(example::difference(example::bytes_of_file(out), example::undisturbed_result(33)), "");
}

TEST(ResultFile, ThatCannotTakeItsPlaceKeepsTheJournal) {
    for (const int compression : {0, 1}) {
        const Folder folder;
        Layout layout = example::layout(1000);
        layout.compression = compression;
        Journal journal = Journal::create(folder / "out.h5", fingerprint, layout, IfPresent::refuse);
        append(journal, {0, 1000});
        const auto place = folder / (compression ? "out.h5.partial2" : "out.h5");
        std::filesystem::create_directory(place);
        const std::string error = error_of([&] { assemble(journal, example::fixed(), example::attributes()); });
        EXPECT_EQ(error.find("4 " + place.string() + ": this is a folder"), 0u) << error;
        EXPECT_NE(error.find("run again with --resume"), std::string::npos);
        std::filesystem::remove(place);
        assemble(journal, example::fixed(), example::attributes());
        EXPECT_EQ(Reader(folder / "out.h5").instances(), 1000u);
        for (const char* suffix : {".journal", ".partial", ".partial2"})
            EXPECT_FALSE(std::filesystem::exists(folder / (std::string("out.h5") + suffix))) << suffix;
    }
}

// A kill after the renaming and before the removal of the journal leaves both.
TEST(ResultFile, BesideItsOwnCompleteJournalIsFinishedByResume) {
    const Folder folder;
    const auto out = folder / "out.h5";
    {
        Journal journal = Journal::create(out, fingerprint, example::layout(33), IfPresent::refuse);
        append(journal, {0, 33});
        std::filesystem::copy_file(folder / "out.h5.journal", folder / "kept");
        assemble(journal, example::fixed(), example::attributes());
    }
    std::filesystem::rename(folder / "kept", folder / "out.h5.journal");
    EXPECT_TRUE(Journal::remove_behind_result(out));
    EXPECT_FALSE(Journal::remove_behind_result(out));
    EXPECT_EQ(example::difference(example::bytes_of_file(out), example::undisturbed_result(33)), "");
    EXPECT_FALSE(std::filesystem::exists(folder / "out.h5.journal"));
}

// The journal of a run that is still to replace the result is not removed.
TEST(ResultFile, ThatARunIsToReplaceLeavesItsJournalAlone) {
    const Folder folder;
    const auto out = folder / "out.h5";
    for (const IfPresent if_present : {IfPresent::refuse, IfPresent::replace}) {
        Journal journal = Journal::create(out, fingerprint, example::layout(33), if_present);
        append(journal, {0, 33});
        if (if_present == IfPresent::refuse) assemble(journal, example::fixed(), example::attributes());
    }
    EXPECT_FALSE(Journal::remove_behind_result(out));
    EXPECT_EQ(Journal::resume(out, fingerprint, example::layout(33)).finished_instances(), 33u);
}

TEST(ResultFile, OfCompressedColumnsIsTheSameHoweverTheRunWasCut) {
    Layout layout = example::layout(3000);
    layout.compression = 4;
    std::vector<char> undisturbed;
    for (const std::uint64_t chunk : {3000u, 33u}) {
        const Folder folder;
        Journal journal = Journal::create(folder / "out.h5", fingerprint, layout, IfPresent::refuse);
        example::append_all_missing(journal, chunk);
        assemble(journal, example::fixed(), example::attributes());
        if (undisturbed.empty()) undisturbed = example::bytes_of_file(folder / "out.h5");
        EXPECT_EQ(example::difference(example::bytes_of_file(folder / "out.h5"), undisturbed), "");
    }
}

}  // namespace
}  // namespace myriad::results
