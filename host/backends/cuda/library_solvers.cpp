#include "host/backends/cuda/library_solvers.hpp"

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "host/backends/compiled_kernels/cuda_libraries.hpp"
#include "host/text/user_error.hpp"

namespace myriad::backends::cuda {

namespace {

struct SolverFunctions {
    decltype(&cublasCreate) create_blas;
    decltype(&cublasDestroy) destroy_blas;
    decltype(&cublasSetStream) set_blas_stream;
    decltype(&cublasDgetrfBatched) factor_lu;
    decltype(&cublasDgetrsBatched) solve_lu;
    decltype(&cusolverDnCreate) create_solver;
    decltype(&cusolverDnDestroy) destroy_solver;
    decltype(&cusolverDnSetStream) set_solver_stream;
    decltype(&cusolverDnDpotrfBatched) factor_cholesky;
    decltype(&cusolverDnDpotrsBatched) solve_cholesky;
};

std::optional<DynamicLibrary> open_library(const char* variable, const std::vector<std::string>& files,
                                           std::string& why) {
    std::vector<std::string> candidates;
    if (const char* path = std::getenv(variable); path && *path)
        candidates.emplace_back(path);
    else
        for (const std::string& file : files)
            for (std::string& candidate : in_cuda_folders(file)) candidates.push_back(std::move(candidate));
    return DynamicLibrary::open(candidates, why);
}

// CUDA streams of the driver and of the libraries are the same objects under two names.
class Solvers final : public LibrarySolvers {
  public:
    Solvers(std::shared_ptr<const Device> device, const SolverFunctions& functions)
        : device_(device), call_(functions), stream_(device), begun_(device), done_(device) {
        device_->use();
        require(call_.create_blas(&blas_), "starting cuBLAS");
        require(call_.create_solver(&solver_), "starting cuSOLVER");
        require(call_.set_blas_stream(blas_, stream_.handle()), "giving cuBLAS a stream");
        require(call_.set_solver_stream(solver_, stream_.handle()), "giving cuSOLVER a stream");
    }
    ~Solvers() override {
        device_->use_if_possible();
        if (solver_) call_.destroy_solver(solver_);
        if (blas_) call_.destroy_blas(blas_);
    }
    Solvers(const Solvers&) = delete;
    Solvers& operator=(const Solvers&) = delete;

    LibrarySolution lu(const SystemsView& systems) override {
        const int n = systems.order, count = systems.count;
        DeviceArray pivots(device_);
        pivots.reserve(sizeof(int) * static_cast<std::size_t>(n) * static_cast<std::size_t>(count));
        int refused_argument = 0;
        return solve(systems, [&](double** matrices, double** sides, int* info) {
            require(call_.factor_lu(blas_, n, matrices, n, at<int>(pivots), info, count), "factoring by cuBLAS");
            require(call_.solve_lu(blas_, CUBLAS_OP_N, n, 1, matrices, n, at<int>(pivots), sides, n, &refused_argument,
                                   count),
                    "solving by cuBLAS");
        });
    }
    LibrarySolution cholesky(const SystemsView& systems) override {
        const int n = systems.order, count = systems.count;
        DeviceArray refused_argument(device_);
        refused_argument.reserve(sizeof(int));
        return solve(systems, [&](double** matrices, double** sides, int* info) {
            require(call_.factor_cholesky(solver_, CUBLAS_FILL_MODE_LOWER, n, matrices, n, info, count),
                    "factoring by cuSOLVER");
            require(call_.solve_cholesky(solver_, CUBLAS_FILL_MODE_LOWER, n, 1, matrices, n, sides, n,
                                         at<int>(refused_argument), count),
                    "solving by cuSOLVER");
        });
    }

  private:
    template <class T>
    static T* at(const DeviceArray& array) {
        return reinterpret_cast<T*>(array.address());
    }
    // Both libraries number success 0.
    template <class Status>
    static void require(Status status, const std::string& doing) {
        if (static_cast<int>(status) != 0)
            throw UserError(ExitCode::device, "CUDA, while " + doing,
                            "the library reports its error " + std::to_string(static_cast<int>(status)),
                            "`nvidia-smi` shows whether the GPU and its driver are sound and what fills its memory");
    }
    void upload(const DeviceArray& to, const void* from, std::size_t bytes, const char* what) {
        device_->require(device_->call().upload(to.address(), from, bytes, stream_.handle()), what);
    }
    void download(void* to, const DeviceArray& from, std::size_t bytes, const char* what) {
        device_->require(device_->call().download(to, from.address(), bytes, stream_.handle()), what);
    }

