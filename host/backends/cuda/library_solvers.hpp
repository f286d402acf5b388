// Many small linear systems by NVIDIA's libraries: cuBLAS' batched LU and cuSOLVER's batched Cholesky factorisation.
//
// They are no part of a run: a cross-check of the kernels' own elimination by an independent code on the device, and a
// row of the bench that says what a solve costs whose matrices lie in the device's memory. Both libraries are opened
// when asked for, at the paths in MYRIAD_CUBLAS and MYRIAD_CUSOLVER where those are set.
#pragma once
#include <memory>
#include <string>

#include "host/backends/cuda/driver.hpp"
#include "host/backends/interface/library_systems.hpp"

namespace myriad::backends::cuda {

class LibrarySolvers {
  public:
    // None where a library is missing; `why` then says so in a sentence.
    static std::unique_ptr<LibrarySolvers> open(std::shared_ptr<const Device> device, std::string& why);
    virtual ~LibrarySolvers() = default;

    // Throw UserError (exit code 3) where the device or the library refuses, std::invalid_argument where the sizes
    // contradict each other.
    virtual LibrarySolution lu(const SystemsView& systems) = 0;
    virtual LibrarySolution cholesky(const SystemsView& systems) = 0;
};

}  // namespace myriad::backends::cuda
