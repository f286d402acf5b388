// An ensemble in memory: states, channels and parameters as NumPy arrays between pieces of the motion.
#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

#include "host/ensemble/stepped_ensemble.hpp"
#include "host/program/instance_selection.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"
#include "python/extension/engine_thread.hpp"
#include "python/extension/nanobind.hpp"

namespace myriad::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// With the interpreter's lock given up while it computes, two threads may ask for the same ensemble.
class Ensemble {
  public:
    Ensemble(const std::shared_ptr<study::Study>& study, results::InstanceRange range, const std::string& backend,
             const backends::Settings& settings)
        : ensemble_(study, range, backend, settings) {}

    // `action` on the ensemble, for one thread at a time and in the process that began it.
    template <class Action>
    auto use(Action action) {
        refuse_in_forked_process();
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock)
            throw UserError(ExitCode::usage_or_input, "ensemble", "another thread is using it",
                            "give each thread an ensemble of its own: study.start(range=\"A:B\")");
        const backends::StandardArithmetic arithmetic;
        return action(ensemble_);
    }

  private:
    std::mutex mutex_;
    ensemble::SteppedEnsemble ensemble_;
};
using ensemble::SteppedEnsemble;

std::unique_ptr<Ensemble> start(const std::shared_ptr<study::Study>& study, const std::string& backend, int device,
                                int threads, const std::optional<std::string>& range,
                                const std::optional<std::string>& shard) {
    refuse_in_forked_process();
    const Computing computing;
    const auto selected = program::selected_instances(range, shard, study->instances);
    backends::Settings settings;
    settings.threads = threads, settings.devices = {device};
    return std::make_unique<Ensemble>(study, selected.value_or(results::InstanceRange{0, study->instances}), backend,
                                      settings);
}

// Views [tile, row, 32]: NumPy's of the host's memory, and of a GPU's what torch, jax and cupy take by DLPack.
nb::object view_of(const backends::Tiles& tiles, nb::handle owner) {
    const std::vector<std::size_t> shape = {tiles.tiles, static_cast<std::size_t>(tiles.rows), tile_instances};
    const std::vector<std::int64_t> strides = {static_cast<std::int64_t>(tiles.stride), tile_instances, 1};
    const auto view = [&]<class T>(const T* values) -> nb::object {
        if (tiles.device == backends::Tiles::host)
            return nb::cast(nb::ndarray<nb::numpy, const T>(values, shape.size(), shape.data(), owner, strides.data()));
        return nb::cast(nb::ndarray<nb::array_api, T, nb::device::cuda>(
            const_cast<T*>(values), shape.size(), shape.data(), owner, strides.data(), nb::dtype<T>(),
            nb::device::cuda::value, tiles.device));
    };
    return tiles.precision == backends::Precision::fp64 ? view(static_cast<const double*>(tiles.values))
                                                        : view(static_cast<const float*>(tiles.values));
}

// The ensemble keeps the memory of the view alive.
nb::object state_tiles(nb::handle_t<Ensemble> self) {
    return view_of(
        nb::cast<Ensemble&>(self).use([](const SteppedEnsemble& ensemble) { return ensemble.steps().states(); }), self);
}

// The same as NumPy's, copied from a GPU.
template <class T>
nb::object copied_tiles(const SteppedEnsemble& ensemble, const backends::Tiles& tiles) {
    const std::vector<std::size_t> shape = {tiles.tiles, static_cast<std::size_t>(tiles.rows), tile_instances};
    std::vector<T> values(tiles.tiles * tiles.stride);
    {
        const nb::gil_scoped_release released;
        ensemble.steps().fetch(tiles.values, values.size() * sizeof(T), values.data());
    }
    return nb::cast(array_of(std::move(values), shape));
}
nb::object state_tiles_on_host(nb::handle_t<Ensemble> self) {
    return nb::cast<Ensemble&>(self).use([&](const SteppedEnsemble& ensemble) -> nb::object {
        const backends::Tiles tiles = ensemble.steps().states();
        if (tiles.device == backends::Tiles::host) return view_of(tiles, self);
        return tiles.precision == backends::Precision::fp64 ? copied_tiles<double>(ensemble, tiles)
                                                            : copied_tiles<float>(ensemble, tiles);
    });
}

nb::object channel_tiles(const SteppedEnsemble& ensemble, const std::vector<std::string>& addresses) {
    std::vector<int> channels;
    for (const std::string& address : addresses)
        std::ranges::copy(ensemble.study().system->channel_group(address, "channel_tiles").channels,
                          std::back_inserter(channels));
    if (channels.empty() || channels.size() > most_quantities)
        throw UserError(ExitCode::usage_or_input, "channel_tiles",
                        std::to_string(channels.size()) + " channels are asked for at once",
                        "ask for 1 to " + std::to_string(most_quantities));
    auto tiles = std::make_unique<backends::Tiles>();
    {
        const nb::gil_scoped_release released;
        *tiles = ensemble.steps().channel_tiles(channels);
    }
    const backends::Tiles& seen = *tiles;
    return view_of(
        seen, nb::capsule(tiles.release(), [](void* kept) noexcept { delete static_cast<backends::Tiles*>(kept); }));
}

// [instance, field] of an array that holds [field][instance].
std::vector<double> transposed(const std::vector<double>& columns, std::size_t fields, std::size_t count) {
    std::vector<double> rows(columns.size());
    for (std::size_t k = 0; k < fields; ++k)
        for (std::size_t i = 0; i < count; ++i) rows[i * fields + k] = columns[k * count + i];
    return rows;
}

