// HDF5 identifiers that close themselves, and HDF5 failures as exceptions with HDF5's own reason. Only the .cpp files
// of this folder include it.
#pragma once
#define H5_USE_18_API  // one meaning of the unnumbered functions (H5Ovisit) in every HDF5 from 1.10 on
#include <hdf5.h>
#include <hdf5_hl.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/results/layout/layout.hpp"

namespace myriad::results {

struct Hdf5Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
    int error_number = 0;  // the system's, where the system refused; else 0
};

// Throws Hdf5Failure with the innermost entry of HDF5's error stack, and empties the stack.
[[noreturn]] void throw_hdf5_failure();

template <class Status>
Status checked(Status status) {
    if (status < 0) throw_hdf5_failure();
    return status;
}

// To be called before anything else of HDF5: no error stacks on stderr (set thread by thread), and no cleaning up at
// the end of the process, which crashes (HDF5 1.10.8) over a file that could not be written. So whoever opens, closes.
void prepare_hdf5();

class Handle {
  public:
    Handle() = default;
    Handle(hid_t id, herr_t (*close_function)(hid_t)) : id_(checked(id)), close_(close_function) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }
    // Closes now and tells of a failure, as a close may write what is still in memory.
    void close() { checked(close_(std::exchange(id_, -1))); }
    // Never closes: HDF5 crashes over some objects once a write for them has failed.
    void abandon() { id_ = -1; }

  private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

// The type in the file and in memory alike (little-endian, as this machine's), owned by HDF5.
hid_t hdf5_type(ElementType type);
Handle hdf5_string_type();  // UTF-8 of variable length
Handle hdf5_space(const std::vector<std::uint64_t>& shape);

}  // namespace myriad::results
