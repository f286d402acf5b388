// The parts of nanobind that the extension uses, how the engine is entered, and arrays that own their memory.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/backends/interface/standard_arithmetic.hpp"

namespace myriad::python {

// Where the engine computes, it does so without the interpreter's lock, whatever arithmetic Python's thread has.
struct Computing {
    nanobind::gil_scoped_release released;
    backends::StandardArithmetic arithmetic;
};

template <class T>
using Array = nanobind::ndarray<nanobind::numpy, T>;

// A NumPy array of this row-major shape that takes over the values, without a copy.
template <class T>
Array<T> array_of(std::vector<T> values, const std::vector<std::size_t>& shape) {
    auto* owned = new std::vector<T>(std::move(values));
    const nanobind::capsule owner(owned, [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
    return Array<T>(owned->data(), shape.size(), shape.data(), owner);
}

// The parts of the module, each bound in the file of its name.
void bind_study(nanobind::module_& module);
void bind_run(nanobind::module_& module);
void bind_result(nanobind::module_& module);
void bind_ensemble(nanobind::module_& module);
void bind_statistics(nanobind::module_& module);

}  // namespace myriad::python
