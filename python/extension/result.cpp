// A result file, read dataset by dataset when it is asked for.
#include <variant>

#include "host/ensemble/statistics_datasets.hpp"
#include "host/program/run_text.hpp"
#include "host/results/reader.hpp"
#include "python/extension/engine_thread.hpp"
#include "python/extension/nanobind.hpp"

namespace myriad::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Python drops objects wherever it likes, also while a run on another thread has the engine's lock: files are closed by
// whoever has it next.
class ClosedLater {
  public:
    void add(std::unique_ptr<results::Reader> reader) {
        const std::lock_guard lock(mutex_);
        readers_.push_back(std::move(reader));
    }
    // With the engine's lock.
    void close() {
        std::vector<std::unique_ptr<results::Reader>> readers;
        const std::lock_guard lock(mutex_);
        std::swap(readers, readers_);
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<results::Reader>> readers_;
};

ClosedLater& closed_later() {
    static auto* const readers = new ClosedLater;
    return *readers;
}

// Does it with the engine's lock and without the interpreter's.
template <class Action>
auto with_file(Action action) {
    refuse_in_forked_process();
    const nb::gil_scoped_release released;
    const std::lock_guard lock(engine_lock());
    closed_later().close();
    return action();
}

nb::object object_of(const results::Attribute& attribute) {
    return std::visit([](const auto& value) { return nb::cast(value); }, attribute);
}

class ResultFile {
  public:
    explicit ResultFile(const std::string& path)
        : reader_(with_file([&] { return std::make_unique<results::Reader>(path); })) {}
    ResultFile(ResultFile&&) noexcept = default;
    ~ResultFile() { close(); }

    void close() {
        if (!reader_) return;
        std::unique_lock lock(engine_lock(), std::try_to_lock);
        if (lock)
            reader_.reset();
        else
            closed_later().add(std::move(reader_));
    }
    const results::Reader& reader() const {
        if (!reader_) throw nb::value_error("the result file is closed");
        return *reader_;
    }

    nb::dict attributes(const std::string& object) const {
        const results::Attributes all = with_file([&] { return reader().attributes(object); });
        nb::dict attributes;
        for (const auto& [name, value] : all) attributes[name.c_str()] = object_of(value);
        return attributes;
    }
    nb::object read(const std::string& dataset, std::optional<std::uint64_t> first,
                    std::optional<std::uint64_t> count) const {
        const auto type = with_file([&] { return reader().type(dataset); });
        if (!type) return nb::cast(with_file([&] { return reader().read_texts(dataset); }));
        switch (*type) {
            case results::ElementType::float64:
                return numbers<double>(dataset, first, count);
            case results::ElementType::float32:
                return numbers<float>(dataset, first, count);
            case results::ElementType::int64:
                return numbers<std::int64_t>(dataset, first, count);
            case results::ElementType::int32:
                return numbers<std::int32_t>(dataset, first, count);
        }
        return nb::none();
    }
    std::optional<std::string> statistics_text() const {
        return with_file([&]() -> std::optional<std::string> {
            const auto report = ensemble::read_statistics(reader());
            if (!report) return std::nullopt;
            return program::statistics_text(*report);
        });
    }

  private:
    template <class T>
    nb::object numbers(const std::string& dataset, std::optional<std::uint64_t> first,
                       std::optional<std::uint64_t> count) const {
        std::vector<std::uint64_t> shape;
        std::vector<T> values = with_file([&] {
            shape = reader().shape(dataset);
            if (shape.empty()) return reader().read<T>(dataset);
            const std::uint64_t begin = first.value_or(0);
            shape[0] = count.value_or(shape[0] - std::min(begin, shape[0]));
            return reader().read_rows<T>(dataset, begin, shape[0]);
        });
        return nb::cast(array_of(std::move(values), {shape.begin(), shape.end()}));
    }

    std::unique_ptr<results::Reader> reader_;
};

}  // namespace

void bind_result(nb::module_& module) {
    nb::class_<ResultFile>(module, "ResultFile", "A result file whose datasets are read when they are asked for.")
        .def(nb::init<const std::string&>(), "path"_a)
        .def("close", &ResultFile::close)
        .def_prop_ro("instances", [](const ResultFile& file) { return file.reader().instances(); })
        .def("datasets", [](const ResultFile& file) { return with_file([&] { return file.reader().datasets(); }); })
        .def("shape", [](const ResultFile& file,
                         const std::string& name) { return with_file([&] { return file.reader().shape(name); }); })
        .def("dimensions",
             [](const ResultFile& file, const std::string& name) {
                 std::vector<std::pair<std::string, std::string>> dimensions;
                 for (const auto& one : with_file([&] { return file.reader().dimensions(name); }))
                     dimensions.emplace_back(one.name, one.scale);
                 return dimensions;
             })
        .def("attributes", &ResultFile::attributes, "object"_a = "/")
        .def("read", &ResultFile::read, "dataset"_a, "first"_a = nb::none(), "count"_a = nb::none(),
             nb::sig("def read(self, dataset: str, first: int | None = None, count: int | None = None) -> typing.Any"))
        .def("statistics_text", &ResultFile::statistics_text);
}

}  // namespace myriad::python
