// The compiled part of the Python package: `myriad._engine`. Names and messages for people stand in python/myriad/.
#include "host/backends/backends.hpp"
#include "host/backends/cpu/cpu.hpp"
#include "host/study/schema.hpp"
#include "host/text/user_error.hpp"
#include "host/text/version.hpp"
#include "python/extension/engine_thread.hpp"
#include "python/extension/nanobind.hpp"

namespace nb = nanobind;

namespace {

// A UserError becomes the class of myriad.errors that its exit code asks for.
void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const myriad::UserError& error) {
        try {
            const nb::object made = nb::module_::import_("myriad.errors")
                                        .attr("_made_from")(static_cast<int>(error.exit_code()), error.where(),
                                                            error.what_is_wrong(), error.remedy());
            PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
        } catch (nb::python_error& failed) {
            failed.restore();
        }
    }
}

}  // namespace

NB_MODULE(_engine, module) {
    nb::set_leak_warnings(false);
    nb::register_exception_translator(translate);
    myriad::backends::require_processor();
    module.attr("version") = myriad::program_version();
    module.attr("commit") = myriad::program_commit();
    module.attr("compiler") = myriad::program_compiler();
    module.def("backends", [] {
        nb::list all;
        for (const myriad::backends::Availability& one : myriad::backends::backends())
            all.append(nb::make_tuple(one.name, one.available, one.detail));
        return all;
    });
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
        if (myriad::python::has_engine_thread()) myriad::python::run_on_engine(myriad::backends::end_threads);
    }));
    myriad::python::bind_study(module);
    myriad::python::bind_run(module);
    myriad::python::bind_result(module);
    myriad::python::bind_ensemble(module);
    myriad::python::bind_statistics(module);
}