// [instance], [instance, body], [instance, component] or [instance, body, component], as the address leaves a choice.
nb::object channel(const SteppedEnsemble& ensemble, const std::string& address) {
    const study::ChannelGroup group = ensemble.study().system->channel_group(address, "channel");
    const std::size_t count = ensemble.range().count;
    std::vector<double> values;
    {
        const nb::gil_scoped_release released;
        values = ensemble.steps().channels(group.channels);
    }
    std::vector<std::size_t> shape = {count};
    if (!group.bodies.empty()) shape.push_back(group.bodies.size());
    if (!group.components.empty()) shape.push_back(group.components.size());
    return nb::cast(array_of(std::move(values), shape));
}

// Python's exception from a handler of signals, if one came.
std::pair<bool, nb::object> advance(SteppedEnsemble& ensemble, double until_s) {
    std::optional<nb::python_error> thrown;
    bool runs = false;
    {
        const nb::gil_scoped_release released;
        runs = ensemble.advance_to(until_s, [&] {
            const nb::gil_scoped_acquire acquired;
            if (PyErr_CheckSignals() != 0) thrown.emplace();
            return thrown.has_value();
        });
    }
    return {runs, thrown ? nb::borrow(thrown->value()) : nb::none()};
}

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// `values` [field, instance] of these varied parameters.
void set_parameters(SteppedEnsemble& ensemble, const std::vector<std::size_t>& fields, const Rows& values, bool trial) {
    const std::size_t count = ensemble.range().count;
    if (values.shape(0) != fields.size() || values.shape(1) != count) throw nb::index_error("set_parameters");
    std::vector<double> parameters = ensemble.parameters();
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (fields[k] >= ensemble.study().varied.size()) throw nb::index_error("set_parameters");
        std::copy_n(values.data() + k * count, count,
                    parameters.begin() + static_cast<std::ptrdiff_t>(fields[k] * count));
    }
    const nb::gil_scoped_release released;
    ensemble.set_parameters(std::move(parameters), trial);
}

using DeviceColumn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cuda>;

void set_parameter_on_device(SteppedEnsemble& ensemble, std::size_t field, const DeviceColumn& values) {
    if (field >= ensemble.study().varied.size() || values.shape(0) != ensemble.range().count)
        throw nb::index_error("set_parameter_on_device");
    const nb::gil_scoped_release released;
    ensemble.set_parameter_on_device(field, values.data());
}

Array<double> parameters_of(const SteppedEnsemble& ensemble) {
    const std::size_t fields = ensemble.study().varied.size(), count = ensemble.range().count;
    return array_of(transposed(ensemble.parameters(), fields, count), {count, fields});
}

Array<double> quantities_of(const SteppedEnsemble& ensemble) {
    return array_of(ensemble.chunk().quantities, {ensemble.range().count, ensemble.study().quantities.size()});
}

}  // namespace

void bind_ensemble(nb::module_& module) {
    nb::class_<Ensemble>(module, "Ensemble", "Instances of a study in memory.")
        .def_static("start", &start, "study"_a, "backend"_a, "device"_a, "threads"_a, "range"_a.none(),
                    "shard"_a.none())
        .def("device",
             [](Ensemble& held) {
                 return held.use([](const SteppedEnsemble& ensemble) { return ensemble.steps().states().device; });
             })
        .def(
            "channel_tiles",
            [](Ensemble& held, const std::vector<std::string>& addresses) {
                return held.use([&](const SteppedEnsemble& ensemble) { return channel_tiles(ensemble, addresses); });
            },
            "addresses"_a)
        .def(
            "set_parameter_on_device",
            [](Ensemble& held, std::size_t field, const DeviceColumn& values) {
                held.use([&](SteppedEnsemble& ensemble) { set_parameter_on_device(ensemble, field, values); });
            },
            "field"_a, "values"_a)
        .def(
            "advance",
            [](Ensemble& held, double until_s) {
                return held.use([&](SteppedEnsemble& ensemble) { return advance(ensemble, until_s); });
            },
            "until_s"_a)
        .def("instances",
             [](Ensemble& held) {
                 return held.use([](const SteppedEnsemble& ensemble) {
                     return std::pair(ensemble.range().first, ensemble.range().count);
                 });
             })
        .def("times_s",
             [](Ensemble& held) {
                 return held.use([](const SteppedEnsemble& ensemble) {
                     return array_of(ensemble.steps().times_s(), {ensemble.range().count});
                 });
             })
        .def("statuses",
             [](Ensemble& held) {
                 return held.use([](const SteppedEnsemble& ensemble) {
                     return array_of(ensemble.steps().statuses(), {ensemble.range().count});
                 });
             })
        .def("state_tiles", &state_tiles)
        .def("state_tiles_on_host", &state_tiles_on_host)
        .def(
            "channel",
            [](Ensemble& held, const std::string& address) {
                return held.use([&](const SteppedEnsemble& ensemble) { return channel(ensemble, address); });
            },
            "address"_a)
        .def("quantities", [](Ensemble& held) { return held.use(&quantities_of); })
        .def("parameters", [](Ensemble& held) { return held.use(&parameters_of); })
        .def(
            "set_parameters",
            [](Ensemble& held, const std::vector<std::size_t>& fields, const Rows& values, bool trial) {
                held.use([&](SteppedEnsemble& ensemble) { set_parameters(ensemble, fields, values, trial); });
            },
            "fields"_a, "values"_a, "trial"_a)
        .def(
            "begin_again",
            [](Ensemble& held, const std::vector<unsigned int>& rows) {
                held.use([&](SteppedEnsemble& ensemble) {
                    const nb::gil_scoped_release released;
                    ensemble.begin_again(rows);
                });
            },
            "rows"_a);
    nb::list names;
    for (int code = 0; code < status_count; ++code) names.append(name_of(static_cast<Status>(code)));
    module.attr("status_names") = names;
}

}  // namespace myriad::python
