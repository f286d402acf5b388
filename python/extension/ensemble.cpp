// An ensemble in memory: states, channels and parameters as NumPy arrays between pieces of the motion.
#include <algorithm>
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
    Ensemble(const std::shared_ptr<study::Study>& study, results::InstanceRange range, int threads)
        : ensemble_(study, range, threads) {}

    // `action` on the ensemble, for one thread at a time and in the process that began it.
    template <class Action>
    auto use(Action action) {
        refuse_in_forked_process();
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock)
            throw UserError(ExitCode::usage_or_input, "ensemble", "another thread is using it",
                            "give each thread an ensemble of its own: study.start(range=\"A:B\")");
        return action(ensemble_);
    }

  private:
    std::mutex mutex_;
    ensemble::SteppedEnsemble ensemble_;
};
using ensemble::SteppedEnsemble;

std::unique_ptr<Ensemble> start(const std::shared_ptr<study::Study>& study, int threads,
                                const std::optional<std::string>& range, const std::optional<std::string>& shard) {
    refuse_in_forked_process();
    const nb::gil_scoped_release released;
    const auto selected = program::selected_instances(range, shard, study->instances);
    return std::make_unique<Ensemble>(study, selected.value_or(results::InstanceRange{0, study->instances}), threads);
}

// The object itself keeps the memory of a view alive.
nb::object state_tiles(nb::handle_t<Ensemble> self) {
    const backends::StateTiles tiles =
        nb::cast<Ensemble&>(self).use([](const SteppedEnsemble& ensemble) { return ensemble.steps().states(); });
    const std::vector<std::size_t> shape = {tiles.tiles, static_cast<std::size_t>(tiles.channels), tile_instances};
    const auto view = [&]<class T>(const T* values) {
        return nb::cast(nb::ndarray<nb::numpy, const T>(values, shape.size(), shape.data(), self));
    };
    return tiles.precision == backends::Precision::fp64 ? view(static_cast<const double*>(tiles.values))
                                                        : view(static_cast<const float*>(tiles.values));
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
        .def_static("start", &start, "study"_a, "threads"_a, "range"_a.none(), "shard"_a.none())
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
