// Result files under the same demands as texts. HDF5 1.10 itself crashes over some damaged files and loops in others:
// what it does in the child process that the reader sends ahead is its own fault, and only that the reader refuses the
// file then is asked here. Under libFuzzer such a child may leave a file of its input behind, although the run goes on.
#include <fstream>
#include <stdexcept>

#include "host/results/reader.hpp"
#include "tests/fuzz/objection.hpp"
#include "tests/fuzz/readers.hpp"
#include "tests/results/example_run.hpp"

namespace myriad::fuzz {
namespace {

// What report, replay and Python ask of any dataset. Returns its values, as bytes, to be compared.
std::string all_of(const results::Reader& reader, const std::string& name) {
    std::string all = std::to_string(reader.attributes(name).size());
    for (const results::Dimension& dimension : reader.dimensions(name)) all += dimension.name + dimension.scale;
    for (const std::uint64_t extent : reader.shape(name)) all += " " + std::to_string(extent);
    if (!reader.type(name)) {
        for (const std::string& text : reader.read_texts(name)) all += text;
        return all;
    }
    const std::vector<double> values = reader.read<double>(name);
    all.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    return all;
}

// Datasets that are refused count, too: as their refusal.
std::vector<std::string> contents(const results::Reader& reader) {
    std::vector<std::string> contents{reader.identity().fingerprint.hash, std::to_string(reader.instances())};
    for (const std::string& name : reader.datasets()) {
        try {
            contents.push_back(name + all_of(reader, name));
        } catch (const UserError& error) {
            if (const std::string wrong = objection_to_error(error); !wrong.empty()) throw std::runtime_error(wrong);
            contents.push_back(name + error.what());
        }
    }
    return contents;
}

std::string objection_to_result(std::string_view bytes) {
    return objection([&]() -> std::string {
        const results::example::Folder folder;
        const std::filesystem::path path = folder / "result.h5";
        std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        const std::vector<std::string> once = contents(results::Reader(path)), again = contents(results::Reader(path));
        return once == again ? "" : "another content when it is read again";
    });
}

std::vector<std::string> seeds_of_results() {
    using namespace results::example;
    std::vector<std::string> seeds;
    for (const std::uint64_t instances : {std::uint64_t{1}, std::uint64_t{33}}) {
        const Folder folder;
        auto journal =
            results::Journal::create(folder / "out.h5", fingerprint, layout(instances), results::IfPresent::refuse);
        append(journal, {0, instances});
        results::assemble(journal, fixed(), {{"seed", std::int64_t{7}}, {"device", ""}});
        const std::vector<char> bytes = bytes_of_file(folder / "out.h5");
        seeds.emplace_back(bytes.begin(), bytes.end());
    }
    return seeds;
}

const Reader of_files[] = {{"result", objection_to_result, seeds_of_results}};

}  // namespace

std::span<const Reader> file_readers() { return of_files; }

}  // namespace myriad::fuzz