    LibrarySolution solve(const SystemsView& systems, const std::function<void(double**, double**, int*)>& run) {
        const auto n = static_cast<std::size_t>(systems.order), count = static_cast<std::size_t>(systems.count);
        if (n == 0 || count == 0 || systems.matrices.size() != n * n * count ||
            systems.right_hand_sides.size() != n * count)
            throw std::invalid_argument("linear systems of sizes that contradict each other");
        device_->use();
        DeviceArray matrices(device_), sides(device_), pointers(device_), info(device_);
        matrices.reserve(systems.matrices.size_bytes()), sides.reserve(systems.right_hand_sides.size_bytes());
        pointers.reserve(2 * count * sizeof(CUdeviceptr)), info.reserve(count * sizeof(int));
        std::vector<CUdeviceptr> addresses(2 * count);
        for (std::size_t i = 0; i < count; ++i) {
            addresses[i] = matrices.address() + i * n * n * sizeof(double);
            addresses[count + i] = sides.address() + i * n * sizeof(double);
        }
        upload(pointers, addresses.data(), addresses.size() * sizeof(CUdeviceptr), "copying addresses to the GPU");
        LibrarySolution result;
        // The first pass also loads the library's kernels; the second one is timed.
        for (int pass = 0; pass < 2; ++pass) {
            upload(matrices, systems.matrices.data(), systems.matrices.size_bytes(), "copying matrices to the GPU");
            upload(sides, systems.right_hand_sides.data(), systems.right_hand_sides.size_bytes(),
                   "copying right-hand sides to the GPU");
            stream_.record(begun_);
            run(at<double*>(pointers), at<double*>(pointers) + count, at<int>(info));
            stream_.record(done_);
            stream_.synchronize();
            result.seconds = done_.seconds_since(begun_);
        }
        result.solutions.resize(n * count);
        std::vector<int> codes(count);
        download(result.solutions.data(), sides, result.solutions.size() * sizeof(double), "copying solutions back");
        download(codes.data(), info, count * sizeof(int), "copying error codes back");
        stream_.synchronize();
        for (std::size_t i = 0; i < count; ++i)
            if (codes[i] != 0) result.failures.push_back(static_cast<int>(i));
        return result;
    }

    std::shared_ptr<const Device> device_;
    SolverFunctions call_;
    Stream stream_;
    Event begun_, done_;
    cublasHandle_t blas_ = nullptr;
    cusolverDnHandle_t solver_ = nullptr;
};

}  // namespace

std::unique_ptr<LibrarySolvers> LibrarySolvers::open(std::shared_ptr<const Device> device, std::string& why) {
    // cuSOLVER needs cuBLAS and finds it beside itself or already loaded.
    const auto blas =
        open_library("MYRIAD_CUBLAS", {"libcublas.so." + std::to_string(CUBLAS_VER_MAJOR), "libcublas.so"}, why);
    if (!blas) {
        why = "cuBLAS is not on this machine (" + why + ")";
        return nullptr;
    }
    const auto solver = open_library("MYRIAD_CUSOLVER",
                                     {"libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR), "libcusolver.so"}, why);
    if (!solver) {
        why = "cuSOLVER is not on this machine (" + why + ")";
        return nullptr;
    }
    SolverFunctions f{};
    const bool complete = blas->take(MYRIAD_SYMBOL(cublasCreate), f.create_blas) &&
                          blas->take(MYRIAD_SYMBOL(cublasDestroy), f.destroy_blas) &&
                          blas->take(MYRIAD_SYMBOL(cublasSetStream), f.set_blas_stream) &&
                          blas->take(MYRIAD_SYMBOL(cublasDgetrfBatched), f.factor_lu) &&
                          blas->take(MYRIAD_SYMBOL(cublasDgetrsBatched), f.solve_lu) &&
                          solver->take(MYRIAD_SYMBOL(cusolverDnCreate), f.create_solver) &&
                          solver->take(MYRIAD_SYMBOL(cusolverDnDestroy), f.destroy_solver) &&
                          solver->take(MYRIAD_SYMBOL(cusolverDnSetStream), f.set_solver_stream) &&
                          solver->take(MYRIAD_SYMBOL(cusolverDnDpotrfBatched), f.factor_cholesky) &&
                          solver->take(MYRIAD_SYMBOL(cusolverDnDpotrsBatched), f.solve_cholesky);
    if (!complete) {
        why = blas->name() + " or " + solver->name() + " lacks a batched solver";
        return nullptr;
    }
    return std::make_unique<Solvers>(std::move(device), f);
}

}  // namespace myriad::backends::cuda
